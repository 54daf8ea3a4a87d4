// The walk through a box in shared memory, from coarse grids to fine: neighbours, predictions and
// contexts of points (FORMAT.md, Dense: predict).
#pragma once

#include "profile/dense/blend.cuh"
#include "profile/dense/program.cuh"

namespace fsz
{

/// How values are predicted in the finest grid; the same in all boxes of a field.
struct Interpolation
{
    bool linear;
    /// Across several axes by `blend`.
    bool blended;
    /// Weights of the nearest and the outer neighbours.
    i32 near;
    i32 far;
    /// log2 of the lattice points of a step.
    u32 fine;

    FSZ_DEVICE Interpolation(const BoxGrid &grid)
        : linear(grid.predictor == DENSE_LINEAR), blended(grid.predictor == DENSE_BLENDED),
          near(grid.predictor == DENSE_SMOOTH ? 6 : 9),
          far(grid.predictor == DENSE_SMOOTH ? 2 : -1), fine(grid.fine)
    {
    }
};

/// The sizes of the last residuals that tell of a lane's next one.
FSZ_DEVICE i32 around(i32 last)
{
    return 2 * last + __shfl_up_sync(WARP_ALL, last, 1) + __shfl_down_sync(WARP_ALL, last, 1);
}

/// The context of a point from what the spread of its neighbours counts and the residuals around
/// it.
FSZ_DEVICE u32 residual_context(i32 spread, i32 around, bool fine)
{
    const u32 size = static_cast<u32>(min(spread + (around << 4) + 16, 4095));
    const u32 octave = 27 - __clz(size);
    return fine ? 2 * octave + (size >> (octave + 3) & 1) : DENSE_FINE_CONTEXTS + octave;
}

/// How the points of a pass are predicted: by the nearest neighbours, by these and the outer ones,
/// by those across axes, too.
enum class By
{
    NEAREST,
    OUTER,
    BLENDED
};

/// Goes through the steps of a pass. `values` gives the value at a position, `step` takes each
/// step's entry, prediction and what the spread counts in its context.
template <u32 AXES, By BY, class Values, class Step>
FSZ_DEVICE void walk_steps(const Pass &pass, const u32 *entries, const Interpolation &how,
                           const Values &values, Step &step)
{
    u32 distance[AXES], last[AXES];
#pragma unroll
    for (u32 a = 0; a < AXES; ++a)
    {
        distance[a] = pass.distance[a];
        last[a] = pass.last[a];
    }
    const u32 *from = entries + 32 * pass.first;
    u32 entry = __ldg(from);
#pragma unroll 1
    for (u32 left = same(pass.steps); left > 0; --left)
    {
        // The next entry is on its way while this one is worked on.
        const u32 now = entry;
        from += 32;
        if (left > 1)
        {
            entry = __ldg(from);
        }
        const u32 at = now & ENTRY_POSITION;
        u32 behind[AXES];
        i32 sum = 0, spread = 0;
#pragma unroll
        for (u32 a = 0; a < AXES; ++a)
        {
            if constexpr (BY == By::OUTER)
            {
                const i32 left_value = values(at - distance[a]);
                const i32 right_value = values(at + distance[a]);
                const bool low = now >> (ENTRY_EDGE_SHIFT + 2 * a) & 1;
                const bool high = now >> (ENTRY_EDGE_SHIFT + 2 * a + 1) & 1;
                // A missing outer neighbour lies on the quadratic through the other three: it is
                // the other outer one and three times a difference.
                const u32 three = 3 * distance[a];
                const i32 e = values(low ? (high ? at - distance[a] : at + three) : at - three);
                const i32 g = values(high ? (low ? at + distance[a] : at - three) : at + three);
                const i32 difference = left_value - right_value;
                const i32 bend = low == high ? 0 : low ? 3 * difference : -3 * difference;
                const bool edge = low || high;
                sum += (edge ? 9 : how.near) * (left_value + right_value) +
                       (edge ? -1 : how.far) * (e + g + bend);
                spread = max(spread, abs(difference));
            }
            else
            {
                // In the finest grid both distances are the same.
                const bool clamped = now >> (ENTRY_EDGE_SHIFT + a) & 1;
                behind[a] = clamped ? last[a] : distance[a];
                const i32 left_value = values(at - distance[a]);
                const i32 right_value = values(at + behind[a]);
                sum += left_value + right_value;
                spread = max(spread, abs(left_value - right_value));
            }
        }
        i32 prediction;
        if constexpr (BY == By::OUTER)
        {
            prediction = AXES == 1 ? (sum + 8) >> 4 : (sum + 16) >> 5;
        }
        else if constexpr (BY == By::BLENDED)
        {
            prediction = blended<AXES>(sum, across_axes(values, at, distance, behind));
        }
        else
        {
            prediction = AXES == 1   ? (sum + 1) >> 1
                         : AXES == 2 ? (sum + 2) >> 2
                                     : (sum * 5461 + 16384) >> 15;
        }
        constexpr u32 BITS = BY == By::BLENDED ? DENSE_BLENDED_SPREAD_BITS : DENSE_SPREAD_BITS;
        step(now, prediction, spread << BITS >> how.fine);
        __syncwarp();
    }
}

/// Goes through a pass.
template <class Values, class Step>
FSZ_DEVICE void walk_pass(const Pass &pass, const u32 *entries, const Interpolation &how,
                          const Values &values, Step &step)
{
    const bool curved = pass.fine && !how.linear;
    if (pass.axes == 1)
    {
        curved ? walk_steps<1, By::OUTER>(pass, entries, how, values, step)
               : walk_steps<1, By::NEAREST>(pass, entries, how, values, step);
    }
    else if (pass.axes == 2)
    {
        how.blended ? walk_steps<2, By::BLENDED>(pass, entries, how, values, step)
        : curved    ? walk_steps<2, By::OUTER>(pass, entries, how, values, step)
                    : walk_steps<2, By::NEAREST>(pass, entries, how, values, step);
    }
    else
    {
        how.blended ? walk_steps<3, By::BLENDED>(pass, entries, how, values, step)
                    : walk_steps<3, By::NEAREST>(pass, entries, how, values, step);
    }
}

/// The masked ones among the nearest neighbours of a point: none, some or all of them.
template <class Masked>
FSZ_DEVICE u32 mask_context(const Pass &pass, u32 entry, const Masked &masked)
{
    const u32 at = entry & ENTRY_POSITION;
    u32 count = 0;
    for (u32 a = 0; a < pass.axes; ++a)
    {
        const bool clamped = !pass.fine && (entry >> (ENTRY_EDGE_SHIFT + a) & 1);
        count += masked(at - pass.distance[a]);
        count += masked(at + (clamped ? pass.last[a] : pass.distance[a]));
    }
    const u32 kind = count == 0 ? 0 : count == 2 * pass.axes ? 2 : 1;
    return kind + (pass.fine ? 6 : 3);
}

} // namespace fsz
