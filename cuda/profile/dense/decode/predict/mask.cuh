// The mask of a box from its symbols: flags where its values will stand (FORMAT.md, Dense:
// escapes).
#pragma once

#include "profile/dense/decode/code/rans_decoder.cuh"
#include "profile/dense/decode/predict/program.cuh"

namespace fsz
{

/// Contexts of masks: the first element, the corners, points of coarse grids and of the finest.
constexpr u32 MASK_CORNERS = 1;
constexpr u32 MASK_COARSE = 3;
constexpr u32 MASK_FINE = 6;

/// The steps of a pass. LINE: neighbours have entries of their own.
template <u32 AXES, bool LINE>
FSZ_DEVICE void mask_steps(RansDecoder &rans, u32 box, const PassHead &head, Entries &entries,
                           Entries &beside, bool fine, u32 flag_zeros)
{
    u32 before[AXES], ahead[AXES], last[AXES];
#pragma unroll
    for (u32 k = 0; k < AXES; ++k)
    {
        before[k] = head.distance(k);
        last[k] = fine ? static_cast<u32>(static_cast<short>(head.distance(3 + k)))
                       : head.distance(3 + k);
        ahead[k] = fine ? last[k] : before[k];
    }
    const u32 context = fine ? MASK_FINE : MASK_COARSE;
    const u32 zeros = flag_zeros + 4 * context;
    const u32 none = word_at(zeros), some = word_at(zeros + 4), all = word_at(zeros + 8);
#pragma unroll 1
    for (u32 steps = head.count(); steps > 0; --steps)
    {
        const u32 now = entries.take();
        const u32 neighbours = LINE ? beside.take() : 0;
        const u32 at = box + (now & ENTRY_POSITION);
        i32 any = 0, every = 1;
        if constexpr (LINE)
        {
            const i32 left = value_at(box + (neighbours & 0xFFFF));
            const i32 right = value_at(box + (neighbours >> 16));
            any = left | right;
            every = left & right;
        }
        else
        {
#pragma unroll
            for (u32 k = 0; k < AXES; ++k)
            {
                const bool clamped = now >> (ENTRY_EDGE_SHIFT + k) & 1;
                const i32 left = value_at(at - before[k]);
                const i32 right = value_at(at + (clamped ? last[k] : ahead[k]));
                any |= left | right;
                every &= left & right;
            }
        }
        rans.settle();
        rans.prepare();
        const u32 zeros_here = every ? all : any ? some : none;
        put_value(at, rans.flag_and_ask(zeros_here, static_cast<i32>(now) >= 0), now);
    }
    rans.settle();
}

/// Reads the mask of a box. Called by a warp.
__device__ __noinline__ void read_coded_mask(RansDecoder &state, u32 box,
                                             const DecodeProgram *program, u32 flag_zeros,
                                             bool line)
{
    together();
    RansDecoder rans = state;
    const u32 lane = lane_id();
    rans.prepare();
    const u32 first = rans.flag(word_at(flag_zeros), lane == 0);
    put_value(box, first, lane == 0 ? 0 : ENTRY_IDLE);
    const u32 passes = same(__ldg(&program->passes)), coarse = same(__ldg(&program->coarse));
    const PassHeads heads(program, passes);
    Entries entries(program->entries[0] + lane);
    const u32 entry = entries.take();
    if (same(__ldg(&program->corners)) > 0)
    {
        const u32 context = MASK_CORNERS + __shfl_sync(WARP_ALL, first, 0);
        rans.prepare();
        const u32 own = rans.flag(word_at(flag_zeros + 4 * context), static_cast<i32>(entry) >= 0);
        put_value(box + (entry & ENTRY_POSITION), own, entry);
    }
    Entries neighbours(program->entries[(line ? LINE_NEIGHBOURS : 0) + 1] + lane);
    for (u32 p = 0; p < passes; ++p)
    {
        const PassHead head = heads.head(p);
        const bool fine = p >= coarse;
        __syncwarp();
        if (line)
        {
            mask_steps<1, true>(rans, box, head, entries, neighbours, fine, flag_zeros);
        }
        else if (head.axes() == 1)
        {
            mask_steps<1, false>(rans, box, head, entries, neighbours, fine, flag_zeros);
        }
        else if (head.axes() == 2)
        {
            mask_steps<2, false>(rans, box, head, entries, neighbours, fine, flag_zeros);
        }
        else
        {
            mask_steps<3, false>(rans, box, head, entries, neighbours, fine, flag_zeros);
        }
    }
    state = rans;
    __syncwarp();
}

/// The flags of a box of which all elements are masked.
FSZ_DEVICE void mask_all(u32 box)
{
    for (u32 at = 4 * lane_id(); at < BOX_BYTES; at += 4 * 32)
    {
        shared_at<u32>(box + at) = 0x00010001;
    }
    __syncwarp();
}

} // namespace fsz
