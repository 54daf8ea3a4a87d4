//! What of a field is decoded.

use std::ops::Range;

use crate::{
    error::{Error, Result},
    format::{Run, TileGrid, box_runs::rows_of_box},
    partial::check_box,
    region::around,
};

/// A box of a field: start and count along each axis.
pub type Boxed<'a> = (&'a [u64], &'a [u64]);

/// A part of a field.
#[derive(Clone, Debug)]
pub enum Selection<'a> {
    /// All of it, in C order.
    Field,
    /// Side by side.
    Tiles(Range<u64>),
    /// In C order.
    Box(Boxed<'a>),
}

impl Selection<'_> {
    /// Its elements in a field of this shape, cut into these tiles.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a part that the field does not have.
    pub(crate) fn elements(&self, shape: &[u64], grid: &TileGrid) -> Result<u64> {
        match self {
            Selection::Field => Ok(grid.elements()),
            Selection::Tiles(tiles) => {
                check_tiles(grid.tiles(), tiles)?;
                Ok(grid.len_of(tiles.clone()))
            }
            Selection::Box((start, count)) => check_box(shape, start, count),
        }
    }

    /// The elements that a device decodes for it: of a box all those of the chunks that it touches.
    #[cfg(feature = "cuda")]
    pub(crate) fn decoded(&self, grid: &TileGrid) -> u64 {
        match self {
            Selection::Field => grid.elements(),
            Selection::Tiles(tiles) => grid.len_of(tiles.clone()),
            Selection::Box((start, count)) => {
                let chunks = grid.touched(start, count).count() as u64;
                let chunk = grid.tiles_per_chunk() * grid.full_tile_len() as u64;
                (chunks * chunk).min(grid.elements())
            }
        }
    }

    /// The chunks that hold it, and perhaps others between them.
    #[cfg(feature = "cuda")]
    pub(crate) fn chunks(&self, grid: &TileGrid) -> Range<u64> {
        let of_tiles = |tiles: &Range<u64>| {
            let of_chunk = grid.tiles_per_chunk();
            tiles.start / of_chunk..tiles.end.div_ceil(of_chunk)
        };
        match self {
            Selection::Field => of_tiles(&(0..grid.tiles())),
            Selection::Tiles(tiles) => of_tiles(tiles),
            Selection::Box((start, count)) => {
                let mut touched = grid.touched(start, count).map(|touched| touched.chunk);
                let first = touched.next();
                let last = touched.last().or(first);
                first.unwrap_or(0)..last.map_or(0, |chunk| chunk + 1)
            }
        }
    }

    /// The elements, as runs of those of a field of this shape, one after another as they are decoded; `of_tiles` gives
    /// those of tiles.
    pub(crate) fn runs<'a, R: Iterator<Item = Run> + Send + 'a>(
        &self,
        shape: &[u64],
        of_tiles: impl FnOnce(Range<u64>) -> R,
    ) -> Box<dyn Iterator<Item = Run> + Send + 'a> {
        match self {
            Selection::Field => Box::new(rows_of_box(shape, &vec![0; shape.len()], shape)),
            Selection::Tiles(tiles) => Box::new(of_tiles(tiles.clone())),
            Selection::Box((start, count)) => Box::new(rows_of_box(shape, start, count)),
        }
    }

    /// A box around it, as start and count; `None` where it may have no elements. `of_tiles` is as for [`runs`](Self::runs).
    pub(crate) fn around<R: Iterator<Item = Run>>(
        &self,
        shape: &[u64],
        of_tiles: impl FnOnce(Range<u64>) -> R,
    ) -> Option<(Vec<u64>, Vec<u64>)> {
        match self {
            Selection::Field => Some((vec![0; shape.len()], shape.to_vec())),
            Selection::Tiles(tiles) if tiles.is_empty() => None,
            Selection::Tiles(tiles) => Some(around(shape, of_tiles(tiles.clone()))),
            Selection::Box((start, count)) => Some((start.to_vec(), count.to_vec())),
        }
    }
}

/// Whether a field of `all` tiles has these.
pub(crate) fn check_tiles(all: u64, tiles: &Range<u64>) -> Result<()> {
    if tiles.start > tiles.end || tiles.end > all {
        return Err(Error::invalid(format!("tiles {tiles:?} of a field of {all} tiles")));
    }
    Ok(())
}
