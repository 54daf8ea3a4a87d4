//! Long work on a thread of its own: the files and planes requested meanwhile do not wait for it.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;

use fsz::Progress;

use crate::work::event::{Event, Found, Wake};

/// Starts such work.
#[derive(Clone)]
pub struct Background {
    events: Sender<Event>,
    wake: Wake,
}

impl std::fmt::Debug for Background {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Background").finish_non_exhaustive()
    }
}

impl Background {
    /// Work that reports to `events`.
    pub fn new(events: Sender<Event>, wake: Wake) -> Background {
        Background { events, wake }
    }

    /// Runs `work` on a thread of its own. What it finds is an event, and so is its end.
    pub fn run(
        &self,
        work: impl FnOnce(&Arc<Progress>, &dyn Fn(Found)) + Send + 'static,
    ) -> Arc<Progress> {
        let progress = Progress::new();
        let end = End { background: self.clone(), progress: progress.clone() };
        let started = thread::Builder::new().name("background".to_owned()).spawn(move || {
            work(&end.progress, &|found| end.tell(found));
        });
        if let Err(reason) = started {
            // The closure is gone, and with it the end was told; this says why.
            self.send(Event::Found {
                progress: progress.clone(),
                found: Found::Failed(format!("no thread for it: {reason}")),
            });
        }
        progress
    }

    fn send(&self, event: Event) {
        // Nobody listens when the window is closed.
        if self.events.send(event).is_ok() {
            (self.wake)();
        }
    }
}

/// Tells the end of the work however it comes.
struct End {
    background: Background,
    progress: Arc<Progress>,
}

impl End {
    fn tell(&self, found: Found) {
        self.background.send(Event::Found { progress: self.progress.clone(), found });
    }
}

impl Drop for End {
    fn drop(&mut self) {
        self.background.send(Event::Ended { progress: self.progress.clone() });
    }
}
