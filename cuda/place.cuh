// Tiles whose codes are in shared memory, one by one to wherever their elements go.
#pragma once

#include "stage.cuh"

namespace fsz
{

// Where the elements `begin` to `end` of a field go: side by side. Both are at tile borders.
template <class T> struct Run
{
    T *out;
    u64 begin, end;

    // Whether the four tiles from element `first` on may be written 16 bytes at a time.
    FSZ_DEVICE bool contiguous(u64 first) const
    {
        return first >= begin && first + WARP_ELEMENTS <= end &&
               ((u64)(out + (first - begin)) & 15) == 0;
    }
    FSZ_DEVICE T *group(u64 first) const { return out + (first - begin); }
    // Which of these tiles are to be decoded: a bit each.
    FSZ_DEVICE u32 wanted(u64 first) const
    {
        const u32 lane = threadIdx.x & 31;
        const u64 tile = first + lane * TILE;
        return __ballot_sync(WARP_ALL, lane < WARP_TILES && tile >= begin && tile < end);
    }
    FSZ_DEVICE void store(u64 element, T value) const { __stcs(out + (element - begin), value); }
};

// The elements of one tile, of which the stage holds the codes, wherever `place` puts them. The
// whole warp works on it; `first` is its first element in the field. Returns what its words behind
// the blocks add to its checksum.
template <class T, class Place>
FSZ_DEVICE u32 place_tile(const StreamView &s, const u32 *words, u32 lo, u32 hi, u32 count,
                          u64 first, double step, const u32 *codes, const Place &place, bool &sound)
{
    constexpr u32 W = Element<T>::WORDS;
    const u32 lane = threadIdx.x & 31;
    const T unit = (T)step;
    if (!(lo & ESCAPES))
    {
        for (u32 i = lane, j = 0; j < 8; i += 32, j++)
            if (i < count)
                place.store(first + i, dequantize((int)codes[j * ROW + lane], unit));
        return 0;
    }
    const EscapeField field(escape_bits(lo, hi));
    const u32 coded = coded_words(lo, hi);
    const u32 behind = escape_words(lo, hi, count, W, sound);
    const u32 share = checksum_of_words(words + coded, coded, behind);
    T value;
    if (field.kind == CONSTANT)
    {
        element_of(pattern_bits<T>(s, field.pattern, words, sound), value);
        for (u32 i = lane; i < count && sound; i += 32)
            place.store(first + i, value);
        return share;
    }
    if (field.kind == VERBATIM)
    {
        for (u32 i = lane; i < count; i += 32)
        {
            element_of(bits_at<W>(words + i * W), value);
            place.store(first + i, value);
        }
        return share;
    }
    const u32 *at = words + coded;
    u32 masked = 0;
    T pattern = 0;
    if (field.run_ends > 0)
    {
        element_of(pattern_bits<T>(s, field.pattern, at, sound), pattern);
        at += field.pattern_words(W);
        masked = read_mask(at, field.run_ends, count, sound);
        at += field.mask_words();
    }
    const u32 listed = read_positions(at, field.listed, count, sound);
    const u32 *values = at + (field.listed + 3) / 4;
    sound = sound && __all_sync(WARP_ALL, (masked & listed) == 0);
    if (!sound)
        return share;
    // The chain's codes fill the places that are left over, in order.
    const u32 escaped = masked | listed;
    const u32 escaped_before = count_before(__popc(escaped));
    const u32 listed_before = count_before(__popc(listed));
    const u32 below = (1u << lane) - 1;
    for (u32 i = lane, j = 0; j < 8; i += 32, j++)
    {
        const u32 word = __shfl_sync(WARP_ALL, escaped, j);
        const u32 list = __shfl_sync(WARP_ALL, listed, j);
        const u32 others = __shfl_sync(WARP_ALL, escaped_before, j) + __popc(word & below);
        const u32 number = __shfl_sync(WARP_ALL, listed_before, j) + __popc(list & below);
        if (i >= count)
            continue;
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
            value = dequantize((int)codes[(k >> 5) * ROW + (k & 31)], unit);
        }
        place.store(first + i, value);
    }
    return share;
}

// Places those of a group's tiles that are wanted; the stage holds their codes, and `payload` is
// the group's. Returns, in the first thread of each tile, what the words behind its blocks add to
// its checksum.
template <class T, class Place>
__device__ __noinline__ u32 place_group(const StreamView &s, u64 chunk, u32 group, u32 wanted,
                                        const Stage &stage, const u32 *payload, const Place &place,
                                        u64 *status)
{
    const u32 lane = threadIdx.x & 31;
    const ChunkIndex &index = stage.index;
    const u32 from = index.at[group * WARP_TILES];
    u32 checksum = 0;
    for (u32 k = 0; k < WARP_TILES; k++)
    {
        const u32 tile = group * WARP_TILES + k;
        if (tile * TILE >= index.elements)
            break;
        const u32 lo = index.rates[tile].x, hi = index.rates[tile].y;
        const u32 count = min(index.elements - tile * TILE, TILE);
        const u32 *words = payload + (index.at[tile] - from);
        u32 share = 0;
        bool sound = true;
        if (wanted >> k & 1)
        {
            share = place_tile<T>(s, words, lo, hi, count, chunk * CHUNK + tile * TILE, index.step,
                                  stage.rows + k * 8 * ROW, place, sound);
        }
        else if (lo & ESCAPES)
        {
            const u32 coded = coded_words(lo, hi);
            share = checksum_of_words(words + coded, coded,
                                      escape_words(lo, hi, count, Element<T>::WORDS, sound));
        }
        if (!sound && lane == 0)
            report(status, chunk, FAULT_PLACES);
        checksum += lane == 8 * k ? share : 0;
    }
    __syncwarp();
    return checksum;
}

} // namespace fsz
