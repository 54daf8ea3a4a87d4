// Constants, element types and checksums of the FSZ stream (crates/fsz/FORMAT.md is the law).
//
// Everything in cuda/ is self-contained: no header of the toolkit or of the C++ library is
// included, so that NVRTC compiles the same sources as nvcc. Words as in FORMAT.md: tile, block (32
// codes; a CUDA block is always called a thread block), chunk, group, rate, code, residual.
#pragma once

namespace fsz
{

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long long;
using i32 = int;
using i64 = long long;

#define FSZ_DEVICE __device__ __forceinline__

constexpr u32 BLOCK = 32;
constexpr u32 TILE_BLOCKS = 8;
constexpr u32 TILE = BLOCK * TILE_BLOCKS;
constexpr u32 CHUNK_TILES = 64;
constexpr u32 CHUNK = TILE * CHUNK_TILES;
constexpr u32 GROUP_CHUNKS = 64;

/// A warp works on four tiles at a time: a lane on a block, eight lanes on a tile.
constexpr u32 WARP_TILES = 4;
constexpr u32 WARP_ELEMENTS = WARP_TILES * TILE;
constexpr u32 WARP_ALL = 0xFFFFFFFFu;

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
struct Layout
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

/// What differs between the two element types.
template <class T> struct Element;

template <> struct Element<float>
{
    using Bits = u32;
    static constexpr u32 WORDS = 1;
    static constexpr u32 QUIET_NAN = 0x7FC00000u;
    static constexpr u32 NEGATIVE_NAN = 0xFFC00000u;
    static constexpr u32 INFINITE = 0x7F800000u;
    static constexpr u32 SIGN = 0x80000000u;
};

template <> struct Element<double>
{
    using Bits = u64;
    static constexpr u32 WORDS = 2;
    static constexpr u64 QUIET_NAN = 0x7FF8000000000000ull;
    static constexpr u64 NEGATIVE_NAN = 0xFFF8000000000000ull;
    static constexpr u64 INFINITE = 0x7FF0000000000000ull;
    static constexpr u64 SIGN = 0x8000000000000000ull;
};

FSZ_DEVICE u32 bits_of(float value) { return __float_as_uint(value); }

FSZ_DEVICE u64 bits_of(double value) { return static_cast<u64>(__double_as_longlong(value)); }

FSZ_DEVICE float value_of(u32 bits) { return __uint_as_float(bits); }

FSZ_DEVICE double value_of(u64 bits) { return __longlong_as_double(static_cast<i64>(bits)); }

/// Words of a block of this rate.
FSZ_DEVICE u32 block_words(u32 rate) { return rate + min(rate, 1u); }

/// The bijection that FORMAT.md calls mix.
FSZ_DEVICE u32 mix(u32 x)
{
    x ^= x >> 16;
    x *= 0x7FEB352Du;
    x ^= x >> 15;
    x *= 0x846CA68Bu;
    return x ^ (x >> 16);
}

/// What a tile with the weighted sum `sum` at `position` in its chunk adds to the chunk's checksum.
FSZ_DEVICE u32 tile_share(u32 sum, u32 position) { return mix(sum + (position + 1) * 0x9E3779B9u); }

/// The weight of word `k` in a checksum.
FSZ_DEVICE u32 weight(u32 k) { return 2 * k + 1; }

} // namespace fsz
