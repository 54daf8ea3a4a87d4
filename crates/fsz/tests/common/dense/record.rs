//! A box's record of escapes (FORMAT.md, *Dense: escapes*).

use super::Field;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Masked {
    None,
    All,
    Coded,
}

/// What a record says.
#[derive(Debug)]
pub struct Record {
    pub pattern: u64,
    pub mask: Masked,
    /// Places and bits of the listed elements.
    pub listed: Vec<(usize, u64)>,
}

impl Record {
    pub fn none() -> Self {
        Record { pattern: 0, mask: Masked::None, listed: vec![] }
    }

    /// Reads the record at the front of `words`.
    pub fn read(field: &Field, words: &mut &[u32]) -> Self {
        let head = take(words, 1)[0];
        assert_eq!(head >> 4 & 0xFFF, 0);
        let mask = match head >> 2 & 3 {
            0 => Masked::None,
            1 => Masked::All,
            2 => Masked::Coded,
            other => panic!("mask {other}"),
        };
        assert!(mask != Masked::None || head & 3 == 0);
        let pattern = match (head & 3, field.words) {
            (0, 1) => 0x7FC0_0000,
            (0, _) => 0x7FF8_0000_0000_0000,
            (1, 1) => 0xFFC0_0000,
            (1, _) => 0xFFF8_0000_0000_0000,
            (2, _) => field.missing.expect("a missing value is named"),
            _ => element(take(words, field.words)),
        };
        let count = (head >> 16) as usize;
        let mut places: Vec<usize> = take(words, count.div_ceil(2))
            .iter()
            .flat_map(|w| [(w & 0xFFFF) as usize, (w >> 16) as usize])
            .collect();
        if count % 2 == 1 {
            assert_eq!(places.pop(), Some(0));
        }
        assert!(places.is_sorted_by(|a, b| a < b));
        let listed = places.into_iter().map(|at| (at, element(take(words, field.words)))).collect();
        Record { pattern, mask, listed }
    }
}

/// The bits of an element, whose low word comes first.
pub fn element(words: &[u32]) -> u64 {
    words.iter().rev().fold(0, |bits, &w| bits << 32 | u64::from(w))
}

/// Takes words from the front.
pub fn take<'a>(words: &mut &'a [u32], n: usize) -> &'a [u32] {
    let (front, rest) = words.split_at(n);
    *words = rest;
    front
}
