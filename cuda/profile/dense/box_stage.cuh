// Where an encoder keeps the elements of a box in shared memory: those of even and of odd indices
// apart, so that the lanes of a step of the finest grid meet different banks.
#pragma once

#include "profile/dense/grid.cuh"

namespace fsz
{

/// Bytes between the words of elements: of a layout, whatever the extents of the box.
template <u32 LAYOUT> struct StagePlaces
{
    static constexpr bool LINE = LAYOUT == LAYOUT_LINE;
    static constexpr bool BRICK = LAYOUT == LAYOUT_BRICK;
    /// From an index to the next but one, along z, y and x.
    static constexpr u32 TWO_Z = 4 * (BRICK ? 512 : 0);
    static constexpr u32 TWO_Y = 4 * (BRICK ? 8 : LINE ? 0 : 32);
    static constexpr u32 TWO_X = 4;
    /// From index 0 to index 1.
    static constexpr u32 ODD_Z = TWO_Z / 2;
    static constexpr u32 ODD_Y = 4 * (BRICK ? 128 : LINE ? 0 : 2048);
    static constexpr u32 ODD_X = 4 * (BRICK ? 64 : LINE ? 2048 : 1024);

    /// By axis: z, y, x.
    FSZ_DEVICE static constexpr u32 two(u32 axis)
    {
        return axis == 0 ? TWO_Z : axis == 1 ? TWO_Y : TWO_X;
    }
    FSZ_DEVICE static constexpr u32 odd(u32 axis)
    {
        return axis == 0 ? ODD_Z : axis == 1 ? ODD_Y : ODD_X;
    }
    /// The place of an index along an axis.
    FSZ_DEVICE static constexpr u32 place(u32 axis, u32 index)
    {
        return (index >> 1) * two(axis) + (index & 1) * odd(axis);
    }

    /// The axis that the columns of a box go along; none of a line.
    static constexpr u32 ALONG = BRICK ? 0 : LINE ? 3 : 1;
    /// From a step of a group of columns, or of the finest grid of a line, to the next.
    static constexpr u32 NEXT = BRICK ? TWO_Z : LINE ? 32 * TWO_X : TWO_Y;
};

} // namespace fsz
