//! Residuals as symbols and raw bits (FORMAT.md, *Dense: symbols*).

use super::tables::Alphabet;
use crate::format::dense::{DIRECT, LORENZO_DIRECT};

/// A residual as a symbol of its alphabet, the number of raw bits behind it, and these.
pub(super) type Symbol = (u8, u8, u32);

/// An item as a symbol.
#[inline(always)]
pub(super) fn symbol(alphabet: Alphabet, value: i32) -> Symbol {
    match alphabet {
        Alphabet::Residual => residual::symbol(value),
        Alphabet::Difference => difference::symbol(value),
        Alphabet::Flag => (value as u8, 0, 0),
    }
}

/// The same item by the symbol that every context has.
pub(super) fn escape(alphabet: Alphabet, value: i32) -> Symbol {
    match alphabet {
        Alphabet::Residual => residual::escape(value),
        Alphabet::Difference => difference::escape(value),
        Alphabet::Flag => symbol(alphabet, value),
    }
}

/// Raw bits behind a symbol.
#[inline(always)]
pub(super) fn raw_bits(alphabet: Alphabet, symbol: u8) -> u8 {
    match alphabet {
        Alphabet::Residual => residual::raw_bits(symbol),
        Alphabet::Difference => difference::raw_bits(symbol),
        Alphabet::Flag => 0,
    }
}

/// The item of a symbol with these raw bits.
#[inline(always)]
pub(super) fn value(alphabet: Alphabet, symbol: u8, raw: u32) -> i32 {
    match alphabet {
        Alphabet::Residual => residual::value(symbol, raw),
        Alphabet::Difference => difference::value(symbol, raw),
        Alphabet::Flag => symbol as i32,
    }
}

/// Residuals of interpolation: small ones, then a class for each bit length, then any other.
pub(super) mod residual {
    use super::{DIRECT, Symbol};
    use crate::format::dense::RESIDUAL_ESCAPE_BITS as ESCAPE_BITS;
    pub use crate::format::dense::RESIDUAL_SYMBOLS as SYMBOLS;

    pub const ESCAPE: u8 = SYMBOLS as u8 - 1;
    pub const FIRST_CLASS: u8 = 2 * DIRECT as u8 + 1;
    pub const CLASS_BITS: u8 = 5;
    /// The largest residual.
    pub const MOST: i32 = (1 << (ESCAPE_BITS - 1)) - 1;

    /// |r| is at most [`MOST`].
    #[inline(always)]
    pub fn symbol(r: i32) -> Symbol {
        let size = r.unsigned_abs();
        if size <= DIRECT as u32 {
            return ((r + DIRECT) as u8, 0, 0);
        }
        let bits = 32 - size.leading_zeros() as u8;
        let raw = (size - (1 << (bits - 1))) << 1 | (r < 0) as u32;
        (FIRST_CLASS + bits - CLASS_BITS, bits, raw)
    }

    /// The same residual by the symbol that every context has.
    pub fn escape(r: i32) -> Symbol {
        (ESCAPE, ESCAPE_BITS, r.unsigned_abs() << 1 | (r < 0) as u32)
    }

    /// Raw bits behind a symbol.
    #[inline(always)]
    pub fn raw_bits(symbol: u8) -> u8 {
        match symbol {
            0..FIRST_CLASS => 0,
            ESCAPE => ESCAPE_BITS,
            _ => symbol - FIRST_CLASS + CLASS_BITS,
        }
    }

    #[inline(always)]
    pub fn value(symbol: u8, raw: u32) -> i32 {
        if symbol < FIRST_CLASS {
            return symbol as i32 - DIRECT;
        }
        let top = if symbol == ESCAPE { 0 } else { 1 << (raw_bits(symbol) - 1) };
        let size = (top + (raw >> 1)) as i32;
        if raw & 1 == 1 { -size } else { size }
    }
}

/// Differences of codes of any width: small ones, then a class for each bit length, then any other.
pub(super) mod difference {
    use super::{LORENZO_DIRECT, Symbol};
    pub use crate::format::dense::DIFFERENCE_SYMBOLS as SYMBOLS;

    pub const ESCAPE: u8 = SYMBOLS as u8 - 1;
    pub const CLASS_BITS: u8 = LORENZO_DIRECT.ilog2() as u8 + 1;

    fn zigzag(l: i32) -> u32 {
        (l << 1 ^ l >> 31) as u32
    }

    #[inline(always)]
    pub fn symbol(l: i32) -> Symbol {
        let z = zigzag(l);
        if z < LORENZO_DIRECT {
            return (z as u8, 0, 0);
        }
        let bits = 32 - z.leading_zeros() as u8;
        (LORENZO_DIRECT as u8 + bits - CLASS_BITS, bits - 1, z ^ 1 << (bits - 1))
    }

    pub fn escape(l: i32) -> Symbol {
        (ESCAPE, 32, zigzag(l))
    }

    #[inline(always)]
    pub fn raw_bits(symbol: u8) -> u8 {
        match symbol {
            ESCAPE => 32,
            s if s < LORENZO_DIRECT as u8 => 0,
            s => s - LORENZO_DIRECT as u8 + CLASS_BITS - 1,
        }
    }

    #[inline(always)]
    pub fn value(symbol: u8, raw: u32) -> i32 {
        let z = match symbol {
            ESCAPE => raw,
            s if s < LORENZO_DIRECT as u8 => s as u32,
            s => 1 << raw_bits(s) | raw,
        };
        (z >> 1) as i32 ^ -((z & 1) as i32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_residual_comes_back() {
        for r in -residual::MOST..=residual::MOST {
            for (symbol, bits, raw) in [residual::symbol(r), residual::escape(r)] {
                assert_eq!(bits, residual::raw_bits(symbol));
                assert!((symbol as usize) < residual::SYMBOLS && raw >> bits == 0);
                assert_eq!(residual::value(symbol, raw), r);
            }
        }
    }

    #[test]
    fn every_width_of_difference_comes_back() {
        for bits in 0..32 {
            for l in [1i32 << bits, (1i32 << bits).wrapping_sub(1), (1i32 << bits) + 1] {
                for l in [l, l.wrapping_neg()] {
                    for (symbol, n, raw) in [difference::symbol(l), difference::escape(l)] {
                        assert_eq!(n, difference::raw_bits(symbol));
                        assert!((symbol as usize) < difference::SYMBOLS);
                        assert_eq!(difference::value(symbol, raw), l);
                    }
                }
            }
        }
    }
}
