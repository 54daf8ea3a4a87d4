//! What the four variants cannot carry: masks and lists of exceptions (FORMAT.md, *Escapes*).

use crate::{
    dtype::DType,
    element::Element,
    error::{Error, Result},
    format::{EscapeField, EscapeKind, Pattern, TILE},
};

/// Appends the bits of one element.
pub(crate) fn push_bits(out: &mut Vec<u32>, bits: u64, dtype: DType) {
    out.push(bits as u32);
    if dtype == DType::F64 {
        out.push((bits >> 32) as u32);
    }
}

/// The bits of the element at `words[0..W]`.
pub(crate) fn bits_at(words: &[u32], dtype: DType) -> u64 {
    match dtype {
        DType::F32 => words[0] as u64,
        DType::F64 => words[0] as u64 | (words[1] as u64) << 32,
    }
}

/// Appends positions, a byte each, padded with zeros to whole words.
fn push_bytes(out: &mut Vec<u32>, positions: impl Iterator<Item = usize>) {
    for (k, i) in positions.enumerate() {
        if k % 4 == 0 {
            out.push(0);
        }
        if let Some(word) = out.last_mut() {
            *word |= (i as u32) << (k % 4 * 8);
        }
    }
}

fn byte_at(words: &[u32], k: usize) -> u8 {
    words[k / 4].to_le_bytes()[k % 4]
}

/// A set of positions in a standard tile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Positions([u64; TILE / 64]);

impl Positions {
    /// The positions of the ones among zeros and ones.
    #[inline(always)]
    pub fn of_ones(flags: &[u8; TILE]) -> Self {
        let mut set = Positions::default();
        for (byte, eight) in flags.as_chunks::<8>().0.iter().enumerate() {
            // The product gathers the lowest bits of eight bytes in its highest byte.
            let bits = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
            set.0[byte / 8] |= bits << (byte % 8 * 8);
        }
        set
    }

    pub fn insert(&mut self, i: usize) {
        self.0[i / 64] |= 1 << (i % 64);
    }

    fn contains(&self, i: usize) -> bool {
        self.0[i / 64] >> (i % 64) & 1 == 1
    }

    pub fn len(&self) -> usize {
        self.0.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// The positions below `count` that are not in the set.
    pub fn complement(&self, count: usize) -> Self {
        let mut all = Positions::default();
        for (w, word) in all.0.iter_mut().enumerate() {
            *word = match count.saturating_sub(64 * w) {
                n if n >= 64 => u64::MAX,
                n => (1 << n) - 1,
            };
        }
        all.without(self)
    }

    fn without(&self, other: &Self) -> Self {
        Positions(std::array::from_fn(|w| self.0[w] & !other.0[w]))
    }

    /// The positions of the set, rising.
    pub fn iter(&self) -> impl Iterator<Item = usize> {
        self.0.into_iter().enumerate().flat_map(|(w, mut bits)| {
            std::iter::from_fn(move || {
                let i = bits.trailing_zeros() as usize;
                bits &= bits.wrapping_sub(1);
                (i < 64).then_some(64 * w + i)
            })
        })
    }

    /// The positions at which membership changes, the first of them into the set.
    fn ends(&self) -> Self {
        let mut before = 0;
        Positions(self.0.map(|word| {
            let changes = word ^ (word << 1 | before);
            before = word >> 63;
            changes
        }))
    }

    /// The maximal runs of consecutive positions, rising.
    pub fn runs(&self) -> impl Iterator<Item = std::ops::Range<usize>> {
        let ends = self.ends();
        let mut ends = ends.0.into_iter().enumerate();
        let mut current = (0, 0u64);
        let mut next = move || {
            while current.1 == 0 {
                let (w, bits) = ends.next()?;
                current = (64 * w, bits);
            }
            let i = current.0 + current.1.trailing_zeros() as usize;
            current.1 &= current.1 - 1;
            Some(i)
        };
        std::iter::from_fn(move || {
            let begin = next()?;
            Some(begin..next().unwrap_or(TILE))
        })
    }
}

/// Appends the escape section of a standard tile to `words`; `None`, with nothing appended, when there are
/// too many escaped elements to list. `special` is the first of them that is missing, NaN or infinite.
#[inline(always)]
pub(crate) fn describe<T: Element>(
    tile: &[T],
    escaped: &Positions,
    special: Option<T>,
    missing: &[u64],
    words: &mut Vec<u32>,
) -> Option<EscapeField> {
    let dtype = T::DTYPE;
    let mut masked = Positions::default();
    if let Some(s) = special {
        let mut equal = [0u8; TILE];
        for (e, d) in equal.iter_mut().zip(tile) {
            *e = (d.to_bits64() == s.to_bits64()) as u8;
        }
        // What has these bits is escaped, too.
        masked = Positions::of_ones(&equal);
    }
    let listed = escaped.without(&masked);
    let count = u8::try_from(listed.len()).ok()?;
    let mut field = EscapeField {
        kind: EscapeKind::Exceptions,
        pattern: Pattern::Nan,
        run_ends: 0,
        listed: count,
    };
    if let Some(s) = special {
        field.pattern = Pattern::of(s.to_bits64(), dtype, missing);
        if field.pattern == Pattern::InPayload {
            push_bits(words, s.to_bits64(), dtype);
        }
        let mut ends = masked.ends();
        if let Some(beyond) = ends.0.get_mut(tile.len() / 64) {
            *beyond &= !(1 << (tile.len() % 64));
        }
        if ends.len() > EscapeField::MOST_RUN_ENDS {
            field.run_ends = EscapeField::BITMAP;
            for half in masked.0.iter().flat_map(|&w| [w as u32, (w >> 32) as u32]) {
                words.push(half.reverse_bits());
            }
        } else {
            field.run_ends = ends.len() as u8;
            push_bytes(words, ends.iter());
        }
    }
    push_bytes(words, listed.iter());
    for i in listed.iter() {
        push_bits(words, tile[i].to_bits64(), dtype);
    }
    Some(field)
}

/// The masked elements of a tile of `count` elements: the mask begins at `words[0]`.
fn read_mask(words: &[u32], field: EscapeField, count: usize) -> Result<Positions> {
    let mut masked = Positions::default();
    if field.run_ends == EscapeField::BITMAP {
        for (w, word) in masked.0.iter_mut().enumerate() {
            let half = |h: usize| words[2 * w + h].reverse_bits() as u64;
            *word = half(0) | half(1) << 32;
        }
        if masked.without(&Positions::default().complement(count)).len() > 0 {
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

/// Elements of a tile of `count` that have codes; `words` is what [`EscapeField::words`] counts.
pub(crate) fn coded_count(
    words: &[u32],
    field: Option<EscapeField>,
    count: usize,
    dtype: DType,
) -> Result<usize> {
    let Some(field) = field else { return Ok(count) };
    if field.kind != EscapeKind::Exceptions {
        return Ok(0);
    }
    let masked = if field.run_ends > 0 {
        read_mask(&words[field.pattern.words(dtype)..], field, count)?.len()
    } else {
        0
    };
    count
        .checked_sub(masked + field.listed as usize)
        .ok_or_else(|| Error::corrupt("more exceptions than elements"))
}

/// The bits of a constant tile's elements, or of masked ones.
pub(crate) fn pattern_bits(
    words: &[u32],
    pattern: Pattern,
    dtype: DType,
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

/// What the payload of a tile with exceptions holds behind its chain.
struct Exceptions<'a> {
    /// The bits of masked elements.
    pattern: u64,
    masked: Positions,
    /// Masked and listed elements.
    escaped: Positions,
    /// A byte for each listed element, and its bits.
    positions: &'a [u32],
    values: &'a [u32],
}

fn read_exceptions<'a>(
    words: &'a [u32],
    field: EscapeField,
    missing: &[u64],
    count: usize,
    dtype: DType,
) -> Result<Exceptions<'a>> {
    let (mut at, mut pattern) = (0, 0);
    let mut masked = Positions::default();
    if field.run_ends > 0 {
        pattern = pattern_bits(words, field.pattern, dtype, missing)?;
        at = field.pattern.words(dtype);
        masked = read_mask(&words[at..], field, count)?;
        at += field.mask_words();
    }
    let listed = field.listed as usize;
    let (positions, values) = (&words[at..], &words[at + listed.div_ceil(4)..]);
    let mut escaped = masked;
    let mut previous = None;
    for k in 0..listed {
        let i = byte_at(positions, k) as usize;
        // What is listed is neither masked nor listed before.
        if i >= count || escaped.contains(i) || previous.is_some_and(|p| i <= p) {
            return Err(Error::corrupt("positions of exceptions that do not rise"));
        }
        escaped.insert(i);
        previous = Some(i);
    }
    Ok(Exceptions { pattern, masked, escaped, positions, values })
}

/// Whether a tile of `count` elements with this field can be decoded; `words` is what [`EscapeField::words`] counts.
pub(crate) fn check(
    words: &[u32],
    field: EscapeField,
    missing: &[u64],
    count: usize,
    dtype: DType,
) -> Result<()> {
    match field.kind {
        EscapeKind::Verbatim => Ok(()),
        EscapeKind::Constant => pattern_bits(words, field.pattern, dtype, missing).map(|_| ()),
        EscapeKind::Exceptions => read_exceptions(words, field, missing, count, dtype).map(|_| ()),
    }
}

/// Spreads a decoded chain over the places of `tile` that are not escaped, and puts the escaped elements in
/// theirs. `words` is what [`EscapeField::words`] counts; the chain is as long as a full tile.
pub(crate) fn place_exceptions<T: Element>(
    words: &[u32],
    field: EscapeField,
    missing: &[u64],
    chain: &[T],
    tile: &mut [T],
) -> Result<()> {
    let dtype = T::DTYPE;
    let exceptions = read_exceptions(words, field, missing, tile.len(), dtype)?;
    let mut chain = chain;
    for run in exceptions.escaped.complement(tile.len()).runs() {
        let (own, rest) = chain.split_at(run.len());
        tile[run].copy_from_slice(own);
        chain = rest;
    }
    for run in exceptions.masked.runs() {
        tile[run].fill(T::from_bits64(exceptions.pattern));
    }
    let listed = exceptions.values.chunks_exact(dtype.words()).take(field.listed as usize);
    for (k, value) in listed.enumerate() {
        tile[byte_at(exceptions.positions, k) as usize] = T::from_bits64(bits_at(value, dtype));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_and_positions_tell_the_same() {
        let mut flags = [0u8; TILE];
        for (i, f) in flags.iter_mut().enumerate() {
            *f = u8::from(i * i % 37 < 20 || (60..70).contains(&i) || i > 250);
        }
        let set = Positions::of_ones(&flags);
        let plain: Vec<usize> = (0..TILE).filter(|&i| flags[i] == 1).collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), plain);
        assert_eq!(set.runs().flatten().collect::<Vec<_>>(), plain);
        assert_eq!(set.len(), plain.len());
        let rest = set.complement(200);
        let plain: Vec<usize> = (0..200).filter(|&i| flags[i] == 0).collect();
        assert_eq!(rest.runs().flatten().collect::<Vec<_>>(), plain);
    }
}
