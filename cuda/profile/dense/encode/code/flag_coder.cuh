// The flags of a mask to symbols, from the last step to the first.
#pragma once

#include "profile/dense/encode/code/flag_events.cuh"
#include "profile/dense/encode/code/plain_coder.cuh"

namespace fsz
{

/// Codes the flags of `steps` steps.
FSZ_DEVICE void code_flags(RansEncoder &coder, const u32 *events, u32 steps)
{
    const u32 lane = lane_id();
    // Each lane keeps a row: the first cache is small, and each step waits for the one before.
    PackedRow kept = PACKED_IDLE;
    if (lane < FLAG_ROWS)
    {
        kept = packed_row((*coder.rows)[FIRST_FLAG + lane / FLAG_SYMBOLS][lane % FLAG_SYMBOLS]);
    }
    const u32 *from = events + lane;
    u32 word = flag_words(steps);
    u32 next = __ldcg(from + 32 * (word - 1));
#pragma unroll 1
    while (word-- > 0)
    {
        const u32 own = next;
        next = __ldcg(from + 32 * (word > 0 ? word - 1 : 0));
        PackedRow rows[FLAG_STEPS];
#pragma unroll
        for (u32 k = 0; k < FLAG_STEPS; ++k)
        {
            // The lane of a shuffle is taken modulo 32.
            rows[k] = {__shfl_sync(WARP_ALL, kept.x, own >> 8 * k),
                       __shfl_sync(WARP_ALL, kept.y, own >> 8 * k)};
        }
#pragma unroll
        for (u32 k = FLAG_STEPS; k-- > 0;)
        {
            code_packed(coder, rows[k]);
        }
    }
}

/// Counts them.
FSZ_DEVICE void code_flags(SymbolCounter &counter, const u32 *events, u32 steps)
{
    for (u32 step = 0; step < steps; ++step)
    {
        const u32 word = __ldcg(events + 32 * (step / FLAG_STEPS) + lane_id());
        const u32 number = word >> 8 * (step % FLAG_STEPS) & 0xFF;
        counter.flag(number != NO_FLAG, FIRST_FLAG + number / FLAG_SYMBOLS, number % FLAG_SYMBOLS);
    }
}

} // namespace fsz
