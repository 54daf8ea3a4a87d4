// Tiles whose codes are in shared memory, one by one to wherever their elements go.
#pragma once

#include "profile/paper/decode/quad.cuh"

namespace fsz
{

/// A tile as the whole warp works on it.
struct TileTask
{
    /// Its payload.
    const u32 *words;
    /// Its rate bytes.
    u32 lo, hi;
    u32 count;
    /// Its first element in the field.
    u64 first;
};

/// The elements of one tile, of which the stage holds the codes, wherever `output` puts them.
template <class Values, class Output>
FSZ_DEVICE void output_tile(u64 missing, const TileTask &tile, const Values &values,
                            const u32 *codes, const Output &output, bool &sound)
{
    using T = typename Values::Value;
    constexpr u32 W = Element<T>::WORDS;
    const u32 lane = lane_id();
    if (!(tile.lo & RATE_ESCAPES))
    {
        for (u32 i = lane, j = 0; j < 8; i += 32, ++j)
        {
            if (i < tile.count)
            {
                output.store(tile.first + i, values.of(static_cast<i32>(codes[j * ROW + lane])));
            }
        }
        return;
    }
    const EscapeField escapes(escape_bits(tile.lo, tile.hi));
    T value;
    if (escapes.kind == KIND_CONSTANT)
    {
        element_of(pattern_bits<T>(missing, escapes.pattern, tile.words), value);
        for (u32 i = lane; i < tile.count; i += 32)
        {
            output.store(tile.first + i, value);
        }
        return;
    }
    if (escapes.kind == KIND_VERBATIM)
    {
        for (u32 i = lane; i < tile.count; i += 32)
        {
            element_of(bits_at<W>(tile.words + i * W), value);
            output.store(tile.first + i, value);
        }
        return;
    }
    const u32 *at = tile.words + coded_words(tile.lo, tile.hi);
    u32 masked = 0;
    T pattern = 0;
    if (escapes.run_ends > 0)
    {
        element_of(pattern_bits<T>(missing, escapes.pattern, at), pattern);
        at += escapes.pattern_words(W);
        masked = read_mask(at, escapes.run_ends, tile.count, sound);
        at += mask_words(escapes.run_ends);
    }
    const u32 listed = read_positions(at, escapes.listed, tile.count, sound);
    const u32 *exact = at + position_words(escapes.listed);
    sound = sound && __all_sync(WARP_ALL, (masked & listed) == 0);
    if (!sound)
    {
        return;
    }
    // The chain's codes fill the places that are left over, in order.
    const u32 escaped = masked | listed;
    const u32 escaped_before = tile_before(__popc(escaped), lane & 7);
    const u32 listed_before = tile_before(__popc(listed), lane & 7);
    const u32 below = (1u << lane) - 1;
    for (u32 i = lane, j = 0; j < 8; i += 32, ++j)
    {
        const u32 word = __shfl_sync(WARP_ALL, escaped, j);
        const u32 list = __shfl_sync(WARP_ALL, listed, j);
        const u32 others = __shfl_sync(WARP_ALL, escaped_before, j) + __popc(word & below);
        const u32 number = __shfl_sync(WARP_ALL, listed_before, j) + __popc(list & below);
        if (i >= tile.count)
        {
            continue;
        }
        if (list >> lane & 1)
        {
            element_of(bits_at<W>(exact + number * W), value);
        }
        else if (word >> lane & 1)
        {
            value = pattern;
        }
        else
        {
            const u32 k = i - others;
            value = values.of(static_cast<i32>(codes[(k >> 5) * ROW + (k & 31)]));
        }
        output.store(tile.first + i, value);
    }
}

/// Outputs those of a quad's tiles that are wanted; the stage holds their codes, and `payload` is
/// the quad's. Returns this thread's share of the rows of their escapes.
template <class Values, class Output>
__device__ __noinline__ u32 output_quad(const ChunkTask task, u32 quad, u32 wanted,
                                        const Stage<Values> &stage, const u32 *payload,
                                        const Output &output)
{
    using T = typename Values::Value;
    const u32 lane = lane_id();
    const TileIndex &index = stage.index;
    const Values values = stage.values;
    const u32 from = index.at[quad * QUAD_TILES];
    u32 rows = 0;
    for (u32 k = 0; k < QUAD_TILES; ++k)
    {
        const u32 number = quad * QUAD_TILES + k;
        if (number * TILE >= index.elements)
        {
            break;
        }
        const TileTask tile{payload + (index.at[number] - from), index.rates[number].x,
                            index.rates[number].y, min(index.elements - number * TILE, TILE),
                            task.chunk * CHUNK + number * TILE};
        if (tile.lo & RATE_ESCAPES)
        {
            const u32 coded = coded_words(tile.lo, tile.hi);
            const u32 words = escape_words(tile.lo, tile.hi, tile.count, Element<T>::WORDS);
            rows += hash_rows<32>(tile.words + coded, words, escape_row(number), lane);
        }
        bool sound = true;
        if (wanted >> k & 1)
        {
            output_tile(index.missing, tile, values, stage.rows + k * 8 * ROW, output, sound);
        }
        if (!sound && lane == 0)
        {
            report(task.report, task.chunk, FAULT_PLACES);
        }
    }
    __syncwarp();
    return rows;
}

} // namespace fsz
