//! Counting the symbols of boxes.

use std::cell::RefCell;

#[cfg(target_arch = "x86_64")]
use super::vector::Avx2;
use super::{
    items::{ItemStep, Items},
    symbols::{difference, residual},
    tables::{Alphabet, CONTEXTS, Histogram, empty_histogram},
    vector::{Portable, Vector, WIDTH},
};
use crate::{
    format::dense::{DIRECT, LANES, LORENZO_DIRECT},
    simd::Level,
};

/// Counts symbols, and the raw bits behind them. Lanes beside each other count apart: the next count need
/// not wait for the one before.
pub(super) struct Counter {
    counts: Counts,
    pub raw_bits: u64,
    level: Level,
}

/// Those of lanes that count apart, one after the other.
type Counts = Vec<[u32; ROWS * ROW]>;

/// How many counts a thread keeps for counters to come. An allocator would give their memory back each time, and to get
/// it anew takes a large part of a small call.
const KEPT: usize = 8;

thread_local! {
    /// Counts that are all 0.
    static SPARE: RefCell<Vec<Counts>> = const { RefCell::new(Vec::new()) };
}

const APART: usize = 4;
/// Counts of a context: of symbols, and of what is no item.
const ROW: usize = 64;
const NO_ITEM: i32 = ROW as i32 - 1;
/// Rows of counts: those of the contexts, and more for indices of so many bits.
const ROWS: usize = CONTEXTS.next_power_of_two();

impl Counter {
    pub fn new(level: Level) -> Self {
        let spare = SPARE.with_borrow_mut(Vec::pop);
        let counts = spare.unwrap_or_else(|| vec![[0; ROWS * ROW]; APART]);
        Counter { counts, raw_bits: 0, level }
    }

    /// Counts the items of a box.
    pub fn take(&mut self, items: &Items) {
        match self.level {
            Level::Portable => self.take_by::<Portable>(items),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                // SAFETY: `Level::detect` gives this level only where the instructions exist.
                unsafe { self.take_avx2(items) }
            }
        }
    }

    /// [`Counter::take_by`] AVX2.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn take_avx2(&mut self, items: &Items) {
        self.take_by::<Avx2>(items);
    }

    #[inline(always)]
    fn take_by<V: Vector>(&mut self, items: &Items) {
        for &step in items.steps() {
            self.step::<V>(items, step);
        }
    }

    #[inline(always)]
    fn step<V: Vector>(&mut self, items: &Items, step: ItemStep) {
        let (values, rows) = items.lanes(step);
        let counts: &mut [_; APART] = self.counts.first_chunk_mut().expect("so many");
        let mut raw_bits = V::set(0);
        for first in (0..LANES).step_by(WIDTH) {
            let lanes = step.lanes >> first & 0xFF;
            if lanes == 0 {
                continue;
            }
            let there = V::lanes(lanes);
            let (symbols, bits) = symbols(step.alphabet, V::load(&values[first..]));
            raw_bits = raw_bits.add(bits.and(there));
            let keys = V::set(NO_ITEM).replaced(there, symbols);
            let rows = V::load_bytes(&rows[first..]).shift_left(ROW.ilog2());
            let mut places = [0; WIDTH];
            rows.add(keys).store(&mut places);
            for (k, &place) in places.iter().enumerate() {
                counts[k % APART][place as usize % (ROWS * ROW)] += 1;
            }
        }
        let mut sums = [0; WIDTH];
        raw_bits.store(&mut sums);
        self.raw_bits += sums.iter().map(|&n| n as u64).sum::<u64>();
    }

    pub fn histogram(&self) -> Histogram {
        let mut histogram = empty_histogram();
        for counts in &self.counts {
            for (all, own) in histogram.iter_mut().zip(counts.chunks(ROW)) {
                all.iter_mut().zip(own).for_each(|(a, &o)| *a += o as u64);
            }
        }
        histogram
    }
}

impl Drop for Counter {
    fn drop(&mut self) {
        let mut counts = std::mem::take(&mut self.counts);
        // A thread that ends keeps none.
        let _ = SPARE.try_with(|spare| {
            let mut spare = spare.borrow_mut();
            if spare.len() < KEPT {
                counts.iter_mut().for_each(|counts| counts.fill(0));
                spare.push(counts);
            }
        });
    }
}

/// Symbols of items, and how many raw bits are behind them.
#[inline(always)]
fn symbols<V: Vector>(alphabet: Alphabet, items: V) -> (V, V) {
    match alphabet {
        Alphabet::Flag => (items, V::set(0)),
        Alphabet::Residual => {
            let bits = items.abs().bit_lengths();
            let coarse = items.abs().exceeds(V::set(DIRECT));
            let first = residual::FIRST_CLASS as i32 - residual::CLASS_BITS as i32;
            let direct = items.add(V::set(DIRECT));
            (direct.replaced(coarse, bits.add(V::set(first))), bits.and(coarse))
        }
        Alphabet::Difference => {
            let z = items.shift_left(1).xor(items.shift_right(31));
            let bits = z.bit_lengths();
            let coarse = bits.exceeds(V::set(difference::CLASS_BITS as i32 - 1));
            let first = LORENZO_DIRECT as i32 - difference::CLASS_BITS as i32;
            let behind = bits.sub(V::set(1));
            (z.replaced(coarse, bits.add(V::set(first))), behind.and(coarse))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::dense::symbols::symbol;

    #[test]
    fn counts_are_those_of_the_symbols() {
        let mut values: Vec<i32> = (-100..100).collect();
        for bits in 0..31 {
            values.extend([1 << bits, -(1 << bits), (1i32 << bits) - 1, i32::MAX >> bits]);
        }
        for alphabet in [Alphabet::Residual, Alphabet::Difference] {
            let most = if alphabet == Alphabet::Residual { residual::MOST } else { i32::MAX };
            let mut items = Items::default();
            let (mut expected, mut raw_bits) = (empty_histogram(), 0);
            for own in values.chunks(27) {
                let own = own.iter().filter(|v| v.abs() <= most);
                items.push(alphabet, own.clone().map(|&v| (v as u8 % 7, v)));
                for &v in own {
                    let (symbol, bits, _) = symbol(alphabet, v);
                    expected[alphabet.row(v as u8 % 7) as usize][symbol as usize] += 1;
                    raw_bits += bits as u64;
                }
            }
            for level in [Level::Portable, Level::detect()] {
                let mut counter = Counter::new(level);
                counter.take(&items);
                assert_eq!(counter.histogram(), expected);
                assert_eq!(counter.raw_bits, raw_bits);
            }
        }
    }
}
