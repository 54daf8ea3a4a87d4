//! Where a mask is set: runs of consecutive elements, and their code in a stream (FORMAT.md, *Regions*).

use std::ops::Range;

use crate::error::{Error, Result};

/// The elements of a field, in C order, where something holds. It is collected from a `bool` for each element:
///
/// ```
/// let field = [0.2f32, 0.9, 0.8, 0.1];
/// let storm: fsz::Mask = field.iter().map(|&wind| wind > 0.5).collect();
/// assert_eq!((storm.elements(), storm.set()), (4, 2));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mask {
    /// Runs that rise and do not touch, each with the number of elements set before it.
    runs: Vec<(Range<u64>, u64)>,
    /// Elements of the field.
    all: u64,
}

impl FromIterator<bool> for Mask {
    fn from_iter<I: IntoIterator<Item = bool>>(elements: I) -> Self {
        let mut mask = Mask::default();
        for element in elements {
            if element {
                mask.put(mask.all);
            }
            mask.all += 1;
        }
        mask
    }
}

impl Mask {
    fn put(&mut self, index: u64) {
        match self.runs.last_mut() {
            Some((run, _)) if run.end == index => run.end += 1,
            _ => self.runs.push((index..index + 1, self.set())),
        }
    }

    /// Elements of the field.
    pub fn elements(&self) -> u64 {
        self.all
    }

    /// Elements that are set.
    pub fn set(&self) -> u64 {
        self.runs.last().map_or(0, |(run, before)| before + run.end - run.start)
    }

    /// Runs of consecutive elements that are set.
    pub fn runs(&self) -> impl ExactSizeIterator<Item = Range<u64>> + use<'_> {
        self.runs.iter().map(|(run, _)| run.clone())
    }

    /// The parts of `range` that are set, and how many elements are set before each.
    pub(crate) fn within(
        &self,
        range: Range<u64>,
    ) -> impl Iterator<Item = (Range<u64>, u64)> + use<'_> {
        let first = self.runs.partition_point(|(run, _)| run.end <= range.start);
        let end = range.end;
        let inside = self.runs[first..].iter().take_while(move |(run, _)| run.start < end);
        inside.map(move |(run, before)| {
            let own = run.start.max(range.start)..run.end.min(range.end);
            let before = before + (own.start - run.start);
            (own, before)
        })
    }

    pub(crate) fn code(&self) -> Vec<u8> {
        let (mut code, mut end) = (Vec::new(), 0);
        for run in self.runs() {
            put_number(&mut code, run.start - end);
            put_number(&mut code, run.end - run.start - 1);
            end = run.end;
        }
        code
    }

    /// Reads the code of `runs` runs in a field of `all` elements.
    pub(crate) fn read(mut code: &[u8], runs: u64, all: u64) -> Result<Self> {
        // A run takes two bytes at least, so that no count makes this large.
        if runs > code.len() as u64 / 2 {
            return Err(Error::corrupt("a mask has more runs than bytes for them"));
        }
        let mut mask = Mask { runs: Vec::with_capacity(runs as usize), all };
        let (mut end, mut set) = (0u64, 0);
        for number in 0..runs {
            let (gap, more) = (take_number(&mut code)?, take_number(&mut code)?);
            let start = end.checked_add(gap).filter(|_| gap > 0 || number == 0);
            let run = start.and_then(|start| Some(start..start.checked_add(more)?.checked_add(1)?));
            let run = run.filter(|run| run.end <= all);
            let run =
                run.ok_or_else(|| Error::corrupt("a mask's runs do not rise in the field"))?;
            end = run.end;
            let before = set;
            set += run.end - run.start;
            mask.runs.push((run, before));
        }
        match code {
            [] => Ok(mask),
            _ => Err(Error::corrupt("a mask's code goes on behind its runs")),
        }
    }
}

fn put_number(code: &mut Vec<u8>, mut number: u64) {
    while number >= 1 << 7 {
        code.push(number as u8 | 1 << 7);
        number >>= 7;
    }
    code.push(number as u8);
}

fn take_number(code: &mut &[u8]) -> Result<u64> {
    let wrong = || Error::corrupt("a number in a mask's code is wrong");
    let mut number = 0;
    for shift in (0..u64::BITS).step_by(7) {
        let (&byte, rest) = code.split_first().ok_or_else(wrong)?;
        *code = rest;
        let bits = u64::from(byte & 0x7F);
        if bits << shift >> shift != bits || (byte == 0 && shift > 0) {
            return Err(wrong());
        }
        number |= bits << shift;
        if byte < 1 << 7 {
            return Ok(number);
        }
    }
    Err(wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_read_back_and_wrong_ones_refused() {
        let set = |i: u64| (3..500).contains(&i) || i == 700 || (i > 2000 && i.is_multiple_of(5));
        for all in [0, 1, 3, 4, 701, 20_000] {
            let mask: Mask = (0..all).map(set).collect();
            assert_eq!(mask.set(), (0..all).filter(|&i| set(i)).count() as u64);
            let (code, runs) = (mask.code(), mask.runs().len() as u64);
            assert_eq!(Mask::read(&code, runs, all).unwrap(), mask);
            assert!(Mask::read(&code, runs + 1, all).is_err());
            assert!(Mask::read(&code, u64::MAX, all).is_err());
            if runs > 0 {
                assert!(Mask::read(&code, runs - 1, all).is_err());
                assert!(Mask::read(&code[..code.len() - 1], runs, all).is_err());
                assert!(Mask::read(&code, runs, mask.runs().last().unwrap().end - 1).is_err());
            }
        }
        // Runs that touch, a number with a zero behind, and one of more than 64 bits.
        for code in [&[0, 0, 0, 0][..], &[0x80, 0, 0, 0], &[0x80, 0x00], &[0xFF; 30]] {
            assert!(Mask::read(code, code.len() as u64 / 2, 1 << 20).is_err());
        }
        let longest = [&[0xFF; 9][..], &[1, 0]].concat();
        assert!(Mask::read(&longest, 1, u64::MAX).is_err());
    }

    #[test]
    fn parts_know_what_is_set_before_them() {
        let mask: Mask = (0..100).map(|i| i % 10 < 4 && i > 9).collect();
        let parts: Vec<_> = mask.within(12..33).collect();
        assert_eq!(parts, [(12..14, 2), (20..24, 4), (30..33, 8)]);
        assert_eq!(mask.within(0..10).count() + mask.within(14..20).count(), 0);
    }
}
