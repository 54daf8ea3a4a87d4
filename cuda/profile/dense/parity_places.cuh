// Places of the elements of a box in shared memory, those of even and of odd indices apart, so that
// the lanes of a step meet different banks.
#pragma once

#include "device/types.cuh"

namespace fsz
{

/// Bytes from an index to the next but one along each axis, and from index 0 to index 1.
template <u32 FROM_Z, u32 TO_ODD_Z, u32 FROM_Y, u32 TO_ODD_Y, u32 FROM_X, u32 TO_ODD_X>
struct ParityPlaces
{
    static constexpr u32 TWO_Z = FROM_Z, TWO_Y = FROM_Y, TWO_X = FROM_X;
    static constexpr u32 ODD_Z = TO_ODD_Z, ODD_Y = TO_ODD_Y, ODD_X = TO_ODD_X;

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
    FSZ_DEVICE static constexpr u32 place(u32 z, u32 y, u32 x)
    {
        return place(0, z) + place(1, y) + place(2, x);
    }
};

} // namespace fsz
