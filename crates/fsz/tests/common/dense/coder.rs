//! FORMAT.md, *Dense: coder*.

const LANES: usize = 32;

/// The states of a chunk's lanes, and the half words that they have not read.
pub struct Coder<'a> {
    states: [u64; LANES],
    halves: Box<dyn Iterator<Item = u16> + 'a>,
}

/// A symbol that a lane is to decode, and its value.
pub struct Wanted<'a> {
    pub lane: usize,
    pub frequencies: &'a [u32],
    /// The raw bits behind each symbol.
    pub raw_bits: fn(u32) -> u32,
}

impl<'a> Coder<'a> {
    pub fn new(words: &'a [u32], odd: bool) -> Self {
        let (states, rest) = words.split_at(LANES);
        let mut halves = rest.iter().flat_map(|w| [*w as u16, (w >> 16) as u16]);
        if odd {
            assert_eq!(halves.next(), Some(0));
        }
        let mut coder = Coder { states: [0; LANES], halves: Box::new(halves) };
        for (state, word) in coder.states.iter_mut().zip(states) {
            *state = u64::from(*word);
        }
        assert!(coder.states.iter().all(|&state| state >= 1 << 15));
        coder
    }

    /// One step: the symbols and raw bits, in the order of `wanted`, whose lanes rise.
    pub fn step(&mut self, wanted: &[Wanted<'_>]) -> Vec<(u32, u64)> {
        assert!(wanted.is_sorted_by(|a, b| a.lane < b.lane));
        let mut out: Vec<(u32, u64)> = vec![];
        for w in wanted {
            let state = self.states[w.lane];
            let slot = state % 512;
            let (mut symbol, mut first) = (0, 0);
            while slot >= first + u64::from(w.frequencies[symbol]) {
                first += u64::from(w.frequencies[symbol]);
                symbol += 1;
            }
            self.states[w.lane] = u64::from(w.frequencies[symbol]) * (state / 512) + slot - first;
            self.fill(w.lane);
            out.push((symbol as u32, 0));
        }
        for k in 0..3 {
            for (w, (symbol, raw)) in wanted.iter().zip(&mut out) {
                let bits = (w.raw_bits)(*symbol);
                if bits > 15 * k {
                    let b = (bits - 15 * k).min(15);
                    *raw |= (self.states[w.lane] % (1 << b)) << (15 * k);
                    self.states[w.lane] >>= b;
                    self.fill(w.lane);
                }
            }
        }
        out
    }

    fn fill(&mut self, lane: usize) {
        if self.states[lane] < 1 << 15 {
            let half = self.halves.next().expect("as many half words as are read");
            self.states[lane] = self.states[lane] << 16 | u64::from(half);
        }
    }

    /// All is read, and the states are what an encoder began with.
    pub fn end(mut self) {
        assert_eq!(self.states, [1 << 15; LANES]);
        assert_eq!(self.halves.next(), None);
    }
}
