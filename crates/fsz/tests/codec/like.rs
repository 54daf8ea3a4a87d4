//! Fields that are coded as another stream is.

use crate::common::{
    by_all, codecs, compress,
    inputs::{KINDS, field},
    pairs, profiles,
    seal::{DenseIndex, header, seal},
};
use fsz::{
    Bound, Codec, CompressOptions, Dense, Element, Error, Layout, Profile, Region, Stream,
    format::at,
};

const SHAPE: [u64; 3] = [20, 33, 47];
const ELEMENTS: usize = 20 * 33 * 47;

fn bounds() -> [Bound; 5] {
    [
        Bound::Absolute(0.01),
        Bound::ValueRange(1e-3),
        Bound::ValueRangeOf { ratio: 1e-3, min: -20.0, max: 20.0 },
        Bound::Relative { eps: 1e-3, floor: 0.0 },
        Bound::Relative { eps: 1e-2, floor: 0.05 },
    ]
}

const MISSING: [f64; 2] = [-999.0, 1e20];

fn options(bound: Bound) -> CompressOptions {
    MISSING.into_iter().fold(CompressOptions::new(bound), CompressOptions::missing)
}

fn like(options: &CompressOptions, stream: &[u8]) -> CompressOptions {
    let stream = Stream::open(stream).expect("opens");
    options.clone().like(&stream).expect("its tables are sound")
}

fn the_same_again<T: Element>() {
    for (seed, (kind, (name, profile))) in pairs(&KINDS, &profiles()).into_iter().enumerate() {
        for bound in [bounds()[seed % 5], bounds()[(seed + 2) % 5]] {
            let data: Vec<T> = field(kind, ELEMENTS, 1);
            let own = options(bound).profile(profile);
            let expected = compress(&Codec::cpu(), &data, &SHAPE, &own);
            let again = compress(&Codec::cpu(), &data, &SHAPE, &like(&own, &expected));
            assert!(again == expected, "{kind}, {name}, {bound:?}, {}", T::DTYPE);
        }
    }
}

#[test]
fn a_field_coded_like_its_own_stream_is_that_stream() {
    the_same_again::<f32>();
    the_same_again::<f64>();
}

/// Fields are coded like streams of other fields, bounds and shapes, and keep their bounds.
fn others<T: Element>() {
    let few = |seed: usize| KINDS.iter().cycle().skip(seed).step_by(5).take(4);
    for (seed, kind) in KINDS.iter().enumerate() {
        for other in few(seed) {
            let (from, to) = (bounds()[seed % 5], bounds()[(seed + other.len()) % 5]);
            let (_, profile) = profiles()[1 + seed % 2];
            let shape = [8, 40, 64];
            let model: Vec<T> = field(other, 8 * 40 * 64, 2);
            let model = compress(&Codec::cpu(), &model, &shape, &options(from).profile(profile));
            let data: Vec<T> = field(kind, ELEMENTS, 3);
            let own = like(&options(to), &model);
            let what = format!("{kind} like {other}, {to:?} like {from:?}");
            let (stream, _) = by_all(&what, codecs(), (&data, &SHAPE), &own, &MISSING);
            assert!(is_like(&stream, &model), "{what}");
            let itself = compress(&Codec::cpu(), &data, &SHAPE, &options(to).profile(profile));
            // What is chosen for the field itself may be the same.
            assert_eq!(is_like(&itself, &model), itself == stream, "{what}: chosen for itself");
        }
    }
}

fn is_like(stream: &[u8], model: &[u8]) -> bool {
    let [stream, model] = [stream, model].map(|bytes| Stream::open(bytes).expect("opens"));
    stream.is_like(&model).expect("its tables are sound")
}

#[test]
fn other_fields_keep_their_bounds() {
    others::<f32>();
    others::<f64>();
}

/// Options can be kept where the bound is another at each step.
#[test]
fn kept_options_take_another_bound() {
    let data: Vec<f32> = field("smooth, noise", ELEMENTS, 1);
    for from in bounds() {
        let dense = options(from).profile(Profile::Dense(Dense::new()));
        let model = compress(&Codec::cpu(), &data, &SHAPE, &dense);
        let kept = like(&dense, &model);
        for to in bounds() {
            let expected = compress(&Codec::cpu(), &data, &SHAPE, &like(&options(to), &model));
            let own = compress(&Codec::cpu(), &data, &SHAPE, &kept.clone().with_bound(to));
            assert!(own == expected, "{to:?} in place of {from:?}");
        }
    }
}

/// A lattice that divides a step is made for bounds of another size.
#[test]
fn bounds_next_to_the_smallest_numbers_are_kept() {
    let smooth: Vec<f32> = field("smooth", ELEMENTS, 4);
    let dense = Profile::Dense(Dense::new());
    let own = CompressOptions::new(Bound::Absolute(0.01)).profile(dense);
    let model = compress(&Codec::cpu(), &smooth, &SHAPE, &own);
    for bound in [1e-45, 1e-38, 5e-38, 9.4e-38, 1e-37, 2e-37, 1e-36] {
        let data: Vec<f32> = smooth.iter().map(|d| d * 1e-34).collect();
        let own = like(&CompressOptions::new(Bound::Absolute(bound)), &model);
        let what = format!("{bound:e}");
        let (stream, _) = by_all(&what, codecs(), (&data, &SHAPE), &own, &[]);
        assert!(is_like(&stream, &model), "{what}");
    }
    // A range without an extent has no step.
    let constant = vec![273.15f32; ELEMENTS];
    let own = like(&CompressOptions::new(Bound::ValueRange(1e-3)), &model);
    let (stream, _) = by_all("constant", codecs(), (&constant, &SHAPE), &own, &[]);
    assert!(is_like(&stream, &model));
}

#[test]
fn sizes_from_nothing_on() {
    let dense = Profile::Dense(Dense::new().with_layout(Layout::Line));
    let own = CompressOptions::new(Bound::Absolute(0.01)).profile(dense);
    let smooth: Vec<f64> = field("smooth", 50_000, 5);
    let model = compress(&Codec::cpu(), &smooth, &[50_000], &own);
    for n in [0, 1, 2, 31, 4095, 4096, 4097, 32_769] {
        let own = like(&own, &model);
        let (stream, _) = by_all(&format!("{n}"), codecs(), (&smooth[..n], &[n as u64]), &own, &[]);
        assert!(is_like(&stream, &model), "{n}");
    }
}

/// What differs is told whatever it is: profile, layout, tables, and shapes that a layout does not fill.
#[test]
fn streams_that_are_not_alike_are_told() {
    let data: Vec<f32> = field("smooth", ELEMENTS, 8);
    let of = |profile, shape: &[u64]| {
        let own = CompressOptions::new(Bound::Absolute(0.01)).profile(profile);
        let elements = shape.iter().product::<u64>() as usize;
        compress(&Codec::cpu(), &data[..elements], shape, &own)
    };
    let layout = |layout| Profile::Dense(Dense::new().with_layout(layout));
    let [line, brick] = [Layout::Line, Layout::Brick].map(|l| of(layout(l), &SHAPE));
    let paper = of(Profile::default(), &SHAPE);
    let slab = of(layout(Layout::Line), &[9000]);
    for (stream, model) in [(&line, &brick), (&line, &paper), (&paper, &line), (&slab, &brick)] {
        assert!(!is_like(stream, model));
    }
    assert!(is_like(&paper, &of(Profile::default(), &[9000])));
}

fn refused(options: fsz::Result<CompressOptions>) -> Error {
    options.expect_err("cannot be a model")
}

#[test]
fn what_cannot_be_a_model_is_refused() {
    let dense = CompressOptions::new(Bound::Absolute(0.01)).profile(Profile::Dense(Dense::new()));
    let empty = compress::<f32>(&Codec::cpu(), &[], &[0], &dense);
    let answer = refused(dense.clone().like(&Stream::open(&empty).expect("opens")));
    assert!(matches!(answer, Error::InvalidArgument(_)), "{answer}");

    // A layout that another shape does not fill.
    let data: Vec<f32> = field("smooth", ELEMENTS, 6);
    let brick = dense.clone().profile(Profile::Dense(Dense::new().with_layout(Layout::Brick)));
    let model = compress(&Codec::cpu(), &data, &SHAPE, &brick);
    let mut out = vec![0; 1 << 20];
    let answer = Codec::cpu()
        .compress_into(&data[..9000], &[9000], &like(&dense, &model), &mut out)
        .expect_err("a line in bricks");
    assert!(
        answer.to_string().contains("like a stream of layout brick: a field of shape"),
        "{answer}"
    );

    // Fields with regions choose for themselves.
    let region = Region::in_box(&[0, 0, 0], &[4, 4, 4], Bound::Absolute(1e-4));
    let answer = Codec::cpu()
        .compress_into(&data, &SHAPE, &like(&dense, &model).region(region), &mut out)
        .expect_err("regions");
    assert!(answer.to_string().contains("choose for themselves"), "{answer}");

    // Another profile behind it takes its place.
    let own = like(&dense, &model).profile(Profile::default());
    let stream = compress(&Codec::cpu(), &data, &SHAPE, &own);
    assert_eq!(Stream::open(&stream).expect("opens").header().profile, Profile::default());
}

/// Forged tables end in an error, not in an encoder that panics.
#[test]
fn forged_tables_are_refused_or_serve() {
    let dense = CompressOptions::new(Bound::Absolute(0.01)).profile(Profile::Dense(Dense::new()));
    let data: Vec<f32> = field("smooth, noise", ELEMENTS, 7);
    let model = compress(&Codec::cpu(), &data, &SHAPE, &dense);
    const SLAB: [u64; 2] = [66, 80];
    let (mut wrong, mut sound) = (0, 0);
    // The tables are the payload's last entry.
    for back in 1..400 {
        for bit in [0, 5] {
            let mut forged = model.clone();
            let at = forged.len() - back;
            forged[at] ^= 1 << bit;
            seal(&mut forged);
            let stream = Stream::open(&forged).expect("its checksums are right");
            match dense.clone().like(&stream) {
                Err(Error::Corrupt(_)) => wrong += 1,
                Err(other) => panic!("{back}: {other}"),
                Ok(own) => {
                    sound += 1;
                    by_all(&format!("{back}"), codecs(), (&data[..5280], &SLAB), &own, &[]);
                }
            }
        }
    }
    assert!(wrong > 100 && sound > 0, "{wrong} refused, {sound} sound");
}

/// Tables without the flag 0 decode whatever has none: an encoder cannot do without.
#[test]
fn tables_that_lack_a_flag_are_refused_or_serve() {
    let dense = CompressOptions::new(Bound::Absolute(0.01)).profile(Profile::Dense(Dense::new()));
    // Of straight lines most residuals are 0, which flags tell.
    let data: Vec<f32> = (0..ELEMENTS).map(|i| (i % 1551) as f32 * 0.25).collect();
    let mut forged = compress(&Codec::cpu(), &data, &SHAPE, &dense);
    let own = header(&forged).expect("a header");
    let index = DenseIndex::of(&forged, &own).expect("an index");
    let size = index.sizes + 4 * (index.entries - 1);
    let words = u32::from_le_bytes(forged[size..size + 4].try_into().expect("4 bytes"));
    // Residuals and differences have the default; of flags the first context has no frequencies but what is
    // left for the last symbol, and the others have those of the one before.
    forged.truncate(forged.len() - 4 * words as usize);
    forged.extend(0b1100u32.to_le_bytes());
    forged[size..size + 4].copy_from_slice(&1u32.to_le_bytes());
    let less = 4 * (u64::from(words) - 1);
    for (at, len) in [(at::payload_len, own.payload_len), (at::stream_len, own.stream_len)] {
        forged[at..at + 8].copy_from_slice(&(len - less).to_le_bytes());
    }
    seal(&mut forged);
    match dense.clone().like(&Stream::open(&forged).expect("its checksums are right")) {
        Err(Error::Corrupt(_)) => {}
        Err(other) => panic!("{other}"),
        Ok(own) => {
            by_all("without a flag", codecs(), (&data, &SHAPE), &own, &[]);
        }
    }
}
