//! Why a study ends early.

use std::io;

/// Why a study ends early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Something does not work; one line that says what to do.
    #[error("{0}")]
    Message(String),
    /// The plan's progress was cancelled.
    #[error("interrupted")]
    Interrupted,
}

/// [`std::result::Result`] with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An [`Error`] with this message.
pub(crate) fn fail<T>(message: impl Into<String>) -> Result<T> {
    Err(Error::Message(message.into()))
}

impl From<fsz::Error> for Error {
    fn from(error: fsz::Error) -> Error {
        match error {
            fsz::Error::Cancelled => Error::Interrupted,
            other => Error::Message(other.to_string()),
        }
    }
}

impl From<fsz_field::Error> for Error {
    fn from(error: fsz_field::Error) -> Error {
        Error::Message(error.to_string())
    }
}

impl From<fsz_metrics::Error> for Error {
    fn from(error: fsz_metrics::Error) -> Error {
        Error::Message(error.to_string())
    }
}

impl From<io::Error> for Error {
    fn from(error: io::Error) -> Error {
        Error::Message(error.to_string())
    }
}
