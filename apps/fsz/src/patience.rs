//! A word for who waits for ADIOS2: of a data file that was cut short it awaits the rest, without end.

use std::path::Path;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use crate::{interrupt, terminal};

/// A read that takes longer is told: slow file systems are not that slow as a rule.
const LONG: Duration = Duration::from_secs(10);
/// From one look at the signals to the next.
const MOMENT: Duration = Duration::from_millis(500);

/// Reads a part of an ADIOS2 file, says after a while what may be wrong with it, and ends with the program soon after an
/// interrupt, which nothing in ADIOS2 looks at.
pub fn read<R>(path: &Path, read: impl FnOnce() -> R) -> R {
    let (reading, over) = channel::<()>();
    thread::scope(|scope| {
        // Without a thread nothing is said.
        let _ = thread::Builder::new().spawn_scoped(scope, move || {
            let begin = Instant::now();
            let (mut is_told, mut is_requested) = (false, false);
            while over.recv_timeout(MOMENT) == Err(RecvTimeoutError::Timeout) {
                // What is cancelled by itself had a moment for that.
                if is_requested {
                    interrupt::end();
                }
                is_requested = interrupt::is_requested();
                if !is_told && begin.elapsed() > LONG {
                    is_told = true;
                    tell(path);
                }
            }
        });
        // Dropped when the read is over, which ends the thread.
        let _reading = reading;
        read()
    })
}

fn tell(path: &Path) {
    terminal::note(
        false,
        &format!(
            "{}: still reading; if this does not end, its data files are shorter than its metadata says, as after an \
             interrupted copy",
            path.display()
        ),
    );
}
