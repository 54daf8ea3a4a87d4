//! A part of a field to the GPU, slab by slab: decoded there where it can be, otherwise brought there.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::thread;

use anyhow::{Context, Result};
use fsz::Progress;
use fsz_field::{Field, Values, with_values};
use fsz_metrics::Sample;
use fsz_wgpu::{Cell, Gpu, GpuSlice, GpuStream, Mode, Runs, Sampling, Slab, TILE_KINDS, Volume};
use rayon::prelude::*;

use crate::model::document::Document;
use crate::model::set::Set;
use crate::model::volume::plan::{self, Budget};
use crate::model::volume::unit::in_unit;
use crate::model::volume::volume_view::VolumeSource;
use crate::work::decoder::Decoder;
use crate::work::gpu_streams::GpuStreams;
use crate::work::kept_streams::Part;

/// Brings volumes to a GPU.
pub struct Loader<'a> {
    /// What decodes where that GPU does not.
    pub decoder: &'a Decoder,
    /// The fields that lie there.
    pub streams: &'a GpuStreams,
    /// That GPU.
    pub gpu: &'a Gpu,
    /// What there is room for.
    pub budget: Budget,
}

/// What a volume is to hold.
struct Wanted<'a> {
    source: VolumeSource,
    /// What the values are counted in.
    unit: f64,
    document: &'a Document,
    /// The original, where errors are wanted.
    original: Option<&'a Document>,
    sampling: Sampling,
    /// The bits of values that stand for none.
    missing: Vec<u32>,
}

/// Planes and rows of elements, counted from a volume's first.
type SlabRanges = [Range<u64>; 2];

/// A slab as the processor has it, rows of just what is wanted.
enum Read {
    Values(Vec<Field>),
    /// The magnitudes of errors, and the original.
    Errors(Vec<f32>, Vec<Field>),
    /// The kinds of tiles.
    Kinds(Vec<u32>),
}

/// A slab: its values, those of the original where they are of use, and the length of a row with the place in it of the
/// first element that is wanted.
struct Planes {
    values: GpuSlice,
    /// Whether the values are magnitudes of errors already.
    are_errors: bool,
    original: Option<GpuSlice>,
    columns: u64,
    offset: u64,
}

/// Slabs that the processor is ahead of what brings them to the GPU.
const AHEAD: usize = 3;

/// Of so many slabs those that the processor has about as soon as the GPU, which must be brought the stream first.
fn few(slabs: usize) -> usize {
    slabs * 5 / 8
}

impl Loader<'_> {
    /// A part of what is open as a volume, its values counted in a unit, for what draws it in a mode; none when `obsolete` says that it is of no use any
    /// more. The processor decodes until the shaders that do it are there, which others make, as
    /// [`with_shaders`](crate::work::shaders::with_shaders) does.
    ///
    /// # Errors
    /// When a stream is damaged there, or the GPU fails or has no room.
    pub fn volume(
        &self,
        set: &Set,
        (source, unit): (VolumeSource, f64),
        sampling: Sampling,
        mode: Mode,
        obsolete: impl FnMut() -> bool,
    ) -> Result<Option<Volume>> {
        let document = match source {
            VolumeSource::Original => set.original.as_ref(),
            _ => set.subject.as_ref(),
        };
        let document = document.context("there is no such field")?;
        let original = set.original.as_ref().filter(|_| source == VolumeSource::Error);
        let missing = set.leader().map_or(&[][..], |leader| leader.missing());
        let missing = missing.iter().map(|&value| in_unit(value, unit).to_bits()).collect();
        let wanted = Wanted { source, unit, document, original, sampling, missing };
        let is_ready = || self.has_shaders(document);
        thread::scope(|scope| {
            // What draws it is made while it is brought there.
            scope.spawn(|| self.gpu.prepare_volumes(mode));
            self.loaded(&wanted, is_ready, obsolete)
        })
    }

    /// Whether the GPU decodes what is wanted, once its shaders are there.
    fn suits(&self, wanted: &Wanted<'_>) -> bool {
        // Errors are to be those of the values, not of their rounding.
        wanted.source != VolumeSource::Original
            && wanted.unit == 1.0
            && self.decoder.gpu_of(wanted.document, wanted.original.is_some()).is_some()
    }

    /// What is wanted. Until `is_ready`, which is asked before each slab, the processor decodes; then the GPU too, where there
    /// is enough left.
    fn loaded(
        &self,
        wanted: &Wanted<'_>,
        is_ready: impl Fn() -> bool,
        mut obsolete: impl FnMut() -> bool,
    ) -> Result<Option<Volume>> {
        let Wanted { document, original, sampling, .. } = wanted;
        let suits = self.suits(wanted);
        let columns = if suits { document.grid.sides()[2] } else { sampling.count[2] };
        let slabs = plan::slabs(sampling, self.budget, columns);
        // Whoever is idle takes the next one.
        let next = AtomicUsize::new(0);
        let take = || slabs.get(next.fetch_add(1, Ordering::Relaxed));
        let left = || slabs.len().saturating_sub(next.load(Ordering::Relaxed));
        // Before the first slab the GPU is worth bringing it the stream; later if there is much to do, or it is there.
        let may_decode = |begun: bool| {
            let is_worth =
                || !begun || left() > few(slabs.len()) || self.streams.wgpu.has(document);
            suits && is_ready() && is_worth()
        };
        let (send, received) = sync_channel(AHEAD);
        thread::scope(|scope| {
            // Dropped at the end, whatever comes of it: then the processor stops, too.
            let received = received;
            let mut asked = may_decode(false);
            let mut stream = asked.then(|| self.stream_of(document, original.is_some())).flatten();
            let by_processor = || {
                let send = send;
                while let Some(slab) = take() {
                    if send.send((slab, self.read(wanted, slab))).is_err() {
                        return;
                    }
                }
            };
            match stream {
                None => drop(scope.spawn(by_processor)),
                Some(_) => drop(by_processor),
            }
            // The processor is at work meanwhile: so much memory takes a GPU some milliseconds.
            let volume = Volume::new(self.gpu, *sampling)?;
            while !obsolete() {
                if !asked && may_decode(true) {
                    asked = true;
                    stream = self.stream_of(document, original.is_some());
                }
                let (slab, planes) = match (&stream, stream.as_ref().and_then(|_| take())) {
                    (Some(parts), Some(slab)) => {
                        (slab, self.decoded(&parts[0].stream, wanted, slab)?)
                    }
                    _ => match received.recv() {
                        Ok((slab, read)) => (slab, self.brought(wanted, read?)?),
                        // There are no more.
                        Err(_) => {
                            volume.finish()?;
                            return Ok(Some(volume));
                        }
                    },
                };
                fill(&volume, wanted, slab, &planes)?;
            }
            Ok(None)
        })
    }

    /// Whether the GPU can decode a document now. A driver may take half a second for a shader, once; until it is there
    /// the processor decodes slabs.
    fn has_shaders(&self, document: &Document) -> bool {
        let profile = document.facts.as_ref().map(|facts| &facts.header.profile);
        self.gpu.is_software() || self.gpu.is_prepared(profile)
    }

    /// The stream of a document on the GPU, where it is decoded there and is one alone.
    fn stream_of(&self, document: &Document, exact: bool) -> Option<Arc<Vec<Part<GpuStream>>>> {
        let gpu = self.decoder.gpu_of(document, exact)?;
        // What the GPU has no room for the processor decodes.
        let parts = self.streams.of(gpu, document).ok()?;
        let whole = matches!(&parts[..], [part] if part.held.count == document.grid.shape());
        whole.then_some(parts)
    }

    /// Whole rows of a slab, decoded on the GPU, and those of the original brought there.
    fn decoded(
        &self,
        stream: &GpuStream,
        wanted: &Wanted<'_>,
        slab: &SlabRanges,
    ) -> Result<Planes> {
        let (start, count) = slab_of(&wanted.sampling, slab);
        let [_, height, width] = wanted.document.grid.sides();
        let runs = Runs {
            first: (start[0] * height + start[1]) * width,
            stride: height * width,
            count: count[0],
            len: count[1] * width,
        };
        let values = stream.decode_runs(runs)?;
        let rows = ([start[0], start[1], 0], [count[0], count[1], width]);
        let original = wanted
            .original
            .map(|original| original.slab(self.decoder.codec(), rows.0, rows.1))
            .transpose()?;
        let original = original.map(|fields| self.upload(&fields, wanted.unit)).transpose()?;
        Ok(Planes { values, are_errors: false, original, columns: width, offset: start[2] })
    }

    /// A slab by the processor.
    fn read(&self, wanted: &Wanted<'_>, slab: &SlabRanges) -> Result<Read> {
        let (start, count) = slab_of(&wanted.sampling, slab);
        if wanted.source == VolumeSource::Kinds {
            return Ok(Read::Kinds(kinds(wanted, (start, count))?));
        }
        let codec = self.decoder.codec();
        let fields = wanted.document.slab(codec, start, count)?;
        let Some(original) = wanted.original else { return Ok(Read::Values(fields)) };
        let originals = original.slab(codec, start, count)?;
        let pairs = fields.iter().zip(&originals);
        let of = |(field, original)| errors(field, original, wanted.unit);
        let errors = pairs.flat_map(of).collect();
        Ok(Read::Errors(errors, originals))
    }

    /// What the processor has, brought to the GPU.
    fn brought(&self, wanted: &Wanted<'_>, read: Read) -> Result<Planes> {
        let (values, original) = match &read {
            Read::Values(fields) => (self.upload(fields, wanted.unit)?, None),
            Read::Errors(errors, originals) => {
                let originals = self.upload(originals, wanted.unit)?;
                (GpuSlice::upload(self.gpu, errors)?, Some(originals))
            }
            Read::Kinds(kinds) => (GpuSlice::of_tiles(self.gpu, kinds)?, None),
        };
        let are_errors = original.is_some();
        let columns = wanted.sampling.count[2];
        Ok(Planes { values, are_errors, original, columns, offset: 0 })
    }

    /// The values of fields that follow one another.
    fn upload(&self, fields: &[Field], unit: f64) -> Result<GpuSlice> {
        if let [field] = fields
            && let Values::F32(values) = field.values()
        {
            return Ok(GpuSlice::upload(self.gpu, values)?);
        }
        let values: Vec<f32> = fields.iter().flat_map(|field| shown(field, unit)).collect();
        Ok(GpuSlice::upload(self.gpu, &values)?)
    }
}

/// Gathers a slab into a volume.
fn fill(
    volume: &Volume,
    wanted: &Wanted<'_>,
    slab: &SlabRanges,
    planes: &Planes,
) -> fsz_wgpu::Result<()> {
    let cell = match (wanted.source, &planes.original) {
        (VolumeSource::Kinds, _) => Cell::Kind,
        (VolumeSource::Error, Some(original)) if !planes.are_errors => Cell::LargestError(original),
        (VolumeSource::Error, _) => Cell::Largest,
        _ => Cell::Mean,
    };
    let elements = Slab {
        values: &planes.values,
        original: planes.original.as_ref(),
        columns: planes.columns,
        offset: planes.offset,
    };
    volume.fill(slab.clone(), elements, cell, &wanted.missing)
}

/// The kinds of tiles of a slab as the records of its stream tell them. Only those that a voxel shows are looked up.
fn kinds(wanted: &Wanted<'_>, (start, count): ([u64; 3], [u64; 3])) -> Result<Vec<u32>> {
    let (document, sampling) = (wanted.document, &wanted.sampling);
    document.read_tiles(&Progress::new())?;
    let known = document.tiles().context("there is no stream")?;
    let [_, height, width] = document.grid.sides();
    let middles = |axis: usize| {
        let (count, stride) = (count[axis], sampling.stride[axis]);
        (0..count).step_by(stride as usize).map(move |at| (at + (at + stride).min(count) - 1) / 2)
    };
    let plane = (count[1] * count[2]) as usize;
    let mut tiles = vec![0u32; count[0] as usize * plane];
    let numbers = |z: u64, tiles: &mut [u32]| {
        for y in middles(1) {
            for x in middles(2) {
                let position = ((start[0] + z) * height + start[1] + y) * width + start[2] + x;
                let kind = known.of(position).map(|(_, tile)| tile.kind);
                let number = TILE_KINDS.iter().position(|&known| Some(known) == kind);
                tiles[(y * count[2] + x) as usize] = number.unwrap_or(0) as u32;
            }
        }
    };
    let deep: Vec<u64> = middles(0).collect();
    tiles.par_chunks_mut(plane).enumerate().for_each(|(z, tiles)| {
        if deep.binary_search(&(z as u64)).is_ok() {
            numbers(z as u64, tiles);
        }
    });
    Ok(tiles)
}

/// The values of a field as they are drawn. Those of single precision are always counted in 1.
fn shown(field: &Field, unit: f64) -> Vec<f32> {
    match field.values() {
        Values::F32(values) => values.to_vec(),
        Values::F64(values) => values.par_iter().map(|&value| in_unit(value, unit)).collect(),
    }
}

/// The magnitudes of errors. What is kept bit for bit has none, NaN among it.
fn errors(field: &Field, original: &Field, unit: f64) -> Vec<f32> {
    let of = |value: f64, before: f64| match value.to_bits() == before.to_bits() {
        true => 0.0,
        false => in_unit((value - before).abs(), unit),
    };
    with_values!(field.values(), values => with_values!(original.values(), before => {
        values.par_iter().zip(before).map(|(v, b)| of(v.to_f64(), b.to_f64())).collect()
    }))
}

/// First element and count of some planes and rows of a volume.
fn slab_of(sampling: &Sampling, [planes, rows]: &SlabRanges) -> ([u64; 3], [u64; 3]) {
    let ([z, y, x], columns) = (sampling.start, sampling.count[2]);
    let count = [planes, rows].map(|range| range.end - range.start);
    ([z + planes.start, y + rows.start, x], [count[0], count[1], columns])
}

#[cfg(test)]
mod hand_over;

#[cfg(test)]
mod tests {
    use fsz_field::Shape;

    use super::*;

    #[test]
    fn what_is_kept_bit_for_bit_has_no_error() {
        let single = [1.5f32, f32::NAN, f32::INFINITY, -2.0, 0.25];
        let double = [1.25f64, f64::NAN, f64::INFINITY, -2.0, 1.0 / 3.0];
        let shape = || Shape::new(&[5]).unwrap();
        let (single, double) = (
            Field::new(shape(), single.to_vec()).unwrap(),
            Field::new(shape(), double.to_vec()).unwrap(),
        );
        assert_eq!(errors(&single, &single, 1.0), [0.0; 5]);
        assert_eq!(errors(&double, &double, 1.0), [0.0; 5]);
        let last = (1.0 / 3.0 - 0.25) as f32;
        for found in [errors(&single, &double, 1.0), errors(&double, &single, 1.0)] {
            assert_eq!(found, [0.25, 0.0, 0.0, 0.0, last]);
        }
    }
}
