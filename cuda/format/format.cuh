// Constants of the FSZ stream (crates/fsz/FORMAT.md is the law). Words as there:
// tile, block (32 codes; a CUDA block is always called a thread block), chunk, group, rate, code,
// residual.
#pragma once

#include "device/types.cuh"
#include "format/format_constants.cuh"

/// Where a field of a struct begins, in bytes.
#define FSZ_AT(type, field) static_cast<fsz::u32>(__builtin_offsetof(type, field))

namespace fsz
{

/// A quad, the four tiles that a warp works on at a time: a lane on a block, eight lanes on a tile.
constexpr u32 QUAD_TILES = 4;
constexpr u32 QUAD_ELEMENTS = QUAD_TILES * TILE;
constexpr u32 CHUNK_QUADS = CHUNK / QUAD_ELEMENTS;

/// Words of a mask that is a bitmap.
constexpr u32 BITMAP_WORDS = TILE / 32;

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

/// Their size, then where each of them is, for the tables that the driver compares with its own.
#define FSZ_SECTIONS_LAYOUT                                                                        \
    sizeof(fsz::Sections), FSZ_AT(fsz::Sections, elements), FSZ_AT(fsz::Sections, tiles),          \
        FSZ_AT(fsz::Sections, chunks), FSZ_AT(fsz::Sections, rates), FSZ_AT(fsz::Sections, sizes), \
        FSZ_AT(fsz::Sections, offsets), FSZ_AT(fsz::Sections, sums),                               \
        FSZ_AT(fsz::Sections, payload)

/// The rate bytes of a chunk.
FSZ_DEVICE const u8 *rates_of(const u8 *stream, const Sections &sections, u64 chunk)
{
    return stream + sections.rates + chunk * (CHUNK / BLOCK);
}

/// Words of a block of this rate.
FSZ_DEVICE u32 block_words(u32 rate) { return rate + min(rate, 1u); }

} // namespace fsz
