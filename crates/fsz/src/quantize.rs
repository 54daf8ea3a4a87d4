//! Elements to codes (FORMAT.md, *Quantize*).

use crate::{
    dtype::DType,
    element::Element,
    format::{MAX_CODE, TILE},
    quantizer::{Errors, Linear, Plain},
    scalar::Scalar,
    simd::{ROUND_F64, Simd},
};

/// Codes that the fused `f32` path holds exactly.
const FUSED_CODE: f64 = 4194303.0;

/// The code of one element, or `None` when it must be escaped. Missing values are the caller's to find.
#[inline]
pub(crate) fn code<T: Scalar>(d: T, z: &Linear<T>) -> Option<(i32, T)> {
    let q = nearest(d, z)?;
    let error = d.sub(T::from_code(q).mul(z.step)).magnitude();
    (error <= z.limit).then_some((q, error))
}

/// The code nearest to an element, within the bound or not; `None` when it is not finite, too large, or when
/// there are no codes.
#[inline]
pub(crate) fn nearest<T: Scalar>(d: T, z: &Linear<T>) -> Option<i32> {
    let scaled = d.to_f64() * z.inverse.to_f64();
    let rounded = (scaled + ROUND_F64) - ROUND_F64;
    // The first comparison is false for NaN, and for products too large to round this way.
    if !(scaled.abs() <= MAX_CODE as f64 + 0.5 && rounded.abs() <= MAX_CODE as f64)
        || z.step == T::ZERO
    {
        return None;
    }
    Some(rounded as i32)
}

/// Whether elements of at most this magnitude have codes that [`plain_tile`] computes.
pub(crate) fn in_reach<T: Scalar>(magnitude: f64, z: &Linear<T>, fused: bool) -> bool {
    let most = if fused && T::DTYPE == DType::F32 { FUSED_CODE } else { MAX_CODE as f64 };
    z.step != T::ZERO && magnitude * z.inverse.to_f64() <= most - 1.0
}

/// Quantizes a tile whose elements all have codes; `None` when one of them does not, or could be out of
/// reach.
///
/// With `KNOWN`, the caller has checked [`in_reach`] and does not need the range.
#[inline(always)]
pub(crate) fn plain_tile<T: Element, S: Simd, const KNOWN: bool>(
    simd: S,
    tile: &[T; TILE],
    z: &Linear<T>,
    codes: &mut [i32; TILE],
) -> Option<Plain<T>> {
    let plain = T::quantize::<S, KNOWN>(simd, tile, z, codes);
    let reached = KNOWN || {
        let low = plain.min.magnitude().to_f64();
        in_reach(low.max(plain.max.magnitude().to_f64()), z, S::FUSED)
    };
    // False for an error that is NaN.
    (reached && plain.errors.absolute <= z.limit).then_some(plain)
}

/// Codes, errors, and whether each element has a code (1) or is escaped (0): for a tile of at most 256
/// elements of any kind. Places behind its end are escaped.
#[inline(always)]
pub(crate) fn classify<T: Scalar>(
    tile: &[T],
    z: &Linear<T>,
    missing: &[T],
    codes: &mut [i32; TILE],
    errors: &mut [Errors<T>; TILE],
    coded: &mut [u8; TILE],
) {
    if z.step == T::ZERO {
        coded.fill(0);
        return;
    }
    let n = tile.len().min(TILE);
    let inverse = z.inverse.to_f64();
    for i in 0..n {
        let d = tile[i];
        let scaled = d.to_f64() * inverse;
        let shifted = scaled + ROUND_F64;
        let rounded = shifted - ROUND_F64;
        let q = shifted.to_bits() as i32;
        let error = d.sub(T::from_code(q).mul(z.step)).magnitude();
        // All false for NaN; the first keeps away products too large to round this way.
        let fits = (scaled.abs() <= MAX_CODE as f64 + 0.5)
            & (rounded.abs() <= MAX_CODE as f64)
            & (error <= z.limit);
        codes[i] = q;
        errors[i].absolute = error;
        coded[i] = fits as u8;
    }
    for m in missing {
        for i in 0..n {
            coded[i] &= (tile[i].to_bits64() != m.to_bits64()) as u8;
        }
    }
    coded[n..].fill(0);
}
