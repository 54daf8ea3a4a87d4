// Where the points of the finest grid lie in shared memory, layout by layout.
#pragma once

#include "profile/dense/decode/box_memory.cuh"

namespace fsz
{

/// The finest grid of a layout whose passes go along an axis: bytes between two steps, and for each
/// axis bytes to the neighbour before a point and from there to the one behind.
template <u32 OF, u32 AXIS, u32 ODD_SETS> struct FineGrid
{
    using Places = ValuePlaces<OF>;
    static constexpr u32 LAYOUT = OF;
    static constexpr u32 ALONG = AXIS;
    static constexpr u32 STRIDE = Places::two(ALONG);
    static constexpr u32 SETS = ODD_SETS;
    static constexpr bool COLUMNS = true;
    FSZ_DEVICE static constexpr u32 before(u32 axis) { return Places::odd(axis); }
    FSZ_DEVICE static constexpr u32 pitch(u32 axis) { return Places::two(axis); }
};

using PlaneGrid = FineGrid<LAYOUT_PLANE, 1, 6>;
using BrickGrid = FineGrid<LAYOUT_BRICK, 0, 7>;

/// Any layout but a line, by entries alone.
struct AnyGrid
{
    static constexpr u32 SETS = 7;
    static constexpr bool COLUMNS = false;
};

} // namespace fsz
