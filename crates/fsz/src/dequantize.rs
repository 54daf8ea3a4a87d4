//! Codes back to elements: one correctly rounded multiplication (FORMAT.md, *Quantize*).

use crate::element::Element;

/// The elements of `codes`.
#[inline(always)]
pub(crate) fn dequantize<T: Element>(codes: &[i32], step: T, out: &mut [T]) {
    for (d, &q) in out.iter_mut().zip(codes) {
        *d = T::from_code(q).mul(step);
    }
}
