//! The steps of a series that come next, opened and brought to the GPU before they are asked for.

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use anyhow::Result;
use fsz::Progress;
use fsz_field::Hints;

use crate::model::catalog::{Catalog, Choice};
use crate::model::document::Document;
use crate::work::decoder::Decoder;
use crate::work::open::opened;

/// Steps that are opened before they are asked for, and as many behind that stay: for a direction that turns.
const AHEAD: u64 = 8;

/// The most bytes of them, half of these ahead. The next one is opened however large it is.
const BYTES: u64 = 1 << 30;

/// What is opened: a document, and what there is to choose in its file.
type Opened = (Document, Option<(Catalog, Choice)>);

/// Where a series is, and where it goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// Its file or folder.
    pub path: PathBuf,
    /// The step that is shown.
    pub choice: Choice,
    /// How many there are.
    pub steps: u64,
    /// The step before is the next.
    pub backwards: bool,
}

impl Course {
    /// The step that comes so many after this one; behind the last is the first.
    fn after(&self, count: u64) -> Choice {
        let count = count % self.steps.max(1);
        let by = if self.backwards { self.steps - count } else { count };
        let step = (self.choice.step + by) % self.steps.max(1);
        Choice { step, variable: self.choice.variable.clone() }
    }

    /// How far a step is from the one that is shown, in either direction.
    fn distance(&self, step: u64) -> u64 {
        let by = step.abs_diff(self.choice.step);
        by.min(self.steps.saturating_sub(by))
    }
}

/// Steps that were opened. Cheap to clone: all clones are the same.
#[derive(Clone, Debug, Default)]
pub struct OpenedSteps {
    known: Arc<Mutex<Vec<(PathBuf, Choice, Opened)>>>,
}

impl OpenedSteps {
    fn locked(&self) -> MutexGuard<'_, Vec<(PathBuf, Choice, Opened)>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A step, opened unless it is.
    ///
    /// # Errors
    /// When it cannot be read, or `progress` is cancelled.
    pub fn open(&self, path: &Path, choice: &Choice, progress: &Progress) -> Result<Opened> {
        let known = self.locked().iter().find(|k| (&*k.0, &k.1) == (path, choice)).cloned();
        match known {
            Some((_, _, opened)) => Ok(opened),
            None => {
                let opened = opened(path, &Hints::default(), choice, progress)?;
                let entry = (path.to_owned(), choice.clone(), opened.clone());
                let mut known = self.locked();
                known.retain(|k| (&*k.0, &k.1) != (path, choice));
                known.push(entry);
                Ok(opened)
            }
        }
    }

    /// Forgets the steps of a file: it may be another one by now.
    pub fn forget(&self, path: &Path) {
        self.locked().retain(|known| known.0 != path);
    }

    /// Forgets what is far from a course.
    fn keep_near(&self, course: &Course) {
        let mut known = self.locked();
        let near = |path: &Path, choice: &Choice| {
            path == course.path
                && choice.variable == course.choice.variable
                && course.distance(choice.step) <= AHEAD
        };
        // Subject and original are two files of one course each.
        known.retain(|(path, choice, _)| path != &course.path || near(path, choice));
        let size = |document: &Document| {
            document.compressed_bytes().unwrap_or_else(|| document.raw_bytes())
        };
        let mut bytes: u64 = known.iter().map(|(_, _, (document, _))| size(document)).sum();
        while bytes > BYTES && known.len() > 2 {
            let distance =
                |(_, choice, _): &(PathBuf, Choice, Opened)| course.distance(choice.step);
            let furthest = (0..known.len()).max_by_key(|&at| distance(&known[at])).unwrap_or(0);
            bytes -= size(&known.remove(furthest).2.0);
        }
    }

    /// The steps that are open.
    #[cfg(test)]
    fn steps(&self) -> Vec<u64> {
        let mut steps: Vec<u64> = self.locked().iter().map(|known| known.1.step).collect();
        steps.sort_unstable();
        steps
    }
}

/// The way to the thread that opens them.
#[derive(Debug)]
pub struct StepsAhead {
    courses: Option<Sender<Course>>,
    opening: Option<JoinHandle<()>>,
}

impl StepsAhead {
    /// Starts the thread. `decoder` says on which GPU streams are decoded.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(
        steps: OpenedSteps,
        decoder: impl FnOnce() -> Decoder + Send + 'static,
    ) -> std::io::Result<StepsAhead> {
        let (courses, asked) = channel();
        let opening = thread::Builder::new().name("steps ahead".to_owned()).spawn(move || {
            let Ok(first) = asked.recv() else { return };
            let decoder = decoder();
            let mut course = Some(first);
            while let Some(now) = course.take().or_else(|| asked.recv().ok()) {
                course = go(&steps, &decoder, &asked, now);
            }
        })?;
        Ok(StepsAhead { courses: Some(courses), opening: Some(opening) })
    }

    /// Opens what comes next on a course.
    pub fn follow(&self, course: Course) {
        if let Some(courses) = &self.courses {
            // The receiver lives as long as this, unless its thread died: then nothing is opened ahead.
            let _ = courses.send(course);
        }
    }
}

impl Drop for StepsAhead {
    /// A process may not end while a thread is within the driver of a GPU.
    fn drop(&mut self) {
        self.courses = None;
        if let Some(opening) = self.opening.take() {
            // A thread that died holds no GPU any more.
            let _ = opening.join();
        }
    }
}

/// Opens what comes next, until another course is asked for.
fn go(
    steps: &OpenedSteps,
    decoder: &Decoder,
    asked: &Receiver<Course>,
    mut course: Course,
) -> Option<Course> {
    // Nobody cancels it: a newer course is heard between two steps.
    let progress = Progress::new();
    let mut bytes = 0;
    let mut count = 0;
    while count <= AHEAD.min(course.steps.saturating_sub(1)) {
        match asked.try_recv() {
            Ok(newer) => {
                (course, count, bytes) = (newer, 0, 0);
                continue;
            }
            Err(TryRecvError::Disconnected) => return None,
            Err(TryRecvError::Empty) => {}
        }
        steps.keep_near(&course);
        // What cannot be read is told of when it is asked for.
        if let Ok((document, _)) = steps.open(&course.path, &course.after(count), &progress) {
            decoder.prepare(&document);
            bytes += document.compressed_bytes().unwrap_or_else(|| document.raw_bytes());
        }
        if count > 0 && bytes > BYTES / 2 {
            break;
        }
        count += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use fsz::{Bound, Codec};
    use ndarray::Array3;

    fn course(folder: &Path, step: u64, backwards: bool) -> Course {
        let variable = folder.file_name().unwrap().to_string_lossy().into_owned();
        Course { path: folder.to_owned(), choice: Choice { variable, step }, steps: 30, backwards }
    }

    #[test]
    fn steps_come_after_each_other_in_a_circle() {
        let course = course(Path::new("/steps"), 28, false);
        let steps = |course: &Course| [0, 1, 2, 31].map(|count| course.after(count).step);
        assert_eq!(steps(&course), [28, 29, 0, 29]);
        assert_eq!(steps(&Course { backwards: true, ..course.clone() }), [28, 27, 26, 27]);
        assert_eq!([28, 3, 13].map(|step| course.distance(step)), [0, 5, 15]);
    }

    #[test]
    fn the_next_steps_are_opened_and_those_behind_stay() {
        let folder = tempfile::TempDir::new().unwrap();
        for step in 0..30 {
            let values = Array3::from_shape_fn((2, 3, 4), |(z, y, x)| (step + z + y + x) as f32);
            let stream = Codec::cpu().compress(values.view(), Bound::Absolute(0.1)).unwrap();
            std::fs::write(folder.path().join(format!("{step}.fsz")), stream.as_bytes()).unwrap();
        }
        let (steps, decoder) = (OpenedSteps::default(), Decoder::cpu());
        let (_courses, asked) = channel();
        assert_eq!(go(&steps, &decoder, &asked, course(folder.path(), 5, false)), None);
        assert_eq!(steps.steps(), (5..=13).collect::<Vec<_>>());
        assert_eq!(go(&steps, &decoder, &asked, course(folder.path(), 13, false)), None);
        assert_eq!(steps.steps(), (5..=21).collect::<Vec<_>>());
        assert_eq!(go(&steps, &decoder, &asked, course(folder.path(), 10, true)), None);
        assert_eq!(steps.steps(), (2..=18).collect::<Vec<_>>());
        // The same document as before, which is on the GPU by its facts.
        let choice = course(folder.path(), 9, false).choice;
        let progress = Progress::new();
        let again = |_| steps.open(folder.path(), &choice, &progress).unwrap().0.facts.unwrap();
        let [a, b] = [0, 1].map(again);
        assert!(Arc::ptr_eq(&a, &b));
        steps.forget(folder.path());
        assert_eq!(steps.steps(), [0; 0]);
        // A newer course is taken up at once.
        let (courses, asked) = channel();
        courses.send(course(folder.path(), 20, false)).unwrap();
        go(&steps, &decoder, &asked, course(folder.path(), 1, false));
        assert_eq!(steps.steps(), (20..=28).collect::<Vec<_>>());
    }
}
