//! Codes of any width, predicted from those before them: for bounds that the lattice has no room for
//! (FORMAT.md, *Dense: Lorenzo*).

use crate::format::dense::{LANES, LORENZO_CONTEXTS};

/// Elements of each lane, consecutive ones; the last lanes may have fewer or none.
pub(super) fn lane_len(len: usize) -> usize {
    len.div_ceil(LANES)
}

/// The lanes that have an element in step `step`.
pub(super) fn lanes(len: usize, step: usize) -> usize {
    if step < len { (len - step).div_ceil(lane_len(len)) } else { 0 }
}

/// What a lane remembers.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Lane {
    /// The last code and the one before.
    codes: [i32; 2],
    /// The sizes of the last three differences.
    sizes: [u32; 3],
    steps: usize,
}

impl Lane {
    /// A lane behind its first code, which has been told by other means.
    pub fn new(code: i32) -> Self {
        Lane { codes: [code; 2], sizes: [0; 3], steps: 1 }
    }

    /// The next code as it is expected; the second of a lane always by order 1.
    pub fn prediction(&self, order: u8) -> i32 {
        let [last, before] = self.codes;
        if order == 1 || self.steps < 2 {
            last
        } else {
            last.wrapping_add(last.wrapping_sub(before))
        }
    }

    pub fn context(&self) -> u8 {
        let [last, before, third] = self.sizes.map(|s| s.min(1 << 20));
        let size = 3 * last + 2 * before + third;
        let context = if size < 6 {
            size
        } else {
            let bits = size.ilog2();
            2 * bits + (size >> (bits - 1) & 1)
        };
        (context as u8).min(LORENZO_CONTEXTS - 1)
    }

    /// Goes on to the code that is so far from the prediction.
    pub fn take(&mut self, code: i32, difference: i32) {
        self.codes = [code, self.codes[0]];
        self.sizes = [difference.unsigned_abs(), self.sizes[0], self.sizes[1]];
        self.steps += 1;
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
