//! GPUs that are lost or have small buffers: each test opens one of its own.

use std::sync::{Mutex, MutexGuard, PoisonError};

use fsz::{Bound, Codec, CompressOptions, Dense, Profile, Region};
use fsz_wgpu::{
    Cell, Colours, Error, Gpu, GpuSlice, GpuStream, Layout, Look, Mode, Rays, Result, Sampling,
    Slab, Subject, Volume, VolumeColours,
};
use ndarray::ArrayView3;

const SIDES: [u64; 3] = [4, 20, 33];

/// A GPU that a test alone has, with its own limits made smaller; none with a loud word. One test at a time: where threads
/// opened one each, a driver was seen to hang.
fn own(
    what: &str,
    smaller: impl FnOnce(wgpu::Limits) -> wgpu::Limits,
) -> Option<(MutexGuard<'static, ()>, wgpu::Device, Gpu)> {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let Ok(adapter) = pollster::block_on(instance.request_adapter(&Default::default())) else {
        eprintln!("SKIPPED: {what}: there is no GPU");
        return None;
    };
    let required_limits = smaller(adapter.limits());
    let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
    let (device, queue) = pollster::block_on(adapter.request_device(&descriptor)).unwrap();
    match Gpu::new(device.clone(), queue).and_then(|gpu| gpu.check_volumes().map(|()| gpu)) {
        Ok(gpu) => Some((alone, device, gpu)),
        Err(reason) => {
            eprintln!("SKIPPED: {what}: {reason}");
            None
        }
    }
}

fn value(i: usize) -> f32 {
    (i as f32 * 0.01).sin() * 9.0
}

fn colours() -> Colours {
    Colours {
        map: [0; 256],
        nan: 0,
        infinite: 0,
        missing_colour: 0,
        alarm: 0,
        outside: 0,
        missing: Vec::new(),
        kinds: Default::default(),
        scale: [0; 256],
        overlay: None,
    }
}

fn look() -> Look {
    Look {
        size: [16, 16],
        rays: Rays {
            origin: [[0.0, 0.0, -3.0], [0.5, 0.0, 0.0], [0.0, 0.5, 0.0]],
            direction: [[0.0, 0.0, 1.0], [0.0; 3], [0.0; 3]],
        },
        extent: [0.5, 0.3, 0.1],
        sides: SIDES,
        clip: [[0.0, 1.0]; 3],
        step: 0.5,
        mode: Mode::Mip,
        section: None,
    }
}

#[test]
fn a_lost_gpu_is_an_error() {
    let Some((_alone, device, gpu)) = own("a GPU that is lost", |limits| limits) else { return };
    let values: Vec<f32> = (0..SIDES.iter().product::<u64>() as usize).map(value).collect();
    let view = ArrayView3::from_shape(SIDES.map(|side| side as usize), &values).unwrap();
    let streams = [Profile::default(), Profile::Dense(Dense::new())].map(|profile| {
        let inner = Region::in_box(&[1, 2, 3], &[3, 9, 20], Bound::Absolute(1e-4));
        let options = CompressOptions::new(Bound::Absolute(1e-2)).profile(profile).region(inner);
        Codec::cpu().compress_with(view, &options).unwrap()
    });
    let there = streams.each_ref().map(|stream| GpuStream::upload(&gpu, stream).unwrap());
    let slice = there[0].decode_slice(0, 1).unwrap();
    let layout = Layout { rows: 20, columns: 33, step: 1 };
    let subject = Subject::Values { low: 0.0, high: 1.0, log: false };
    let paint = || slice.paint(subject, None, layout, &colours());
    let picture = paint().unwrap();
    let sampling = Sampling { start: [0; 3], count: SIDES, stride: [1; 3] };
    let volume = Volume::new(&gpu, sampling).unwrap();
    let elements = GpuSlice::upload(&gpu, &values).unwrap();
    let fill = || {
        let slab = Slab { values: &elements, original: None, columns: SIDES[2], offset: 0 };
        volume.fill([0..SIDES[0], 0..SIDES[1]], slab, Cell::Mean, &[])
    };
    fill().unwrap();
    volume.finish().unwrap();
    let look = look();
    let range = Some((-9.0, 9.0, false));
    let map = VolumeColours { map: [0; 256], opacity: [0.5; 256], range };

    device.destroy();
    let is_told = |what: &str, result: Result<()>| {
        assert!(matches!(result, Err(Error::Device(_))), "{what}: {result:?}");
    };
    for (stream, there) in streams.iter().zip(&there) {
        is_told("upload", GpuStream::upload(&gpu, stream).map(drop));
        is_told("decode", there.decode_slice(1, 2).map(drop));
    }
    is_told("slice", GpuSlice::upload(&gpu, &values).map(drop));
    is_told("tiles", GpuSlice::of_tiles(&gpu, &[0; 8]).map(drop));
    is_told("values", slice.read_back().map(drop));
    is_told("paint", paint().map(drop));
    is_told("picture", picture.read_back().map(drop));
    is_told("fill", fill());
    is_told("draw", volume.draw(&look, &map).map(drop));
    is_told("pick", volume.pick(&look, &map, [0.0; 2]).map(drop));
    // The call that uses what these made tells of it.
    let _ = volume.finish();
    gpu.prepare_slices(&Profile::default());
    let _ = Volume::new(&gpu, sampling);
}

/// The elements of a mask that a column meets may be many more than its own.
#[test]
fn a_region_that_fits_in_no_buffer_is_left_to_the_cpu() {
    let smaller = |limits| wgpu::Limits {
        max_buffer_size: 1 << 16,
        max_storage_buffer_binding_size: 1 << 16,
        max_uniform_buffer_binding_size: 1 << 14,
        ..limits
    };
    let Some((_alone, _, gpu)) = own("small buffers on the GPU", smaller) else { return };
    let shape = [40, 30, 33];
    let values: Vec<f32> = (0..40 * 30 * 33).map(value).collect();
    let mask = (0..values.len()).map(|i| i % 2 == 0).collect();
    let region = Region::where_set(mask, Bound::Absolute(0.1));
    let options = CompressOptions::new(Bound::Absolute(0.5)).region(region);
    let view = ArrayView3::from_shape(shape, &values).unwrap();
    let stream = Codec::cpu().compress_with(view, &options).unwrap();
    let stream = GpuStream::upload(&gpu, &stream).unwrap();
    assert_eq!(stream.decode_slice(0, 3).unwrap().len(), 30 * 33);
    let refused = stream.decode_slice(2, 4);
    assert!(matches!(refused, Err(Error::Unsupported(_))), "{refused:?}");
}
