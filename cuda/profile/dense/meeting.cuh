// Where the warps of a thread block that predict boxes, or decode them, wait for each other: what
// boxes that are not plain go through is longer than a multiprocessor's cache of instructions.
// Warps that go through it at once find there what one of them has fetched; by themselves they
// would push it out for each other (a third of the time in which fields with land are compressed,
// two thirds of that in which they are decompressed).
#pragma once

#include "profile/dense/shared_count.cuh"

namespace fsz
{

/// The rounds that warps are in, a box each, in shared memory. A warp waits for those alone that
/// are in earlier rounds, and those in the earliest for none, so that none waits for ever.
struct Meeting
{
    /// Of a warp that has no box.
    static constexpr u32 AWAY = ~0u;
    /// Nanoseconds between two looks: a box takes a hundred thousand and more.
    static constexpr u32 PAUSE = 1000;
    /// How many a box that goes a long way counts, how many it is that make warps wait, and how
    /// many there are at most: where a ninth of the boxes go long ways.
    static constexpr i32 LONG_WAY = 8;
    static constexpr i32 WORTH = 8;
    static constexpr i32 MOST = 16;

    u32 round[32];
    /// Boxes that went long ways lately.
    SharedCount long_ways;

    /// Called by all threads of a block's first warp, before any other looks.
    FSZ_DEVICE void init()
    {
        round[lane_id()] = AWAY;
        long_ways = {};
    }

    FSZ_DEVICE u32 of(u32 warp) const { return static_cast<const volatile u32 *>(round)[warp]; }

    /// Whether warps are to wait for each other. Called by a warp.
    FSZ_DEVICE bool worth() const { return long_ways.reaches(WORTH); }

    /// Begins a box in the round `own` at least; gives the round. Called by a warp.
    FSZ_DEVICE u32 join(u32 own)
    {
        const u32 other = of(lane_id());
        const u32 in = max(own, __reduce_max_sync(WARP_ALL, other == AWAY ? 0 : other));
        tell(in);
        return in;
    }

    /// Waits until no other is in a round before `own`. Called by a warp.
    FSZ_DEVICE void wait(u32 own) const
    {
        while (!__all_sync(WARP_ALL, of(lane_id()) >= own))
        {
            __nanosleep(PAUSE);
        }
    }

    /// Ends a box, which may have gone a long way. Called by a warp.
    FSZ_DEVICE void leave(bool long_way)
    {
        tell(AWAY);
        if (lane_id() == 0)
        {
            const i32 was = long_ways.now();
            long_ways.set(long_way ? min(was + LONG_WAY, MOST) : max(was - 1, 0));
        }
        __syncwarp();
    }

private:
    FSZ_DEVICE void tell(u32 in)
    {
        __syncwarp();
        if (lane_id() == 0)
        {
            atomicExch(&round[threadIdx.x / 32], in);
        }
        __syncwarp();
    }
};

} // namespace fsz
