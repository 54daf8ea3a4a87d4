//! Bits one after another in words, the lowest first.

/// What takes bits.
pub(super) trait Bits {
    /// The lowest `bits` (at most 32) bits of `value`.
    fn put(&mut self, value: u32, bits: u32);

    /// Elias gamma: as many zeros as `value` (≥ 1) has bits behind its first, then its bits from the first.
    fn gamma(&mut self, value: u32) {
        let behind = value.ilog2();
        self.put(0, behind);
        self.put(value.reverse_bits() >> (31 - behind), behind + 1);
    }
}

/// Writes them.
#[derive(Debug, Default)]
pub(super) struct BitWriter {
    words: Vec<u32>,
    len: usize,
}

impl Bits for BitWriter {
    fn put(&mut self, value: u32, bits: u32) {
        let own = u64::from(value) & ((1 << bits) - 1);
        let own = own << (self.len % 32);
        let first = self.len / 32;
        self.len += bits as usize;
        self.words.resize(self.len.div_ceil(32), 0);
        for (word, part) in self.words[first..].iter_mut().zip([own as u32, (own >> 32) as u32]) {
            *word |= part;
        }
    }
}

impl BitWriter {
    pub fn words(self) -> Vec<u32> {
        self.words
    }
}

/// Counts them.
#[derive(Debug, Default)]
pub(super) struct BitCounter(usize);

impl Bits for BitCounter {
    fn put(&mut self, _: u32, bits: u32) {
        self.0 += bits as usize;
    }
}

impl BitCounter {
    /// How many words they take.
    pub fn words(self) -> usize {
        self.0.div_ceil(32)
    }
}

#[derive(Debug)]
pub(super) struct BitReader<'a> {
    words: &'a [u32],
    at: usize,
}

impl<'a> BitReader<'a> {
    pub fn new(words: &'a [u32]) -> Self {
        BitReader { words, at: 0 }
    }

    /// The next 32 bits, with zeros behind the end.
    fn next(&self) -> u32 {
        let word = |i| u64::from(self.words.get(i).copied().unwrap_or(0));
        let first = self.at / 32;
        ((word(first + 1) << 32 | word(first)) >> (self.at % 32)) as u32
    }

    /// So many bits, at most 31; `None` behind the end.
    pub fn take(&mut self, bits: u32) -> Option<u32> {
        let value = self.next() & ((1 << bits) - 1);
        self.at += bits as usize;
        (self.at <= 32 * self.words.len()).then_some(value)
    }

    /// `None` behind the end, and for numbers of more than 16 bits.
    pub fn gamma(&mut self) -> Option<u32> {
        let behind = self.next().trailing_zeros();
        if behind > 15 {
            return None;
        }
        self.take(behind)?;
        let reversed = self.take(behind + 1)?;
        Some(reversed.reverse_bits() >> (31 - behind))
    }

    /// Whether nothing but zeros up to the end of the word is left.
    pub fn ended(&mut self) -> bool {
        self.at.div_ceil(32) == self.words.len() && self.next() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_and_numbers_come_back() {
        let numbers = || (1..=70_000u32).step_by(13).map(|n| n & 0xFFFF).filter(|&n| n > 0);
        let mut bits = BitWriter::default();
        for n in numbers() {
            bits.gamma(n);
            bits.put(!n, n % 32);
        }
        let words = bits.words();
        let mut bits = BitReader::new(&words);
        for n in numbers() {
            assert_eq!(bits.gamma(), Some(n));
            assert_eq!(bits.take(n % 32), Some(!n & ((1 << (n % 32)) - 1)));
        }
        assert!(bits.ended());
        assert_eq!(bits.take(31).or(bits.take(31)), None, "behind the end");
        assert_eq!(BitReader::new(&[0]).gamma(), None, "more than 16 bits");
        assert_eq!(BitReader::new(&[1 << 31, 1]).gamma(), None, "more than 16 bits");
        assert_eq!(BitReader::new(&[1 << 15]).gamma(), Some(1 << 15));
        assert_eq!(BitReader::new(&[]).gamma(), None);
        assert!(!BitReader::new(&[0]).ended() && BitReader::new(&[]).ended());
    }

    #[test]
    fn bits_stand_from_the_lowest_on() {
        let mut bits = BitWriter::default();
        bits.put(1, 1);
        bits.put(0b10_0110, 5);
        bits.gamma(5);
        assert_eq!(bits.words(), [0b101_0000_1101]);
    }
}
