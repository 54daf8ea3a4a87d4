//! A GPU that is lost is an error, never a panic.

use fsz::{Bound, Codec, CompressOptions, Dense, Profile, Region};
use fsz_wgpu::{
    Cell, Colours, Error, Gpu, GpuSlice, GpuStream, Layout, Look, Mode, Rays, Result, Sampling,
    Slab, Subject, Volume, VolumeColours,
};
use ndarray::ArrayView3;

const SIDES: [u64; 3] = [4, 20, 33];

/// A GPU that this test alone has; none with a loud word.
fn own() -> Option<(wgpu::Device, Gpu)> {
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle());
    let opened = pollster::block_on(instance.request_adapter(&Default::default())).ok();
    let opened = opened.and_then(|adapter| {
        let required_limits = adapter.limits();
        let descriptor = wgpu::DeviceDescriptor { required_limits, ..Default::default() };
        pollster::block_on(adapter.request_device(&descriptor)).ok()
    });
    let gpu = opened.and_then(|(device, queue)| {
        let gpu = Gpu::new(device.clone(), queue).ok()?;
        gpu.check_volumes().ok()?;
        Some((device, gpu))
    });
    if gpu.is_none() {
        eprintln!("SKIPPED: a GPU that is lost: there is none");
    }
    gpu
}

fn value(i: usize) -> f32 {
    (i as f32 * 0.01).sin() * 9.0
}

fn colours() -> Colours {
    Colours {
        map: [0; 256],
        nan: 0,
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
    let Some((device, gpu)) = own() else { return };
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
