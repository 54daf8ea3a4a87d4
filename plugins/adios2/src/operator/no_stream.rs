//! Why an ADIOS2 block has no stream.

use std::fmt;

/// Why there is none.
#[derive(Debug)]
pub(super) enum NoStream {
    /// The engine provides no room for it: so many bytes, on whichever backend.
    NoRoom(usize),
    /// Something else, which may go well on another backend.
    Failed(String),
}

impl From<String> for NoStream {
    fn from(reason: String) -> Self {
        NoStream::Failed(reason)
    }
}

impl fmt::Display for NoStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoStream::NoRoom(length) => {
                write!(f, "the engine provides no room for {length} bytes")
            }
            NoStream::Failed(reason) => f.write_str(reason),
        }
    }
}
