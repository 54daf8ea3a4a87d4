//! Why a command ends early.
//!
//! An error's own message is one line that says what to do; its causes tell what is no error at all: an
//! interrupt, and a reader that closed the pipe.

use std::io;

use anyhow::Error;

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
