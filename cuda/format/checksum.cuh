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

/// `sum` plus the product of a word with its multiplier: one instruction. The products of a row add
/// up to less than 2^64.
FSZ_DEVICE u64 add_product(u64 sum, u32 word, u32 multiplier)
{
    return sum + static_cast<u64>(word) * multiplier;
}

/// A sum of products modulo 2^32 + 1, of which 2^32 counts as 0.
FSZ_DEVICE u32 residue(u64 products)
{
    const u32 low = static_cast<u32>(products), high = static_cast<u32>(products >> 32);
    return low - high + (low < high ? 1 : 0);
}

/// The products of four words.
FSZ_DEVICE u64 products_of_four(const uint4 &words)
{
    u64 products = add_product(0, words.x, CHECKSUM_MULTIPLIERS[0]);
    products = add_product(products, words.y, CHECKSUM_MULTIPLIERS[1]);
    products = add_product(products, words.z, CHECKSUM_MULTIPLIERS[2]);
    return add_product(products, words.w, CHECKSUM_MULTIPLIERS[3]);
}

/// What a row of this number adds to a checksum, from the products of its words.
FSZ_DEVICE u32 row_of(u32 number, u64 products)
{
    return mix((number + 1) * CHECKSUM_KEY + residue(products));
}

/// Bytes of a row.
constexpr u32 ROW_BYTES = 4 * CHECKSUM_ROW;

/// Numbers that the rows of a tile's escapes have to themselves.
constexpr u32 ESCAPE_ROWS = TILE / 2;

/// What the heads of a chunk's tiles add to checksums, a share in each lane.
struct HeadSums
{
    u32 chunk;
    u32 metadata;
};

/// What row `row` of the `count` words at `words` adds, nothing where there is none; the first
/// one's number is `first`.
template <class Words> FSZ_DEVICE u32 hash_row(const Words &words, u32 count, u32 first, u32 row)
{
    u64 products = 0;
#pragma unroll
    for (u32 j = 0; j < CHECKSUM_ROW; ++j)
    {
        const u32 at = row * CHECKSUM_ROW + j;
        products = add_product(products, at < count ? words[at] : 0, CHECKSUM_MULTIPLIERS[j]);
    }
    const u32 sum = row_of(first + row, products);
    return row * CHECKSUM_ROW < count ? sum : 0;
}

/// A lane's share of the rows of `count` words at `words`, every LANES-th of which it takes, lane
/// `lane` the first from `lane` on; they are numbered from `first` on.
template <u32 LANES, class Words>
FSZ_DEVICE u32 hash_rows(const Words &words, u32 count, u32 first, u32 lane)
{
    u32 sum = 0;
#pragma unroll 1
    for (u32 row = lane; row * CHECKSUM_ROW < count; row += LANES)
    {
        sum += hash_row(words, count, first, row);
    }
    return sum;
}

/// Words that a kernel reads and none writes meanwhile.
struct ConstantWords
{
    const u32 *words;

    FSZ_DEVICE u32 operator[](u32 at) const { return __ldg(words + at); }
};

/// The same of rows that are numbered from 0 on, of which a lane asks for several at once: where
/// the words are far away, most of the time is that of a round of loads.
template <class Words> FSZ_DEVICE u32 hash_rounds(const Words &words, u32 count, u32 lane)
{
    constexpr u32 AT_ONCE = 4;
    u32 sum = 0;
    u32 row = lane;
#pragma unroll 1
    for (; (row + 32 * (AT_ONCE - 1) + 1) * CHECKSUM_ROW <= count; row += 32 * AT_ONCE)
    {
        u32 word[AT_ONCE][CHECKSUM_ROW];
#pragma unroll
        for (u32 k = 0; k < AT_ONCE; ++k)
        {
#pragma unroll
            for (u32 j = 0; j < CHECKSUM_ROW; ++j)
            {
                word[k][j] = words[(row + 32 * k) * CHECKSUM_ROW + j];
            }
        }
#pragma unroll
        for (u32 k = 0; k < AT_ONCE; ++k)
        {
            u64 products = 0;
#pragma unroll
            for (u32 j = 0; j < CHECKSUM_ROW; ++j)
            {
                products = add_product(products, word[k][j], CHECKSUM_MULTIPLIERS[j]);
            }
            sum += row_of(row + 32 * k, products);
        }
    }
    return sum + hash_rows<32>(words, count, 0, row);
}

} // namespace fsz
