// Residuals back to codes (FORMAT.md, Predict, reversed): where each thread's block begins, in
// closed form, so that the eight blocks of a tile start at once. All sums wrap, as they do on the
// CPU.
#pragma once

#include "device/warp.cuh"
#include "profile/paper/decode/unpack.cuh"

namespace fsz
{

/// What a block's residuals sum up to.
struct BlockSums
{
    i32 plain;    // Σ l
    i32 weighted; // Σ (32 - i) · l: what a block of order 2 adds to the codes behind it
};

FSZ_DEVICE BlockSums block_sums(const Narrow &l)
{
    BlockSums s = {0, 0};
#pragma unroll
    for (i32 j = 0; j < 8; ++j)
    {
        const i32 x = static_cast<i32>(l.x[j]), w = (1 + j) * 0x01010101 + 0x18100800;
        s.plain = __dp4a(x, 0x01010101, s.plain);
        s.weighted = __dp4a(x, w, s.weighted);
    }
    return s;
}

FSZ_DEVICE BlockSums block_sums(const Medium &l)
{
    BlockSums s = {0, 0};
#pragma unroll
    for (i32 j = 0; j < 16; ++j)
    {
        const i32 x = static_cast<i32>(l.x[j]);
        s.plain = __dp2a_lo(x, 0x0101, s.plain);
        s.weighted = __dp2a_lo(x, (1 + j) * 0x0101 + 0x1000, s.weighted);
    }
    return s;
}

FSZ_DEVICE BlockSums block_sums(const Wide &l)
{
    u32 plain = 0, weighted = 0;
#pragma unroll
    for (i32 j = 0; j < 32; ++j)
    {
        plain += l.x[j];
        weighted += l.x[j] * (1 + j);
    }
    return {static_cast<i32>(plain), static_cast<i32>(weighted)};
}

/// The state before the first code of a block: the code and, for order 2, the difference before it.
struct Start
{
    i32 code, difference;
};

/// Eight threads side by side hold the blocks of a tile; the whole warp takes part. With D the
/// plain and Q the weighted sums, a block of order 2 that begins with the difference d adds 32·d +
/// Q to the code; summing that over the blocks before gives the code from two independent scans.
FSZ_DEVICE Start block_start(BlockSums s, bool order2, i32 mu)
{
    const u32 lane = lane_id(), block = lane & 7;
    const u32 own = static_cast<u32>(s.weighted) - 32 * (block + 1) * static_cast<u32>(s.plain);
    const u32 difference = tile_before(static_cast<u32>(s.plain), block);
    const u32 before = tile_before(own, block);
    const u32 code = order2 ? before + 32 * block * difference : difference;
    return {static_cast<i32>(static_cast<u32>(mu) + code),
            order2 ? static_cast<i32>(difference) : 0};
}

} // namespace fsz
