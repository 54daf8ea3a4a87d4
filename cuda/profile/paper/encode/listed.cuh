// Tiles on the short way that list a few elements: their codes close up, and the elements stand
// behind the blocks.
#pragma once

#include "profile/paper/encode/payload.cuh"
#include "profile/paper/encode/plain.cuh"

namespace fsz
{

/// Elements that a tile on the short way may list: each takes a step of all lanes.
constexpr u32 LISTED_SHORT = 8;
static_assert(LISTED_SHORT <= BLOCK / 4, "a chain ends in the last block of its tile");

/// Words behind the blocks of a tile that lists so many elements.
template <class T> FSZ_DEVICE u32 listed_words(u32 listed)
{
    return position_words(listed) + listed * Element<T>::WORDS;
}

/// Takes listed elements out of the tile's codes, those behind them move up. What stands behind the
/// last is of no meaning.
FSZ_DEVICE void close_up(float (&code)[BLOCK], u32 listed, u32 lane)
{
    const u32 block = lane & 7;
    // The last one of a tile first: those before it stay where they are.
    for (u32 rest = listed; __any_sync(WARP_ALL, rest != 0);)
    {
        const u32 with = tile_ballot(rest != 0, lane);
        const u32 last = 31 - __clz(with | 1);
        const u32 own = 31 - __clz(rest | 1);
        // Bit i: code i gives its place to the next.
        const u32 moves = with == 0 || block < last ? 0 : ~0u << (block == last ? own : 0);
        const float next = __shfl_down_sync(WARP_ALL, code[0], 1);
#pragma unroll
        for (u32 i = 0; i + 1 < BLOCK; ++i)
        {
            code[i] = moves & 1u << i ? code[i + 1] : code[i];
        }
        code[BLOCK - 1] = moves & 1u << (BLOCK - 1) ? next : code[BLOCK - 1];
        rest &= ~(block == last ? 1u << own : 0);
    }
}

/// Chains that end a little before their tile does.
struct ListedChain
{
    /// Listed elements of the lane's block, element i at bit i.
    u32 listed = 0;

    /// The same in all lanes.
    FSZ_DEVICE bool lists() const { return __any_sync(WARP_ALL, listed != 0); }

    /// How many elements the lane's tile lists.
    FSZ_DEVICE u32 all() const { return tile_sum(__popc(listed)); }

    /// Takes listed elements out of codes. False, and nothing done, if some tile of the warp lists
    /// too many.
    FSZ_DEVICE bool close(float (&code)[BLOCK]) const
    {
        if (__any_sync(WARP_ALL, all() > LISTED_SHORT))
        {
            return false;
        }
        close_up(code, listed, lane_id());
        return true;
    }

    /// As `WholeChain::complete`.
    FSZ_DEVICE void complete(float (&l)[BLOCK], float &) const
    {
        if (lists())
        {
            const u32 count = codes();
#pragma unroll
            for (u32 i = BLOCK - LISTED_SHORT; i < BLOCK; ++i)
            {
                l[i] = i < count ? l[i] : l[i - 1];
            }
        }
    }

    /// Residuals behind the end are none.
    FSZ_DEVICE void end(float (&l)[BLOCK]) const
    {
        const u32 count = codes();
#pragma unroll
        for (u32 i = BLOCK - LISTED_SHORT; i < BLOCK; ++i)
        {
            l[i] = i < count ? l[i] : 0.f;
        }
    }

private:
    /// Codes of the lane's block.
    FSZ_DEVICE u32 codes() const
    {
        const u32 without = all();
        return lane_id() % TILE_BLOCKS == TILE_BLOCKS - 1 ? BLOCK - without : BLOCK;
    }
};

/// Writes the elements that tiles list, and their positions, up to where each tile ends. Returns
/// the lane's share of the rows of these words; `number` is that of the part in its chunk.
template <class T, class Sink>
__device__ __noinline__ u32 write_listed(const Sink sink, const SharedRow<T> row, u32 listed,
                                         u32 tile_end, u32 number)
{
    constexpr u32 W = Element<T>::WORDS;
    static_assert((W + 1) * LISTED_SHORT <= TILE_BLOCKS * CHECKSUM_ROW, "a row a lane");
    const u32 lane = lane_id();
    const u32 block = lane & 7;
    const u32 before = tile_before(__popc(listed), block);
    const u32 all = tile_broadcast(before + __popc(listed), TILE_BLOCKS - 1);
    const u32 values = tile_end - all * W, positions = tile_end - listed_words<T>(all);
    // Several lanes write bytes of a word.
    if (positions + block < values)
    {
        sink.put(positions + block, 0);
    }
    __syncwarp();
    u32 k = before;
    for (u32 rest = listed; rest != 0; rest &= rest - 1, ++k)
    {
        const u32 i = __ffs(rest) - 1;
        sink.put_byte(positions + k / 4, k % 4, BLOCK * block + i);
        put_bits(sink, values + k * W, bits_of(row(i)));
    }
    __syncwarp();
    const u32 tile = number * QUAD_TILES + lane / TILE_BLOCKS;
    return hash_row(sink.from(positions), listed_words<T>(all), ESCAPE_ROWS_AT + ESCAPE_ROWS * tile,
                    block);
}

} // namespace fsz
