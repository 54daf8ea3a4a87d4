// The constants of the stream format (FORMAT.md), put in front of every shader that reads tiles.

const TILE: u32 = 256u;
const BLOCK: u32 = 32u;
const TILE_BLOCKS: u32 = 8u;
const CHUNK_TILES: u32 = 64u;

// A rate byte: the first three bits are those of block 0, the others are bits of the escape field in the
// rate bytes of the blocks behind it.
const RATE_ORDER2: u32 = 0x80u;
const RATE_CENTERED: u32 = 0x40u;
const RATE_ESCAPES: u32 = 0x20u;
const RATE_MASK: u32 = 0x1fu;
const RATE_ESCAPE_SHIFT: u32 = 5u;
const RATE_ESCAPE_BITS: u32 = 3u;

// The escape field.
const ESCAPE_KIND_SHIFT: u32 = 0u;
const ESCAPE_KIND_BITS: u32 = 2u;
const ESCAPE_PATTERN_SHIFT: u32 = 2u;
const ESCAPE_PATTERN_BITS: u32 = 2u;
const ESCAPE_RUN_ENDS_SHIFT: u32 = 4u;
const ESCAPE_RUN_ENDS_BITS: u32 = 6u;
const ESCAPE_LISTED_SHIFT: u32 = 10u;
const ESCAPE_LISTED_BITS: u32 = 8u;

const KIND_EXCEPTIONS: u32 = 0u;
const KIND_CONSTANT: u32 = 1u;
const KIND_VERBATIM: u32 = 2u;

const PATTERN_NAN: u32 = 0u;
const PATTERN_NEGATIVE_NAN: u32 = 1u;
const PATTERN_FIRST_MISSING: u32 = 2u;
const PATTERN_IN_PAYLOAD: u32 = 3u;

// Run ends of a mask that is a bitmap.
const MASK_BITMAP: u32 = 63u;

// The bits of the patterns NAN and NEGATIVE_NAN in f32.
const NAN_F32: u32 = 0x7fc00000u;
const NEGATIVE_NAN_F32: u32 = 0xffc00000u;
