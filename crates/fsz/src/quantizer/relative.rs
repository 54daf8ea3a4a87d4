//! The quantizer that keeps a pointwise-relative bound (FORMAT.md, *Relative*).

use super::{
    Curve, Errors, Linear, Plain,
    block::{BLOCK, Block, Logarithmic, NONE, present},
    linear::round_down,
};
use crate::{
    error::Result,
    exec::Execution,
    format::{
        LEAST_SAMPLES, MAX_CODE, MOST_KNEE, STEEPEST, STRAIGHT_BELOW, TILE, TYPICAL_SHARE,
        dense::{LEAST_STRIDE, MOST_FINE},
    },
    missing::is_missing,
    scalar::Scalar,
};

/// The numbers that turn elements into codes and back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Relative<T> {
    /// What turns codes into values.
    pub curve: Curve<T>,
    /// The relative bound rounded toward zero: `E` of FORMAT.md.
    pub eps: T,
    /// The floor rounded toward zero: `A`.
    pub floor: T,
    /// 1 / the linear step; 0 without one.
    pub inverse: T,
    /// Bits of magnitudes that linear codes are for end before these.
    pub edge: u64,
    /// The lowest pattern of the first logarithmic code.
    pub origin: u64,
    /// ⌊2ᴮ / stride⌋, or the largest number of so many bits.
    pub reciprocal: u64,
}

impl<T: Logarithmic> Relative<T> {
    /// The quantizer of a bound of `eps` with a floor for a field, by a profile that may put up to
    /// `1 << most_fine` points for a code.
    ///
    /// # Errors
    /// [`Cancelled`](crate::Error::Cancelled).
    pub(crate) fn new(
        (eps, floor): (f64, f64),
        most_fine: u32,
        data: &[T],
        missing: &[T],
        run: Execution<'_>,
    ) -> Result<Self> {
        let mut looked = Ok(());
        let relative = Self::with_smallest(eps, floor, most_fine, || {
            smallest(data, missing, run).unwrap_or_else(|cancelled| {
                looked = Err(cancelled);
                T::MIN_POSITIVE.to_bits64()
            })
        });
        looked.map(|()| relative)
    }

    /// The same where `smallest` gives the bits of the magnitude where logarithmic codes are to begin when there
    /// are no linear ones.
    pub(crate) fn with_smallest(
        eps: f64,
        floor: f64,
        most_fine: u32,
        smallest: impl FnOnce() -> u64,
    ) -> Self {
        let (e, floor) = (round_down::<T>(eps), round_down::<T>(floor));
        let (share, octave) = (e.to_f64(), T::OCTAVE as f64);
        let curved = share * octave >= STRAIGHT_BELOW;
        let side = |sign: f64| match curved {
            true => (octave / STEEPEST * (2.0 * share / (2.0 + sign * share))) as u64 - 1,
            false => ((share * octave).ceil() as u64).saturating_sub(1),
        };
        let (low, high) = (side(1.0), side(-1.0));
        let linear = Linear::<T>::new(floor.to_f64(), floor.to_f64() / share, 0);
        let stride = low + high + 1;
        let uneven =
            if stride >> most_fine >= LEAST_STRIDE { stride % (1 << most_fine) } else { 0 };
        let mut curve = Curve { curved, stride: stride - uneven, ..Curve::default() };
        let mut edge = 1;
        let lowest = if linear.step > T::ZERO {
            curve.knee = ((1.0 - share) / (2.0 * share)).min(MOST_KNEE as f64) as u32;
            if curve.knee > 0 {
                curve.linear_step = linear.step;
            }
            edge = edge_of(curve.knee, linear.step).to_bits64();
            edge
        } else {
            smallest()
        };
        let origin = curve.pattern(lowest);
        curve.base = origin + low;
        Relative {
            curve,
            eps: e,
            floor,
            inverse: if curve.knee > 0 { linear.inverse } else { T::ZERO },
            edge,
            origin,
            reciprocal: T::reciprocal_of(curve.stride),
        }
    }

    /// The quantizer of a stream whose header tells of this bound and curve; `None` where this encoder would not
    /// have chosen such a curve for the bound.
    pub(crate) fn of_header(eps: f64, floor: f64, curve: Curve<T>) -> Option<Self> {
        // The curve begins where the field's smallest magnitudes are, which only the header tells.
        let own = Self::with_smallest(eps, floor, 0, || 1);
        let Curve { linear_step, knee, stride, curved, .. } = own.curve;
        let even = stride.checked_sub(curve.stride).is_some_and(|uneven| uneven < 1 << MOST_FINE);
        let alike = (linear_step, knee, curved) == (curve.linear_step, curve.knee, curve.curved);
        let origin = curve.base.checked_sub(own.curve.base - own.origin)?;
        let reciprocal = T::reciprocal_of(curve.stride);
        (even && alike && curve.stride > 0).then_some(Relative { curve, origin, reciprocal, ..own })
    }

    /// The code of one element that is not missing, or `None` when it must be escaped.
    pub fn code(&self, d: T) -> Option<(i32, Errors<T>)> {
        let mut block = Block::new();
        T::block(self, &[d; BLOCK], &mut block);
        (block.codes[0] != NONE).then(|| (block.codes[0], block.errors(0)))
    }

    /// As [`plain_tile`](crate::quantize::plain_tile).
    #[inline(always)]
    pub fn plain_tile<const KNOWN: bool>(
        &self,
        tile: &[T; TILE],
        codes: &mut [i32; TILE],
    ) -> Option<Plain<T>> {
        let mut block = Block::new();
        let (mut absolute, mut relative) = ([T::ZERO; BLOCK], [T::ZERO; BLOCK]);
        let (mut min, mut max) = ([tile[0]; BLOCK], [tile[0]; BLOCK]);
        let (blocks, _) = tile.as_chunks::<BLOCK>();
        for (own, codes) in blocks.iter().zip(codes.as_chunks_mut::<BLOCK>().0) {
            T::block(self, own, &mut block);
            if !block.is_complete() {
                return None;
            }
            *codes = block.codes;
            for k in 0..BLOCK {
                let (a, r) = (block.absolute[k], block.relative[k]);
                absolute[k] = if a > absolute[k] { a } else { absolute[k] };
                relative[k] = if r > relative[k] { r } else { relative[k] };
                if !KNOWN {
                    min[k] = if own[k] < min[k] { own[k] } else { min[k] };
                    max[k] = if own[k] > max[k] { own[k] } else { max[k] };
                }
            }
        }
        let mut plain = Plain { errors: Errors::NONE, min: min[0], max: max[0] };
        for k in 0..BLOCK {
            plain.errors.merge(Errors { absolute: absolute[k], relative: relative[k] });
            plain.min = if min[k] < plain.min { min[k] } else { plain.min };
            plain.max = if max[k] > plain.max { max[k] } else { plain.max };
        }
        Some(plain)
    }

    /// As [`classify`](crate::quantize::classify).
    #[inline(always)]
    pub fn classify(
        &self,
        tile: &[T],
        missing: &[T],
        codes: &mut [i32; TILE],
        errors: &mut [Errors<T>; TILE],
        coded: &mut [u8; TILE],
    ) {
        coded[tile.len().min(TILE)..].fill(0);
        let mut block = Block::new();
        for (k, own) in tile.chunks(BLOCK).enumerate() {
            self.block(own, missing, &mut block);
            let places = k * BLOCK..k * BLOCK + own.len();
            codes[places.clone()].copy_from_slice(&block.codes[..own.len()]);
            for (coded, code) in coded[places.clone()].iter_mut().zip(block.codes) {
                *coded = (code != NONE) as u8;
            }
            for (place, j) in errors[places].iter_mut().zip(0..) {
                *place = block.errors(j);
            }
        }
    }

    /// The codes of at most [`BLOCK`] elements, of which missing ones have none.
    #[inline(always)]
    pub fn block(&self, elements: &[T], missing: &[T], out: &mut Block<T>) {
        T::block(self, &present(elements, missing), out);
    }
}

/// Samples of a field of so many elements.
pub(crate) fn sample_count(elements: usize) -> usize {
    elements.min(LEAST_SAMPLES.max(elements / LEAST_SAMPLES))
}

/// The magnitude that linear codes of so large a step, up to the knee, are for elements below.
pub(crate) fn edge_of<T: Scalar>(knee: u32, step: T) -> T {
    T::from_f64((knee as f64 + 0.5) * step.to_f64())
}

/// Samples between two looks at whether to stop: of a file that is not in memory each may be a read of the disk.
const UNWATCHED: usize = 256;

/// Bits of the magnitude where logarithmic codes are to begin when there are no linear ones.
///
/// # Errors
/// [`Cancelled`](crate::Error::Cancelled).
fn smallest<T: Logarithmic>(data: &[T], missing: &[T], run: Execution<'_>) -> Result<u64> {
    let least = T::MIN_POSITIVE.to_bits64();
    let count = sample_count(data.len());
    let at = |i: usize| (i as u128 * data.len() as u128 / count as u128) as usize;
    let (mut positive, mut negative) = (false, false);
    let mut bits = Vec::with_capacity(count);
    for i in 0..count {
        if i % UNWATCHED == 0 {
            run.check()?;
        }
        let d = data[at(i)];
        let own = d.magnitude().to_bits64();
        if own >= least && d.is_finite() && !is_missing(d, missing) {
            bits.push(own);
            positive |= d > T::ZERO;
            negative |= d < T::ZERO;
        }
    }
    let typical = if positive && negative { bits.len() / TYPICAL_SHARE } else { 0 };
    if bits.is_empty() {
        return Ok(least);
    }
    let (_, &mut found, _) = bits.select_nth_unstable(typical);
    // A sixteenth is four octaves less.
    let below = found.saturating_sub(4 * T::OCTAVE).max(least);
    Ok(if positive && negative { found } else { below })
}

/// The largest code fits beside the largest knee.
const _: () = assert!(MOST_KNEE < MAX_CODE as u32);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, Progress, simd::Level};

    #[test]
    fn a_field_is_sampled_no_longer_than_asked_for() {
        let progress = Progress::new();
        let run = Execution { level: Level::Portable, threads: 1, progress: Some(&progress) };
        let new = |floor| Relative::new((1e-3, floor), 0, &[1f32; 1000], &[], run);
        assert!(new(0.0).is_ok());
        progress.cancel();
        assert!(matches!(new(0.0), Err(Error::Cancelled)));
        assert!(new(1e-3).is_ok(), "with a floor there are no samples");
    }
}
