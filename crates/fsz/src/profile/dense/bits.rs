//! Bits one after another in words, the lowest first.

#[derive(Debug, Default)]
pub(super) struct BitWriter {
    words: Vec<u32>,
    len: usize,
}

impl BitWriter {
    pub fn put(&mut self, value: u32, bits: u32) {
        for i in 0..bits {
            if self.len.is_multiple_of(32) {
                self.words.push(0);
            }
            self.words[self.len / 32] |= (value >> i & 1) << (self.len % 32);
            self.len += 1;
        }
    }

    /// Elias gamma: as many zeros as `value` (≥ 1) has bits behind its first, then its bits from the first.
    pub fn gamma(&mut self, value: u32) {
        let behind = value.ilog2();
        self.put(0, behind);
        (0..=behind).rev().for_each(|i| self.put(value >> i & 1, 1));
    }

    pub fn words(self) -> Vec<u32> {
        self.words
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

    /// `None` behind the end.
    pub fn take(&mut self, bits: u32) -> Option<u32> {
        let mut value = 0;
        for i in 0..bits {
            value |= (self.words.get(self.at / 32)? >> (self.at % 32) & 1) << i;
            self.at += 1;
        }
        Some(value)
    }

    /// `None` behind the end, and for numbers of more than 16 bits.
    pub fn gamma(&mut self) -> Option<u32> {
        let mut behind = 0;
        while self.take(1)? == 0 {
            behind += 1;
            if behind > 15 {
                return None;
            }
        }
        (0..behind).try_fold(1, |value, _| Some(value << 1 | self.take(1)?))
    }

    /// Whether nothing but zeros up to the end of the word is left.
    pub fn ended(&mut self) -> bool {
        self.at.div_ceil(32) == self.words.len()
            && (self.at.is_multiple_of(32) || self.words[self.at / 32] >> (self.at % 32) == 0)
    }
}
