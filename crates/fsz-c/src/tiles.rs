//! How the tiles of a stream are stored.

use fsz::{Predictor, TileCoding, TileKind, TileRecord};

use crate::{
    handle, pointers,
    status::{Failure, Result, fszc_status, status_of},
    stream::fszc_stream,
};

/// How a tile is shown: by its predictor when all of its elements have codes, else by its storage. Later
/// releases may add some.
pub type fszc_tile_kind = u32;
/// First-order Lorenzo prediction.
pub const FSZC_LZ1: fszc_tile_kind = 0;
/// Second-order Lorenzo prediction.
pub const FSZC_LZ2: fszc_tile_kind = 1;
/// First-order Lorenzo prediction of centered codes.
pub const FSZC_LZ1_CENTERED: fszc_tile_kind = 2;
/// Second-order Lorenzo prediction of centered codes.
pub const FSZC_LZ2_CENTERED: fszc_tile_kind = 3;
/// Interpolation.
pub const FSZC_INTERPOLATED: fszc_tile_kind = 4;
/// One repeated bit pattern, stored exactly.
pub const FSZC_CONSTANT: fszc_tile_kind = 5;
/// Predicted, with some elements stored exactly.
pub const FSZC_EXCEPTIONS: fszc_tile_kind = 6;
/// All elements stored exactly.
pub const FSZC_VERBATIM: fszc_tile_kind = 7;
/// In the field `predictor` of a fszc_tile: no predictor of the paper's.
pub const FSZC_NO_PREDICTOR: fszc_tile_kind = 255;
/// A kind that this header does not know.
pub const FSZC_OTHER_KIND: fszc_tile_kind = 254;

/// Most blocks of a tile.
pub const FSZC_MAX_BLOCKS: usize = 16;
/// Most entries that fszc_stream_tile_costs stores.
pub const FSZC_MAX_COSTS: usize = 8;

/// A way in which a tile can be coded. Later releases may add some.
pub type fszc_tile_coding = u32;
/// First-order Lorenzo prediction.
pub const FSZC_CODING_LZ1: fszc_tile_coding = 0;
/// Second-order Lorenzo prediction.
pub const FSZC_CODING_LZ2: fszc_tile_coding = 1;
/// First-order Lorenzo prediction of centered codes.
pub const FSZC_CODING_LZ1_CENTERED: fszc_tile_coding = 2;
/// Second-order Lorenzo prediction of centered codes.
pub const FSZC_CODING_LZ2_CENTERED: fszc_tile_coding = 3;
/// Interpolation from two elements along each axis.
pub const FSZC_CODING_LINEAR: fszc_tile_coding = 4;
/// Interpolation from four, (−1, 9, 9, −1) / 16.
pub const FSZC_CODING_CUBIC: fszc_tile_coding = 5;
/// Interpolation from four, (2, 6, 6, 2) / 16.
pub const FSZC_CODING_SMOOTH: fszc_tile_coding = 6;
/// Differences of the elements' bits.
pub const FSZC_CODING_EXACT: fszc_tile_coding = 7;
/// The elements as they are.
pub const FSZC_CODING_VERBATIM: fszc_tile_coding = 8;
/// Interpolation that is cubic along one axis, and across several blends those along each.
pub const FSZC_CODING_BLENDED: fszc_tile_coding = 9;
/// A way of coding that this header does not know.
pub const FSZC_OTHER_CODING: fszc_tile_coding = 254;

/// One tile. Later releases may add fields at the end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct fszc_tile {
    /// Number of the tile in the field.
    pub index: u64,
    /// Compressed bytes, in the payload and outside of it.
    pub bytes: u64,
    /// Elements stored exactly.
    pub escapes: u32,
    /// How the tile is shown.
    pub kind: fszc_tile_kind,
    /// How its codes are predicted: FSZC_LZ1 to FSZC_LZ2_CENTERED, or FSZC_NO_PREDICTOR.
    pub predictor: fszc_tile_kind,
    /// Blocks that the tile has rates of; 0 where the profile has no blocks.
    pub blocks: u32,
    /// Bits per element of each block; `blocks` entries.
    pub rates: [u8; FSZC_MAX_BLOCKS],
}

/// How many tiles are stored how. Each tile counts once. Later releases may add fields at the end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct fszc_tile_counts {
    /// All tiles.
    pub count: u64,
    /// FSZC_LZ1.
    pub lz1: u64,
    /// FSZC_LZ2.
    pub lz2: u64,
    /// FSZC_LZ1_CENTERED.
    pub lz1_centered: u64,
    /// FSZC_LZ2_CENTERED.
    pub lz2_centered: u64,
    /// FSZC_INTERPOLATED.
    pub interpolated: u64,
    /// FSZC_CONSTANT.
    pub constant: u64,
    /// FSZC_EXCEPTIONS.
    pub exceptions: u64,
    /// FSZC_VERBATIM.
    pub verbatim: u64,
}

/// What a way of coding would cost a tile.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct fszc_tile_cost {
    /// FSZC_CODING_LZ1 to FSZC_CODING_BLENDED.
    pub coding: fszc_tile_coding,
    /// 1 if the tile is coded so, else 0.
    pub chosen: u32,
    /// Bytes: of FSZC_PAPER in the payload, without the tile's exceptions; of FSZC_DENSE by tables that are
    /// fitted to the box.
    pub bytes: u64,
}

fn coding_of(coding: TileCoding) -> fszc_tile_coding {
    match coding {
        TileCoding::Lorenzo(Predictor::Lz1) => FSZC_CODING_LZ1,
        TileCoding::Lorenzo(Predictor::Lz2) => FSZC_CODING_LZ2,
        TileCoding::Lorenzo(Predictor::Lz1Centered) => FSZC_CODING_LZ1_CENTERED,
        TileCoding::Lorenzo(Predictor::Lz2Centered) => FSZC_CODING_LZ2_CENTERED,
        TileCoding::Linear => FSZC_CODING_LINEAR,
        TileCoding::Cubic => FSZC_CODING_CUBIC,
        TileCoding::Smooth => FSZC_CODING_SMOOTH,
        TileCoding::Exact => FSZC_CODING_EXACT,
        TileCoding::Verbatim => FSZC_CODING_VERBATIM,
        TileCoding::Blended => FSZC_CODING_BLENDED,
        _ => FSZC_OTHER_CODING,
    }
}

fn kind_of(kind: TileKind) -> fszc_tile_kind {
    match kind {
        TileKind::Lz1 => FSZC_LZ1,
        TileKind::Lz2 => FSZC_LZ2,
        TileKind::Lz1Centered => FSZC_LZ1_CENTERED,
        TileKind::Lz2Centered => FSZC_LZ2_CENTERED,
        TileKind::Interpolated => FSZC_INTERPOLATED,
        TileKind::Constant => FSZC_CONSTANT,
        TileKind::Exceptions => FSZC_EXCEPTIONS,
        TileKind::Verbatim => FSZC_VERBATIM,
        _ => FSZC_OTHER_KIND,
    }
}

fn predictor_of(predictor: Option<Predictor>) -> fszc_tile_kind {
    predictor.map_or(FSZC_NO_PREDICTOR, |predictor| kind_of(TileKind::of(predictor)))
}

fn tile_of(record: &TileRecord) -> fszc_tile {
    let mut rates = [0; FSZC_MAX_BLOCKS];
    let found = record.rates();
    let blocks = found.len().min(rates.len());
    rates[..blocks].copy_from_slice(&found[..blocks]);
    fszc_tile {
        index: record.index,
        bytes: record.bytes,
        escapes: record.escapes,
        kind: kind_of(record.kind()),
        predictor: predictor_of(record.predictor),
        blocks: blocks as u32,
        rates,
    }
}

fn check_tiles(stream: &fszc_stream, first: u64, count: u64) -> Result<u64> {
    let all = stream.stream.grid().tiles();
    first.checked_add(count).filter(|&end| end <= all).ok_or_else(|| {
        Failure::invalid(format!("{count} tiles from {first} on, of a field of {all} tiles"))
    })
}

/// Stores the records of the `count` tiles from `first` on, without decoding them. `size` is
/// sizeof(fszc_tile); `tiles` has `count` of them. Takes a time that grows with count.
///
/// FSZC_CORRUPT when the records of a chunk contradict each other.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_stream_tiles(
    stream: *const fszc_stream,
    first: u64,
    count: u64,
    tiles: *mut fszc_tile,
    size: usize,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let stream = handle::get(stream)?;
            let end = check_tiles(stream, first, count)?;
            if count == 0 {
                return Ok(());
            }
            if tiles.is_null() {
                return Err(Failure::invalid("no place for the tiles"));
            }
            let mut place = tiles.cast::<u8>();
            let of_chunk = stream.stream.grid().tiles_per_chunk();
            // Those of other chunks may be damaged.
            let mut chunks = stream.stream.tile_records();
            for chunk in first / of_chunk..end.div_ceil(of_chunk) {
                let records = chunks.chunk(chunk)?;
                for record in records.iter().filter(|tile| (first..end).contains(&tile.index)) {
                    pointers::store_struct(place.cast(), size, &tile_of(record))?;
                    place = place.wrapping_add(size);
                }
            }
            Ok(())
        }
    })
}

/// Stores how many tiles are stored how. `size` is sizeof(fszc_tile_counts).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_stream_tile_counts(
    stream: *const fszc_stream,
    counts: *mut fszc_tile_counts,
    size: usize,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let found = handle::get(stream)?.stream.tile_counts();
            let found = fszc_tile_counts {
                count: found.count,
                lz1: found.lz1,
                lz2: found.lz2,
                lz1_centered: found.lz1_centered,
                lz2_centered: found.lz2_centered,
                interpolated: found.interpolated,
                constant: found.constant,
                exceptions: found.exceptions,
                verbatim: found.verbatim,
            };
            pointers::store_struct(counts, size, &found)
        }
    })
}

/// Stores what each way of coding that an encoder considers costs a tile, by what the tile is decoded to: at most
/// FSZC_MAX_COSTS entries in `costs`, and in `count` how many.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_stream_tile_costs(
    stream: *const fszc_stream,
    tile: u64,
    costs: *mut fszc_tile_cost,
    count: *mut usize,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            pointers::store(count, 0, "the number of costs")?;
            let found = handle::get(stream)?.stream.tile_costs(tile)?;
            for (i, cost) in found.iter().take(FSZC_MAX_COSTS).enumerate() {
                let cost = fszc_tile_cost {
                    coding: coding_of(cost.coding),
                    chosen: u32::from(cost.chosen),
                    bytes: cost.bytes,
                };
                let place = if costs.is_null() { costs } else { costs.wrapping_add(i) };
                pointers::store(place, cost, "the costs")?;
            }
            pointers::store(count, found.len().min(FSZC_MAX_COSTS), "the number of costs")
        }
    })
}

/// Stores how many elements the tiles from `first` on to, not including, `end` have together: what
/// fszc_decompress_tiles needs room for.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn fszc_stream_tile_elements(
    stream: *const fszc_stream,
    first: u64,
    end: u64,
    elements: *mut u64,
) -> fszc_status {
    status_of(|| {
        // SAFETY: the header's rules for pointers.
        unsafe {
            let stream = handle::get(stream)?;
            let grid = stream.stream.grid();
            let (tiles, all) = (first..end, grid.tiles());
            if first > end || end > all {
                // In the words of fszc_decompress_tiles.
                return Err(Failure::invalid(format!("tiles {tiles:?} of a field of {all} tiles")));
            }
            pointers::store(elements, grid.len_of(tiles), "the number")
        }
    })
}
