//! The escaped elements of a box (FORMAT.md, *Dense: escapes*).

use crate::{
    dtype::DType,
    error::{Error, Result},
    format::{
        Pattern,
        dense::{MASK_ALL, MASK_CODED, MASK_NONE, RECORD_LISTED_SHIFT, RECORD_MASK_SHIFT},
    },
};

/// Which elements have the pattern's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(super) enum Mask {
    None = MASK_NONE,
    All = MASK_ALL,
    /// Told by symbols.
    Coded = MASK_CODED,
}

impl Mask {
    const ALL: [Mask; 3] = [Mask::None, Mask::All, Mask::Coded];
}

/// The escapes of a box, but for a coded mask.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Escapes {
    pub mask: Mask,
    /// Bits of the masked elements; 0 where there are none.
    pub pattern: u64,
    /// Other escaped elements: position and bits.
    pub listed: Vec<(u16, u64)>,
}

impl Escapes {
    pub const NONE: Escapes = Escapes { mask: Mask::None, pattern: 0, listed: Vec::new() };

    pub fn is_none(&self) -> bool {
        self.mask == Mask::None && self.listed.is_empty()
    }

    /// Appends the record.
    pub fn write(&self, dtype: DType, missing_bits: &[u64], out: &mut Vec<u32>) {
        let pattern = match self.mask {
            Mask::None => Pattern::Nan,
            _ => Pattern::of(self.pattern, dtype, missing_bits),
        };
        out.push(
            pattern as u32
                | (self.mask as u32) << RECORD_MASK_SHIFT
                | (self.listed.len() as u32) << RECORD_LISTED_SHIFT,
        );
        let element = |bits: u64, out: &mut Vec<u32>| {
            out.push(bits as u32);
            if dtype == DType::F64 {
                out.push((bits >> 32) as u32);
            }
        };
        if pattern == Pattern::InPayload {
            element(self.pattern, out);
        }
        for pair in self.listed.chunks(2) {
            let at = |i: usize| pair.get(i).map_or(0, |l| l.0 as u32);
            out.push(at(0) | at(1) << 16);
        }
        self.listed.iter().for_each(|l| element(l.1, out));
    }

    /// Reads the record of a box of `len` elements from the front of `words`.
    pub fn read(
        words: &mut impl Iterator<Item = u32>,
        len: usize,
        dtype: DType,
        missing_bits: &[u64],
    ) -> Result<Self> {
        let wrong = || Error::corrupt("a record of escapes contradicts itself");
        let mut word = || words.next().ok_or_else(wrong);
        let head = word()?;
        let number = head >> RECORD_MASK_SHIFT & 3;
        let mask = *Mask::ALL.iter().find(|m| **m as u32 == number).ok_or_else(wrong)?;
        let count = (head >> RECORD_LISTED_SHIFT) as usize;
        if head >> 4 & 0xFFF != 0 || count > len || (mask == Mask::All && count > 0) {
            return Err(wrong());
        }
        let pattern = match (mask, head & 3) {
            (Mask::None, 0) => 0,
            (Mask::None, _) => return Err(wrong()),
            (_, 0) => dtype.nan_pattern(false),
            (_, 1) => dtype.nan_pattern(true),
            (_, 2) => *missing_bits.first().ok_or_else(wrong)?,
            _ => element(&mut word, dtype)?,
        };
        let mut positions = Vec::with_capacity(count);
        for at in (0..count).step_by(2) {
            let pair = word()?;
            positions.push(pair as u16);
            if at + 1 < count {
                positions.push((pair >> 16) as u16);
            } else if pair >> 16 != 0 {
                return Err(wrong());
            }
        }
        let rising = positions.windows(2).all(|p| p[0] < p[1]);
        if !rising || positions.last().is_some_and(|&p| p as usize >= len) {
            return Err(wrong());
        }
        let listed = positions
            .into_iter()
            .map(|at| Ok((at, element(&mut word, dtype)?)))
            .collect::<Result<_>>()?;
        let escapes = Escapes { mask, pattern, listed };
        if escapes.is_none() {
            return Err(wrong());
        }
        Ok(escapes)
    }
}

/// The bits of an element.
fn element(word: &mut impl FnMut() -> Result<u32>, dtype: DType) -> Result<u64> {
    let low = word()? as u64;
    Ok(match dtype {
        DType::F32 => low,
        DType::F64 => low | (word()? as u64) << 32,
    })
}
