//! Decompression to host memory.

use std::{borrow::Cow, ffi::c_void, sync::Arc};

use fsz::{Codec, DecompressOptions, Element, Stream, slice_box, with_element};

use crate::{
    codec::fszc_codec,
    compress_options::at_least_one,
    dtype::{dtype_of, fszc_dtype},
    handle::{self, Object},
    pointers,
    progress::fszc_progress,
    status::{Failure, Result, fszc_status, status_of, value_of},
    stream::fszc_stream,
};

/// What a decompression is told beside the stream. Many threads may use it at once, while none changes it.
#[derive(Debug)]
pub struct fszc_decompress_options(DecompressOptions);

impl Object for fszc_decompress_options {
    const NAME: &'static str = "fszc_decompress_options";
}

/// Makes options: all of the codec's threads, and no progress.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_decompress_options_new(
    options: *mut *mut fszc_decompress_options,
) -> fszc_status {
    let new = || Ok(fszc_decompress_options(DecompressOptions::new()));
    // SAFETY: the header's rules for pointers.
    status_of(|| unsafe { handle::make(options, new) })
}

/// Works on `threads` of the codec's threads at most; with 1 the calling thread works alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_decompress_options_set_threads(
    options: *mut fszc_decompress_options,
    threads: usize,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        let options = unsafe { handle::get_mut(options) }?;
        options.0 = options.0.clone().threads(at_least_one(threads)?);
        Ok(())
    })
}

/// Reports to `progress`, through which the decompression can be cancelled.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_decompress_options_set_progress(
    options: *mut fszc_decompress_options,
    progress: *const fszc_progress,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        let (options, progress) = unsafe { (handle::get_mut(options)?, handle::get(progress)?) };
        options.0 = options.0.clone().progress(Arc::clone(&progress.0));
        Ok(())
    })
}

/// Frees the options, when no call uses them any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_decompress_options_free(options: *mut fszc_decompress_options) {
    // SAFETY: the header's rules for pointers.
    value_of((), || unsafe { handle::free(options) });
}

/// Decompresses a whole field in C order into `out`, which has room for `elements` elements of type
/// `dtype`: exactly those of the field, at an address that is a multiple of their size. `options` may be
/// NULL. When a call fails, `out` may hold anything.
///
/// FSZC_INVALID_ARGUMENT when type or number are not the field's; FSZC_CORRUPT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_decompress(
    codec: *const fszc_codec,
    stream: *const fszc_stream,
    options: *const fszc_decompress_options,
    dtype: fszc_dtype,
    out: *mut c_void,
    elements: u64,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let call = Call::new(codec, stream, options)?;
            with_element!(dtype_of(dtype)?, T => {
                let out = call.output::<T>(out, elements)?;
                Ok(call.codec.decompress_with(call.stream, out, &call.options)?)
            })
        }
    })
}

/// Decompresses the tiles from `first` on to, not including, `end`, one behind the other: for FSZC_PAPER,
/// consecutive elements. `elements` is what fszc_stream_tile_elements says. Else as fszc_decompress.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_decompress_tiles(
    codec: *const fszc_codec,
    stream: *const fszc_stream,
    options: *const fszc_decompress_options,
    first: u64,
    end: u64,
    dtype: fszc_dtype,
    out: *mut c_void,
    elements: u64,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let call = Call::new(codec, stream, options)?;
            with_element!(dtype_of(dtype)?, T => {
                let out = call.output::<T>(out, elements)?;
                Ok(call.codec.decompress_tiles_with(call.stream, first..end, out, &call.options)?)
            })
        }
    })
}

/// Decompresses the box of `count` elements from `start` on (`ndim` entries each, one per axis of the
/// field, slowest axis first) in C order. `elements` is the product of `count`. Else as fszc_decompress.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_decompress_box(
    codec: *const fszc_codec,
    stream: *const fszc_stream,
    options: *const fszc_decompress_options,
    start: *const u64,
    count: *const u64,
    ndim: usize,
    dtype: fszc_dtype,
    out: *mut c_void,
    elements: u64,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let call = Call::new(codec, stream, options)?;
            let start = pointers::axes(start, ndim, "the start")?;
            let count = pointers::axes(count, ndim, "the count")?;
            with_element!(dtype_of(dtype)?, T => {
                let out = call.output::<T>(out, elements)?;
                Ok(call.codec.decompress_box_with(call.stream, &start, &count, out, &call.options)?)
            })
        }
    })
}

/// Decompresses the slice at `index` of the axis `axis` (0 is the slowest) in C order. `elements` is the
/// product of the other axes. Else as fszc_decompress.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_decompress_slice(
    codec: *const fszc_codec,
    stream: *const fszc_stream,
    options: *const fszc_decompress_options,
    axis: usize,
    index: u64,
    dtype: fszc_dtype,
    out: *mut c_void,
    elements: u64,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let call = Call::new(codec, stream, options)?;
            let (start, count) = slice_box(&call.stream.header().shape, axis, index)?;
            with_element!(dtype_of(dtype)?, T => {
                let out = call.output::<T>(out, elements)?;
                Ok(call.codec.decompress_box_with(call.stream, &start, &count, out, &call.options)?)
            })
        }
    })
}

/// The handles of a decompression, and its options.
struct Call<'a> {
    codec: &'a Codec,
    stream: &'a Stream<'static>,
    options: Cow<'a, DecompressOptions>,
}

impl<'a> Call<'a> {
    /// # Safety
    /// The header's rules for pointers.
    unsafe fn new(
        codec: *const fszc_codec,
        stream: *const fszc_stream,
        options: *const fszc_decompress_options,
    ) -> Result<Self> {
        // SAFETY: promised by the caller.
        unsafe {
            let options = handle::get_optional(options)?;
            Ok(Call {
                codec: &handle::get(codec)?.codec,
                stream: &handle::get(stream)?.stream,
                options: options.map_or_else(Cow::default, |options| Cow::Borrowed(&options.0)),
            })
        }
    }

    /// # Safety
    /// The header's rules for pointers.
    unsafe fn output<T: Element>(&self, out: *mut c_void, elements: u64) -> Result<&'a mut [T]> {
        // More would be refused by the codec, but no slice may be made of memory that is not there.
        let all = self.stream.header().elements();
        if elements > all {
            return Err(Failure::invalid(format!(
                "an output of {elements} elements for a field of {all}"
            )));
        }
        if T::DTYPE != self.stream.header().dtype {
            let dtype = self.stream.header().dtype;
            return Err(Failure::invalid(format!("the field is {dtype}, not {}", T::DTYPE)));
        }
        // SAFETY: promised by the caller.
        let out = unsafe { pointers::elements_mut(out, elements, "the output") }?;
        pointers::check_apart(self.stream.as_bytes(), out, "stream and output")?;
        Ok(out)
    }
}
