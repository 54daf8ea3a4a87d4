//! Compressions that are ready to be launched.

use fsz::cuda::Compression;

use crate::{
    compress_options::fszc_compress_options,
    dtype::{dtype_of, fszc_dtype},
    handle::{self, Object},
    pointers,
    status::{fszc_status, status_of, value_of},
};

/// A compression on a device that is ready to be launched: everything that follows from shape, type and
/// options, for any number of fields. May be used by many threads at once.
#[derive(Debug)]
pub struct fszc_compression {
    pub(crate) compression: Compression,
    /// Bytes of a field.
    pub(crate) raw_bytes: u64,
}

impl Object for fszc_compression {
    const NAME: &'static str = "fszc_compression";
}

/// Makes a compression for fields of this shape (`ndim` entries, slowest axis first) and type.
///
/// FSZC_UNSUPPORTED for switches of research.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compression_new(
    shape: *const u64,
    ndim: usize,
    dtype: fszc_dtype,
    options: *const fszc_compress_options,
    compression: *mut *mut fszc_compression,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    status_of(|| unsafe {
        handle::make(compression, || {
            let shape = pointers::axes(shape, ndim, "the shape")?;
            let dtype = dtype_of(dtype)?;
            let compression = Compression::new(&shape, dtype, &handle::get(options)?.0)?;
            let raw_bytes = compression.kind().elements().saturating_mul(dtype.size() as u64);
            Ok(fszc_compression { compression, raw_bytes })
        })
    })
}

/// Bytes that a stream takes at most, whatever the field's values; 0 when the call fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compression_max_len(compression: *const fszc_compression) -> u64 {
    // SAFETY: the header's rules for pointers.
    value_of(0, || unsafe { Ok(handle::get(compression)?.compression.max_len()) })
}

/// Bytes of scratch memory that fszc_device_compress works in; 0 when the call fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compression_scratch_len(compression: *const fszc_compression) -> u64 {
    // SAFETY: the header's rules for pointers.
    value_of(0, || unsafe { Ok(handle::get(compression)?.compression.scratch_len()) })
}

/// Frees the compression, when no call uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compression_free(compression: *mut fszc_compression) {
    // SAFETY: the header's rules for pointers.
    value_of((), || unsafe { handle::free(compression) });
}
