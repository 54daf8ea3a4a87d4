//! A launch: thread blocks, a few of them at work at a time.

use super::{
    block::Block,
    warp::{Launch, Turn},
};
use crate::ptx::parse::Result;

/// Thread blocks that are at work together, unless all must be.
const TOGETHER: usize = 3;

/// What a launch took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cost {
    /// Instructions, each for all lanes of a warp together.
    pub instructions: u64,
}

/// Runs all thread blocks, each with `shared` bytes of shared memory; `all_at_once` where they wait for each other.
///
/// # Errors
/// What a device would end the program for.
pub(crate) fn run(launch: &Launch<'_>, shared: usize, all_at_once: bool) -> Result<Cost> {
    let [x, y, z] = launch.grid.map(u64::from);
    let count = x * y * z;
    let at = |block: u64| [(block % x) as u32, (block / x % y) as u32, (block / (x * y)) as u32];
    let together = if all_at_once { count as usize } else { TOGETHER };
    let mut next = 0;
    let mut instructions = 0;
    let mut working: Vec<(u64, Block)> = Vec::new();
    while working.len() < together && next < count {
        working.push((next, Block::new(launch, at(next), shared)));
        next += 1;
    }
    while !working.is_empty() {
        let mut index = 0;
        while index < working.len() {
            let (number, block) = &mut working[index];
            let turn = block.turn(launch);
            match turn.map_err(|why| format!("thread block {number}: {why}"))? {
                Turn::Over if next < count => {
                    block.begin(launch, at(next));
                    *number = next;
                    next += 1;
                }
                Turn::Over => {
                    let (_, block) = working.swap_remove(index);
                    instructions += block.shared.executed;
                    continue;
                }
                _ => (),
            }
            index += 1;
        }
    }
    Ok(Cost { instructions })
}
