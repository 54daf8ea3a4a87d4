//! Pictures painted on the GPU have the colours that values, errors and tiles ask for.

use fsz::format::{RateByte, TILE, TILE_BLOCKS, dense::BOX};
use fsz::{Bound, Codec, CompressOptions, Dense, Layout as Boxes, Profile, TileKind};
use fsz_wgpu::{
    Colours, Error, Gpu, GpuSlice, GpuStream, Layout, Measure, Overlay, Subject, TILE_KINDS,
};

const NAN: u32 = 0xff00_0001;
const MISSING: u32 = 0xff00_0002;
const ALARM: u32 = 0xff00_0003;
const INFINITE: u32 = 0xff00_0005;
const OUTSIDE: u32 = 0xff00_0004;
const VALUES: Subject = Subject::Values { low: 0.0, high: 255.0, log: false };

fn gpu() -> Option<Gpu> {
    match Gpu::headless() {
        Ok(gpu) => Some(gpu),
        Err(reason) => {
            eprintln!("SKIPPED: pictures on the GPU: {reason}");
            None
        }
    }
}

fn colours() -> Colours {
    Colours {
        map: std::array::from_fn(|i| 0xff00_0000 | (i as u32) << 8),
        nan: NAN,
        infinite: INFINITE,
        missing_colour: MISSING,
        alarm: ALARM,
        outside: OUTSIDE,
        missing: [-999f32, -77.0].map(f32::to_bits).to_vec(),
        kinds: std::array::from_fn(|i| 0xffff_0000 | i as u32),
        scale: std::array::from_fn(|i| 0xff00_ff00 | i as u32),
        overlay: None,
    }
}

/// The number of a kind of tile on the GPU.
fn index(kind: TileKind) -> usize {
    TILE_KINDS.iter().position(|&known| known == kind).unwrap()
}

fn on_map(i: usize) -> u32 {
    colours().map[i]
}

/// Colours of a map, of which a GPU's logarithm may miss one by one.
fn near(found: &[u32], expected: &[u32]) -> bool {
    let green = |colour: u32| (colour >> 8) as u8;
    let pair = |(&a, &b): (&u32, &u32)| {
        a == b || (a ^ b) & !0xff00 == 0 && green(a).abs_diff(green(b)) == 1
    };
    found.len() == expected.len() && found.iter().zip(expected).all(pair)
}

fn row(slice: &GpuSlice) -> Layout {
    Layout { rows: 1, columns: slice.len() as u32, step: 1 }
}

/// Rows of `columns` points.
fn folded(slice: &GpuSlice, columns: usize) -> Layout {
    let columns = columns as u32;
    Layout { rows: (slice.len() as u32).div_ceil(columns), columns, step: 1 }
}

/// The colours of a slice in one row.
fn painted(slice: &GpuSlice, subject: Subject, original: Option<&GpuSlice>) -> Vec<u32> {
    slice.paint(subject, original, row(slice), &colours()).unwrap().read_back().unwrap()
}

#[test]
fn values() {
    let Some(gpu) = gpu() else { return };
    let inf = f32::INFINITY;
    let all = [0.0, 51.0, 255.0, 300.0, -5.0, f32::NAN, -999.0, -77.0, inf, -inf];
    let slice = GpuSlice::upload(&gpu, &all).unwrap();
    let (first, last) = (on_map(0), on_map(255));
    let linear = [first, on_map(51), last, last, first, NAN, MISSING, MISSING, INFINITE, INFINITE];
    assert_eq!(painted(&slice, VALUES, None), linear);
    let log = Subject::Values { low: 1.0, high: 1024.0, log: true };
    let slice = GpuSlice::upload(&gpu, &[1.0, 32.0, 1024.0, 1e9, 0.5, -3.0]).unwrap();
    let found = painted(&slice, log, None);
    assert!(near(&found, &[first, on_map(128), last, last, first, first]), "{found:x?}");
    // A span that is no number in single precision.
    let all = Subject::Values { low: f32::MIN, high: f32::MAX, log: false };
    let slice = GpuSlice::upload(&gpu, &[f32::MIN, 0.0, f32::MAX]).unwrap();
    assert_eq!(painted(&slice, all, None), [first, on_map(128), last]);
}

#[test]
fn errors() {
    let Some(gpu) = gpu() else { return };
    let inf = f32::INFINITY;
    let values = [0.0, 51.0, 255.0, 300.0, 4.0, f32::NAN, -999.0, inf, -inf];
    let originals = [0.0, 50.0, 253.0, 302.5, 5.0, f32::NAN, -999.0, inf, 4.0];
    let upload = |values: &[f32]| GpuSlice::upload(&gpu, values).unwrap();
    let (slice, original) = (upload(&values), upload(&originals));
    let errors =
        |measure| Subject::Errors { measure, limit: 2.0, share: 0.0, bounded: true, given: false };
    let (first, none, last) = (on_map(0), on_map(128), on_map(255));
    let signed = [none, on_map(191), last, ALARM, on_map(64), none, MISSING, none, ALARM];
    assert_eq!(painted(&slice, errors(Measure::Signed), Some(&original)), signed);
    let absolute = [first, on_map(128), last, ALARM, on_map(128), first, MISSING, first, ALARM];
    assert_eq!(painted(&slice, errors(Measure::Absolute), Some(&original)), absolute);
    let found = slice.paint(errors(Measure::Signed), None, row(&slice), &colours());
    assert!(matches!(found, Err(Error::InvalidArgument(_))));

    // Up to a share of each original, where that is more than the limit.
    let (near_by, sizes) = (upload(&[1.2, 0.2, 8.0, -28.0]), upload(&[1.0, 0.0, 10.0, -30.0]));
    let share = Subject::Errors {
        measure: Measure::Signed,
        limit: 0.1,
        share: 0.1,
        bounded: true,
        given: false,
    };
    let found = painted(&near_by, share, Some(&sizes));
    assert_eq!(found, [ALARM, ALARM, ALARM, on_map(213)]);

    // Errors that are given, by the magnitude of the original; beyond the limit without a bound.
    let relative = Subject::Errors {
        measure: Measure::Relative,
        limit: 1.0,
        share: 0.0,
        bounded: false,
        given: true,
    };
    let (given, original) = (
        upload(&[0.0, 0.1, -10.0, 1e-3, 1.0, f32::NAN]),
        upload(&[1.0, 100.0, 1.0, 1.0, 0.0, 1.0]),
    );
    let colour = |decades: f64| on_map(((decades + 6.0) / 6.0 * 255.0 + 0.5) as usize);
    let expected = [first, colour(-3.0), last, colour(-3.0), last, ALARM];
    let found = painted(&given, relative, Some(&original));
    assert!(near(&found, &expected), "{found:x?}");
}

#[test]
fn tiles_lie_over_values() {
    let Some(gpu) = gpu() else { return };
    let values = [0.0f32, 51.0, f32::NAN];
    let view = ndarray::ArrayView::from_shape((1, 3), &values).unwrap();
    // Below the smallest step every value is stored exactly: a verbatim tile.
    let options = CompressOptions::new(Bound::Absolute(1e-44));
    let stream = Codec::cpu().compress_with(view, &options).unwrap();
    let tile = stream.tiles().next().unwrap().unwrap();
    let (bytes, kind) = (tile.bytes, index(tile.kind()) as u32);
    let slice = GpuStream::upload(&gpu, &stream).unwrap().decode_slice(0, 0).unwrap();
    let over = |overlay, opacity| {
        let colours = Colours { overlay: Some((overlay, opacity)), ..colours() };
        slice.paint(VALUES, None, row(&slice), &colours).unwrap().read_back().unwrap()
    };
    assert_eq!(over(Overlay::Kinds, 1.0), [0xffff_0000 | kind; 3]);
    assert_eq!(over(Overlay::Bytes { most: bytes as u32 }, 1.0), [0xff00_ffff; 3]);
    assert_eq!(over(Overlay::Bytes { most: 3 * bytes as u32 }, 1.0), [0xff00_ff55; 3]);
    assert_eq!(over(Overlay::Kinds, 0.0), painted(&slice, VALUES, None));
    let plain = GpuSlice::upload(&gpu, &values).unwrap();
    let colours = Colours { overlay: Some((Overlay::Kinds, 1.0)), ..colours() };
    let found = plain.paint(VALUES, None, row(&plain), &colours);
    assert!(matches!(found, Err(Error::InvalidArgument(_))));
}

/// The largest sum of a tile's rates.
const MOST_RATES: usize = TILE_BLOCKS * RateByte::RATE as usize;

/// A value of a field whose tiles, of so many elements, are of every kind in turns.
fn of_every_kind(i: usize, tile: usize) -> f32 {
    let (noise, curve) = ((i * 7919 % 101) as f32 * 0.1, (i % tile).pow(2) as f32 * 0.01);
    match i / tile % 7 {
        0 => noise,
        1 => curve,
        2 => 1e4 + noise,
        3 => 1e4 + curve,
        4 => f32::NAN,
        5 if i % tile == 9 => f32::INFINITY,
        5 => noise,
        _ => f32::from_bits((i as u32).wrapping_mul(0x9e37_79b9)),
    }
}

#[test]
fn every_kind_of_tile_has_its_index() {
    let Some(gpu) = gpu() else { return };
    let mut seen = std::collections::BTreeSet::new();
    for (profile, len) in
        [(Profile::default(), TILE), (Profile::Dense(Dense::new().with_layout(Boxes::Line)), BOX)]
    {
        let values: Vec<f32> = (0..14 * len).map(|i| of_every_kind(i, len)).collect();
        let view = ndarray::ArrayView::from_shape((1, values.len()), &values).unwrap();
        let options = CompressOptions::new(Bound::Absolute(0.01)).profile(profile);
        let stream = Codec::cpu().compress_with(view, &options).unwrap();
        let tiles: Vec<_> = stream.tiles().map(|tile| tile.unwrap()).collect();
        let kinds = tiles.iter().map(|tile| index(tile.kind()));
        seen.extend(kinds.clone());
        let slice = GpuStream::upload(&gpu, &stream).unwrap().decode_slice(0, 0).unwrap();
        let over = |overlay| {
            let colours = Colours { overlay: Some((overlay, 1.0)), ..colours() };
            slice.paint(VALUES, None, folded(&slice, len), &colours).unwrap().read_back().unwrap()
        };
        let found: Vec<u32> = over(Overlay::Kinds).into_iter().step_by(len).collect();
        assert_eq!(found, kinds.map(|kind| colours().kinds[kind]).collect::<Vec<_>>());
        let most = MOST_RATES / 3;
        let rates_over = Overlay::Rates { most: most as u32 };
        let found: Vec<u32> = over(rates_over).into_iter().step_by(len).collect();
        let rates = tiles.iter().map(|tile| match tile.rates() {
            [] => (8 * TILE_BLOCKS * tile.bytes as usize).div_ceil(len).min(MOST_RATES),
            rates => rates.iter().map(|&r| usize::from(r)).sum(),
        });
        let colour = |sum: usize| colours().scale[sum.min(most) * 255 / most];
        assert_eq!(found, rates.map(colour).collect::<Vec<_>>());
    }
    assert_eq!(seen.len(), TILE_KINDS.len());
}

/// Every third point of every third row; rows that are not filled; sides that no row of a copy has.
#[test]
fn pictures_of_long_slices() {
    let Some(gpu) = gpu() else { return };
    let (rows, columns) = (7usize, 101usize);
    let values: Vec<f32> = (0..rows * columns - 30).map(|i| (i % 256) as f32).collect();
    let slice = GpuSlice::upload(&gpu, &values).unwrap();
    for step in [1usize, 3] {
        let layout = Layout { rows: rows as u32, columns: columns as u32, step: step as u32 };
        let picture = slice.paint(VALUES, None, layout, &colours()).unwrap();
        let sides = (rows.div_ceil(step), columns.div_ceil(step));
        assert_eq!((picture.height() as usize, picture.width() as usize), sides);
        let at = |y: usize, x: usize| (y * columns + x) * step;
        let expected: Vec<u32> = (0..sides.0)
            .flat_map(|y| (0..sides.1).map(move |x| at(y, x)))
            .map(|i| values.get(i).map_or(OUTSIDE, |&v| on_map(v as usize)))
            .collect();
        assert!(picture.read_back().unwrap() == expected, "step {step}");
    }
    let empty = Layout { rows: 0, columns: 5, step: 1 };
    let found = slice.paint(VALUES, None, empty, &colours());
    assert!(matches!(found, Err(Error::InvalidArgument(_))));
}
