//! Fields coded like another stream, and those whose coding the one before lets expect.

use crate::check::{device, relative_bounds, same_field, same_stream};
use crate::common::{
    BOUNDS, compress, every,
    inputs::{KINDS, field},
    pairs, some,
};
use fsz::{Bound, Codec, CompressOptions, Dense, Element, Layout, Profile, Stream};

fn like_others<T: Element>(codec: &Codec) {
    let (model, shape) = ([9, 40, 64], [20, 33, 47]);
    let bounds: Vec<Bound> = BOUNDS.into_iter().chain(relative_bounds()).collect();
    let layouts = [Layout::Line, Layout::Plane, Layout::Brick];
    let cases = pairs(&pairs(&KINDS, &layouts), &bounds);
    for (seed, ((kind, layout), bound)) in some(cases.into_iter().enumerate()) {
        let dense = CompressOptions::new(bounds[(seed + 1) % bounds.len()])
            .profile(Profile::Dense(Dense::new().with_layout(layout)));
        let other = field::<T>(KINDS[seed % KINDS.len()], 9 * 40 * 64, 8);
        let other = compress(&Codec::cpu(), &other, &model, &dense);
        let other = Stream::open(&other).expect("opens");
        let options = CompressOptions::new(bound).missing(-999.0).like(&other).expect("sound");
        let what = format!("{kind} {layout:?} {bound:?}");
        let data = field::<T>(kind, 20 * 33 * 47, 9);
        let stream = compress(&Codec::cpu(), &data, &shape, &options);
        same_stream(&what, &stream, &compress(codec, &data, &shape, &options));
        same_field::<T>(&what, codec, &stream);
    }
}

#[test]
fn fields_coded_like_another() {
    let Some(codec) = device("fields coded like another") else { return };
    like_others::<f32>(&codec);
    like_others::<f64>(&codec);
    // Steps that a lattice of 16 points cannot divide.
    let smooth = field::<f32>("smooth", 9 * 40 * 64, 10);
    let dense = CompressOptions::new(Bound::Absolute(0.01)).profile(Profile::Dense(Dense::new()));
    let other = compress(&Codec::cpu(), &smooth, &[9, 40, 64], &dense);
    let other = Stream::open(&other).expect("opens");
    for bound in [1e-38, 5e-38, 9.4e-38, 1e-37, 2e-37] {
        let options = CompressOptions::new(Bound::Absolute(bound)).like(&other).expect("sound");
        let data: Vec<f32> = smooth.iter().map(|d| d * 1e-34).collect();
        let stream = compress(&Codec::cpu(), &data, &[9, 40, 64], &options);
        same_stream(
            &format!("{bound:e}"),
            &stream,
            &compress(&codec, &data, &[9, 40, 64], &options),
        );
    }
}

/// Fields of one shape in turn, as steps and variables of a simulation are: what is chosen for one is what is expected of
/// the next.
fn in_turn<T: Element>(codec: &Codec) {
    // An emulated device takes seconds for what a real one does in a millisecond.
    let shape = if every() == 1 { [23, 41, 67] } else { [3, 17, 31] };
    let n = shape.iter().product::<u64>() as usize;
    let fields = KINDS.map(|kind| field::<T>(kind, n, 5));
    for bound in [Bound::ValueRange(1e-3), Bound::Relative { eps: 1e-2, floor: 1e-3 }] {
        let options = CompressOptions::new(bound).missing(1e20).missing(-999.0);
        let dense = options.profile(Profile::Dense(Dense::new()));
        let expected = fields.each_ref().map(|data| compress(&Codec::cpu(), data, &shape, &dense));
        let chosen = |kind: usize| Stream::open(&expected[kind]).expect("opens").header().profile;
        for kind in some(0..KINDS.len()) {
            // One that is coded otherwise: of others nothing new would be expected.
            let mut others = (1..KINDS.len()).map(|by| (kind + by) % KINDS.len());
            let next = others.find(|&other| chosen(other) != chosen(kind));
            let next = next.expect("not all are coded alike");
            let same = |data: &[T], i: usize| {
                let what = format!("{} {} {bound:?}", T::DTYPE, KINDS[i]);
                same_stream(&what, &expected[i], &compress(codec, data, &shape, &dense));
            };
            // As steps of a variable, at one place of memory, ...
            let mut variable = fields[kind].clone();
            for i in [kind, kind, kind, kind, next, next, next, kind, next, kind, kind, kind] {
                variable.copy_from_slice(&fields[i]);
                same(&variable, i);
            }
            // ... and as variables that are at places of their own.
            for i in [kind, next].repeat(4) {
                same(&fields[i], i);
            }
        }
    }
}

#[test]
fn choices_that_are_expected() {
    let Some(codec) = device("choices in turn") else { return };
    in_turn::<f32>(&codec);
    in_turn::<f64>(&codec);
}
