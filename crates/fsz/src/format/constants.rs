//! The numbers of the format that do not belong to one profile.

/// The first eight bytes of a stream: `\x89FSZ\r\n\x1a\n`, as a little-endian word.
pub const MAGIC: u64 = u64::from_le_bytes([0x89, b'F', b'S', b'Z', 0x0D, 0x0A, 0x1A, 0x0A]);
/// The format version that this crate writes and reads.
pub const FORMAT_VERSION: u16 = 1;
/// Every section begins at a multiple of this many bytes.
pub const ALIGNMENT: u64 = 16;
/// Bytes of a payload word.
pub const WORD: usize = 4;
/// Chunks of a group.
pub const GROUP_CHUNKS: u64 = 64;
/// Most dimensions of a field.
pub const MAX_DIMS: usize = 8;
/// Most missing values that can be named.
pub const MAX_MISSING: usize = 4;
/// Longest name in bytes.
pub const MAX_NAME: usize = 1024;
/// Longest header in bytes.
pub const MAX_HEADER: usize = 1344;
/// Largest code.
pub const MAX_CODE: i32 = (1 << 29) - 1;

/// Element type in the header: IEEE 754 binary32.
pub const DTYPE_F32: u8 = 1;
/// Element type in the header: IEEE 754 binary64.
pub const DTYPE_F64: u8 = 2;

/// Kind of bound in the header: absolute.
pub const BOUND_ABSOLUTE: u8 = 0;
/// Kind of bound in the header: a share of the field's value range.
pub const BOUND_VALUE_RANGE: u8 = 1;
/// Kind of bound in the header: a share of a value range that the caller gave.
pub const BOUND_GIVEN_RANGE: u8 = 2;
/// Kind of bound in the header: a share of each element, or a floor.
pub const BOUND_RELATIVE: u8 = 3;
/// Kind of bound in the header: found for a peak signal-to-noise ratio.
pub const BOUND_PSNR: u8 = 4;
/// Kind of bound in the header: found for a compression ratio.
pub const BOUND_RATIO: u8 = 5;
/// Kind of bound in the header: found for a length of the stream.
pub const BOUND_MAX_BYTES: u8 = 6;

/// Elements of which one is a sample.
pub const SAMPLE_STRIDE: usize = 4096;
/// What picks the sample among them: times the sample's number, modulo 2³² and the stride.
pub const SAMPLE_MULTIPLIER: u32 = 2_654_435_761;
/// Numbers tried for the quantization step of `f32`.
pub const STEP_CANDIDATES: u32 = 4096;

/// Largest share of an element that a pointwise-relative bound may be.
pub const MOST_RELATIVE: f64 = 0.5;
/// Smallest one of `f64`: codes of smaller ones would not reach far.
pub const LEAST_RELATIVE_F64: f64 = 1.0 / (1u32 << 27) as f64;
/// What the parabola of the curve of logarithmic codes is multiplied by, in parts ...
pub const CURVE_SHARE: u32 = 85;
/// ... of which there are so many in 1.
pub const CURVE_UNIT: u32 = 256;
/// A number above the curve's largest slope.
pub const STEEPEST: f64 = 0.70712;
/// Shares of fewer units than this of an octave's bits have a straight curve.
pub const STRAIGHT_BELOW: f64 = 8.0;
/// The largest linear code at most.
pub const MOST_KNEE: u32 = 1 << 28;
/// Samples of a field at least, and of how many elements one is a sample in a large one.
pub const LEAST_SAMPLES: usize = 4096;
/// Of samples of both signs, one in so many may be below the logarithmic codes.
pub const TYPICAL_SHARE: usize = 1000;

/// Header flag: a name follows.
pub const HAS_NAME: u8 = 1;
/// Header flag: the time step is given.
pub const HAS_TIME_STEP: u8 = 2;
/// Header flag: the start in a global array follows.
pub const HAS_START: u8 = 4;
/// Header flag: there are regions with bounds of their own.
pub const HAS_REGIONS: u8 = 8;

/// Most regions of a field.
pub const MAX_REGIONS: usize = 16;
/// Kind of region: a box.
pub const REGION_BOX: u64 = 0;
/// Kind of region: the elements where a mask is set.
pub const REGION_MASK: u64 = 1;

/// What the checksums multiply the words of a row by: below 2²⁶, coprime to 2³² + 1, and such that no two
/// flipped bits of a row cancel (a test looks at every pair).
pub const CHECKSUM_MULTIPLIERS: [u32; 33] = [
    0x0364_6DD1,
    0x02F3_9581,
    0x02DC_81CF,
    0x0383_6D05,
    0x02ED_EA07,
    0x02E5_46FB, //
    0x032D_AF27,
    0x020A_2E25,
    0x0344_6A65,
    0x02F6_9D8D,
    0x02C7_BD87,
    0x02AB_5D25, //
    0x0221_ED67,
    0x03DB_2EFF,
    0x035D_A58D,
    0x025A_4AC5,
    0x0398_5825,
    0x03B8_7F37, //
    0x0255_B3CF,
    0x039F_4117,
    0x03AD_8059,
    0x03E3_7AA3,
    0x038A_EA47,
    0x0398_A8E1, //
    0x0219_95A9,
    0x02A4_BADB,
    0x0353_3689,
    0x036D_A2F9,
    0x022D_09D3,
    0x0236_6BD7, //
    0x039F_2C2D,
    0x032B_570F,
    0x030F_E8C7,
];
/// Words of a row of what is not cut into blocks: header, metadata, rate bytes, escapes.
pub const CHECKSUM_ROW: usize = 4;
/// Number of the first row of a chunk's rate bytes; those of its blocks come before.
pub const HEAD_ROWS_AT: u32 = 512;
/// Number of the first row of what follows the blocks of a chunk's tiles.
pub const ESCAPE_ROWS_AT: u32 = 1024;
/// Number of a tile's µ among the words of its row.
pub const MU_WORD: usize = 32;
/// What tells the rows of a checksum apart.
pub const CHECKSUM_KEY: u32 = 0x9E37_79B9;
/// The multipliers of `mix`.
pub const MIX: [u32; 2] = [0x7FEB_352D, 0x846C_A68B];
