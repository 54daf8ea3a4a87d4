//! The checksums of FORMAT.md: a position-weighted sum of words that runs at line rate on any processor
//! and changes with every single flipped bit.

/// Running Σ wₖ · (2k + 1) mod 2³².
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WeightedSum {
    sum: u32,
    weight: u32,
}

impl WeightedSum {
    pub fn new() -> Self {
        WeightedSum { sum: 0, weight: 1 }
    }

    #[inline(always)]
    pub fn words(mut self, words: &[u32]) -> Self {
        // Eight independent lanes: the sum is exact in any order, so the compiler may vectorise it.
        let mut lanes = [0u32; 8];
        let mut weights: [u32; 8] = std::array::from_fn(|j| self.weight.wrapping_add(2 * j as u32));
        let blocks = words.chunks_exact(8);
        for (j, &w) in blocks.remainder().iter().enumerate() {
            let k = (words.len() - blocks.remainder().len() + j) as u32;
            let weight = self.weight.wrapping_add(k.wrapping_mul(2));
            self.sum = self.sum.wrapping_add(w.wrapping_mul(weight));
        }
        for block in blocks {
            for j in 0..8 {
                lanes[j] = lanes[j].wrapping_add(block[j].wrapping_mul(weights[j]));
                weights[j] = weights[j].wrapping_add(16);
            }
        }
        self.sum = lanes.iter().fold(self.sum, |s, &l| s.wrapping_add(l));
        self.weight = self.weight.wrapping_add((words.len() as u32).wrapping_mul(2));
        self
    }

    /// `bytes` as little-endian words; their length is a multiple of 4.
    pub fn bytes(mut self, bytes: &[u8]) -> Self {
        let mut buffer = [0u32; 256];
        for part in bytes.chunks(4 * buffer.len()) {
            let words = &mut buffer[..part.len() / 4];
            for (w, b) in words.iter_mut().zip(part.as_chunks::<4>().0) {
                *w = u32::from_le_bytes(*b);
            }
            self = self.words(words);
        }
        self
    }

    /// The rate bytes of one tile.
    #[inline(always)]
    pub fn rates(mut self, rates: &[u8]) -> Self {
        for b in rates.as_chunks::<4>().0 {
            self.sum = self.sum.wrapping_add(u32::from_le_bytes(*b).wrapping_mul(self.weight));
            self.weight = self.weight.wrapping_add(2);
        }
        self
    }

    #[inline(always)]
    pub fn value(self) -> u32 {
        self.sum
    }
}

/// A bijection of 32-bit words that leaves no linear structure between the sums it is applied to.
#[inline(always)]
pub(crate) fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7FEB_352D);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846C_A68B);
    x ^ (x >> 16)
}

/// What the tile at `position` in its chunk adds to the chunk's checksum.
#[inline(always)]
pub(crate) fn tile_share(sum: u32, position: usize) -> u32 {
    mix(sum.wrapping_add((position as u32 + 1).wrapping_mul(0x9E37_79B9)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_equal_the_definition_for_every_length_and_split() {
        let words: Vec<u32> = (0..100u32).map(|i| mix(i.wrapping_mul(0x9E37_79B9))).collect();
        for n in 0..words.len() {
            let plain =
                (0..n).fold(0u32, |s, k| s.wrapping_add(words[k].wrapping_mul(2 * k as u32 + 1)));
            for cut in [0, n / 3, n] {
                let sum = WeightedSum::new().words(&words[..cut]).words(&words[cut..n]);
                assert_eq!(sum.value(), plain);
            }
        }
    }

    #[test]
    fn every_single_bit_flip_changes_the_sum() {
        let words = [0u32, 1, u32::MAX, 0x8000_0000, 12345];
        let sum = WeightedSum::new().words(&words).value();
        for k in 0..words.len() {
            for bit in 0..32 {
                let mut flipped = words;
                flipped[k] ^= 1 << bit;
                assert_ne!(WeightedSum::new().words(&flipped).value(), sum);
            }
        }
    }
}
