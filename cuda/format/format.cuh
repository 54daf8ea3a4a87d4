// Constants of the FSZ stream (crates/fsz/FORMAT.md is the law). Words as there:
// tile, block (32 codes; a CUDA block is always called a thread block), chunk, group, rate, code,
// residual.
#pragma once

#include "device/types.cuh"

namespace fsz
{

constexpr u32 BLOCK = 32;
constexpr u32 TILE_BLOCKS = 8;
constexpr u32 TILE = BLOCK * TILE_BLOCKS;
constexpr u32 CHUNK_TILES = 64;
constexpr u32 CHUNK = TILE * CHUNK_TILES;
constexpr u32 GROUP_CHUNKS = 64;

/// A quad, the four tiles that a warp works on at a time: a lane on a block, eight lanes on a tile.
constexpr u32 QUAD_TILES = 4;
constexpr u32 QUAD_ELEMENTS = QUAD_TILES * TILE;
constexpr u32 CHUNK_QUADS = CHUNK / QUAD_ELEMENTS;

/// Largest code.
constexpr i32 MAX_CODE = (1 << 29) - 1;

/// Bits of the rate byte of a tile's block 0.
constexpr u32 ORDER2 = 0x80;
constexpr u32 CENTERED = 0x40;
constexpr u32 ESCAPES = 0x20;
constexpr u32 RATE_MASK = 0x1F;

/// Kinds of escaped tiles.
constexpr u32 EXCEPTIONS = 0;
constexpr u32 CONSTANT = 1;
constexpr u32 VERBATIM = 2;

/// Patterns of masked elements and constant tiles.
constexpr u32 PATTERN_NAN = 0;
constexpr u32 PATTERN_NEGATIVE_NAN = 1;
constexpr u32 PATTERN_FIRST_MISSING = 2;
constexpr u32 PATTERN_IN_PAYLOAD = 3;

/// Masks: listed run ends up to here, a bitmap beyond.
constexpr u32 MOST_RUN_ENDS = 32;
constexpr u32 BITMAP = 63;
constexpr u32 BITMAP_WORDS = TILE / 32;
constexpr u32 MOST_LISTED = 255;
constexpr u32 MOST_MISSING = 4;

/// The first 8 bytes of a stream.
constexpr u64 MAGIC = 0x0A1A0A0D5A534689ull;

/// Places in the header, in bytes.
constexpr u32 HEADER_MOST = 1344;
constexpr u32 AT_HEADER_SUM = 12;
constexpr u32 AT_STREAM_LEN = 16;
constexpr u32 AT_BOUND = 40;
constexpr u32 AT_STEP = 48;
constexpr u32 AT_METADATA_SUM = 60;
constexpr u32 AT_PAYLOAD_LEN = 64;
constexpr u32 AT_MAX_ERROR = 80;
constexpr u32 AT_MIN = 88;
constexpr u32 AT_MAX = 96;
constexpr u32 AT_NAN = 104;
constexpr u32 AT_INF = 112;
constexpr u32 AT_MISSING = 120;
constexpr u32 AT_ESCAPED = 128;

/// Where the sections of a stream begin, in bytes from its start; each a multiple of 16.
struct Sections
{
    u64 elements;
    u64 tiles;
    u64 chunks;
    u64 rates;
    u64 sizes;
    u64 offsets;
    u64 sums;
    u64 payload;
};

/// Words of a block of this rate.
FSZ_DEVICE u32 block_words(u32 rate) { return rate + min(rate, 1u); }

} // namespace fsz
