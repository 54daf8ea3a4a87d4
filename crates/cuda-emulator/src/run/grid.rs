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
/// `before` runs the launch before, where this one has begun early: when nothing here can go on without it, so that what
/// is read too early is not what it writes.
///
/// # Errors
/// What a device would end the program for.
pub(crate) fn run(
    launch: &Launch<'_>,
    shared: usize,
    all_at_once: bool,
    before: &mut dyn FnMut() -> Result<()>,
) -> Result<Cost> {
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
        let (mut index, mut moved) = (0, false);
        while index < working.len() {
            let (number, block) = &mut working[index];
            let turn = block.turn(launch);
            let turn = turn.map_err(|why| format!("thread block {number}: {why}"))?;
            moved |= turn != Turn::Waiting;
            match turn {
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
        if !moved && !launch.after.replace(true) {
            before()?;
            working.iter_mut().for_each(|(_, block)| block.go_on());
        }
    }
    if !launch.after.replace(true) {
        before()?;
    }
    Ok(Cost { instructions })
}
