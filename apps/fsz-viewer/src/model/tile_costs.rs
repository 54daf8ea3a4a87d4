//! What each way of coding would cost a tile, and by which values that was counted.

use anyhow::{Context, Result, ensure};
use fsz::{Profile, Stream, TileCost};
use fsz_field::{Field, with_values};

/// What each way of coding would cost a tile.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TileCosts {
    /// In the order in which they are shown; none where they are not known.
    pub costs: Vec<TileCost>,
    /// Counted from the values before compression; else from the decoded ones, by which `dense` finds the way
    /// that was chosen cheaper than it was.
    pub of_original: bool,
}

impl TileCosts {
    /// The costs of a tile of a stream, by the original where it is there and tells more.
    ///
    /// # Errors
    /// When the tile's chunk is damaged.
    pub fn of(stream: &Stream<'_>, tile: u64, original: Option<&Field>) -> Result<TileCosts> {
        if let Some(original) = original.filter(|_| depends_on_values(&stream.header().profile)) {
            let costs = by_original(stream, tile, original);
            return Ok(TileCosts { costs: costs?, of_original: true });
        }
        Ok(TileCosts { costs: stream.tile_costs(tile)?, of_original: false })
    }
}

/// Whether the original tells more than the decoded values: those of `paper` have the codes that were chosen
/// by.
fn depends_on_values(profile: &Profile) -> bool {
    matches!(profile, Profile::Dense(_))
}

fn by_original(stream: &Stream<'_>, tile: u64, original: &Field) -> Result<Vec<TileCost>> {
    ensure!(original.shape().sides() == stream.header().shape, "the original has another shape");
    with_values!(original.values(), values => {
        let mut own = Vec::new();
        for (begin, len) in stream.grid().runs(tile) {
            let run = begin as usize..begin as usize + len;
            own.extend_from_slice(values.get(run).context("the original is too short")?);
        }
        Ok(stream.tile_costs_of(tile, &own)?)
    })
}
