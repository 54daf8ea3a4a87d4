// The checksums of a stream (FORMAT.md, Checksums): sums of rows, each of them some words and a
// number of its own.
#pragma once

#include "device/types.cuh"
#include "format/format_constants.cuh"

namespace fsz
{

/// The bijection that FORMAT.md calls mix.
FSZ_DEVICE u32 mix(u32 x)
{
    x ^= x >> 16;
    x *= MIX_FIRST;
    x ^= x >> 15;
    x *= MIX_SECOND;
    return x ^ (x >> 16);
}

/// `sum` plus the fold of a word: the halves of its product with a multiplier, and their carry.
/// Three instructions.
FSZ_DEVICE u32 add_fold(u32 sum, u32 word, u32 multiplier)
{
    const u64 product = static_cast<u64>(word) * multiplier;
    asm("{\n.reg .u32 halves;\n"
        "add.cc.u32 halves, %1, %2;\n"
        "addc.u32 %0, %0, halves;\n}"
        : "+r"(sum)
        : "r"(static_cast<u32>(product)), "r"(static_cast<u32>(product >> 32)));
    return sum;
}

/// The fold of four words.
FSZ_DEVICE u32 fold_four(const uint4 &words)
{
    u32 sum = add_fold(0, words.x, CHECKSUM_MULTIPLIERS[0]);
    sum = add_fold(sum, words.y, CHECKSUM_MULTIPLIERS[1]);
    sum = add_fold(sum, words.z, CHECKSUM_MULTIPLIERS[2]);
    return add_fold(sum, words.w, CHECKSUM_MULTIPLIERS[3]);
}

/// What a row of this number adds to a checksum, from the folds of its words.
FSZ_DEVICE u32 row_of(u32 number, u32 folds) { return mix((number + 1) * CHECKSUM_KEY + folds); }

/// Bytes of a row.
constexpr u32 ROW_BYTES = 4 * CHECKSUM_ROW;

/// Numbers of a chunk's rows: its blocks come first, then its rate bytes, then the words that tiles
/// have for their escapes, room for ESCAPE_ROWS of each tile.
constexpr u32 HEAD_ROWS_AT = 512;
constexpr u32 ESCAPE_ROWS_AT = 1024;
constexpr u32 ESCAPE_ROWS = 128;
/// The multiplier of a tile's µ, in the row of its block 0.
constexpr u32 MU_WORD = 32;

/// What the heads of a chunk's tiles add to checksums, a share in each lane.
struct HeadSums
{
    u32 chunk;
    u32 metadata;
};

/// A lane's share of the rows of `count` words at `words`, every LANES-th of which it takes, lane
/// `lane` the first from `lane` on; they are numbered from `first` on.
template <u32 LANES, class Words>
FSZ_DEVICE u32 hash_rows(const Words &words, u32 count, u32 first, u32 lane)
{
    u32 sum = 0;
#pragma unroll 1
    for (u32 row = lane; row * CHECKSUM_ROW < count; row += LANES)
    {
        u32 folds = 0;
#pragma unroll
        for (u32 j = 0; j < CHECKSUM_ROW; ++j)
        {
            const u32 at = row * CHECKSUM_ROW + j;
            folds = add_fold(folds, at < count ? words[at] : 0, CHECKSUM_MULTIPLIERS[j]);
        }
        sum += row_of(first + row, folds);
    }
    return sum;
}

} // namespace fsz
