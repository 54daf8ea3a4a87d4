// Tiles that the four variants cannot carry (FORMAT.md, Escapes), a warp to a tile.
#pragma once

#include "format/checksum.cuh"
#include "profile/paper/decode/tile_index.cuh"

namespace fsz
{

/// The element with these bits, from the low end.
FSZ_DEVICE void element_of(u64 bits, float &value) { value = value_of(static_cast<u32>(bits)); }
FSZ_DEVICE void element_of(u64 bits, double &value) { value = value_of(bits); }

// Payload is read by plain loads: a warp's words may lie in shared memory or in the stream itself.

/// The W words at `words`.
template <u32 W> FSZ_DEVICE u64 bits_at(const u32 *words)
{
    u64 bits = words[0];
    if (W == 2)
    {
        bits |= static_cast<u64>(words[1]) << 32;
    }
    return bits;
}

FSZ_DEVICE u32 byte_at(const u32 *words, u32 k) { return words[k >> 2] >> (8 * (k & 3)) & 255; }

/// The bits that masked elements, or those of a constant tile, have; any where a tile has neither.
/// `missing` are those of the first missing value.
template <class T> FSZ_DEVICE u64 pattern_bits(u64 missing, u32 pattern, const u32 *words)
{
    const u64 nan = pattern == PATTERN_NAN ? Element<T>::QUIET_NAN : Element<T>::NEGATIVE_NAN;
    u64 bits = pattern == PATTERN_FIRST_MISSING ? missing : nan;
    if (pattern == PATTERN_IN_PAYLOAD)
    {
        bits = bits_at<Element<T>::WORDS>(words);
    }
    return bits;
}

/// Reads the mask, which begins at `words`, of a tile of `count` elements. Lane w < 8 gets the
/// elements 32w to 32w + 31, element 32w + i at bit i; the other lanes get nothing.
FSZ_DEVICE u32 read_mask(const u32 *words, u32 run_ends, u32 count, bool &sound)
{
    const u32 lane = lane_id();
    const u32 from = 32 * lane; // Bits from `count` on are no elements.
    const u32 inside = from >= count ? 0 : count - from >= 32 ? ~0u : (1u << (count - from)) - 1;
    u32 mask = 0;
    if (run_ends == MASK_BITMAP)
    {
        if (lane < 8)
        {
            mask = __brev(words[lane]);
        }
        sound = sound && __all_sync(WARP_ALL, (mask & ~inside) == 0);
        return mask & inside;
    }
    const u32 held = lane < (run_ends + 3) / 4 ? words[lane] : 0;
    u32 previous = 0;
    for (u32 k = 0; k < run_ends; ++k)
    {
        const u32 end = __shfl_sync(WARP_ALL, held, k >> 2) >> (8 * (k & 3)) & 255;
        sound = sound && (k == 0 || end > previous);
        mask ^= lane == end >> 5 ? 1u << (end & 31) : 0;
        previous = end;
    }
    sound = sound && (run_ends & 1 ? previous < count : previous <= count);
    // Every end changes what follows it: running parities, in the word and over the words before.
#pragma unroll
    for (u32 o = 1; o < 32; o <<= 1)
    {
        mask ^= mask << o;
    }
    const u32 odd = __ballot_sync(WARP_ALL, mask >> 31);
    if (__popc(odd & ((1u << lane) - 1)) & 1)
    {
        mask = ~mask;
    }
    return lane < 8 ? mask & inside : 0;
}

/// Reads `listed` positions, bytes from `words` on, in the same manner.
FSZ_DEVICE u32 read_positions(const u32 *words, u32 listed, u32 count, bool &sound)
{
    const u32 lane = lane_id();
    u32 mine = 0;
    for (u32 first = 0; first < listed; first += 32)
    {
        const u32 k = first + lane;
        const bool there = k < listed;
        const u32 at = there ? byte_at(words, k) : 0;
        const bool rises = !there || (at < count && (k == 0 || at > byte_at(words, k - 1)));
        sound = sound && __all_sync(WARP_ALL, rises);
#pragma unroll
        for (u32 w = 0; w < 8; ++w)
        {
            const u32 set = __reduce_or_sync(WARP_ALL, there && at >> 5 == w ? 1u << (at & 31) : 0);
            mine |= lane == w ? set : 0;
        }
    }
    return mine;
}

/// The number of the first row of words that a tile has for its escapes.
FSZ_DEVICE u32 escape_row(u32 tile) { return ESCAPE_ROWS_AT + ESCAPE_ROWS * tile; }

} // namespace fsz
