//! Regions of a stream: they have streams of their own, whose elements are put in their places in a slice of the field.

use fsz::{StoredRegion, Stream};

use crate::error::Result;
use crate::gpu::{Gpu, Pipeline};
use crate::profile::groups;
use crate::slice::{GpuSlice, Runs};
use crate::stream::GpuStream;

/// Elements that a workgroup puts in their places.
const GROUP: u64 = 256;

/// The place of an element that the slice does not have, as in the shader.
const NO_PLACE: u32 = u32::MAX;

/// A region whose stream lies on the GPU.
#[derive(Debug)]
pub(crate) struct GpuRegion {
    region: StoredRegion,
    stream: GpuStream,
}

/// Consecutive elements of a slice and of a region's stream.
struct Part {
    in_slice: u64,
    in_stream: u64,
    len: u64,
}

impl GpuRegion {
    /// Copies all regions of a stream to the GPU.
    pub fn upload_all(gpu: &Gpu, stream: &Stream<'_>) -> Result<Vec<GpuRegion>> {
        let upload = |(number, region): (usize, &StoredRegion)| {
            let stream = GpuStream::upload(gpu, &stream.region_stream(number)?)?;
            Ok(GpuRegion { region: region.clone(), stream })
        };
        stream.regions().iter().enumerate().map(upload).collect()
    }

    /// Bytes of GPU memory that its stream takes.
    pub fn bytes(&self) -> u64 {
        self.stream.bytes()
    }

    /// Puts what some runs of a field of `shape` have of the region into the slice of these.
    pub fn put(&self, gpu: &Gpu, shape: &[u64], runs: Runs, slice: &GpuSlice) -> Result<()> {
        let mut parts = Vec::new();
        for run in 0..runs.count {
            let first = runs.first + run * runs.stride;
            self.region.each_in(shape, (first, runs.len as usize), |from, of, n| {
                let in_slice = run * runs.len + from as u64;
                parts.push(Part { in_slice, in_stream: of as u64, len: n as u64 });
            });
        }
        let Some(own) = around(&parts, &self.stream.header().shape) else { return Ok(()) };
        // Ahead of their places: it tells whether they fit in a buffer.
        let decoded = self.stream.decode_runs(own)?;
        let mut places = vec![NO_PLACE; own.elements() as usize];
        for part in &parts {
            let Some(at) = own.position(part.in_stream) else { continue };
            let places = &mut places[at as usize..][..part.len as usize];
            for (place, element) in places.iter_mut().zip(part.in_slice..) {
                *place = element as u32;
            }
        }
        let places = gpu.filled("fsz places", &places)?;
        let (Some(from), Some(to)) = (decoded.tiles(), slice.tiles()) else { return Ok(()) };
        gpu.checked(|_| {
            let buffers = [&places, decoded.values(), from, slice.values(), to];
            let resources = buffers.map(|buffer| buffer.as_entire_binding());
            let groups = groups(own.elements().div_ceil(GROUP));
            gpu.submit(Pipeline::Put, resources, groups);
        })
    }
}

/// The fewest elements of a stream of this shape that have all the parts and are decoded at once: one of its slices, or
/// all from the first to the last; `None` for no parts.
fn around(parts: &[Part], shape: &[u64]) -> Option<Runs> {
    let first = parts.iter().map(|part| part.in_stream).min()?;
    let end = parts.iter().map(|part| part.in_stream + part.len).max()?;
    let mut inner = 1;
    let slices = (0..shape.len()).rev().filter_map(|axis| {
        let index = first / inner % shape[axis];
        inner *= shape[axis];
        let slice = Runs::slice(shape, axis, index).ok()?;
        let has = |part: &Part| {
            let last = slice.position(part.in_stream + part.len - 1)?;
            (slice.position(part.in_stream)? + part.len == last + 1).then_some(())
        };
        parts.iter().all(|part| has(part).is_some()).then_some(slice)
    });
    let line = Runs { first, stride: 0, count: 1, len: end - first };
    slices.chain([line]).min_by_key(Runs::elements)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_slice_are_decoded_as_one() {
        let shape = [4, 5, 6];
        let part = |in_stream, len| Part { in_slice: 0, in_stream, len };
        assert!(around(&[], &shape).is_none());
        // Two rows of a plane of the slowest axis, then the same row of two planes, then a column.
        let line = Runs { first: 32, stride: 0, count: 1, len: 10 };
        assert_eq!(around(&[part(32, 3), part(38, 4)], &shape), Some(line));
        let rows = around(&[part(72, 2), part(12, 3)], &shape);
        assert!(rows.is_some_and(|rows| rows == Runs::slice(&shape, 1, 2).unwrap()));
        let column = around(&[part(3, 1), part(117, 1), part(63, 1)], &shape);
        assert!(column.is_some_and(|column| column == Runs::slice(&shape, 2, 3).unwrap()));
        // No slice has both.
        let all = Runs { first: 0, stride: 0, count: 1, len: 120 };
        assert_eq!(around(&[part(0, 2), part(117, 3)], &shape), Some(all));
    }
}
