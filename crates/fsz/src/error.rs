//! The one error type: what went wrong and what to do about it.

use std::io;

/// The result of every fallible call of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why a call failed. Messages name the cause and, where there is one, the remedy.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The bytes are not a valid FSZ stream: damaged, forged, or something else altogether.
    #[error("corrupt FSZ stream: {0}")]
    Corrupt(String),
    /// The stream ends early.
    #[error("truncated FSZ stream: {needed} bytes needed, {got} there; copy the file again")]
    Truncated {
        /// Bytes that the stream should have.
        needed: u64,
        /// Bytes that were given.
        got: u64,
    },
    /// An argument is outside what the call takes.
    #[error("{0}")]
    InvalidArgument(String),
    /// A valid request or stream that this build cannot serve.
    #[error("not supported: {0}")]
    Unsupported(String),
    /// A compute device or its driver failed.
    #[error("device error: {0}")]
    Device(String),
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The caller cancelled the call through its [`Progress`](crate::Progress).
    #[error("cancelled")]
    Cancelled,
}

impl Error {
    pub(crate) fn corrupt(message: impl Into<String>) -> Self {
        Error::Corrupt(message.into())
    }

    pub(crate) fn invalid(message: impl Into<String>) -> Self {
        Error::InvalidArgument(message.into())
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Error::Unsupported(message.into())
    }
}
