//! Compresses and decompresses a field, and checks all that FSZ promises about the result.

use crate::exercise;
use fsz::{Bound, Codec, CompressOptions, Element, Stream, max_compressed_len};
use std::sync::LazyLock;

/// An element type with its exact bits.
pub trait Float: Element + std::fmt::Debug {
    fn of(value: f64) -> Self;
    fn bits(self) -> u64;
}

impl Float for f32 {
    fn of(value: f64) -> Self {
        value as f32
    }
    fn bits(self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl Float for f64 {
    fn of(value: f64) -> Self {
        value
    }
    fn bits(self) -> u64 {
        self.to_bits()
    }
}

/// Made once: a codec of two threads starts them.
static CODECS: LazyLock<[Codec; 2]> =
    LazyLock::new(|| [1, 2].map(|threads| Codec::cpu().threads(threads).unwrap()));

/// Options that FSZ refuses are fine; a stream that it makes must keep every promise.
pub fn roundtrip<T: Float>(elements: &[f64], shape_hint: [u8; 3], options: &CompressOptions) {
    let field: Vec<T> = elements.iter().map(|v| T::of(*v)).collect();
    let shape = shape_of(field.len(), shape_hint);
    let largest = max_compressed_len(&shape, T::DTYPE).unwrap();
    let mut one = vec![0; usize::try_from(largest).unwrap()];
    let mut two = one.clone();
    let codec = |threads: usize| &CODECS[threads - 1];
    let Ok(length) = codec(1).compress_into(&field, &shape, options, &mut one) else {
        let again = codec(2).compress_into(&field, &shape, options, &mut two);
        assert!(again.is_err(), "refused with one thread and not with two");
        return;
    };
    let again = codec(2).compress_into(&field, &shape, options, &mut two).unwrap();
    assert!(one[..length] == two[..again], "bytes differ between one and two threads");

    let stream = Stream::open(&one[..length]).unwrap();
    let mut decoded = vec![T::default(); field.len()];
    codec(1).decompress_into(&stream, &mut decoded).unwrap();
    let mut parallel = decoded.clone();
    codec(2).decompress_into(&stream, &mut parallel).unwrap();
    assert!(decoded.iter().zip(&parallel).all(|(a, b)| a.bits() == b.bits()));
    check(&stream, &field, &decoded);
    exercise(&one[..length]);
}

/// Three dimensions whose product is the length.
fn shape_of(length: usize, hint: [u8; 3]) -> Vec<u64> {
    let mut left = length as u64;
    let mut shape = Vec::new();
    for h in hint {
        let side = u64::from(h % 31) + 1;
        if left > 0 && left.is_multiple_of(side) {
            shape.push(side);
            left /= side;
        }
    }
    shape.push(left);
    shape
}

fn check<T: Float>(stream: &Stream, field: &[T], decoded: &[T]) {
    let info = &stream;
    let (header, certificate) = (info.header(), info.certificate());
    let missing: Vec<u64> = header.missing.iter().map(|m| T::of(*m).bits()).collect();
    let mut counts = [0u64; 3];
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let (mut largest, mut share) = (0f64, 0f64);
    for (&d, &r) in field.iter().zip(decoded) {
        let (wide, back) = (d.to_f64(), r.to_f64());
        let kind = if missing.contains(&d.bits()) {
            Some(0)
        } else if wide.is_nan() {
            Some(1)
        } else if wide.is_infinite() {
            Some(2)
        } else {
            None
        };
        if let Some(kind) = kind {
            assert_eq!(d.bits(), r.bits(), "not finite or missing: exact");
            counts[kind] += 1;
            continue;
        }
        let kept = match header.bound {
            Bound::Relative { eps, floor } => {
                within(wide, back, floor) || within_share(wide, back, eps)
            }
            _ => within(wide, back, header.absolute_bound),
        };
        assert!(kept, "{wide:e} became {back:e}");
        largest = largest.max((wide - back).abs());
        share = share.max((wide - back).abs() / wide.abs());
        (low, high) = (low.min(wide), high.max(wide));
    }
    assert_eq!(counts, [certificate.missing, certificate.nan, certificate.inf]);
    assert_eq!(largest, certificate.max_abs_error);
    // That of codes above the knee alone, rounded in the field's type.
    let certified = certificate.max_relative_error.unwrap_or(0.0);
    assert!(certified <= share * (1.0 + 1e-6), "{certified:e} where the largest is {share:e}");
    if low <= high {
        assert_eq!((low, high), (certificate.min, certificate.max));
        if let Bound::ValueRange(ratio) = header.bound {
            let range = (high - low).min(f64::MAX);
            assert_eq!(header.absolute_bound, ratio * range);
        }
    } else {
        assert!(certificate.min.is_nan() && certificate.max.is_nan());
    }
}

/// Whether |a − b| ≤ bound without any rounding.
fn within(a: f64, b: f64, bound: f64) -> bool {
    let (size, rest) = distance(a, b);
    size < bound || (size == bound && rest <= 0.0)
}

/// Whether |a − b| ≤ eps · |a| without any rounding.
fn within_share(a: f64, b: f64, eps: f64) -> bool {
    let (size, rest) = distance(a, b);
    let bound = eps * a.abs();
    let bound_rest = eps.mul_add(a.abs(), -bound);
    size < bound || (size == bound && rest <= bound_rest)
}

/// |a − b|, and what rounding took from it.
fn distance(a: f64, b: f64) -> (f64, f64) {
    let difference = a - b;
    let virtual_b = a - difference;
    let rest = (a - (difference + virtual_b)) + (virtual_b - b);
    (difference.abs(), if difference < 0.0 { -rest } else { rest })
}
