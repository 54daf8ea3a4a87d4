// Where the boxes of a field lie (FORMAT.md, Dense: boxes, and Gather).
#pragma once

#include "device/warp.cuh"
#include "format/format_constants.cuh"

namespace fsz
{

/// The boxes of a field, along four axes of which the first has one element a box, and how they are
/// coded. The same struct is `BoxGrid` in crates/fsz/src/cuda/kernels/abi.rs.
struct BoxGrid
{
    /// Elements along each axis.
    u64 shape[4];
    /// Boxes along each axis, boxes of a cell, elements of a box.
    u32 counts[4];
    u32 cell[4];
    u32 extent[4];
    u32 tiles;
    u32 chunk_tiles;
    u32 predictor;
    u32 fine;
};

/// Its size, then where each of its fields begins, for the tables that the driver compares with its
/// own.
#define FSZ_GRID_LAYOUT                                                                            \
    sizeof(fsz::BoxGrid), FSZ_AT(fsz::BoxGrid, shape), FSZ_AT(fsz::BoxGrid, counts),               \
        FSZ_AT(fsz::BoxGrid, cell), FSZ_AT(fsz::BoxGrid, extent), FSZ_AT(fsz::BoxGrid, tiles),     \
        FSZ_AT(fsz::BoxGrid, chunk_tiles), FSZ_AT(fsz::BoxGrid, predictor),                        \
        FSZ_AT(fsz::BoxGrid, fine)

/// Layouts, as the header numbers them.
constexpr u32 LAYOUT_LINE = 1;
constexpr u32 LAYOUT_PLANE = 2;
constexpr u32 LAYOUT_BRICK = 3;

FSZ_DEVICE u32 layout_of(const BoxGrid &grid)
{
    return grid.extent[1] > 1 ? LAYOUT_BRICK : grid.extent[2] > 1 ? LAYOUT_PLANE : LAYOUT_LINE;
}

/// Shapes that boxes of one field have: cut short along any of three axes or not.
constexpr u32 BOX_SHAPES = 8;

/// Elements along each axis of the boxes of a shape: bit i is set where they are cut short along
/// axis i.
FSZ_DEVICE u32 shape_extent(const BoxGrid &grid, u32 shape, u32 axis)
{
    const u32 rest = static_cast<u32>(grid.shape[axis + 1] % grid.extent[axis + 1]);
    return shape >> axis & 1 ? rest : grid.extent[axis + 1];
}

/// A box.
struct Box
{
    /// Its place among the boxes, along the four axes.
    u32 at[4];
    /// Elements along its three axes, and in all.
    u32 n[3];
    u32 len;
    u32 shape;
    /// Its first element in the field.
    u64 first;

    /// The elements along an axis of the field before the box.
    FSZ_DEVICE u64 begin(const BoxGrid &grid, u32 axis) const
    {
        return static_cast<u64>(at[axis]) * grid.extent[axis];
    }
};

/// The boxes of a slab that is a cell thick along an axis; those of the box's cell along the axes
/// before are `thick`.
FSZ_DEVICE u32 slab_tiles(const BoxGrid &grid, u32 axis, const u32 (&thick)[4])
{
    u32 slab = grid.cell[axis];
#pragma unroll
    for (u32 b = 0; b < 4; ++b)
    {
        slab *= b < axis ? thick[b] : b > axis ? grid.counts[b] : 1;
    }
    return slab;
}

/// The box that a tile is.
FSZ_DEVICE Box box_of(const BoxGrid &grid, u32 tile)
{
    Box box;
    u32 thick[4] = {1, 1, 1, 1};
#pragma unroll
    for (u32 a = 0; a < 4; ++a)
    {
        const u32 slab = slab_tiles(grid, a, thick);
        box.at[a] = tile / slab * grid.cell[a];
        tile %= slab;
        thick[a] = min(grid.cell[a], grid.counts[a] - box.at[a]);
    }
#pragma unroll
    for (u32 a = 4; a-- > 0;)
    {
        box.at[a] += tile % thick[a];
        tile /= thick[a];
    }
    box.len = 1;
    box.shape = 0;
    box.first = box.at[0];
#pragma unroll
    for (u32 a = 0; a < 3; ++a)
    {
        const u64 begin = box.begin(grid, a + 1);
        const u64 left = grid.shape[a + 1] - begin;
        const bool cut = left < grid.extent[a + 1];
        box.n[a] = cut ? static_cast<u32>(left) : grid.extent[a + 1];
        box.shape |= cut ? 1u << a : 0;
        box.len *= box.n[a];
        box.first = box.first * grid.shape[a + 1] + begin;
    }
    return box;
}

/// The tile that is the box at a place.
FSZ_DEVICE u32 tile_at(const BoxGrid &grid, const u32 (&at)[4])
{
    u32 tile = 0, within = 0;
    u32 thick[4] = {1, 1, 1, 1};
#pragma unroll
    for (u32 a = 0; a < 4; ++a)
    {
        const u32 cell = at[a] / grid.cell[a];
        tile += cell * slab_tiles(grid, a, thick);
        thick[a] = min(grid.cell[a], grid.counts[a] - cell * grid.cell[a]);
        within = within * thick[a] + at[a] % grid.cell[a];
    }
    return tile + within;
}

/// The tile that holds an element of the field.
FSZ_DEVICE u32 tile_of(const BoxGrid &grid, u64 element)
{
    u32 at[4];
#pragma unroll
    for (u32 a = 4; a-- > 0;)
    {
        at[a] = static_cast<u32>(element % grid.shape[a] / grid.extent[a]);
        element /= grid.shape[a];
    }
    return tile_at(grid, at);
}

/// The elements of all tiles before a box.
FSZ_DEVICE u64 elements_before(const BoxGrid &grid, const Box &box)
{
    u64 before = 0;
    u64 cell_begin[4], cell_len[4];
    u64 thick = 1;
#pragma unroll
    for (u32 a = 0; a < 4; ++a)
    {
        const u32 first = box.at[a] / grid.cell[a] * grid.cell[a];
        const u64 end = static_cast<u64>(first + grid.cell[a]) * grid.extent[a];
        cell_begin[a] = static_cast<u64>(first) * grid.extent[a];
        cell_len[a] = min(end, grid.shape[a]) - cell_begin[a];
        u64 slab = thick * cell_begin[a];
        for (u32 b = a + 1; b < 4; ++b)
        {
            slab *= grid.shape[b];
        }
        before += slab;
        thick *= cell_len[a];
    }
    // Within the cell: whole boxes before along each axis.
    u64 own = 1;
#pragma unroll
    for (u32 a = 0; a < 4; ++a)
    {
        u64 slab = own * (box.begin(grid, a) - cell_begin[a]);
        for (u32 b = a + 1; b < 4; ++b)
        {
            slab *= cell_len[b];
        }
        before += slab;
        own *= a == 0 ? 1 : box.n[a - 1];
    }
    return before;
}

/// Goes through the elements of a box in its order.
struct BoxCursor
{
    u32 x, y;
    u64 element;

    FSZ_DEVICE BoxCursor(const BoxGrid &grid, const Box &box, u32 position)
    {
        x = position % box.n[2];
        const u32 row = position / box.n[2];
        y = row % box.n[1];
        element = box.first + (row / box.n[1] * grid.shape[2] + y) * grid.shape[3] + x;
    }

    /// Goes on by one element.
    FSZ_DEVICE void step(const BoxGrid &grid, const Box &box)
    {
        ++element;
        if (++x == box.n[2])
        {
            x = 0;
            element += grid.shape[3] - box.n[2];
            if (++y == box.n[1])
            {
                y = 0;
                element += (grid.shape[2] - box.n[1]) * grid.shape[3];
            }
        }
    }
};

} // namespace fsz
