//! What the tests share: inputs of every kind, and the plain statement of the format.
#![allow(dead_code)] // Each test binary uses its part.

pub mod dense;
pub mod forge;
pub mod inputs;
pub mod reference;
pub mod relative;
pub mod seal;

use std::sync::OnceLock;

use fsz::{
    Bound, Codec, CompressOptions, DType, Dense, Element, Error, Layout, Profile, Stream, TileKind,
};

/// Bounds that are not pointwise-relative, of each kind.
pub const BOUNDS: [Bound; 6] = [
    Bound::ValueRange(1e-2),
    Bound::ValueRange(1e-4),
    Bound::ValueRange(1e-7),
    Bound::Absolute(0.01),
    Bound::Absolute(1e-9),
    Bound::ValueRangeOf { ratio: 1e-3, min: -13.0, max: 13.0 },
];

/// The codecs whose streams must be the same: both instruction sets, one and several threads. Their threads start once: most
/// fields of the tests are smaller than what it takes to start some.
pub fn codecs() -> Vec<(&'static str, Codec)> {
    static CODECS: OnceLock<Vec<(&str, Codec)>> = OnceLock::new();
    let threads = |codec: Codec, n| codec.threads(n).expect("threads start");
    let started = || {
        vec![
            ("best, 1 thread", threads(Codec::cpu(), 1)),
            ("portable, 1 thread", threads(Codec::cpu_portable(), 1)),
            ("best, 2 threads", threads(Codec::cpu(), 2)),
            ("portable, 3 threads", threads(Codec::cpu_portable(), 3)),
        ]
    };
    CODECS.get_or_init(started).clone()
}

/// Of many cases all; where `FSZ_TEST_EVERY` is set, the first one and every so manyth after it: enough to see on an
/// emulated device that nothing is broken.
pub fn some<C>(cases: impl IntoIterator<Item = C>) -> impl Iterator<Item = C> {
    cases.into_iter().step_by(every())
}

/// `FSZ_TEST_EVERY`, or 1.
pub fn every() -> usize {
    let asked = std::env::var("FSZ_TEST_EVERY").ok().and_then(|n| n.parse().ok());
    asked.filter(|&n| n > 0).unwrap_or(1)
}

/// Every pair of two lists, the second one's items first.
pub fn pairs<A: Copy, B: Clone>(first: &[A], second: &[B]) -> Vec<(A, B)> {
    first.iter().flat_map(|&a| second.iter().map(move |b| (a, b.clone()))).collect()
}

/// The profiles that a field of any shape can have.
pub fn profiles() -> [(&'static str, Profile); 3] {
    let line = Dense::new().with_layout(Layout::Line);
    [
        ("paper", Profile::default()),
        ("dense", Profile::Dense(Dense::new())),
        ("dense, line", Profile::Dense(line)),
    ]
}

/// The first CUDA device, as `opened` has it. Where there is none `what` is skipped, and that is told; with
/// FSZ_REQUIRE_CUDA=1 it fails.
pub fn or_skip<T>(what: &str, opened: fsz::Result<T>) -> Option<T> {
    if let Err(why) = &opened {
        assert!(std::env::var_os("FSZ_REQUIRE_CUDA").is_none(), "{what}: {why}");
        eprintln!("SKIPPED: {what}: {why}");
    }
    opened.ok()
}

/// The stream of `data`, written over poison so that every byte must be set.
pub fn compress<T: Element>(
    codec: &Codec,
    data: &[T],
    shape: &[u64],
    options: &CompressOptions,
) -> Vec<u8> {
    let capacity = options.max_compressed_len(shape, T::DTYPE).expect("a small shape") as usize;
    let mut out = vec![0xA5; capacity];
    let len = codec.compress_into(data, shape, options, &mut out).expect("compresses");
    out.truncate(len);
    out
}

/// The field of a stream, written over poison.
pub fn decompress<T: Element>(codec: &Codec, bytes: &[u8]) -> Vec<T> {
    let stream = Stream::open(bytes).expect("opens");
    let n = stream.header().elements() as usize;
    let mut out = vec![T::from_f64(-12345.678); n];
    codec.decompress_into(&stream, &mut out).expect("decompresses");
    out
}

/// The stream of a field and what it decodes to: by all of these codecs the same bytes and bits, which keep
/// the promise.
pub fn by_all<T: Element>(
    what: &str,
    codecs: Vec<(&'static str, Codec)>,
    (data, shape): (&[T], &[u64]),
    options: &CompressOptions,
    missing: &[f64],
) -> (Vec<u8>, Vec<T>) {
    let mut first: Option<(Vec<u8>, Vec<T>)> = None;
    for (name, codec) in codecs {
        let stream = compress(&codec, data, shape, options);
        let back = decompress::<T>(&codec, &stream);
        let Some((expected, values)) = &first else {
            check_promise(data, &back, &stream, missing);
            first = Some((stream, back));
            continue;
        };
        let differs = stream.iter().zip(expected).position(|(a, b)| a != b);
        assert_eq!(differs, None, "{what}, {name}: the bytes differ");
        assert_eq!(stream.len(), expected.len(), "{what}, {name}");
        let differs = back.iter().zip(values).position(|(a, b)| a.to_bits64() != b.to_bits64());
        assert_eq!(differs, None, "{what}, {name}: the values differ");
    }
    first.expect("a codec")
}

/// What can be done with a stream that opens.
pub struct Exercised {
    /// Whether the records of its tiles are sound.
    pub records: Result<(), Error>,
    /// The bits of its field.
    pub whole: Result<Vec<u64>, Error>,
}

/// Does everything that can be done with a stream.
pub fn exercise(bytes: &[u8]) -> Result<Exercised, Error> {
    let stream = Stream::open(bytes)?;
    stream.tile_counts();
    let records = stream.tiles().try_for_each(|tile| tile.map(drop));
    let whole = match stream.header().dtype {
        DType::F32 => whole_and_part::<f32>(&stream),
        DType::F64 => whole_and_part::<f64>(&stream),
    };
    Ok(Exercised { records, whole })
}

/// A part is decoded even where the whole is refused: where both succeed, they agree.
fn whole_and_part<T: Element>(stream: &Stream<'_>) -> Result<Vec<u64>, Error> {
    let codec = Codec::cpu().threads(1).expect("one thread");
    let whole = codec.decompress::<T>(stream);
    if let Some(&n) = stream.header().shape.first()
        && stream.header().elements() > 1
    {
        let axis = ndarray::Axis(0);
        let last = codec.decompress_slice::<T>(stream, axis, n - 1);
        if let Ok(whole) = &whole {
            let expected = whole.index_axis(axis, n as usize - 1);
            let same = last?.iter().zip(expected).all(|(a, b)| a.to_bits64() == b.to_bits64());
            assert!(same, "a slice is not that of the whole");
        }
    }
    Ok(whole?.iter().map(|d| d.to_bits64()).collect())
}

/// Checks the promise of the codec, in exact arithmetic: finite elements within the bound, all others bit
/// by bit; and the certificate against the data. Returns the largest error.
pub fn check_promise<T: Element>(data: &[T], back: &[T], bytes: &[u8], missing: &[f64]) -> f64 {
    let stream = Stream::open(bytes).expect("opens");
    let info = &stream;
    let eb = info.header().absolute_bound;
    let bound = info.header().bound;
    let mut worst_share = 0f64;
    let missing: Vec<u64> = missing.iter().map(|&m| T::from_f64(m).to_bits64()).collect();
    let (mut nan, mut inf, mut gone, mut worst) = (0, 0, 0, 0f64);
    let (mut min, mut max) = (f64::INFINITY, f64::NEG_INFINITY);
    assert_eq!(data.len(), back.len());
    for (i, (d, r)) in data.iter().zip(back).enumerate() {
        let (x, y) = (d.to_f64(), r.to_f64());
        let is_missing = missing.contains(&d.to_bits64());
        if is_missing || !x.is_finite() {
            assert_eq!(d.to_bits64(), r.to_bits64(), "element {i} ({x}) lost its bits");
            gone += u64::from(is_missing);
            nan += u64::from(!is_missing && x.is_nan());
            inf += u64::from(!is_missing && x.is_infinite());
            continue;
        }
        (min, max) = (min.min(x), max.max(x));
        // x - y in f64 rounds monotonically; the rounding error of the difference decides a tie.
        let difference = (x - y).abs();
        let exact = {
            let s = x - y;
            let bb = s - x;
            (x - (s - bb)) + (-y - bb)
        };
        let over = difference > eb || difference == eb && exact * (x - y).signum() > 0.0;
        assert!(!over, "element {i}: |{x} - {y}| = {difference} exceeds {eb}");
        if let Bound::Relative { eps, floor } = bound {
            let over_floor = difference == floor && exact * (x - y).signum() > 0.0;
            if difference > floor {
                assert_eq!(exact, 0.0, "element {i}: {x} and {y} are within a factor of two");
            }
            // No product of these is rounded to another side of the difference.
            let up = 2f64.powi(if x.abs() < 1e-150 { 600 } else { 0 });
            let within = eps.mul_add(x.abs() * up, -difference * up) >= 0.0;
            let low = difference <= floor && !over_floor;
            assert!(within || low, "element {i}: {x} is decoded to {y}: {bound:?}");
            if difference > floor {
                worst_share = worst_share.max(difference / x.abs());
            }
        }
        worst = worst.max(difference);
    }
    let c = info.certificate();
    assert_eq!((c.nan, c.inf, c.missing), (nan, inf, gone));
    let slack = 1.0 + 1e-6;
    // Elements within the floor may have logarithmic codes, too.
    assert_eq!(c.max_relative_error.is_some(), bound.is_relative());
    assert!(worst_share <= c.max_relative_error.unwrap_or(0.0) * slack);
    assert!(worst <= c.max_abs_error * slack && c.max_abs_error <= worst * slack, "{c:?} {worst}");
    if min <= max {
        assert_eq!((c.min, c.max), (min, max));
    } else {
        assert!(c.min.is_nan() && c.max.is_nan());
    }
    let counts = info.tile_counts();
    assert_eq!(TileKind::ALL.map(|kind| counts.of(kind)).iter().sum::<u64>(), counts.count);
    let records: Vec<_> = info.tiles().collect::<Result<_, _>>().expect("sound tile records");
    assert_eq!(records.len() as u64, counts.count);
    assert_eq!(records.iter().map(|r| r.escapes as u64).sum::<u64>(), c.escaped);
    worst
}

/// The folder of real fields beside the project, or `None` with a loud word about what is skipped.
pub fn data_folder(what: &str) -> Option<std::path::PathBuf> {
    let folder = std::env::var_os("FSZ_TEST_DATA").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        std::path::PathBuf::from,
    );
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: {what}: the folder of real fields, ../shared/data, is not there");
    None
}

/// The real fields of one element type: name, shape, values.
pub fn fields<T: Element>(folder: &std::path::Path) -> Vec<(String, Vec<u64>, Vec<T>)> {
    let mut names: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder lists")
        .map(|e| e.expect("an entry").file_name().into_string().expect("a plain name"))
        .filter(|name| name.ends_with(&format!(".{}", T::DTYPE)))
        .collect();
    names.sort();
    names
        .into_iter()
        .map(|name| {
            let stem = name.rsplit_once('.').expect("an extension").0;
            let shape: Vec<u64> = stem
                .rsplit('_')
                .next()
                .expect("a shape")
                .split('x')
                .map(|n| n.parse().expect("a number"))
                .collect();
            let bytes = std::fs::read(folder.join(&name)).expect("reads");
            let data = bytes
                .chunks_exact(T::DTYPE.size())
                .map(|b| {
                    let mut wide = [0; 8];
                    wide[..b.len()].copy_from_slice(b);
                    T::from_bits64(u64::from_le_bytes(wide))
                })
                .collect();
            (name, shape, data)
        })
        .collect()
}
