//! The way to a running simulation: a thread of its own reads ADIOS2's SST engine.

#[cfg(feature = "adios2")]
mod assemble;
#[cfg(feature = "adios2")]
mod contact;
#[cfg(feature = "adios2")]
mod reader;
mod signal;
#[cfg(feature = "adios2")]
mod why;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Result;

use crate::model::live::Live;
use crate::work::event::Wake;
use crate::work::live::signal::Signal;

/// What the thread and the window share.
#[derive(Debug, Clone)]
struct Shared(Arc<Mutex<Live>>);

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Live> {
        // What is there is whole after every statement.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A stream that is read. The thread ends after this is dropped, as soon as ADIOS2 lets it.
#[derive(Debug)]
pub struct LiveReader {
    shared: Shared,
    ending: Arc<Signal>,
    /// The thread gives it as its last.
    ended: Arc<Signal>,
}

/// The longest that is waited for a stream to be closed.
const CLOSING: Duration = Duration::from_secs(2);

impl LiveReader {
    /// Reads the stream that a simulation opens under this name, now or later, and keeps its newest steps
    /// in at most `budget` bytes.
    ///
    /// # Errors
    /// When the system gives no thread, and in builds without ADIOS2.
    pub fn start(name: &Path, budget: u64, wake: Wake) -> Result<LiveReader> {
        let name = &stream(name);
        let live = Live::new(name.display().to_string(), budget);
        let reader = LiveReader {
            shared: Shared(Arc::new(Mutex::new(live))),
            ending: Arc::new(Signal::default()),
            ended: Arc::new(Signal::default()),
        };
        reader.spawn(name, wake)?;
        Ok(reader)
    }

    #[cfg(feature = "adios2")]
    fn spawn(&self, name: &Path, wake: Wake) -> Result<()> {
        let stream = reader::Reader {
            name: name.to_owned(),
            shared: self.shared.clone(),
            ending: self.ending.clone(),
            wake,
        };
        let thread = std::thread::Builder::new().name("live".to_owned());
        let ended = self.ended.clone();
        // It is not waited for: ADIOS2 may be within a call that takes seconds.
        drop(thread.spawn(move || {
            stream.run();
            ended.give();
        })?);
        Ok(())
    }

    #[cfg(not(feature = "adios2"))]
    fn spawn(&self, _name: &Path, _wake: Wake) -> Result<()> {
        anyhow::bail!(
            "this build cannot read ADIOS2 streams; build the viewer with --features adios2"
        )
    }

    /// Closes the stream before the program ends: a simulation whose reader vanishes spends processor time on
    /// looking for it. Waits two seconds at most; whether the thread has ended.
    pub fn close(&self) -> bool {
        self.ending.give();
        self.ended.wait(CLOSING)
    }

    /// What is known, when it is newer than a version. Problems are told once.
    pub fn newer(&self, than: u64) -> Option<Live> {
        let mut live = self.shared.lock();
        (live.version > than).then(|| {
            let problems = std::mem::take(&mut live.problems);
            Live { problems, ..live.clone() }
        })
    }
}

/// The stream of a name: of that of its contact file, which is what is seen in the folder, too.
fn stream(name: &Path) -> PathBuf {
    match name.extension() {
        Some(end) if end == "sst" => name.with_extension(""),
        _ => name.to_owned(),
    }
}

impl Drop for LiveReader {
    fn drop(&mut self) {
        self.ending.give();
    }
}

#[cfg(all(test, feature = "adios2"))]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_the_contact_file_is_that_of_the_stream() {
        for name in ["/data/run.sst", "/data/run"] {
            let reader = LiveReader::start(Path::new(name), 1, Arc::new(|| ())).expect("a thread");
            assert_eq!(reader.newer(0).map(|live| live.name).as_deref(), Some("/data/run"));
        }
    }

    #[test]
    fn a_closed_reader_has_ended() {
        let nobody = Path::new("/nowhere/a stream that nobody opens");
        let reader = LiveReader::start(nobody, 1 << 20, Arc::new(|| ())).expect("a thread");
        assert!(reader.close());
        assert!(reader.close(), "once more");
    }
}
