//! What a box is told by: residuals, differences and flags, step by step, whoever takes them: to be coded, or
//! to be counted.

use super::{predict::BEHIND, tables::Alphabet};

/// The items of a box, in the order in which a decoder reads them.
#[derive(Debug, Default)]
pub(super) struct Items {
    values: Vec<i32>,
    rows: Vec<u8>,
    steps: Vec<ItemStep>,
    len: usize,
}

/// How far the items of a box have been told.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    steps: usize,
    len: usize,
}

/// The items of a step, of one alphabet.
#[derive(Clone, Copy, Debug)]
pub(super) struct ItemStep {
    pub alphabet: Alphabet,
    /// Where lane 0 is.
    first: u32,
    /// The lanes that have an item, as bits.
    pub lanes: u32,
}

/// What lanes have in a step: [`BEHIND`] places each, whose meaning the step's lanes tell.
pub(super) type Lanes<'a, T> = &'a [T; BEHIND];

impl Items {
    pub fn clear(&mut self) {
        self.steps.clear();
        self.len = 0;
    }

    /// What has been told so far.
    pub fn told(&self) -> Told {
        Told { steps: self.steps.len(), len: self.len }
    }

    /// Forgets what was told after that.
    pub fn keep_told(&mut self, told: Told) {
        self.steps.truncate(told.steps);
        self.len = told.len;
    }

    /// Room for the items of `len` points one after another: values, and the context of each, counted among
    /// all. What is put behind these points is overwritten.
    #[inline(always)]
    pub fn room(&mut self, len: usize) -> (usize, &mut [i32], &mut [u8]) {
        let first = self.len;
        let end = first + len + BEHIND;
        if self.values.len() < end {
            self.values.resize(end, 0);
            self.rows.resize(end, 0);
        }
        (first, &mut self.values[first..end], &mut self.rows[first..end])
    }

    /// Keeps the items of so many points.
    #[inline(always)]
    pub fn keep(&mut self, len: usize) {
        self.len += len;
    }

    /// A step of items that were put into [`Items::room`], lane 0 at `first`.
    #[inline(always)]
    pub fn step(&mut self, alphabet: Alphabet, first: usize, lanes: u32) {
        self.steps.push(ItemStep { alphabet, first: first as u32, lanes });
    }

    /// A step of items of the first lanes, each with its context in the alphabet.
    pub fn push(&mut self, alphabet: Alphabet, items: impl IntoIterator<Item = (u8, i32)>) {
        let (first, values, rows) = self.room(BEHIND);
        let mut count = 0;
        for (lane, (context, value)) in items.into_iter().enumerate() {
            values[lane] = value;
            rows[lane] = alphabet.row(context);
            count += 1;
        }
        self.keep(count);
        self.step(alphabet, first, first_lanes(count));
    }

    /// The steps, in order.
    pub fn steps(&self) -> &[ItemStep] {
        &self.steps
    }

    /// Values and contexts of a step's lanes.
    #[inline(always)]
    pub fn lanes(&self, step: ItemStep) -> (Lanes<'_, i32>, Lanes<'_, u8>) {
        let first = step.first as usize;
        let values = self.values[first..].first_chunk().expect("room behind");
        (values, self.rows[first..].first_chunk().expect("room behind"))
    }

    /// The values of a step that was made before.
    pub fn values_mut(&mut self, step: usize) -> &mut [i32] {
        &mut self.values[self.steps[step].first as usize..]
    }
}

/// The first lanes as bits.
#[inline(always)]
pub(super) fn first_lanes(count: usize) -> u32 {
    ((1u64 << count) - 1) as u32
}

/// The lanes of `lanes`, in rising order.
#[inline(always)]
pub(super) fn each_lane(mut lanes: u32) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lane = lanes.trailing_zeros() as usize;
        (lanes != 0).then(|| {
            lanes &= lanes - 1;
            lane
        })
    })
}

/// Which points are masked, by their numbers as they are coded.
#[derive(Debug, Default)]
pub(super) struct MaskBits(Vec<u32>);

impl MaskBits {
    /// Of so many points all are.
    pub fn fill(&mut self, len: usize) {
        self.0.clear();
        self.0.resize(len / 32 + 2, u32::MAX);
    }

    /// Of points, 1 for a masked one.
    pub fn put(&mut self, masks: &[u8]) {
        self.0.clear();
        let (eights, rest) = masks.as_chunks::<8>();
        let (mut last, len) = ([0; 8], rest.len());
        last[..len].copy_from_slice(rest);
        // The lowest bits of eight bytes, byte i's to bit 56 + i.
        let bits = |eight: &[u8; 8]| {
            (u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32
        };
        let word = |four: &[[u8; 8]]| {
            four.iter().enumerate().fold(0, |word, (i, eight)| word | bits(eight) << (8 * i))
        };
        self.0.extend(eights.chunks(4).map(word));
        match self.0.last_mut() {
            Some(word) if eights.len() % 4 > 0 => *word |= bits(&last) << (8 * (eights.len() % 4)),
            _ => self.0.push(bits(&last)),
        }
        self.0.resize(masks.len() / 32 + 2, 0);
    }

    /// How many are masked, of points that were put.
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Those of the first lanes of a step that are not masked; `first` is the number of the step's first
    /// point.
    #[inline(always)]
    pub fn coded(&self, first: usize, count: usize) -> u32 {
        let both = self.0[first / 32] as u64 | (self.0[first / 32 + 1] as u64) << 32;
        !((both >> (first % 32)) as u32) & first_lanes(count)
    }
}
