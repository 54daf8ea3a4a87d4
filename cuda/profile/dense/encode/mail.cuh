// What goes between the warps of a thread block that code boxes and those that predict them: each
// coder asks for boxes that come next, and whichever predictor is free takes the one that was asked
// for first.
#pragma once

#include "device/hopper.cuh"
#include "profile/dense/chunk.cuh"
#include "profile/dense/encode/predict/predicted_box.cuh"

namespace fsz
{

/// Boxes that are asked for at once in a thread block, at most.
constexpr u32 MAILS_MOST = 32;

/// Nanoseconds between two looks of those that wait: a box takes a hundred thousand to predict, and
/// what a coder waits for all wait for.
constexpr u32 PREDICTOR_PAUSE = 4000;
constexpr u32 CODER_PAUSE = 1000;

/// Waits for a phase, and looks again every so many nanoseconds: each look takes instructions from
/// the warps that work. Called by a warp.
template <u32 PAUSE> FSZ_DEVICE void wait_for(u64 *barrier, u32 parity)
{
    while (!__all_sync(WARP_ALL, barrier_over(barrier, parity)))
    {
        __nanosleep(PAUSE);
    }
}

/// What of a box its predictor has to know.
struct BoxPart
{
    u64 first;
    u32 n[3];
    u32 shape;

    BoxPart() = default;
    FSZ_DEVICE explicit BoxPart(const Box &box)
        : first(box.first), n{box.n[0], box.n[1], box.n[2]}, shape(box.shape)
    {
    }

    FSZ_DEVICE Box box() const
    {
        return {{}, {n[0], n[1], n[2]}, n[0] * n[1] * n[2], shape, first};
    }

    /// That of another lane.
    FSZ_DEVICE BoxPart of_lane(u32 lane) const
    {
        BoxPart other;
        other.first = __shfl_sync(WARP_ALL, first, lane);
        other.shape = __shfl_sync(WARP_ALL, shape, lane);
#pragma unroll
        for (u32 a = 0; a < 3; ++a)
        {
            other.n[a] = __shfl_sync(WARP_ALL, n[a], lane);
        }
        return other;
    }
};

/// What goes between a coder and a predictor about a box, in shared memory. A coder has a few of
/// them, which it asks by in turn. Each side writes its part, then all its lanes arrive at the
/// barrier that those of the other wait at: none of them reads any more what the other may write
/// from then on, and the other finds all that they have written, in device memory too: both are of
/// one thread block. (A fence for others would empty the first cache for each box.)
template <class Error> struct Mail
{
    u64 asked;
    u64 told;
    /// What is asked: to predict a box of a chunk that begins with the code `base`.
    BoxPart part;
    i32 base;
    /// The largest error of the boxes before.
    Error known;
    /// What is told.
    PredictedBox<Error> box;

    /// Called by one thread, before any other looks.
    FSZ_DEVICE void init()
    {
        barrier_init(&asked, 32);
        barrier_init(&told, 32);
    }
};

/// A mail that a predictor has taken: its number, and the phase of its barrier that ends when all
/// that is asked is there. MAILS_MOST when all coders have ended.
struct TakenMail
{
    u32 number;
    u32 parity;
};

/// The mails of a thread block that no predictor has taken yet, in shared memory.
struct Asked
{
    /// What a number of `since` tells beside its place in time: that there is one, and the phase of
    /// the mail's barrier.
    static constexpr u32 IS = 1, PHASE = 2, TICK = 4;

    /// Of each mail, when it was asked by; 0 for one that is not to be taken.
    u32 since[MAILS_MOST];
    u32 clock;
    /// Coders that have not ended.
    u32 coders;

    /// Called by all threads of a block's first warp, before any other looks.
    FSZ_DEVICE void init(u32 all)
    {
        static_assert(MAILS_MOST == 32, "a lane for each");
        since[lane_id()] = 0;
        clock = 0;
        coders = all;
    }

    /// Lets some predictor take a mail, whose barrier is in a phase of this parity. Called by one
    /// thread, which has arrived at it.
    FSZ_DEVICE void tell(u32 mail, u32 parity)
    {
        const u32 now = atomicAdd(&clock, TICK);
        atomicExch(&since[mail], now | (parity ? PHASE : 0) | IS);
    }

    /// Called by one thread of a coder, once it has taken all that it asked for.
    FSZ_DEVICE void end() { atomicSub(&coders, 1); }

    /// Waits for a mail, and takes the one that was asked by first. Called by a warp. Apart, since
    /// what calls it has much else to keep.
    __device__ __noinline__ TakenMail take()
    {
        together();
        const volatile Asked &now = *this;
        for (;;)
        {
            const bool over = __any_sync(WARP_ALL, now.coders == 0);
            const u32 own = now.since[lane_id()];
            // 0 comes last.
            const u32 first = __reduce_min_sync(WARP_ALL, own - 1) + 1;
            if (first == 0)
            {
                if (over)
                {
                    return {MAILS_MOST, 0};
                }
                __nanosleep(PREDICTOR_PAUSE);
                continue;
            }
            const bool taken = own == first && atomicCAS(&since[lane_id()], own, 0) == own;
            const u32 mine = __ballot_sync(WARP_ALL, taken);
            if (mine != 0)
            {
                return {static_cast<u32>(__ffs(mine) - 1), first & PHASE ? 1u : 0u};
            }
        }
    }
};

} // namespace fsz
