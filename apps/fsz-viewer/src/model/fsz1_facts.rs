//! What a file of the paper author's own release tells.

use fsz::TileKind;
use fsz_field::{Fsz1Field, Fsz1Tile};

use crate::model::tiles::{Tile, Tiles};

/// What a file of the paper author's own release tells.
#[derive(Clone, Debug)]
pub struct Fsz1Facts {
    /// The absolute bound that its values were meant to keep.
    pub bound: f64,
    /// Size of the file.
    pub compressed_bytes: u64,
    /// Its tiles.
    pub tiles: Tiles,
}

impl Fsz1Facts {
    /// Those of a file that was read.
    pub fn of(file: &Fsz1Field) -> Fsz1Facts {
        let of = |known: &Fsz1Tile| {
            let bytes = (known.rates.len() + known.payload_bytes) as u64;
            let len = file.grid.tile_len(known.index);
            Tile::of(TileKind::of(known.predictor), bytes, len, &known.rates)
        };
        let tiles = Tiles::of_grid(file.grid.clone());
        tiles.set(file.tiles.iter().map(of).collect());
        Fsz1Facts { bound: file.bound, compressed_bytes: file.compressed_bytes, tiles }
    }
}
