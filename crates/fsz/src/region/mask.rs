//! Where a mask is set: runs of consecutive elements, and their code in a stream (FORMAT.md, *Regions*).

use std::ops::Range;

use rayon::prelude::*;

use crate::{
    error::{Error, Result},
    pages::ask_for_huge_pages,
    threads,
};

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
        let (mut runs, mut all, mut set, mut first) = (Vec::new(), 0, 0, None);
        for is_set in elements {
            if is_set != first.is_some() {
                match first.take() {
                    None => first = Some(all),
                    Some(start) => {
                        runs.push((start..all, set));
                        set += all - start;
                    }
                }
            }
            all += 1;
        }
        runs.extend(first.map(|start| (start..all, set)));
        Mask { runs, all }
    }
}

impl Mask {
    /// Where something holds of the elements of a field, in C order. All threads of the current rayon pool look at them.
    ///
    /// ```
    /// let storm = fsz::Mask::of(&[0.2f32, 0.9, 0.8, 0.1], |&wind| wind > 0.5);
    /// assert_eq!(storm.runs().collect::<Vec<_>>(), [1..3]);
    /// ```
    pub fn of<T: Sync>(elements: &[T], is_set: impl Fn(&T) -> bool + Sync) -> Self {
        /// Elements that a thread looks at in one go.
        const PART: usize = 1 << 18;
        let of_part = |(part, elements): (usize, &[T])| {
            runs_in(elements, &is_set).into_iter().map(move |run| {
                let first = part * PART;
                (first + run.start) as u64..(first + run.end) as u64
            })
        };
        let parts: Vec<_> = match elements.len() > PART && threads::current() > 1 {
            true => elements.par_chunks(PART).enumerate().map(of_part).collect(),
            false => elements.chunks(PART).enumerate().map(of_part).collect(),
        };
        let most = parts.iter().map(|part| part.len()).sum();
        let mut runs: Vec<(Range<u64>, u64)> = Vec::with_capacity(most);
        ask_for_huge_pages(runs.spare_capacity_mut());
        for run in parts.into_iter().flatten() {
            match runs.last_mut() {
                Some((last, _)) if last.end == run.start => last.end = run.end,
                last => {
                    let before = last.map_or(0, |(last, before)| *before + last.end - last.start);
                    runs.push((run, before));
                }
            }
        }
        Mask { runs, all: elements.len() as u64 }
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

    /// How many elements are set before each end of `range`.
    pub(crate) fn set_before(&self, range: Range<u64>) -> Range<u64> {
        let before = |index: u64| match self.runs.partition_point(|(run, _)| run.start < index) {
            0 => 0,
            behind => {
                let (run, before) = &self.runs[behind - 1];
                before + index.min(run.end) - run.start
            }
        };
        before(range.start)..before(range.end)
    }

    /// Runs of the elements that are set, from one to another of these, which are not none.
    pub(crate) fn of_set(&self, set: Range<u64>) -> impl Iterator<Item = Range<u64>> + use<'_> {
        let behind = |(run, before): &(Range<u64>, u64)| before + run.end - run.start;
        let first = self.runs.partition_point(|run| behind(run) <= set.start);
        let inside = self.runs[first..].iter().take_while(move |(_, before)| *before < set.end);
        inside.map(move |(run, before)| {
            let end = run.end - run.start;
            let own = set.start.saturating_sub(*before)..(set.end - before).min(end);
            run.start + own.start..run.start + own.end
        })
    }

    pub(crate) fn code(&self) -> Vec<u8> {
        let mut code = Vec::with_capacity(self.code_len());
        self.numbers().for_each(|number| put_number(&mut code, number));
        code
    }

    /// The bytes of its code.
    pub(crate) fn code_len(&self) -> usize {
        self.numbers().map(|number| (number | 1).ilog2() as usize / 7 + 1).sum()
    }

    /// What its code tells: for each run the elements before that are not set, and those of the run behind its first.
    fn numbers(&self) -> impl Iterator<Item = u64> {
        let mut before = 0;
        self.runs.iter().flat_map(move |(run, _)| {
            let gap = run.start - before;
            before = run.end;
            [gap, run.end - run.start - 1]
        })
    }

    /// Reads the code of `runs` runs in a field of `all` elements.
    pub(crate) fn read(mut code: &[u8], runs: u64, all: u64) -> Result<Self> {
        // A run takes two bytes at least, so that no count makes this large.
        if runs > code.len() as u64 / 2 {
            return Err(Error::corrupt("a mask has more runs than bytes for them"));
        }
        let mut mask = Mask { runs: Vec::with_capacity(runs as usize), all };
        ask_for_huge_pages(mask.runs.spare_capacity_mut());
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

/// Runs of elements of which something holds.
fn runs_in<T>(elements: &[T], is_set: &impl Fn(&T) -> bool) -> Vec<Range<usize>> {
    /// Elements that are looked at together, which takes a few instructions.
    const TOGETHER: usize = 64;
    // The next element from `at` on that is set, or is not.
    let next = |at: usize, set: bool| {
        let is = |element: &T| is_set(element) == set;
        let mut parts = elements[at..].chunks(TOGETHER).enumerate();
        parts.find_map(|(number, part)| {
            let any = part.iter().fold(false, |any, element| any | is(element));
            let within = any.then(|| part.iter().position(is)).flatten()?;
            Some(at + number * TOGETHER + within)
        })
    };
    let (mut runs, mut at) = (Vec::new(), 0);
    while let Some(start) = next(at, true) {
        at = next(start, false).unwrap_or(elements.len());
        runs.push(start..at);
    }
    runs
}

fn put_number(code: &mut Vec<u8>, mut number: u64) {
    while number >= 1 << 7 {
        code.push(number as u8 | 1 << 7);
        number >>= 7;
    }
    code.push(number as u8);
}

fn take_number(code: &mut &[u8]) -> Result<u64> {
    match code {
        // Most runs, and the gaps between them, are short.
        [byte @ 0..0x80, rest @ ..] => {
            let number = u64::from(*byte);
            *code = rest;
            Ok(number)
        }
        _ => take_long_number(code),
    }
}

fn take_long_number(code: &mut &[u8]) -> Result<u64> {
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
            assert_eq!(
                Vec::from_iter(mask.runs().flatten()),
                Vec::from_iter((0..all).filter(|&i| set(i)))
            );
            let (code, runs) = (mask.code(), mask.runs().len() as u64);
            assert_eq!(code.len(), mask.code_len());
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
    fn masks_of_elements_are_those_of_bools() {
        let patterns: [fn(usize) -> bool; 6] = [
            |_| true,
            |_| false,
            |i| i % 64 < 16 && i / 512 % 3 > 0,
            |i| i % 2 == 0,
            |i| (200_000..700_000).contains(&i) || i == 999_999,
            |i| i.is_multiple_of(1 << 18),
        ];
        for is_set in patterns {
            for all in [0, 1, 63, 65, 1_000_000] {
                let elements: Vec<u8> = (0..all).map(|i| u8::from(is_set(i))).collect();
                let expected: Mask = (0..all).map(is_set).collect();
                assert_eq!(Mask::of(&elements, |&element| element != 0), expected, "{all}");
            }
        }
    }

    #[test]
    fn parts_know_what_is_set_before_them() {
        let mask: Mask = (0..100).map(|i| i % 10 < 4 && i > 9).collect();
        let parts: Vec<_> = mask.within(12..33).collect();
        assert_eq!(parts, [(12..14, 2), (20..24, 4), (30..33, 8)]);
        assert_eq!(mask.within(0..10).count() + mask.within(14..20).count(), 0);
        let set = Vec::from_iter(mask.runs().flatten());
        for start in 0..100u64 {
            for end in start + 1..=100 {
                let before = |index| set.iter().filter(|&&own| own < index).count() as u64;
                assert_eq!(mask.set_before(start..end), before(start)..before(end));
                let (first, last) = (start as usize, end as usize);
                if let Some(expected) = set.get(first..last) {
                    let found = mask.of_set(start..end).inspect(|run| assert!(!run.is_empty()));
                    assert_eq!(Vec::from_iter(found.flatten()), expected);
                }
            }
        }
    }
}
