// What the rate bytes of a chunk add to checksums.
#pragma once

#include "format/checksum.cuh"
#include "format/format.cuh"

namespace fsz
{

/// The lane's share of the chunk's rate bytes `rates`, a row of two tiles: all the rates of a chunk
/// are a warp's. Behind an odd last tile is padding, which is the metadata's: with WRITTEN it is
/// read, else it is 0, as another thread block is yet to write it.
template <bool WRITTEN>
FSZ_DEVICE HeadSums hash_rates(const u8 *rates, const Sections &sections, u64 chunk, u32 lane)
{
    const u64 row = chunk * (CHUNK_TILES / 2) + lane;
    if (2 * row >= sections.tiles)
    {
        return {0, 0};
    }
    // Not through the read-only cache: an encoder has only just written them.
    const uint4 words = reinterpret_cast<const uint4 *>(rates)[lane];
    u64 products = add_product(0, words.x, CHECKSUM_MULTIPLIERS[0]);
    products = add_product(products, words.y, CHECKSUM_MULTIPLIERS[1]);
    u64 second = add_product(0, words.z, CHECKSUM_MULTIPLIERS[2]);
    second = add_product(second, words.w, CHECKSUM_MULTIPLIERS[3]);
    const bool both = 2 * row + 1 < sections.tiles;
    const u64 own = products + (both ? second : 0);
    return {row_of(HEAD_ROWS_AT + lane, own),
            row_of(static_cast<u32>(row), WRITTEN ? products + second : own)};
}

} // namespace fsz
