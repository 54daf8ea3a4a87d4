// What the warps of a thread block know of the range of a field that is found on the way: a part
// seldom tells more, which its codes show.
#pragma once

#include "profile/paper/encode_plain.cuh"

namespace fsz
{

/// The least and the largest code of a block, with ROUND added, by their bits: these order as the
/// codes do, of which the device compares two with a third at a time.
struct CodeRange
{
    i32 least = 0x7FFFFFFF;
    i32 most = -0x7FFFFFFF;

    FSZ_DEVICE explicit CodeRange(const float (&code)[BLOCK])
    {
#pragma unroll
        for (u32 i = 0; i < BLOCK; i += 2)
        {
            const i32 a = __float_as_int(code[i]), b = __float_as_int(code[i + 1]);
            least = min(min(least, a), b);
            most = max(max(most, a), b);
        }
    }

    /// Whether all elements are within `reach_of`, and none is NaN.
    FSZ_DEVICE bool is_near() const
    {
        constexpr i32 REACH = 4193000;
        return least >= ROUND_BITS - REACH && most <= ROUND_BITS + REACH;
    }
};

/// In shared memory, all zero at first.
struct RangeSoFar
{
    /// `order_key` of the largest element, and the complement of that of the smallest.
    u32 max_key;
    u32 min_key;
    /// The bits of the code of the largest element, and the complement of that of the smallest.
    u32 most;
    u32 least;

    /// Takes the warp's elements in, of blocks with codes `codes` and those only that are `taken`:
    /// their codes are near.
    FSZ_DEVICE void take(const SharedRow<float> &row, const CodeRange &codes, bool taken)
    {
        const volatile RangeSoFar &now = *this;
        const u32 high = static_cast<u32>(codes.most), low = ~static_cast<u32>(codes.least);
        // An element of the same code as the largest one may be larger.
        const bool tells = taken && (high >= now.most || low >= now.least);
        if (__any_sync(WARP_ALL, tells))
        {
            look(row, tells ? high : 0, tells ? low : 0);
        }
    }

    /// Adds it to the statistics of a warp.
    FSZ_DEVICE void add_to(Statistics *statistics) const
    {
        if (lane_id() == 0)
        {
            const volatile RangeSoFar &now = *this;
            statistics->max_key = max(statistics->max_key, static_cast<u64>(now.max_key));
            statistics->min_key = max(statistics->min_key, static_cast<u64>(now.min_key));
        }
    }

private:
    /// Looks at the elements of lanes that have codes here.
    __device__ __noinline__ void look(const SharedRow<float> row, u32 high_code, u32 low_code)
    {
        const Extremes<float> extremes = extremes_of(row);
        const u32 high = warp_max(high_code != 0 ? order_key(extremes.high) : 0);
        const u32 low = warp_max(high_code != 0 ? ~order_key(extremes.low) : 0);
        const u32 highest = warp_max(high_code), lowest = warp_max(low_code);
        if (lane_id() == 0)
        {
            atomicMax(&max_key, high);
            atomicMax(&min_key, low);
            atomicMax(&most, highest);
            atomicMax(&least, lowest);
        }
    }
};

} // namespace fsz
