// Four tiles with escapes at once, eight threads to a tile: the codes of the chain spread over the
// places that are not escaped. Oceans, clouds and masked simulations are made of such tiles.
#pragma once

#include "profile/paper/decode_quad.cuh"

namespace fsz
{

/// The bits from bit `from` on, if any.
FSZ_DEVICE u32 bits_from(i32 from)
{
    u32 bits;
    // Shifts by more than 32 are like those by 32 here.
    asm("shl.b32 %0, %1, %2;" : "=r"(bits) : "r"(~0u), "r"(max(from, 0)));
    return bits;
}

/// The masked elements of a block, from the mask at `words`.
FSZ_DEVICE u32 block_mask(const u32 *words, u32 run_ends, u32 block, bool &sound)
{
    if (run_ends == MASK_BITMAP)
    {
        return __brev(words[block]);
    }
    const i32 first = static_cast<i32>(BLOCK * block);
    u32 mask = 0;
    i32 previous = -1;
#pragma unroll 1
    for (u32 k = 0; k < run_ends; k += 4)
    {
        const u32 four = words[k / 4];
#pragma unroll
        for (u32 j = 0; j < 4; ++j)
        {
            // Every end changes all that follows it.
            const i32 end = static_cast<i32>(four >> (8 * j) & 0xFF);
            const bool there = k + j < run_ends;
            sound = sound && (!there || end > previous);
            mask ^= there ? bits_from(end - first) : 0;
            previous = end;
        }
    }
    return mask;
}

/// The listed elements of a block.
FSZ_DEVICE u32 block_list(const u32 *positions, u32 listed, u32 block, bool &sound)
{
    u32 mine = 0, previous = 0;
    for (u32 k = 0; k < listed; ++k)
    {
        const u32 at = byte_at(positions, k);
        sound = sound && (k == 0 || at > previous);
        mine |= at / BLOCK == block ? 1u << (at & 31) : 0;
        previous = at;
    }
    return mine;
}

/// Writes a warp's blocks to `out`, eight threads and four elements of each to a block at a time:
/// `pattern` where a bit of `escaped` is set, else the next code of the tile's chain, of which
/// `coded_before` come before this thread's block. `rows` holds the chains.
template <class T>
FSZ_DEVICE void write_blocks(const u32 *rows, u32 escaped, u32 coded_before, T pattern, T unit,
                             T *out)
{
    const u32 lane = lane_id(), column = 4 * (lane & 7);
    const u32 left = (1u << column) - 1;
#pragma unroll 2
    for (u32 j = 0; j < 8; ++j)
    {
        const u32 row = 4 * j + lane / 8;
        const u32 bits = __shfl_sync(WARP_ALL, escaped, row);
        const u32 before = __shfl_sync(WARP_ALL, coded_before, row);
        const T other = __shfl_sync(WARP_ALL, pattern, row);
        const u32 *const codes = rows + j / 2 * TILE_BLOCKS * ROW;
        const u32 four = bits >> column;
        u32 k = before + column - __popc(bits & left);
        T v[4];
#pragma unroll
        for (u32 i = 0; i < 4; ++i)
        {
            v[i] = other;
            if (!(four >> i & 1))
            {
                v[i] = dequantize(static_cast<i32>(codes[k + k / BLOCK * (ROW - BLOCK)]), unit);
                ++k;
            }
        }
        store_four(out + row * BLOCK + column, v);
    }
}

/// A lane's share of the rows of a tile's escapes behind the first TILE_BLOCKS of them.
__device__ __noinline__ u32 hash_later_rows(const u32 *words, u32 count, u32 first, u32 block)
{
    return hash_rows<TILE_BLOCKS>(words, count, first, block + TILE_BLOCKS);
}

/// Full tiles, none of them verbatim, that go side by side to `out`: the stage holds their codes,
/// `words` is the staged payload of this thread's tile, number `tile` of the chunk. Returns
/// this thread's share of the rows of its escapes.
template <class T>
__device__ __noinline__ u32 output_escaped(const ChunkTask task, u32 tile, const Stage &stage,
                                           const u32 *words, T *out)
{
    constexpr u32 W = Element<T>::WORDS;
    const u32 lane = lane_id(), block = lane & 7;
    const TileIndex &index = stage.index;
    const u32 lo = index.rates[tile].x, hi = index.rates[tile].y;
    bool sound = true;
    u32 rows = 0, masked = 0, listed = 0, list_len = 0;
    const u32 *positions = words, *values = words;
    T pattern = 0;
    if (lo & RATE_ESCAPES)
    {
        const EscapeField escapes(escape_bits(lo, hi));
        const u32 coded = coded_words(lo, hi);
        const u32 n = index.at[tile + 1] - index.at[tile];
        const u32 *at = words + coded;
        // Seldom more than a row a lane.
        rows = hash_row(at, n - coded, escape_row(tile), block);
        if (n - coded > TILE_BLOCKS * CHECKSUM_ROW)
        {
            rows += hash_later_rows(at, n - coded, escape_row(tile), block);
        }
        if (escapes.kind == KIND_CONSTANT)
        {
            element_of(pattern_bits<T>(task.view, escapes.pattern, at), pattern);
            masked = ~0u;
        }
        else
        {
            if (escapes.run_ends > 0)
            {
                element_of(pattern_bits<T>(task.view, escapes.pattern, at), pattern);
                at += escapes.pattern_words(W);
                masked = block_mask(at, escapes.run_ends, block, sound);
                at += mask_words(escapes.run_ends);
            }
            list_len = escapes.listed;
            positions = at;
            values = at + position_words(list_len);
            listed = block_list(positions, list_len, block, sound);
            sound = sound && (masked & listed) == 0;
        }
    }
    const u32 escaped = masked | listed;
    const u32 before = tile_before(__popc(escaped), block);
    write_blocks(stage.rows, escaped, BLOCK * block - before, pattern, static_cast<T>(index.step),
                 out);
    // After the patterns that are in their places.
    __syncwarp();
    for (u32 m = block; m < list_len; m += 8)
    {
        T value;
        element_of(bits_at<W>(values + m * W), value);
        __stcs(out + lane / 8 * TILE + byte_at(positions, m), value);
    }
    __syncwarp();
    if (!sound)
    {
        report(task.report, task.chunk, FAULT_PLACES);
    }
    return rows;
}

} // namespace fsz
