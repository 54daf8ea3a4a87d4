//! What the tests of decoders share: documents, and the comparison with the processor.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use fsz::{Bound, Codec, CompressOptions, Dense, Profile, Progress, Region};
use ndarray::ArrayView;

use crate::model::document::Document;
use crate::model::plane::Place;
use crate::work::decoder::Decoder;

pub(super) fn value(i: usize) -> f64 {
    if i % 700 < 30 { f64::NAN } else { (i as f64 * 0.01).sin() * 9.0 }
}

pub(super) fn profiles() -> [Profile; 2] {
    [Profile::default(), Profile::Dense(Dense::new())]
}

pub(super) fn document(shape: &[usize], profile: Profile) -> Document {
    let values: Vec<f32> = (0..shape.iter().product()).map(|i| value(i) as f32).collect();
    compressed(shape, &values, profile)
}

/// An array of four dimensions that is cut into blocks, not all of it covered.
pub(super) fn several(profile: Profile) -> Document {
    let block = |start: [u64; 4], count: [usize; 4]| {
        let values: Vec<f32> =
            (0..count.iter().product()).map(|i| value(i) as f32 + start[0] as f32).collect();
        let view = ArrayView::from_shape(count, &values).unwrap();
        let options = CompressOptions::new(Bound::Absolute(1e-3)).profile(profile);
        (start.to_vec(), Codec::cpu().compress_with(view, &options).unwrap())
    };
    let parts = vec![
        block([0, 0, 0, 0], [2, 3, 8, 9]),
        block([2, 0, 0, 0], [1, 3, 8, 20]),
        block([0, 1, 0, 9], [2, 2, 5, 11]),
    ];
    let found = Document::from_blocks("cut".into(), Path::new("cut"), &[3, 3, 8, 20], parts);
    found.unwrap().expect("they make up an array")
}

/// A field of which a box and masked elements have bounds of their own.
pub(super) fn with_regions(profile: Profile) -> Document {
    let values: Vec<f32> = (0..1980).map(|i| value(i) as f32).collect();
    let mask = (0..1980).map(|i| i % 11 < 2).collect();
    let options = CompressOptions::new(Bound::Absolute(0.1))
        .profile(profile)
        .region(Region::in_box(&[1, 2, 3], &[3, 9, 20], Bound::Absolute(1e-4)))
        .region(Region::where_set(mask, Bound::Absolute(1e-3)));
    compressed_with(&[5, 12, 33], &values, &options)
}

pub(super) fn compressed<T: fsz::Element>(
    shape: &[usize],
    values: &[T],
    profile: Profile,
) -> Document {
    let options = CompressOptions::new(Bound::Absolute(1e-3)).profile(profile);
    compressed_with(shape, values, &options)
}

fn compressed_with<T: fsz::Element>(
    shape: &[usize],
    values: &[T],
    options: &CompressOptions,
) -> Document {
    let view = ArrayView::from_shape(shape, values).unwrap();
    let stream = Codec::cpu().compress_with(view, options).unwrap();
    Document::from_stream("made".into(), Path::new("made"), stream).unwrap()
}

/// The GPU for one test at a time. Through OpenGL a thread waits at most a second for another to be done there, and
/// a processor that draws may take longer.
pub(super) fn alone() -> MutexGuard<'static, ()> {
    static GPU: Mutex<()> = Mutex::new(());
    GPU.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A plane is that of the processor.
pub(super) fn check(decoder: &mut Decoder, document: &Document, place: Place) {
    let found = decoder.plane(document, place, true, &Progress::new()).unwrap();
    let expected = Decoder::cpu().plane(document, place, true, &Progress::new()).unwrap();
    assert_eq!(found.size, expected.size);
    let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
    let all = found.values.len() == expected.values.len();
    assert!(all && found.values.iter().zip(&expected.values).all(same), "{place:?}");
}
