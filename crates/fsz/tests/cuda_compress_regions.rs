//! Fields in device memory are compressed with bounds by region: the CPU's bytes, none outside of the output, and a reason
//! where that cannot be. Runs as `cuda` does.
#![cfg(feature = "cuda")]

mod common;
#[path = "common/guarded.rs"]
mod guarded;

use std::ptr::null_mut;

use common::{
    compress,
    inputs::{KINDS, Random, field},
    or_skip, profiles, some,
};
use fsz::{
    Bound, Codec, CompressOptions, DType, Dense, Element, Error, Layout, Mask, Profile, Region,
    Stream,
    cuda::{Compression, DeviceCodec, StreamKind},
};
use guarded::Guarded;

fn device(what: &str) -> Option<DeviceCodec> {
    or_skip(what, DeviceCodec::open(0))
}

/// What compressing in device memory makes in an output of `capacity` bytes: the stream, in all of the output. The field
/// begins `offset` bytes behind a multiple of 4096.
fn there<T: Element>(
    codec: &DeviceCodec,
    (data, offset): (&[T], usize),
    shape: &[u64],
    options: &CompressOptions,
    capacity: usize,
) -> Result<Vec<u8>, Error> {
    let compression = Compression::new(shape, T::DTYPE, options)?;
    let mut input = Guarded::new(size_of_val(data), offset);
    input.memory.write(input.at, data)?;
    let stream = Guarded::new(capacity, 0);
    let scratch = Guarded::new(compression.scratch_len() as usize, 0);
    let place = (stream.address(), capacity as u64);
    // SAFETY: the memory lives to the end of this function, and is sized as the call asks.
    let len = unsafe {
        let done =
            codec.compress(&compression, input.address(), place, scratch.address(), null_mut());
        done.and_then(|()| codec.compressed_len(scratch.address(), place.1, null_mut()))
    };
    let mut bytes = stream.bytes("the output");
    scratch.bytes("the scratch memory");
    let before: Vec<u8> =
        data.iter().flat_map(|d| d.to_bits64().to_le_bytes()[..size_of::<T>()].to_vec()).collect();
    assert!(input.bytes("the field") == before, "the field is written");
    bytes.truncate(len? as usize);
    Ok(bytes)
}

/// Compares the stream of a field in device memory with the CPU's, in an output of just its length.
fn same<T: Element>(
    codec: &DeviceCodec,
    what: &str,
    data: &[T],
    shape: &[u64],
    options: &CompressOptions,
) -> Vec<u8> {
    let expected = compress(&Codec::cpu(), data, shape, options);
    let most = Compression::new(shape, T::DTYPE, options).expect("valid").max_len();
    assert!(expected.len() as u64 <= most, "{what}: {most}");
    let found = there(codec, (data, 0), shape, options, expected.len());
    let found = found.unwrap_or_else(|why| panic!("{what} {shape:?}: {why}: {options:?}"));
    let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
    assert!(found == expected, "{what} {shape:?}: at {differs:?}: {options:?}");
    expected
}

/// The same for both element types.
fn same_of_both(
    codec: &DeviceCodec,
    (kind, seed): (&str, u64),
    shape: &[u64],
    options: &CompressOptions,
) {
    let n = shape.iter().product::<u64>() as usize;
    same(codec, kind, &field::<f32>(kind, n, seed), shape, options);
    same(codec, kind, &field::<f64>(kind, n, seed), shape, options);
}

/// A mask of a field of this shape.
fn mask(shape: &[u64], holds: impl FnMut(u64) -> bool) -> Mask {
    (0..shape.iter().product()).map(holds).collect()
}

fn options(profile: Profile, outside: Bound, regions: Vec<Region>) -> CompressOptions {
    let options = CompressOptions::new(outside).profile(profile).missing(1e20).missing(-999.0);
    regions.into_iter().fold(options, CompressOptions::region)
}

const ABSOLUTE: Bound = Bound::Absolute(1e-2);

/// Shapes with the regions of a field of them: at edges and corners, overlapping, side by side, of nothing, of everything.
fn cases() -> Vec<(Vec<u64>, Vec<Region>)> {
    let boxed = |start: &[u64], count: &[u64]| Region::in_box(start, count, Bound::Absolute(1e-4));
    let loose = |start: &[u64], count: &[u64]| Region::in_box(start, count, Bound::Absolute(0.5));
    let set = |shape: &[u64], holds: fn(u64) -> bool| {
        Region::where_set(mask(shape, holds), Bound::ValueRange(1e-4))
    };
    let relative = |start: &[u64], count: &[u64]| {
        Region::in_box(start, count, Bound::Relative { eps: 1e-3, floor: 1e-3 })
    };
    vec![
        // One row: gaps at its ends, and longer than a warp takes at a time.
        (vec![5000], vec![boxed(&[0], &[100]), loose(&[700], &[3000]), boxed(&[4990], &[10])]),
        (vec![3000], vec![set(&[3000], |i| i % 37 < 9), boxed(&[1500], &[1500])]),
        // Everything, at once and by and by; nothing.
        (vec![2000], vec![boxed(&[0], &[2000])]),
        (vec![30, 40], vec![boxed(&[0, 0], &[30, 40]), loose(&[3, 4], &[20, 30])]),
        (vec![30, 40], vec![boxed(&[0, 0], &[15, 40]), relative(&[15, 0], &[15, 40])]),
        (vec![30, 40], vec![boxed(&[5, 5], &[0, 9]), set(&[30, 40], |_| false)]),
        // Whole rows, the first of them, and rows far from those that are known.
        (vec![50, 30], vec![boxed(&[0, 0], &[7, 30]), loose(&[20, 0], &[30, 30])]),
        (vec![300, 9], vec![boxed(&[10, 0], &[280, 9])]),
        (vec![400, 5], vec![set(&[400, 5], |i| i % 5 == 2 || (100..1900).contains(&i))]),
        (vec![700, 1], vec![boxed(&[3, 0], &[500, 1])]),
        // Side by side, and over each other.
        (vec![9, 17, 33], vec![boxed(&[0, 0, 0], &[9, 8, 33]), boxed(&[0, 8, 0], &[9, 9, 20])]),
        (
            vec![9, 17, 33],
            vec![
                loose(&[2, 2, 2], &[6, 14, 30]),
                relative(&[0, 5, 9], &[9, 4, 9]),
                set(&[9, 17, 33], |i| i * 7919 % 1009 < 99),
                boxed(&[4, 0, 0], &[1, 17, 33]),
            ],
        ),
        (
            vec![5, 6, 11, 13],
            vec![
                boxed(&[1, 1, 1, 1], &[4, 5, 9, 12]),
                set(&[5, 6, 11, 13], |i| i / 13 % 11 > 8),
                loose(&[0, 2, 10, 0], &[5, 2, 1, 13]),
            ],
        ),
        (vec![], vec![boxed(&[], &[])]),
        (vec![0, 7], vec![boxed(&[0, 2], &[0, 3])]),
    ]
}

#[test]
fn places_of_every_kind_give_the_bytes_of_the_cpu() {
    let Some(codec) = device("regions of fields in device memory") else { return };
    for (turn, (shape, regions)) in cases().into_iter().enumerate() {
        for (at, (_, profile)) in profiles().into_iter().take(2).enumerate() {
            let bound =
                [ABSOLUTE, Bound::ValueRange(1e-3), Bound::Relative { eps: 1e-2, floor: 0.0 }]
                    [(turn + at) % 3];
            let options = options(profile, bound, regions.clone()).name("T");
            // Holes and numbers beside each other, and one kind after the other.
            for kind in ["nan in places", KINDS[turn % KINDS.len()]] {
                same_of_both(&codec, (kind, turn as u64), &shape, &options);
            }
        }
    }
}

#[test]
fn regions_that_do_not_fill_the_boxes_of_a_layout_have_the_cpus() {
    let what = "regions_that_do_not_fill_the_boxes_of_a_layout_have_the_cpus";
    let Some(codec) = device(what) else { return };
    for (layout, shape) in [(Layout::Brick, vec![16, 16, 17]), (Layout::Plane, vec![64, 70])] {
        let profile = Profile::Dense(Dense::new().with_layout(layout));
        let region = Region::where_set(mask(&shape, |i| i % 3 == 0), Bound::Absolute(1e-4));
        let options = options(profile, ABSOLUTE, vec![region]);
        same_of_both(&codec, ("smooth", 7), &shape, &options);
    }
}

#[test]
fn what_is_no_number_stands_beside_regions() {
    let Some(codec) = device("holes beside regions in device memory") else { return };
    let shape = [40, 50];
    let holes = |holds: fn(u64) -> bool, hole: f64| -> Vec<f64> {
        (0..2000).map(|i| if holds(i) { hole } else { (i as f64 * 0.01).sin() }).collect()
    };
    let inside = || Region::in_box(&[5, 10], &[30, 30], Bound::Absolute(1e-3));
    let fields = [
        // All around the region, so that it takes what is above; nothing at all; nothing outside; nothing inside.
        holes(|i| !(12..38).contains(&(i % 50)), f64::NAN),
        holes(|i| !(12..38).contains(&(i % 50)) && i > 700, 1e20),
        holes(|_| true, f64::NAN),
        holes(|_| true, -999.0),
        holes(|i| !(10..40).contains(&(i % 50)) || !(5..35).contains(&(i / 50)), f64::INFINITY),
        holes(|i| (10..40).contains(&(i % 50)), 1e20),
        // The first number comes late.
        holes(|i| i < 1990, -999.0),
    ];
    for (turn, data) in fields.iter().enumerate() {
        let narrow: Vec<f32> = data.iter().map(|&d| d as f32).collect();
        for (_, profile) in profiles().into_iter().take(2) {
            let rows = Region::in_box(&[0, 0], &[3, 50], Bound::Absolute(1.0));
            let options = options(profile, ABSOLUTE, vec![inside(), rows]);
            same(&codec, &format!("holes {turn}"), data, &shape, &options);
            same(&codec, &format!("holes {turn}"), &narrow, &shape, &options);
        }
    }
    // On the line between two numbers lies one that is named as missing; and nothing counts, not even 0.
    let line: Vec<f32> = (0..100).map(|i| [1.0, 5.0][usize::from(i > 50)]).collect();
    let options = CompressOptions::new(ABSOLUTE).missing(3.0).missing(0.0);
    let gap = Region::in_box(&[50], &[3], Bound::Absolute(1e-3));
    same(&codec, "a missing value on the line", &line, &[100], &options.clone().region(gap));
    let gap = Region::in_box(&[30], &[3], Bound::Absolute(1e-3));
    same(&codec, "zeros are missing", &[0f32; 100], &[100], &options.region(gap));
    // Numbers whose difference overflows, and tiny ones.
    let ends: Vec<f64> =
        (0..100).map(|i| [f64::MAX, -f64::MAX, 5e-324, -1e-310][i / 3 % 4]).collect();
    let every = Region::where_set((0..100).map(|i| i % 3 > 0).collect(), Bound::Absolute(1e-320));
    same(&codec, "extremes", &ends, &[100], &CompressOptions::new(ABSOLUTE).region(every));
}

#[test]
fn places_at_random_give_the_bytes_of_the_cpu() {
    let Some(codec) = device("random regions in device memory") else { return };
    for seed in some(0..300) {
        let mut r = Random::new(seed);
        let dims = 1 + r.below(4);
        let most = [3000, 70, 17, 9][dims - 1];
        let shape: Vec<u64> = (0..dims).map(|_| 1 + r.below(most) as u64).collect();
        let bound = |r: &mut Random| match r.below(3) {
            0 => Bound::Absolute(10f64.powi(-(r.below(6) as i32))),
            1 => Bound::ValueRange(10f64.powi(-1 - r.below(5) as i32)),
            _ => Bound::Relative { eps: 1e-3, floor: [0.0, 0.01][r.below(2)] },
        };
        let mut regions = Vec::new();
        for _ in 0..1 + r.below(6) {
            let own = bound(&mut r);
            regions.push(if r.below(3) == 0 {
                let (share, run) = (r.below(100), 1 + r.below(300) as u64);
                let picks: Vec<bool> = (0..64).map(|_| r.below(100) < share).collect();
                Region::where_set(mask(&shape, |i| picks[(i / run % 64) as usize]), own)
            } else {
                let start: Vec<u64> = shape.iter().map(|&n| r.below(n as usize) as u64).collect();
                let sides = shape.iter().zip(&start);
                let count: Vec<u64> =
                    sides.map(|(&n, &s)| r.below((n - s) as usize + 1) as u64).collect();
                Region::in_box(&start, &count, own)
            });
        }
        let (_, profile) = profiles()[r.below(2)];
        let options = options(profile, bound(&mut r), regions);
        same_of_both(&codec, (KINDS[r.below(KINDS.len())], seed), &shape, &options);
    }
}

#[test]
fn fields_lie_at_any_address_and_streams_go_to_host_memory() {
    let Some(codec) = device("addresses of fields with regions") else { return };
    let (shape, data) = ([31, 77], field::<f32>("ragged land", 31 * 77, 3));
    for (_, profile) in profiles() {
        let inner = Region::in_box(&[3, 9], &[20, 60], Bound::Absolute(1e-4));
        let options = options(profile, ABSOLUTE, vec![inner]);
        let expected = compress(&Codec::cpu(), &data, &shape, &options);
        let most = Compression::new(&shape, DType::F32, &options).expect("valid").max_len();
        for offset in [4, 12, 16] {
            let found = there(&codec, (&data, offset), &shape, &options, most as usize);
            assert!(found.expect("compresses") == expected, "{offset}");
        }
        let mut input = Guarded::new(size_of_val(&data[..]), 0);
        input.memory.write(input.at, &data).expect("writes");
        let compression = Compression::new(&shape, DType::F32, &options).expect("valid");
        let mut out = vec![0xA5; expected.len()];
        // SAFETY: the memory holds the field.
        let made = unsafe { codec.compress_to_host(&compression, input.address(), &mut out) };
        assert!(made.expect("compresses").len == expected.len() && out == expected);
        let mut short = vec![0; expected.len() - 1];
        // SAFETY: as above.
        let made = unsafe { codec.compress_to_host(&compression, input.address(), &mut short) };
        assert!(matches!(made, Err(Error::InvalidArgument(_))), "{made:?}");
    }
}

#[test]
fn outputs_that_are_too_small_are_refused() {
    let Some(codec) = device("small outputs for regions") else { return };
    let (shape, data) = ([20, 90], field::<f32>("smooth, noise", 1800, 1));
    for (_, profile) in profiles() {
        let boxed = Region::in_box(&[2, 5], &[15, 80], Bound::Absolute(1e-5));
        let set = Region::where_set(mask(&shape, |i| i % 11 == 3), Bound::Absolute(1e-6));
        let options = options(profile, ABSOLUTE, vec![boxed, set]);
        let whole = compress(&Codec::cpu(), &data, &shape, &options).len();
        let lens = (0..whole).step_by(whole / 12).chain([1, 159, 160, whole - 4, whole - 1]);
        for capacity in lens {
            // A look at what is outside of the output is a part of this.
            let made = there(&codec, (&data, 0), &shape, &options, capacity);
            assert!(matches!(made, Err(Error::InvalidArgument(_))), "{capacity}: {made:?}");
        }
        assert!(there(&codec, (&data, 0), &shape, &options, whole).is_ok());
    }
}

#[test]
fn streams_are_not_known_before_they_are_written() {
    let shape = [20, 90];
    let inside = Region::in_box(&[2, 5], &[15, 80], ABSOLUTE);
    let outside = Region::in_box(&[2, 5], &[15, 86], ABSOLUTE);
    for (_, profile) in profiles() {
        let with = |region: &Region| options(profile, ABSOLUTE, vec![region.clone()]);
        let told = StreamKind::new(&shape, DType::F32, &with(&inside));
        assert!(matches!(told, Err(Error::Unsupported(_))), "{told:?}");
        let compression = Compression::new(&shape, DType::F32, &with(&inside)).expect("valid");
        assert_eq!(compression.kind().elements(), 1800);
        let refused = Compression::new(&shape, DType::F32, &with(&outside));
        assert!(matches!(refused, Err(Error::InvalidArgument(_))), "{refused:?}");
        let data = field::<f32>("smooth", 1800, 1);
        let bytes = compress(&Codec::cpu(), &data, &shape, &with(&inside));
        assert!(StreamKind::of(&Stream::open(&bytes).expect("opens")).is_ok());
    }
}
