// How the values of neighbours make a prediction (FORMAT.md, Dense: predict).
#pragma once

#include "format/format_constants.cuh"
#include "profile/dense/blend.cuh"

namespace fsz
{

/// How values are predicted in the finest grid.
enum class Taps : u32
{
    Linear,
    Cubic,
    Blended,
    /// By weights that are known at run time, of which these are cases, too.
    Weighted,
};

/// What part of the spread counts where a point is blended. What is no whole number then changes
/// no context: the highest bits tell.
constexpr float BLENDED_SPREAD = 1.0f / (1u << (DENSE_SPREAD_BITS - DENSE_BLENDED_SPREAD_BITS));

/// A prediction from the sum over `AXES` axes; OUTER: by four neighbours an axis.
template <u32 AXES, bool OUTER> FSZ_DEVICE i32 prediction_of(i32 sum)
{
    return OUTER       ? (sum + (AXES == 1 ? 8 : 16)) >> (AXES == 1 ? 4 : 5)
           : AXES == 1 ? (sum + 1) >> 1
           : AXES == 2 ? (sum + 2) >> 2
                       : (sum * 5461 + 16384) >> 15;
}

/// The weights of the finest grid, where they are known at run time; `edge` where an outer
/// neighbour is missing.
struct TapWeights
{
    i32 near;
    i32 far;
    i32 edge_near;
    i32 edge_far;
    /// Weights count along one axis alone.
    bool blended;

    FSZ_DEVICE explicit TapWeights(u32 predictor)
        : near(predictor == DENSE_LINEAR   ? 8
               : predictor == DENSE_SMOOTH ? 6
                                           : 9),
          far(predictor == DENSE_LINEAR   ? 0
              : predictor == DENSE_SMOOTH ? 2
                                          : -1),
          edge_near(predictor == DENSE_LINEAR ? 8 : 9),
          edge_far(predictor == DENSE_LINEAR ? 0 : -1), blended(predictor == DENSE_BLENDED)
    {
    }
};

/// The outer neighbours of a lane's points along an axis: where they are, from the points, and how
/// many differences to take off where one is missing (the other one stands for it).
struct Outer
{
    u32 left;
    u32 right;
    i32 bend;
    bool edge;

    FSZ_DEVICE Outer(u32 edges, u32 before, u32 pitch)
    {
        const bool low = edges & 1, high = edges >> 1 & 1;
        const u32 a = 0 - before, e = a - pitch, g = a + 2 * pitch;
        left = low ? (high ? a : g) : e;
        right = high ? (low ? a + pitch : e) : g;
        bend = low == high ? 0 : low ? -3 : 3;
        edge = low || high;
    }
};

/// Whether points that are odd along so many axes can be predicted by outer neighbours, ...
template <u32 AXES, Taps TAPS>
constexpr bool BY_OUTER = TAPS != Taps::Linear && AXES < (TAPS == Taps::Blended ? 2 : 3);
/// ... and by those across these axes.
template <u32 AXES, Taps TAPS>
constexpr bool BY_BLENDED = AXES > 1 && (TAPS == Taps::Blended || TAPS == Taps::Weighted);

/// The weighted sum of the neighbours along an axis; `bent` is taken off the outer ones.
template <Taps TAPS>
FSZ_DEVICE i32 outer_sum(i32 near, i32 far, i32 bent, bool edge, const TapWeights &weights)
{
    if constexpr (TAPS == Taps::Cubic || TAPS == Taps::Blended)
    {
        return 9 * near - far + bent;
    }
    far -= bent;
    return (edge ? weights.edge_near : weights.near) * near +
           (edge ? weights.edge_far : weights.far) * far;
}

/// The prediction of a point from the sum over its axes, or blended from its nearest neighbours and
/// what `across` gives, which lessens what its spread counts. OUTER: the sum is of four neighbours
/// an axis.
template <u32 AXES, Taps TAPS, bool OUTER, class Across>
FSZ_DEVICE i32 prediction_of(i32 sum, i32 nearest, const TapWeights &weights, const Across &across,
                             float &spread)
{
    if constexpr (BY_BLENDED<AXES, TAPS>)
    {
        if (TAPS == Taps::Blended || weights.blended)
        {
            spread *= BLENDED_SPREAD;
            return blended<AXES>(nearest, across());
        }
    }
    return prediction_of<AXES, OUTER>(sum);
}

} // namespace fsz
