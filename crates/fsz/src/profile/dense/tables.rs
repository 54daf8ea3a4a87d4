//! How often each symbol is expected, by context: frequencies, how a stream carries them, what they cost
//! (FORMAT.md, *Dense: tables*).

use super::{
    bits::{BitCounter, BitReader, BitWriter, Bits},
    symbols::{difference, residual},
};
use crate::{
    error::{Error, Result},
    format::dense::{
        COARSE_CONTEXTS, DIRECT, FINE_CONTEXTS, FLAG_CONTEXTS, LORENZO_CONTEXTS, SLOT_BITS, SLOTS,
    },
};

/// The alphabets, each with contexts of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Alphabet {
    Residual,
    Difference,
    Flag,
}

impl Alphabet {
    pub const ALL: [Alphabet; 3] = [Alphabet::Residual, Alphabet::Difference, Alphabet::Flag];

    pub const fn contexts(self) -> usize {
        (match self {
            Alphabet::Residual => FINE_CONTEXTS + COARSE_CONTEXTS,
            Alphabet::Difference => LORENZO_CONTEXTS + 1,
            Alphabet::Flag => FLAG_CONTEXTS,
        }) as usize
    }

    pub const fn symbols(self) -> usize {
        match self {
            Alphabet::Residual => residual::SYMBOLS,
            Alphabet::Difference => difference::SYMBOLS,
            Alphabet::Flag => 2,
        }
    }

    /// The symbol that every context has: any other may be missing.
    pub const fn escape(self) -> usize {
        self.symbols() - 1
    }

    /// The number of its first context among all.
    pub const fn first(self) -> usize {
        match self {
            Alphabet::Residual => 0,
            Alphabet::Difference => Alphabet::Residual.contexts(),
            Alphabet::Flag => Alphabet::Difference.first() + Alphabet::Difference.contexts(),
        }
    }

    /// The number of a context among those of all alphabets.
    #[inline(always)]
    pub const fn row(self, context: u8) -> u8 {
        self.first() as u8 + context
    }

    /// The symbols but for the escape in the order in which they are carried: likely ones first.
    fn order(self) -> impl Iterator<Item = usize> {
        let direct = DIRECT as usize;
        (0..self.escape()).map(move |i| match self {
            Alphabet::Residual if i <= 2 * direct => {
                if i % 2 == 1 {
                    direct + i.div_ceil(2)
                } else {
                    direct - i / 2
                }
            }
            _ => i,
        })
    }
}

/// Contexts of all alphabets.
pub(super) const CONTEXTS: usize = Alphabet::Flag.first() + Alphabet::Flag.contexts();
/// Symbols of the largest alphabet.
pub(super) const SYMBOLS: usize = difference::SYMBOLS;

/// Frequencies of a context's symbols; they add up to [`SLOTS`].
pub(super) type Frequencies = [u16; SYMBOLS];

/// First slot and frequency of each symbol of a context.
pub(crate) type SymbolSlots = [(u16, u16); SYMBOLS];

/// How often each symbol was seen.
pub(super) type Histogram = Vec<[u64; SYMBOLS]>;

pub(super) fn empty_histogram() -> Histogram {
    vec![[0; SYMBOLS]; CONTEXTS]
}

/// The tables of a field.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tables(pub Vec<Frequencies>);

/// Contexts that have fewer symbols take the frequencies of the one before.
const ENOUGH: u64 = 256;

/// The frequencies of a context's counts, which add up to `sum`.
fn fit(counts: &[u64; SYMBOLS], sum: u64, alphabet: Alphabet) -> Frequencies {
    let (n, escape) = (alphabet.symbols(), alphabet.escape());
    let mut frequencies = [0; SYMBOLS];
    // Numbers of 32 bits are divided in a part of the time.
    let short = u32::try_from((sum + 1).saturating_mul(SLOTS.into())).is_ok();
    for (f, &count) in frequencies[..n].iter_mut().zip(counts) {
        // Rarer than a tenth of a slot: by escape.
        if count * SLOTS as u64 * 10 >= sum && count > 0 {
            let slots = count * SLOTS as u64 + sum / 2;
            let own = if short { (slots as u32 / sum as u32).into() } else { slots / sum };
            *f = own.max(1) as u16;
        }
    }
    frequencies[escape] = frequencies[escape].max(1);
    if alphabet == Alphabet::Flag {
        frequencies[0] = frequencies[0].max(1);
    }
    fill(&mut frequencies[..n]);
    frequencies
}

/// Makes frequencies add up to the slots, at the cost or to the good of the largest, the first of several: one slot
/// after another, as if each were taken on its own.
fn fill(frequencies: &mut [u16]) {
    let sum = frequencies.iter().map(|&f| f as u32).sum::<u32>();
    let mut less = sum.saturating_sub(SLOTS);
    let largest = |f: &[u16]| f.iter().copied().max().expect("symbols");
    while less > 0 {
        let most = largest(frequencies);
        let next = frequencies.iter().map(|&f| if f < most { f } else { 0 }).max().unwrap_or(0);
        let alike = frequencies.iter().filter(|f| **f == most).count() as u32;
        // All of them as often as they stay the largest; then some of them once.
        let (own, some) = match (less / alike).min((most - next).into()) {
            0 => (1, less),
            times => (times, alike),
        };
        let alike = frequencies.iter_mut().filter(|f| **f == most);
        alike.take(some as usize).for_each(|f| *f -= own as u16);
        less -= own * some;
    }
    if sum < SLOTS {
        let most = largest(frequencies);
        let first = frequencies.iter_mut().find(|f| **f == most).expect("the largest");
        *first += (SLOTS - sum) as u16;
    }
}

/// What stands before the first context of an alphabet.
fn default(alphabet: Alphabet) -> Frequencies {
    let mut frequencies = [0; SYMBOLS];
    let n = alphabet.symbols();
    for (i, symbol) in alphabet.order().enumerate() {
        frequencies[symbol] = ((SLOTS / 4) >> (i / 2)).max(1) as u16;
    }
    frequencies[alphabet.escape()] = 1;
    if alphabet == Alphabet::Flag {
        frequencies[..2].fill((SLOTS / 2) as u16);
    }
    fill(&mut frequencies[..n]);
    frequencies
}

impl Tables {
    /// The tables that suit a histogram best.
    pub fn fit(histogram: &Histogram) -> Self {
        Self::fit_from(histogram, ENOUGH)
    }

    /// The tables that suit the histogram of a single box: each context that has any symbol gets its own
    /// frequencies, as if many boxes alike had been counted.
    pub fn fit_box(histogram: &Histogram) -> Self {
        Self::fit_from(histogram, 1)
    }

    /// The same where contexts of fewer symbols than `enough` take the frequencies of the one before.
    fn fit_from(histogram: &Histogram, enough: u64) -> Self {
        let mut tables = Vec::with_capacity(CONTEXTS);
        for alphabet in Alphabet::ALL {
            let mut last = default(alphabet);
            for counts in &histogram[alphabet.first()..][..alphabet.contexts()] {
                let sum = counts.iter().sum::<u64>();
                if sum >= enough {
                    last = fit(counts, sum, alphabet);
                }
                tables.push(last);
            }
        }
        Tables(tables)
    }

    /// The slots of each context.
    pub fn slots(&self) -> impl Iterator<Item = SymbolSlots> {
        self.0.iter().map(|frequencies| {
            // `map` of so long an array takes ten times as long.
            let mut slots = [(0, 0); SYMBOLS];
            let mut start = 0;
            for (slot, &f) in slots.iter_mut().zip(frequencies) {
                *slot = (start, f);
                start += f;
            }
            slots
        })
    }

    /// As the stream carries them.
    pub fn write(&self) -> Vec<u32> {
        let mut bits = BitWriter::default();
        self.write_to(&mut bits);
        bits.words()
    }

    /// How many words that takes.
    pub fn words(&self) -> usize {
        let mut bits = BitCounter::default();
        self.write_to(&mut bits);
        bits.words()
    }

    fn write_to(&self, bits: &mut impl Bits) {
        for alphabet in Alphabet::ALL {
            let contexts = alphabet.first()..alphabet.first() + alphabet.contexts();
            let mut last = default(alphabet);
            if self.0[contexts.clone()].iter().all(|f| *f == last) {
                bits.put(0, 1);
                continue;
            }
            bits.put(1, 1);
            let order: Vec<usize> = alphabet.order().collect();
            for frequencies in &self.0[contexts] {
                let new = *frequencies != last;
                bits.put(new as u32, 1);
                if new {
                    last = *frequencies;
                    let used = |&i: &usize| frequencies[i] > 0;
                    let n = order.iter().rposition(used).map_or(0, |i| i + 1);
                    bits.put(n as u32, 6);
                    order[..n].iter().for_each(|&i| bits.gamma(frequencies[i] as u32 + 1));
                }
            }
        }
    }

    /// From what a stream carries.
    pub fn read(words: &[u32]) -> Result<Self> {
        let wrong = || Error::corrupt("the tables contradict themselves");
        let mut bits = BitReader::new(words);
        let mut tables = Vec::with_capacity(CONTEXTS);
        for alphabet in Alphabet::ALL {
            let mut last = default(alphabet);
            let own = bits.take(1).ok_or_else(wrong)? == 1;
            for _ in 0..alphabet.contexts() {
                if own && bits.take(1).ok_or_else(wrong)? == 1 {
                    last = [0; SYMBOLS];
                    let n = bits.take(6).ok_or_else(wrong)? as usize;
                    if n > alphabet.escape() {
                        return Err(wrong());
                    }
                    let mut left = SLOTS;
                    for symbol in alphabet.order().take(n) {
                        let f = bits.gamma().ok_or_else(wrong)? - 1;
                        left = left.checked_sub(f).ok_or_else(wrong)?;
                        last[symbol] = f as u16;
                    }
                    if left == 0 {
                        return Err(wrong());
                    }
                    last[alphabet.escape()] = left as u16;
                }
                tables.push(last);
            }
        }
        if !bits.ended() {
            return Err(wrong());
        }
        Ok(Tables(tables))
    }

    /// Whether an encoder can tell anything by them: a flag has no escape in the place of a symbol that is missing.
    pub fn are_complete(&self) -> bool {
        let flags = &self.0[Alphabet::Flag.first()..][..Alphabet::Flag.contexts()];
        flags.iter().all(|f| f[0] > 0 && f[1] > 0)
    }

    /// What symbols so often seen cost, in 2⁻¹² bits, without the raw bits behind them but with those of
    /// escapes in the place of symbols that a context lacks.
    pub fn cost(&self, histogram: &Histogram) -> u64 {
        let mut total = 0;
        for alphabet in Alphabet::ALL {
            let escape_bits = match alphabet {
                Alphabet::Residual => residual::raw_bits(alphabet.escape() as u8),
                Alphabet::Difference => difference::raw_bits(alphabet.escape() as u8),
                Alphabet::Flag => 0,
            };
            let own = alphabet.first()..alphabet.first() + alphabet.contexts();
            for (counts, frequencies) in histogram[own.clone()].iter().zip(&self.0[own]) {
                // Most contexts of a field were not seen.
                if counts.iter().fold(0, |all, count| all | count) == 0 {
                    continue;
                }
                let bits =
                    |f: u16, raw: u8| COSTS[f as usize] as u64 + (u64::from(raw) << COST_BITS);
                let missing = bits(frequencies[alphabet.escape()], escape_bits);
                for (&count, &f) in counts.iter().zip(frequencies) {
                    total += count * if f > 0 { bits(f, 0) } else { missing };
                }
            }
        }
        total
    }
}

/// Costs are in 2⁻¹² bits.
pub(super) const COST_BITS: u32 = 12;

/// Bits of a symbol by its frequency, which is not 0.
const COSTS: [u16; SLOTS as usize + 1] = {
    let mut costs = [0; SLOTS as usize + 1];
    let mut f = 1;
    while f < costs.len() {
        costs[f] = cost(f as u16);
        f += 1;
    }
    costs
};

/// Bits of a symbol of this frequency: `9 − log2 f`, the logarithm's digits by squaring, so that every
/// backend finds the same.
const fn cost(f: u16) -> u16 {
    let whole = (f as u32).ilog2();
    let mut y = (f as u64) << (31 - whole);
    let mut log = whole;
    let mut digit = 0;
    while digit < COST_BITS {
        y = (y * y) >> 31;
        log <<= 1;
        if y >> 32 != 0 {
            log += 1;
            y >>= 1;
        }
        digit += 1;
    }
    ((SLOT_BITS << COST_BITS) - log) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_are_logarithms() {
        for f in 1..=SLOTS as u16 {
            let exact = (SLOTS as f64 / f as f64).log2() * 4096.0;
            assert!((COSTS[f as usize] as f64 - exact).abs() <= 1.0, "{f}");
        }
    }

    #[test]
    fn slots_are_taken_from_the_largest_one_after_another() {
        let mut state = 1u64;
        let mut next = |most: u64| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) % most
        };
        for n in 2..=SYMBOLS {
            for most in [2, 3, 8, 30, 513] {
                let before: Vec<u16> = (0..n).map(|_| 1 + next(most) as u16).collect();
                let mut expected = before.clone();
                let largest = |f: &[u16]| (0..f.len()).rev().max_by_key(|&i| f[i]).expect("some");
                let mut sum = before.iter().map(|&f| f as u32).sum::<u32>();
                while sum > SLOTS {
                    let i = largest(&expected);
                    expected[i] -= 1;
                    sum -= 1;
                }
                let i = largest(&expected);
                expected[i] += (SLOTS - sum) as u16;
                let mut filled = before.clone();
                fill(&mut filled);
                assert_eq!(filled, expected, "{before:?}");
            }
        }
    }

    #[test]
    fn tables_come_back() {
        let mut histogram = empty_histogram();
        let mut state = 1u64;
        for (context, counts) in histogram.iter_mut().enumerate() {
            let n = Alphabet::ALL
                .into_iter()
                .rfind(|a| a.first() <= context)
                .expect("the first begins at 0")
                .symbols();
            for count in &mut counts[..n] {
                state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
                *count = state >> (33 + state % 29);
            }
        }
        for histogram in [histogram, empty_histogram()] {
            let tables = Tables::fit(&histogram);
            for frequencies in &tables.0 {
                assert_eq!(frequencies.iter().map(|&f| f as u32).sum::<u32>(), SLOTS);
            }
            let words = tables.write();
            assert_eq!(Tables::read(&words).expect("sound"), tables);
            assert_eq!(tables.words(), words.len());
            for cut in 0..words.len() {
                Tables::read(&words[..cut]).expect_err("cut short");
            }
        }
    }
}
