//! Planes are brought to the GPU that paints them.

use std::sync::Arc;

use fsz_wgpu::{Gpu, GpuSlice};
use rayon::prelude::*;

use crate::model::plane::Plane;
use crate::work::decoder::Decoder;

/// A plane of up to so many values that CUDA decoded is painted by the processor, which has them: a GPU that changes from CUDA
/// to what draws the window takes longer than that.
const PAINTED_HERE: usize = 1 << 20;

impl Decoder {
    /// Whether planes are brought to a GPU to be painted.
    pub fn paints(&self) -> bool {
        self.painter.is_some()
    }

    /// The GPU that planes are brought to, to be painted.
    pub fn painter(&self) -> Option<&Gpu> {
        self.painter.as_ref()
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
    pub(super) fn painter_of(&self, values: usize) -> Option<&Gpu> {
        let painter = self.painter.as_ref().filter(|gpu| self.has_shaders(gpu, None));
        painter.filter(|_| !self.is_cuda() || values > PAINTED_HERE)
    }

    /// Gives a plane what was uploaded of it.
    pub(super) fn keep(&mut self, plane: &mut Plane, slice: Option<fsz_wgpu::Result<GpuSlice>>) {
        match slice {
            None => {}
            Some(Ok(slice)) => plane.slice = Some(Arc::new(slice)),
            Some(Err(reason)) => {
                self.painter = None;
                self.note = Some(format!("{reason}; rendering on the CPU from now on"));
            }
        }
    }
}

/// The numbers of a plane.
pub(super) fn widened(values: &[f32]) -> Vec<f64> {
    values.par_iter().copied().map(f64::from).collect()
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
    use fsz::{Profile, Progress};

    use super::*;
    use crate::model::plane::Place;
    use crate::work::decoder::DecoderChoice;
    use crate::work::decoder::samples::{alone, check, document};

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
            let mut plane =
                decoder.plane(&document, Place::default(), false, &Progress::new()).unwrap();
            assert_eq!(plane.slice.is_some(), is_there);
            decoder.place(&mut plane, None);
            assert_eq!(plane.slice.is_some(), is_there);
            check(&mut decoder, &document, Place { axis: 0, plane: 1 });
        }
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
