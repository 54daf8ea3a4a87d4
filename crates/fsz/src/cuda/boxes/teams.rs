//! How the warps that encode boxes are shared out: into teams, of each of which one codes and the others predict.

use crate::profile::dense::CHUNKS;

/// Warps of a team that may predict, the most first. A chunk has at least as many boxes.
const SIZES: [u32; 5] = [8, 6, 4, 3, LEAST_PREDICTORS];
const _: () = assert!(SIZES[0] <= 1 << CHUNKS[0]);
/// Warps that predict for each that codes, where all teams of a device have work: to code a box takes half of the time
/// that its prediction takes, or less.
pub const LEAST_PREDICTORS: u32 = 2;
/// Teams at least: the first one finds the places of chunks.
pub const FEWEST_TEAMS: u64 = 2;

/// The teams of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Teams {
    /// Warps of each that predict.
    pub predictors: u32,
    /// Teams of a thread block, and thread blocks.
    pub teams: u64,
    pub blocks: u64,
}

impl Teams {
    /// Those for so many chunks: as large ones as there may be with one for each chunk. Where there are more chunks than
    /// teams, small ones are the quickest. `fit`: how many teams of so many predictors a thread block has at most;
    /// `room`: for how many there is memory.
    pub fn new(
        chunks: u64,
        multiprocessors: u64,
        fit: impl Fn(u32) -> u64,
        room: impl Fn(u32) -> u64,
    ) -> Self {
        let most = |size| room(size).min(multiprocessors * fit(size));
        // The first team codes none.
        let predictors =
            SIZES.into_iter().find(|&size| chunks < most(size)).unwrap_or(LEAST_PREDICTORS);
        let room = room(predictors);
        let wanted = (chunks + 1).min(room).max(FEWEST_TEAMS);
        let teams = wanted.div_ceil(multiprocessors).clamp(1, fit(predictors).max(1));
        let least = FEWEST_TEAMS.div_ceil(teams);
        // A team too few would make all others wait for one more chunk.
        let blocks = wanted.div_ceil(teams).min(room / teams);
        let blocks = blocks.clamp(least, multiprocessors.max(least));
        Teams { predictors, teams, blocks }
    }

    /// Warps of a thread block that predict.
    pub fn predicting(&self) -> u64 {
        self.teams * u64::from(self.predictors)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of 18 warps of a thread block, 12 that predict, as on a device of compute capability 9.0.
    fn fit(predictors: u32) -> u64 {
        u64::from((18 / (predictors + 1)).min(12 / predictors))
    }

    #[test]
    fn each_chunk_has_a_team_as_far_as_they_go() {
        for multiprocessors in [1, 2, 108, 132] {
            for chunks in 0..6 * multiprocessors + 9 {
                let made = Teams::new(chunks, multiprocessors, fit, |_| u64::MAX);
                let coding = made.teams * made.blocks - 1;
                let most = multiprocessors * fit(LEAST_PREDICTORS) - 1;
                assert!(coding >= chunks.min(most), "{chunks} on {multiprocessors}: {made:?}");
                assert!(made.teams <= fit(made.predictors), "{made:?}");
                assert!(made.blocks <= multiprocessors.max(FEWEST_TEAMS), "{made:?}");
            }
        }
    }

    #[test]
    fn teams_are_as_large_as_there_may_be_and_have_room() {
        let of = |chunks| Teams::new(chunks, 132, fit, |_| u64::MAX).predictors;
        assert_eq!([128, 200, 300, 512, 1000].map(of), [8, 6, 4, 3, 2]);
        for room in 2..200 {
            let made = Teams::new(150, 132, fit, |_| room);
            assert!(made.teams * made.blocks <= room, "{room}: {made:?}");
        }
    }
}
