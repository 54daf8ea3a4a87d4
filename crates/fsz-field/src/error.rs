//! Why a file could not be read or written: one line that says what to do.

use std::io;
use std::path::{Path, PathBuf};

/// Why a file could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system call failed.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file is invalid, or more must be known about it.
    #[error("{path}: {reason}", path = path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What is wrong and what to do.
        reason: String,
    },
    /// The output exists, and overwriting was not allowed.
    #[error("{path} already exists: choose another name, or overwrite it with --force", path = path.display())]
    Exists {
        /// The output.
        path: PathBuf,
    },
    /// The stream in the file could not be read.
    #[error("{path}: {source}", path = path.display())]
    Codec {
        /// The file.
        path: PathBuf,
        /// The codec's error.
        source: fsz::Error,
    },
    /// A shape, axis, index or other argument does not fit; the message says which.
    #[error("{0}")]
    Argument(String),
    /// There is not so much memory; the message says how much is needed.
    #[error("{0}")]
    Memory(String),
}

/// [`std::result::Result`] with this crate's [`Error`].
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn io(path: &Path) -> impl FnOnce(io::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::Io { path, source }
    }

    pub(crate) fn file(path: &Path, reason: impl Into<String>) -> Error {
        Error::File { path: path.to_owned(), reason: reason.into() }
    }

    /// Names the file where memory for what is in it was not there: of several files, any could be meant.
    pub fn in_file(self, path: &Path) -> Error {
        match self {
            Error::Memory(reason) => Error::file(path, reason),
            other => other,
        }
    }

    pub(crate) fn codec(path: &Path) -> impl FnOnce(fsz::Error) -> Error {
        let path = path.to_owned();
        move |source| Error::Codec { path, source }
    }
}
