//! Planes that a GPU decodes, as wgpu reaches it.

use std::sync::Arc;

use anyhow::{Result, bail};
use fsz::DType;
use fsz_wgpu::{Gpu, GpuSlice, GpuStream};

use crate::model::document::Document;
use crate::model::grid::Grid;
use crate::model::plane::{Place, Plane};
use crate::work::decoder::Decoder;
use crate::work::decoder::painting::widened;
use crate::work::decoder::parts::put_together;
use crate::work::gpu_streams::GpuStreams;
use crate::work::kept_streams::Part;

impl Decoder {
    /// A plane that the GPU decodes; none while the processor has it sooner.
    pub(super) fn plane_on_gpu(
        &mut self,
        document: &Document,
        place: Place,
    ) -> Result<Option<Plane>> {
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

#[cfg(test)]
mod tests {
    use fsz::{Codec, Profile, Progress};

    use super::*;
    use crate::work::decoder::DecoderChoice;
    use crate::work::decoder::samples::{alone, check, compressed, document, profiles, value};

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
            let exact = decoder.plane(&document, place, true, &Progress::new()).unwrap();
            let shown = decoder.plane(&document, place, false, &Progress::new()).unwrap();
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
            assert!(
                !decoder.plane(&wide, Place::default(), false, &Progress::new()).unwrap().rounded
            );
        }
    }
}
