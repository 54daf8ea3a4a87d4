// The Boolean sum of the interpolations along several axes: the nearest neighbours of a point, less
// those across each two axes, and with three those across all of them (FORMAT.md, Dense: predict).
#pragma once

#include "device/types.cuh"

namespace fsz
{

/// The prediction from the sum of the nearest neighbours and from what those across axes add.
template <u32 AXES> FSZ_DEVICE i32 blended(i32 nearest, i32 across)
{
    return (nearest * (1 << (AXES - 1)) + across + (1 << (AXES - 1))) >> AXES;
}

/// What is added for the neighbours across the axes of the point at `at`, which are so far before
/// it and behind. `values` gives the value at a place.
template <u32 AXES, class Values>
FSZ_DEVICE i32 across_axes(const Values &values, u32 at, const u32 (&before)[AXES],
                           const u32 (&behind)[AXES])
{
    const auto along = [&](u32 a, u32 from) {
        return values(from - before[a]) + values(from + behind[a]);
    };
    const auto across = [&](u32 a, u32 b, u32 from) {
        return along(b, from - before[a]) + along(b, from + behind[a]);
    };
    if constexpr (AXES == 2)
    {
        return -across(0, 1, at);
    }
    else
    {
        const i32 edges = across(0, 1, at) + across(0, 2, at) + across(1, 2, at);
        return across(1, 2, at - before[0]) + across(1, 2, at + behind[0]) - 2 * edges;
    }
}

} // namespace fsz
