//! Streams: compressed fields.

use std::ffi::{CString, c_char, c_void};

use fsz::Stream;

use crate::{
    handle::{self, Object},
    pointers,
    status::{Result, address_of, fszc_status, status_of, value_of},
};

/// A compressed field: its bytes, with the header, the index and their checksums already verified. The
/// payload's checksums are verified when it is decoded. Never changes, so that many threads may read and
/// decompress it at once.
#[derive(Debug)]
pub struct fszc_stream {
    pub(crate) stream: Stream<'static>,
    /// The name with a zero byte behind it.
    name: Option<CString>,
}

impl Object for fszc_stream {
    const NAME: &'static str = "fszc_stream";
}

impl fszc_stream {
    /// A stream in memory of its own.
    pub(crate) fn own(bytes: Vec<u8>) -> Result<Self> {
        Ok(Self::new(Stream::from_vec(bytes)?))
    }

    fn new(stream: Stream<'static>) -> Self {
        // A name with a zero byte in it is none that a C string could be.
        let name = stream.header().name.as_deref().and_then(|name| CString::new(name).ok());
        fszc_stream { stream, name }
    }
}

/// Opens a stream of `len` bytes where it lies, such as in a mapped file: nothing is copied, and the bytes
/// must stay as they are until the handle is freed. Reads the header and the index, not the payload.
///
/// FSZC_TRUNCATED when bytes are missing, FSZC_CORRUPT when they are not a stream or are damaged,
/// FSZC_UNSUPPORTED when they come from a newer release.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_stream_open(
    bytes: *const c_void,
    len: usize,
    stream: *mut *mut fszc_stream,
) -> fszc_status {
    // SAFETY: the header's rules for pointers, and the bytes stay as they are while the handle lives.
    unsafe { make(bytes, len, stream, |bytes| Ok(fszc_stream::new(Stream::open(bytes)?))) }
}

/// Opens a copy of a stream of `len` bytes, which need not outlive the call. Else as fszc_stream_open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_stream_copy(
    bytes: *const c_void,
    len: usize,
    stream: *mut *mut fszc_stream,
) -> fszc_status {
    let copy = |bytes: &[u8]| {
        let mut copy = pointers::zeros(bytes.len() as u64)?;
        copy.copy_from_slice(bytes);
        fszc_stream::own(copy)
    };
    // SAFETY: the header's rules for pointers.
    unsafe { make(bytes, len, stream, copy) }
}

/// Makes a handle of a program's bytes.
///
/// # Safety
/// The header's rules for pointers, and what `open` needs of the bytes.
unsafe fn make(
    bytes: *const c_void,
    len: usize,
    stream: *mut *mut fszc_stream,
    open: impl FnOnce(&'static [u8]) -> Result<fszc_stream>,
) -> fszc_status {
    // SAFETY: promised by the caller.
    status_of(|| unsafe {
        handle::make(stream, || open(pointers::bytes(bytes, len, "the stream")?))
    })
}

/// The stream's bytes, as a file holds them, and how many they are (`len` may be NULL). They live as long
/// as the handle; NULL when the call fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_stream_bytes(
    stream: *const fszc_stream,
    len: *mut usize,
) -> *const u8 {
    address_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let bytes = handle::get(stream)?.stream.as_bytes();
            if !len.is_null() {
                pointers::store(len, bytes.len(), "the length")?;
            }
            Ok(bytes.as_ptr())
        }
    })
}

/// The variable name that the stream records, in UTF-8; NULL when it records none. Lives as long as the
/// handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_stream_name(stream: *const fszc_stream) -> *const c_char {
    address_of(|| {
        // SAFETY: the header's rules for pointers.
        let name = unsafe { handle::get(stream) }?.name.as_ref();
        Ok(name.map_or(std::ptr::null(), |name| name.as_ptr()))
    })
}

/// Frees the stream, when no call uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_stream_free(stream: *mut fszc_stream) {
    // SAFETY: the header's rules for pointers.
    value_of((), || unsafe { handle::free(stream) });
}
