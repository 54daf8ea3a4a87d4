// What the rate bytes of a chunk add to checksums.
#pragma once

#include "format/checksum.cuh"
#include "format/format.cuh"

namespace fsz
{

/// The lane's share, a row of two tiles: all the rates of a chunk are a warp's.
FSZ_DEVICE HeadSums hash_rates(const u8 *stream, const Sections &sections, u64 chunk, u32 lane)
{
    const u64 row = chunk * (CHUNK_TILES / 2) + lane;
    if (2 * row >= sections.tiles)
    {
        return {0, 0};
    }
    // Not through the read-only cache: an encoder has only just written them.
    const uint4 rates = reinterpret_cast<const uint4 *>(stream + sections.rates)[row];
    u32 folds = add_fold(0, rates.x, CHECKSUM_MULTIPLIERS[0]);
    folds = add_fold(folds, rates.y, CHECKSUM_MULTIPLIERS[1]);
    u32 second = add_fold(0, rates.z, CHECKSUM_MULTIPLIERS[2]);
    second = add_fold(second, rates.w, CHECKSUM_MULTIPLIERS[3]);
    // Behind an odd last tile is padding, which is the metadata's.
    const bool both = 2 * row + 1 < sections.tiles;
    return {row_of(HEAD_ROWS_AT + lane, folds + (both ? second : 0)),
            row_of(static_cast<u32>(row), folds + second)};
}

} // namespace fsz
