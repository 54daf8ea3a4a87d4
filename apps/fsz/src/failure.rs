//! How a command ends.

use std::io;
use std::process::ExitCode;

/// What a command found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Success.
    Fine,
    /// A check failed.
    CheckFailed,
}

impl Verdict {
    /// Fine if `holds`.
    pub fn of(holds: bool) -> Verdict {
        if holds { Verdict::Fine } else { Verdict::CheckFailed }
    }

    /// 0 or 1.
    pub fn code(self) -> ExitCode {
        match self {
            Verdict::Fine => ExitCode::SUCCESS,
            Verdict::CheckFailed => ExitCode::from(1),
        }
    }
}

/// Why a command could not be done.
#[derive(Debug)]
pub enum Failure {
    /// Usage error, or an input or output that does not work; one line that says what to do.
    Message(String),
    /// The reader of the output closed the pipe.
    ClosedPipe,
    /// The user interrupted.
    Interrupted,
}

/// The result of a command, or of a part of one.
pub type Result<T = Verdict> = std::result::Result<T, Failure>;

/// A [`Failure`] with this message.
pub fn fail<T>(message: impl Into<String>) -> Result<T> {
    Err(Failure::Message(message.into()))
}

impl From<fsz::Error> for Failure {
    fn from(error: fsz::Error) -> Failure {
        match error {
            fsz::Error::Cancelled => Failure::Interrupted,
            other => Failure::Message(other.to_string()),
        }
    }
}

impl From<fsz_field::Error> for Failure {
    fn from(error: fsz_field::Error) -> Failure {
        match error {
            fsz_field::Error::Io { source, .. } if source.kind() == io::ErrorKind::BrokenPipe => {
                Failure::ClosedPipe
            }
            fsz_field::Error::Codec { source: fsz::Error::Cancelled, .. } => Failure::Interrupted,
            other => Failure::Message(other.to_string()),
        }
    }
}

impl From<fsz_metrics::Error> for Failure {
    fn from(error: fsz_metrics::Error) -> Failure {
        Failure::Message(error.to_string())
    }
}

impl From<fsz_study::Error> for Failure {
    fn from(error: fsz_study::Error) -> Failure {
        match error {
            fsz_study::Error::Interrupted => Failure::Interrupted,
            other => Failure::Message(other.to_string()),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Failure {
        Failure::Message(error.to_string())
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Failure {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Failure::ClosedPipe,
            _ => Failure::Message(error.to_string()),
        }
    }
}
