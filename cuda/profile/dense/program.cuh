// The order of a box as a program of steps, made once for each shape that the boxes of a field have
// (FORMAT.md, Dense: order).
#pragma once

#include "profile/dense/grid.cuh"

namespace fsz
{

/// Points of one grid that are odd along the same axes.
struct Pass
{
    /// Its first step in the program, and how many it has.
    u32 first;
    u32 steps;
    /// Odd axes, 1 to 3.
    u32 axes;
    /// Whether it is of the finest grid.
    u32 fine;
    /// Elements to the neighbour along each odd axis, and to the box's last element for points
    /// whose right neighbour that is; the same where there is none.
    u32 distance[3];
    u32 last[3];
};

/// Grids below the largest box along one axis, and the sets of odd axes.
constexpr u32 LEVELS_MOST = 12;
constexpr u32 ODD_SETS = 7;
/// Passes and steps of a box at most: three axes have four grids. Groups of columns have 20 points
/// a step at least, all else has whole steps but for the last two of a pass.
constexpr u32 PASSES_MOST = 28;
constexpr u32 STEPS_MOST = 320;
static_assert(DENSE_BOX / DENSE_MIN_COLUMNS + 2 * PASSES_MOST + 1 < STEPS_MOST, "room for any box");

/// An entry of a step, one a lane: position in the box, edges, and whether the lane has no point;
/// it then stands for the point of lane 0. Edges are those of `Point` in
/// crates/fsz/src/profile/dense/order.rs.
constexpr u32 ENTRY_POSITION = 0xFFFF;
constexpr u32 ENTRY_EDGE_SHIFT = 16;
constexpr u32 ENTRY_IDLE = 0x80000000u;

struct Program
{
    u32 len;
    /// Whether residuals tell of those around them.
    u32 around;
    u32 corners;
    u32 passes;
    Pass pass[PASSES_MOST];
    /// The first step is that of the corners.
    u32 entries[STEPS_MOST][32];
};

/// The indices of an axis of n elements that are on level s, and those on higher ones.
struct AxisGrid
{
    u32 n;
    u32 s;
    bool odd;

    FSZ_DEVICE u32 count() const
    {
        if (odd)
        {
            return n >= s + 2 ? (n - 2 - s) / (2 * s) + 1 : 0;
        }
        return n > 1 ? (n - 2) / (2 * s) + 2 : 1;
    }

    FSZ_DEVICE u32 index(u32 k) const
    {
        if (odd)
        {
            return s + 2 * s * k;
        }
        return k > 0 && k + 1 == count() ? n - 1 : 2 * s * k;
    }
};

/// How a pass is cut into steps.
struct PassCut
{
    AxisGrid axis[3];
    u32 count[3];
    u32 s;
    /// In columns: the axis that they go along, indices along and those that groups take, columns
    /// and those in groups.
    bool columns;
    u32 along;
    u32 indices;
    u32 even;
    u32 all;
    u32 grouped;

    FSZ_DEVICE PassCut(const u32 (&n)[3], u32 s, u32 odd) : s(s)
    {
#pragma unroll
        for (u32 a = 0; a < 3; ++a)
        {
            axis[a] = {n[a], s, (odd >> a & 1) != 0};
            count[a] = axis[a].count();
        }
        columns = s == 1 && (n[0] > 1 || n[1] > 1);
        along = n[0] > 1 ? 0 : 1;
        indices = count[along];
        // The last element of an even extent is no two elements behind the one before.
        const bool apart =
            indices > 1 && axis[along].index(indices - 1) - axis[along].index(indices - 2) != 2;
        even = apart ? indices - 1 : indices;
        all = count[1 - along] * count[2];
        const u32 rest = all % 32;
        grouped = all - (rest < DENSE_MIN_COLUMNS ? rest : 0);
    }

    FSZ_DEVICE u32 points() const { return count[0] * count[1] * count[2]; }

    FSZ_DEVICE u32 group_steps() const { return columns ? (grouped + 31) / 32 * even : 0; }

    FSZ_DEVICE u32 flat_points() const
    {
        return columns ? (indices - even) * grouped + (all - grouped) * indices : points();
    }

    FSZ_DEVICE u32 steps() const { return group_steps() + (flat_points() + 31) / 32; }

    /// The indices of a point of a step, as they are counted along each axis.
    FSZ_DEVICE bool point(u32 step, u32 lane, u32 (&k)[3]) const
    {
        const u32 groups = group_steps();
        u32 column, index;
        if (step < groups)
        {
            column = step / even * 32 + lane;
            index = step % even;
            if (column >= grouped)
            {
                return false;
            }
        }
        else
        {
            u32 flat = (step - groups) * 32 + lane;
            if (flat >= flat_points())
            {
                return false;
            }
            if (!columns)
            {
                k[2] = flat % count[2];
                flat /= count[2];
                k[1] = flat % count[1];
                k[0] = flat / count[1];
                return true;
            }
            const u32 ends = (indices - even) * grouped;
            if (flat < ends)
            {
                column = flat;
                index = even;
            }
            else
            {
                column = grouped + (flat - ends) / indices;
                index = (flat - ends) % indices;
            }
        }
        k[along] = index;
        k[1 - along] = column / count[2];
        k[2] = column % count[2];
        return true;
    }

    /// The same; where the lane has no point, that of lane 0.
    FSZ_DEVICE bool point_or_first(u32 step, u32 lane, u32 (&k)[3]) const
    {
        const bool there = point(step, lane, k);
        if (!there)
        {
            point(step, 0, k);
        }
        return there;
    }

    FSZ_DEVICE u32 entry(const u32 (&k)[3]) const
    {
        u32 position = 0, edge = 0, odd = 0;
#pragma unroll
        for (u32 a = 0; a < 3; ++a)
        {
            const u32 n = axis[a].n;
            const u32 at = axis[a].index(k[a]);
            position = position * n + at;
            if (axis[a].odd)
            {
                edge |= s == 1
                            ? (at < 3 ? 1u : 0u) << (2 * odd) | (at + 3 >= n ? 2u : 0u) << (2 * odd)
                            : (at + s >= n ? 1u : 0u) << odd;
                ++odd;
            }
        }
        return position | edge << ENTRY_EDGE_SHIFT;
    }
};

/// The sets of odd axes, bit a for axis a, as they follow each other within a grid.
FSZ_DEVICE u32 odd_set(u32 k)
{
    // z, y, x, z y, z x, y x, z y x.
    return 0x7653421u >> (4 * k) & 7;
}

} // namespace fsz
