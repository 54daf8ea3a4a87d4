//! How calls end: a status, and a message for the thread.

use std::{
    any::Any,
    cell::RefCell,
    ffi::{CString, c_char},
    io,
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
};

/// How a call ended. The numbers never change; later releases may add some.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum fszc_status {
    /// It succeeded.
    FSZC_OK = 0,
    /// An argument is outside what the call takes.
    FSZC_INVALID_ARGUMENT = 1,
    /// The bytes are not a valid FSZ stream: damaged, forged, or something else altogether.
    FSZC_CORRUPT = 2,
    /// The stream ends early.
    FSZC_TRUNCATED = 3,
    /// A valid request or stream that this library cannot serve.
    FSZC_UNSUPPORTED = 4,
    /// A CUDA device or its driver failed, or there is none.
    FSZC_DEVICE = 5,
    /// The operating system refused something, such as threads.
    FSZC_IO = 6,
    /// The call was cancelled through its fszc_progress.
    FSZC_CANCELLED = 7,
    /// There is not enough memory.
    FSZC_OUT_OF_MEMORY = 8,
    /// A bug in FSZ. Please report it with the message.
    FSZC_INTERNAL = 9,
}
use fszc_status::*;

/// All of them, by their numbers.
const NAMES: [(fszc_status, &str); 10] = [
    (FSZC_OK, "success\0"),
    (FSZC_INVALID_ARGUMENT, "invalid argument\0"),
    (FSZC_CORRUPT, "corrupt stream\0"),
    (FSZC_TRUNCATED, "truncated stream\0"),
    (FSZC_UNSUPPORTED, "not supported\0"),
    (FSZC_DEVICE, "device error\0"),
    (FSZC_IO, "input or output error\0"),
    (FSZC_CANCELLED, "cancelled\0"),
    (FSZC_OUT_OF_MEMORY, "out of memory\0"),
    (FSZC_INTERNAL, "internal error\0"),
];

/// A few words for a status, such as "corrupt stream"; "unknown status" for other numbers.
#[unsafe(no_mangle)]
pub extern "C" fn fszc_status_text(status: i32) -> *const c_char {
    let known = NAMES.iter().find(|(known, _)| *known as i32 == status);
    known.map_or("unknown status\0", |(_, text)| text).as_ptr().cast()
}

/// What the last failed call of this thread complained about: one line that says what is wrong and,
/// where there is one, the remedy. Empty before the first failure; calls that succeed leave it. Valid
/// until the next call of the thread fails.
#[unsafe(no_mangle)]
pub extern "C" fn fszc_last_error() -> *const c_char {
    let message = LAST.try_with(|last| last.borrow().as_ptr());
    message.unwrap_or_else(|_| c"the thread is ending".as_ptr())
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::default();
}

/// Why a call failed.
#[derive(Debug)]
pub(crate) struct Failure {
    status: fszc_status,
    message: String,
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Failure { status: FSZC_INVALID_ARGUMENT, message: message.into() }
    }

    pub(crate) fn out_of_memory(bytes: u64) -> Self {
        Failure { status: FSZC_OUT_OF_MEMORY, message: format!("no memory for {bytes} bytes") }
    }

    fn panicked(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().copied();
        let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let message = format!("a bug in FSZ, please report it: {}", text.unwrap_or("a panic"));
        Failure { status: FSZC_INTERNAL, message }
    }

    fn keep(self) -> fszc_status {
        let message = CString::new(self.message.replace('\0', "\\0")).unwrap_or_default();
        // A thread that is ending has no place for messages any more.
        let _ = LAST.try_with(|last| last.replace(message));
        self.status
    }
}

impl From<fsz::Error> for Failure {
    fn from(error: fsz::Error) -> Self {
        use fsz::Error;
        let status = match &error {
            Error::Corrupt(_) => FSZC_CORRUPT,
            Error::Truncated { .. } => FSZC_TRUNCATED,
            Error::InvalidArgument(_) => FSZC_INVALID_ARGUMENT,
            Error::Unsupported(_) => FSZC_UNSUPPORTED,
            Error::Device(_) => FSZC_DEVICE,
            Error::Io(why) if why.kind() == io::ErrorKind::OutOfMemory => FSZC_OUT_OF_MEMORY,
            Error::Io(_) => FSZC_IO,
            Error::Cancelled => FSZC_CANCELLED,
            _ => FSZC_INTERNAL,
        };
        Failure { status, message: error.to_string() }
    }
}

/// Runs the work of a call; errors and panics become a status and the thread's message.
pub(crate) fn status_of(work: impl FnOnce() -> Result<()>) -> fszc_status {
    match attempt(work) {
        Ok(()) => FSZC_OK,
        Err(failure) => failure.keep(),
    }
}

/// The same for calls that return a value instead; `otherwise` when they fail.
pub(crate) fn value_of<T>(otherwise: T, work: impl FnOnce() -> Result<T>) -> T {
    attempt(work).unwrap_or_else(|failure| {
        failure.keep();
        otherwise
    })
}

/// The same for calls that return an address: null when they fail.
pub(crate) fn address_of<T>(work: impl FnOnce() -> Result<*const T>) -> *const T {
    value_of(ptr::null(), work)
}

fn attempt<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    // What a panic leaves half done is not seen again: handles are only changed by setters, which
    // replace whole values.
    catch_unwind(AssertUnwindSafe(work))
        .unwrap_or_else(|payload| Err(Failure::panicked(payload.as_ref())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::CStr;

    fn last() -> String {
        // SAFETY: the message lives until the next failure of this thread.
        unsafe { CStr::from_ptr(fszc_last_error()) }.to_string_lossy().into_owned()
    }

    #[test]
    fn a_panic_becomes_a_status() {
        assert_eq!(status_of(|| panic!("one {}", 1)), FSZC_INTERNAL);
        assert_eq!(last(), "a bug in FSZ, please report it: one 1");
        assert_eq!(value_of(7, || panic!("two")), 7);
        assert_eq!(last(), "a bug in FSZ, please report it: two");
    }

    #[test]
    fn a_message_is_its_threads_and_outlives_success() {
        assert_eq!(status_of(|| Err(Failure::invalid("a\0b"))), FSZC_INVALID_ARGUMENT);
        assert_eq!(status_of(|| Ok(())), FSZC_OK);
        assert_eq!(last(), "a\\0b");
        std::thread::spawn(|| assert_eq!(last(), "")).join().expect("it ran");
    }

    #[test]
    fn want_of_memory_is_a_status_of_its_own() {
        for (kind, status) in
            [(io::ErrorKind::OutOfMemory, FSZC_OUT_OF_MEMORY), (io::ErrorKind::WouldBlock, FSZC_IO)]
        {
            let failed = || Err(fsz::Error::Io(kind.into()).into());
            assert_eq!(status_of(failed), status);
        }
    }

    #[test]
    fn texts_are_found_by_their_numbers() {
        for (at, (status, text)) in NAMES.iter().enumerate() {
            assert_eq!(*status as usize, at);
            // SAFETY: a constant.
            let found = unsafe { CStr::from_ptr(fszc_status_text(at as i32)) };
            assert_eq!(found.to_bytes_with_nul(), text.as_bytes());
        }
        for unknown in [-1, NAMES.len() as i32, i32::MIN, i32::MAX] {
            // SAFETY: a constant.
            let found = unsafe { CStr::from_ptr(fszc_status_text(unknown)) };
            assert_eq!(found, c"unknown status");
        }
    }
}
