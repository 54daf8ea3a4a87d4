//! What of a field is decoded to device memory.

use std::{iter, ops::Range};

use super::{
    decompress::Boxed,
    stream_kind::{StreamKind, Tiles},
};
use crate::{
    format::{Run, TILE, box_runs::rows_of_box},
    region::around,
};

/// A part of a field.
#[derive(Clone, Debug)]
pub(crate) enum Selection<'a> {
    Field,
    /// Side by side.
    Tiles(Range<u64>),
    /// In C order.
    Box(Boxed<'a>),
}

impl Selection<'_> {
    /// The elements, as runs of those of the field, one after another as they are decoded.
    pub fn runs<'a>(&'a self, kind: &'a StreamKind) -> Box<dyn Iterator<Item = Run> + 'a> {
        match (self, &kind.tiles) {
            (Selection::Field, _) => Box::new(iter::once((0, kind.elements() as usize))),
            (Selection::Tiles(tiles), Tiles::Dense { grid, .. }) => {
                Box::new(tiles.clone().flat_map(|tile| grid.runs(tile)))
            }
            (Selection::Tiles(tiles), _) => {
                let first = tiles.start * TILE as u64;
                let end = (tiles.end * TILE as u64).min(kind.elements());
                Box::new(iter::once((first, (end - first) as usize)))
            }
            (Selection::Box((start, count)), _) => Box::new(rows_of_box(&kind.shape, start, count)),
        }
    }

    /// A box around it, as start and count; `None` where it may have no elements.
    pub fn around(&self, kind: &StreamKind) -> Option<(Vec<u64>, Vec<u64>)> {
        match self {
            Selection::Field => Some((vec![0; kind.shape.len()], kind.shape.clone())),
            Selection::Tiles(tiles) if tiles.is_empty() => None,
            Selection::Tiles(_) => Some(around(&kind.shape, self.runs(kind))),
            Selection::Box((start, count)) => Some((start.to_vec(), count.to_vec())),
        }
    }
}
