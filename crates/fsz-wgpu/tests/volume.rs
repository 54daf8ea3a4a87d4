//! Pictures of volumes whose projection is known in closed form, compared with it in numbers.

use fsz::{Bound, Codec, CompressOptions, Dense, Profile};
use fsz_wgpu::{
    Cell, Error, Gpu, GpuSlice, GpuStream, Look, Mode, Rays, Runs, Sampling, Section, Slab,
    TILE_KINDS, Volume, VolumeColours,
};
use ndarray::ArrayView;

/// Points of a picture along each side.
const POINTS: u32 = 96;

fn gpu() -> Option<Gpu> {
    match Gpu::headless().and_then(|gpu| gpu.check_volumes().map(|()| gpu)) {
        Ok(gpu) => Some(gpu),
        Err(reason) => {
            eprintln!("SKIPPED: volumes on the GPU: {reason}");
            None
        }
    }
}

/// A whole field, a voxel for each cell of `stride` elements, given to the GPU in slabs of `planes`.
fn volume(
    gpu: &Gpu,
    sides: [u64; 3],
    stride: [u64; 3],
    planes: u64,
    value: impl Fn([u64; 3]) -> f32,
) -> Volume {
    let sampling = Sampling { start: [0; 3], count: sides, stride };
    let volume = Volume::new(gpu, sampling).unwrap();
    let [depth, height, width] = sides;
    for first in (0..depth).step_by(planes as usize) {
        let end = (first + planes).min(depth);
        // In two bands of rows.
        let middle = (height / 2).next_multiple_of(stride[1]);
        for rows in [0..middle, middle..height] {
            let mut values = Vec::new();
            for z in first..end {
                for y in rows.clone() {
                    values.extend((0..width).map(|x| value([z, y, x])));
                }
            }
            let values = GpuSlice::upload(gpu, &values).unwrap();
            let slab = Slab { values: &values, original: None, columns: width, offset: 0 };
            let missing = [(-999f32).to_bits()];
            volume.fill([first..end, rows], slab, Cell::Mean, &missing).unwrap();
        }
    }
    volume.finish().unwrap();
    volume
}

/// The unit vectors across, down and along the rays of an eye that has gone `yaw` about the field and `pitch` up.
fn axes(yaw: f32, pitch: f32) -> [[f32; 3]; 3] {
    let (s, c) = yaw.sin_cos();
    let (p, q) = pitch.sin_cos();
    [[c, 0.0, -s], [-s * p, q, -c * p], [s * q, p, c * q]]
}

fn scaled(a: [f32; 3], by: f32) -> [f32; 3] {
    a.map(|a| a * by)
}

fn dot(a: [f32; 3], b: [f32; 3]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Parallel rays through a window of this half side.
fn parallel(sides: [u64; 3], (yaw, pitch): (f32, f32), half: f32, mode: Mode) -> Look {
    let [across, down, along] = axes(yaw, pitch);
    let longest = sides.into_iter().max().unwrap() as f32;
    Look {
        size: [POINTS; 2],
        rays: Rays {
            origin: [scaled(along, -3.0), scaled(across, half), scaled(down, half)],
            direction: [along, [0.0; 3], [0.0; 3]],
        },
        extent: std::array::from_fn(|k| 0.5 * sides[2 - k] as f32 / longest),
        sides,
        clip: [[0.0, 1.0]; 3],
        step: 0.5,
        mode,
        section: None,
    }
}

/// Where the ray through a point of the picture passes the plane through the middle of the field.
fn through(look: &Look, i: usize) -> [f32; 3] {
    let place = |i: u32, n: u32| (i as f32 + 0.5) / n as f32 * 2.0 - 1.0;
    let (a, b) = (place(i as u32 % POINTS, POINTS), place(i as u32 / POINTS, POINTS));
    std::array::from_fn(|k| a * look.rays.origin[1][k] + b * look.rays.origin[2][k])
}

/// Black to white over a range, of which everything from an entry on is opaque to this degree.
fn grey(low: f32, high: f32, from: usize, opacity: f32) -> VolumeColours {
    VolumeColours {
        map: std::array::from_fn(|i| 0xff00_0000 | (i as u32 * 0x01_0101)),
        opacity: std::array::from_fn(|i| if i >= from { opacity } else { 0.0 }),
        range: Some((low, high, false)),
    }
}

fn channels(points: &[u32]) -> Vec<[u8; 4]> {
    points.iter().map(|point| point.to_le_bytes()).collect()
}

/// A ball: its value falls from 1 in the middle to 0 at `radius`, in the unit of the longest side.
fn ball(sides: [u64; 3], radius: f32) -> impl Fn([u64; 3]) -> f32 {
    let longest = sides.into_iter().max().unwrap() as f32;
    move |index| {
        let from_middle = |k: usize| (index[k] as f32 + 0.5 - sides[k] as f32 / 2.0) / longest;
        let square: f32 = (0..3).map(|k| from_middle(k).powi(2)).sum();
        1.0 - square.sqrt() / radius
    }
}

/// Of the greatest values along rays through a ball each is that of the point next to the middle.
#[test]
fn a_ball_by_its_greatest_values() {
    let Some(gpu) = gpu() else { return };
    let sides = [40, 56, 64];
    let volume = volume(&gpu, sides, [1; 3], 7, ball(sides, 0.5));
    // Its least values lie in the corners.
    let colours = grey(-1.0, 1.0, 0, 0.0);
    for eye in [(0.0, 0.0), (0.7, 0.4), (-2.2, -1.1)] {
        let look = Look { step: 0.25, ..parallel(sides, eye, 0.6, Mode::Mip) };
        let found = channels(&volume.draw(&look, &colours).unwrap().read_back().unwrap());
        let mut seen = 0;
        for (i, point) in found.iter().enumerate() {
            let at = through(&look, i);
            let distance = dot(at, at).sqrt();
            // Rays this close to the middle pass through the field where they are next to it.
            if distance > 0.3 {
                continue;
            }
            let expected = (1.0 - distance / 0.5 + 1.0) / 2.0 * 255.0;
            assert_eq!(point[3], 255);
            let off = f32::from(point[0]) - expected;
            assert!(off.abs() < 2.5, "{} for {expected} at {at:?} from {eye:?}", point[0]);
            seen += 1;
        }
        assert!(seen > 1500, "{seen}");
    }
}

/// By the logarithm a value takes the colour of its place between the powers of the ends.
#[test]
fn a_slope_by_its_logarithm() {
    let Some(gpu) = gpu() else { return };
    let sides = [4, 4, 64];
    // Of 1 to 100 across the field.
    let value = |x: f32| 10f32.powf(2.0 * (x + 0.5) / 64.0);
    let volume = volume(&gpu, sides, [1; 3], 4, |[_, _, x]| value(x as f32));
    let colours = VolumeColours { range: Some((1.0, 100.0, true)), ..grey(1.0, 100.0, 0, 0.0) };
    let look = parallel(sides, (0.0, 0.0), 0.5, Mode::Mip);
    let found = channels(&volume.draw(&look, &colours).unwrap().read_back().unwrap());
    let mut seen = 0;
    for (i, point) in found.iter().enumerate() {
        let [x, y, _] = through(&look, i);
        // Within the field, which is low, and not at its ends.
        if y.abs() > 0.02 || x.abs() > 0.48 {
            continue;
        }
        let expected = (x + 0.5) * 255.0;
        let off = f32::from(point[0]) - expected;
        assert!(off.abs() < 2.5, "{} for {expected}", point[0]);
        seen += 1;
    }
    assert!(seen > 300, "{seen}");
}

/// Light through a ball of one density dies away with the length of the chord.
#[test]
fn a_ball_of_one_density() {
    let Some(gpu) = gpu() else { return };
    let sides = [64; 3];
    let volume = volume(&gpu, sides, [1; 3], 64, ball(sides, 0.4));
    // What is above 0 is in the ball: half of an entry lies below the entry's value.
    let (opacity, depth) = (0.3, 0.1);
    let colours = grey(-1.0, 1.0, 128, opacity);
    let radius = 0.4 * (1.0 - (127.5 / 255.0 * 2.0 - 1.0));
    for eye in [(0.0, 0.0), (0.7, 0.4)] {
        let look = Look { step: 0.25, ..parallel(sides, eye, 0.6, Mode::Compositing { depth }) };
        let found = channels(&volume.draw(&look, &colours).unwrap().read_back().unwrap());
        let (mut sum, mut expected_sum) = (0.0, 0.0);
        for (i, point) in found.iter().enumerate() {
            let at = through(&look, i);
            let square = radius * radius - dot(at, at);
            let chord = 2.0 * square.max(0.0).sqrt();
            let expected = 255.0 * (1.0 - (1.0f32 - opacity).powf(chord / depth));
            let off = f32::from(point[3]) - expected;
            sum += f32::from(point[3]);
            expected_sum += expected;
            // At the rim a chord grows faster than samples are taken.
            let most = if square.abs() < 0.02 * radius { 40.0 } else { 4.0 };
            assert!(off.abs() < most, "{} for {expected} at {at:?} from {eye:?}", point[3]);
            assert!(point[..3].iter().all(|&c| c <= point[3]), "premultiplied");
        }
        assert!((sum / expected_sum - 1.0f32).abs() < 0.005, "{sum} for {expected_sum}");
    }
}

/// A box of one value, turned: the same with a known chord through each point, from a near eye too.
#[test]
fn rays_of_an_eye_at_a_point() {
    let Some(gpu) = gpu() else { return };
    let sides = [16, 24, 32];
    let volume = volume(&gpu, sides, [1; 3], 5, |_| 1.0);
    let (opacity, depth) = (0.2, 0.25);
    let mut look = parallel(sides, (0.5, -0.3), 0.5, Mode::Compositing { depth });
    let [across, down, along] = axes(0.5, -0.3);
    look.rays = Rays {
        origin: [scaled(along, -1.5), [0.0; 3], [0.0; 3]],
        direction: [along, scaled(across, 0.6), scaled(down, 0.6)],
    };
    look.clip = [[0.0, 1.0], [0.25, 1.0], [0.0, 0.75]];
    let found = volume.draw(&look, &grey(0.0, 1.0, 128, opacity)).unwrap().read_back().unwrap();
    let mut passing = 0;
    for (i, point) in channels(&found).iter().enumerate() {
        let place = |i: usize| (i as f32 + 0.5) / POINTS as f32 * 2.0 - 1.0;
        let (a, b) = (place(i % POINTS as usize), place(i / POINTS as usize));
        let towards: [f32; 3] = std::array::from_fn(|k| {
            along[k] + a * look.rays.direction[1][k] + b * look.rays.direction[2][k]
        });
        let length = dot(towards, towards).sqrt();
        let (mut begin, mut end) = (0f32, f32::MAX);
        for (k, towards) in towards.into_iter().enumerate() {
            let clip = look.clip[2 - k].map(|part| (2.0 * part - 1.0) * look.extent[k]);
            let t = clip.map(|at| (at - look.rays.origin[0][k]) / (towards / length));
            (begin, end) = (begin.max(t[0].min(t[1])), end.min(t[0].max(t[1])));
        }
        let chord = (end - begin).max(0.0);
        let expected = 255.0 * (1.0 - (1.0f32 - opacity).powf(chord / depth));
        let off = f32::from(point[3]) - expected;
        assert!(off.abs() < 1.5, "{} for {expected} at {a} {b}", point[3]);
        passing += usize::from(chord > 0.0);
    }
    assert!(passing > 1000, "{passing}");
}

/// The isosurface of a slope is a plane: all of it is lit alike, by the angle between it and the rays.
#[test]
fn the_isosurface_of_a_slope() {
    let Some(gpu) = gpu() else { return };
    let sides = [32, 48, 64];
    // One unit in 64 elements along the fastest axis, and half as much along the next.
    let slope = |[_, y, x]: [u64; 3]| {
        (x as f32 + 0.5) / 64.0 - 0.5 + 0.5 * ((y as f32 + 0.5) / 64.0 - 0.375)
    };
    let volume = volume(&gpu, sides, [1; 3], 32, slope);
    let iso = 0.1;
    let colours = grey(-1.0, 1.0, 0, 0.0);
    let base = ((iso + 1.0) / 2.0 * 255.0f32).round();
    for eye in [(1.2, 0.1), (2.0, -0.5)] {
        let look = parallel(sides, eye, 0.5, Mode::Isosurface { value: iso });
        let [_, _, along] = axes(eye.0, eye.1);
        let normal = scaled([1.0, 0.5, 0.0], 1.25f32.sqrt().recip());
        let light = 0.25 + 0.75 * dot(normal, along).abs();
        let found = channels(&volume.draw(&look, &colours).unwrap().read_back().unwrap());
        let (mut inside, mut outside) = (0, 0);
        for (i, point) in found.iter().enumerate() {
            let at = through(&look, i);
            // Where the ray meets the plane x + y / 2 = iso.
            let towards = along[0] + 0.5 * along[1];
            let t = (iso - at[0] - 0.5 * at[1]) / towards;
            let hit: [f32; 3] = std::array::from_fn(|k| at[k] + t * along[k]);
            let margin = (0..3).map(|k| look.extent[k] - hit[k].abs()).fold(f32::MAX, f32::min);
            // The outermost voxels have no slope across the border.
            if margin > 0.03 {
                let expected = base * light;
                assert_eq!(point[3], 255, "at {hit:?}");
                let off = f32::from(point[0]) - expected;
                assert!(off.abs() < 2.0, "{} for {expected} at {hit:?}", point[0]);
                inside += 1;
            } else if margin < -0.02 {
                assert_eq!(*point, [0; 4], "at {hit:?}");
                outside += 1;
            }
        }
        assert!(inside > 800 && outside > 800, "{inside} {outside}");
        // The same in numbers: what is under the pointer in the middle of the picture.
        let hit = volume.pick(&look, &colours, [0.0, 0.0]).unwrap().expect("a surface");
        let [_, y, x] = hit.index;
        assert!((slope([0, y, x]) - iso).abs() < 0.02 && hit.value == iso, "{hit:?}");
    }
}

/// What is NaN or missing lets all light pass, and does not spoil what lies beside it.
#[test]
fn what_is_no_number_is_transparent() {
    let Some(gpu) = gpu() else { return };
    let sides = [8, 8, 64];
    let half = |[_, _, x]: [u64; 3]| match x {
        0..16 => f32::NAN,
        16..24 => -999.0,
        24..32 => f32::INFINITY,
        _ => 1.0,
    };
    let of_half = volume(&gpu, sides, [1; 3], 8, half);
    let nothing = volume(&gpu, sides, [1; 3], 3, |_| f32::NAN);
    let colours = grey(0.0, 2.0, 0, 0.9);
    for mode in [Mode::Mip, Mode::Compositing { depth: 0.001 }, Mode::Isosurface { value: 0.5 }] {
        let look = parallel(sides, (0.0, 0.0), 0.05, mode);
        let found = channels(&of_half.draw(&look, &colours).unwrap().read_back().unwrap());
        let iso = matches!(mode, Mode::Isosurface { .. });
        for (i, point) in found.iter().enumerate() {
            let x = through(&look, i)[0];
            match x {
                _ if iso || x < -0.01 => assert_eq!(*point, [0; 4], "{mode:?} at {x}"),
                _ if x > 0.01 => {
                    let near = point[0].abs_diff(128) <= 1 && point[3] == 255;
                    assert!(near, "{point:?} {mode:?} at {x}");
                }
                _ => {}
            }
        }
        let found = nothing.draw(&look, &colours).unwrap().read_back().unwrap();
        assert!(found.iter().all(|&point| point == 0), "{mode:?}");
        assert_eq!(nothing.pick(&look, &colours, [0.0; 2]).unwrap(), None);
    }
}

/// A voxel that stands for many elements has their mean; what is no number has no part in it.
#[test]
fn coarse_voxels_are_means() {
    let Some(gpu) = gpu() else { return };
    let sides = [6, 12, 70];
    let value = |[z, y, x]: [u64; 3]| match x % 7 {
        3 => f32::NAN,
        5 => -999.0,
        _ => (z * 840 + y * 70 + x) as f32 / 5040.0,
    };
    let stride = [4, 3, 5];
    // Slabs of 4 planes begin with voxels.
    let volume = volume(&gpu, sides, stride, 4, value);
    let [depth, height, width] = volume.sampling().size();
    assert_eq!([depth, height, width], [2, 4, 14]);
    for z in 0..depth {
        for y in 0..height {
            for x in 0..width {
                let mut numbers = Vec::new();
                for dz in z * 4..(z * 4 + 4).min(6) {
                    for dy in y * 3..(y * 3 + 3).min(12) {
                        numbers.extend((x * 5..x * 5 + 5).map(|dx| value([dz, dy, dx])));
                    }
                }
                numbers.retain(|v| !v.is_nan() && *v != -999.0);
                let mean = numbers.iter().sum::<f32>() / numbers.len() as f32;
                // A look along the slowest axis at the middle of this voxel alone.
                let mut look = parallel(sides, (0.0, 0.0), 0.5, Mode::Mip);
                look.clip[0] = [1.999, 2.0].map(|at| (z as f32 * 4.0 + at) / 6.0);
                let middle = [
                    ((x as f32 + 0.5) * 5.0 / 70.0 - 0.5) * 2.0 * look.extent[0],
                    ((y as f32 + 0.5) * 3.0 / 12.0 - 0.5) * 2.0 * look.extent[1],
                ];
                let colours = grey(0.0, 1.0, 0, 0.0);
                let at = middle.map(|m| m / 0.5);
                let hit = volume.pick(&look, &colours, at).unwrap().expect("a value");
                assert!((hit.value - mean).abs() < 1e-3, "{} for {mean} at {z} {y} {x}", hit.value);
                assert_eq!(hit.index[1] / 3, y);
                assert_eq!(hit.index[2] / 5, x);
            }
        }
    }
}

/// The slice that is looked at lies where it is, before what is behind it and behind what is before it.
#[test]
fn a_section_lies_in_its_place() {
    let Some(gpu) = gpu() else { return };
    let sides = [16; 3];
    let volume = volume(&gpu, sides, [1; 3], 16, |[z, ..]| if z < 8 { 0.0 } else { 1.0 });
    // Only what is 1 is opaque, and it begins behind plane 7.
    let colours = grey(0.0, 1.0, 250, 0.99);
    let mut look = parallel(sides, (0.0, 0.0), 0.3, Mode::Compositing { depth: 0.001 });
    let mut grey_of = |index: u64, opacity| {
        look.section = Some(Section { axis: 0, index, opacity });
        let found = channels(&volume.draw(&look, &colours).unwrap().read_back().unwrap());
        found[found.len() / 2]
    };
    assert_eq!(grey_of(2, 1.0), [0, 0, 0, 255], "the slice's zero hides what is behind it");
    let half = grey_of(2, 0.5);
    assert!(half[0].abs_diff(128) <= 2 && half[3] == 255, "{half:?}");
    assert_eq!(grey_of(12, 1.0)[..], [255; 4], "it is hidden itself");
    // Without anything else it alone is seen.
    look.section = Some(Section { axis: 0, index: 12, opacity: 1.0 });
    let alone = volume.draw(&look, &grey(0.0, 2.0, 255, 0.5)).unwrap().read_back().unwrap();
    let middle = channels(&alone)[alone.len() / 2];
    assert!(middle[0].abs_diff(128) <= 1 && middle[3] == 255, "{middle:?}");
}

/// Values, errors and kinds of both profiles, decoded on the GPU from a stream.
#[test]
fn streams_become_volumes() {
    let Some(gpu) = gpu() else { return };
    let sides = [20usize, 18, 70];
    let values: Vec<f32> = (0..sides.iter().product())
        .map(|i| if i % 700 < 9 { f32::NAN } else { (i as f32 * 0.013).sin() * 9.0 })
        .collect();
    let view = ArrayView::from_shape(sides, &values).unwrap();
    for profile in [Profile::default(), Profile::Dense(Dense::new())] {
        let options = CompressOptions::new(Bound::Absolute(0.05)).profile(profile);
        let stream = Codec::cpu().compress_with(view, &options).unwrap();
        let decoded = Codec::cpu().decompress::<f32>(&stream).unwrap();
        let on_gpu = GpuStream::upload(&gpu, &stream).unwrap();
        // The part from plane 3, row 2, column 5 on.
        let sampling = Sampling { start: [3, 2, 5], count: [12, 15, 60], stride: [1; 3] };
        let (first, row) = (3 * 18 * 70 + 2 * 70, 70);
        let runs = Runs { first, stride: 18 * 70, count: 12, len: 15 * row };
        let slice = on_gpu.decode_runs(runs).unwrap();
        let part = |z: usize| &values[(3 + z) * 1260 + 140..][..15 * 70];
        let original: Vec<f32> = (0..12).flat_map(part).copied().collect();
        let original = GpuSlice::upload(&gpu, &original).unwrap();
        let slab = Slab { values: &slice, original: None, columns: row, offset: 5 };
        let cells = [Cell::Mean, Cell::LargestError(&original), Cell::Kind];
        for (number, cell) in cells.into_iter().enumerate() {
            let volume = Volume::new(&gpu, sampling).unwrap();
            volume.fill([0..12, 0..15], slab, cell, &[]).unwrap();
            volume.finish().unwrap();
            for index in [[3, 2, 5], [9, 9, 33], [14, 16, 64]] {
                let at = [index[0] as usize, index[1] as usize, index[2] as usize];
                let (value, before) = (decoded[at], view[at]);
                let shape = sides.map(|n| n as u64);
                let mut look = parallel(shape, (0.0, 0.0), 0.5, Mode::Mip);
                look.clip[0] = [0.49, 0.51].map(|at| (index[0] as f32 + at) / 20.0);
                let part = |k: usize| (index[k] as f32 + 0.5) / shape[k] as f32 * 2.0 - 1.0;
                let point = [part(2), part(1) * 18.0 / 70.0];
                let range = (number < 2).then_some((-10.0, 10.0, false));
                let colours = VolumeColours { range, ..grey(0.0, 1.0, 0, 0.0) };
                let hit = volume.pick(&look, &colours, point).unwrap();
                let expected = match number {
                    0 => value,
                    1 if value.to_bits() == before.to_bits() => 0.0,
                    1 => (value - before).abs(),
                    _ => {
                        let kind = kind_at(&stream, at, sides);
                        TILE_KINDS.iter().position(|&k| k == kind).unwrap() as f32
                    }
                };
                if expected.is_nan() {
                    continue;
                }
                let hit = hit.expect("a value");
                // The look is a fiftieth of a voxel deep.
                let near = (hit.value - expected).abs() <= [0.2, 2e-3, 0.0][number];
                assert!(near, "{hit:?} for {expected}");
                assert_eq!(hit.index, index);
            }
        }
    }
}

fn kind_at(stream: &fsz::Stream<'_>, at: [usize; 3], sides: [usize; 3]) -> fsz::TileKind {
    let position = (at[0] * sides[1] + at[1]) * sides[2] + at[2];
    let (tile, _) = stream.grid().locate(position as u64);
    let mut records = stream.tile_records();
    let of_chunks = (0..stream.chunks()).flat_map(|chunk| {
        records.chunk(chunk).unwrap().iter().map(|r| (r.index, r.kind())).collect::<Vec<_>>()
    });
    of_chunks.into_iter().find(|(index, _)| *index == tile).expect("a tile").1
}

#[test]
fn what_cannot_be_a_volume_is_refused() {
    let Some(gpu) = gpu() else { return };
    let longest = u64::from(Volume::longest(&gpu));
    let sampling = |count, stride| Sampling { start: [0; 3], count, stride };
    for (count, stride) in [([0, 4, 4], [1; 3]), ([longest + 1, 1, 1], [1; 3]), ([4; 3], [0, 1, 1])]
    {
        let found = Volume::new(&gpu, sampling(count, stride));
        assert!(matches!(found, Err(Error::InvalidArgument(_))), "{count:?} {stride:?}");
    }
    let volume = Volume::new(&gpu, sampling([8, 4, 4], [4, 1, 1])).unwrap();
    let values = GpuSlice::upload(&gpu, &[0.0; 64]).unwrap();
    let slab = Slab { values: &values, original: None, columns: 4, offset: 0 };
    let refused = |planes, slab, cell| {
        let found = volume.fill([planes, 0..4], slab, cell, &[]);
        assert!(matches!(found, Err(Error::InvalidArgument(_))), "{found:?}");
    };
    refused(1..5, slab, Cell::Mean);
    refused(0..3, slab, Cell::Mean);
    refused(4..12, slab, Cell::Mean);
    refused(0..8, slab, Cell::Mean);
    refused(0..4, Slab { offset: 1, ..slab }, Cell::Mean);
    refused(0..4, slab, Cell::Kind);
    let short = GpuSlice::upload(&gpu, &[0.0; 63]).unwrap();
    refused(0..4, slab, Cell::LargestError(&short));
    let rows = volume.fill([0..4, 1..4], slab, Cell::Mean, &[]);
    assert!(matches!(rows, Err(Error::InvalidArgument(_))), "a slab of other rows");
    volume.fill([0..4, 0..4], slab, Cell::Mean, &[]).unwrap();
    let look = Look { size: [0, 5], ..parallel([8, 4, 4], (0.0, 0.0), 0.5, Mode::Mip) };
    let drawn = volume.draw(&look, &grey(0.0, 1.0, 0, 1.0));
    assert!(matches!(drawn, Err(Error::InvalidArgument(_))));
}
