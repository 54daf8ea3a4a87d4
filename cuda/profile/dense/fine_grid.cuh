// Where the points of the finest grid lie in shared memory, layout by layout.
#pragma once

#include "profile/dense/box_memory.cuh"

namespace fsz
{

/// The finest grid of a layout: the axis that passes go along, bytes between two steps, and for
/// each axis bytes to the neighbour before a point and from there to the one behind.
struct PlaneGrid
{
    static constexpr u32 LAYOUT = LAYOUT_PLANE;
    static constexpr u32 ALONG = 1;
    static constexpr u32 STRIDE = 2 * PLANE_ROW;
    static constexpr u32 SETS = 6;
    static constexpr bool COLUMNS = true;
    FSZ_DEVICE static constexpr u32 before(u32 axis) { return axis == 1 ? PLANE_ROW : 2; }
    FSZ_DEVICE static constexpr u32 pitch(u32 axis) { return 2 * before(axis); }
};

struct BrickGrid
{
    static constexpr u32 LAYOUT = LAYOUT_BRICK;
    static constexpr u32 ALONG = 0;
    static constexpr u32 STRIDE = 2 * BRICK_PLANE;
    static constexpr u32 SETS = 7;
    static constexpr bool COLUMNS = true;
    FSZ_DEVICE static constexpr u32 before(u32 axis)
    {
        return axis == 0 ? BRICK_PLANE : axis == 1 ? 8 * BRICK_ROW : 2;
    }
    FSZ_DEVICE static constexpr u32 pitch(u32 axis)
    {
        return axis == 0 ? 2 * BRICK_PLANE : axis == 1 ? BRICK_ROW : 4;
    }
};

/// Any layout but a line, by entries alone.
struct AnyGrid
{
    static constexpr u32 SETS = 7;
    static constexpr bool COLUMNS = false;
};

} // namespace fsz
