//! What decodes the planes that are looked at: the processor, any GPU that wgpu reaches, or a CUDA device.
//! Figures and the numbers under the cursor are the processor's always.

use std::sync::Arc;

use anyhow::{Result, bail};
use clap::ValueEnum;
use fsz::cuda::DeviceStream;
use fsz::{Backend, Codec, DType, Element};
use fsz_wgpu::{Gpu, GpuSlice, GpuStream, Runs};
use rayon::prelude::*;

use crate::model::boxes::{self, Box};
use crate::model::document::Document;
use crate::model::grid::Grid;
use crate::model::plane::{Place, Plane};
use crate::model::scale::suits_single;
use crate::model::stream_facts::StreamFacts;
use crate::work::gpu_streams::{CUDA_DEVICE, GpuStreams, is_of_device};
use crate::work::kept_streams::Part;

/// The decoder that is asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum DecoderChoice {
    /// A GPU, else CUDA, else the CPU.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// A GPU through Vulkan, Metal or DirectX 12.
    Gpu,
    /// An NVIDIA GPU through CUDA.
    Cuda,
}

/// A plane of up to so many values that CUDA decoded is painted by the processor, which has them: a GPU that changes from CUDA
/// to what draws the window takes longer than that.
const PAINTED_HERE: usize = 1 << 20;

/// Decodes planes.
#[derive(Debug)]
pub struct Decoder {
    codec: Codec,
    gpu: Option<Gpu>,
    /// Where planes are brought that no GPU decoded, so that pictures are painted there.
    painter: Option<Gpu>,
    /// Fields that lie on the GPU.
    streams: GpuStreams,
    /// Nothing is waited for that the processor has sooner.
    hurries: bool,
    /// Others make the shaders; until they are there the processor decodes.
    awaits_shaders: bool,
    /// That of which the last plane was decoded before all of it was on the GPU.
    part: Option<Arc<StreamFacts>>,
    /// What the user should know once.
    note: Option<String>,
}

impl Decoder {
    /// The processor.
    pub fn cpu() -> Decoder {
        let streams = GpuStreams::default();
        Decoder {
            codec: Codec::cpu(),
            gpu: None,
            painter: None,
            streams,
            hurries: false,
            awaits_shaders: false,
            part: None,
            note: None,
        }
    }

    /// The decoder that is wanted, or the processor with a note why. `window` is the GPU that draws the
    /// window: where it is taken, planes stay on it, to be painted.
    pub fn open(choice: DecoderChoice, window: Option<&Gpu>) -> Decoder {
        let painter = window.filter(|gpu| paints(choice, gpu)).cloned();
        Decoder { painter, ..Decoder::choose(choice, window) }
    }

    /// The same, with fields on the GPU that other threads use too.
    #[must_use]
    pub fn with_streams(self, streams: GpuStreams) -> Decoder {
        Decoder { streams, ..self }
    }

    /// The same where others make its shaders, as [`with_shaders`](crate::work::shaders::with_shaders) does. What needs
    /// those that are not there yet is left to the processor.
    #[must_use]
    pub fn awaiting_shaders(self) -> Decoder {
        Decoder { awaits_shaders: true, ..self }
    }

    /// Whether the shaders of slices are there, or are to be waited for.
    fn has_shaders(&self, gpu: &Gpu, document: Option<&Document>) -> bool {
        let profile = document.and_then(|d| d.facts.as_ref()).map(|facts| &facts.header.profile);
        !self.awaits_shaders || gpu.is_software() || gpu.is_prepared(profile)
    }

    /// While a series is played, the processor decodes what is still on its way to the GPU.
    pub fn hurry(&mut self, hurries: bool) {
        self.hurries = hurries;
    }

    /// Whether a document that the GPU decodes is decoded there now.
    fn is_there(&self, document: &Document) -> bool {
        let has = || match self.is_cuda() {
            true => self.streams.cuda.has(document),
            false => self.streams.wgpu.has(document),
        };
        self.may_use_gpu(document) && (!self.hurries || has() || self.is_part(document))
    }

    /// Whether the GPU's shaders for a document are there or waited for.
    fn may_use_gpu(&self, document: &Document) -> bool {
        self.gpu.as_ref().is_none_or(|gpu| self.has_shaders(gpu, Some(document)))
    }

    /// Whether the last plane was one of this document, of which just the part that it takes was brought to the GPU.
    fn is_part(&self, document: &Document) -> bool {
        let of = |known: &Arc<StreamFacts>| {
            document.facts.as_ref().is_some_and(|facts| Arc::ptr_eq(known, facts))
        };
        self.part.as_ref().is_some_and(of)
    }

    /// Whether CUDA decodes.
    fn is_cuda(&self) -> bool {
        self.codec.backend() == Backend::Cuda
    }

    /// The GPU that it decodes a document on; none where the processor or CUDA does it.
    pub fn gpu_of(&self, document: &Document, exact: bool) -> Option<&Gpu> {
        let takes = || suits(document, exact) && !self.streams.wgpu.leaves_out(document);
        self.gpu.as_ref().filter(|_| takes())
    }

    /// Whether CUDA decodes a document.
    fn is_cuda_of(&self, document: &Document) -> bool {
        self.is_cuda() && document.facts.is_some() && !self.streams.cuda.leaves_out(document)
    }

    /// Brings the streams of a document to where planes are decoded. What does not go there is decoded elsewhere.
    pub fn prepare(&self, document: &Document) {
        // A stream that is damaged is told of when it is decoded.
        if self.is_cuda_of(document) {
            let _ = self.streams.on_cuda(document);
            return;
        }
        let Some(gpu) = self.gpu_of(document, false) else { return };
        let Ok(parts) = self.streams.of(gpu, document) else { return };
        // The first element: the shaders are made for it, which takes long the first time.
        let first = Runs { first: 0, stride: 1, count: 1, len: 1 };
        let _ = parts.first().map(|part| part.stream.decode_runs(first));
    }

    /// Brings there what [`Decoder::plane`] decoded a plane of without bringing all of it.
    pub fn bring_rest<'a>(&self, documents: impl IntoIterator<Item = &'a Document>, exact: bool) {
        for document in documents {
            if self.is_cuda_of(document) {
                // As below.
                let _ = self.streams.on_cuda(document);
            }
            if let Some(gpu) = self.gpu_of(document, exact) {
                // What is wrong is told of when it is decoded.
                let _ = self.streams.of(gpu, document);
            }
        }
    }

    /// The GPU that it decodes on.
    pub fn gpu(&self) -> Option<&Gpu> {
        self.gpu.as_ref()
    }

    /// The GPU that shaders run on, to decode or to paint.
    pub fn gpu_in_use(&self) -> Option<&Gpu> {
        self.gpu.as_ref().or(self.painter.as_ref())
    }

    /// The GPU that planes are brought to, to be painted.
    pub fn painter(&self) -> Option<&Gpu> {
        self.painter.as_ref()
    }

    /// What decodes where no GPU does through wgpu.
    pub fn codec(&self) -> &Codec {
        &self.codec
    }

    fn choose(choice: DecoderChoice, window: Option<&Gpu>) -> Decoder {
        let gpu = || window.cloned().map_or_else(Gpu::headless, Ok);
        let instead = |reason: String| Decoder {
            note: Some(format!("{reason}; decoding on the CPU instead")),
            ..Decoder::cpu()
        };
        match choice {
            DecoderChoice::Cpu => Decoder::cpu(),
            DecoderChoice::Cuda => match Codec::cuda(CUDA_DEVICE) {
                Ok(codec) => Decoder { codec, ..Decoder::cpu() },
                Err(reason) => instead(reason.to_string()),
            },
            DecoderChoice::Gpu => match gpu() {
                Ok(gpu) => Decoder { gpu: Some(gpu), ..Decoder::cpu() },
                Err(reason) => instead(reason.to_string()),
            },
            DecoderChoice::Auto => match gpu().ok().filter(is_quick) {
                Some(gpu) => Decoder { gpu: Some(gpu), ..Decoder::cpu() },
                None => Codec::cuda(CUDA_DEVICE)
                    .map_or_else(|_| Decoder::cpu(), |codec| Decoder { codec, ..Decoder::cpu() }),
            },
        }
    }

    /// What to tell the user, the first time that it is asked for.
    pub fn note(&mut self) -> Option<String> {
        self.note.take()
    }

    /// What it is called, for the status bar; of a document that it decodes.
    pub fn name(&self, document: Option<&Document>, exact: bool) -> String {
        match &self.gpu {
            Some(gpu)
                if document.is_none_or(|d| self.gpu_of(d, exact).is_some() && self.is_there(d)) =>
            {
                let rounded = document.is_some_and(|document| document.dtype == DType::F64);
                let how = if rounded { ", rounded to f32 for display" } else { "" };
                format!("the GPU ({}){how}", gpu.name())
            }
            _ if self.is_cuda()
                && document.is_none_or(|d| self.is_cuda_of(d) && self.is_there(d)) =>
            {
                "CUDA".to_owned()
            }
            _ => format!("the CPU ({})", Codec::cpu().instructions()),
        }
    }

    /// One plane of a document. Single precision is exact; of double precision a GPU gives values rounded
    /// to single, unless `exact` is asked for.
    ///
    /// # Errors
    /// When the stream is damaged there.
    pub fn plane(&mut self, document: &Document, place: Place, exact: bool) -> Result<Plane> {
        let is_first = !self.is_part(document);
        self.part = None;
        if self.gpu_of(document, exact).is_some() && self.may_use_gpu(document) {
            match self.plane_on_gpu(document, place) {
                Ok(Some(plane)) => return Ok(plane),
                // It is on its way there.
                Ok(None) => return document.plane(&self.codec, place),
                // The processor knows what to say of a stream.
                Err(reason) => {
                    self.note = Some(told(document, &reason));
                    if is_of_device(&reason) {
                        self.gpu = None;
                        self.streams.wgpu.clear();
                    } else {
                        self.streams.wgpu.leave_out(document);
                    }
                }
            }
        }
        if self.is_cuda_of(document) {
            // The processor has such a plane before the stream is there.
            if is_first && !self.streams.cuda.has(document) && takes_little(document, place)? {
                self.part = document.facts.clone();
                return document.plane(&Codec::cpu(), place);
            }
            if !self.is_there(document) {
                return document.plane(&Codec::cpu(), place);
            }
            match self.plane_on_cuda(document, place) {
                Ok(plane) => return Ok(plane),
                // As above.
                Err(reason) => {
                    self.note = Some(told(document, &reason));
                    if is_of_device(&reason) {
                        self.codec = Codec::cpu();
                        self.streams.cuda.clear();
                    } else {
                        self.streams.cuda.leave_out(document);
                    }
                }
            }
        }
        document.plane(&Codec::cpu(), place)
    }

    /// Whether planes are brought to a GPU to be painted.
    pub fn paints(&self) -> bool {
        self.painter.is_some()
    }

    /// Brings a plane to the GPU that paints it, if one does and it is not there. Of errors those beyond `bound`
    /// stay beyond it, however they are rounded.
    pub fn place(&mut self, plane: &mut Plane, bound: Option<f64>) {
        if plane.slice.is_none()
            && let Some(gpu) = self.painter_of(plane.values.len())
        {
            let values: Vec<f32> = plane.values.iter().map(|&v| narrowed(v, bound)).collect();
            let slice = Some(GpuSlice::upload(gpu, &values));
            self.keep(plane, slice);
        }
    }

    /// The GPU that paints a plane of so many values, which are not on it yet; none where the processor does now.
    fn painter_of(&self, values: usize) -> Option<&Gpu> {
        let painter = self.painter.as_ref().filter(|gpu| self.has_shaders(gpu, None));
        painter.filter(|_| !self.is_cuda() || values > PAINTED_HERE)
    }

    /// Gives a plane what was uploaded of it.
    fn keep(&mut self, plane: &mut Plane, slice: Option<fsz_wgpu::Result<GpuSlice>>) {
        match slice {
            None => {}
            Some(Ok(slice)) => plane.slice = Some(Arc::new(slice)),
            Some(Err(reason)) => {
                self.painter = None;
                self.note = Some(format!("{reason}; rendering on the CPU from now on"));
            }
        }
    }

    fn plane_on_cuda(&mut self, document: &Document, place: Place) -> Result<Plane> {
        let parts = self.streams.on_cuda(document)?;
        let (grid, size) = (&document.grid, document.grid.plane(place.axis));
        if document.dtype == DType::F64 {
            return Ok(Plane::new(size, decoded_by_cuda(grid, place, &parts, <[f64]>::to_vec)?));
        }
        let read = |values: &[f32]| match self.painter_of(values.len()) {
            None => (widened(values), None),
            // The numbers of the plane are made by other threads while it is brought to where it is painted.
            Some(gpu) => {
                let mut numbers = Vec::new();
                let slice = rayon::in_place_scope(|scope| {
                    scope.spawn(|_| numbers = widened(values));
                    GpuSlice::upload(gpu, values)
                });
                (numbers, Some(slice))
            }
        };
        let (numbers, slice) = decoded_by_cuda(grid, place, &parts, read)?;
        let mut plane = Plane::new(size, numbers);
        self.keep(&mut plane, slice);
        Ok(plane)
    }

    /// A plane that the GPU decodes; none while the processor has it sooner.
    fn plane_on_gpu(&mut self, document: &Document, place: Place) -> Result<Option<Plane>> {
        let (Some(gpu), Some(facts)) = (&self.gpu, &document.facts) else {
            bail!("there is no stream");
        };
        let (values, slice) = match first_part(gpu, &self.streams, document, place)? {
            Some(part) => {
                let slice = part.decode_runs(document.grid.runs(place.axis, place.plane))?;
                self.part = Some(facts.clone());
                (slice.read_back()?, Some(slice))
            }
            None if self.hurries && !self.streams.wgpu.has(document) => return Ok(None),
            None => decoded(&document.grid, place, &self.streams.of(gpu, document)?)?,
        };
        let size = document.grid.plane(place.axis);
        let mut plane = Plane::new(size, widened(&values));
        plane.rounded = document.dtype == DType::F64;
        plane.slice = slice.filter(|_| self.painter.is_some()).map(Arc::new);
        Ok(Some(plane))
    }
}

/// The numbers of a plane.
fn widened(values: &[f32]) -> Vec<f64> {
    values.par_iter().copied().map(f64::from).collect()
}

/// Of a stream that is not on the GPU yet what a plane takes, where that comes much sooner than all of it.
fn first_part(
    gpu: &Gpu,
    streams: &GpuStreams,
    document: &Document,
    place: Place,
) -> Result<Option<GpuStream>> {
    let mut found = None;
    if !streams.wgpu.has(document) {
        let grid = &document.grid;
        document.each_stream(|stream, held| {
            if held.count == grid.shape() {
                let runs = grid.runs(place.axis, place.plane);
                found = GpuStream::upload_part(gpu, stream, runs)?;
            }
            Ok(())
        })?;
    }
    Ok(found)
}

/// Of so many chunks of a stream a plane takes one at most, where the processor begins with it.
const LITTLE: usize = 8;

/// Whether a plane takes a small part of its stream.
fn takes_little(document: &Document, place: Place) -> Result<bool> {
    let grid = &document.grid;
    let mut little = false;
    document.each_stream(|stream, held| {
        if held.count == grid.shape() {
            let window = window(grid, place);
            let taken = stream.chunks_of_box(&window.start, &window.count)?.len();
            little = (LITTLE * taken) as u64 <= stream.chunks();
        }
        Ok(())
    })?;
    Ok(little)
}

/// What `read` makes of the values of a plane, each part decoded by CUDA. Those of one stream it reads where CUDA left them.
fn decoded_by_cuda<T: Element, R>(
    grid: &Grid,
    place: Place,
    parts: &[Part<DeviceStream>],
    read: impl FnOnce(&[T]) -> R,
) -> Result<R> {
    if let [Part { held, stream }] = parts
        && held.count == grid.shape()
    {
        let window = window(grid, place);
        return Ok(stream.decompress_box_with(&window.start, &window.count, read)?);
    }
    let values = put_together(grid, place, parts, |Part { held, stream }, common| {
        let start = common.start.iter().zip(&held.start).map(|(a, b)| a - b);
        let mut values = vec![T::default(); elements(common)];
        stream.decompress_box_into(&Vec::from_iter(start), &common.count, &mut values)?;
        Ok(values)
    })?;
    Ok(read(&values))
}

/// The values of a plane, each part decoded on the GPU. Of one stream they stay there too.
fn decoded(
    grid: &Grid,
    place: Place,
    parts: &[Part<GpuStream>],
) -> Result<(Vec<f32>, Option<GpuSlice>)> {
    if let [Part { held, stream }] = parts
        && held.count == grid.shape()
    {
        let slice = stream.decode_runs(grid.runs(place.axis, place.plane))?;
        return Ok((slice.read_back()?, Some(slice)));
    }
    let values = put_together(grid, place, parts, |Part { held, stream }, _| {
        let Some(inner) = grid.plane_in(place.axis, place.plane, held) else {
            bail!("there is no plane {} in a part", place.plane);
        };
        let slice = stream.decode_runs(Grid::new(&held.count).runs(place.axis, inner))?;
        Ok(slice.read_back()?)
    })?;
    Ok((values, None))
}

/// The values of a plane that several streams have a part of; `decode` gives those that one has, in the box that is
/// common to both.
fn put_together<T: Element, S>(
    grid: &Grid,
    place: Place,
    parts: &[Part<S>],
    decode: impl Fn(&Part<S>, &Box) -> Result<Vec<T>>,
) -> Result<Vec<T>> {
    let window = window(grid, place);
    let mut out = vec![T::default(); elements(&window)];
    for part in parts {
        if let Some(common) = part.held.common(&window) {
            boxes::place(&decode(part, &common)?, &common, &mut out, &window);
        }
    }
    Ok(out)
}

/// The elements of a plane.
fn window(grid: &Grid, place: Place) -> Box {
    let (start, count) = grid.plane_box(place.axis, place.plane);
    Box { start, count }
}

fn elements(window: &Box) -> usize {
    window.count.iter().product::<u64>() as usize
}

/// Whether a GPU is taken unasked. One in software is no faster than the processor's own way, and one
/// that is used through OpenGL draws no window while it decodes.
fn is_quick(gpu: &Gpu) -> bool {
    !gpu.is_software() && !gpu.is_opengl()
}

/// Whether pictures are painted by the GPU that draws the window.
pub fn paints(choice: DecoderChoice, window: &Gpu) -> bool {
    match choice {
        DecoderChoice::Cpu => false,
        DecoderChoice::Gpu => true,
        DecoderChoice::Auto | DecoderChoice::Cuda => is_quick(window),
    }
}

/// What to tell where a device does not decode a document, or anything any more.
fn told(document: &Document, reason: &anyhow::Error) -> String {
    match is_of_device(reason) {
        true => format!("{reason}; decoding on the CPU from now on"),
        false => format!("{}: {reason}; decoding it on the CPU", document.title),
    }
}

/// Whether a GPU's values of it will do: they are exact in single precision; in double precision they are
/// to be looked at, where single precision tells the values apart.
fn suits(document: &Document, exact: bool) -> bool {
    let Some(facts) = &document.facts else { return false };
    let range = &facts.certificate;
    document.dtype == DType::F32 || !exact && suits_single(range.min, range.max)
}

/// The nearest `f32`; of what is beyond `bound` one that is beyond the nearest `f32` of it.
fn narrowed(value: f64, bound: Option<f64>) -> f32 {
    let near = value as f32;
    match bound {
        Some(bound) if value.abs() > bound && near.abs() <= bound as f32 => {
            (bound as f32).next_up().copysign(near)
        }
        _ => near,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::{Mutex, MutexGuard, PoisonError};

    use fsz::{Bound, CompressOptions, Dense, Profile, Region, Stream};
    use ndarray::ArrayView;

    use super::*;

    fn value(i: usize) -> f64 {
        if i % 700 < 30 { f64::NAN } else { (i as f64 * 0.01).sin() * 9.0 }
    }

    fn profiles() -> [Profile; 2] {
        [Profile::default(), Profile::Dense(Dense::new())]
    }

    fn document(shape: &[usize], profile: Profile) -> Document {
        let values: Vec<f32> = (0..shape.iter().product()).map(|i| value(i) as f32).collect();
        compressed(shape, &values, profile)
    }

    /// An array of four dimensions that is cut into blocks, not all of it covered.
    fn several(profile: Profile) -> Document {
        let block = |start: [u64; 4], count: [usize; 4]| {
            let values: Vec<f32> =
                (0..count.iter().product()).map(|i| value(i) as f32 + start[0] as f32).collect();
            let view = ArrayView::from_shape(count, &values).unwrap();
            let options = CompressOptions::new(Bound::Absolute(1e-3)).profile(profile);
            (start.to_vec(), Codec::cpu().compress_with(view, &options).unwrap())
        };
        let parts = vec![
            block([0, 0, 0, 0], [2, 3, 8, 9]),
            block([2, 0, 0, 0], [1, 3, 8, 20]),
            block([0, 1, 0, 9], [2, 2, 5, 11]),
        ];
        let found = Document::from_blocks("cut".into(), Path::new("cut"), &[3, 3, 8, 20], parts);
        found.unwrap().expect("they make up an array")
    }

    /// A field of which a box and masked elements have bounds of their own.
    fn with_regions(profile: Profile) -> Document {
        let values: Vec<f32> = (0..1980).map(|i| value(i) as f32).collect();
        let mask = (0..1980).map(|i| i % 11 < 2).collect();
        let options = CompressOptions::new(Bound::Absolute(0.1))
            .profile(profile)
            .region(Region::in_box(&[1, 2, 3], &[3, 9, 20], Bound::Absolute(1e-4)))
            .region(Region::where_set(mask, Bound::Absolute(1e-3)));
        compressed_with(&[5, 12, 33], &values, &options)
    }

    fn compressed<T: fsz::Element>(shape: &[usize], values: &[T], profile: Profile) -> Document {
        let options = CompressOptions::new(Bound::Absolute(1e-3)).profile(profile);
        compressed_with(shape, values, &options)
    }

    fn compressed_with<T: fsz::Element>(
        shape: &[usize],
        values: &[T],
        options: &CompressOptions,
    ) -> Document {
        let view = ArrayView::from_shape(shape, values).unwrap();
        let stream = Codec::cpu().compress_with(view, options).unwrap();
        Document::from_stream("made".into(), Path::new("made"), stream).unwrap()
    }

    /// The GPU for one test at a time. Through OpenGL a thread waits at most a second for another to be done there, and
    /// a processor that draws may take longer.
    fn alone() -> MutexGuard<'static, ()> {
        static GPU: Mutex<()> = Mutex::new(());
        GPU.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[test]
    fn a_gpu_in_software_or_through_opengl_is_taken_when_it_is_asked_for_alone() {
        let Ok(gpu) = Gpu::headless() else {
            eprintln!("SKIPPED: which GPUs are taken unasked: no GPU");
            return;
        };
        let quick = !gpu.is_software() && !gpu.is_opengl();
        assert_eq!(Decoder::open(DecoderChoice::Auto, None).gpu.is_some(), quick);
        assert_eq!(paints(DecoderChoice::Auto, &gpu), quick);
        assert!(Decoder::open(DecoderChoice::Gpu, None).gpu.is_some());
    }

    #[test]
    fn a_gpu_gives_the_planes_of_the_processor() {
        let _alone = alone();
        for choice in [DecoderChoice::Gpu, DecoderChoice::Cuda] {
            let mut decoder = Decoder::open(choice, None);
            if let Some(reason) = decoder.note() {
                eprintln!("SKIPPED: planes decoded as {choice:?}: {reason}");
                continue;
            }
            // More documents than are kept, in turns.
            let shapes = [&[2500][..], &[30, 70], &[5, 12, 33], &[2, 3, 8, 9]];
            let of = |profile| shapes.map(|shape| document(shape, profile));
            let mut documents = profiles().map(of).concat();
            documents.extend(profiles().map(several));
            documents.extend(profiles().map(with_regions));
            for document in documents.iter().chain(&documents) {
                let grid = &document.grid;
                for axis in 0..grid.axes() {
                    for plane in [0, grid.planes(axis) / 2, grid.planes(axis) - 1] {
                        check(&mut decoder, document, Place { axis, plane });
                    }
                }
            }
            assert_eq!(
                (decoder.gpu.is_some(), decoder.is_cuda()),
                match choice {
                    DecoderChoice::Cuda => (false, true),
                    _ => (true, false),
                }
            );
        }
    }

    /// A plane is that of the processor.
    fn check(decoder: &mut Decoder, document: &Document, place: Place) {
        let found = decoder.plane(document, place, true).unwrap();
        let expected = Decoder::cpu().plane(document, place, true).unwrap();
        assert_eq!(found.size, expected.size);
        let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
        let all = found.values.len() == expected.values.len();
        assert!(all && found.values.iter().zip(&expected.values).all(same), "{place:?}");
    }

    /// A plane that CUDA decoded is brought to the GPU that paints where it is large.
    #[test]
    fn small_planes_of_cuda_are_left_to_the_processor_to_paint() {
        let _alone = alone();
        let (chosen, gpu) = (Decoder::choose(DecoderChoice::Cuda, None), Gpu::headless());
        let (true, Ok(gpu)) = (chosen.is_cuda(), gpu) else {
            eprintln!(
                "SKIPPED: planes of CUDA that are painted: there are not both CUDA and a GPU"
            );
            return;
        };
        let mut decoder = Decoder { painter: Some(gpu), ..chosen };
        for (columns, is_there) in [(1024, false), (1025, true)] {
            let document = document(&[2, 1024, columns], Profile::default());
            let mut plane = decoder.plane(&document, Place::default(), false).unwrap();
            assert_eq!(plane.slice.is_some(), is_there);
            decoder.place(&mut plane, None);
            assert_eq!(plane.slice.is_some(), is_there);
            check(&mut decoder, &document, Place { axis: 0, plane: 1 });
        }
    }

    #[test]
    fn the_first_plane_waits_for_no_more_than_it_takes() {
        let _alone = alone();
        let mut decoder = Decoder::open(DecoderChoice::Gpu, None);
        if let Some(reason) = decoder.note() {
            eprintln!("SKIPPED: a first plane decoded on a GPU: {reason}");
            return;
        }
        let document = document(&[40, 48, 64], Profile::default());
        for (plane, hurries) in [(20, false), (0, true), (39, true)] {
            decoder.hurry(hurries);
            check(&mut decoder, &document, Place { axis: 0, plane });
            assert!(decoder.is_part(&document) && !decoder.streams.wgpu.has(&document));
            assert!(decoder.name(Some(&document), true).starts_with("the GPU"));
        }
        decoder.hurry(false);
        decoder.bring_rest([&document], true);
        assert!(decoder.streams.wgpu.has(&document));
        check(&mut decoder, &document, Place { axis: 0, plane: 3 });
        assert!(!decoder.is_part(&document));
        // Across another axis a plane takes nearly all of it.
        decoder.streams.wgpu.clear();
        check(&mut decoder, &document, Place { axis: 2, plane: 3 });
        assert!(!decoder.is_part(&document) && decoder.streams.wgpu.has(&document));
    }

    /// Of a damaged stream the planes before the damage are the processor's; those of others stay on the GPU.
    #[test]
    fn a_damaged_stream_leaves_the_gpu_to_others() {
        let _alone = alone();
        for choice in [DecoderChoice::Gpu, DecoderChoice::Cuda] {
            let mut decoder = Decoder::open(choice, None);
            if let Some(reason) = decoder.note() {
                eprintln!("SKIPPED: a damaged stream decoded as {choice:?}: {reason}");
                continue;
            }
            let damaged = document(&[40, 48, 64], Profile::default());
            let mut bytes = Vec::new();
            let copied = damaged.with_stream(|stream| {
                bytes.extend_from_slice(stream.as_bytes());
                Ok(())
            });
            copied.unwrap();
            let last = bytes.len() - 40;
            bytes[last] ^= 0x10;
            let stream = Stream::from_vec(bytes).unwrap();
            let damaged = Document::from_stream("bad".into(), Path::new("bad"), stream).unwrap();
            let whole = document(&[5, 12, 33], Profile::default());
            let bad = Place { axis: 0, plane: 39 };
            assert!(decoder.plane(&damaged, bad, true).is_err());
            // Across this axis a plane takes nearly all of it.
            assert!(decoder.plane(&damaged, Place { axis: 2, plane: 3 }, true).is_err());
            let told = decoder.note().expect("it says why");
            assert!(
                told.starts_with("bad: ") && told.ends_with("decoding it on the CPU"),
                "{told}"
            );
            check(&mut decoder, &damaged, Place::default());
            assert!(decoder.name(Some(&damaged), true).contains("CPU"));
            check(&mut decoder, &whole, Place::default());
            check(&mut decoder, &whole, Place { axis: 2, plane: 3 });
            let name = decoder.name(Some(&whole), true);
            assert!(name.contains("GPU") || name == "CUDA", "{name}");
            assert_eq!(decoder.note(), None);
        }
    }

    #[test]
    fn a_first_plane_by_cuda_does_not_wait_for_the_stream() {
        let _alone = alone();
        let mut decoder = Decoder::choose(DecoderChoice::Cuda, None);
        if let Some(reason) = decoder.note() {
            eprintln!("SKIPPED: a first plane with CUDA: {reason}");
            return;
        }
        let is_there = |decoder: &Decoder, document: &Document| decoder.streams.cuda.has(document);
        let long = document(&[64, 48, 64], Profile::default());
        check(&mut decoder, &long, Place { axis: 0, plane: 20 });
        assert!(decoder.is_part(&long) && !is_there(&decoder, &long));
        decoder.bring_rest([&long], true);
        assert!(is_there(&decoder, &long));
        check(&mut decoder, &long, Place { axis: 0, plane: 21 });
        assert!(!decoder.is_part(&long));
        // The second one brings it where nothing else does.
        decoder.streams.cuda.clear();
        check(&mut decoder, &long, Place { axis: 0, plane: 22 });
        check(&mut decoder, &long, Place { axis: 0, plane: 23 });
        assert!(!decoder.is_part(&long) && is_there(&decoder, &long));
        // Across another axis a plane takes all of it.
        decoder.streams.cuda.clear();
        check(&mut decoder, &long, Place { axis: 2, plane: 3 });
        assert!(!decoder.is_part(&long) && is_there(&decoder, &long));
    }

    #[test]
    fn double_precision_is_rounded_unless_it_must_be_exact() {
        let _alone = alone();
        let mut decoder = Decoder::open(DecoderChoice::Gpu, None);
        if decoder.gpu.is_none() {
            let reason = decoder.note().expect("it says why");
            eprintln!("SKIPPED: planes of f64 decoded on a GPU: {reason}");
            return;
        }
        let values: Vec<f64> = (0..5 * 12 * 33).map(value).collect();
        for profile in profiles() {
            let document = compressed(&[5, 12, 33], &values, profile);
            let place = Place { axis: 1, plane: 7 };
            let exact = decoder.plane(&document, place, true).unwrap();
            let shown = decoder.plane(&document, place, false).unwrap();
            assert!(!exact.rounded && shown.rounded);
            assert!(decoder.name(Some(&document), false).ends_with("rounded to f32 for display"));
            assert!(exact.values.iter().any(|v| v.is_finite() && f64::from(*v as f32) != *v));
            for (i, (shown, exact)) in shown.values.iter().zip(&exact.values).enumerate() {
                let near = (shown - exact).abs() <= 2.0 * f64::from(f32::EPSILON) * exact.abs();
                assert!(near || shown.is_nan() && exact.is_nan(), "{shown} for {exact} at {i}");
                let position = document.grid.position(1, 7, i / 33, i % 33).unwrap();
                let probed = document.exact(&Codec::cpu(), position).unwrap();
                assert_eq!(probed.to_bits(), exact.to_bits());
            }
            // Its values are none of single precision.
            let huge: Vec<f64> = (0..1200).map(|i| 1e300 * value(i)).collect();
            let wide = compressed(&[4, 300], &huge, profile);
            assert!(!decoder.plane(&wide, Place::default(), false).unwrap().rounded);
        }
    }

    /// What is on its way to the GPU is decoded by the processor while a series is played.
    #[test]
    fn a_series_that_is_played_waits_for_no_upload() {
        let _alone = alone();
        let mut decoder = Decoder::open(DecoderChoice::Gpu, None);
        if decoder.gpu.is_none() {
            let reason = decoder.note().expect("it says why");
            eprintln!("SKIPPED: a series decoded on a GPU: {reason}");
            return;
        }
        let of = |shift: usize| {
            let values: Vec<f32> = (0..5 * 12 * 33).map(|i| value(i + shift) as f32).collect();
            compressed(&[5, 12, 33], &values, Profile::default())
        };
        let (first, second) = (of(0), of(100));
        decoder.hurry(true);
        let name = |decoder: &Decoder, document| decoder.name(Some(document), false);
        for document in [&first, &second] {
            let early = decoder.plane(document, Place::default(), false).unwrap();
            assert!(
                !decoder.streams.wgpu.has(document) && name(&decoder, document).contains("CPU")
            );
            decoder.prepare(document);
            assert!(decoder.streams.wgpu.has(document) && name(&decoder, document).contains("GPU"));
            let late = decoder.plane(document, Place::default(), false).unwrap();
            let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
            assert!(early.values.iter().zip(&late.values).all(same));
        }
        decoder.hurry(false);
        assert!(name(&decoder, &of(7)).contains("GPU"));
    }

    #[test]
    fn errors_beyond_the_bound_stay_there() {
        let bound = 0.1f64;
        let beyond = bound.next_up();
        assert!(narrowed(beyond, Some(bound)) > bound as f32);
        assert!(narrowed(-beyond, Some(bound)) < -(bound as f32));
        assert_eq!(narrowed(bound, Some(bound)), bound as f32);
        assert_eq!(narrowed(1.5, Some(bound)), 1.5);
        assert!(narrowed(f64::NAN, Some(bound)).is_nan());
    }
}
