//! Planes that CUDA decodes.

use anyhow::Result;
use fsz::cuda::DeviceStream;
use fsz::{DType, Element};
use fsz_wgpu::GpuSlice;

use crate::model::document::Document;
use crate::model::grid::Grid;
use crate::model::plane::{Place, Plane};
use crate::work::decoder::Decoder;
use crate::work::decoder::painting::widened;
use crate::work::decoder::parts::{elements, put_together, window};
use crate::work::kept_streams::Part;

impl Decoder {
    pub(super) fn plane_on_cuda(&mut self, document: &Document, place: Place) -> Result<Plane> {
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
}

/// Of so many chunks of a stream a plane takes one at most, where the processor begins with it.
const LITTLE: usize = 8;

/// Whether a plane takes a small part of its stream.
pub(super) fn takes_little(document: &Document, place: Place) -> Result<bool> {
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

#[cfg(test)]
mod tests {
    use fsz::Profile;

    use super::*;
    use crate::work::decoder::DecoderChoice;
    use crate::work::decoder::samples::{alone, check, document};

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
}
