//! Long work that has a thread of its own: the files and planes that are asked for meanwhile do not
//! wait for it.

use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::thread;

use fsz::Progress;

use crate::app::Measured;
use crate::document::{Document, Result};
use crate::measures::Measures;
use crate::service::{News, Wake};
use crate::sweep::Point;

/// What zfp makes of an original.
#[derive(Debug)]
pub struct Made {
    /// The values that come back.
    pub document: Document,
    /// How far they are from the original, where that was asked for.
    pub measures: Option<Result<Box<Measures>>>,
}

/// What such work finds.
#[derive(Debug)]
pub enum Found {
    /// What zfp makes of the original.
    Zfp(Result<Box<Made>>),
    /// Figures of a plane.
    Plane(Measured),
    /// A point of rate and distortion.
    Point(Point),
    /// There are no more of them; what was left out.
    Swept(Result<Option<String>>),
    /// Nothing came of it.
    Failed(String),
}

/// Starts such work.
#[derive(Clone)]
pub struct Aside {
    tell: Sender<News>,
    wake: Wake,
}

impl std::fmt::Debug for Aside {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Aside").finish_non_exhaustive()
    }
}

impl Aside {
    /// Work whose news go this way.
    pub fn new(tell: Sender<News>, wake: Wake) -> Aside {
        Aside { tell, wake }
    }

    /// Runs `work` on a thread of its own. What it tells is news, and so is its end.
    pub fn run(
        &self,
        work: impl FnOnce(&Arc<Progress>, &dyn Fn(Found)) + Send + 'static,
    ) -> Arc<Progress> {
        let progress = Progress::new();
        let end = End { way: self.clone(), progress: progress.clone() };
        let started = thread::Builder::new().name("aside".to_owned()).spawn(move || {
            work(&end.progress, &|found| end.tell(found));
        });
        if let Err(reason) = started {
            // The closure is gone, and with it the end was told; this says why.
            self.send(News::Found {
                progress: progress.clone(),
                found: Found::Failed(format!("no thread for it: {reason}")),
            });
        }
        progress
    }

    fn send(&self, news: News) {
        // Nobody listens when the window is closed.
        if self.tell.send(news).is_ok() {
            (self.wake)();
        }
    }
}

/// Tells the end of the work however it comes.
struct End {
    way: Aside,
    progress: Arc<Progress>,
}

impl End {
    fn tell(&self, found: Found) {
        self.way.send(News::Found { progress: self.progress.clone(), found });
    }
}

impl Drop for End {
    fn drop(&mut self) {
        self.way.send(News::Ended { progress: self.progress.clone() });
    }
}
