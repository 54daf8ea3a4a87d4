// Where the tiles of a chunk lie, from their heads.
#pragma once

#include "decode/index.cuh"
#include "profile/paper/tile_head.cuh"

namespace fsz
{

/// What a warp knows of its chunk, in shared memory: registers are scarce.
struct __align__(16) TileIndex
{
    /// Rate bytes; 0 behind the end of the field.
    uint2 rates[CHUNK_TILES];
    /// First payload word of the chunk in the payload.
    u64 base;
    /// The bits of the first missing value, if one is named.
    u64 missing;
    /// Of the chunk.
    u32 elements;
    /// First word of each tile in the chunk, and the end of the last.
    u16 at[CHUNK_TILES + 2];
};

/// The rate bytes of the tiles 2 · lane and 2 · lane + 1 of a chunk.
FSZ_DEVICE uint4 read_heads(const StreamView &view, u64 chunk, u32 tiles, u32 lane)
{
    uint4 rates = make_uint4(0, 0, 0, 0);
    const u8 *const at = rates_of(view.bytes, view.sections, chunk) + lane * 16;
    if (2 * lane + 1 < tiles)
    {
        rates = __ldg(reinterpret_cast<const uint4 *>(at));
    }
    else if (2 * lane < tiles)
    {
        const uint2 one = __ldg(reinterpret_cast<const uint2 *>(at));
        rates.x = one.x;
        rates.y = one.y;
    }
    return rates;
}

/// Reads the index of a chunk, and what makes elements of its codes; the whole warp takes part and
/// gets the same answer, false when the stream is damaged. Every warp of a thread block may ask for
/// itself, so that no warp waits for another.
template <class Values>
FSZ_DEVICE bool index_tiles(const StreamView &view, u64 chunk, Report *to, TileIndex &index,
                            Values &values)
{
    constexpr u32 W = Element<typename Values::Value>::WORDS;
    const u32 lane = lane_id();
    const u32 elements = chunk_elements(view, chunk);
    const u32 tiles = (elements + TILE - 1) / TILE;
    const IndexWords read = read_index<Values::NUMBERS>(view, chunk, lane);
    const uint4 rates = read_heads(view, chunk, tiles, lane);
    const bool has_missing = view.missing_at != 0;
    u64 missing = 0;
    if (has_missing)
    {
        missing = __ldg(reinterpret_cast<const typename Element<typename Values::Value>::Bits *>(
            view.bytes + view.missing_at));
    }
    ChunkPlace place;
    if (!find_chunk(view, chunk, read, to, lane, place))
    {
        return false;
    }
    bool sound = true;
    const u32 last = tiles - 1, last_count = elements - last * TILE;
    u32 first = 0, second = 0;
    if (2 * lane < tiles)
    {
        first = tile_words(rates.x, rates.y, 2 * lane == last ? last_count : TILE, W, has_missing,
                           sound);
    }
    if (2 * lane + 1 < tiles)
    {
        second = tile_words(rates.z, rates.w, 2 * lane + 1 == last ? last_count : TILE, W,
                            has_missing, sound);
    }
    if (!__all_sync(WARP_ALL, sound))
    {
        if (lane == 0)
        {
            report(to, chunk, FAULT_ESCAPES);
        }
        return false;
    }
    const u32 through = warp_inclusive(first + second, lane);
    if (__shfl_sync(WARP_ALL, through, 31) != place.words)
    {
        if (lane == 0)
        {
            report(to, chunk, FAULT_TILES);
        }
        return false;
    }
    Values found;
    found.take(read.header);
    reinterpret_cast<uint4 *>(index.rates)[lane] = rates;
    const u32 before = through - first - second; // Below 2^16, as all of the chunk is.
    reinterpret_cast<u32 *>(index.at)[lane] = before | (before + first) << 16;
    if (lane == 0)
    {
        index.at[CHUNK_TILES] = static_cast<u16>(place.words);
        index.base = place.base;
        index.missing = missing;
        index.elements = elements;
        values = found;
    }
    __syncwarp();
    return true;
}

} // namespace fsz
