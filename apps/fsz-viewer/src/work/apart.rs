//! Reading that cannot be interrupted: ADIOS2, zfp and pipes know no way to stop.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::{Result, bail};
use fsz::Progress;

/// How soon it is seen that nobody waits any more.
const PATIENCE: Duration = Duration::from_millis(50);

/// Does some reading on a thread of its own, and waits for it until it is cancelled. Then it runs on to its end, and what
/// comes of it is dropped; what is to be read next does not wait for that.
///
/// # Errors
/// Those of the reading, and when it is cancelled or the system gives no thread.
pub fn apart<T: Send + 'static>(
    progress: &Arc<Progress>,
    read: impl FnOnce(&Progress) -> Result<T> + Send + 'static,
) -> Result<T> {
    progress.check()?;
    let (tell, told) = channel();
    let within = progress.clone();
    thread::Builder::new().name("reading".to_owned()).spawn(move || {
        // Nobody may wait for it any more.
        let _ = tell.send(read(&within));
    })?;
    loop {
        match told.recv_timeout(PATIENCE) {
            Ok(found) => return found,
            Err(RecvTimeoutError::Timeout) => progress.check()?,
            // What the thread printed says where.
            Err(RecvTimeoutError::Disconnected) => {
                bail!("reading ended in an error of the program")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_interrupted_is_not_waited_for() {
        let (progress, (go_on, goes_on)) = (Progress::new(), channel::<()>());
        let (begun, begins) = channel();
        let cancels = progress.clone();
        let canceller = thread::spawn(move || {
            begins.recv().unwrap();
            cancels.cancel();
        });
        let found = apart(&progress, move |_| {
            begun.send(()).unwrap();
            Ok(goes_on.recv()?)
        });
        let reason = found.unwrap_err();
        assert!(matches!(reason.downcast_ref(), Some(fsz::Error::Cancelled)), "{reason}");
        canceller.join().unwrap();
        // It still runs.
        go_on.send(()).unwrap();
        assert!(apart(&progress, |_| Ok(())).is_err(), "it does not begin any more");
        assert_eq!(apart(&Progress::new(), |_| Ok(7)).unwrap(), 7);
        let died = apart(&Progress::new(), |_| -> Result<()> { panic!("as of a bug") });
        assert!(died.unwrap_err().to_string().contains("an error of the program"));
    }
}
