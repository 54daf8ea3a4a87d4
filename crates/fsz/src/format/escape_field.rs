//! The escape field: 21 bits of a tile's rate bytes (FORMAT.md, *Escapes*).

use super::rate_byte::RateByte;
use crate::{
    dtype::DType,
    error::{Error, Result},
};

/// How a tile with escapes is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EscapeKind {
    /// Some elements are stored exactly.
    Exceptions,
    /// All elements have the same bits.
    Constant,
    /// All elements are stored exactly.
    Verbatim,
}

/// Where the bits of masked elements, or of a constant tile, come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pattern {
    /// The quiet NaN.
    Nan,
    /// The quiet NaN with the sign set.
    NegativeNan,
    /// The first missing value that the header names.
    FirstMissing,
    /// The payload.
    InPayload,
}

impl Pattern {
    /// The lowest number for these bits.
    pub fn of(bits: u64, dtype: DType, missing: &[u64]) -> Self {
        if bits == dtype.nan_pattern(false) {
            Pattern::Nan
        } else if bits == dtype.nan_pattern(true) {
            Pattern::NegativeNan
        } else if missing.first() == Some(&bits) {
            Pattern::FirstMissing
        } else {
            Pattern::InPayload
        }
    }

    /// Words that it takes in the payload.
    pub const fn words(self, dtype: DType) -> usize {
        if matches!(self, Pattern::InPayload) { dtype.words() } else { 0 }
    }
}

/// The escape field of a tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EscapeField {
    /// How the tile is stored.
    pub kind: EscapeKind,
    /// Where the bits of masked elements come from.
    pub pattern: Pattern,
    /// 0: no mask; up to [`MOST_RUN_ENDS`](Self::MOST_RUN_ENDS): run ends of the mask;
    /// [`BITMAP`](Self::BITMAP): the mask is a bitmap.
    pub run_ends: u8,
    /// Listed exceptions.
    pub listed: u8,
}

impl EscapeField {
    /// Bits of the field that each block but the first holds.
    pub const BITS_PER_BLOCK: u32 = 3;
    /// Blocks behind the first that hold the field.
    pub const BLOCKS: usize = 7;
    /// First bit and number of bits of the kind.
    pub const KIND: (u32, u32) = (0, 2);
    /// Of the pattern.
    pub const PATTERN: (u32, u32) = (2, 2);
    /// Of the run ends.
    pub const RUN_ENDS: (u32, u32) = (4, 6);
    /// Of the number of listed exceptions.
    pub const LISTED: (u32, u32) = (10, 8);
    /// Bits of the field that are used.
    pub const USED: u32 = Self::LISTED.0 + Self::LISTED.1;
    /// `run_ends` of a mask that is a bitmap.
    pub const BITMAP: u8 = 63;
    /// Most run ends that an encoder lists.
    pub const MOST_RUN_ENDS: usize = 32;
    /// Most listed exceptions.
    pub const MOST_LISTED: usize = 255;

    /// Of a tile that is stored exactly.
    pub const fn verbatim() -> Self {
        EscapeField { kind: EscapeKind::Verbatim, pattern: Pattern::Nan, run_ends: 0, listed: 0 }
    }

    /// Of a tile of one bit pattern.
    pub const fn constant(pattern: Pattern) -> Self {
        EscapeField { kind: EscapeKind::Constant, pattern, run_ends: 0, listed: 0 }
    }

    /// Sets the field, and block 0's escape bit, in a tile's rate bytes.
    pub fn write(self, rates: &mut [u8]) {
        let bits = (self.kind as u32) << Self::KIND.0
            | (self.pattern as u32) << Self::PATTERN.0
            | (self.run_ends as u32) << Self::RUN_ENDS.0
            | (self.listed as u32) << Self::LISTED.0;
        rates[0] |= RateByte::ESCAPES;
        for (k, rate) in rates.iter_mut().skip(1).take(Self::BLOCKS).enumerate() {
            *rate |=
                ((bits >> (Self::BITS_PER_BLOCK * k as u32)) as u8 & 7) << RateByte::HIGH_SHIFT;
        }
    }

    /// Reads the field of a tile with escapes. `exceptions` is whether such tiles may have some.
    ///
    /// # Errors
    /// [`Error::Corrupt`] when it contradicts itself.
    #[inline]
    pub fn read(rates: &[u8], exceptions: bool) -> Result<Self> {
        let bits =
            rates.iter().skip(1).take(Self::BLOCKS).enumerate().fold(0u32, |bits, (k, &rate)| {
                bits | (RateByte(rate).high() as u32) << (Self::BITS_PER_BLOCK * k as u32)
            });
        let part = |(shift, width): (u32, u32)| bits >> shift & ((1 << width) - 1);
        let kind = match part(Self::KIND) {
            0 => EscapeKind::Exceptions,
            1 => EscapeKind::Constant,
            2 => EscapeKind::Verbatim,
            _ => return Err(Error::corrupt("an escaped tile of unknown kind")),
        };
        let pattern = match part(Self::PATTERN) {
            0 => Pattern::Nan,
            1 => Pattern::NegativeNan,
            2 => Pattern::FirstMissing,
            _ => Pattern::InPayload,
        };
        let field = EscapeField {
            kind,
            pattern,
            run_ends: part(Self::RUN_ENDS) as u8,
            listed: part(Self::LISTED) as u8,
        };
        let some = kind == EscapeKind::Exceptions;
        let first = RateByte(rates[0]);
        let consistent = bits >> Self::USED == 0
            && (some || field.run_ends == 0 && field.listed == 0)
            && (some
                || rates.iter().all(|&r| RateByte(r).rate() == 0)
                    && !first.order2()
                    && !first.centered())
            && (kind != EscapeKind::Verbatim || pattern == Pattern::Nan)
            && (!some || field.run_ends > 0 || field.listed > 0)
            && (!some || field.run_ends > 0 || pattern == Pattern::Nan)
            && (exceptions || !some)
            && rates.iter().skip(1 + Self::BLOCKS).all(|&r| RateByte(r).high() == 0);
        if consistent { Ok(field) } else { Err(Error::corrupt("a contradictory escape field")) }
    }

    /// Words after the blocks (or in place of them) in the payload of a tile of `count` elements.
    pub fn words(self, count: usize, dtype: DType) -> usize {
        match self.kind {
            EscapeKind::Verbatim => count * dtype.words(),
            EscapeKind::Constant => self.pattern.words(dtype),
            EscapeKind::Exceptions => {
                let listed = self.listed as usize;
                let pattern = if self.run_ends > 0 { self.pattern.words(dtype) } else { 0 };
                pattern + self.mask_words() + listed.div_ceil(4) + listed * dtype.words()
            }
        }
    }

    /// Words of the mask.
    pub fn mask_words(self) -> usize {
        match self.run_ends {
            Self::BITMAP => super::geometry::TILE / 32,
            n => (n as usize).div_ceil(4),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_survives_its_21_bits() {
        for kind in [EscapeKind::Exceptions, EscapeKind::Constant, EscapeKind::Verbatim] {
            for pattern in
                [Pattern::Nan, Pattern::NegativeNan, Pattern::FirstMissing, Pattern::InPayload]
            {
                for (run_ends, listed) in [(0, 0), (1, 0), (63, 255), (0, 128), (32, 1)] {
                    let field = EscapeField { kind, pattern, run_ends, listed };
                    let some = kind == EscapeKind::Exceptions;
                    let valid = (some && (run_ends > 0 || listed > 0)
                        || !some && run_ends == 0 && listed == 0)
                        && (kind != EscapeKind::Verbatim || pattern == Pattern::Nan)
                        && !(some && run_ends == 0 && pattern != Pattern::Nan);
                    let mut rates = [0u8; 8];
                    field.write(&mut rates);
                    let read = EscapeField::read(&rates, true);
                    assert_eq!(read.ok(), valid.then_some(field));
                }
            }
        }
    }
}
