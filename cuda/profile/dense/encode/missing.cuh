// Missing values as loops over the elements of a box ask for them.
#pragma once

#include "encode/control.cuh"

namespace fsz
{

/// Whether some bits are those of a missing value, by few instructions rather than in a short time.
template <class T>
FSZ_DEVICE bool is_missing(const Missing<T> &missing, typename Element<T>::Bits d)
{
    bool is = false;
#pragma unroll 1
    for (u32 m = 0; m < missing.count; ++m)
    {
        is = is || missing.bits[m] == d;
    }
    return is;
}

/// Missing values, of which one is named at most, as a rule: that one is in a register.
template <class T> struct MissingAtHand
{
    using Bits = typename Element<T>::Bits;

    const Missing<T> &all;
    const u32 named;
    const Bits first;

    FSZ_DEVICE explicit MissingAtHand(const Missing<T> &all)
        : all(all), named(all.count), first(all.bits[0])
    {
    }

    FSZ_DEVICE bool is(Bits d) const
    {
        return (named > 0 && d == first) || (named > 1 && is_missing(all, d));
    }
};

} // namespace fsz
