//! What the tests share: the device, bounds and profiles, and the comparison with the CPU.

use crate::common::{compress, or_skip};
use fsz::{Backend, Bound, Codec, CompressOptions, Dense, Element, Profile, Stream};

/// The codec of the first device, or `None` with a loud word about what is skipped.
pub fn device(what: &str) -> Option<Codec> {
    let codec = or_skip(what, Codec::cuda(0))?;
    assert_eq!(codec.backend(), Backend::Cuda);
    Some(codec)
}

pub fn poison<T: Element>(n: usize) -> Vec<T> {
    vec![T::from_f64(-12345.678); n]
}

pub fn bits<T: Element>(field: &[T]) -> Vec<u64> {
    field.iter().map(|d| d.to_bits64()).collect()
}

pub fn relative(eps: f64, floor: f64) -> Bound {
    Bound::Relative { eps, floor }
}

/// Pointwise-relative bounds: with codes of many sizes, with and without a floor, straight ones too.
pub fn relative_bounds() -> [Bound; 8] {
    [
        relative(1e-3, 0.0),
        relative(1e-2, 1e-2),
        relative(0.5, 0.0),
        relative(0.4, 0.3),
        relative(1e-5, 1e-4),
        relative(3e-7, 0.0),
        relative(3e-8, 1e-3),
        relative(0.1, 50.0),
    ]
}

/// Decodes a stream of the CPU on the device and compares with the CPU's own decoding.
pub fn same_field<T: Element>(what: &str, codec: &Codec, stream: &[u8]) {
    let stream = Stream::open(stream).expect("opens");
    let n = stream.header().elements() as usize;
    let mut expected = poison::<T>(n);
    Codec::cpu().decompress_into(&stream, &mut expected).expect("the CPU decodes");
    let mut found = poison::<T>(n);
    codec.decompress_into(&stream, &mut found).unwrap_or_else(|e| panic!("{what}: {e}"));
    if let Some(at) = (0..n).find(|&i| expected[i].to_bits64() != found[i].to_bits64()) {
        panic!("{what}: element {at} of {n} is {:?}, should be {:?}", found[at], expected[at]);
    }
}

/// The profiles, as an encoder takes them by default.
pub fn profiles() -> [Profile; 2] {
    [Profile::default(), Profile::Dense(Dense::new())]
}

/// The device writes the CPU's stream, and decodes it to the CPU's field; with every profile.
pub fn check<T: Element>(
    what: &str,
    codec: &Codec,
    data: &[T],
    shape: &[u64],
    options: &CompressOptions,
) {
    for profile in profiles() {
        check_profile(what, codec, data, shape, options, profile);
    }
}

pub fn check_profile<T: Element>(
    what: &str,
    codec: &Codec,
    data: &[T],
    shape: &[u64],
    options: &CompressOptions,
    profile: Profile,
) {
    let options = &options.clone().profile(profile);
    let what = format!("{what} {} {shape:?} {options:?}", T::DTYPE);
    let stream = compress(&Codec::cpu(), data, shape, options);
    same_stream(&what, &stream, &compress(codec, data, shape, options));
    same_field::<T>(&what, codec, &stream);
}

pub fn same_stream(what: &str, expected: &[u8], found: &[u8]) {
    if expected != found {
        let at = expected.iter().zip(found).position(|(a, b)| a != b);
        let (n, m) = (found.len(), expected.len());
        panic!("{what}: byte {at:?} differs; {n} bytes, should be {m}");
    }
}
