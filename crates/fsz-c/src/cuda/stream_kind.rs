//! What a stream in device memory is, as the host must know it.

use fsz::cuda::StreamKind;

use crate::{
    compress_options::fszc_compress_options,
    dtype::{dtype_of, fszc_dtype},
    handle::{self, Object},
    pointers,
    status::{fszc_status, status_of, value_of},
    stream::fszc_stream,
};

/// What must be known of a stream to decode it where it lies, in device memory, without looking at it from
/// the host: its shape, element type, and what its header holds. May be used by many threads at once.
#[derive(Debug)]
pub struct fszc_stream_kind {
    pub(crate) kind: StreamKind,
    pub(crate) shape: Vec<u64>,
    /// Bytes of an element.
    pub(crate) element: u64,
}

impl Object for fszc_stream_kind {
    const NAME: &'static str = "fszc_stream_kind";
}

/// Makes the kind of the stream that compressing a field of this shape, type and these options makes.
///
/// FSZC_UNSUPPORTED for FSZC_DENSE, which chooses while it compresses, but for
/// fszc_compress_options_set_like, and for bounds by region: use fszc_stream_kind_of.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_stream_kind_new(
    shape: *const u64,
    ndim: usize,
    dtype: fszc_dtype,
    options: *const fszc_compress_options,
    kind: *mut *mut fszc_stream_kind,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    status_of(|| unsafe {
        handle::make(kind, || {
            let shape = pointers::axes(shape, ndim, "the shape")?;
            let dtype = dtype_of(dtype)?;
            let kind = StreamKind::new(&shape, dtype, &handle::get(options)?.0)?;
            Ok(fszc_stream_kind { kind, shape, element: dtype.size() as u64 })
        })
    })
}

/// Makes the kind of a stream that the host holds too.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_stream_kind_of(
    stream: *const fszc_stream,
    kind: *mut *mut fszc_stream_kind,
) -> fszc_status {
    // SAFETY: the header's rules for pointers.
    status_of(|| unsafe {
        handle::make(kind, || {
            let stream = &handle::get(stream)?.stream;
            Ok(fszc_stream_kind {
                kind: StreamKind::of(stream)?,
                shape: stream.header().shape.clone(),
                element: stream.header().dtype.size() as u64,
            })
        })
    })
}

/// Elements of the field; 0 when the call fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_stream_kind_elements(kind: *const fszc_stream_kind) -> u64 {
    // SAFETY: the header's rules for pointers.
    value_of(0, || unsafe { Ok(handle::get(kind)?.kind.elements()) })
}

/// Frees the kind, when no call uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_stream_kind_free(kind: *mut fszc_stream_kind) {
    // SAFETY: the header's rules for pointers.
    value_of((), || unsafe { handle::free(kind) });
}
