//! What the four variants cannot carry (FORMAT.md, *Escapes*).

use crate::{
    element::{Dtype, Element},
    error::{Error, Result},
    geometry::{Geometry, TILE},
};

/// Bit 5 of block 0's rate byte.
pub(crate) const ESCAPES: u8 = 0x20;
/// Run ends of a mask that is a bitmap.
const BITMAP: u8 = 63;
/// Most run ends that are listed.
const MOST_RUN_ENDS: usize = 32;
/// Words of a mask that is a bitmap.
const BITMAP_WORDS: usize = TILE / 32;

/// What an escaped tile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Exceptions,
    Constant,
    Verbatim,
}

impl Kind {
    /// The kind that an escaped tile's rate bytes name.
    pub fn of_rates(rates: &[u8]) -> Option<Self> {
        match rates[1] >> 5 & 3 {
            0 => Some(Kind::Exceptions),
            1 => Some(Kind::Constant),
            2 => Some(Kind::Verbatim),
            _ => None,
        }
    }
}

/// Where the bits of masked elements come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    Nan,
    NegativeNan,
    FirstMissing,
    InPayload,
}

impl Pattern {
    /// The lowest number for these bits.
    pub fn of(bits: u64, dtype: Dtype, missing: &[u64]) -> Self {
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

    fn words(self, dtype: Dtype) -> usize {
        if self == Pattern::InPayload { dtype.words() } else { 0 }
    }
}

/// The escape field of a tile: 21 bits of its rate bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub kind: Kind,
    pub pattern: Pattern,
    pub run_ends: u8,
    pub listed: u8,
}

impl Field {
    pub fn verbatim() -> Self {
        Field { kind: Kind::Verbatim, pattern: Pattern::Nan, run_ends: 0, listed: 0 }
    }

    pub fn constant(pattern: Pattern) -> Self {
        Field { kind: Kind::Constant, pattern, run_ends: 0, listed: 0 }
    }

    /// Sets the field, and bit 5 of block 0, in a tile's rate bytes.
    pub fn write(self, rates: &mut [u8]) {
        let bits = self.kind as u32
            | (self.pattern as u32) << 2
            | (self.run_ends as u32) << 4
            | (self.listed as u32) << 10;
        rates[0] |= ESCAPES;
        for (k, rate) in rates.iter_mut().skip(1).take(7).enumerate() {
            *rate |= ((bits >> (3 * k)) as u8 & 7) << 5;
        }
    }

    /// Reads the field of a tile whose bit 5 is set.
    pub fn read(rates: &[u8], geometry: Geometry) -> Result<Self> {
        let bits = rates
            .iter()
            .skip(1)
            .take(7)
            .enumerate()
            .fold(0u32, |bits, (k, &rate)| bits | ((rate >> 5) as u32) << (3 * k));
        let kind = Kind::of_rates(rates)
            .ok_or_else(|| Error::corrupt("an escaped tile of unknown kind"))?;
        let pattern = match bits >> 2 & 3 {
            0 => Pattern::Nan,
            1 => Pattern::NegativeNan,
            2 => Pattern::FirstMissing,
            _ => Pattern::InPayload,
        };
        let field = Field {
            kind,
            pattern,
            run_ends: (bits >> 4 & 63) as u8,
            listed: (bits >> 10 & 255) as u8,
        };
        let plain = kind == Kind::Exceptions;
        let consistent = bits >> 18 == 0
            && (plain || field.run_ends == 0 && field.listed == 0)
            && (plain || rates.iter().all(|&r| r & 31 == 0) && rates[0] & 0xC0 == 0)
            && (kind != Kind::Verbatim || pattern == Pattern::Nan)
            && (!plain || field.run_ends > 0 || field.listed > 0)
            && (!plain || field.run_ends > 0 || pattern == Pattern::Nan)
            && (geometry.is_standard() || !plain)
            && rates.iter().skip(8).all(|&r| r & 0xE0 == 0);
        if consistent { Ok(field) } else { Err(Error::corrupt("a contradictory escape field")) }
    }

    /// Words after the blocks (or in place of them) in the payload of a tile of `count` elements.
    pub fn words(self, count: usize, dtype: Dtype) -> usize {
        match self.kind {
            Kind::Verbatim => count * dtype.words(),
            Kind::Constant => self.pattern.words(dtype),
            Kind::Exceptions => {
                let listed = self.listed as usize;
                let pattern = if self.run_ends > 0 { self.pattern.words(dtype) } else { 0 };
                pattern + self.mask_words() + listed.div_ceil(4) + listed * dtype.words()
            }
        }
    }

    fn mask_words(self) -> usize {
        match self.run_ends {
            BITMAP => BITMAP_WORDS,
            n => (n as usize).div_ceil(4),
        }
    }
}

/// Appends the bits of one element.
pub(crate) fn push_bits(out: &mut Vec<u32>, bits: u64, dtype: Dtype) {
    out.push(bits as u32);
    if dtype == Dtype::F64 {
        out.push((bits >> 32) as u32);
    }
}

/// The bits of the element at `words[0..W]`.
pub(crate) fn bits_at(words: &[u32], dtype: Dtype) -> u64 {
    match dtype {
        Dtype::F32 => words[0] as u64,
        Dtype::F64 => words[0] as u64 | (words[1] as u64) << 32,
    }
}

/// Appends bytes, padded with zeros to whole words.
fn push_bytes(out: &mut Vec<u32>, bytes: &[u8]) {
    for part in bytes.chunks(4) {
        let mut word = [0; 4];
        word[..part.len()].copy_from_slice(part);
        out.push(u32::from_le_bytes(word));
    }
}

fn byte_at(words: &[u32], k: usize) -> u8 {
    words[k / 4].to_le_bytes()[k % 4]
}

/// A set of positions in a standard tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Positions([u64; TILE / 64]);

impl Positions {
    pub fn insert(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }

    pub fn contains(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Positions at which membership changes, the first of them into the set.
    fn run_ends(&self, count: usize) -> Vec<u8> {
        let mut inside = false;
        let mut ends = Vec::new();
        for i in 0..count {
            if self.contains(i) != inside {
                inside = !inside;
                ends.push(i as u8);
            }
        }
        ends
    }
}

/// The escaped elements of a standard tile, ready to be written behind its blocks.
pub(crate) struct Exceptions {
    pub field: Field,
    words: Vec<u32>,
}

impl Exceptions {
    /// Describes the `escaped` elements of `tile`; `None` when there are too many to list.
    /// `special` is the first escaped element that is missing, NaN or infinite, if there is one.
    pub fn describe<T: Element>(
        tile: &[T],
        escaped: &Positions,
        special: Option<T>,
        missing: &[u64],
    ) -> Option<Self> {
        let dtype = T::DTYPE;
        let mut masked = Positions::default();
        let mut listed = Vec::new();
        for (i, d) in tile.iter().enumerate() {
            if escaped.contains(i) {
                match special {
                    Some(s) if s.to_bits64() == d.to_bits64() => masked.insert(i),
                    _ => listed.push(i as u8),
                }
            }
        }
        if listed.len() > 255 {
            return None;
        }
        let mut field = Field {
            kind: Kind::Exceptions,
            pattern: Pattern::Nan,
            run_ends: 0,
            listed: listed.len() as u8,
        };
        let mut words = Vec::new();
        if let Some(s) = special {
            field.pattern = Pattern::of(s.to_bits64(), dtype, missing);
            if field.pattern == Pattern::InPayload {
                push_bits(&mut words, s.to_bits64(), dtype);
            }
            let ends = masked.run_ends(tile.len());
            if ends.len() > MOST_RUN_ENDS {
                field.run_ends = BITMAP;
                let mut bitmap = [0u32; BITMAP_WORDS];
                for i in (0..TILE).filter(|&i| masked.contains(i)) {
                    bitmap[i / 32] |= 1 << (31 - i % 32);
                }
                words.extend(bitmap);
            } else {
                field.run_ends = ends.len() as u8;
                push_bytes(&mut words, &ends);
            }
        }
        push_bytes(&mut words, &listed);
        for &i in &listed {
            push_bits(&mut words, tile[i as usize].to_bits64(), dtype);
        }
        debug_assert_eq!(words.len(), field.words(tile.len(), dtype));
        Some(Exceptions { field, words })
    }

    pub fn words(&self) -> &[u32] {
        &self.words
    }
}

/// The masked elements of a tile of `count` elements: the mask begins at `words[0]`.
fn read_mask(words: &[u32], field: Field, count: usize) -> Result<Positions> {
    let mut masked = Positions::default();
    if field.run_ends == BITMAP {
        for i in 0..TILE {
            if words[i / 32] >> (31 - i % 32) & 1 == 1 {
                masked.insert(i);
            }
        }
        if (count..TILE).any(|i| masked.contains(i)) {
            return Err(Error::corrupt("a mask beyond the end of its tile"));
        }
        return Ok(masked);
    }
    let n = field.run_ends as usize;
    let mut previous = None;
    for k in (0..n).step_by(2) {
        let begin = byte_at(words, k) as usize;
        let end = if k + 1 < n { byte_at(words, k + 1) as usize } else { count };
        if previous.is_some_and(|p| begin <= p) || end <= begin || end > count {
            return Err(Error::corrupt("run ends of a mask that do not rise"));
        }
        (begin..end).for_each(|i| masked.insert(i));
        previous = Some(end);
    }
    Ok(masked)
}

/// Elements of a tile that its payload holds exactly; `words` is what [`Field::words`] counts.
pub(crate) fn escaped_count(
    words: &[u32],
    field: Field,
    count: usize,
    dtype: Dtype,
) -> Result<usize> {
    if field.kind != Kind::Exceptions {
        return Ok(count);
    }
    let masked = if field.run_ends > 0 {
        read_mask(&words[field.pattern.words(dtype)..], field, count)?.len()
    } else {
        0
    };
    Ok(masked + field.listed as usize)
}

/// The bits of a constant tile's elements, or of masked ones.
pub(crate) fn pattern_bits(
    words: &[u32],
    pattern: Pattern,
    dtype: Dtype,
    missing: &[u64],
) -> Result<u64> {
    match pattern {
        Pattern::Nan => Ok(dtype.nan_pattern(false)),
        Pattern::NegativeNan => Ok(dtype.nan_pattern(true)),
        Pattern::FirstMissing => missing
            .first()
            .copied()
            .ok_or_else(|| Error::corrupt("a tile of missing values without a missing value")),
        Pattern::InPayload => Ok(bits_at(words, dtype)),
    }
}

/// Spreads the decoded chain at the front of `tile` over the places that are not escaped, and puts the
/// escaped elements in theirs. `words` is what [`Field::words`] counts.
pub(crate) fn place_exceptions<T: Element>(
    words: &[u32],
    field: Field,
    missing: &[u64],
    tile: &mut [T],
) -> Result<()> {
    let dtype = T::DTYPE;
    let mut at = 0;
    let mut pattern = T::default();
    let mut escaped = Positions::default();
    if field.run_ends > 0 {
        pattern = T::from_bits64(pattern_bits(words, field.pattern, dtype, missing)?);
        at = field.pattern.words(dtype);
        escaped = read_mask(&words[at..], field, tile.len())?;
        at += field.mask_words();
    }
    let masked = escaped;
    let listed = field.listed as usize;
    let positions = &words[at..];
    let values = &words[at + listed.div_ceil(4)..];
    let mut previous = None;
    for k in 0..listed {
        let i = byte_at(positions, k) as usize;
        if i >= tile.len() || masked.contains(i) || previous.is_some_and(|p| i <= p) {
            return Err(Error::corrupt("positions of exceptions that do not rise"));
        }
        escaped.insert(i);
        previous = Some(i);
    }
    // From the back, so that no code is overwritten before it has moved.
    let mut code = tile.len() - escaped.len();
    let mut exception = listed;
    for i in (0..tile.len()).rev() {
        tile[i] = if masked.contains(i) {
            pattern
        } else if escaped.contains(i) {
            exception -= 1;
            T::from_bits64(bits_at(&values[exception * dtype.words()..], dtype))
        } else {
            code -= 1;
            tile[code]
        };
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_field_survives_its_21_bits() {
        for kind in [Kind::Exceptions, Kind::Constant, Kind::Verbatim] {
            for pattern in
                [Pattern::Nan, Pattern::NegativeNan, Pattern::FirstMissing, Pattern::InPayload]
            {
                for (run_ends, listed) in [(0, 0), (1, 0), (63, 255), (0, 128), (32, 1)] {
                    let field = Field { kind, pattern, run_ends, listed };
                    let plain = kind == Kind::Exceptions;
                    let valid = (plain && (run_ends > 0 || listed > 0)
                        || !plain && run_ends == 0 && listed == 0)
                        && (kind != Kind::Verbatim || pattern == Pattern::Nan)
                        && !(plain && run_ends == 0 && pattern != Pattern::Nan);
                    let mut rates = [0u8; 8];
                    field.write(&mut rates);
                    let read = Field::read(&rates, Geometry::STANDARD);
                    assert_eq!(read.ok(), valid.then_some(field));
                }
            }
        }
    }
}
