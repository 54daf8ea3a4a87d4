//! How the warps that encode boxes are shared out: into teams, of each of which one codes and the others predict.

use super::box_kernels::BoxCompressShapes;

/// Warps of a team that may predict, the most first. A chunk has at least as many boxes.
const SIZES: [u32; 5] = [8, 6, 4, 3, LEAST_PREDICTORS];
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
    /// teams, small ones are the quickest. `room`: for how many teams of so many predictors there is memory.
    pub fn new(
        chunks: u64,
        multiprocessors: u64,
        shapes: &BoxCompressShapes,
        room: impl Fn(u32) -> u64,
    ) -> Self {
        let most = |size| room(size).min(multiprocessors * shapes.most_teams(size));
        // The first team codes none.
        let predictors =
            SIZES.into_iter().find(|&size| chunks < most(size)).unwrap_or(LEAST_PREDICTORS);
        let room = room(predictors);
        let wanted = (chunks + 1).min(room).max(FEWEST_TEAMS);
        let most = shapes.most_teams(predictors).max(1);
        let teams = wanted.div_ceil(multiprocessors).clamp(1, most);
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
