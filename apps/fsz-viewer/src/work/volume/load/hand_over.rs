//! A load that goes over from the processor to the GPU has the values of one by either alone.

use std::cell::Cell;
use std::collections::HashSet;

use fsz::{Dense, Profile};
use fsz_wgpu::{Look, Rays, VolumeColours};

use super::*;
use crate::model::volume::extent;
use crate::work::decoder::DecoderChoice;
use crate::work::volume::tests::{has_volumes, set_of};

/// A slab for each plane: more than the processor can be ahead of and the GPU is left out for.
const SIDES: [u64; 3] = [32, 16, 24];
const BUDGET: Budget = Budget { bytes: 1 << 20, longest: 64, slab: SIDES[1] * SIDES[2] };

/// Slabs that the processor has brought before the GPU is ready.
const BEFORE: usize = 3;

/// Elements of a voxel along each axis.
const STRIDE: [u64; 3] = [1, 8, 8];

/// The first tiles hold what is no number, and the others do not: they are of several kinds.
fn value(i: usize) -> f32 {
    if i < 300 && i % 100 < 3 { f32::NAN } else { (i as f32 * 0.01).sin() * 9.0 }
}

/// The bits of each voxel's value, as a ray through it alone picks it; none where it is no number.
fn values(volume: &Volume, range: Option<(f32, f32, bool)>) -> Vec<Option<u32>> {
    let [depth, height, width] = volume.sampling().size();
    let extent = extent(SIDES);
    let middle = |at: u64, side: u64| (2 * at + 1) as f32 / side as f32 - 1.0;
    let colours = VolumeColours { map: [0; 256], opacity: [1.0; 256], range };
    let voxels = (0..depth).flat_map(|z| (0..height).map(move |y| [z, y]));
    let voxels = voxels.flat_map(|[z, y]| (0..width).map(move |x| [z, y, x]));
    let value = |[z, y, x]: [u64; 3]| {
        let look = Look {
            size: [width as u32, height as u32],
            rays: Rays {
                origin: [[0.0, 0.0, -3.0], [extent[0], 0.0, 0.0], [0.0, extent[1], 0.0]],
                direction: [[0.0, 0.0, 1.0], [0.0; 3], [0.0; 3]],
            },
            extent,
            sides: SIDES,
            clip: [
                [0.25, 0.75].map(|part| (z as f32 + part) / depth as f32),
                [0.0, 1.0],
                [0.0, 1.0],
            ],
            step: 0.5,
            mode: Mode::Mip,
            section: None,
        };
        let hit = volume.pick(&look, &colours, [middle(x, width), middle(y, height)]).unwrap()?;
        let voxel: [u64; 3] = std::array::from_fn(|axis| hit.index[axis] / STRIDE[axis]);
        assert_eq!(voxel, [z, y, x]);
        Some(hit.value.to_bits())
    };
    voxels.map(value).collect()
}

/// A volume that is loaded while the GPU becomes ready when it is asked for the `ready`th time, from 0 on; whether it was brought
/// the stream, and how often it was asked.
fn loaded(
    choice: DecoderChoice,
    set: &Set,
    source: VolumeSource,
    ready: usize,
) -> (Vec<Option<u32>>, bool, usize) {
    let decoder = Decoder::open(choice, None);
    let gpu = Gpu::headless().unwrap();
    let streams = GpuStreams::default();
    let loader = Loader { decoder: &decoder, streams: &streams, gpu: &gpu, budget: BUDGET };
    let document = set.subject.as_ref().unwrap();
    let original = set.original.as_ref().filter(|_| source == VolumeSource::Error);
    let sampling = Sampling { start: [0; 3], count: SIDES, stride: STRIDE };
    let wanted = Wanted { source, unit: 1.0, document, original, sampling, missing: Vec::new() };
    let asked = Cell::new(0);
    let is_ready = || asked.replace(asked.get() + 1) >= ready;
    let volume = loader.loaded(&wanted, is_ready, || false).unwrap().unwrap();
    let range = (source != VolumeSource::Kinds).then_some((-9.0, 9.0, false));
    (values(&volume, range), streams.wgpu.has(document), asked.get())
}

#[test]
fn a_load_that_goes_over_to_the_gpu_has_the_values_of_either() {
    if !has_volumes() {
        return;
    }
    let shape = SIDES.map(|side| side as usize);
    for profile in [Profile::default(), Profile::Dense(Dense::new())] {
        let set = set_of(&shape, profile, value);
        for source in [VolumeSource::Reconstruction, VolumeSource::Error, VolumeSource::Kinds] {
            let of = |choice, ready| loaded(choice, &set, source, ready);
            let (by_processor, there, _) = of(DecoderChoice::Cpu, 0);
            assert!(!there);
            let (by_gpu, there, asked) = of(DecoderChoice::Gpu, 0);
            assert!(there && asked == 1, "the GPU decodes from the first slab on");
            // Once before the first slab, and before each one that the processor has brought.
            let (by_both, there, asked) = of(DecoderChoice::Gpu, 1 + BEFORE);
            assert!(there && asked == 2 + BEFORE, "the GPU goes on: {asked}");
            // With so little left, the processor ends what it began.
            let slabs = SIDES[0] as usize;
            let most = slabs - few(slabs);
            let (to_the_end, there, _) = of(DecoderChoice::Gpu, 1 + most);
            assert!(!there, "the GPU is left out");
            let seen: HashSet<_> = by_processor.iter().flatten().collect();
            assert!(seen.len() > 1, "{source:?} of {profile:?}: {seen:?}");
            for (how, found) in [("GPU", by_gpu), ("both", by_both), ("left out", to_the_end)] {
                assert_eq!(found, by_processor, "{how}: {source:?} of {profile:?}");
            }
        }
    }
}
