// Where the warps of a thread block that predict wait for each other: what boxes that are not plain
// go through is longer than a multiprocessor's cache of instructions. Warps that go through it at
// once find there what one of them has fetched; by themselves they would push it out for each other
// (a third of the time of fields with land).
#pragma once

#include "device/warp.cuh"

namespace fsz
{

/// The rounds that warps are in, a box each, in shared memory. One waits for those alone that are
/// in rounds before its own; they wait for nothing until their boxes are done, so that none waits
/// for ever.
struct Meeting
{
    /// Of a warp that has no box.
    static constexpr u32 AWAY = ~0u;
    /// Nanoseconds between two looks: a box takes a hundred thousand and more.
    static constexpr u32 PAUSE = 1000;
    /// How many a box that goes a long way counts, how many it is that make warps wait, and how
    /// many there are at most: where a third of the boxes go long ways.
    static constexpr i32 LONG_WAY = 2;
    static constexpr i32 WORTH = 8;
    static constexpr i32 MOST = 16;

    u32 round[32];
    /// Boxes that went long ways lately, but for a few: warps do not wait for each other to count.
    i32 long_ways;

    /// Called by all threads of a block's first warp, before any other looks.
    FSZ_DEVICE void init()
    {
        round[lane_id()] = AWAY;
        long_ways = 0;
    }

    FSZ_DEVICE u32 of(u32 warp) const { return static_cast<const volatile u32 *>(round)[warp]; }

    FSZ_DEVICE i32 now() const { return static_cast<const volatile Meeting &>(*this).long_ways; }

    /// Whether warps are to wait for each other. Called by a warp.
    FSZ_DEVICE bool worth() const { return __any_sync(WARP_ALL, now() >= WORTH); }

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
            const i32 was = now();
            const i32 then = long_way ? min(was + LONG_WAY, MOST) : was - 1;
            if (then >= 0)
            {
                atomicExch(&long_ways, then);
            }
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
