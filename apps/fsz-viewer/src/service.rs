//! The threads that read, decode and measure, so that the window never waits.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Result;
use fsz::{Bound, Codec, CompressOptions, DType, Progress};
use fsz_field::{Field, Hints, with_values};
use fsz_metrics::Limit;
use fsz_wgpu::Gpu;

use crate::app::Measured;
use crate::background::{Background, Found};
use crate::catalog::{Catalog, Choice};
use crate::decoder::{Decoder, DecoderChoice};
use crate::document::Document;
use crate::grid::PlaneSize;
use crate::measures::{Measures, STEPS};
use crate::pane_kind::PaneKind;
use crate::plane::{Place, Plane};

/// What a field is here for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A compressed field, or whatever is opened first.
    Subject,
    /// The original of the subject.
    Original,
    /// Another reconstruction of the original.
    Other,
}

/// The fields that are looked at together.
#[derive(Clone, Debug, Default)]
pub struct Set {
    /// Before compression.
    pub original: Option<Document>,
    /// The reconstruction.
    pub subject: Option<Document>,
    /// Another reconstruction.
    pub other: Option<Document>,
}

impl Set {
    /// The field that decides on shape and planes.
    pub fn leader(&self) -> Option<&Document> {
        self.subject.as_ref().or(self.original.as_ref())
    }

    /// What each value of the subject keeps.
    pub fn limit(&self) -> Option<Limit> {
        let facts = self.subject.as_ref()?.facts.as_ref();
        match facts.map(|facts| facts.header.bound) {
            Some(Bound::Relative { eps, floor }) => Some(Limit { absolute: floor, relative: eps }),
            _ => self.bound().map(Limit::from),
        }
    }

    /// The absolute bound of the subject.
    pub fn bound(&self) -> Option<f64> {
        let subject = self.subject.as_ref()?;
        subject.facts.as_ref().map(|f| f.header.absolute_bound).or(subject.decoded_bound)
    }
}

/// Planes of the same place.
#[derive(Clone, Debug, Default)]
pub struct Planes {
    /// Where they are.
    pub place: Place,
    /// Of the original.
    pub original: Option<Plane>,
    /// Of the reconstruction.
    pub subject: Option<Plane>,
    /// Of the other reconstruction.
    pub other: Option<Plane>,
    /// Reconstruction − original.
    pub error: Option<Plane>,
    /// Other reconstruction − original.
    pub other_error: Option<Plane>,
    /// Time to read and decode them.
    pub took: Duration,
    /// What decoded them.
    pub decoder: String,
    /// What the user should know of it.
    pub note: Option<String>,
}

impl Planes {
    /// The plane of a pane.
    pub fn of(&self, kind: PaneKind) -> Option<&Plane> {
        match kind {
            PaneKind::Original => self.original.as_ref(),
            PaneKind::Reconstruction => self.subject.as_ref(),
            PaneKind::Error => self.error.as_ref(),
            PaneKind::Other => self.other.as_ref(),
            PaneKind::OtherError => self.other_error.as_ref(),
        }
    }

    /// Rows and columns of all of them.
    pub fn size(&self) -> PlaneSize {
        let first = PaneKind::ALL.into_iter().find_map(|kind| self.of(kind));
        first.map_or(PlaneSize::default(), |plane| plane.size)
    }
}

/// Work that is done in the order in which it was given.
type Job = Box<dyn FnOnce(&Codec, &Arc<Progress>) -> Event + Send>;

/// What the threads report.
#[derive(Debug)]
pub enum Event {
    /// A file was opened, or not.
    Opened {
        path: PathBuf,
        role: Role,
        document: Result<Box<Document>>,
        /// Of a file of several variables: what there is to choose, and what was chosen.
        catalog: Option<(Catalog, Choice)>,
    },
    /// The original was compressed in memory, or not.
    Tried(Result<Box<Document>>),
    /// Planes of a set.
    Planes { place: Place, generation: u64, planes: Result<Box<Planes>> },
    /// Figures of a set's whole fields: of the subject, and of the other reconstruction.
    Measured { generation: u64, measured: Measured },
    /// Background work has found something.
    Found { progress: Arc<Progress>, found: Found },
    /// Background work is over.
    Ended { progress: Arc<Progress> },
}

/// The way to the threads.
#[derive(Debug)]
pub struct Service {
    /// There until the service ends.
    planes: Option<Sender<(Set, Place, u64)>>,
    /// The thread of the planes.
    decoding: Option<JoinHandle<()>>,
    jobs: Sender<(Job, Arc<Progress>)>,
    events: Receiver<Event>,
    /// The way to threads for single works.
    pub background: Background,
}

/// Called when there is an event.
pub type Wake = Arc<dyn Fn() + Send + Sync>;

impl Service {
    /// Starts the threads; they end with the service. `window` is the GPU that draws the window.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub fn start(
        wake: Wake,
        choice: DecoderChoice,
        window: Option<Gpu>,
    ) -> std::io::Result<Service> {
        let (planes, plane_orders) = channel::<(Set, Place, u64)>();
        let (jobs, job_orders) = channel::<(Job, Arc<Progress>)>();
        let (sender, events) = channel();
        let (planes_sender, wake_planes) = (sender.clone(), wake.clone());
        let background = Background::new(sender.clone(), wake.clone());
        let decoding = thread::Builder::new().name("planes".to_owned()).spawn(move || {
            let mut decoder = Decoder::open(choice, window.as_ref());
            while let Ok(mut order) = plane_orders.recv() {
                // Only the newest is still looked at.
                while let Ok(newer) = plane_orders.try_recv() {
                    order = newer;
                }
                let (set, place, generation) = order;
                let planes = planes_of(&mut decoder, &set, place).map(Box::new);
                if planes_sender.send(Event::Planes { place, generation, planes }).is_err() {
                    return;
                }
                wake_planes();
            }
        })?;
        thread::Builder::new().name("files".to_owned()).spawn(move || {
            let codec = Codec::cpu();
            while let Ok((job, progress)) = job_orders.recv() {
                if sender.send(job(&codec, &progress)).is_err() {
                    return;
                }
                wake();
            }
        })?;
        Ok(Service { planes: Some(planes), decoding: Some(decoding), jobs, events, background })
    }

    /// Asks for planes; an order that is not begun is forgotten.
    pub fn planes(&self, set: &Set, place: Place, generation: u64) {
        if let Some(planes) = &self.planes {
            // The receiver lives as long as the service, unless its thread died: then nothing comes back.
            let _ = planes.send((set.clone(), place, generation));
        }
    }

    /// Opens a file; of one with several variables, the choice that is nearest to this one.
    pub fn open(&self, path: PathBuf, hints: Hints, role: Role, choice: Choice) -> Arc<Progress> {
        self.order(move |_, _| {
            let (document, catalog) = match opened(&path, &hints, &choice) {
                Ok((document, catalog)) => (Ok(Box::new(document)), catalog),
                Err(reason) => (Err(reason), None),
            };
            Event::Opened { path, role, document, catalog }
        })
    }

    /// Compresses an original in memory.
    pub fn compress(&self, original: Document, bound: Bound, missing: Vec<f64>) -> Arc<Progress> {
        self.order(move |codec, progress| {
            Event::Tried(compressed(codec, &original, bound, &missing, progress).map(Box::new))
        })
    }

    /// Measures whole fields.
    pub fn measure(&self, set: &Set, generation: u64) -> Arc<Progress> {
        let set = set.clone();
        self.order(move |codec, progress| Event::Measured {
            generation,
            measured: measured(codec, &set, progress),
        })
    }

    /// The next event, if there is one.
    pub fn next_event(&self) -> Option<Event> {
        self.events.try_recv().ok()
    }

    /// The next event, waited for; none when none comes for so long.
    pub fn wait(&self, longest: Duration) -> Option<Event> {
        self.events.recv_timeout(longest).ok()
    }

    fn order(
        &self,
        job: impl FnOnce(&Codec, &Arc<Progress>) -> Event + Send + 'static,
    ) -> Arc<Progress> {
        let progress = Progress::new();
        // As in `planes`.
        let _ = self.jobs.send((Box::new(job), progress.clone()));
        progress
    }
}

impl Drop for Service {
    /// A process may not end while a thread is within the driver of a GPU.
    fn drop(&mut self) {
        self.planes = None;
        if let Some(decoding) = self.decoding.take() {
            // A thread that died holds no GPU any more.
            let _ = decoding.join();
        }
    }
}

fn measured(codec: &Codec, set: &Set, progress: &Progress) -> Measured {
    progress.begin(STEPS * [&set.subject, &set.other].into_iter().flatten().count() as u64);
    let of = |document: &Option<Document>| {
        let (original, document) = (set.original.as_ref()?, document.as_ref()?);
        let missing = set.subject.as_ref().map_or(&[][..], |s| s.missing());
        Some(original.values(codec).and_then(|a| {
            let b = document.values(codec)?;
            Measures::of(&a, &b, set.limit(), missing, progress).map(Box::new)
        }))
    };
    Measured { subject: of(&set.subject), other: of(&set.other) }
}

fn opened(
    path: &Path,
    hints: &Hints,
    #[cfg_attr(not(feature = "adios2"), expect(unused_variables))] choice: &Choice,
) -> Result<(Document, Option<(Catalog, Choice)>)> {
    if !matches!(fsz_field::Kind::of(path), Ok(fsz_field::Kind::Bp)) {
        return Ok((Document::open(path, hints)?, None));
    }
    #[cfg(feature = "adios2")]
    {
        let catalog = crate::bp::catalog(path)?;
        let choice = catalog.nearest(choice);
        Ok((crate::bp::open(path, &choice)?, Some((catalog, choice))))
    }
    #[cfg(not(feature = "adios2"))]
    anyhow::bail!(
        "{}: this build cannot read ADIOS2 files; build the viewer with --features adios2",
        path.display()
    )
}

fn compressed(
    codec: &Codec,
    original: &Document,
    bound: Bound,
    missing: &[f64],
    progress: &Arc<Progress>,
) -> Result<Document> {
    let mut options = CompressOptions::new(bound).progress(progress.clone());
    for &value in missing {
        options = options.missing(value);
    }
    let field: Arc<Field> = original.values(codec)?;
    let sides = field.shape().indices()?;
    let stream = with_values!(field.values(), values => {
        codec.compress_with(ndarray::ArrayViewD::from_shape(sides, values)?, &options)?
    });
    Document::from_stream(format!("{}, recompressed", original.title), &original.path, stream)
}

/// The planes of a set at a place.
///
/// # Errors
/// When a stream is damaged there.
pub fn planes_of(decoder: &mut Decoder, set: &Set, place: Place) -> Result<Planes> {
    let start = Instant::now();
    // Errors are to be those of the values, not of their rounding.
    let exact = set.original.is_some();
    let mut plane = |document: &Option<Document>| {
        document.as_ref().map(|document| decoder.plane(document, place, exact)).transpose()
    };
    let (mut original, mut subject) = (plane(&set.original)?, plane(&set.subject)?);
    let mut other = plane(&set.other)?;
    let took = start.elapsed();
    let mut error = difference(original.as_ref(), subject.as_ref());
    let mut other_error = difference(original.as_ref(), other.as_ref());
    for plane in [&mut original, &mut subject, &mut other].into_iter().flatten() {
        decoder.place(plane, None);
    }
    if set.leader().is_some_and(|document| document.dtype == DType::F64) {
        // Those of single precision are taken from the values where they are painted.
        for plane in [&mut error, &mut other_error].into_iter().flatten() {
            decoder.place(plane, set.bound());
        }
    }
    let (name, note) = (decoder.name(set.leader(), exact), decoder.note());
    Ok(Planes { place, original, subject, other, error, other_error, took, decoder: name, note })
}

/// Reconstruction − original. Values that are kept bit for bit have no error, NaN among them.
fn difference(original: Option<&Plane>, reconstructed: Option<&Plane>) -> Option<Plane> {
    let (a, b) = (original?, reconstructed?);
    let minus = |(a, b): (&f64, &f64)| if a.to_bits() == b.to_bits() { 0.0 } else { b - a };
    let values = a.values.iter().zip(&b.values).map(minus).collect();
    (a.size == b.size).then(|| Plane::new(a.size, values))
}
