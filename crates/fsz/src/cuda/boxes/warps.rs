//! How the warps that encode boxes are shared out: of each thread block some code chunks, and the others predict boxes
//! for all of these.

use crate::profile::dense::CHUNKS;

/// Boxes that each coder asks for ahead where a thread block has many, and that all of them do where it has few. More
/// keep no more warps busy, and what they are predicted to no longer stays in the cache until it is coded.
pub const AHEAD: u64 = 4;
const AHEAD_OF_ALL: u64 = 24;
/// Boxes that a coder asks for ahead, at least, where it has chunks behind its first one: where there is no memory for
/// so many, fewer warps code.
const LEAST_AHEAD: u64 = 3;
/// The share of its memory for chunks that wait which a coder has at least.
const LEAST_WAITING: u64 = 4;
/// What a coder has begins at multiples of so many bytes.
const ALIGNMENT: u64 = 16;
/// Coders at least: the first one finds the places of chunks.
pub const FEWEST_CODERS: u64 = 2;
/// The longest chunks have few bits: what takes time is to predict them, which fewer coders keep all others busy with.
/// They are coded in few rounds, and in the last one many coders may have none. Coders of a thread block for them: the
/// number with which all rounds together have room for the fewest chunks, the first of several.
const LONGEST_CHUNK: u64 = 1 << CHUNKS[2];
const CODERS_OF_LONGEST: [u64; 3] = [6, 8, 5];

/// Warps that a thread block has room for, and boxes that all of its coders can ask for ahead.
#[derive(Clone, Copy, Debug)]
pub struct Most {
    pub coders: u64,
    pub predictors: u64,
    pub ahead: u64,
}

/// Bytes of device memory.
#[derive(Clone, Copy, Debug)]
pub struct Memory {
    /// That a coder has for the chunk that it codes, and for others that wait for their places.
    pub chunk: u64,
    pub waiting: u64,
    /// Of a box that is asked for ahead.
    pub ahead: u64,
    /// In all.
    pub all: u64,
}

/// The warps of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Warps {
    pub blocks: u64,
    /// Warps of a thread block that code, and that predict.
    pub coders: u64,
    pub predictors: u64,
    /// Boxes that each coder asks for ahead.
    pub ahead: u64,
    /// Bytes that each coder has for chunks.
    pub coder_len: u64,
}

impl Warps {
    /// Those for so many chunks of so many boxes: a coder for each chunk as far as they go, and as many warps that
    /// predict as have something to do.
    pub fn new(chunks: u64, boxes: u64, multiprocessors: u64, most: Most, memory: Memory) -> Self {
        let most_coders = if boxes < LONGEST_CHUNK {
            most.coders
        } else {
            let fit = CODERS_OF_LONGEST.into_iter().filter(|&coders| coders <= most.coders);
            fit.min_by_key(|coders| chunks.div_ceil(coders * multiprocessors) * coders)
                .unwrap_or(most.coders)
        };
        // The first coder codes no chunk. Where the others have one each, none waits with another one.
        let alone = chunks < multiprocessors * most_coders;
        let (waiting, least_ahead) = if alone { (0, 1) } else { (memory.waiting, LEAST_AHEAD) };
        let of_coder = memory.chunk + waiting / LEAST_WAITING + least_ahead * memory.ahead;
        let room = memory.all / of_coder;
        let wanted = (chunks + 1).min(room).max(FEWEST_CODERS);
        let of_block = wanted.div_ceil(multiprocessors).min(room / multiprocessors);
        let coders = of_block.clamp(1, most_coders.max(1));
        let fewest = FEWEST_CODERS.div_ceil(coders);
        // A coder too few would make all others wait for one more chunk.
        let blocks = wanted.div_ceil(coders).min(room / coders);
        let blocks = blocks.clamp(fewest, multiprocessors.max(fewest));
        // Beside its chunk each coder has what waits, and boxes with the rest; where that is too little, the least boxes.
        let left = (memory.all / (blocks * coders)).saturating_sub(memory.chunk);
        let useful = AHEAD_OF_ALL.div_ceil(coders).max(AHEAD).min(most.ahead / coders);
        let useful = if alone { useful.min(boxes) } else { useful };
        let fit = left.saturating_sub(waiting) / memory.ahead;
        let ahead = fit.clamp(least_ahead, useful.max(least_ahead));
        let waiting = waiting.min(left.saturating_sub(ahead * memory.ahead));
        let coder_len = memory.chunk + waiting / ALIGNMENT * ALIGNMENT;
        let predictors = most.predictors.min(coders * ahead);
        Warps { blocks, coders, predictors, ahead, coder_len }
    }

    /// Coders of all thread blocks.
    pub fn all_coders(&self) -> u64 {
        self.blocks * self.coders
    }

    /// Bytes that they take.
    #[cfg(test)]
    fn memory(&self, of: Memory) -> u64 {
        self.all_coders() * (self.coder_len + self.ahead * of.ahead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As of `f32` on a device of compute capability 9.0.
    const MOST: Most = Most { coders: 8, predictors: 12, ahead: 32 };
    const MEMORY: Memory =
        Memory { chunk: 213_088, waiting: 384 << 10, ahead: 88_848, all: 5 << 28 };

    #[test]
    fn each_chunk_has_a_coder_as_far_as_they_go() {
        for multiprocessors in [1, 2, 108, 132] {
            for chunks in 0..9 * multiprocessors + 9 {
                let made = Warps::new(chunks, 8, multiprocessors, MOST, MEMORY);
                let most = multiprocessors * MOST.coders - 1;
                assert!(made.all_coders() > chunks.min(most), "{chunks}: {made:?}");
                assert!(made.all_coders() >= FEWEST_CODERS, "{chunks}: {made:?}");
                assert!(made.blocks <= multiprocessors.max(FEWEST_CODERS), "{made:?}");
                assert!((1..=MOST.coders).contains(&made.coders), "{made:?}");
                assert!((1..=MOST.predictors).contains(&made.predictors), "{made:?}");
                assert!(made.coders * made.ahead <= MOST.ahead, "{made:?}");
            }
        }
    }

    #[test]
    fn where_chunks_are_few_all_boxes_of_each_are_predicted_at_once() {
        for chunks in [1, 60, 131] {
            let made = Warps::new(chunks, 8, 132, MOST, MEMORY);
            assert_eq!((made.coders, made.predictors, made.ahead), (1, 8, 8), "{chunks}");
            assert_eq!(made.coder_len, MEMORY.chunk);
        }
    }

    #[test]
    fn fewer_code_the_longest_chunks_unless_that_takes_a_round_more() {
        let of = |chunks, boxes| Warps::new(chunks, boxes, 132, MOST, MEMORY);
        let many = 132 * 240;
        assert_eq!([8, 16, 32].map(|boxes| of(many, boxes).coders), [8, 8, 6]);
        assert_eq!([8, 16, 32].map(|boxes| of(many, boxes).ahead), [4, 4, 4]);
        // Two rounds of 8, three of 6, two of 5.
        assert_eq!([2048, 2275, 1137].map(|chunks| of(chunks, 32).coders), [8, 6, 5]);
        assert_eq!(of(1 << 20, 8).coders, 8);
        let fewer = Warps::new(many, 32, 132, Most { coders: 4, ..MOST }, MEMORY);
        assert_eq!(fewer.coders, 4);
    }

    #[test]
    fn what_they_take_is_within_the_memory() {
        let one = MEMORY.chunk + MEMORY.waiting / LEAST_WAITING + LEAST_AHEAD * MEMORY.ahead;
        for coders in FEWEST_CODERS..1500 {
            let memory = Memory { all: coders * one, ..MEMORY };
            for chunks in [1, 7, 150, 1 << 20] {
                let made = Warps::new(chunks, 8, 132, MOST, memory);
                assert!(made.memory(memory) <= memory.all, "{coders}, {chunks}: {made:?}");
                assert!(chunks < 1055 || made.ahead >= LEAST_AHEAD, "{coders}: {made:?}");
            }
        }
    }
}
