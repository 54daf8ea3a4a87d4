// What the warps of a thread block know of a field that is encoded with a pointwise-relative bound:
// its range and the largest errors so far, of which a part seldom tells more.
#pragma once

#include "encode/relative_quantizer.cuh"
#include "profile/paper/encode/plain.cuh"

namespace fsz
{

/// In shared memory.
template <class T> struct RelativeSoFar
{
    using Bits = typename Element<T>::Bits;

    /// Bits of the largest errors of plain tiles.
    Bits absolute;
    Bits relative;
    /// `order_key` of the largest element, and the complement of that of the smallest.
    Bits max_key;
    Bits min_key;

    FSZ_DEVICE RelativeError<T> errors() const
    {
        const volatile RelativeSoFar &now = *this;
        return {value_of(now.absolute), value_of(now.relative)};
    }

    /// Takes the errors of a warp's plain tiles in. Where they are the largest so far, they meet
    /// those `everywhere`, of the other thread blocks: the sooner large ones are known, the fewer
    /// elements are looked at.
    FSZ_DEVICE void take(const RelativeError<T> &error, Statistics *everywhere)
    {
        const RelativeError<T> now = errors();
        if (__any_sync(WARP_ALL, error.absolute > now.absolute || error.relative > now.relative))
        {
            const Bits a = warp_max(bits_of(error.absolute)), r = warp_max(bits_of(error.relative));
            if (lane_id() == 0)
            {
                atomicMax(&absolute, max(a, met(&everywhere->max_error, a)));
                atomicMax(&relative, max(r, met(&everywhere->max_relative_error, r)));
            }
        }
    }

    /// Takes the elements of a warp in, which are within some extremes, of lanes that have some
    /// within `reach`. Of f32, the extremes are elements; of f64, these are looked for.
    FSZ_DEVICE void take(const Extremes<T> &within, const SharedRow<T> &row, T reach)
    {
        Keys keys(within, reach);
        if (__any_sync(WARP_ALL, is_wider(keys)))
        {
            if constexpr (sizeof(T) == 8)
            {
                keys = Keys(exact_extremes(row), reach);
            }
            const Bits most = warp_max(keys.high), least = warp_max(keys.low);
            if (lane_id() == 0)
            {
                atomicMax(&max_key, most);
                atomicMax(&min_key, least);
            }
        }
    }

    /// Adds it to the statistics of a warp.
    FSZ_DEVICE void add_to(Statistics *statistics) const
    {
        add_error(errors(), statistics);
        if (lane_id() == 0)
        {
            const volatile RelativeSoFar &now = *this;
            statistics->max_key = max(statistics->max_key, static_cast<u64>(now.max_key));
            statistics->min_key = max(statistics->min_key, static_cast<u64>(now.min_key));
        }
    }

private:
    /// As `max_key` and `min_key`: 0 of a lane without elements.
    struct Keys
    {
        Bits high;
        Bits low;

        FSZ_DEVICE Keys(const Extremes<T> &extremes, T reach)
        {
            const bool taken = extremes.within(reach) && extremes.low <= extremes.high;
            high = taken ? order_key(extremes.high) : 0;
            low = taken ? static_cast<Bits>(~order_key(extremes.low)) : 0;
        }
    };

    FSZ_DEVICE bool is_wider(const Keys &keys) const
    {
        const volatile RelativeSoFar &now = *this;
        return keys.high > now.max_key || keys.low > now.min_key;
    }

    /// Takes an error in, and gives the largest before.
    static FSZ_DEVICE Bits met(u64 *largest, Bits error)
    {
        return static_cast<Bits>(atomicMax(largest, static_cast<u64>(error)));
    }
};

} // namespace fsz
