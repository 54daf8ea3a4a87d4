// The neighbours across the axes of a point in a column of a regular box, in shared memory
// (FORMAT.md, Dense: predict).
#pragma once

#include "profile/dense/decode/box_memory.cuh"

namespace fsz
{

/// The sum of the two neighbours along an axis of what lies OFFSET bytes behind `at`.
template <class Grid, u32 AXIS, u32 OFFSET = 0> FSZ_DEVICE i32 beside(u32 at)
{
    constexpr u32 LEFT = OFFSET - Grid::before(AXIS);
    return value_at<LEFT>(at) + value_at<LEFT + Grid::pitch(AXIS)>(at);
}

/// That of the four across y and x.
template <class Grid, u32 OFFSET = 0> FSZ_DEVICE i32 across_rows(u32 at)
{
    constexpr u32 LEFT = OFFSET - Grid::before(1);
    return beside<Grid, 2, LEFT>(at) + beside<Grid, 2, LEFT + Grid::pitch(1)>(at);
}

/// What the neighbours on one side of a point along the axis of columns add, but for the nearest;
/// PLANE are the other odd axes.
template <class Grid, u32 PLANE, u32 OFFSET> FSZ_DEVICE i32 side(u32 at)
{
    if constexpr (PLANE == 2)
    {
        return -beside<Grid, 1, OFFSET>(at);
    }
    else if constexpr (PLANE == 4)
    {
        return -beside<Grid, 2, OFFSET>(at);
    }
    else
    {
        return across_rows<Grid, OFFSET>(at) -
               2 * (beside<Grid, 1, OFFSET>(at) + beside<Grid, 2, OFFSET>(at));
    }
}

} // namespace fsz
