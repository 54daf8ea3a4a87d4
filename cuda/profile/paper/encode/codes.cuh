// The codes of a tile that has them: its chain, and the cheapest variant for it (FORMAT.md, Predict
// and Choose), in integers.
#pragma once

#include "device/shared.cuh"
#include "encode/block_io.cuh"
#include "profile/paper/encode/pack.cuh"

namespace fsz
{

/// Where code `column` of block `row` is in the warp's 1024 words of codes: the 16-byte pieces of a
/// row are swapped so that lanes that read their own rows do not meet in a bank.
FSZ_DEVICE u32 code_at(u32 row, u32 column)
{
    return row * BLOCK + (((column / 4) ^ (row & 7)) * 4 | column % 4);
}

/// The lane's row of codes.
FSZ_DEVICE void read_codes(const u32 *codes, u32 lane, i32 (&q)[BLOCK])
{
#pragma unroll
    for (u32 i = 0; i < BLOCK; i += 4)
    {
        const int4 piece = *reinterpret_cast<const int4 *>(codes + code_at(lane, i));
        q[i] = piece.x;
        q[i + 1] = piece.y;
        q[i + 2] = piece.z;
        q[i + 3] = piece.w;
    }
}

/// Codes of a block in its tile's chain.
FSZ_DEVICE u32 codes_of_block(u32 length, u32 block)
{
    const i32 left = static_cast<i32>(length - BLOCK * block);
    return static_cast<u32>(min(max(left, 0), static_cast<i32>(BLOCK)));
}

/// What stands before a block in its chain.
struct Before
{
    /// The code before, and its first difference.
    i32 code;
    i32 slope;
    /// Codes of the block.
    u32 count;
};

FSZ_DEVICE Before read_before(const u32 *codes, u32 length, u32 lane)
{
    const u32 block = lane & 7;
    Before before{0, 0, 0};
    before.count = codes_of_block(length, block);
    if (block > 0)
    {
        before.code = static_cast<i32>(codes[code_at(lane - 1, 31)]);
        before.slope = before.code - static_cast<i32>(codes[code_at(lane - 1, 30)]);
    }
    return before;
}

/// Writes the codes of each tile together, in their order; those of the lane's block come after
/// `before` others. `codes` is at a multiple of 4096 in shared memory.
FSZ_DEVICE void write_chains(u32 *codes, const i32 (&q)[BLOCK], u32 coded, u32 before, u32 lane)
{
    u32 at = shared_address(codes) + 4 * ((lane & 24) * BLOCK + before);
#pragma unroll
    for (u32 i = 0; i < BLOCK; ++i)
    {
        if (coded & 1u << i)
        {
            // Where code_at has the code: bits 7 to 9 of the address are its row in the tile.
            asm volatile("st.shared.u32 [%0], %1;" ::"r"(at ^ (at >> 3 & 0x70)), "r"(q[i])
                         : "memory");
            at += 4;
        }
    }
}

/// The words of a tile's cheapest variant.
struct Choice
{
    u32 rate;
    u32 words;
    bool order2;
    bool centered;
};

/// What each variant costs, and the cheapest one. Leaves first differences (the first code itself
/// in block 0) in place of the codes.
FSZ_DEVICE Choice choose_any(u32 *codes, u32 length, u32 lane)
{
    const u32 block = lane & 7;
    const Before before = read_before(codes, length, lane);
    const i32 q0 = static_cast<i32>(codes[code_at(lane, 0)]);
    const i32 q1 = static_cast<i32>(codes[code_at(lane, 1)]);
    const bool pair = before.count > 1;
    __syncwarp();
    // Block 0 continues the line through its first two codes to the left: what its first two
    // residuals add comes below.
    i32 last = block > 0 ? before.code : pair ? 2 * q0 - q1 : q0;
    i32 slope = block > 0 ? before.slope : q0 - last;
    u32 first = 0, second = 0;
    u32 i = 0;
#pragma unroll 1
    for (; i + 4 <= before.count; i += 4)
    {
        int4 *const at = reinterpret_cast<int4 *>(codes + code_at(lane, i));
        const int4 q = *at;
        const int4 d = make_int4(q.x - last, q.y - q.x, q.z - q.y, q.w - q.z);
        *at = d;
        first |= abs(d.x) | abs(d.y) | abs(d.z) | abs(d.w);
        second |= abs(d.x - slope) | abs(d.y - d.x) | abs(d.z - d.y) | abs(d.w - d.z);
        last = q.w;
        slope = d.w;
    }
#pragma unroll 1
    for (; i < before.count; ++i)
    {
        u32 *const at = codes + code_at(lane, i);
        const i32 q = static_cast<i32>(*at);
        const i32 d = q - last;
        *at = static_cast<u32>(d);
        first |= abs(d);
        second |= abs(d - slope);
        last = q;
        slope = d;
    }
    u32 rate1 = rate_of_bits(first), rate2 = rate_of_bits(second);
    const u32 rate1c = rate1;
    u32 rate2c = rate2;
    if (block == 0 && before.count > 0)
    {
        codes[code_at(lane, 0)] = static_cast<u32>(q0);
        rate1 = rate_of_bits(first | abs(q0));
        rate2 = rate_of_bits(second | abs(q0) | (pair ? abs(q1 - 2 * q0) : 0));
        rate2c = rate_of_bits(second | (pair ? abs(q1 - q0) : 0));
    }
    __syncwarp();
    const u32 plain = tile_sum(block_words(rate1) | block_words(rate2) << 16);
    const u32 centered = tile_sum(block_words(rate1c) | block_words(rate2c) << 16) + 0x00010001u;
    const u32 best = min(min((plain & 0xFFFF) * 4, (plain >> 16) * 4 + 1),
                         min((centered & 0xFFFF) * 4 + 2, (centered >> 16) * 4 + 3));
    Choice choice;
    choice.order2 = best & 1;
    choice.centered = best & 2;
    choice.words = best / 4;
    choice.rate =
        choice.centered ? (choice.order2 ? rate2c : rate1c) : (choice.order2 ? rate2 : rate1);
    return choice;
}

} // namespace fsz
