//! The codec's streams of `dense` are what the plain statement of the format says: it decodes them to the
//! same bits as the codec, and these keep the promise. All ways of encoding give the same bytes.

use crate::common::{
    by_all, codecs, compress, dense,
    inputs::{KINDS, Random, field, sprinkle, waves},
};
use fsz::{Bound, Codec, CompressOptions, Dense, Element, Error, Layout, Profile};

/// What the streams of a test made use of.
#[derive(Debug, Default)]
struct Seen {
    predictors: [usize; 5],
    layouts: [usize; 4],
    fine: [usize; 5],
    chunks: [usize; 6],
    modes: [usize; 6],
}

impl Seen {
    /// Compresses, decodes in both ways, and compares. Without a layout the encoder chooses.
    fn check<T: Element>(
        &mut self,
        what: &str,
        data: &[T],
        shape: &[u64],
        bound: Bound,
        layout: Option<Layout>,
    ) {
        let missing = [1e20, -999.0];
        let profile = layout.map_or(Dense::new(), |layout| Dense::new().with_layout(layout));
        let options = CompressOptions::new(bound)
            .profile(Profile::Dense(profile))
            .missing(missing[0])
            .missing(missing[1]);
        let what = format!("{what} {} {shape:?} {bound:?} {layout:?}", T::DTYPE);
        let mut codecs = codecs();
        codecs.reverse();
        codecs.truncate(if data.len() < 5000 { 2 } else { 1 });
        let (stream, back) = by_all(&what, codecs, (data, shape), &options, &missing);
        let expected = dense::decode(&stream);
        let differs = back.iter().zip(&expected.bits).position(|(a, b)| a.to_bits64() != *b);
        assert_eq!(differs, None, "{what}");
        assert_eq!(back.len(), expected.bits.len());
        self.predictors[usize::from(expected.predictor)] += 1;
        self.layouts[usize::from(expected.layout)] += 1;
        self.fine[usize::from(expected.fine)] += 1;
        self.chunks[usize::from(expected.chunk)] += 1;
        for (seen, n) in self.modes.iter_mut().zip(expected.modes) {
            *seen += n;
        }
    }
}

/// The layouts that a field can have; with `None` the encoder chooses.
fn layouts(shape: &[u64]) -> impl Iterator<Item = Option<Layout>> {
    Layout::ALL.into_iter().filter(|layout| dense::fills(shape, *layout)).map(Some).chain([None])
}

#[test]
fn boxes_that_a_field_does_not_fill_are_refused() {
    for shape in [&[5000][..], &[4000, 1, 5], &[100, 3, 2, 30]] {
        let data = waves::<f32>(shape);
        assert!(!dense::fills(shape, Layout::Brick));
        let profile = Profile::Dense(Dense::new().with_layout(Layout::Brick));
        let options = CompressOptions::new(Bound::Absolute(0.1)).profile(profile);
        let outcome = Codec::cpu().compress_into(&data, shape, &options, &mut vec![0; 200_000]);
        assert!(matches!(outcome, Err(Error::InvalidArgument(_))), "{shape:?}: {outcome:?}");
    }
}

/// A lattice that has as many points a step as 32 bits have room for, far from 0.
#[test]
fn codes_far_from_zero_are_interpolated() {
    let shape = [200, 200];
    let mut sizes = Vec::new();
    for (offset, fine) in [(0.0, 4), (1e5, 4), (-1e6, 3), (2e6, 2)] {
        let wave = |i: usize| (i as f64 / 200.0 * 0.05).sin() * (i as f64 % 200.0 * 0.05).cos();
        let data: Vec<f64> = (0..40_000).map(|i| offset + wave(i)).collect();
        let mut seen = Seen::default();
        seen.check("waves", &data, &shape, Bound::Absolute(2e-3), Some(Layout::Plane));
        assert!(seen.modes[1] > 0 && seen.fine[fine] == 1, "{offset}: {seen:?}");
        let options =
            CompressOptions::new(Bound::Absolute(2e-3)).profile(Profile::Dense(Dense::new()));
        sizes.push(compress(&Codec::cpu(), &data, &shape, &options).len());
    }
    assert!(sizes.iter().all(|&n| n < sizes[0] * 5 / 4), "{sizes:?}");
}

const BOUNDS: [Bound; 8] = [
    Bound::ValueRange(1e-1),
    Bound::ValueRange(1e-2),
    Bound::ValueRange(1e-4),
    Bound::ValueRange(1e-7),
    Bound::ValueRange(1e-9),
    Bound::Absolute(0.01),
    Bound::Absolute(1e-9),
    Bound::ValueRangeOf { ratio: 1e-3, min: -13.0, max: 13.0 },
];

fn every_kind<T: Element>() {
    let mut seen = Seen::default();
    let shapes: [&[u64]; 6] = [&[], &[1], &[5000], &[67, 130], &[5, 33, 34], &[2, 3, 1, 20, 17]];
    for kind in KINDS {
        for shape in shapes {
            let data = field::<T>(kind, shape.iter().product::<u64>() as usize, 7);
            for bound in BOUNDS {
                for layout in layouts(shape) {
                    seen.check(kind, &data, shape, bound, layout);
                }
            }
        }
    }
    assert!(seen.predictors.iter().all(|n| *n > 0), "{seen:?}");
    assert!(seen.modes.iter().all(|n| *n > 0), "{seen:?}");
    assert!(seen.layouts[1..].iter().all(|n| *n > 0), "{seen:?}");
}

#[test]
fn every_kind_of_field_f32() {
    every_kind::<f32>();
}

#[test]
fn every_kind_of_field_f64() {
    every_kind::<f64>();
}

const NOISE: f64 = 0.004;

/// A field with as much noise.
fn noisy<T: Element>(data: &[T], noise: f64) -> Vec<T> {
    let mut random = Random::new(3);
    data.iter().map(|d| T::from_f64(d.to_f64() + noise * (2.0 * random.unit() - 1.0))).collect()
}

/// Fields that are smooth along all axes, whole and with holes, in every layout and with many boxes.
fn waves_of<T: Element>() {
    let mut seen = Seen::default();
    let shapes: [&[u64]; 4] = [&[300_000], &[300, 310], &[50, 61, 70], &[3, 20, 40, 50]];
    let kinds = ["", "land", "ragged land", "nan in places", "infinities", "outliers"];
    for (i, shape) in shapes.into_iter().enumerate() {
        for (k, kind) in kinds.into_iter().enumerate() {
            // Noise makes cubic interpolation the best, else blended is.
            let noise = if (i + k) % 2 == 0 { 0.0 } else { NOISE };
            let mut data = noisy(&waves::<T>(shape), noise);
            if !kind.is_empty() {
                sprinkle(kind, &mut data, 5);
            }
            // Each kind with two bounds and one layout of each shape: others with other shapes.
            let turn = i + k / 2;
            for bound in [[1e-1, 1e-3], [1e-2, 1e-5]][turn % 2].map(Bound::ValueRange) {
                seen.check(kind, &data, shape, bound, None);
            }
            let layouts: Vec<_> = layouts(shape).collect();
            seen.check(kind, &data, shape, Bound::Absolute(1e-3), layouts[turn % layouts.len()]);
        }
    }
    assert!([0, 1, 4].iter().all(|p| seen.predictors[*p] > 0), "{seen:?}");
    assert!(seen.layouts[1..].iter().all(|n| *n > 0), "{seen:?}");
    assert!(seen.chunks[3..].iter().all(|n| *n > 0), "{seen:?}");
}

#[test]
fn waves_f32() {
    waves_of::<f32>();
}

#[test]
fn waves_f64() {
    waves_of::<f64>();
}

#[test]
fn all_small_sizes() {
    let mut seen = Seen::default();
    let around = [4095, 4096, 4097, 8 * 4096 - 1, 8 * 4096, 8 * 4096 + 1];
    for n in (0..=200).chain(around) {
        for (k, bound) in [1e-1, 1e-3, 1e-8].map(Bound::ValueRange).into_iter().enumerate() {
            let kind = KINDS[(n + k) % KINDS.len()];
            let shape = [n as u64];
            seen.check(kind, &field::<f32>(kind, n, 3), &shape, bound, Some(Layout::Line));
            seen.check(kind, &field::<f64>(kind, n, 3), &shape, bound, None);
            seen.check("waves", &waves::<f32>(&shape), &shape, bound, None);
        }
    }
    assert!(seen.modes[1..].iter().all(|n| *n > 0), "{seen:?}");
}

/// Every shape that the last box along an axis can be cut to, small along two axes at least.
#[test]
fn every_small_box() {
    let mut seen = Seen::default();
    let bound = |n: u64| Bound::ValueRange([1e-1, 1e-3, 1e-6][n as usize % 3]);
    let mut check = |shape: &[u64], layout| {
        let kind = ["", "ragged land", "outliers"][shape.iter().sum::<u64>() as usize % 3];
        let mut data = waves::<f32>(shape);
        if !kind.is_empty() {
            sprinkle(kind, &mut data, 5);
        }
        seen.check(kind, &data, shape, bound(shape.iter().product()), Some(layout));
    };
    for z in 1..=7 {
        for y in 1..=7 {
            for x in (1..=7).chain([8, 9, 15, 16]) {
                check(&[z, y, x], Layout::Brick);
                check(&[x, y, z], Layout::Brick);
            }
        }
    }
    for a in 1..=64 {
        for b in [1, 2, 3, 4, 5, 19, 20, 21, 39, 40, 41, 52, 63, 64] {
            check(&[a, b], Layout::Plane);
            check(&[b, a], Layout::Plane);
        }
    }
    assert!(seen.modes[1] > 0 && seen.modes[2] > 0, "{seen:?}");
}

/// Boxes beyond the middle of each layout's extent, cut short along one axis, several of them.
#[test]
fn boxes_at_the_ends_of_fields() {
    let mut seen = Seen::default();
    let shapes: [(&[u64], Layout); 8] = [
        (&[16, 16, 33], Layout::Brick),
        (&[16, 31, 16], Layout::Brick),
        (&[35, 16, 16], Layout::Brick),
        (&[2, 31, 18, 17], Layout::Brick),
        (&[64, 129], Layout::Plane),
        (&[127, 64], Layout::Plane),
        (&[3, 63, 65], Layout::Plane),
        (&[2, 2, 2, 65, 63], Layout::Plane),
    ];
    for (shape, layout) in shapes {
        for bound in [1e-1, 1e-2, 1e-3, 1e-4, 1e-6] {
            let bound = Bound::ValueRange(bound);
            seen.check("waves", &waves::<f32>(shape), shape, bound, Some(layout));
            seen.check("waves", &waves::<f64>(shape), shape, bound, Some(layout));
        }
    }
    assert!(seen.modes[1] > 0, "{seen:?}");
}

#[test]
fn a_layout_that_a_field_does_not_fill_is_refused_with_one_that_it_does() {
    let data = field::<f32>("smooth", 120_000, 3);
    for (shape, layout, words) in [
        (&[300, 400][..], Layout::Brick, "use plane"),
        (&[120_000], Layout::Brick, "use line"),
        (&[120_000], Layout::Plane, "use line"),
    ] {
        let dense = Profile::Dense(Dense::new().with_layout(layout));
        let options = CompressOptions::new(Bound::ValueRange(1e-3)).profile(dense);
        let refused = Codec::cpu().compress_into(&data, shape, &options, &mut vec![0; 1 << 20]);
        let answer = refused.expect_err("boxes that are nearly empty");
        assert!(answer.to_string().ends_with(words), "{answer}");
    }
}
