//! The threads that read, decode and measure, so that the window never waits.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Result;
use fsz::{Bound, Codec, CompressOptions, Profile, Progress};
use fsz_field::{Field, Hints, with_values};
use fsz_wgpu::Gpu;

use crate::model::catalog::Choice;
use crate::model::document::Document;
use crate::model::measured::Measured;
use crate::model::measures::{Measures, STEPS};
use crate::model::plane::Place;
use crate::model::set::{Role, Set};
use crate::model::wanted::Wanted;
use crate::work::apart::apart;
use crate::work::background::Background;
use crate::work::decoder::{Decoder, DecoderChoice};
use crate::work::event::{Event, Wake};
use crate::work::gpu_streams::GpuStreams;
use crate::work::open::opened;
use crate::work::planes_of::planes_of;
use crate::work::shaders::with_shaders;
use crate::work::steps_ahead::{Course, OpenedSteps, StepsAhead};
use crate::work::unless_cancelled::unless_cancelled;
use crate::work::volume::VolumeService;

/// Work that is done in the order in which it was given.
type Job = Box<dyn FnOnce(&Codec, &Arc<Progress>) -> Event + Send>;

/// Planes that are asked for.
struct PlanesOrder {
    set: Set,
    place: Place,
    generation: u64,
    hurries: bool,
    /// That of what is looked at.
    progress: Arc<Progress>,
}

/// What is looked at: the planes across an axis of a set. Whoever goes through them is shown those on the way; when it is
/// another set or axis, what is being decoded of this one is of no use any more.
#[derive(Debug)]
struct Sight {
    axis: usize,
    generation: u64,
    progress: Arc<Progress>,
}

/// The way to the threads.
#[derive(Debug)]
pub struct Service {
    /// There until the service ends.
    planes: Option<Sender<PlanesOrder>>,
    /// That of the last planes that were asked for.
    sight: Option<Sight>,
    /// The thread of the planes.
    decoding: Option<JoinHandle<()>>,
    jobs: Sender<(Job, Arc<Progress>)>,
    events: Receiver<Event>,
    /// The way to threads for single works.
    pub background: Background,
    /// The way to the thread that draws volumes.
    pub volumes: VolumeService,
    /// Steps of a series that are open.
    steps: OpenedSteps,
    /// The way to the thread that opens the next ones.
    ahead: StepsAhead,
}

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
        let (planes, plane_orders) = channel::<PlanesOrder>();
        let (jobs, job_orders) = channel::<(Job, Arc<Progress>)>();
        let (sender, events) = channel();
        let (planes_sender, wake_planes) = (sender.clone(), wake.clone());
        let background = Background::new(sender.clone(), wake.clone());
        fsz_field::outlive_shortened_files();
        let streams = GpuStreams::default();
        let (volume_sender, volume_wake) = (sender.clone(), wake.clone());
        let volumes = VolumeService::start(
            volume_sender,
            volume_wake,
            choice,
            window.clone(),
            streams.clone(),
        )?;
        let steps = OpenedSteps::default();
        let (ahead_window, ahead_streams) = (window.clone(), streams.clone());
        let ahead = StepsAhead::start(steps.clone(), move || {
            Decoder::open(choice, ahead_window.as_ref()).with_streams(ahead_streams)
        })?;
        let decoding = thread::Builder::new().name("planes".to_owned()).spawn(move || {
            let decoder = Decoder::open(choice, window.as_ref());
            let mut decoder = decoder.with_streams(streams).awaiting_shaders();
            let shaders = decoder.gpu_in_use().cloned();
            with_shaders(shaders.as_ref(), move || {
                while let Ok(mut order) = plane_orders.recv() {
                    // Only the newest is still looked at.
                    while let Ok(newer) = plane_orders.try_recv() {
                        order = newer;
                    }
                    let PlanesOrder { set, place, generation, hurries, progress } = order;
                    decoder.hurry(hurries);
                    let found = planes_of(&mut decoder, &set, place, &progress);
                    let planes = match unless_cancelled(&progress, found) {
                        // Others are asked for.
                        Ok(None) => continue,
                        Ok(Some(planes)) => Ok(Box::new(planes)),
                        Err(reason) => Err(reason),
                    };
                    if planes_sender.send(Event::Planes { place, generation, planes }).is_err() {
                        return;
                    }
                    wake_planes();
                    if !hurries {
                        let documents = [&set.original, &set.subject, &set.other];
                        decoder.bring_rest(documents.into_iter().flatten(), set.original.is_some());
                    }
                }
            });
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
        let (planes, decoding) = (Some(planes), Some(decoding));
        let sight = None;
        Ok(Service { planes, sight, decoding, jobs, events, background, volumes, steps, ahead })
    }

    /// Asks for planes; an order that is not begun is forgotten, and one of another axis or generation is cancelled. One
    /// that `hurries` waits for nothing that the processor has sooner.
    pub fn planes(&mut self, set: &Set, place: Place, generation: u64, hurries: bool) {
        let progress = self.progress_of(place.axis, generation);
        if let Some(planes) = &self.planes {
            let set = set.clone();
            // The receiver lives as long as the service, unless its thread died: then nothing comes back.
            let _ = planes.send(PlanesOrder { set, place, generation, hurries, progress });
        }
    }

    /// What cancels the planes of an axis and generation; it cancels those of another one.
    fn progress_of(&mut self, axis: usize, generation: u64) -> Arc<Progress> {
        if let Some(sight) = &self.sight {
            if (sight.axis, sight.generation) == (axis, generation) {
                return sight.progress.clone();
            }
            sight.progress.cancel();
        }
        let progress = Progress::new();
        self.sight = Some(Sight { axis, generation, progress: progress.clone() });
        progress
    }

    /// Opens a file; of one with several variables, the choice that is nearest to the one that is wanted, or else to what
    /// is `shown`.
    pub fn open(
        &self,
        path: PathBuf,
        hints: Hints,
        role: Role,
        wanted: Wanted,
        shown: Choice,
    ) -> Arc<Progress> {
        self.steps.forget(&path);
        self.order(move |_, progress| {
            let (file, choice) = (path.clone(), wanted.choice.clone().unwrap_or(shown));
            let found = apart(progress, move |p| opened(&file, &hints, &choice, p));
            Event::opened(path, role, found, wanted)
        })
    }

    /// Goes to a step of a series; of one that is open already nothing is read.
    pub fn step(&self, path: PathBuf, role: Role, choice: Choice) -> Arc<Progress> {
        let steps = self.steps.clone();
        self.order(move |_, progress| {
            let file = path.clone();
            let found = apart(progress, move |p| steps.open(&file, &choice, p));
            Event::opened(path, role, found, Wanted::default())
        })
    }

    /// Opens what comes next in a series.
    pub fn look_ahead(&self, course: Course) {
        self.ahead.follow(course);
    }

    /// Compresses an original in memory.
    pub fn compress(
        &self,
        original: Document,
        (profile, bound): (Profile, Bound),
        missing: Vec<f64>,
    ) -> Arc<Progress> {
        self.order(move |codec, progress| {
            let options = CompressOptions::new(bound).profile(profile);
            Event::Tried(compressed(codec, &original, options, &missing, progress).map(Box::new))
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
        self.sight.iter().for_each(|sight| sight.progress.cancel());
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
        Some(original.values(codec, progress).and_then(|a| {
            let b = document.values(codec, progress)?;
            let measures = Measures::of(&a, &b, set.common_limit(), missing, progress);
            a.check()?;
            b.check()?;
            measures.map(Box::new)
        }))
    };
    Measured { subject: of(&set.subject), other: of(&set.other) }
}

fn compressed(
    codec: &Codec,
    original: &Document,
    options: CompressOptions,
    missing: &[f64],
    progress: &Arc<Progress>,
) -> Result<Document> {
    let mut options = options.progress(progress.clone());
    for &value in missing {
        options = options.missing(value);
    }
    let field: Arc<Field> = original.values(codec, progress)?;
    let sides = field.shape().indices()?;
    let stream = with_values!(field.values(), values => {
        codec.compress_with(ndarray::ArrayViewD::from_shape(sides, values)?, &options)?
    });
    field.check()?;
    Document::from_stream(format!("{}, recompressed", original.title), &original.path, stream)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn set() -> Set {
        let values = ndarray::Array3::from_shape_fn((6, 20, 30), |(z, y, x)| (z + y * x) as f32);
        let stream = Codec::cpu().compress(values.view(), Bound::Absolute(0.1)).unwrap();
        let subject = Document::from_stream("made".into(), Path::new("made"), stream).unwrap();
        Set { subject: Some(subject), ..Set::default() }
    }

    fn service() -> Service {
        Service::start(Arc::new(|| ()), DecoderChoice::Cpu, None).unwrap()
    }

    #[test]
    fn planes_of_another_axis_or_set_are_cancelled() {
        let (mut service, set) = (service(), set());
        let mut ask = |axis, plane, generation| {
            service.planes(&set, Place { axis, plane }, generation, false);
            service.sight.as_ref().expect("it was asked for").progress.clone()
        };
        let is_wanted = |progress: &Progress| progress.check().is_ok();
        let first = ask(0, 1, 1);
        let (next, other_axis) = (ask(0, 2, 1), ask(1, 0, 1));
        assert!(Arc::ptr_eq(&first, &next), "those on the way are shown");
        assert!(!is_wanted(&first) && is_wanted(&other_axis));
        let other_set = ask(1, 0, 2);
        assert!(!is_wanted(&other_axis) && is_wanted(&other_set));
        drop(service);
        assert!(!is_wanted(&other_set), "nobody waits for it");
    }

    #[test]
    fn planes_that_were_cancelled_are_no_answer() {
        let (mut service, set) = (service(), set());
        let progress = Progress::new();
        progress.cancel();
        service.sight = Some(Sight { axis: 0, generation: 1, progress });
        service.planes(&set, Place { axis: 0, plane: 3 }, 1, false);
        let wanted = Place { axis: 1, plane: 4 };
        service.planes(&set, wanted, 1, false);
        let answer = service.wait(Duration::from_secs(60));
        let found =
            matches!(answer, Some(Event::Planes { place, planes: Ok(_), .. }) if place == wanted);
        assert!(found, "{answer:?}");
    }
}
