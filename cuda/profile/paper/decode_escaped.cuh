// Four tiles with escapes at once, eight threads to a tile: the codes of the chain spread over the
// places that are not escaped. Oceans, clouds and masked simulations are made of such tiles.
#pragma once

#include "profile/paper/decode_quad.cuh"

namespace fsz
{

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

/// What `write_escaped` asks of a block, behind the values of its row.
struct __align__(16) BlockEscapes
{
    /// Bit i: element i is masked or listed.
    u32 escaped;
    /// Codes of the tile before the block.
    u32 before;
    /// The bits of masked elements, the low word first.
    u32 pattern[2];
};

FSZ_DEVICE BlockEscapes &escapes_of(u32 *rows, u32 row)
{
    static_assert(sizeof(BlockEscapes) == 4 * (ROW - BLOCK), "the pad of a row");
    return *reinterpret_cast<BlockEscapes *>(rows + row * ROW + BLOCK);
}

/// What a lane finds of the mask of its tile, of which the bitmap or the run ends are at `words`:
/// the bit of each run end comes to the `escaped` of the block that it is in, which are 0 at first.
/// Lanes of a tile have the same, different words of it.
FSZ_DEVICE void spread_ends(const u32 *words, u32 run_ends, u32 *rows, bool &sound)
{
    const u32 lane = lane_id(), block = lane & 7;
    const u32 tile = static_cast<u32>(__cvta_generic_to_shared(&escapes_of(rows, lane - block)));
#pragma unroll 1
    for (u32 k = 4 * block; k < run_ends; k += 4 * TILE_BLOCKS)
    {
        const u32 four = words[k / 4];
        i32 previous = k > 0 ? static_cast<i32>(words[k / 4 - 1] >> 24) : -1;
#pragma unroll
        for (u32 j = 0; j < 4; ++j)
        {
            const i32 end = static_cast<i32>(four >> 8 * j & 0xFF);
            if (k + j < run_ends)
            {
                sound = sound && end > previous;
                asm volatile("red.shared.xor.b32 [%0], %1;" ::"r"(tile + end / BLOCK * (4 * ROW)),
                             "r"(1u << end % BLOCK)
                             : "memory");
            }
            previous = end;
        }
    }
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

/// Reads what tile `tile` of the chunk, that of this thread's block, has of escapes: `words` is its
/// staged payload. Leaves in the stage what `write_escaped` needs. Returns this thread's share of
/// the rows of its escapes.
template <class Values>
__device__ __noinline__ u32 read_escapes(const ChunkTask task, u32 tile, Stage<Values> &stage,
                                         const u32 *words)
{
    using T = typename Values::Value;
    constexpr u32 W = Element<T>::WORDS;
    const u32 lane = lane_id(), block = lane & 7;
    const u32 lo = stage.index.rates[tile].x, hi = stage.index.rates[tile].y;
    BlockEscapes &mine = escapes_of(stage.rows, lane);
    mine.escaped = 0;
    __syncwarp();
    u32 rows = 0, listed = 0, bitmap = 0;
    u64 pattern = 0;
    bool sound = true, constant = false, by_ends = false;
    if (lo & RATE_ESCAPES)
    {
        const EscapeField escapes(escape_bits(lo, hi));
        const u32 coded = coded_words(lo, hi);
        const u32 n = stage.index.at[tile + 1] - stage.index.at[tile];
        const u32 *const at = words + coded;
        // Seldom more than a row a lane.
        rows = hash_row(at, n - coded, escape_row(tile), block);
        if (n - coded > TILE_BLOCKS * CHECKSUM_ROW)
        {
            rows += hash_later_rows(at, n - coded, escape_row(tile), block);
        }
        constant = escapes.kind == KIND_CONSTANT;
        if (constant || escapes.run_ends > 0)
        {
            pattern = pattern_bits<T>(task.view, escapes.pattern, at);
        }
        const EscapeWords where(at, escapes, W);
        by_ends = escapes.run_ends != MASK_BITMAP;
        if (by_ends)
        {
            spread_ends(where.mask, escapes.run_ends, stage.rows, sound);
        }
        else
        {
            bitmap = __brev(where.mask[block]);
        }
        listed = block_list(where.positions, escapes.listed, block, sound);
    }
    __syncwarp();
    const u32 between = masked_between(mine.escaped);
    const u32 masked = by_ends ? between : bitmap;
    if (!sound || (masked & listed) != 0)
    {
        report(task.report, task.chunk, FAULT_PLACES);
    }
    const u32 escaped = constant ? ~0u : masked | listed;
    const u32 before = BLOCK * block - tile_before(__popc(escaped), block);
    mine = {escaped, before, {static_cast<u32>(pattern), static_cast<u32>(pattern >> 32)}};
    return rows;
}

/// The element of a code, or of what `dequantize_plain` has made of it: float rows hold elements.
template <class Values>
FSZ_DEVICE typename Values::Value element_of_row(u32 word, const Values &values)
{
    if constexpr (sizeof(typename Values::Value) == 4)
    {
        return value_of(word);
    }
    else
    {
        return values.of(static_cast<i32>(word));
    }
}

/// Writes a quad with escapes to `out`, eight threads and four elements of each to a block at a
/// time: after `read_escapes`, with the tiles' chains in the stage's rows.
template <class Values>
__device__ __noinline__ void write_escaped(const ChunkTask task, u32 tile, Stage<Values> &stage,
                                           typename Values::Value *out)
{
    using T = typename Values::Value;
    constexpr u32 W = Element<T>::WORDS;
    // Where codes lie is found by floats, whose instructions have pipes of their own: 2^23 and four
    // times the number of the code in its tile, and 2^26 and 128 times that of its row, a number of
    // which the lowest bit is 8.
    constexpr float UNIT = 8388608.f, UNIT_8 = 67108864.f, UNIT_128 = 1073741824.f;
    static_assert(4 * ROW == 128 + 16, "rows are 16 bytes longer than what they hold");
    const u32 lane = lane_id(), column = 4 * (lane & 7);
    const u32 left = (1u << column) - 1;
    const Values values = stage.values;
    const u32 rows = static_cast<u32>(__cvta_generic_to_shared(stage.rows)) -
                     (__float_as_uint(UNIT) + __float_as_uint(UNIT_8));
#pragma unroll 1
    for (u32 row = lane / 8; row < 32; row += 4)
    {
        const BlockEscapes mine = escapes_of(stage.rows, row);
        T other;
        element_of(mine.pattern[0] | static_cast<u64>(mine.pattern[1]) << 32, other);
        // Found here: the compiler would do so at every use.
        u32 codes;
        asm volatile("mov.u32 %0, %1;"
                     : "=r"(codes)
                     : "r"(rows + row / TILE_BLOCKS * (4 * TILE_BLOCKS * ROW)));
        const u32 four = mine.escaped >> column;
        const u32 first = mine.before + column - __popc(mine.escaped & left);
        float at = __uint_as_float(__float_as_uint(UNIT) + 4 * first);
        T v[4];
#pragma unroll
        for (u32 i = 0; i < 4; ++i)
        {
            v[i] = other;
            if (!(four >> i & 1))
            {
                // Rounded down to a multiple of 128 first.
                const float of_row = __fadd_rn(__fadd_rd(at, UNIT_128 - UNIT), UNIT_8 - UNIT_128);
                u32 word;
                asm volatile("ld.shared.u32 %0, [%1];"
                             : "=r"(word)
                             : "r"(codes + __float_as_uint(at) + __float_as_uint(of_row))
                             : "memory");
                v[i] = element_of_row(word, values);
                at = __fadd_rn(at, 4.f);
            }
        }
        store_four(out + row * BLOCK + column, v);
    }
    const u32 lo = stage.index.rates[tile].x, hi = stage.index.rates[tile].y;
    const EscapeField escapes(lo & RATE_ESCAPES ? escape_bits(lo, hi) : 0);
    if (__any_sync(WARP_ALL, escapes.listed > 0))
    {
        // From the stream: the stage may hold the next quad's payload by now. After the patterns
        // that are in their places.
        __syncwarp();
        const u32 *const words = payload_of(task.view, stage.index) + stage.index.at[tile];
        const EscapeWords where(words + coded_words(lo, hi), escapes, W);
        for (u32 m = lane & 7; m < escapes.listed; m += 8)
        {
            T value;
            element_of(bits_at<W>(where.values + m * W), value);
            __stcs(out + lane / 8 * TILE + byte_at(where.positions, m), value);
        }
    }
}

} // namespace fsz
