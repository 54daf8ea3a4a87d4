//! How large zfp's fixed-rate streams are: every zfp block of 4 values a side takes as many bits.
//! Arithmetic alone; the zfp library is not needed for it.

use fsz::DType;

use crate::error::{Error, Result};
use crate::shape::Shape;

/// Bits of the words that zfp writes: a stream ends with a whole one.
const WORD: u64 = 64;

/// The fixed rate that zfp makes of an asked one, and what a field takes at it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FixedRate {
    /// Of a zfp block.
    bits: u64,
    /// Of a zfp block: 4 to the number of sides.
    values: u64,
    /// Of the field.
    blocks: u64,
}

impl FixedRate {
    /// The rate nearest to `bits_per_value` that zfp has for a field. It is larger where a zfp block
    /// would not hold its exponent.
    ///
    /// # Errors
    /// When the rate is not above 0 and at most 64, or the shape is none for zfp.
    pub fn new(shape: &Shape, dtype: DType, bits_per_value: f64) -> Result<FixedRate> {
        if !(bits_per_value > 0.0 && bits_per_value <= 64.0) {
            return Err(Error::Argument(format!(
                "zfp rate {bits_per_value}: must be above 0 and at most 64"
            )));
        }
        let (values, blocks) = blocks(shape)?;
        // As zfp_stream_set_rate() does without alignment.
        let bits = (values as f64 * bits_per_value + 0.5) as u64;
        Ok(FixedRate { bits: bits.max(least(dtype)), values, blocks })
    }

    /// The rate that a stream of so many bytes has; none when the field takes more at every rate, or
    /// less.
    pub fn of_stream(shape: &Shape, dtype: DType, bytes: u64) -> Option<FixedRate> {
        let (values, blocks) = blocks(shape).ok()?;
        let stream = bytes.checked_mul(8)?;
        // The last word is filled up: any rate that gives so many words will do.
        let most = stream.checked_div(blocks)?.min(64 * values);
        let first = stream.saturating_sub(WORD - 1).div_ceil(blocks).max(least(dtype));
        // People ask for round rates.
        let bits = (first..=most).max_by_key(|bits| (bits.trailing_zeros(), *bits))?;
        let found = FixedRate { bits, values, blocks };
        (found.bytes() == bytes.next_multiple_of(WORD / 8)).then_some(found)
    }

    /// The rate, when a stream of so many bytes holds the field at it.
    ///
    /// # Errors
    /// As [`FixedRate::new`], and when the field takes more bytes.
    pub fn within(shape: &Shape, dtype: DType, rate: f64, bytes: u64) -> Result<FixedRate> {
        let found = FixedRate::new(shape, dtype, rate)?;
        // The last word need not be whole.
        if bytes.div_ceil(WORD / 8) < found.bytes() / (WORD / 8) {
            return Err(Error::Argument(format!(
                "at {rate} bits per value, {shape} of {dtype} takes {} bytes of zfp; the stream has {bytes}",
                found.bytes()
            )));
        }
        Ok(found)
    }

    /// Bits per value, of whole zfp blocks.
    pub fn bits_per_value(&self) -> f64 {
        self.bits as f64 / self.values as f64
    }

    /// Bytes of the stream without a header, up to its last whole word.
    pub fn bytes(&self) -> u64 {
        self.bits.saturating_mul(self.blocks).div_ceil(WORD).saturating_mul(WORD / 8)
    }
}

/// Bits that a zfp block takes at least: one that says whether it is empty, and the exponent.
fn least(dtype: DType) -> u64 {
    match dtype {
        DType::F32 => 1 + 8,
        DType::F64 => 1 + 11,
    }
}

/// Values of a zfp block, and zfp blocks of a field.
fn blocks(shape: &Shape) -> Result<(u64, u64)> {
    let sides = zfp_sides(shape)?;
    let too_large = || Error::Argument(format!("shape {shape} is too large for zfp"));
    let blocks = sides.iter().map(|&side| (side as u64).div_ceil(4));
    let blocks = blocks.into_iter().try_fold(1u64, |n, side| n.checked_mul(side));
    Ok((1 << (2 * sides.len()), blocks.ok_or_else(too_large)?))
}

/// 1 to 4 sides for zfp, slowest first: sides of 1 do not count, and the slowest of more than 4 are
/// joined.
pub(crate) fn zfp_sides(shape: &Shape) -> Result<Vec<usize>> {
    let mut sides = shape.indices()?;
    sides.retain(|&side| side != 1);
    if sides.is_empty() {
        sides.push(1);
    }
    let joined = sides.len().saturating_sub(3).max(1);
    let slowest = sides[..joined].iter().try_fold(1usize, |n, &side| n.checked_mul(side));
    let too_large = || Error::Argument(format!("shape {shape} is too large for zfp"));
    sides.splice(..joined, [slowest.ok_or_else(too_large)?]);
    Ok(sides)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_rates_are_inverse() {
        for (sides, dtype) in [
            (&[100][..], DType::F32),
            (&[30, 41], DType::F64),
            (&[30, 192, 288], DType::F32),
            (&[4, 4, 4], DType::F32),
        ] {
            let shape = Shape::new(sides).unwrap();
            for rate in [4.0, 8.0, 12.5, 16.0] {
                let asked = FixedRate::new(&shape, dtype, rate).unwrap();
                assert_eq!(asked.bits_per_value(), rate);
                let found = FixedRate::of_stream(&shape, dtype, asked.bytes()).unwrap();
                assert_eq!(found.bytes(), asked.bytes(), "{sides:?} at {rate}");
            }
        }
        let shape = Shape::new(&[30, 192, 288]).unwrap();
        let found = FixedRate::of_stream(&shape, DType::F32, 32 * 192 * 288);
        assert_eq!(found.unwrap().bits_per_value(), 8.0, "30 planes are padded to 32");
    }

    #[test]
    fn what_no_rate_gives_is_refused() {
        let shape = Shape::new(&[8, 8]).unwrap();
        for rate in [0.0, -1.0, 64.5, f64::NAN, f64::INFINITY] {
            assert!(FixedRate::new(&shape, DType::F32, rate).is_err(), "{rate}");
        }
        assert_eq!(FixedRate::of_stream(&shape, DType::F32, 0), None);
        assert_eq!(FixedRate::of_stream(&shape, DType::F32, 4000), None);
        assert_eq!(FixedRate::of_stream(&shape, DType::F32, u64::MAX), None);
        let empty = Shape::new(&[0, 8]).unwrap();
        assert_eq!(FixedRate::of_stream(&empty, DType::F32, 64), None);
        // A rate that no block can be told from an empty one at.
        assert_eq!(FixedRate::new(&shape, DType::F32, 0.1).unwrap().bits_per_value(), 9.0 / 16.0);
    }
}
