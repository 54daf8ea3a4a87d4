//! What processors lack for vectors of 64-bit integers, of parts that they have.

/// The words that patterns are computed in.
pub(super) trait Word: Copy {
    /// The high word of a product.
    fn high(self, other: Self) -> Self;
}

/// The same with a sign.
pub(super) trait Signed: Copy {
    /// The nearest `f64`, ties to even.
    fn nearest(self) -> f64;
}

#[inline(always)]
pub(super) fn high<W: Word>(a: W, b: W) -> W {
    a.high(b)
}

#[inline(always)]
pub(super) fn nearest_f64<S: Signed>(number: S) -> f64 {
    number.nearest()
}

impl Word for u32 {
    #[inline(always)]
    fn high(self, other: Self) -> Self {
        ((self as u64 * other as u64) >> 32) as u32
    }
}

impl Word for u64 {
    /// A product of 128 bits would be taken number by number.
    #[inline(always)]
    fn high(self, other: Self) -> Self {
        const LOW: u64 = u32::MAX as u64;
        let ([a, b], [c, d]) = ([self >> 32, self & LOW], [other >> 32, other & LOW]);
        // None of these sums has more than 64 bits.
        let middle = a * d + ((b * d) >> 32);
        let other = b * c + (middle & LOW);
        a * c + (middle >> 32) + (other >> 32)
    }
}

impl Signed for i32 {
    #[inline(always)]
    fn nearest(self) -> f64 {
        self as f64
    }
}

impl Signed for i64 {
    /// Halves as the low bits of numbers whose unit is theirs: only the last sum is rounded.
    #[inline(always)]
    fn nearest(self) -> f64 {
        const LOW: f64 = (1u64 << 52) as f64;
        const HIGH: f64 = (1u128 << 84) as f64;
        const SIGN: f64 = (1u64 << 63) as f64;
        let low = f64::from_bits(LOW.to_bits() | (self as u64 & u32::MAX as u64));
        let high = f64::from_bits((HIGH + SIGN).to_bits() ^ (self as u64 >> 32));
        high - (HIGH + SIGN + LOW) + low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers of all lengths, and those beside them.
    fn numbers() -> impl Iterator<Item = u64> {
        let near = |bit: u32| [-2i64, -1, 0, 1, 2].map(|d| (1u64 << bit).wrapping_add(d as u64));
        let alone = (0..64).flat_map(near);
        alone.chain((1..1000u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (i % 64)))
    }

    #[test]
    fn high_words_are_those_of_products() {
        for a in numbers() {
            for b in numbers() {
                assert_eq!(high(a, b), ((a as u128 * b as u128) >> 64) as u64, "{a} {b}");
            }
        }
    }

    #[test]
    fn numbers_are_rounded_as_conversions_do() {
        for n in numbers().flat_map(|n| [n as i64, (n as i64).wrapping_neg()]) {
            assert_eq!(nearest_f64(n), n as f64, "{n}");
        }
    }
}
