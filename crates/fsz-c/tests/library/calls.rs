//! What the tests share: handles that free themselves, and the thread's message.

use std::{
    ffi::{CStr, c_void},
    ptr,
};

use fsz::{DType, Element};
use fsz_c::*;

/// The message of this thread's last failure.
pub fn message() -> String {
    // SAFETY: lives until the next failure of this thread.
    unsafe { CStr::from_ptr(fszc_last_error()) }.to_str().expect("UTF-8").to_owned()
}

#[track_caller]
pub fn ok(status: fszc_status) {
    assert_eq!(status, fszc_status::FSZC_OK, "{}", message());
}

#[track_caller]
pub fn fails(status: fszc_status, with: fszc_status, words: &str) {
    assert_eq!(status, with, "{}", message());
    assert!(message().contains(words), "{:?} is not in {:?}", words, message());
}

/// A handle that is freed at the end of its scope.
pub struct Owned<T>(pub *mut T, unsafe extern "C" fn(*mut T));

// SAFETY: the interface says that handles may be used by many threads.
unsafe impl<T> Sync for Owned<T> {}
// SAFETY: as above.
unsafe impl<T> Send for Owned<T> {}

impl<T> Owned<T> {
    #[track_caller]
    pub fn new(
        make: impl FnOnce(*mut *mut T) -> fszc_status,
        free: unsafe extern "C" fn(*mut T),
    ) -> Self {
        let mut handle = ptr::null_mut();
        ok(make(&mut handle));
        assert!(!handle.is_null());
        Owned(handle, free)
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        // SAFETY: made by the library, and not used any more.
        unsafe { (self.1)(self.0) };
    }
}

pub fn codec(backend: fszc_backend, threads: usize) -> Owned<fszc_codec> {
    // SAFETY: a place for a handle.
    Owned::new(|out| unsafe { fszc_codec_new(backend, 0, threads, out) }, fszc_codec_free)
}

pub fn cpu() -> Owned<fszc_codec> {
    codec(FSZC_CPU, 2)
}

pub fn value_range(ratio: f64) -> Owned<fszc_compress_options> {
    // SAFETY: a place for a handle.
    Owned::new(
        |out| unsafe { fszc_compress_options_value_range(ratio, out) },
        fszc_compress_options_free,
    )
}

pub fn absolute(bound: f64) -> Owned<fszc_compress_options> {
    // SAFETY: a place for a handle.
    Owned::new(
        |out| unsafe { fszc_compress_options_absolute(bound, out) },
        fszc_compress_options_free,
    )
}

/// No options of a decompression.
pub const NONE: *const fszc_decompress_options = ptr::null();

pub fn decompress_options() -> Owned<fszc_decompress_options> {
    // SAFETY: a place for a handle.
    Owned::new(|out| unsafe { fszc_decompress_options_new(out) }, fszc_decompress_options_free)
}

pub fn number<T: Element>() -> fszc_dtype {
    if T::DTYPE == DType::F32 { FSZC_F32 } else { FSZC_F64 }
}

pub fn compress<T: Element>(
    codec: &Owned<fszc_codec>,
    field: &[T],
    shape: &[u64],
    options: &Owned<fszc_compress_options>,
) -> Owned<fszc_stream> {
    assert_eq!(shape.iter().product::<u64>(), field.len() as u64);
    let data = field.as_ptr().cast::<c_void>();
    // SAFETY: the field has the elements of its shape.
    Owned::new(
        |out| unsafe {
            fszc_compress(codec.0, data, number::<T>(), shape.as_ptr(), shape.len(), options.0, out)
        },
        fszc_stream_free,
    )
}

pub fn open(bytes: &[u8]) -> Owned<fszc_stream> {
    // SAFETY: all callers keep the bytes as long as the handle.
    Owned::new(
        |out| unsafe { fszc_stream_open(bytes.as_ptr().cast(), bytes.len(), out) },
        fszc_stream_free,
    )
}

pub fn bytes_of(stream: &Owned<fszc_stream>) -> &[u8] {
    let mut len = 0;
    // SAFETY: the bytes live as long as the handle.
    unsafe {
        let bytes = fszc_stream_bytes(stream.0, &mut len);
        std::slice::from_raw_parts(bytes, len)
    }
}

pub fn decompress<T: Element>(codec: &Owned<fszc_codec>, stream: &Owned<fszc_stream>) -> Vec<T> {
    let mut out = vec![T::default(); info_of(stream).elements as usize];
    // SAFETY: the output has the elements that it is said to have.
    ok(unsafe {
        let data = out.as_mut_ptr().cast();
        fszc_decompress(codec.0, stream.0, NONE, number::<T>(), data, out.len() as u64)
    });
    out
}

pub fn info_of(stream: &Owned<fszc_stream>) -> fszc_info {
    let mut info = std::mem::MaybeUninit::uninit();
    // SAFETY: the whole struct is filled.
    unsafe {
        ok(fszc_stream_info(stream.0, info.as_mut_ptr(), size_of::<fszc_info>()));
        info.assume_init()
    }
}

pub fn certificate_of(stream: &Owned<fszc_stream>) -> fszc_certificate {
    let mut certificate = std::mem::MaybeUninit::uninit();
    // SAFETY: the whole struct is filled.
    unsafe {
        let size = size_of::<fszc_certificate>();
        ok(fszc_stream_certificate(stream.0, certificate.as_mut_ptr(), size));
        certificate.assume_init()
    }
}

/// The bits of elements, which also compare NaN.
pub fn bits<T: Element>(elements: &[T]) -> Vec<u64> {
    elements.iter().map(|element| element.to_bits64()).collect()
}
