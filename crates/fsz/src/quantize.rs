//! Elements to codes (FORMAT.md, *Quantize*).

use crate::{
    bound::{MAX_CODE, Quantizer},
    element::{Dtype, Element},
    geometry::TILE,
};

/// 1.5 · 2⁵²: adding it to an `f64` rounds to the nearest integer, ties to even.
const ROUND_F64: f64 = 6755399441055744.0;
/// 1.5 · 2²³: the same for `f32`.
const ROUND_F32: f32 = 12582912.0;
/// Codes that the fused `f32` path holds exactly.
const FUSED_CODE: f64 = 4194303.0;

/// What a tile without exceptions came to.
pub(crate) struct Plain<T> {
    pub max_error: T,
    pub min: T,
    pub max: T,
}

/// The code of one element, or `None` when it must be escaped. Missing values are the caller's to find.
#[inline]
pub(crate) fn code<T: Element>(d: T, z: &Quantizer<T>) -> Option<(i32, T)> {
    let scaled = d.to_f64() * z.inverse.to_f64();
    let rounded = (scaled + ROUND_F64) - ROUND_F64;
    // The first comparison is false for NaN, and for products too large to round this way.
    if !(scaled.abs() <= MAX_CODE as f64 + 0.5 && rounded.abs() <= MAX_CODE as f64)
        || z.step == T::ZERO
    {
        return None;
    }
    let q = rounded as i32;
    let error = d.sub(T::from_code(q).mul(z.step)).magnitude();
    (error <= z.limit).then_some((q, error))
}

/// Whether elements of at most this magnitude have codes that [`plain_tile`] computes.
pub(crate) fn in_reach<T: Element>(magnitude: f64, z: &Quantizer<T>, fused: bool) -> bool {
    let most = if fused && T::DTYPE == Dtype::F32 { FUSED_CODE } else { MAX_CODE as f64 };
    z.step != T::ZERO && magnitude * z.inverse.to_f64() <= most - 1.0
}

/// Quantizes a tile whose elements all have codes; `None` when one of them does not.
///
/// With `KNOWN`, the caller has checked [`in_reach`] and does not need the range. With `FUSED`, the
/// processor has a fused multiply-add.
#[inline(always)]
pub(crate) fn plain_tile<T: Element, const KNOWN: bool, const FUSED: bool>(
    tile: &[T; TILE],
    z: &Quantizer<T>,
    codes: &mut [i32; TILE],
) -> Option<Plain<T>> {
    const LANES: usize = 16;
    let mut error = [0u64; LANES];
    let mut error32 = [0u32; LANES];
    let mut min = [T::INFINITY; LANES];
    let mut max = [T::ZERO.sub(T::INFINITY); LANES];
    let (rows, _) = tile.as_chunks::<LANES>();
    let (code_rows, _) = codes.as_chunks_mut::<LANES>();
    for (row, code_row) in rows.iter().zip(code_rows) {
        for j in 0..LANES {
            let d = row[j];
            let (q, rounded) = one::<T, FUSED>(d, z.inverse);
            code_row[j] = q;
            // Errors are not negative, so their bits order as they do, with NaN above all.
            let e = d.sub(rounded.mul(z.step)).magnitude().to_bits64();
            match T::DTYPE {
                Dtype::F32 => error32[j] = error32[j].max(e as u32),
                Dtype::F64 => error[j] = error[j].max(e),
            }
            if !KNOWN {
                min[j] = if d < min[j] { d } else { min[j] };
                max[j] = if d > max[j] { d } else { max[j] };
            }
        }
    }
    let mut plain = Plain { max_error: T::ZERO, min: min[0], max: max[0] };
    let mut worst = 0u64;
    for j in 0..LANES {
        worst = worst.max(error[j]).max(error32[j] as u64);
        plain.min = if min[j] < plain.min { min[j] } else { plain.min };
        plain.max = if max[j] > plain.max { max[j] } else { plain.max };
    }
    plain.max_error = T::from_bits64(worst);
    let reached = KNOWN || {
        let low = plain.min.magnitude().to_f64();
        in_reach(low.max(plain.max.magnitude().to_f64()), z, FUSED)
    };
    (reached && plain.max_error <= z.limit).then_some(plain)
}

/// Code and rounded quotient of one element within reach.
#[inline(always)]
fn one<T: Element, const FUSED: bool>(d: T, inverse: T) -> (i32, T) {
    match T::DTYPE {
        Dtype::F32 if FUSED => {
            let p = (d.to_f64() as f32).mul_add(inverse.to_f64() as f32, ROUND_F32);
            let q = (p.to_bits() as i32).wrapping_sub(ROUND_F32.to_bits() as i32);
            (q, T::from_f64((p - ROUND_F32) as f64))
        }
        Dtype::F32 => {
            let q = (d.to_f64() * inverse.to_f64() + ROUND_F64).to_bits() as i32;
            (q, T::from_code(q))
        }
        Dtype::F64 => {
            let p = d.to_f64() * inverse.to_f64() + ROUND_F64;
            (p.to_bits() as i32, T::from_f64(p - ROUND_F64))
        }
    }
}
