//! The numbers of the profile `dense` (FORMAT.md, *Dense*).

use super::constants::{ALIGNMENT, GROUP_CHUNKS, MAX_HEADER};

/// Elements of a box at most.
pub const BOX: usize = 4096;
/// Lanes: states of the coder that take turns.
pub const LANES: usize = 32;
/// Columns of a group at least; fewer are coded one after another.
pub const MIN_COLUMNS: usize = 20;
/// log2 of the slots that the frequencies of a context share.
pub const SLOT_BITS: u32 = 9;
/// Slots that the frequencies of a context share.
pub const SLOTS: u32 = 1 << SLOT_BITS;
/// A state's smallest value, with which every lane begins and ends.
pub const LOW: u32 = 1 << 15;
/// Raw bits that a state takes at once.
pub const RAW_BITS: u32 = 15;
/// Residuals of at most this size have a symbol of their own.
pub const DIRECT: i32 = 15;
/// Differences whose zigzag number is below this have a symbol of their own.
pub const LORENZO_DIRECT: u32 = 16;
/// Of how many elements of an interpolated box one may be listed.
pub const LISTED_SHARE: usize = 32;
/// Symbols of residuals: small ones, a class for each bit length, any other.
pub const RESIDUAL_SYMBOLS: usize = 42;
/// Raw bits behind the last of them.
pub const RESIDUAL_ESCAPE_BITS: u8 = 15;
/// Symbols of differences: the same.
pub const DIFFERENCE_SYMBOLS: usize = 45;
/// Contexts of residuals in the finest grid.
pub const FINE_CONTEXTS: u8 = 16;
/// Contexts of residuals in coarser grids.
pub const COARSE_CONTEXTS: u8 = 8;
/// The context of corners.
pub const CORNERS: u8 = 23;
/// Contexts of differences of codes; one more is that of bases.
pub const LORENZO_CONTEXTS: u8 = 40;
/// The largest size of a difference that its contexts tell apart.
pub const LORENZO_SIZE_MOST: u32 = 1 << 20;
/// Contexts of masks and of passes without residuals.
pub const FLAG_CONTEXTS: u8 = 11;
/// The first context of flags of passes: those of the finest grid, then those of others.
pub const PASS_FLAGS: u8 = 9;
/// log2 of the most lattice points of a step.
pub const MOST_FINE: u32 = 4;
/// The distance of the points of a pointwise-relative bound at least, where there are any between its codes; ...
pub const LEAST_STRIDE: u64 = 64;
/// ... and the largest linear code then, at most.
pub const MOST_FINE_KNEE: u32 = 1 << 24;
/// log2 of the parts of a lattice point that an element is rounded to before it is predicted.
pub const PART_BITS: u32 = 10;
/// The largest lattice point of a box, counted from its base.
pub const MOST_VALUE: i32 = i16::MAX as i32;

/// Bits that the head of a chunk has for a box: its mode, and whether a record of escapes is there.
pub const HEAD_BOX_BITS: u32 = 4;
/// The bits of the mode.
pub const HEAD_MODE: u32 = 7;
/// The bit of the record.
pub const HEAD_ESCAPES: u32 = 8;
/// A box whose codes are all the chunk's base.
pub const MODE_FLAT: u32 = 0;
/// A box that is interpolated.
pub const MODE_INTERPOLATED: u32 = 1;
/// Lorenzo prediction of order 1.
pub const MODE_LORENZO_1: u32 = 2;
/// Lorenzo prediction of order 2.
pub const MODE_LORENZO_2: u32 = 3;
/// Lorenzo prediction of the elements' words: all elements are exact.
pub const MODE_EXACT: u32 = 4;
/// All elements are stored as they are.
pub const MODE_VERBATIM: u32 = 5;
/// Where a record of escapes has its kind of mask, of two bits; the pattern stands below.
pub const RECORD_MASK_SHIFT: u32 = 2;
/// Where it has how many elements are listed.
pub const RECORD_LISTED_SHIFT: u32 = 16;
/// No element of a box is masked.
pub const MASK_NONE: u32 = 0;
/// All of them are.
pub const MASK_ALL: u32 = 1;
/// Symbols tell.
pub const MASK_CODED: u32 = 2;
/// Context of the first element's flag of a mask.
pub const MASK_FIRST: u8 = 0;
/// The first context of the other corners'.
pub const MASK_CORNERS: u8 = 1;
/// The first context in coarser grids.
pub const MASK_COARSE: u8 = 3;
/// The first context in the finest grid.
pub const MASK_FINE: u8 = 6;

/// How boxes of a field lie (header: `layout`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Layout {
    /// 4096 consecutive elements.
    Line,
    /// 64 × 64 elements of the last two axes.
    Plane,
    /// 16 × 16 × 16 elements of the last three axes.
    Brick,
}

impl Layout {
    /// All of them.
    pub const ALL: [Layout; 3] = [Layout::Line, Layout::Plane, Layout::Brick];

    /// The number in the header.
    pub const fn code(self) -> u8 {
        match self {
            Layout::Line => 1,
            Layout::Plane => 2,
            Layout::Brick => 3,
        }
    }

    /// Its name in messages and options.
    pub const fn name(self) -> &'static str {
        match self {
            Layout::Line => "line",
            Layout::Plane => "plane",
            Layout::Brick => "brick",
        }
    }

    /// Axes longer than 1 that a field needs to be cut so.
    pub(crate) const fn axes(self) -> usize {
        match self {
            Layout::Line => 0,
            Layout::Plane => 2,
            Layout::Brick => 3,
        }
    }

    pub(crate) const fn extent(self) -> [u32; 3] {
        match self {
            Layout::Line => [1, 1, 4096],
            Layout::Plane => [1, 64, 64],
            Layout::Brick => [16, 16, 16],
        }
    }

    pub(crate) fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|layout| layout.code() == code)
    }
}

/// Predictors (header: `parameter_0`): the mean of the two neighbours, ...
pub const LINEAR: u8 = 0;
/// ... four along each axis, ...
pub const CUBIC: u8 = 1;
/// ... which smooth, ...
pub const SMOOTH: u8 = 2;
/// ... Lorenzo prediction of all boxes, ...
pub const LORENZO: u8 = 3;
/// ... cubic along one axis and blended across several.
pub const BLENDED: u8 = 4;

/// log2 of what a step of the spread of a point's neighbours counts in its context; ...
pub const SPREAD_BITS: u32 = 5;
/// ... and where it is blended: what is linear along each axis is predicted well, however steep it is.
pub const BLENDED_SPREAD_BITS: u32 = 3;

/// How a point is predicted in the finest grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Taps {
    /// The mean of the two neighbours.
    Linear,
    /// (−1, 9, 9, −1) / 16.
    Cubic,
    /// (2, 6, 6, 2) / 16.
    Smooth,
    /// Cubic along one axis; across several, in all grids, the Boolean sum of the means along each (Gordon 1971, "Blending-function
    /// methods of bivariate and multivariate interpolation").
    Blended,
}

/// Bytes of the tables of a field at most.
pub const MOST_TABLES: u64 = 4096;
/// Elements of a box on average at least, in layouts other than `line`.
pub const LEAST_BOX: u64 = 512;
/// Boxes of a chunk at least, but for the last one.
pub const LEAST_CHUNK: u64 = 8;
/// Bytes that a chunk takes beside its elements at most: index, head, states.
const CHUNK_BYTES: u64 = 168;

/// Bytes that a stream takes beside its elements at most (FORMAT.md, *Bounds on size*).
pub(crate) fn most_beside_elements(elements: u64) -> u64 {
    let chunks = elements / (LEAST_BOX * LEAST_CHUNK) + 2;
    let offsets = 8 * (chunks.div_ceil(GROUP_CHUNKS) + 1);
    MAX_HEADER as u64 + chunks * CHUNK_BYTES + offsets + 4 * ALIGNMENT + MOST_TABLES
}
