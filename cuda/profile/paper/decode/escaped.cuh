// Four tiles with escapes at once, eight threads to a tile: the codes of the chain spread over the
// places that are not escaped. Oceans, clouds and masked simulations are made of such tiles.
#pragma once

#include "profile/paper/decode/quad.cuh"

namespace fsz
{

/// Flips the bit of a place of a tile in a word of the block that it is in, if it is `there`: those
/// of blocks are sizeof(BlockEscapes) apart, that of block 0 is at `first` in shared memory.
/// Several lanes may flip bits of one word.
FSZ_DEVICE void flip(u32 first, u32 place, bool there)
{
    // Nothing is flipped in the lane's own word: to leave it alone would take a branch.
    const u32 block = there ? place / BLOCK : lane_id() % TILE_BLOCKS;
    asm volatile("red.shared.xor.b32 [%0], %1;" ::"r"(
                     first + block * static_cast<u32>(sizeof(BlockEscapes))),
                 "r"(there ? 1u << place % BLOCK : 0)
                 : "memory");
}

/// Goes over the places of a tile that are listed, or where runs end, bytes from `words` on: flips
/// their bits from `first` on, and calls `of` with the number and the place of each. Lanes of a
/// tile have the same, different places of it. `sound` turns false when they do not rise.
///
/// All lanes of the warp go together, those without a place too, whose bytes are anything: lanes
/// that are apart wait for each other at the next barrier much longer.
template <class Of>
FSZ_DEVICE void flip_places(u32 first, const u32 *words, u32 count, bool &sound, const Of &of)
{
    const u8 *const places = reinterpret_cast<const u8 *>(words);
    u32 j = lane_id() % TILE_BLOCKS;
#pragma unroll 1
    do
    {
        const u32 place = places[j], before = places[j - min(j, 1u)];
        const bool there = j < count;
        sound = sound & (!there | (j == 0) | (place > before));
        flip(first, place, there);
        of(j, place, there);
        j += TILE_BLOCKS;
    } while (__any_sync(WARP_ALL, j < count));
}

/// The masked elements of a block, from the bits of its run ends: each changes all that follows it.
FSZ_DEVICE u32 masked_between(u32 ends)
{
    u32 mask = ends;
#pragma unroll
    for (u32 step = 1; step < BLOCK; step *= 2)
    {
        mask ^= mask << step;
    }
    const u32 lane = lane_id();
    const u32 before =
        __ballot_sync(WARP_ALL, mask >> 31) & ((1u << lane) - 1) & 0xFFu << (lane & 24);
    return __popc(before) & 1 ? ~mask : mask;
}

/// Where a tile has what follows its blocks.
struct EscapeWords
{
    const u32 *mask, *positions, *values;

    /// `at` are the words behind the blocks, W to an element.
    FSZ_DEVICE EscapeWords(const u32 *at, const EscapeField &escapes, u32 W)
    {
        mask = at + (escapes.run_ends > 0 ? escapes.pattern_words(W) : 0);
        positions = mask + mask_words(escapes.run_ends);
        values = positions + position_words(escapes.listed);
    }
};

/// A lane's share of the rows of a tile's escapes behind the first TILE_BLOCKS of them.
__device__ __noinline__ u32 hash_later_rows(const u32 *words, u32 count, u32 first, u32 block)
{
    return hash_rows<TILE_BLOCKS>(words, count, first, block + TILE_BLOCKS);
}

/// Reads what tile `tile` of the chunk, that of this thread's block, has of escapes, from the
/// staged payload; `of_quad` is the `block` of its `Quad`. Leaves in the stage what `write_escaped`
/// needs. Returns this thread's share of the rows of its escapes.
///
/// Tiles without escapes go the same way, as such with none: what is branched on is the same for
/// all lanes.
template <class Values>
__device__ __noinline__ u32 read_escapes(const ChunkTask task, u32 tile, Stage<Values> &stage,
                                         u32 of_quad)
{
    using T = typename Values::Value;
    constexpr u32 W = Element<T>::WORDS;
    together();
    const u32 lane = lane_id(), block = lane % TILE_BLOCKS;
    const u32 lo = stage.index.rates[tile].x, hi = stage.index.rates[tile].y;
    Quad quad;
    quad.block = of_quad;
    // Behind the last block.
    const u32 begin = tile_broadcast(quad.block_at() + quad.words(), TILE_BLOCKS - 1);
    BlockEscapes *const blocks = stage.escapes + (lane - block);
    BlockEscapes &mine = stage.escapes[lane];
    // First the bits of run ends, and of what is listed.
    mine = {0, 0, {0, 0}};
    stage.listed[lane].at = NOT_LISTED;
    const EscapeField escapes(escape_bits(lo, hi) & (lo & RATE_ESCAPES ? ~0u : 0));
    const u32 n = stage.index.at[tile + 1] - stage.index.at[tile] + quad.tile_at() - begin;
    const u32 *const at = stage.payload + begin;
    // Seldom more than a row a lane.
    u32 rows = hash_row(at, n, escape_row(tile), block);
    if (__any_sync(WARP_ALL, n > TILE_BLOCKS * CHECKSUM_ROW))
    {
        rows += hash_later_rows(at, n, escape_row(tile), block);
    }
    const u64 pattern = pattern_bits<T>(stage.index.missing, escapes.pattern, at);
    const EscapeWords where(at, escapes, W);
    const bool by_ends = escapes.run_ends != MASK_BITMAP;
    bool sound = true;
    __syncwarp();
    flip_places(shared_address(&blocks->coded), where.mask, by_ends ? escapes.run_ends : 0, sound,
                [](u32, u32, bool) {});
    if (__any_sync(WARP_ALL, escapes.listed > 0))
    {
        flip_places(shared_address(&blocks->first), where.positions, escapes.listed, sound,
                    [&](u32 k, u32 place, bool there) {
                        if (there && k < TILE_BLOCKS)
                        {
                            element_of(bits_at<W>(where.values + k * W), stage.listed[lane].value);
                            stage.listed[lane].at = place;
                        }
                    });
    }
    __syncwarp();
    u32 masked = masked_between(mine.coded);
    const u32 listed = mine.first;
    if (__any_sync(WARP_ALL, !by_ends))
    {
        masked = by_ends ? masked : __brev(where.mask[block]);
    }
    if (__any_sync(WARP_ALL, !sound || (masked & listed) != 0))
    {
        report(task.report, task.chunk, FAULT_PLACES);
    }
    const u32 escaped = escapes.kind == KIND_CONSTANT ? ~0u : masked | listed;
    const u32 first = BLOCK * lane - tile_before(__popc(escaped), block);
    mine = {~escaped, first, {static_cast<u32>(pattern), static_cast<u32>(pattern >> 32)}};
    return rows;
}

/// Writes the listed elements of tile `tile`, that of this thread's block, that the stage has no
/// room for, to `out`.
template <class Values>
__device__ __noinline__ void write_listed(const ChunkTask task, u32 tile,
                                          const Stage<Values> &stage, typename Values::Value *out)
{
    using T = typename Values::Value;
    constexpr u32 W = Element<T>::WORDS;
    const u32 lo = stage.index.rates[tile].x, hi = stage.index.rates[tile].y;
    const EscapeField escapes(lo & RATE_ESCAPES ? escape_bits(lo, hi) : 0);
    // From the stream: the stage may hold the next quad's payload by now.
    const u32 *const words = payload_of(task.view, stage.index) + stage.index.at[tile];
    const EscapeWords where(words + coded_words(lo, hi), escapes, W);
    for (u32 m = lane_id() % TILE_BLOCKS + TILE_BLOCKS; m < escapes.listed; m += TILE_BLOCKS)
    {
        T value;
        element_of(bits_at<W>(where.values + m * W), value);
        __stcs(out + byte_at(where.positions, m), value);
    }
}

/// Writes a quad with escapes, `tile` that of this thread's block, to `out`, eight threads and four
/// elements of each to a block at a time: after `read_escapes`, with the tiles' chains in the
/// stage's rows.
template <class Values>
__device__ __noinline__ void write_escaped(const ChunkTask task, u32 tile, Rows held,
                                           Stage<Values> &stage, typename Values::Value *out)
{
    using T = typename Values::Value;
    const u32 lane = lane_id(), column = 4 * (lane % 8);
    const u32 left = (1u << column) - 1;
    const Values values = stage.values;
    // Four codes from anywhere in a row on lie side by side: behind it are the first of the next.
    if (lane > 0)
    {
        uint4 *const row = reinterpret_cast<uint4 *>(stage.rows + lane * ROW);
        row[-1] = row[0];
    }
    __syncwarp();
    const u32 rows = shared_address(stage.rows);
    T *to = out + lane * 4;
#pragma unroll(ALWAYS_ELEMENTS<Values> ? 2 : 1)
    for (u32 row = lane / 8; row < 32; row += 4, to += 4 * BLOCK)
    {
        const BlockEscapes mine = stage.escapes[row];
        const u32 first = mine.first + __popc(mine.coded & left), four = mine.coded >> column;
        u32 at = rows + 4 * first + first / BLOCK * (4 * (ROW - BLOCK));
        u32 code[4];
        T v[4];
#pragma unroll
        for (u32 i = 0; i < 4; ++i)
        {
            code[i] = mine.pattern[0];
            if (four >> i & 1)
            {
                asm volatile("ld.shared.u32 %0, [%1];" : "=r"(code[i]) : "r"(at) : "memory");
                asm volatile("add.u32 %0, %0, 4;" : "+r"(at));
            }
        }
        if (!elements_of_row(code, held, values, v))
        {
            T other;
            element_of(mine.pattern[0] | static_cast<u64>(mine.pattern[1]) << 32, other);
#pragma unroll
            for (u32 i = 0; i < 4; ++i)
            {
                v[i] = four >> i & 1 ? v[i] : other;
            }
        }
        store_four(to, v);
    }
    const Listed<T> mine = stage.listed[lane];
    const bool listed = mine.at != NOT_LISTED;
    if (__any_sync(WARP_ALL, listed))
    {
        // After the patterns that are in their places.
        __syncwarp();
        T *const to = out + lane / TILE_BLOCKS * TILE;
        if (listed)
        {
            __stcs(to + mine.at, mine.value);
        }
        // The last of those that there is room for is there.
        if (__any_sync(WARP_ALL, listed && lane % TILE_BLOCKS == TILE_BLOCKS - 1))
        {
            write_listed(task, tile, stage, to);
        }
    }
}

} // namespace fsz
