//! Values that must keep their bits.

use fsz::Element;
use fsz_metrics::{Class, Missing, Sample};

/// How many values that are not finite, or missing, changed a bit.
pub fn altered<T: Element + Sample>(original: &[T], decoded: &[T], missing: &Missing<T>) -> u64 {
    let special = |value: T| missing.class(value) != Class::Finite;
    let changed = |(a, b): &(&T, &T)| special(**a) && a.to_bits64() != b.to_bits64();
    original.iter().zip(decoded).filter(changed).count() as u64
}
