//! Slices that CUDA decodes to memory that it shares with wgpu are those of the CPU, bit for bit, however often that memory is
//! used again.

use std::collections::{HashSet, VecDeque};

use fsz::cuda::{DeviceCodec, DeviceStream};
use fsz::{Bound, Codec, CompressOptions, Dense, Profile, Region, Stream};
use fsz_wgpu::{Colours, Gpu, GpuSlice, Layout, Picture, SharedMemory, Subject, TILE_KINDS};
use ndarray::ArrayViewD;

/// The CUDA device.
const DEVICE: usize = 0;

/// The GPU and its shared memory, or none with a loud word.
fn shared(what: &str) -> Option<(Gpu, SharedMemory)> {
    let skip = |reason: String| eprintln!("SKIPPED: {what}: {reason}");
    if let Err(reason) = DeviceCodec::open(DEVICE) {
        skip(reason.to_string());
        return None;
    }
    let gpu = Gpu::headless().map_err(|reason| skip(reason.to_string())).ok()?;
    let memory = SharedMemory::of(&gpu, DEVICE);
    if memory.is_none() {
        skip(format!("{} shares no memory with CUDA device {DEVICE}", gpu.name()));
    }
    Some((gpu, memory?))
}

fn value(i: usize) -> f32 {
    if i % 700 < 30 { f32::NAN } else { (i as f32 * 0.01).sin() * 9.0 }
}

/// Streams of a field in both profiles, and with bounds by region.
fn streams(shape: &[usize]) -> Vec<Stream<'static>> {
    let values: Vec<f32> = (0..shape.iter().product()).map(value).collect();
    let view = ArrayViewD::from_shape(shape, &values).unwrap();
    let options = CompressOptions::new(Bound::Absolute(1e-3));
    let mask = (0..values.len()).map(|i| i % 11 < 2).collect();
    let region = Region::where_set(mask, Bound::Absolute(1e-5));
    let of = |profile| {
        let plain = options.clone().profile(profile);
        [plain.clone(), plain.region(region.clone())]
    };
    let all = [Profile::default(), Profile::Dense(Dense::new())].into_iter().flat_map(of);
    all.map(|options| Codec::cpu().compress_with(view.view(), &options).unwrap()).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Grey from −9 to 9.
fn painted(slice: &GpuSlice) -> Picture {
    let layout = Layout { rows: 1, columns: slice.len() as u32, step: 1 };
    let colours = Colours {
        map: std::array::from_fn(|at| 0xff00_0000 | (at as u32 * 0x01_0101)),
        nan: 0xff00_00ff,
        missing_colour: 0,
        alarm: 0,
        outside: 0,
        missing: Vec::new(),
        kinds: [0; TILE_KINDS.len()],
        scale: [0; 256],
        overlay: None,
    };
    slice
        .paint(Subject::Values { low: -9.0, high: 9.0, log: false }, None, layout, &colours)
        .unwrap()
}

/// A slice, decoded by CUDA, and its values, decoded by the CPU.
fn decoded(
    memory: &SharedMemory,
    (stream, there): (&Stream<'_>, &DeviceStream),
    axis: usize,
    index: u64,
) -> (GpuSlice, Vec<f32>) {
    let (start, count) = fsz::slice_box(&stream.header().shape, axis, index).unwrap();
    let len = count.iter().product();
    let mut expected = vec![0f32; len as usize];
    Codec::cpu().decompress_box_into(stream, &start, &count, &mut expected).unwrap();
    let mut buffer = memory.buffer(len).unwrap();
    let lent = there.decompress_box_to(&start, &count, buffer.memory(), bits);
    assert_eq!(lent.unwrap(), bits(&expected), "lent: slice {index} of axis {axis}");
    (buffer.into_slice(), expected)
}

#[test]
fn slices_in_shared_memory_are_those_of_the_cpu() {
    let Some((gpu, memory)) = shared("slices in memory shared with CUDA") else { return };
    // Sides that are near each other: buffers of one axis serve another.
    let (shape, mut buffers, mut slices) = ([21, 27, 34], HashSet::new(), 0);
    for stream in streams(&shape) {
        let there = DeviceStream::upload(DEVICE, &stream).unwrap();
        let mut alive = VecDeque::new();
        for turn in 0..60 {
            let axis = turn % 3;
            let index = (turn * 7 % shape[axis]) as u64;
            alive.push_back(decoded(&memory, (&stream, &there), axis, index));
            buffers.insert(alive[alive.len() - 1].0.values().clone());
            slices += 1;
            // Those that were decoded before are as they were.
            for (slice, expected) in &alive {
                assert_eq!(bits(&slice.read_back().unwrap()), bits(expected), "turn {turn}");
            }
            while alive.len() > turn % 4 {
                alive.pop_front();
            }
        }
        let (slice, expected) = decoded(&memory, (&stream, &there), 0, 3);
        let brought = painted(&GpuSlice::upload(&gpu, &expected).unwrap());
        assert_eq!(painted(&slice).read_back().unwrap(), brought.read_back().unwrap());
    }
    assert!(buffers.len() * 4 < slices, "{} buffers for {slices} slices", buffers.len());
}

#[test]
fn shared_memory_is_used_again_when_the_gpu_is_past_it() {
    let Some((gpu, memory)) = shared("memory shared with CUDA, used again at once") else { return };
    let shape = [30, 64, 96];
    let stream = streams(&shape).swap_remove(0);
    let there = DeviceStream::upload(DEVICE, &stream).unwrap();
    // No picture is waited for before the next slice is decoded.
    let painted = (0..shape[0] as u64).map(|index| {
        let (slice, expected) = decoded(&memory, (&stream, &there), 0, index);
        (painted(&slice), expected)
    });
    for (picture, expected) in painted.collect::<Vec<_>>() {
        let brought = GpuSlice::upload(&gpu, &expected).unwrap();
        let brought = self::painted(&brought).read_back().unwrap();
        assert_eq!(picture.read_back().unwrap(), brought);
    }
}

#[test]
fn what_does_not_fit_is_not_decoded() {
    let Some((_, memory)) = shared("memory shared with CUDA that is too small") else { return };
    let stream = streams(&[6, 20, 30]).swap_remove(0);
    let there = DeviceStream::upload(DEVICE, &stream).unwrap();
    let mut buffer = memory.buffer(599).unwrap();
    let read = |_: &[f32]| panic!("nothing is lent");
    let answer = there.decompress_box_to(&[0, 0, 0], &[1, 20, 30], buffer.memory(), read);
    assert!(matches!(answer, Err(fsz::Error::InvalidArgument(_))), "{answer:?}");
    // One that holds nothing.
    assert!(memory.buffer(0).unwrap().into_slice().read_back().unwrap().is_empty());
}
