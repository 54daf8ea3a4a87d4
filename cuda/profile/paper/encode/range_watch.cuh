// The range of a field with a bound that is not of its range, found while its elements are
// quantized. Of f32 by bits, which order as unsigned and as signed integers do: the device compares
// two with a third at a time.
#pragma once

#include "profile/paper/encode/plain.cuh"

namespace fsz
{

/// The bits of elements. Largest and smallest as unsigned integers are the range where all have one
/// sign. BOTH: largest as unsigned and as signed are the smallest and the largest number of
/// elements of both signs; elements of one sign have nothing else to add once both have been met.
template <bool BOTH> struct BitRange
{
    static constexpr u32 SIGN = Element<float>::SIGN;

    u32 most = 0;
    u32 other = BOTH ? SIGN : ~0u;

    template <u32 LEN> FSZ_DEVICE void take(const float (&d)[LEN])
    {
#pragma unroll
        for (u32 k = 0; k < LEN; k += 2)
        {
            const u32 a = bits_of(d[k]), b = bits_of(d[k + 1]);
            most = max(max(a, b), most);
            if constexpr (BOTH)
            {
                const i32 larger = max(static_cast<i32>(a), static_cast<i32>(b));
                other = static_cast<u32>(max(larger, static_cast<i32>(other)));
            }
            else
            {
                other = min(min(a, b), other);
            }
        }
    }

    /// Whether the magnitudes of all are below those bits, and all are of one sign where they are
    /// taken so.
    FSZ_DEVICE bool holds(u32 end) const
    {
        return BOTH ? (most & ~SIGN) < end && static_cast<i32>(other) < static_cast<i32>(end)
                    : (most ^ (other & SIGN)) < end;
    }

    FSZ_DEVICE Extremes<float> extremes() const
    {
        const bool negative = most & SIGN, positive = !(other & SIGN);
        Extremes<float> range;
        if (negative || positive)
        {
            range.low = value_of(negative ? most : other);
            range.high = value_of((BOTH ? positive : negative) ? other : most);
        }
        return range;
    }
};

/// The same of elements of any signs.
struct AnyBitRange
{
    BitRange<false> unsigned_bits;
    i32 highest = static_cast<i32>(Element<float>::SIGN);

    template <u32 LEN> FSZ_DEVICE void take(const float (&d)[LEN])
    {
        unsigned_bits.take(d);
#pragma unroll
        for (u32 k = 0; k < LEN; k += 2)
        {
            const i32 a = static_cast<i32>(bits_of(d[k])), b = static_cast<i32>(bits_of(d[k + 1]));
            highest = max(max(a, b), highest);
        }
    }

    /// NaN, if there is one.
    FSZ_DEVICE Extremes<float> extremes() const
    {
        const auto [most, least] = unsigned_bits;
        return {value_of(most & Element<float>::SIGN ? most : least),
                value_of(highest < 0 ? least : static_cast<u32>(highest))};
    }
};

/// What a lane has met of the range. Parts need count only where they go the short way: of others,
/// the range is taken where they go.
template <class T> struct RangeWatch;

template <> struct RangeWatch<double>
{
    /// What takes elements of any signs in, and has their `extremes`.
    using Any = Extremes<double>;

    /// What `quantize` leaves for `takes`.
    struct Block
    {
    };

    Extremes<double> range;

    /// As `quantize_plain`; no error of a block that is not within reach keeps a bound.
    FSZ_DEVICE double quantize(const SharedRow<double> &row, const Quantizer<double> &z,
                               float (&code)[BLOCK], Block &)
    {
        Extremes<double> with_block = range;
        const double error = quantize_plain(row, z, code, with_block);
        // That is right whichever way the part will go.
        const bool within = with_block.within(reach_of(z));
        range.low = within ? with_block.low : range.low;
        range.high = within ? with_block.high : range.high;
        return within ? error : value_of(Element<double>::INFINITE);
    }

    /// Whether the warp's part goes the short way, given whether the lane's block `may`; it counts
    /// then.
    FSZ_DEVICE bool takes(bool may, const Block &, const SharedRow<double> &,
                          const Quantizer<double> &, Statistics *)
    {
        return __all_sync(WARP_ALL, may);
    }

    /// Adds it to the warp's statistics.
    FSZ_DEVICE void finish(double reach, Statistics *statistics) const
    {
        take_extremes(range, reach, statistics);
    }
};

/// Takes the warp's elements, and what its lanes have met `before`, into its statistics. Returns
/// whether the lane's elements are within reach.
__device__ __noinline__ bool take_row(const SharedRow<float> row, const Extremes<float> before,
                                      float reach, Statistics *statistics)
{
    const Extremes<float> extremes = exact_extremes(row);
    take_extremes(before, reach, statistics);
    take_extremes(extremes, reach, statistics);
    __syncwarp();
    return extremes.within(reach);
}

template <> struct RangeWatch<float>
{
    using Any = AnyBitRange;

    /// The members of a `BitRange` with the lane's block, and whether that `holds`.
    struct Block
    {
        u32 most;
        u32 other;
        bool holds;
    };

    /// The members of a `BitRange`, over the lane's blocks but for those that are in the warp's
    /// statistics.
    u32 most = 0;
    u32 other = BitRange<false>().other;
    /// Not 0 when the warp's statistics have elements of both signs; the same in all lanes.
    u32 both = 0;

    FSZ_DEVICE float quantize(const SharedRow<float> &row, const Quantizer<float> &z,
                              float (&code)[BLOCK], Block &block)
    {
        return both != 0 ? quantize_as<true>(row, z, code, block)
                         : quantize_as<false>(row, z, code, block);
    }

    FSZ_DEVICE bool takes(bool may, const Block &block, const SharedRow<float> &row,
                          const Quantizer<float> &z, Statistics *statistics)
    {
        if (__all_sync(WARP_ALL, may && block.holds))
        {
            most = block.most;
            other = block.other;
            return true;
        }
        if (!__all_sync(WARP_ALL, may))
        {
            return false;
        }
        const bool within = take_row(row, extremes(), reach_of(z), statistics);
        both = static_cast<u32>(statistics->max_key & statistics->min_key) & Element<float>::SIGN;
        most = 0;
        other = both != 0 ? BitRange<true>().other : BitRange<false>().other;
        return __all_sync(WARP_ALL, within);
    }

    FSZ_DEVICE void finish(float reach, Statistics *statistics) const
    {
        take_extremes(extremes(), reach, statistics);
    }

private:
    FSZ_DEVICE Extremes<float> extremes() const
    {
        return both != 0 ? BitRange<true>{most, other}.extremes()
                         : BitRange<false>{most, other}.extremes();
    }

    template <bool BOTH>
    FSZ_DEVICE float quantize_as(const SharedRow<float> &row, const Quantizer<float> &z,
                                 float (&code)[BLOCK], Block &block) const
    {
        BitRange<BOTH> bits{most, other};
        const float error = quantize_plain(row, z, code, bits);
        block = {bits.most, bits.other, bits.holds(bits_of(reach_or_more(z)))};
        return error;
    }
};

} // namespace fsz
