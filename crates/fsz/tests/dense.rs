//! The codec's streams of `dense` are what the plain statement of the format says: it decodes them to the
//! same bits as the codec, and these keep the promise. All ways of encoding give the same bytes.

mod common;

use common::{
    check_promise, codecs, compress, decompress, dense,
    inputs::{KINDS, field, sprinkle, waves},
};
use fsz::{Bound, CompressOptions, Dense, Element, Layout, Profile};

/// What the streams of a test made use of.
#[derive(Debug, Default)]
struct Seen {
    predictors: [usize; 4],
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
        let mut first: Option<Vec<u8>> = None;
        for (name, codec) in codecs().into_iter().rev().take(if data.len() < 5000 { 2 } else { 1 })
        {
            let stream = compress(&codec, data, shape, &options);
            let back = decompress::<T>(&codec, &stream);
            let what = format!("{what} {} {shape:?} {bound:?} {layout:?}, {name}", T::DTYPE);
            let expected = dense::decode(&stream);
            let differs = back.iter().zip(&expected.bits).position(|(a, b)| a.to_bits64() != *b);
            assert_eq!(differs, None, "{what}");
            assert_eq!(back.len(), expected.bits.len());
            check_promise(data, &back, &stream, &missing);
            if let Some(first) = &first {
                assert!(*first == stream, "{what}: the bytes differ");
                continue;
            }
            first = Some(stream);
            self.predictors[usize::from(expected.predictor)] += 1;
            self.layouts[usize::from(expected.layout)] += 1;
            self.fine[usize::from(expected.fine)] += 1;
            self.chunks[usize::from(expected.chunk)] += 1;
            for (seen, n) in self.modes.iter_mut().zip(expected.modes) {
                *seen += n;
            }
        }
    }
}

/// The layouts that a field can have; with `None` the encoder chooses.
fn layouts(shape: &[u64]) -> impl Iterator<Item = Option<Layout>> {
    Layout::ALL.into_iter().filter(|layout| dense::fills(shape, *layout)).map(Some).chain([None])
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

/// Fields that are smooth along all axes, whole and with holes, in every layout and with many boxes.
fn waves_of<T: Element>() {
    let mut seen = Seen::default();
    let shapes: [&[u64]; 4] = [&[300_000], &[300, 310], &[50, 61, 70], &[3, 20, 40, 50]];
    for shape in shapes {
        for kind in ["", "land", "ragged land", "nan in places", "infinities", "outliers"] {
            let mut data = waves::<T>(shape);
            if !kind.is_empty() {
                sprinkle(kind, &mut data, 5);
            }
            for bound in [1e-1, 1e-2, 1e-3, 1e-5].map(Bound::ValueRange) {
                seen.check(kind, &data, shape, bound, None);
            }
            for layout in layouts(shape) {
                seen.check(kind, &data, shape, Bound::Absolute(1e-3), layout);
            }
        }
    }
    assert!(seen.predictors[..2].iter().all(|n| *n > 0), "{seen:?}");
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
