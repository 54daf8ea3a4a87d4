// Tiles whose codes are in shared memory, one by one to wherever their elements go.
#pragma once

#include "profile/paper/decode_quad.cuh"

namespace fsz
{

/// The elements of one tile, of which the stage holds the codes, wherever `output` puts them. The
/// whole warp works on it; `first` is its first element in the field. Returns what its words behind
/// the blocks add to its checksum.
template <class T, class Output>
FSZ_DEVICE u32 output_tile(const StreamView &s, const u32 *words, u32 lo, u32 hi, u32 count,
                           u64 first, double step, const u32 *codes, const Output &output,
                           bool &sound)
{
    constexpr u32 W = Element<T>::WORDS;
    const u32 lane = lane_id();
    const T unit = static_cast<T>(step);
    if (!(lo & ESCAPES))
    {
        for (u32 i = lane, j = 0; j < 8; i += 32, ++j)
        {
            if (i < count)
            {
                output.store(first + i, dequantize(static_cast<i32>(codes[j * ROW + lane]), unit));
            }
        }
        return 0;
    }
    const EscapeField escapes(escape_bits(lo, hi));
    const u32 coded = coded_words(lo, hi);
    const u32 behind = escape_words(lo, hi, count, W, sound);
    const u32 share = checksum_of_words(words + coded, coded, behind);
    T value;
    if (escapes.kind == CONSTANT)
    {
        element_of(pattern_bits<T>(s, escapes.pattern, words, sound), value);
        for (u32 i = lane; i < count && sound; i += 32)
        {
            output.store(first + i, value);
        }
        return share;
    }
    if (escapes.kind == VERBATIM)
    {
        for (u32 i = lane; i < count; i += 32)
        {
            element_of(bits_at<W>(words + i * W), value);
            output.store(first + i, value);
        }
        return share;
    }
    const u32 *at = words + coded;
    u32 masked = 0;
    T pattern = 0;
    if (escapes.run_ends > 0)
    {
        element_of(pattern_bits<T>(s, escapes.pattern, at, sound), pattern);
        at += escapes.pattern_words(W);
        masked = read_mask(at, escapes.run_ends, count, sound);
        at += mask_words(escapes.run_ends);
    }
    const u32 listed = read_positions(at, escapes.listed, count, sound);
    const u32 *values = at + position_words(escapes.listed);
    sound = sound && __all_sync(WARP_ALL, (masked & listed) == 0);
    if (!sound)
    {
        return share;
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
        if (i >= count)
        {
            continue;
        }
        if (list >> lane & 1)
        {
            element_of(bits_at<W>(values + number * W), value);
        }
        else if (word >> lane & 1)
        {
            value = pattern;
        }
        else
        {
            const u32 k = i - others;
            value = dequantize(static_cast<i32>(codes[(k >> 5) * ROW + (k & 31)]), unit);
        }
        output.store(first + i, value);
    }
    return share;
}

/// Places those of a quad's tiles that are wanted; the stage holds their codes, and `payload` is
/// the quad's. Returns, in the first thread of each tile, what the words behind its blocks add to
/// its checksum.
template <class T, class Output>
__device__ __noinline__ u32 output_quad(const ChunkTask task, u32 quad, u32 wanted,
                                        const Stage &stage, const u32 *payload,
                                        const Output &output)
{
    const u32 lane = lane_id();
    const TileIndex &index = stage.index;
    const u32 from = index.at[quad * QUAD_TILES];
    u32 checksum = 0;
    for (u32 k = 0; k < QUAD_TILES; ++k)
    {
        const u32 tile = quad * QUAD_TILES + k;
        if (tile * TILE >= index.elements)
        {
            break;
        }
        const u32 lo = index.rates[tile].x, hi = index.rates[tile].y;
        const u32 count = min(index.elements - tile * TILE, TILE);
        const u32 *words = payload + (index.at[tile] - from);
        u32 share = 0;
        bool sound = true;
        if (wanted >> k & 1)
        {
            share =
                output_tile<T>(task.view, words, lo, hi, count, task.chunk * CHUNK + tile * TILE,
                               index.step, stage.rows + k * 8 * ROW, output, sound);
        }
        else if (lo & ESCAPES)
        {
            const u32 coded = coded_words(lo, hi);
            share = checksum_of_words(words + coded, coded,
                                      escape_words(lo, hi, count, Element<T>::WORDS, sound));
        }
        if (!sound && lane == 0)
        {
            report(task.status, task.chunk, FAULT_PLACES);
        }
        checksum += lane == 8 * k ? share : 0;
    }
    __syncwarp();
    return checksum;
}

} // namespace fsz
