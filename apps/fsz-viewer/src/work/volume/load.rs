//! A part of a field to the GPU, slab by slab: decoded there where it can be, otherwise brought there.

use std::ops::Range;
use std::sync::Arc;
use std::thread;

use anyhow::{Context, Result};
use fsz_field::{Field, Values, with_values};
use fsz_metrics::Sample;
use fsz_wgpu::{Cell, Gpu, GpuSlice, GpuStream, Runs, Sampling, Slab, TILE_KINDS, Volume};
use rayon::prelude::*;

use crate::model::document::Document;
use crate::model::set::Set;
use crate::model::volume::plan::{self, Budget};
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

impl Loader<'_> {
    /// A part of what is open as a volume; none when `obsolete` says that it is of no use any more. The processor decodes
    /// until the shaders that do it are there, which others make, as [`with_shaders`](crate::work::shaders::with_shaders)
    /// does.
    ///
    /// # Errors
    /// When a stream is damaged there, or the GPU fails or has no room.
    pub fn volume(
        &self,
        set: &Set,
        source: VolumeSource,
        sampling: Sampling,
        obsolete: impl FnMut() -> bool,
    ) -> Result<Option<Volume>> {
        thread::scope(|scope| {
            // What draws it is made while it is brought there.
            scope.spawn(|| self.gpu.prepare_volumes());
            self.loaded(set, source, sampling, obsolete)
        })
    }

    fn loaded(
        &self,
        set: &Set,
        source: VolumeSource,
        sampling: Sampling,
        mut obsolete: impl FnMut() -> bool,
    ) -> Result<Option<Volume>> {
        let volume = Volume::new(self.gpu, sampling)?;
        let document = match source {
            VolumeSource::Original => set.original.as_ref(),
            _ => set.subject.as_ref(),
        };
        let document = document.context("there is no such field")?;
        let original = set.original.as_ref().filter(|_| source == VolumeSource::Error);
        // Errors are to be those of the values, not of their rounding.
        let on_gpu = match source {
            VolumeSource::Original => None,
            _ => self.stream_of(document, original.is_some()),
        };
        let missing: Vec<u32> = set
            .leader()
            .map_or(&[][..], |leader| leader.missing())
            .iter()
            .map(|&value| (value as f32).to_bits())
            .collect();
        let deep = sampling.count[0];
        let columns = if on_gpu.is_some() { document.grid.sides()[2] } else { sampling.count[2] };
        let [planes, rows] = plan::slab(&sampling, self.budget, columns);
        let bands = |first: u64| {
            let ranges = (0..sampling.count[1]).step_by(rows as usize);
            ranges.map(move |row| [first..(first + planes).min(deep), row..row + rows])
        };
        for [planes, rows] in (0..deep).step_by(planes as usize).flat_map(bands) {
            if obsolete() {
                return Ok(None);
            }
            let rows = rows.start..rows.end.min(sampling.count[1]);
            let (start, count) = slab_of(&sampling, [&planes, &rows]);
            let slab = match &on_gpu {
                Some(parts) if self.has_shaders(document) => {
                    self.decoded(&parts[0].stream, document, original, (start, count))?
                }
                _ if source == VolumeSource::Kinds => {
                    self.kinds(document, &sampling, (start, count))?
                }
                _ => self.brought(document, original, (start, count))?,
            };
            let cell = match (source, &slab.original) {
                (VolumeSource::Kinds, _) => Cell::Kind,
                (VolumeSource::Error, Some(original)) if !slab.are_errors => {
                    Cell::LargestError(original)
                }
                (VolumeSource::Error, _) => Cell::Largest,
                _ => Cell::Mean,
            };
            let elements = Slab {
                values: &slab.values,
                original: slab.original.as_ref(),
                columns: slab.columns,
                offset: slab.offset,
            };
            volume.fill([planes, rows], elements, cell, &missing)?;
        }
        volume.finish()?;
        Ok(Some(volume))
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
        document: &Document,
        original: Option<&Document>,
        (start, count): ([u64; 3], [u64; 3]),
    ) -> Result<Planes> {
        let [_, height, width] = document.grid.sides();
        let runs = Runs {
            first: (start[0] * height + start[1]) * width,
            stride: height * width,
            count: count[0],
            len: count[1] * width,
        };
        let values = stream.decode_runs(runs)?;
        let rows = ([start[0], start[1], 0], [count[0], count[1], width]);
        let original = original
            .map(|original| original.slab(self.decoder.codec(), rows.0, rows.1))
            .transpose()?;
        let original = original.map(|fields| self.upload(&fields)).transpose()?;
        Ok(Planes { values, are_errors: false, original, columns: width, offset: start[2] })
    }

    /// A slab that the processor has, or the magnitude of its errors.
    fn brought(
        &self,
        document: &Document,
        original: Option<&Document>,
        (start, count): ([u64; 3], [u64; 3]),
    ) -> Result<Planes> {
        let fields = document.slab(self.decoder.codec(), start, count)?;
        let columns = count[2];
        let Some(original) = original else {
            let values = self.upload(&fields)?;
            return Ok(Planes { values, are_errors: false, original: None, columns, offset: 0 });
        };
        let originals = original.slab(self.decoder.codec(), start, count)?;
        let pairs = fields.iter().zip(&originals);
        let errors: Vec<f32> =
            pairs.flat_map(|(field, original)| errors(field, original)).collect();
        let (values, original) = (GpuSlice::upload(self.gpu, &errors)?, self.upload(&originals)?);
        Ok(Planes { values, are_errors: true, original: Some(original), columns, offset: 0 })
    }

    /// The kinds of tiles of a slab as the records of its stream tell them. Only those that a voxel shows are looked up.
    fn kinds(
        &self,
        document: &Document,
        sampling: &Sampling,
        (start, count): ([u64; 3], [u64; 3]),
    ) -> Result<Planes> {
        document.read_tiles()?;
        let known = document.tiles().context("there is no stream")?;
        let [_, height, width] = document.grid.sides();
        let middles = |axis: usize| {
            let (count, stride) = (count[axis], sampling.stride[axis]);
            (0..count)
                .step_by(stride as usize)
                .map(move |at| (at + (at + stride).min(count) - 1) / 2)
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
        let values = GpuSlice::of_tiles(self.gpu, &tiles)?;
        Ok(Planes { values, are_errors: false, original: None, columns: count[2], offset: 0 })
    }

    /// The values of fields that follow one another.
    fn upload(&self, fields: &[Field]) -> Result<GpuSlice> {
        if let [field] = fields
            && let Values::F32(values) = field.values()
        {
            return Ok(GpuSlice::upload(self.gpu, values)?);
        }
        Ok(GpuSlice::upload(self.gpu, &fields.iter().flat_map(shown).collect::<Vec<f32>>())?)
    }
}

/// The values of a field as they are drawn.
fn shown(field: &Field) -> Vec<f32> {
    match field.values() {
        Values::F32(values) => values.to_vec(),
        Values::F64(values) => values.par_iter().map(|&value| value as f32).collect(),
    }
}

/// The magnitudes of errors. What is kept bit for bit has none, NaN among it.
fn errors(field: &Field, original: &Field) -> Vec<f32> {
    let of = |value: f64, before: f64| {
        if value.to_bits() == before.to_bits() { 0.0 } else { (value - before).abs() as f32 }
    };
    with_values!(field.values(), values => with_values!(original.values(), before => {
        values.par_iter().zip(before).map(|(v, b)| of(v.to_f64(), b.to_f64())).collect()
    }))
}

/// First element and count of some planes and rows of a volume.
fn slab_of(sampling: &Sampling, [planes, rows]: [&Range<u64>; 2]) -> ([u64; 3], [u64; 3]) {
    let ([z, y, x], columns) = (sampling.start, sampling.count[2]);
    let count = [planes, rows].map(|range| range.end - range.start);
    ([z + planes.start, y + rows.start, x], [count[0], count[1], columns])
}

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
        assert_eq!(errors(&single, &single), [0.0; 5]);
        assert_eq!(errors(&double, &double), [0.0; 5]);
        let last = (1.0 / 3.0 - 0.25) as f32;
        for found in [errors(&single, &double), errors(&double, &single)] {
            assert_eq!(found, [0.25, 0.0, 0.0, 0.0, last]);
        }
    }
}
