//! Why a command ends early.
//!
//! An error's message, with its causes, is one line that says what to do; some causes are no error at all: an
//! interrupt, and a reader that closed the pipe.

use std::io;
use std::path::Path;

use anyhow::Error;

/// The message of an error and of its causes, but for those that the messages before them contain.
pub fn message(error: &Error) -> String {
    let messages = error.chain().map(ToString::to_string);
    messages.fold(String::new(), |told, cause| match told.as_str() {
        "" => cause,
        _ if told.contains(&cause) => told,
        _ => format!("{told}: {cause}"),
    })
}

/// The codec's error with the file that it is about.
pub fn in_file(path: &Path) -> impl Fn(fsz::Error) -> Error {
    |source| fsz_field::Error::Codec { path: path.to_owned(), source }.into()
}

/// The error, with the file where memory for what is in it was not there; the codec's want of memory, too.
pub fn memory_for(path: &Path) -> impl Fn(Error) -> Error {
    |error| match error.downcast::<fsz_field::Error>() {
        Ok(error) => error.in_file(path).into(),
        Err(error) => match error.downcast_ref() {
            Some(fsz::Error::Io(why)) if why.kind() == io::ErrorKind::OutOfMemory => {
                error.context(path.display().to_string())
            }
            _ => error,
        },
    }
}

/// Whether the user interrupted the work.
pub fn is_interrupt(error: &Error) -> bool {
    let cancelled = |cause: &fsz::Error| matches!(cause, fsz::Error::Cancelled);
    error.chain().filter_map(|cause| cause.downcast_ref()).any(cancelled)
}

/// Whether the reader of the output closed the pipe.
pub fn is_closed_pipe(error: &Error) -> bool {
    let closed = |cause: &io::Error| cause.kind() == io::ErrorKind::BrokenPipe;
    error.chain().filter_map(|cause| cause.downcast_ref()).any(closed)
}
