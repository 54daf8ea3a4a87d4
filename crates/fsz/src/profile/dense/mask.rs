//! Which elements of a box are masked, told from coarse to fine (FORMAT.md, *Dense: escapes*).

use super::order::{Order, Pass, Step};
use crate::format::dense::{LANES, MASK_COARSE, MASK_CORNERS, MASK_FINE, MASK_FIRST};

/// Walks through a box: `step` gets the points of a step with their contexts, and puts into the array
/// whether they are masked.
pub(super) fn walk(
    order: &Order,
    masks: &mut [u8],
    mut step: impl FnMut(&Step, &[u8; LANES], &mut [u8; LANES]),
) {
    let mut own = [0; LANES];
    step(&Step::FIRST, &[MASK_FIRST; LANES], &mut own);
    masks[0] = own[0];
    if let Some(corners) = &order.corners {
        step(corners, &[MASK_CORNERS + masks[0]; LANES], &mut own);
        put(masks, corners, &own);
    }
    for pass in &order.passes {
        for now in &pass.steps {
            let contexts = std::array::from_fn(|lane| neighbours(pass, now, lane, masks));
            step(now, &contexts, &mut own);
            put(masks, now, &own);
        }
    }
}

fn put(masks: &mut [u8], step: &Step, own: &[u8; LANES]) {
    for (&at, &masked) in step.at.iter().zip(own).take(step.lanes) {
        masks[at as usize] = masked;
    }
}

/// Whether none, some or all of the nearest neighbours are masked.
fn neighbours(pass: &Pass, step: &Step, lane: usize, masks: &[u8]) -> u8 {
    let (at, edge) = (step.at[lane] as usize, step.edge[lane]);
    let masked: u8 = (0..pass.axes)
        .map(|i| {
            let clamped = !pass.fine && edge >> i & 1 == 1;
            let right = if clamped { pass.last[i] } else { pass.distance[i] };
            masks[at - pass.distance[i]] + masks[at + right]
        })
        .sum();
    let kind = match masked {
        0 => 0,
        m if m as usize == 2 * pass.axes => 2,
        _ => 1,
    };
    kind + if pass.fine { MASK_FINE } else { MASK_COARSE }
}
