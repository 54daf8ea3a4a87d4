//! Compression of fields in host memory.

use std::ffi::c_void;

use fsz::{CompressOptions, DType, Element, format::geometry::element_count, with_element};

use crate::{
    codec::fszc_codec,
    compress_options::fszc_compress_options,
    dtype::{dtype_of, fszc_dtype},
    handle, pointers,
    status::{Failure, Result, fszc_status, status_of},
    stream::fszc_stream,
};

/// The most bytes that a stream of a field of this shape and type takes, whatever its values and the
/// options, unless fszc_compress_options_add_box or fszc_compress_options_add_mask asks for more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_max_compressed_len(
    shape: *const u64,
    ndim: usize,
    dtype: fszc_dtype,
    len: *mut u64,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let shape = pointers::axes(shape, ndim, "the shape")?;
            let most = fsz::max_compressed_len(&shape, dtype_of(dtype)?)?;
            pointers::store(len, most, "the length")
        }
    })
}

/// Compresses a field in C order into a stream that the library allocates. `data` has the elements that
/// `shape` says (`ndim` entries, slowest axis first; none for a single element), at an address that is a
/// multiple of their size.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress(
    codec: *const fszc_codec,
    data: *const c_void,
    dtype: fszc_dtype,
    shape: *const u64,
    ndim: usize,
    options: *const fszc_compress_options,
    stream: *mut *mut fszc_stream,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            handle::make(stream, || {
                let call = Call::new(codec, dtype, shape, ndim, options)?;
                let most = call.most()?;
                with_element!(call.dtype, T => {
                    let field = call.field::<T>(data)?;
                    let mut bytes = pointers::zeros(most)?;
                    let len = call.run(field, &mut bytes)?;
                    bytes.truncate(len);
                    bytes.shrink_to_fit();
                    fszc_stream::own(bytes)
                })
            })
        }
    })
}

/// Compresses a field as fszc_compress does, into `out`, of which `capacity` bytes may be written, and
/// stores the stream's length in `len`. A capacity of fszc_max_compressed_len always suffices, unless
/// fszc_compress_options_add_box or fszc_compress_options_add_mask asks for more.
///
/// FSZC_INVALID_ARGUMENT when the capacity is too small.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_compress_into(
    codec: *const fszc_codec,
    data: *const c_void,
    dtype: fszc_dtype,
    shape: *const u64,
    ndim: usize,
    options: *const fszc_compress_options,
    out: *mut c_void,
    capacity: usize,
    len: *mut usize,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            pointers::store(len, 0, "the length")?;
            let call = Call::new(codec, dtype, shape, ndim, options)?;
            let out = pointers::bytes_mut(out, capacity, "the output")?;
            with_element!(call.dtype, T => {
                let field = call.field::<T>(data)?;
                pointers::check_apart(field, out, "field and output")?;
                pointers::store(len, call.run(field, out)?, "the length")
            })
        }
    })
}

/// The absolute bound that fszc_compress would keep with these arguments: what a target or a share of the range
/// comes to for this field, so that many fields, or all ranks of a program, can have one bound.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_find_bound(
    codec: *const fszc_codec,
    data: *const c_void,
    dtype: fszc_dtype,
    shape: *const u64,
    ndim: usize,
    options: *const fszc_compress_options,
    bound: *mut f64,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let call = Call::new(codec, dtype, shape, ndim, options)?;
            with_element!(call.dtype, T => {
                let field = call.field::<T>(data)?;
                let found = call.codec.codec.find_bound(field, &call.shape, call.options)?;
                pointers::store(bound, found, "the bound")
            })
        }
    })
}

/// The checked arguments of a compression, but for the data.
struct Call<'a> {
    codec: &'a fszc_codec,
    dtype: DType,
    shape: Vec<u64>,
    options: &'a CompressOptions,
}

impl<'a> Call<'a> {
    /// # Safety
    /// The header's rules for pointers.
    unsafe fn new(
        codec: *const fszc_codec,
        dtype: fszc_dtype,
        shape: *const u64,
        ndim: usize,
        options: *const fszc_compress_options,
    ) -> Result<Self> {
        // SAFETY: promised by the caller.
        unsafe {
            Ok(Call {
                codec: handle::get(codec)?,
                dtype: dtype_of(dtype)?,
                shape: pointers::axes(shape, ndim, "the shape")?,
                options: &handle::get(options)?.0,
            })
        }
    }

    /// # Safety
    /// The header's rules for pointers.
    unsafe fn field<T: Element>(&self, data: *const c_void) -> Result<&'a [T]> {
        let count = element_count(&self.shape).ok_or_else(|| {
            Failure::invalid(format!("a field of shape {:?} is too large", self.shape))
        })?;
        // SAFETY: promised by the caller.
        unsafe { pointers::elements(data, count, "the field") }
    }

    /// The most bytes that the stream takes.
    fn most(&self) -> Result<u64> {
        Ok(self.options.max_compressed_len(&self.shape, self.dtype)?)
    }

    fn run<T: Element>(&self, field: &[T], out: &mut [u8]) -> Result<usize> {
        Ok(self.codec.codec.compress_into(field, &self.shape, self.options, out)?)
    }
}
