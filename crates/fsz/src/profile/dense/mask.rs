//! Which elements of a box are masked, told from coarse to fine (FORMAT.md, *Dense: escapes*).

use super::order::{Order, Pass, Point};
use crate::format::dense::LANES;

/// The first context of each kind of point.
const FIRST: u8 = 0;
const CORNERS: u8 = 1;
const COARSE: u8 = 3;
const FINE: u8 = 6;

/// Walks through a box: `step` gets the points of a step with their contexts, and puts into the array
/// whether they are masked.
pub(super) fn walk(
    order: &Order,
    masks: &mut [u8],
    mut step: impl FnMut(&[Point], &[u8; LANES], &mut [u8; LANES]),
) {
    let mut own = [0; LANES];
    let first = Point { at: 0, edge: 0 };
    step(&[first], &[FIRST; LANES], &mut own);
    masks[0] = own[0];
    if !order.corners.is_empty() {
        let corners: Vec<Point> = order.corners.iter().map(|&at| Point { at, edge: 0 }).collect();
        step(&corners, &[CORNERS + masks[0]; LANES], &mut own);
        put(masks, &corners, &own);
    }
    for pass in &order.passes {
        let mut points = &pass.points[..];
        for &n in &pass.steps {
            let (now, rest) = points.split_at(n as usize);
            points = rest;
            let mut contexts = [0; LANES];
            for (context, p) in contexts.iter_mut().zip(now) {
                *context = neighbours(pass, *p, masks);
            }
            step(now, &contexts, &mut own);
            put(masks, now, &own);
        }
    }
}

fn put(masks: &mut [u8], points: &[Point], own: &[u8; LANES]) {
    for (p, &masked) in points.iter().zip(own) {
        masks[p.at as usize] = masked;
    }
}

/// Whether none, some or all of the nearest neighbours are masked.
fn neighbours(pass: &Pass, p: Point, masks: &[u8]) -> u8 {
    let at = p.at as usize;
    let masked: u8 = (0..pass.axes)
        .map(|i| {
            let clamped = !pass.fine && p.edge >> i & 1 == 1;
            let right = if clamped { pass.last[i] } else { pass.distance[i] };
            masks[at - pass.distance[i]] + masks[at + right]
        })
        .sum();
    let kind = match masked {
        0 => 0,
        m if m as usize == 2 * pass.axes => 2,
        _ => 1,
    };
    kind + if pass.fine { FINE } else { COARSE }
}
