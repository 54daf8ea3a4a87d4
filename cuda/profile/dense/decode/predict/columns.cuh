// The columns of a regular box: lanes beside each other, step by step along an axis.
#pragma once

#include "profile/dense/decode/box_decoder.cuh"
#include "profile/dense/decode/predict/blend_columns.cuh"
#include "profile/dense/decode/predict/fine_grid.cuh"
#include "profile/dense/decode/predict/taps.cuh"

namespace fsz
{

/// Columns of a pass of the finest grid, from their first points on.
template <class Grid, u32 SET, Taps TAPS, bool CODED>
FSZ_DEVICE void walk_columns(BoxDecoder &own, u32 entry, u32 steps, const TapWeights &weights)
{
    static_assert(TAPS != Taps::Weighted, "weights are known");
    constexpr u32 AXES = (SET & 1) + (SET >> 1 & 1) + (SET >> 2);
    constexpr bool OUTER = BY_OUTER<AXES, TAPS>;
    constexpr bool ALONG = SET >> Grid::ALONG & 1;
    constexpr u32 PLANE = SET & ~(1u << Grid::ALONG);
    constexpr u32 BEFORE = Grid::before(Grid::ALONG), PITCH = Grid::pitch(Grid::ALONG);
    u32 at = own.box + (entry & ENTRY_POSITION);
    // From a point to its outer neighbours.
    u32 left[3] = {}, right[3] = {};
    i32 bend[3] = {};
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
                    left[a] = outer.left;
                    right[a] = outer.right;
                    bend[a] = outer.bend;
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
        side_before = side<Grid, PLANE, 0 - BEFORE>(at);
    }
    const auto step = [&](i32 G) {
        i32 sum = 0, nearest = 0;
        float spread = 0;
        bool first = true;
        if constexpr (ALONG)
        {
            nearest = A + C;
            sum = OUTER ? outer_sum<TAPS>(nearest, E + G, 0, false, weights) : nearest;
            spread = size_of(A - C);
            first = false;
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
                    const i32 far = value_at(at + left[a]) + value_at(at + right[a]);
                    sum +=
                        outer_sum<TAPS>(before + behind, far, bend[a] * difference, false, weights);
                }
                else
                {
                    sum += before + behind;
                }
                const float size = size_of(difference);
                spread = first ? size : fmaxf(spread, size);
                first = false;
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
        return own.template step<true, false>(at, entry, prediction, spread, CODED);
    };
    // The first step goes on from one before it: what changes at the end of a step would be moved
    // behind the test for the last one, with a branch more.
    at -= Grid::STRIDE;
    if constexpr (ALONG)
    {
        // There are two steps at least.
        own.run(steps - 1, [&] {
            at += Grid::STRIDE;
            const i32 G = value_at<2 * PITCH - BEFORE>(at);
            const StepEnd end = step(G);
            E = A;
            A = C;
            C = G;
            return end;
        });
        own.run(1, [&] {
            at += Grid::STRIDE;
            return step(E + 3 * (C - A));
        });
    }
    else
    {
        own.run(steps, [&] {
            at += Grid::STRIDE;
            return step(0);
        });
    }
}

} // namespace fsz
