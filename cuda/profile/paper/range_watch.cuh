// The range of a field, found while its elements are quantized.
#pragma once

#include "profile/paper/encode_plain.cuh"

namespace fsz
{

/// What a lane has met of the range. Blocks count whose elements are all within reach. `Z` is the
/// quantizer.
template <class Z> struct RangeWatch
{
    using T = typename Z::Value;

    Extremes<T> range;

    /// Takes in what `range` has become with a block. Returns whether that is within `reach`.
    FSZ_DEVICE bool take(const Extremes<T> &with_block, T reach)
    {
        const bool within = with_block.within(reach);
        range.low = within ? with_block.low : range.low;
        range.high = within ? with_block.high : range.high;
        return within;
    }

    /// As `quantize_plain`; no error of a block that is not within `reach` keeps a bound.
    FSZ_DEVICE T quantize(const SharedRow<T> &row, const Z &z, T reach, float (&code)[BLOCK],
                          Statistics *)
    {
        Extremes<T> with_block = range;
        const T error = quantize_plain(row, z, code, with_block);
        return take(with_block, reach) ? error : value_of(Element<T>::INFINITE);
    }

    /// Adds it to the warp's statistics.
    FSZ_DEVICE void finish(T reach, Statistics *statistics) const
    {
        take_extremes(range, reach, statistics);
    }
};

/// Bits of floats order as unsigned and as signed integers do, of which the device compares two
/// with a third at a time. Largest and smallest as unsigned integers are the range where all
/// elements have one sign. Largest as unsigned and as signed are the smallest and the largest
/// number, of elements of both signs; and elements of one sign have nothing else to add once both
/// have been met.
template <bool BOTH> struct BitRange
{
    u32 most = 0;
    u32 other = BOTH ? Element<float>::SIGN : ~0u;

    FSZ_DEVICE void take(const float (&d)[4])
    {
#pragma unroll
        for (u32 k = 0; k < 4; k += 2)
        {
            const u32 a = bits_of(d[k]), b = bits_of(d[k + 1]);
            most = max(max(most, a), b);
            if (BOTH)
            {
                const i32 larger = max(static_cast<i32>(other), static_cast<i32>(a));
                other = static_cast<u32>(max(larger, static_cast<i32>(b)));
            }
            else
            {
                other = min(min(other, a), b);
            }
        }
    }

    FSZ_DEVICE bool within(u32 reach) const
    {
        return (most & ~Element<float>::SIGN) <= reach &&
               (!BOTH || static_cast<i32>(other) <= static_cast<i32>(reach));
    }

    /// Whether elements of both signs were taken for ones of one sign.
    FSZ_DEVICE bool is_mixed() const { return !BOTH && ((most ^ other) & Element<float>::SIGN); }

    FSZ_DEVICE Extremes<float> extremes() const
    {
        const bool negative = most & Element<float>::SIGN;
        const bool positive = !(other & Element<float>::SIGN);
        Extremes<float> range;
        if (negative || positive)
        {
            range.low = value_of(negative ? most : other);
            range.high = value_of((BOTH ? positive : negative) ? other : most);
        }
        return range;
    }
};

/// Takes the warp's elements, and what its lanes have met before, into its statistics. Returns
/// whether the lane's elements are within reach, but for NaN.
__device__ __noinline__ bool take_row(const SharedRow<float> row, const BitRange<false> before,
                                      float reach, Statistics *statistics)
{
    const Extremes<float> extremes = extremes_of(row);
    take_extremes(before.extremes(), reach, statistics);
    take_extremes(extremes, reach, statistics);
    __syncwarp();
    return extremes.within(reach);
}

template <> struct RangeWatch<Quantizer<float>>
{
    u32 most = 0;
    u32 other = BitRange<false>().other;
    /// Whether the warp's statistics have elements of both signs; the same in all lanes.
    bool both = false;

    FSZ_DEVICE float quantize(const SharedRow<float> &row, const Quantizer<float> &z, float reach,
                              float (&code)[BLOCK], Statistics *statistics)
    {
        if (both)
        {
            return quantize_as<true>(row, z, reach, code, statistics);
        }
        return quantize_as<false>(row, z, reach, code, statistics);
    }

    FSZ_DEVICE void finish(float reach, Statistics *statistics) const
    {
        const Extremes<float> range =
            both ? BitRange<true>{most, other}.extremes() : BitRange<false>{most, other}.extremes();
        take_extremes(range, reach, statistics);
    }

private:
    template <bool BOTH>
    FSZ_DEVICE float quantize_as(const SharedRow<float> &row, const Quantizer<float> &z,
                                 float reach, float (&code)[BLOCK], Statistics *statistics)
    {
        BitRange<BOTH> bits{most, other};
        const float error = quantize_plain(row, z, code, bits);
        bool within = bits.within(bits_of(reach));
        if (!BOTH && __any_sync(WARP_ALL, bits.is_mixed()))
        {
            within = take_row(row, {most, other}, reach, statistics);
            both = statistics->max_key & statistics->min_key & Element<float>::SIGN;
            most = 0;
            other = both ? BitRange<true>().other : BitRange<false>().other;
        }
        else
        {
            most = within ? bits.most : most;
            other = within ? bits.other : other;
        }
        // NaN stays the error of an element that is none.
        return worse(error, within ? 0.f : value_of(Element<float>::INFINITE));
    }
};

} // namespace fsz
