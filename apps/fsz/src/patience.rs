//! A word for who waits for ADIOS2: of a data file that was cut short it awaits the rest, without end.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crate::terminal;

/// A read that takes longer is told: slow file systems are not that slow as a rule.
const LONG: Duration = Duration::from_secs(10);

/// Reads a part of an ADIOS2 file, and says after a while what may be wrong with it.
pub fn read<R>(path: &Path, read: impl FnOnce() -> R) -> R {
    let (reading, over) = channel::<()>();
    thread::scope(|scope| {
        // Without a thread nothing is said.
        let _ = thread::Builder::new().spawn_scoped(scope, move || {
            if over.recv_timeout(LONG) == Err(RecvTimeoutError::Timeout) {
                terminal::note(
                    false,
                    &format!(
                        "{}: still reading; if this does not end, its data files are shorter than its metadata says, \
                         as after an interrupted copy",
                        path.display()
                    ),
                );
            }
        });
        // Dropped when the read is over, which ends the thread.
        let _reading = reading;
        read()
    })
}
