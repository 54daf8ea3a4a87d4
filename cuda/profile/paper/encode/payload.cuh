// The payload of any four tiles of a warp (FORMAT.md, Pack and Escapes).
#pragma once

#include "profile/paper/encode/any.cuh"

namespace fsz
{

/// A lane's share of its chunk's checksum.
struct Hashed
{
    /// The products of the words of its block.
    u64 block;
    /// Whole rows of words of its tile's escapes.
    u32 rows;
};

/// Writes µ and the lane's block, of which `count` codes exist, at `place` of `sink`. Returns the
/// products of their words. `differences` is what `choose_any` left.
template <class Sink>
FSZ_DEVICE u64 pack_block(const Sink &sink, u32 place, const u32 *differences, u32 count, u32 rate,
                          bool order2, bool centered)
{
    const u32 lane = lane_id();
    i32 l[BLOCK];
    read_codes(differences, lane, l);
    const i32 slope = (lane & 7) > 0 ? static_cast<i32>(differences[code_at(lane - 1, 31)]) : 0;
    u64 products = 0;
    if (centered)
    {
        sink.put(place++, static_cast<u32>(l[0]));
        products = add_product(0, static_cast<u32>(l[0]), CHECKSUM_MULTIPLIERS[MU_WORD]);
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
        return products + store_planes<31>(out, rate, planes[31], planes);
    }
    u32 sign, planes[15];
    planes15(l, sign, planes);
    keep_bits(mask, sign, planes);
    return products + store_planes<15>(out, rate, sign, planes);
}

template <class Sink> FSZ_DEVICE void put_bits(const Sink &sink, u32 at, u32 bits)
{
    sink.put(at, bits);
}

template <class Sink> FSZ_DEVICE void put_bits(const Sink &sink, u32 at, u64 bits)
{
    sink.put(at, static_cast<u32>(bits));
    sink.put(at + 1, static_cast<u32>(bits >> 32));
}

/// Writes the masks of tiles with exceptions, and the bits of their elements where they have no
/// number. All lanes of the warp take part; the tile's mask ends at `mask_end`.
template <class T, class Sink>
FSZ_DEVICE void write_mask(const Sink &sink, const TilePlan<T> &plan, u32 mask_end, u32 present)
{
    const u32 block = lane_id() & 7;
    u32 ends = mask_ends(plan.masked, present, block);
    u32 end = tile_before(__popc(ends), block);
    const bool mine = plan.kind == KIND_EXCEPTIONS && plan.run_ends > 0;
    const u32 mask = mask_end - mask_words(plan.run_ends);
    // Several lanes write bytes of a word.
    if (mine && mask + block < mask_end)
    {
        sink.put(mask + block, 0);
    }
    __syncwarp();
    if (mine)
    {
        if (block == 0 && plan.pattern == PATTERN_IN_PAYLOAD)
        {
            put_bits(sink, mask - Element<T>::WORDS, plan.special);
        }
        if (plan.run_ends == MASK_BITMAP)
        {
            sink.put(mask + block, __brev(plan.masked));
        }
        else
        {
            for (; ends; ends &= ends - 1, ++end)
            {
                sink.put_byte(mask + end / 4, end % 4, BLOCK * block + __ffs(ends) - 1);
            }
        }
    }
}

/// Writes what follows the blocks of tiles with exceptions. All lanes of the warp take part; the
/// tile's payload ends at `tile_end`.
template <class T, class Sink>
FSZ_DEVICE void write_exceptions(const Sink &sink, const TilePlan<T> &plan, u32 tile_end,
                                 const T *elements, u32 exists)
{
    constexpr u32 W = Element<T>::WORDS;
    const u32 lane = lane_id();
    const u32 block = lane & 7;
    const u32 of_block = plan.kind == KIND_EXCEPTIONS ? plan.listed : 0;
    const u32 before = tile_before(__popc(of_block), block);
    const u32 listed = tile_broadcast(before + __popc(of_block), 7);
    const u32 values = tile_end - listed * W;
    const u32 positions = values - position_words(listed);
    for (u32 k = positions + block; k < values; k += TILE_BLOCKS)
    {
        sink.put(k, 0);
    }
    // Its barrier is for these words too.
    write_mask(sink, plan, positions, low_bits(exists));
    u32 k = before;
    for (u32 rest = of_block; rest; rest &= rest - 1, ++k)
    {
        const u32 i = __ffs(rest) - 1;
        sink.put_byte(positions + k / 4, k % 4, BLOCK * block + i);
        put_bits(sink, values + k * W, bits_of(elements[BLOCK * lane + i]));
    }
}

/// Writes the element of a constant tile, which begins at `tile_begin`, where its bits have no
/// number.
template <class T, class Sink>
FSZ_DEVICE void write_pattern(const Sink &sink, const TilePlan<T> &plan, u32 tile_begin)
{
    if (plan.kind == KIND_CONSTANT && (lane_id() & 7) == 0 && plan.pattern == PATTERN_IN_PAYLOAD)
    {
        put_bits(sink, tile_begin, plan.special);
    }
}

/// Writes verbatim tiles, the whole warp on one.
template <class T, class Sink>
FSZ_DEVICE void write_verbatim(const Sink &sink, const TilePlan<T> &plan, u32 place,
                               const T *elements)
{
    const u32 lane = lane_id();
    for (u32 rest = __ballot_sync(WARP_ALL, plan.kind == KIND_VERBATIM && (lane & 7) == 0); rest;
         rest &= rest - 1)
    {
        const u32 leader = __ffs(rest) - 1;
        const u32 begin = __shfl_sync(WARP_ALL, place, leader);
        const u32 end = __shfl_sync(WARP_ALL, place + plan.words, leader + 7);
        const u32 *const words = reinterpret_cast<const u32 *>(elements + BLOCK * leader);
#pragma unroll 4
        for (u32 k = lane; k < end - begin; k += 32)
        {
            sink.put(begin + k, words[k]);
        }
    }
}

/// The lane's share of the rows of words that its tile has for its escapes, all of them written.
/// `place` is as in `pack_any`, `number` that of the part in its chunk.
template <class T, class Sink>
FSZ_DEVICE u32 hash_escapes(const Sink &sink, const TilePlan<T> &plan, u32 place, u32 number)
{
    const u32 lane = lane_id();
    // They end where block 7's words do, and begin behind its planes or where the tile does.
    const u32 planes = plan.kind == KIND_EXCEPTIONS ? block_words(plan.rate_byte & RATE_MASK) : 0;
    const u32 tile_begin = tile_broadcast(place);
    const u32 behind = tile_broadcast(place + planes, 7);
    const u32 end = tile_broadcast(place + plan.words, 7);
    const u32 begin = plan.kind == KIND_EXCEPTIONS ? behind : tile_begin;
    const u32 tile = number * QUAD_TILES + lane / TILE_BLOCKS;
    __syncwarp();
    return hash_rows<TILE_BLOCKS>(sink.from(begin), end - begin,
                                  ESCAPE_ROWS_AT + ESCAPE_ROWS * tile, lane & 7);
}

/// Writes the payload of the warp's tiles, those of part `number` of the chunk, `place` being where
/// the lane's words begin in `sink`.
template <class T, class Sink>
__device__ __noinline__ Hashed pack_any(const Sink sink, const TilePlan<T> plan, u32 place,
                                        const Part<T> part, u32 exists)
{
    const u32 lane = lane_id();
    const u32 block = lane & 7;
    const T *const elements = part.field + part.first;
    const u32 top = tile_broadcast(plan.rate_byte);
    const u32 rate = plan.kind == KIND_EXCEPTIONS ? plan.rate_byte & RATE_MASK : 0;
    const bool centered = plan.kind == KIND_EXCEPTIONS && block == 0 && (top & RATE_CENTERED);
    Hashed hashed{0, 0};
    if (__any_sync(WARP_ALL, rate > 0 || centered))
    {
        const i32 left =
            plan.kind == KIND_EXCEPTIONS ? static_cast<i32>(plan.chain - BLOCK * block) : 0;
        const u32 count = static_cast<u32>(max(left, 0));
        hashed.block =
            pack_block(sink, place, part.codes, count, rate, top & RATE_ORDER2, centered);
    }
    if (__any_sync(WARP_ALL, (top & RATE_ESCAPES) != 0))
    {
        write_pattern(sink, plan, tile_broadcast(place));
        if (__any_sync(WARP_ALL, plan.kind == KIND_EXCEPTIONS && (plan.masked || plan.listed)))
        {
            // Block 7's share ends where the tile does.
            write_exceptions(sink, plan, tile_broadcast(place + plan.words, 7), elements, exists);
        }
        write_verbatim(sink, plan, place, elements);
        hashed.rows = hash_escapes(sink, plan, place, part.number);
    }
    return hashed;
}

} // namespace fsz
