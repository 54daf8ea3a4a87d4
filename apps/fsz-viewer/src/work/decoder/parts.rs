//! Planes of an array that several streams have parts of.

use anyhow::Result;
use fsz::Element;

use crate::model::boxes::{self, Box};
use crate::model::grid::Grid;
use crate::model::plane::Place;
use crate::work::kept_streams::Part;

/// The values of a plane that several streams have a part of; `decode` gives those that one has, in the box that is
/// common to both.
pub(super) fn put_together<T: Element, S>(
    grid: &Grid,
    place: Place,
    parts: &[Part<S>],
    decode: impl Fn(&Part<S>, &Box) -> Result<Vec<T>>,
) -> Result<Vec<T>> {
    let window = window(grid, place);
    let mut out = vec![T::default(); elements(&window)];
    for part in parts {
        if let Some(common) = part.held.common(&window) {
            boxes::place(&decode(part, &common)?, &common, &mut out, &window);
        }
    }
    Ok(out)
}

/// The elements of a plane.
pub(super) fn window(grid: &Grid, place: Place) -> Box {
    let (start, count) = grid.plane_box(place.axis, place.plane);
    Box { start, count }
}

pub(super) fn elements(window: &Box) -> usize {
    window.count.iter().product::<u64>() as usize
}
