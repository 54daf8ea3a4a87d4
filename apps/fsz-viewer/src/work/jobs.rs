//! What is under way, and the way to the threads that do it.

use std::sync::Arc;
use std::time::Duration;

use fsz::Progress;

use crate::model::plane::Place;
use crate::model::volume::order::VolumeOrder;
use crate::work::event::Event;
use crate::work::file_dialog::Dialogs;
use crate::work::live::LiveReader;
use crate::work::service::Service;

/// Long work that is under way.
#[derive(Debug)]
pub struct Work {
    /// What it is.
    pub name: String,
    /// How far it is, and the way to stop it.
    pub progress: Arc<Progress>,
    /// On a thread of its own; other work ends in the order in which it was given.
    pub background: bool,
}

/// The work that brings the figures of whole fields.
pub const MEASURING: &str = "Computing metrics";

/// The work that compresses the original in memory.
pub const COMPRESSING: &str = "Compressing";

/// The work that reads how the tiles of the subject are stored.
pub const READING_TILES: &str = "Reading tiles";

/// The work that reads the value under the pinned cursor in many steps.
pub const READING_SERIES: &str = "Reading the value at the cursor";

/// Place and generation of planes.
type Planes = (Place, u64);

/// What is under way.
#[derive(Debug)]
pub struct Jobs {
    /// The threads.
    pub service: Service,
    /// The system's dialogs for files.
    pub dialogs: Dialogs,
    /// The running simulation that is read.
    pub live: Option<LiveReader>,
    /// Long work.
    pub works: Vec<Work>,
    /// The planes that were asked for; none where they are to be asked for.
    pub requested: Option<Planes>,
    /// The last of them that were answered.
    pub answered: Option<Planes>,
    /// The plane that is being measured: one at a time, those passed meanwhile are left out.
    pub measuring: Option<(Arc<Progress>, Planes)>,
    /// The value under the pinned cursor is being read in these steps of a simulation.
    pub reading_series: Option<(Arc<Progress>, Vec<u64>)>,
    /// The picture of the volume that was asked for last.
    pub volume_ordered: Option<VolumeOrder>,
    /// The number of the last that has come.
    pub volume_answered: u64,
    /// How many were asked for.
    pub volume_orders: u64,
    /// How many points of the volume's picture are being looked up.
    pub picking: u64,
    /// The bound of *Recompress* moved while the last one was still being compressed.
    pub try_waits: bool,
}

impl Work {
    /// Whether the user wants it no more.
    pub fn is_cancelled(&self) -> bool {
        self.progress.check().is_err()
    }
}

impl Drop for Jobs {
    fn drop(&mut self) {
        if let Some(live) = &self.live {
            live.close();
        }
    }
}

impl Jobs {
    /// Nothing is under way.
    pub fn new(service: Service, dialogs: Dialogs) -> Jobs {
        Jobs {
            service,
            dialogs,
            live: None,
            works: Vec::new(),
            requested: None,
            answered: None,
            measuring: None,
            reading_series: None,
            volume_ordered: None,
            volume_answered: 0,
            volume_orders: 0,
            picking: 0,
            try_waits: false,
        }
    }

    /// Notes work that ends in the order in which it was given.
    pub fn add(&mut self, name: String, progress: Arc<Progress>) {
        self.works.push(Work { name, progress, background: false });
    }

    /// Notes work on a thread of its own.
    pub fn add_background(&mut self, name: String, progress: Arc<Progress>) {
        self.works.push(Work { name, progress, background: true });
    }

    /// The first of the works that are not in the background is over: it, where there is one.
    pub fn finished(&mut self) -> Option<Work> {
        let first = self.works.iter().position(|work| !work.background)?;
        Some(self.works.remove(first))
    }

    /// Work is over.
    pub fn ended(&mut self, progress: &Arc<Progress>) {
        self.works.retain(|work| !Arc::ptr_eq(&work.progress, progress));
    }

    /// Stops the works of a name.
    pub fn cancel(&self, name: &str) {
        self.works.iter().filter(|work| work.name == name).for_each(|work| work.progress.cancel());
    }

    /// Whether the original is being compressed.
    pub fn compressing(&self) -> bool {
        self.works.iter().any(|work| work.name == COMPRESSING)
    }

    /// Whether a file, a plane or a figure is still to come.
    pub fn reading(&self) -> bool {
        self.works.iter().any(|work| !work.background) || self.decoding()
    }

    /// Planes are to be asked for again, also those that were answered last.
    pub fn forget_planes(&mut self) {
        (self.requested, self.answered) = (None, None);
    }

    /// Whether planes are still to come.
    fn decoding(&self) -> bool {
        self.requested.is_some() && self.requested != self.answered
    }

    /// Whether an answer is still to come.
    pub fn busy(&self) -> bool {
        let answered = |order: &VolumeOrder| order.number == self.volume_answered;
        !self.works.is_empty()
            || self.decoding()
            || self.measuring.is_some()
            || self.reading_series.is_some()
            || !self.volume_ordered.as_ref().is_none_or(answered)
            || self.picking > 0
    }

    /// The next event, waited for; none when none comes for so long.
    pub fn wait(&self, longest: Duration) -> Option<Event> {
        self.service.wait(longest)
    }
}
