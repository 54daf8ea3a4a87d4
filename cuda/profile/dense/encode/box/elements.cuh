// The elements of boxes, as a warp reads them, and the codes that boxes and chunks begin with.
#pragma once

#include "profile/dense/encode/box/points.cuh"
#include "profile/dense/encode/memory.cuh"
#include "profile/dense/encode/record.cuh"

namespace fsz
{

/// Reads the elements of boxes; of a quantizer.
template <class Z> struct BoxElements
{
    using T = typename Z::Value;
    static constexpr u32 WORDS = Element<T>::WORDS;

    const CompressArgs<T> &args;
    const BoxGrid &grid;
    const u32 lane;

    FSZ_DEVICE BoxElements(const CompressArgs<T> &args, const BoxGrid &grid)
        : args(args), grid(grid), lane(lane_id())
    {
    }

    FSZ_DEVICE T element(const Box &box, u32 at) const
    {
        const u32 row = quotient(at, box.n[2], log_of(box.n[2]));
        const u32 z = quotient(row, box.n[1], log_of(box.n[1]));
        const u64 from =
            (z * grid.shape[2] + (row - z * box.n[1])) * grid.shape[3] + (at - row * box.n[2]);
        return __ldg(args.field + box.first + from);
    }

    /// The elements of a box, 32 at a time: `take` gets where in the box the first is, and the
    /// lane's (the box's last one where there is none), and tells whether to go on. Some are loaded
    /// ahead.
    template <class Take> FSZ_DEVICE void each_32(const Box &box, const Take &take) const
    {
        constexpr u32 AHEAD = 8 / WORDS;
        const u32 len = same(box.len);
        const auto load = [&](u32 at) { return element(box, min(at, len - 1)); };
        T ahead[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; ++k)
        {
            ahead[k] = load(32 * k + lane);
        }
#pragma unroll 1
        for (u32 from = 0; from < len; from += 32)
        {
            const T d = ahead[0];
#pragma unroll
            for (u32 k = 1; k < AHEAD; ++k)
            {
                ahead[k - 1] = ahead[k];
            }
            ahead[AHEAD - 1] = load(from + 32 * AHEAD + lane);
            if (!take(from, d))
            {
                return;
            }
        }
    }

    /// The code of the first element of a box that has one.
    FSZ_DEVICE bool first_code(const Points<Z> &points, const Box &box, i32 &code) const
    {
        bool found = false;
        // What is known to have none: many elements that are masked have the same bits.
        typename Element<T>::Bits none = 0;
        const auto &codes = points.codes();
        each_32(box, [&](u32 from, T d) {
            if (from > 0 && __all_sync(WARP_ALL, bits_of(d) == none))
            {
                return true;
            }
            i32 own = 0;
            const bool has = from + lane < box.len && codes.code_of(d, own);
            if (const u32 votes = __ballot_sync(WARP_ALL, has))
            {
                code = __shfl_sync(WARP_ALL, own, __ffs(votes) - 1);
                found = true;
            }
            none = __shfl_sync(WARP_ALL, bits_of(d), 0);
            return !found;
        });
        return found;
    }
};

} // namespace fsz
