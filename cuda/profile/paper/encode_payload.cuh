// The payload of any four tiles of a warp (FORMAT.md, Pack and Escapes).
#pragma once

#include "profile/paper/encode_any.cuh"

namespace fsz
{

/// Writes µ and the lane's block, of which `count` codes exist, at `place` of `sink`. Returns their
/// share of the tile's checksum, of which the first word has the weight `first`. `differences` is
/// what `choose_any` left.
template <class Sink>
FSZ_DEVICE u32 pack_block(const Sink &sink, u32 place, const u32 *differences, u32 count, u32 rate,
                          bool order2, bool centered, u32 first)
{
    const u32 lane = lane_id();
    i32 l[BLOCK];
    read_codes(differences, lane, l);
    const i32 slope = (lane & 7) > 0 ? static_cast<i32>(differences[code_at(lane - 1, 31)]) : 0;
    u32 sum = 0;
    if (centered)
    {
        sink.put(place++, static_cast<u32>(l[0]));
        sum = static_cast<u32>(l[0]) * first;
        first += 2;
        l[0] = 0;
    }
    const i32 factor = order2 ? -1 : 0;
#pragma unroll
    for (u32 i = 31; i > 0; --i)
    {
        l[i] += factor * l[i - 1];
    }
    l[0] += factor * slope;
    // Bits of elements that exist.
    const u32 mask = ~(count >= 32 ? 0 : ~0u >> count);
    u32 *const out = sink.block(place);
    if (__any_sync(WARP_ALL, rate > 15))
    {
        u32 planes[32];
        planes31(l, planes);
#pragma unroll
        for (u32 k = 0; k < 32; ++k)
        {
            planes[k] &= mask;
        }
        sum += store_planes<31>(out, rate, planes[31], planes, first);
    }
    else
    {
        u32 sign, planes[15];
        planes15(l, sign, planes);
        sign &= mask;
#pragma unroll
        for (u32 k = 0; k < 15; ++k)
        {
            planes[k] &= mask;
        }
        sum += store_planes<15>(out, rate, sign, planes, first);
    }
    return sum;
}

/// A part of the payload that several lanes write, and what the words of it add to the tile's
/// checksum. `shift` is what makes a place in the sink a word of the tile.
template <class Sink> struct Writer
{
    const Sink &sink;
    u32 shift;
    u32 sum = 0;

    FSZ_DEVICE void put(u32 at, u32 word)
    {
        sink.put(at, word);
        sum += word * weight(at + shift);
    }

    FSZ_DEVICE void put_bits(u32 at, u32 bits) { put(at, bits); }

    FSZ_DEVICE void put_bits(u32 at, u64 bits)
    {
        put(at, static_cast<u32>(bits));
        put(at + 1, static_cast<u32>(bits >> 32));
    }

    /// Byte `k` from word `at` on, which has been cleared.
    FSZ_DEVICE void put_byte(u32 at, u32 k, u32 byte)
    {
        sink.put_byte(at + k / 4, k % 4, byte);
        sum += (byte << 8 * (k % 4)) * weight(at + k / 4 + shift);
    }
};

/// Writes the masks of tiles with exceptions, and the bits of their elements where they have no
/// number. All lanes of the warp take part; the tile's mask ends at `mask_end`. Returns the lane's
/// share of its tile's checksum.
template <class T, class Sink>
FSZ_DEVICE u32 write_mask(const Sink &sink, const TilePlan<T> &f, u32 mask_end, u32 shift,
                          u32 present)
{
    const u32 block = lane_id() & 7;
    u32 ends = mask_ends(f.masked, present, block);
    u32 end = tile_before(__popc(ends), block);
    const bool mine = f.kind == EXCEPTIONS && f.run_ends > 0;
    const u32 mask = mask_end - mask_words(f.run_ends);
    Writer<Sink> section{sink, shift};
    // Several lanes write bytes of a word.
    if (mine && mask + block < mask_end)
    {
        sink.put(mask + block, 0);
    }
    __syncwarp();
    if (mine)
    {
        if (block == 0 && f.pattern == PATTERN_IN_PAYLOAD)
        {
            section.put_bits(mask - Element<T>::WORDS, f.special);
        }
        if (f.run_ends == BITMAP)
        {
            section.put(mask + block, __brev(f.masked));
        }
        else
        {
            for (; ends; ends &= ends - 1)
            {
                section.put_byte(mask, end++, BLOCK * block + __ffs(ends) - 1);
            }
        }
    }
    return section.sum;
}

/// Writes what follows the blocks of tiles with exceptions. All lanes of the warp take part; the
/// tile's payload ends at `tile_end`. Returns the lane's share of its tile's checksum.
template <class T, class Sink>
FSZ_DEVICE u32 write_exceptions(const Sink &sink, const TilePlan<T> &f, u32 tile_end, u32 shift,
                                const T *elements, u32 exists)
{
    constexpr u32 W = Element<T>::WORDS;
    const u32 lane = lane_id();
    const u32 block = lane & 7;
    const u32 of_block = f.kind == EXCEPTIONS ? f.listed : 0;
    const u32 before = tile_before(__popc(of_block), block);
    const u32 listed = tile_broadcast(before + __popc(of_block), 7);
    const u32 values = tile_end - listed * W;
    const u32 positions = values - position_words(listed);
    for (u32 k = positions + block; k < values; k += TILE_BLOCKS)
    {
        sink.put(k, 0);
    }
    // Its barrier is for these words too.
    const u32 sum = write_mask(sink, f, positions, shift, low_bits(exists));
    Writer<Sink> section{sink, shift, sum};
    u32 k = before;
    for (u32 rest = of_block; rest; rest &= rest - 1, ++k)
    {
        const u32 i = __ffs(rest) - 1;
        section.put_byte(positions, k, BLOCK * block + i);
        section.put_bits(values + k * W, bits_of(elements[BLOCK * lane + i]));
    }
    return section.sum;
}

/// Writes the element of a constant tile, which begins at `tile_begin`, where its bits have no
/// number. Returns the lane's share of its tile's checksum.
template <class T, class Sink>
FSZ_DEVICE u32 write_pattern(const Sink &sink, const TilePlan<T> &f, u32 tile_begin)
{
    constexpr u32 W = Element<T>::WORDS;
    u32 sum = 0;
    if (f.kind == CONSTANT && (lane_id() & 7) == 0 && f.pattern == PATTERN_IN_PAYLOAD)
    {
        const u64 bits = f.special;
#pragma unroll
        for (u32 k = 0; k < W; ++k)
        {
            const u32 word = static_cast<u32>(bits >> 32 * k);
            sink.put(tile_begin + k, word);
            sum += word * weight(k + 2);
        }
    }
    return sum;
}

/// Writes the payload of the warp's tiles, `place` being where the lane's words begin in `sink`.
/// Returns the lane's share of its tile's checksum, without the rate bytes.
template <class T, class Sink>
__device__ __noinline__ u32 pack_any(const Sink sink, const TilePlan<T> f, u32 place,
                                     const u32 *codes, const T *elements, u32 exists)
{
    const u32 lane = lane_id();
    const u32 block = lane & 7;
    // Word k of a tile's payload has the weight of word k + 2 of the tile: two rate words come
    // first.
    const u32 shift = 2 - tile_broadcast(place);
    const u32 top = tile_broadcast(f.rate_byte);
    const u32 rate = f.kind == EXCEPTIONS ? f.rate_byte & RATE_MASK : 0;
    const bool centered = f.kind == EXCEPTIONS && block == 0 && (top & CENTERED);
    u32 sum = 0;
    if (__any_sync(WARP_ALL, rate > 0 || centered))
    {
        const i32 left = f.kind == EXCEPTIONS ? static_cast<i32>(f.chain - BLOCK * block) : 0;
        const u32 count = static_cast<u32>(max(left, 0));
        sum = pack_block(sink, place, codes, count, rate, top & ORDER2, centered,
                         weight(place + shift));
    }
    sum += write_pattern(sink, f, tile_broadcast(place));
    if (__any_sync(WARP_ALL, f.kind == EXCEPTIONS && (f.masked || f.listed)))
    {
        // Block 7's share ends where the tile does.
        const u32 tile_end = tile_broadcast(place + f.words, 7);
        sum += write_exceptions(sink, f, tile_end, shift, elements, exists);
    }
    // Verbatim tiles, the whole warp on one.
    for (u32 rest = __ballot_sync(WARP_ALL, f.kind == VERBATIM && block == 0); rest;
         rest &= rest - 1)
    {
        const u32 leader = __ffs(rest) - 1;
        const u32 begin = __shfl_sync(WARP_ALL, place, leader);
        const u32 end = __shfl_sync(WARP_ALL, place + f.words, leader + 7);
        const u32 *const words = reinterpret_cast<const u32 *>(elements + BLOCK * leader);
        u32 part = 0;
#pragma unroll 4
        for (u32 k = lane; k < end - begin; k += 32)
        {
            const u32 word = words[k];
            sink.put(begin + k, word);
            part += word * weight(k + 2);
        }
        part = __reduce_add_sync(WARP_ALL, part);
        sum += lane == leader ? part : 0;
    }
    return sum;
}

} // namespace fsz
