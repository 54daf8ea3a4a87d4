// The columns of a regular box: lanes beside each other, step by step along an axis.
#pragma once

#include "profile/dense/blend_columns.cuh"
#include "profile/dense/box_decoder.cuh"
#include "profile/dense/decode_taps.cuh"
#include "profile/dense/fine_grid.cuh"

namespace fsz
{

/// Columns of a pass of the finest grid, from their first points on.
template <class Grid, u32 SET, Taps TAPS, bool MASKED, bool CODED>
FSZ_DEVICE void walk_columns(BoxDecoder &own, u32 entry, u32 steps, const TapWeights &weights)
{
    constexpr u32 AXES = (SET & 1) + (SET >> 1 & 1) + (SET >> 2);
    constexpr bool OUTER = BY_OUTER<AXES, TAPS>;
    constexpr bool ALONG = SET >> Grid::ALONG & 1;
    constexpr u32 PLANE = SET & ~(1u << Grid::ALONG);
    constexpr u32 BEFORE = Grid::before(Grid::ALONG), PITCH = Grid::pitch(Grid::ALONG);
    u32 at = own.box + (entry & ENTRY_POSITION);
    u32 left[3] = {}, right[3] = {};
    i32 bend[3] = {};
    bool edge[3] = {};
    {
        u32 odd = 0;
#pragma unroll
        for (u32 a = 0; a < 3; ++a)
        {
            if (SET >> a & 1)
            {
                if (OUTER && a != Grid::ALONG)
                {
                    const Outer outer(entry >> (ENTRY_EDGE_SHIFT + 2 * odd), Grid::before(a),
                                      Grid::pitch(a));
                    left[a] = at + outer.left;
                    right[a] = at + outer.right;
                    bend[a] = outer.bend;
                    edge[a] = outer.edge;
                }
                ++odd;
            }
        }
    }
    // Neighbours along the columns stay in registers from step to step.
    i32 A = 0, C = 0, E = 0;
    if constexpr (ALONG)
    {
        A = value_at<0 - BEFORE>(at);
        C = value_at<PITCH - BEFORE>(at);
        E = OUTER ? value_at<2 * PITCH - BEFORE>(at) + 3 * (A - C) : 0;
    }
    // So do those across the columns and another axis.
    i32 side_before = 0;
    if constexpr (ALONG && BY_BLENDED<AXES, TAPS>)
    {
        const bool blends = TAPS == Taps::Blended || weights.blended;
        side_before = blends ? side<Grid, PLANE, 0 - BEFORE>(at) : 0;
    }
    const auto step = [&](i32 G, bool ends) {
        const float around = CODED ? own.size_around() : 0;
        i32 sum = 0, nearest = 0;
        float spread = 0;
        if constexpr (ALONG)
        {
            nearest = A + C;
            sum = OUTER ? outer_sum<TAPS>(nearest, E + G, ends, weights) : nearest;
            spread = size_of(A - C);
        }
#pragma unroll
        for (u32 a = 0; a < 3; ++a)
        {
            if ((SET >> a & 1) && a != Grid::ALONG)
            {
                const i32 before =
                    a == 1 ? value_at<0 - Grid::before(1)>(at) : value_at<0 - Grid::before(2)>(at);
                const i32 behind = a == 1 ? value_at<Grid::pitch(1) - Grid::before(1)>(at)
                                          : value_at<Grid::pitch(2) - Grid::before(2)>(at);
                const i32 difference = before - behind;
                nearest += before + behind;
                if constexpr (OUTER)
                {
                    const i32 far = value_at(left[a]) + value_at(right[a]) + bend[a] * difference;
                    sum += outer_sum<TAPS>(before + behind, far, edge[a], weights);
                    left[a] += Grid::STRIDE;
                    right[a] += Grid::STRIDE;
                }
                else
                {
                    sum += before + behind;
                }
                spread = fmaxf(spread, size_of(difference));
            }
        }
        const auto across = [&] {
            i32 all = 0;
            if constexpr (PLANE == 6)
            {
                all -= across_rows<Grid>(at) * (1 << (AXES - 2));
            }
            if constexpr (ALONG)
            {
                const i32 side_behind = side<Grid, PLANE, PITCH - BEFORE>(at);
                all += side_before + side_behind;
                side_before = side_behind;
            }
            return all;
        };
        const i32 prediction =
            prediction_of<AXES, TAPS, OUTER>(sum, nearest, weights, across, spread);
        own.template step<true, MASKED>(at, entry, prediction, spread, around, CODED);
        at += Grid::STRIDE;
    };
    if constexpr (ALONG)
    {
        bool ends = true;
#pragma unroll 1
        for (u32 left_over = steps - 1; left_over > 0; --left_over)
        {
            const i32 G = value_at<2 * PITCH - BEFORE>(at);
            step(G, ends);
            E = A;
            A = C;
            C = G;
            ends = false;
        }
        step(E + 3 * (C - A), true);
    }
    else
    {
#pragma unroll 1
        for (; steps > 0; --steps)
        {
            step(0, false);
        }
    }
}

} // namespace fsz
