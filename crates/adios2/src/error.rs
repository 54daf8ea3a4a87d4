//! The error type.

use std::path::PathBuf;

use crate::DataType;

/// The result of every fallible call of this crate.
pub type Result<T> = std::result::Result<T, Error>;

/// The class of failure that the ADIOS2 C API reports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallFailure {
    /// An argument, a parameter or a configuration is wrong.
    InvalidArgument,
    /// The system refused: files, memory, network.
    System,
    /// ADIOS2 or an operator failed while it worked, for instance on corrupt data.
    Runtime,
    /// Anything else.
    Other,
}

/// An error of this crate.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No ADIOS2 on this machine; the message lists the places searched.
    #[error("{0}")]
    NotFound(#[from] adios2_sys::discovery::NotFound),
    /// An ADIOS2 library is there but could not be opened, for instance because it is too old.
    #[error("cannot open the ADIOS2 library {path}: {reason}")]
    Load {
        /// The library file.
        path: PathBuf,
        /// What the dynamic loader said.
        reason: String,
    },
    /// An ADIOS2 call failed; ADIOS2 has printed the reason to standard error.
    #[error("{doing} failed in ADIOS2 ({failure:?}; ADIOS2 prints the reason to standard error)")]
    Call {
        /// What was being done, in words, with the names involved.
        doing: String,
        /// The class of failure.
        failure: CallFailure,
    },
    /// A file ends in the middle of what it holds.
    #[error("{} was cut short: copy the whole folder again, or wait until its program has written it", .0.display())]
    CutShort(PathBuf),
    /// The file or step has no variable of this name.
    #[error("there is no variable {0:?}")]
    NoSuchVariable(String),
    /// The variable holds another type than the one asked for.
    #[error("variable {name:?} holds {actual}, not {asked}")]
    WrongType {
        /// The variable.
        name: String,
        /// The type asked for.
        asked: DataType,
        /// The type it has.
        actual: DataType,
    },
    /// A step, an ADIOS2 block or a box lies outside the variable.
    #[error("{0}")]
    OutOfRange(String),
    /// An argument is wrong; nothing was done.
    #[error("{0}")]
    InvalidArgument(String),
    /// This crate, this engine or this installation cannot do it.
    #[error("{0}")]
    Unsupported(String),
}
