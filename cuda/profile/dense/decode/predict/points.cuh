// Points of a box by the entries of its program: those of coarse grids, and of the finest one
// where they are in no column.
#pragma once

#include "profile/dense/decode/box_decoder.cuh"
#include "profile/dense/decode/predict/taps.cuh"

namespace fsz
{

/// Steps of the finest grid by their entries.
template <u32 AXES, Taps TAPS, bool MASKED>
FSZ_DEVICE void walk_points(BoxDecoder &own, const PassHead &head, Entries &entries, u32 steps,
                            bool coded, const TapWeights &weights)
{
    constexpr bool OUTER = BY_OUTER<AXES, TAPS>;
    const auto value = [](u32 at) { return value_at(at); };
    own.run(steps, [&] {
        const u32 now = entries.take();
        const u32 at = own.box + (now & ENTRY_POSITION);
        i32 sum = 0, nearest = 0;
        float spread = 0;
        u32 distances[AXES], aheads[AXES];
#pragma unroll
        for (u32 k = 0; k < AXES; ++k)
        {
            const u32 distance = head.distance(k);
            const u32 ahead = static_cast<u32>(static_cast<short>(head.distance(3 + k)));
            distances[k] = distance;
            aheads[k] = ahead;
            const i32 before = value_at(at - distance);
            const i32 behind = value_at(at + ahead);
            const i32 difference = before - behind;
            nearest += before + behind;
            if constexpr (OUTER)
            {
                const Outer outer(now >> (ENTRY_EDGE_SHIFT + 2 * k), distance, distance + ahead);
                const i32 far = value_at(at + outer.left) + value_at(at + outer.right);
                sum += outer_sum<TAPS>(before + behind, far, outer.bend * difference, outer.edge,
                                       weights);
            }
            else
            {
                sum += before + behind;
            }
            spread = k == 0 ? size_of(difference) : fmaxf(spread, size_of(difference));
        }
        const auto across = [&] { return across_axes(value, at, distances, aheads); };
        const i32 prediction =
            prediction_of<AXES, TAPS, OUTER>(sum, nearest, weights, across, spread);
        return own.template step<true, MASKED>(at, now, prediction, spread, coded);
    });
}

/// A pass of a coarse grid.
template <u32 AXES, Taps TAPS, bool MASKED>
FSZ_DEVICE void walk_coarse(BoxDecoder &own, const PassHead &head, Entries &entries, bool coded,
                            const TapWeights &weights)
{
    const auto value = [](u32 at) { return value_at(at); };
    u32 before[AXES], last[AXES];
#pragma unroll
    for (u32 k = 0; k < AXES; ++k)
    {
        before[k] = head.distance(k);
        last[k] = head.distance(3 + k);
    }
    own.run(head.count(), [&] {
        const u32 now = entries.take();
        const u32 at = own.box + (now & ENTRY_POSITION);
        i32 sum = 0;
        float spread = 0;
        u32 behind[AXES];
#pragma unroll
        for (u32 k = 0; k < AXES; ++k)
        {
            const bool clamped = now >> (ENTRY_EDGE_SHIFT + k) & 1;
            behind[k] = clamped ? last[k] : before[k];
            const i32 left = value_at(at - before[k]);
            const i32 right = value_at(at + behind[k]);
            sum += left + right;
            spread = k == 0 ? size_of(left - right) : fmaxf(spread, size_of(left - right));
        }
        const auto across = [&] { return across_axes(value, at, before, behind); };
        const i32 prediction = prediction_of<AXES, TAPS, false>(sum, sum, weights, across, spread);
        return own.template step<false, MASKED>(at, now, prediction, spread, coded);
    });
}

} // namespace fsz
