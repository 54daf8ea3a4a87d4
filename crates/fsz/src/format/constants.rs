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

/// Header flag: a name follows.
pub const HAS_NAME: u8 = 1;
/// Header flag: the time step is given.
pub const HAS_TIME_STEP: u8 = 2;
/// Header flag: the start in a global array follows.
pub const HAS_START: u8 = 4;

/// What the checksums multiply the words of a row by: coprime to 2³² − 1, and such that no two flipped
/// bits of a row cancel (a test looks at every pair).
pub const CHECKSUM_MULTIPLIERS: [u32; 33] = [
    0xD91B_7447,
    0x3CE5_6009,
    0xB720_73C7,
    0x3B7A_81BD,
    0xB951_BEC1,
    0xBDA7_6317, //
    0x087B_59B7,
    0xD769_633B,
    0x9692_B177,
    0xE616_0955,
    0x6E1F_CD99,
    0x156C_F3BB, //
    0x6B60_1659,
    0x78DE_A8AD,
    0x662A_3809,
    0x8D9A_F5C7,
    0xCAD5_C3C7,
    0xC3FA_319F, //
    0x70E3_CDC7,
    0x1790_62A9,
    0xC65B_903D,
    0x1856_88E9,
    0x537E_20CF,
    0x8089_6393, //
    0x2A8D_3661,
    0xED87_1799,
    0x2632_7B7F,
    0x1069_561D,
    0x33CE_8D29,
    0x7C52_755D, //
    0xA8B8_3EB3,
    0xAD1E_0EB1,
    0x874D_4CB9,
];
/// Words of a row of what is not cut into blocks: header, metadata, rate bytes, escapes.
pub const CHECKSUM_ROW: usize = 4;
/// What tells the rows of a checksum apart.
pub const CHECKSUM_KEY: u32 = 0x9E37_79B9;
/// The multipliers of `mix`.
pub const MIX: [u32; 2] = [0x7FEB_352D, 0x846C_A68B];
