//! Named missing values.

use crate::scalar::Scalar;

/// Whether `d` is one of the named missing values.
#[inline(always)]
pub(crate) fn is_missing<T: Scalar>(d: T, missing: &[T]) -> bool {
    missing.iter().any(|m| m.to_bits64() == d.to_bits64())
}
