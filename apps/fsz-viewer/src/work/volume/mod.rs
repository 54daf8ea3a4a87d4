//! The thread that brings fields to the GPU as volumes and draws them.

pub mod load;

use std::collections::VecDeque;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result};
use fsz_wgpu::{Gpu, Sampling, Volume};

use crate::model::volume::order::{VolumeNote, VolumeOrder, VolumePicture};
use crate::model::volume::plan::{self, Budget};
use crate::work::decoder::{Decoder, DecoderChoice};
use crate::work::event::{Event, Wake};
use crate::work::gpu_streams::GpuStreams;

/// Bytes of the voxels of a field on a GPU of its own: those of 512³ elements.
const BYTES: u64 = 512 << 20;

/// The same where the processor draws.
const SOFTWARE_BYTES: u64 = 32 << 20;

/// Elements of a slab.
const SLAB: u64 = 1 << 24;

/// What is asked of the thread.
#[derive(Debug)]
enum Ask {
    Draw(Box<VolumeOrder>),
    /// What is seen at a point of the picture, its coordinates from −1 to 1.
    Pick(Box<VolumeOrder>, [f32; 2]),
    /// Nothing is looked at any more.
    Clear,
}

/// The way to the thread.
#[derive(Debug)]
pub struct VolumeService {
    /// There until the service ends.
    asks: Option<Sender<Ask>>,
    drawing: Option<JoinHandle<()>>,
}

impl VolumeService {
    /// Starts the thread; it ends with the service.
    ///
    /// # Errors
    /// When the system gives no thread.
    pub fn start(
        events: Sender<Event>,
        wake: Wake,
        choice: DecoderChoice,
        window: Option<Gpu>,
        streams: GpuStreams,
    ) -> std::io::Result<VolumeService> {
        let (asks, asked) = channel();
        let drawing = thread::Builder::new().name("volume".to_owned()).spawn(move || {
            let tell = move |event| {
                let heard = events.send(event).is_ok();
                wake();
                heard
            };
            // Nothing is opened for a volume that nobody looks at.
            let Ok(first) = asked.recv() else { return };
            let decoder = Decoder::open(choice, window.as_ref()).with_streams(streams.clone());
            let held = Vec::new();
            let next = VecDeque::from([first]);
            let drawer = Drawer { decoder, streams, asked, next, held, room: None };
            drawer.run(tell);
        })?;
        Ok(VolumeService { asks: Some(asks), drawing: Some(drawing) })
    }

    /// Asks for a picture; an order that is not begun is forgotten.
    pub fn draw(&self, order: VolumeOrder) {
        self.ask(Ask::Draw(Box::new(order)));
    }

    /// Asks what is seen at a point of a picture.
    pub fn pick(&self, order: VolumeOrder, at: [f32; 2]) {
        self.ask(Ask::Pick(Box::new(order), at));
    }

    /// Takes the volumes off the GPU.
    pub fn clear(&self) {
        self.ask(Ask::Clear);
    }

    fn ask(&self, ask: Ask) {
        if let Some(asks) = &self.asks {
            // The receiver lives as long as the service, unless its thread died: then nothing comes back.
            let _ = asks.send(ask);
        }
    }
}

impl Drop for VolumeService {
    /// A process may not end while a thread is within the driver of a GPU.
    fn drop(&mut self) {
        self.asks = None;
        if let Some(drawing) = self.drawing.take() {
            // A thread that died holds no GPU any more.
            let _ = drawing.join();
        }
    }
}

/// A volume, and the order that it was brought for.
struct Held {
    order: VolumeOrder,
    volume: Volume,
}

struct Drawer {
    decoder: Decoder,
    streams: GpuStreams,
    asked: Receiver<Ask>,
    /// What was heard and is to be answered.
    next: VecDeque<Ask>,
    /// The whole field, and behind it the part in the clip box where that is finer.
    held: Vec<Held>,
    /// What there is room for, where that is not for the GPU to say.
    room: Option<Budget>,
}

impl Drawer {
    fn run(mut self, tell: impl Fn(Event) -> bool) {
        while let Some(ask) = self.newest() {
            let heard = match ask {
                Ask::Draw(order) => match self.draw(&order, &tell) {
                    Ok(heard) => heard,
                    Err(reason) => {
                        // The next may be smaller.
                        self.held.clear();
                        let number = order.number;
                        tell(Event::Volume { number, picture: Err(reason), last: true })
                    }
                },
                Ask::Clear => {
                    self.held.clear();
                    true
                }
                Ask::Pick(order, at) => {
                    let hit = self.pick(&order, at);
                    tell(Event::Picked { generation: order.generation, hit })
                }
            };
            if !heard {
                return;
            }
        }
    }

    /// What is to be answered next: of orders the newest; none at the end.
    fn newest(&mut self) -> Option<Ask> {
        if self.next.is_empty() {
            self.next.push_back(self.asked.recv().ok()?);
        }
        Drawer::listen(&self.asked, &mut self.next);
        self.next.pop_front()
    }

    /// Hears what was asked meanwhile. An order is forgotten for a newer one; whoever asks what is seen waits for an answer.
    fn listen(asked: &Receiver<Ask>, next: &mut VecDeque<Ask>) {
        while let Ok(ask) = asked.try_recv() {
            if !matches!(ask, Ask::Pick(..)) {
                next.retain(|known| matches!(known, Ask::Pick(..)));
            }
            next.push_back(ask);
        }
    }

    /// Whether other values are asked for meanwhile.
    fn is_obsolete(asked: &Receiver<Ask>, next: &mut VecDeque<Ask>, order: &VolumeOrder) -> bool {
        Drawer::listen(asked, next);
        next.iter().any(|ask| match ask {
            Ask::Draw(newer) | Ask::Pick(newer, _) => !newer.has_same_values(order),
            Ask::Clear => true,
        })
    }

    fn gpu(&self) -> Result<Gpu> {
        Ok(match self.decoder.gpu().or(self.decoder.painter()) {
            Some(gpu) => gpu.clone(),
            None => Gpu::headless()?,
        })
    }

    /// Draws what is there; where that is coarser than what could be there, and nothing moves, that too.
    fn draw(&mut self, order: &VolumeOrder, tell: &impl Fn(Event) -> bool) -> Result<bool> {
        let gpu = self.gpu()?;
        gpu.check_volumes()?;
        let leader = order.set.leader().context("no field is open")?;
        let (sides, budget) = (leader.grid.sides(), self.room.unwrap_or_else(|| budget(&gpu)));
        if self.held.first().is_none_or(|held| !held.order.has_same_values(order)) {
            self.held.clear();
            let whole = plan::plan(sides, &Default::default(), budget, order.points);
            if !self.bring(&gpu, order, whole, budget)? {
                return Ok(true);
            }
        }
        let finer = self.finer(order, sides, budget);
        let last = order.moving || finer.is_none();
        if !self.show(&gpu, order, sides, last, tell)? {
            return Ok(false);
        }
        if last {
            return Ok(true);
        }
        if let Some(finer) = finer {
            self.held.truncate(1);
            if finer.start == [0; 3] && finer.count == sides {
                self.held.clear();
            }
            if !self.bring(&gpu, order, finer, budget)? {
                return Ok(true);
            }
        }
        self.show(&gpu, order, sides, true, tell)
    }

    /// What shows the clip box finer than what is there.
    fn finer(&self, order: &VolumeOrder, sides: [u64; 3], budget: Budget) -> Option<Sampling> {
        let wanted = plan::plan(sides, &order.clip, budget, order.points);
        let best = self.best(order, sides)?;
        plan::is_finer(&wanted, best.volume.sampling()).then_some(wanted)
    }

    /// The finest that there is of all that is in the clip box.
    fn best(&self, order: &VolumeOrder, sides: [u64; 3]) -> Option<&Held> {
        let covers = |held: &&Held| plan::covers(held.volume.sampling(), sides, &order.clip);
        self.held.iter().rev().find(covers)
    }

    /// Brings a part of the field to the GPU; false when it is of no use any more.
    fn bring(
        &mut self,
        gpu: &Gpu,
        order: &VolumeOrder,
        sampling: Sampling,
        budget: Budget,
    ) -> Result<bool> {
        let (asked, next) = (&self.asked, &mut self.next);
        let obsolete = || Drawer::is_obsolete(asked, next, order);
        let loader = load::Loader { decoder: &self.decoder, streams: &self.streams, gpu, budget };
        let volume = loader.volume(
            &order.set,
            (order.source, order.unit),
            sampling,
            order.look.mode,
            obsolete,
        )?;
        Ok(match volume {
            Some(volume) => {
                self.held.push(Held { order: order.clone(), volume });
                true
            }
            None => false,
        })
    }

    fn show(
        &self,
        gpu: &Gpu,
        order: &VolumeOrder,
        sides: [u64; 3],
        last: bool,
        tell: &impl Fn(Event) -> bool,
    ) -> Result<bool> {
        let held = self.best(order, sides).context("nothing of the field is there")?;
        let longest = held.volume.sampling().size().into_iter().max().unwrap_or(1);
        let coarser = if gpu.is_software() { order.for_processor(longest) } else { 1 };
        let picture = held.volume.draw(&order.coarser(coarser), &order.colours)?;
        let picture = match self.decoder.paints() {
            true => VolumePicture::Gpu(picture),
            false => {
                let size = [picture.width() as usize, picture.height() as usize];
                VolumePicture::Host(size, picture.read_back()?)
            }
        };
        let note = VolumeNote { stride: held.volume.sampling().stride };
        let picture = Ok((picture, note));
        Ok(tell(Event::Volume { number: order.number, picture, last }))
    }

    /// The element that is seen at a point, slowest axis first.
    fn pick(&self, order: &VolumeOrder, at: [f32; 2]) -> Result<Option<[u64; 3]>> {
        let sides = order.set.leader().map_or([0; 3], |leader| leader.grid.sides());
        let same = |held: &&Held| held.order.has_same_values(order);
        let Some(held) = self.best(order, sides).filter(same) else { return Ok(None) };
        let hit = held.volume.pick(&order.look, &order.colours, at)?;
        Ok(hit.map(|hit| hit.index))
    }
}

/// What there is room for on a GPU.
pub fn budget(gpu: &Gpu) -> Budget {
    let bytes = if gpu.is_software() { SOFTWARE_BYTES } else { BYTES };
    Budget { bytes, longest: Volume::longest(gpu).into(), slab: SLAB }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::path::Path;

    use fsz::{Bound, Codec, CompressOptions, Dense, Profile};
    use fsz_wgpu::{Look, Mode, VolumeColours};
    use ndarray::ArrayView;

    use super::*;
    use crate::model::document::Document;
    use crate::model::set::Set;
    use crate::model::volume::clip_box::ClipBox;
    use crate::model::volume::extent;
    use crate::model::volume::orbit::Orbit;
    use crate::model::volume::unit::{in_unit, unit};
    use crate::model::volume::volume_view::VolumeSource;

    const SHAPE: [usize; 4] = [2, 10, 24, 40];

    fn drawer(choice: DecoderChoice) -> (Sender<Ask>, Drawer) {
        let (asks, asked) = channel();
        let streams = GpuStreams::default();
        let decoder = Decoder::open(choice, None).with_streams(streams.clone());
        // Others make these while the viewer runs. Without them the processor would decode all of it.
        for profile in [Profile::default(), Profile::Dense(Dense::new())] {
            decoder.gpu().into_iter().for_each(|gpu| gpu.prepare_slices(&profile));
        }
        (
            asks,
            Drawer { decoder, streams, asked, next: VecDeque::new(), held: Vec::new(), room: None },
        )
    }

    fn value(i: usize) -> f32 {
        if i % 500 == 3 { f32::NAN } else { (i as f32 * 0.01).sin() * 9.0 }
    }

    /// A field, compressed by a profile, with its original.
    fn set(shape: &[usize], profile: Profile) -> Set {
        set_of(shape, profile, value)
    }

    /// The same of a field with other values, by their places in C order.
    pub(super) fn set_of(shape: &[usize], profile: Profile, value: fn(usize) -> f32) -> Set {
        let values: Vec<f32> = (0..shape.iter().product()).map(value).collect();
        let view = ArrayView::from_shape(shape, &values).unwrap();
        let options = CompressOptions::new(Bound::Absolute(1e-2)).profile(profile);
        let stream = Codec::cpu().compress_with(view, &options).unwrap();
        let shape: Vec<u64> = shape.iter().map(|&n| n as u64).collect();
        let field = fsz_field::Field::new(fsz_field::Shape::new(&shape).unwrap(), values).unwrap();
        let path = Path::new("made");
        Set {
            original: Some(Document::of_values("made".into(), path, field)),
            subject: Some(Document::from_stream("made".into(), path, stream).unwrap()),
            other: None,
        }
    }

    fn order(set: &Set, source: VolumeSource, clip: ClipBox) -> VolumeOrder {
        let sides = set.leader().unwrap().grid.sides();
        VolumeOrder {
            number: 1,
            set: set.clone(),
            generation: 1,
            source,
            unit: 1.0,
            clip,
            points: 1024,
            look: Look {
                size: [40, 30],
                rays: Orbit::default().rays(4.0 / 3.0),
                extent: extent(sides),
                sides,
                clip: clip.into(),
                step: 0.5,
                mode: Mode::Mip,
                section: None,
            },
            colours: VolumeColours {
                map: std::array::from_fn(|i| 0xff00_0000 | i as u32),
                opacity: [0.5; 256],
                range: (source != VolumeSource::Kinds).then_some((-9.0, 9.0, false)),
            },
            moving: false,
        }
    }

    /// What is told of an order: the points of each picture, and its stride.
    fn pictures(drawer: &mut Drawer, order: &VolumeOrder) -> Vec<(Vec<u32>, [u64; 3], bool)> {
        let told = RefCell::new(Vec::new());
        let tell = |event| {
            let Event::Volume { picture, last, .. } = event else { panic!("{event:?}") };
            let (picture, note) = picture.unwrap();
            let points = match picture {
                VolumePicture::Gpu(picture) => picture.read_back().unwrap(),
                VolumePicture::Host(_, points) => points,
            };
            told.borrow_mut().push((points, note.stride, last));
            true
        };
        assert!(drawer.draw(order, &tell).unwrap());
        told.into_inner()
    }

    pub(super) fn has_volumes() -> bool {
        let found = Gpu::headless().and_then(|gpu| gpu.check_volumes());
        if let Err(reason) = &found {
            eprintln!("SKIPPED: volumes of documents: {reason}");
        }
        found.is_ok()
    }

    /// Single precision has not numbers so large or so small.
    #[test]
    fn doubles_of_any_range_are_seen() {
        if !has_volumes() {
            return;
        }
        let sides = [10, 24, 40];
        let seen = |factor: f64| {
            let values: Vec<f64> = (0..9600).map(|i| f64::from(value(i)) * factor).collect();
            let field = fsz_field::Field::new(fsz_field::Shape::new(&sides).unwrap(), values);
            let document = Document::of_values("made".into(), Path::new("made"), field.unwrap());
            let set = Set { original: Some(document), ..Set::default() };
            let mut order = order(&set, VolumeSource::Original, ClipBox::default());
            order.unit = unit(fsz::DType::F64, -9.0 * factor, 9.0 * factor);
            let [low, high] = [-9.0, 9.0].map(|end| in_unit(end * factor, order.unit));
            order.colours.range = Some((low, high, false));
            pictures(&mut drawer(DecoderChoice::Cpu).1, &order)
        };
        let expected = seen(1.0);
        assert!(expected[0].0.iter().any(|point| point >> 24 == 0xff));
        assert!([960, -1024 + 64].iter().all(|&e| seen(2f64.powi(e)) == expected));
    }

    /// What the GPU decodes of a stream is what is brought there.
    #[test]
    fn volumes_decoded_on_the_gpu_are_those_of_the_processor() {
        if !has_volumes() {
            return;
        }
        for profile in [Profile::default(), Profile::Dense(Dense::new())] {
            let set = set(&SHAPE, profile);
            let clip = ClipBox::from([[0.1, 0.8], [0.2, 0.9], [0.0, 0.7]]);
            for source in VolumeSource::ALL {
                let order = order(&set, source, clip);
                let of = |choice| pictures(&mut drawer(choice).1, &order);
                let (on_gpu, on_cpu) = (of(DecoderChoice::Gpu), of(DecoderChoice::Cpu));
                let seen = on_gpu[0].0.iter().filter(|&&point| point != 0).count();
                assert!(seen > 100, "{source:?}: {seen}");
                assert_eq!(on_gpu, on_cpu, "{source:?} of {profile:?}");
                assert_eq!(on_gpu.len(), 1, "it is fine at once");
            }
        }
    }

    #[test]
    fn a_large_field_is_coarse_and_sharp_in_the_clip_box() {
        if !has_volumes() {
            return;
        }
        let set = set(&[32, 40, 48], Profile::default());
        let (_asks, mut drawer) = drawer(DecoderChoice::Gpu);
        drawer.room = Some(Budget { bytes: 4 * 8192, longest: 2048, slab: 8 * 20 * 48 });
        let whole = order(&set, VolumeSource::Reconstruction, ClipBox::default());
        let found = pictures(&mut drawer, &whole);
        let coarse = found[0].1;
        assert!(found.len() == 1 && found[0].2 && coarse.iter().all(|&n| n > 1), "{coarse:?}");
        let clip = ClipBox::from([[0.25, 0.5], [0.5, 0.75], [0.25, 0.5]]);
        let part = order(&set, VolumeSource::Reconstruction, clip);
        let moving = VolumeOrder { moving: true, ..part.clone() };
        let found = pictures(&mut drawer, &moving);
        assert_eq!(found.iter().map(|p| (p.1, p.2)).collect::<Vec<_>>(), [(coarse, true)]);
        let found = pictures(&mut drawer, &part);
        let told: Vec<_> = found.iter().map(|p| (p.1, p.2)).collect();
        assert_eq!(told, [(coarse, false), ([1; 3], true)]);
        assert_ne!(found[0].0, found[1].0);
        // What is there is not brought again, and the whole field is still there.
        assert_eq!(pictures(&mut drawer, &part).len(), 1);
        assert_eq!(pictures(&mut drawer, &whole)[0].1, coarse);
        assert_eq!(drawer.held.len(), 2);
    }

    #[test]
    fn only_the_newest_order_is_drawn() {
        let (asks, mut drawer) = drawer(DecoderChoice::Cpu);
        let set = set(&[3, 4, 5], Profile::default());
        let order = |number| VolumeOrder {
            number,
            ..order(&set, VolumeSource::Reconstruction, ClipBox::default())
        };
        for number in 1..4 {
            asks.send(Ask::Draw(Box::new(order(number)))).unwrap();
        }
        asks.send(Ask::Pick(Box::new(order(3)), [0.0; 2])).unwrap();
        asks.send(Ask::Draw(Box::new(order(5)))).unwrap();
        drop(asks);
        assert!(matches!(drawer.newest(), Some(Ask::Pick(..))), "a question is not forgotten");
        assert!(matches!(drawer.newest(), Some(Ask::Draw(order)) if order.number == 5));
        assert!(drawer.newest().is_none());
    }

    /// Whoever asks waits for an answer.
    #[test]
    fn orders_and_questions_are_answered_in_their_order() {
        let (asks, mut drawer) = drawer(DecoderChoice::Cpu);
        let set = set(&[3, 4, 5], Profile::default());
        let order = |number, generation| {
            let clip = ClipBox::default();
            let order = order(&set, VolumeSource::Reconstruction, clip);
            std::boxed::Box::new(VolumeOrder { number, generation, ..order })
        };
        for ask in [
            Ask::Draw(order(1, 1)),
            Ask::Draw(order(2, 1)),
            Ask::Pick(order(2, 1), [0.0; 2]),
            Ask::Pick(order(2, 1), [0.5; 2]),
        ] {
            asks.send(ask).unwrap();
        }
        assert!(matches!(drawer.newest(), Some(Ask::Draw(order)) if order.number == 2));
        // While that is drawn, another field is opened.
        let drawn = order(2, 1);
        assert!(!Drawer::is_obsolete(&drawer.asked, &mut drawer.next, &drawn));
        asks.send(Ask::Draw(order(3, 2))).unwrap();
        assert!(Drawer::is_obsolete(&drawer.asked, &mut drawer.next, &drawn));
        for at in [0.0, 0.5] {
            assert!(matches!(drawer.newest(), Some(Ask::Pick(_, [a, _])) if a == at));
        }
        assert!(matches!(drawer.newest(), Some(Ask::Draw(order)) if order.number == 3));
        asks.send(Ask::Draw(order(4, 2))).unwrap();
        asks.send(Ask::Clear).unwrap();
        assert!(matches!(drawer.newest(), Some(Ask::Clear)), "nobody looks at it any more");
    }
}
