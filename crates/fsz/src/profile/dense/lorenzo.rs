//! Codes of any width, predicted from those before them: for bounds that the lattice has no room for
//! (FORMAT.md, *Dense: Lorenzo*).

#[cfg(target_arch = "x86_64")]
use super::vector::Avx2;
use super::{
    items::{Items, first_lanes},
    rans,
    tables::Alphabet,
    vector::{Portable, Vector, WIDTH},
};
use crate::{
    format::dense::{LANES, LORENZO_CONTEXTS, LORENZO_SIZE_MOST},
    quantizer::NONE,
    simd::Level,
};

/// Elements of each lane, consecutive ones; the last lanes may have fewer or none.
pub(super) fn lane_len(len: usize) -> usize {
    len.div_ceil(LANES)
}

/// The lanes that have an element in step `step`.
pub(super) fn lanes(len: usize, step: usize) -> usize {
    if step < len { (len - step).div_ceil(lane_len(len)) } else { 0 }
}

/// What lanes remember: their last codes and the ones before, and the sizes of the last three differences.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes {
    codes: [[i32; LANES]; 2],
    sizes: [[i32; LANES]; 3],
    order: u8,
}

impl Lanes {
    /// Lanes behind their first codes, which have been told by other means; differences are to predictions
    /// of this order.
    pub fn new(codes: [i32; LANES], order: u8) -> Self {
        Lanes { codes: [codes; 2], sizes: [[0; LANES]; 3], order }
    }

    /// The next codes of some lanes as they are expected; behind the first code both orders agree, as it
    /// stands for the one before, too.
    #[inline(always)]
    pub fn prediction<V: Vector>(&self, lane: usize) -> V {
        let last = V::load(&self.codes[0][lane..]);
        match self.order {
            1 => last,
            _ => last.add(last.sub(V::load(&self.codes[1][lane..]))),
        }
    }

    #[inline(always)]
    pub fn context<V: Vector>(&self, lane: usize) -> V {
        let last = V::load(&self.sizes[0][lane..]);
        let before = V::load(&self.sizes[1][lane..]);
        let third = V::load(&self.sizes[2][lane..]);
        let size = last.add(last).add(last).add(before.add(before)).add(third);
        // The exponent and the first bit behind it; a float holds sizes exactly.
        let class = size.float_bits().shift_right(22).sub(V::set(2 * 127));
        let class = class.min(V::set(LORENZO_CONTEXTS as i32 - 1));
        class.replaced(V::set(6).exceeds(size), size)
    }

    /// Goes on to codes, each so far from its prediction.
    #[inline(always)]
    pub fn take<V: Vector>(&mut self, lane: usize, code: V, difference: V) {
        V::load(&self.codes[0][lane..]).store(&mut self.codes[1][lane..]);
        code.store(&mut self.codes[0][lane..]);
        V::load(&self.sizes[1][lane..]).store(&mut self.sizes[2][lane..]);
        V::load(&self.sizes[0][lane..]).store(&mut self.sizes[1][lane..]);
        let size = difference.abs().min_unsigned(V::set(LORENZO_SIZE_MOST as i32));
        size.store(&mut self.sizes[0][lane..]);
    }
}

/// The codes of a box, those of a step beside each other.
#[derive(Debug, Default)]
pub(super) struct Columns {
    codes: Vec<i32>,
    len: usize,
    /// None of them is [`NONE`].
    complete: bool,
}

impl Columns {
    /// Takes the codes of a box in; unless these are complete, [`NONE`] stands for some.
    pub fn take(&mut self, codes: &[i32], complete: bool) {
        (self.len, self.complete) = (codes.len(), complete);
        let len = lane_len(codes.len());
        self.codes.clear();
        self.codes.resize(len * LANES, 0);
        for (lane, own) in codes.chunks(len).enumerate() {
            let places = self.codes[lane..].iter_mut().step_by(LANES);
            places.zip(own).for_each(|(place, code)| *place = *code);
        }
    }

    /// The order whose differences have fewer bits in all, the first of equals, and whether all of these are
    /// 0. The codes before the first are `own`.
    pub fn choose(&self, own: i32, level: Level) -> (u8, bool) {
        let mut cost = [0; 2];
        if self.complete {
            cost = self.bits(own, level);
        } else {
            for (order, cost) in [1, 2].into_iter().zip(&mut cost) {
                let mut bits = Bits(0);
                self.walk(own, order, &mut bits, level);
                *cost = bits.0;
            }
        }
        (if cost[0] <= cost[1] { 1 } else { 2 }, cost[0] == 0)
    }

    /// The bits of the differences of both orders, of complete codes.
    fn bits(&self, own: i32, level: Level) -> [u64; 2] {
        match level {
            Level::Portable => self.bits_by::<Portable>(own),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                // SAFETY: `Level::detect` gives this level only where the instructions exist.
                unsafe { self.bits_avx2(own) }
            }
        }
    }

    /// [`Columns::bits_by`] AVX2.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn bits_avx2(&self, own: i32) -> [u64; 2] {
        self.bits_by::<Avx2>(own)
    }

    #[inline(always)]
    fn bits_by<V: Vector>(&self, own: i32) -> [u64; 2] {
        let length = |d: i32| d.unsigned_abs().checked_ilog2().map_or(0, |log| log as u64 + 1);
        let first = lanes(self.len, 0);
        let mut before = own;
        let mut sum = 0;
        for &code in &self.codes[..first] {
            sum += length(code.wrapping_sub(before));
            before = code;
        }
        let mut cost = [sum; 2];
        let steps = lane_len(self.len);
        for lane in (0..first).step_by(WIDTH) {
            let (mut sum_1, mut sum_2) = (V::set(0), V::set(0));
            let mut last = V::load(&self.codes[lane..]);
            let mut change = V::set(0);
            for step in 1..steps {
                let count = lanes(self.len, step);
                if count <= lane {
                    break;
                }
                let there = V::set((count - lane) as i32).exceeds(V::numbers());
                let code = V::load(&self.codes[step * LANES + lane..]);
                let difference = code.sub(last);
                sum_1 = sum_1.add(difference.abs().bit_lengths().and(there));
                sum_2 = sum_2.add(difference.sub(change).abs().bit_lengths().and(there));
                (last, change) = (code, difference);
            }
            for (cost, sum) in cost.iter_mut().zip([sum_1, sum_2]) {
                let mut own = [0; WIDTH];
                sum.store(&mut own);
                *cost += own.iter().map(|&n| n as u64).sum::<u64>();
            }
        }
        cost
    }

    /// Tells the differences.
    pub fn tell(&self, own: i32, order: u8, items: &mut Items, level: Level) {
        self.walk(own, order, items, level);
    }

    fn walk(&self, own: i32, order: u8, take: &mut impl Differences, level: Level) {
        match level {
            Level::Portable => self.walk_by::<Portable>(own, order, take),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                // SAFETY: `Level::detect` gives this level only where the instructions exist.
                unsafe { self.walk_avx2(own, order, take) }
            }
        }
    }

    /// [`Columns::walk_by`] AVX2.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[cfg(target_arch = "x86_64")]
    #[target_feature(enable = "avx2")]
    unsafe fn walk_avx2(&self, own: i32, order: u8, take: &mut impl Differences) {
        self.walk_by::<Avx2>(own, order, take);
    }

    #[inline(always)]
    fn walk_by<V: Vector>(&self, own: i32, order: u8, take: &mut impl Differences) {
        let (mut codes, mut before) = ([0; LANES], own);
        let mut differences = [0; LANES];
        let first = lanes(self.len, 0);
        for lane in 0..first {
            codes[lane] = match self.codes[lane] {
                NONE if !self.complete => before,
                code => code,
            };
            differences[lane] = codes[lane].wrapping_sub(before);
            before = codes[lane];
        }
        let base = [LORENZO_CONTEXTS; LANES];
        take.step::<V>(first, &differences, &base);
        let mut state = Lanes::new(codes, order);
        for step in 1..lane_len(self.len) {
            let mut contexts = [0; LANES];
            for lane in (0..LANES).step_by(WIDTH) {
                let prediction = state.prediction::<V>(lane);
                let mut code = V::load(&self.codes[step * LANES + lane..]);
                if !self.complete {
                    code = code.replaced(code.equals(V::set(NONE)), prediction);
                }
                let difference = code.sub(prediction);
                difference.store(&mut differences[lane..]);
                state.context::<V>(lane).store_bytes(&mut contexts[lane..]);
                state.take(lane, code, difference);
            }
            take.step::<V>(lanes(self.len, step), &differences, &contexts);
        }
    }
}

/// Reads the codes of a box, told as differences of this order, the first to `own`.
pub(super) fn read(
    codes: &mut [i32],
    own: i32,
    order: u8,
    rans: &mut rans::Decoder<'_>,
    level: Level,
) {
    match level {
        Level::Portable => read_by::<Portable>(codes, own, order, rans),
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 => {
            // SAFETY: `Level::detect` gives this level only where the instructions exist.
            unsafe { read_avx2(codes, own, order, rans) }
        }
    }
}

/// [`read_by`] AVX2.
///
/// # Safety
/// The processor has AVX2.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
unsafe fn read_avx2(codes: &mut [i32], own: i32, order: u8, rans: &mut rans::Decoder<'_>) {
    read_by::<Avx2>(codes, own, order, rans);
}

#[inline(always)]
fn read_by<V: Vector>(codes: &mut [i32], own: i32, order: u8, rans: &mut rans::Decoder<'_>) {
    let len = lane_len(codes.len());
    let mut differences = [0; LANES];
    let rows = [Alphabet::Difference.row(LORENZO_CONTEXTS); LANES];
    let first = lanes(codes.len(), 0);
    rans.step(Alphabet::Difference, first_lanes(first), &rows, &mut differences);
    let (mut now, mut before) = ([0; LANES], own);
    for lane in 0..first {
        before = before.wrapping_add(differences[lane]);
        now[lane] = before;
        codes[lane * len] = before;
    }
    let mut state = Lanes::new(now, order);
    let row = V::set(Alphabet::Difference.row(0) as i32);
    for step in 1..len {
        let mut rows = [0; LANES];
        for lane in (0..LANES).step_by(WIDTH) {
            state.context::<V>(lane).add(row).store_bytes(&mut rows[lane..]);
        }
        let count = lanes(codes.len(), step);
        rans.step(Alphabet::Difference, first_lanes(count), &rows, &mut differences);
        for lane in (0..LANES).step_by(WIDTH) {
            let difference = V::load(&differences[lane..]);
            let code = state.prediction::<V>(lane).add(difference);
            state.take(lane, code, difference);
            code.store(&mut now[lane..]);
        }
        for (lane, &code) in now.iter().enumerate().take(count) {
            codes[lane * len + step] = code;
        }
    }
}

/// Takes differences with their contexts, step by step.
trait Differences {
    fn step<V: Vector>(&mut self, count: usize, values: &[i32; LANES], contexts: &[u8; LANES]);
}

impl Differences for Items {
    #[inline(always)]
    fn step<V: Vector>(&mut self, count: usize, values: &[i32; LANES], contexts: &[u8; LANES]) {
        let (first, own, rows) = self.room(count);
        own[..LANES].copy_from_slice(values);
        for (row, &context) in rows.iter_mut().zip(contexts) {
            *row = Alphabet::Difference.row(context);
        }
        self.keep(count);
        self.step(Alphabet::Difference, first, first_lanes(count));
    }
}

/// Adds up the bit lengths of differences.
struct Bits(u64);

impl Differences for Bits {
    #[inline(always)]
    fn step<V: Vector>(&mut self, count: usize, values: &[i32; LANES], _: &[u8; LANES]) {
        let mut sum = V::set(0);
        for lane in (0..count).step_by(WIDTH) {
            let bits = V::load(&values[lane..]).abs().bit_lengths();
            let there = V::set((count - lane) as i32).exceeds(V::numbers());
            sum = sum.add(bits.and(there));
        }
        let mut lanes = [0; WIDTH];
        sum.store(&mut lanes);
        self.0 += lanes.iter().map(|&n| n as u64).sum::<u64>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_share_all_elements() {
        for len in [1, 2, 31, 32, 33, 64, 65, 100, 4095, 4096] {
            let steps = lane_len(len);
            assert_eq!((0..steps).map(|s| lanes(len, s)).sum::<usize>(), len, "{len}");
            for step in 0..steps {
                let expected = (0..LANES).filter(|l| l * steps + step < len).count();
                assert_eq!(lanes(len, step), expected, "{len} {step}");
            }
        }
    }
}
