// Where the elements of boxes go: the whole field, some tiles one after another, or a box.
#pragma once

#include "decode/output.cuh"
#include "profile/dense/grid.cuh"

namespace fsz
{

/// The whole field.
template <class T> struct BoxesToField
{
    static constexpr bool WHOLE = true;
    T *out;

    FSZ_DEVICE bool wanted(const BoxGrid &, const Box &, u32) const { return true; }
    FSZ_DEVICE u64 begin(const BoxGrid &, const Box &) const { return 0; }
    FSZ_DEVICE T *place(u64, u64 element, u32) const { return out + element; }
};

/// The tiles `begin` to `end`, one after another, of which all tiles before have `before` elements.
template <class T> struct BoxesToTiles
{
    static constexpr bool WHOLE = false;
    T *out;
    u64 before;
    u32 first;
    u32 end;

    FSZ_DEVICE bool wanted(const BoxGrid &, const Box &, u32 tile) const
    {
        return tile >= first && tile < end;
    }
    FSZ_DEVICE u64 begin(const BoxGrid &grid, const Box &box) const
    {
        return elements_before(grid, box) - before;
    }
    FSZ_DEVICE T *place(u64 begin, u64, u32 position) const { return out + begin + position; }
};

/// What boxes hold of a box of the field.
template <class T> struct BoxesToBox
{
    static constexpr bool WHOLE = false;
    OutputBox<T> box;

    /// Whether the tile and the box have an element in common.
    FSZ_DEVICE bool wanted(const BoxGrid &grid, const Box &tile, u32) const
    {
        if (grid.extent[3] == DENSE_BOX)
        {
            return box.next(tile.first) < tile.first + tile.len;
        }
        const BoxShape &of = box.box;
        bool common = true;
        u32 axis = 3;
        u64 lead = tile.at[0];
        for (u32 a = of.dims; a-- > 0;)
        {
            // Axes of one element do not count; those before the last three count as one.
            if (of.shape[a] > 1)
            {
                u64 begin, n = 1;
                if (axis > 0)
                {
                    begin = tile.begin(grid, axis);
                    n = tile.n[axis - 1];
                    --axis;
                }
                else
                {
                    begin = lead % of.shape[a];
                    lead /= of.shape[a];
                }
                common &= begin < of.start[a] + of.count[a] && of.start[a] < begin + n;
            }
        }
        return common;
    }
    FSZ_DEVICE u64 begin(const BoxGrid &, const Box &) const { return 0; }
    FSZ_DEVICE T *place(u64, u64 element, u32) const { return box.place(element); }
};

} // namespace fsz
