//! In which order warps and lanes go on where nothing tells: always the same one, or with `FSZ_EMULATOR_SEED` another
//! one for each seed, which finds what only holds in some orders.

use std::sync::LazyLock;

/// Instructions of a regular turn: enough to make turns cheap, and few enough that those who wait for others see them
/// move.
const TURN: usize = 4096;

static SEED: LazyLock<Option<u64>> =
    LazyLock::new(|| std::env::var("FSZ_EMULATOR_SEED").ok().and_then(|seed| seed.parse().ok()));

/// A source of choices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order(Option<u64>);

impl Order {
    /// That of thread block `block`.
    pub fn new(block: u64) -> Self {
        Order(SEED.map(|seed| (seed + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (block + 1)))
    }

    /// A number below `count`; 0 without a seed.
    pub fn choose(&mut self, count: usize) -> usize {
        let Some(state) = &mut self.0 else { return 0 };
        // Source: Marsaglia, *Xorshift RNGs*, 2003.
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        (*state >> 33) as usize % count.max(1)
    }

    /// Instructions of the next turn: mostly few where the order is not the regular one.
    pub fn turn(&mut self) -> usize {
        match self.0 {
            None => TURN,
            Some(_) => {
                let bits = self.choose(10) as u32;
                1 + self.choose(1 << bits)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_other_choices() {
        let mut regular = Order(None);
        assert!((0..99).all(|_| regular.choose(5) == 0 && regular.turn() == TURN));
        let mut other = Order(Some(7));
        let chosen: Vec<usize> = (0..200).map(|_| other.choose(5)).collect();
        assert!((0..5).all(|n| chosen.contains(&n)), "{chosen:?}");
        assert!((0..200).all(|_| (1..=TURN).contains(&other.turn())));
    }
}
