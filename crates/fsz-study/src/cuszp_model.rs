//! What cuSZp's design costs: a model from its publications, not its program.
//!
//! Huang, Di, Yu, Li, Cappello, "cuSZp2: A GPU Lossy Compressor with Extreme Throughput and Optimized
//! Compression Ratio", SC 2024: blocks of 32 elements on their own, first-order differences within the
//! block, a byte per block, and for a block with anything to say a sign bit per element and as many
//! bit-planes as its largest magnitude needs. In its outlier mode the first element of a block may be
//! stored exactly in 1 to 4 bytes, so that the planes need to hold the others alone, where that is
//! smaller.

use fsz::Element;
use fsz_metrics::{Class, Missing, Sample};

/// Elements of a block.
const BLOCK: usize = 32;

/// Sizes in bytes, and what would be read back.
#[derive(Debug)]
pub struct Model<T> {
    pub plain: u64,
    pub outlier: u64,
    pub decoded: Vec<T>,
}

/// The model on a field at an absolute bound.
///
/// What is not a number takes the code before it, so that it costs next to nothing: cuSZp itself
/// has no place for such values.
pub fn cuszp<T: Element + Sample>(values: &[T], bound: f64, missing: &Missing<T>) -> Model<T> {
    let mut model = Model { plain: 0, outlier: 0, decoded: Vec::with_capacity(values.len()) };
    let step = 2.0 * bound;
    let mut code = 0i64;
    for block in values.chunks(BLOCK) {
        let (mut before, mut first, mut others) = (0i64, 0u64, 0u64);
        for (i, &value) in block.iter().enumerate() {
            if missing.class(value) == Class::Finite {
                // A cast saturates; real codes are far inside.
                code = if step > 0.0 { (Sample::to_f64(value) / step).round() as i64 } else { 0 };
            }
            let difference = code.saturating_sub(before).unsigned_abs();
            if i == 0 {
                first = difference
            } else {
                others |= difference
            }
            before = code;
            model.decoded.push(<T as Sample>::from_f64(code as f64 * step));
        }
        let plain = 1 + planes(first | others);
        model.plain += plain;
        model.outlier += plain.min(1 + with_outlier(first, others));
    }
    model
}

/// Bytes of signs and planes; nothing for a block of zeros.
fn planes(magnitudes: u64) -> u64 {
    if magnitudes == 0 { 0 } else { 4 + 4 * bits(magnitudes) }
}

/// Bytes of signs, planes for all but the first, and the first.
fn with_outlier(first: u64, others: u64) -> u64 {
    4 + 4 * bits(others) + bits(first).div_ceil(8).max(1)
}

fn bits(magnitudes: u64) -> u64 {
    u64::from(u64::BITS - magnitudes.leading_zeros())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_counted_by_hand() {
        // Codes 1000, 1001, …: differences 1000 and then 1. Plain: 1 + 4 + 4 · 10 bytes; with the
        // outlier: 1 + 4 + 4 · 1 + 2.
        let ramp: Vec<f32> = (0..32).map(|i| 1000.0 + i as f32).collect();
        let model = cuszp(&ramp, 0.5, &Missing::none());
        assert_eq!((model.plain, model.outlier), (45, 11));
        assert_eq!(model.decoded, ramp);
        let zeros = cuszp(&[0.2f64; 40], 0.5, &Missing::none());
        assert_eq!((zeros.plain, zeros.outlier), (2, 2));
    }

    #[test]
    fn what_is_no_number_costs_nothing() {
        let values = [5.0f32, f32::NAN, -999.0, 5.0];
        let model = cuszp(&values, 0.5, &Missing::new(&[-999.0]));
        assert_eq!(model.plain, 1 + 4 + 4 * 3);
        assert_eq!(model.decoded, [5.0; 4]);
    }
}
