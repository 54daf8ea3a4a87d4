// The points of a line.
#pragma once

#include "profile/dense/decode/box_decoder.cuh"
#include "profile/dense/decode/predict/taps.cuh"

namespace fsz
{

/// A pass of a line by its entries and those of its neighbours; in the finest grid also steps
/// without edges.
template <bool FINE, Taps TAPS, bool MASKED>
FSZ_DEVICE void walk_line(BoxDecoder &own, u32 steps, Entries &entries, Entries &neighbours,
                          bool coded, const TapWeights &weights)
{
    constexpr bool OUTER = FINE && TAPS != Taps::Linear;
    const auto step = [&](u32 at, u32 entry, i32 A, i32 C, i32 far, i32 bent, bool edge) {
        const i32 sum = OUTER ? outer_sum<TAPS>(A + C, far, bent, edge, weights) : A + C;
        return own.template step<FINE, MASKED, false>(at, entry, prediction_of<1, OUTER>(sum),
                                                      size_of(A - C), coded);
    };
    const auto any = [&] {
        const u32 now = entries.take(), beside = neighbours.take();
        const u32 at = own.box + (now & ENTRY_POSITION);
        const u32 left = own.box + (beside & 0xFFFF), right = own.box + (beside >> 16);
        const i32 A = value_at(left), C = value_at(right);
        i32 far = 0, bent = 0;
        bool edge = false;
        if constexpr (OUTER)
        {
            // Two elements further there may be a gap.
            const bool low = now >> ENTRY_EDGE_SHIFT & 1, high = now >> (ENTRY_EDGE_SHIFT + 1) & 1;
            const u32 i = line_index(now & ENTRY_POSITION);
            const u32 e = own.box + line_place(i - 3), g = own.box + line_place(i + 3);
            far = value_at(low ? (high ? left : g) : e) + value_at(high ? (low ? right : e) : g);
            bent = low == high ? 0 : low ? 3 * (C - A) : 3 * (A - C);
            edge = low || high;
        }
        return step(at, now, A, C, far, bent, edge);
    };
    if (!FINE || steps < 3)
    {
        own.run<false>(steps, any);
        return;
    }
    own.run<false>(1, any);
    entries.skip(steps - 2);
    neighbours.skip(steps - 2);
    // Lane l of step j has element 1 + 2 (32 j + l): the same run of the line in all lanes.
    static_assert(LINE_RUN == 2 * 32, "a step is a run");
    constexpr u32 STRIDE = 2 * LINE_RUN + LINE_GAP;
    const u32 i = 1 + LINE_RUN + 2 * lane_id();
    u32 at = own.box + line_place(i);
    u32 right = own.box + line_place(i + 1);
    u32 left_outer = own.box + line_place(i - 3), right_outer = own.box + line_place(i + 3);
    own.run<false>(steps - 2, [&] {
        const i32 A = value_at<0u - 2>(at), C = value_at(right);
        const i32 far = OUTER ? value_at(left_outer) + value_at(right_outer) : 0;
        const StepEnd end = step(at, 0, A, C, far, 0, false);
        at += STRIDE;
        right += STRIDE;
        left_outer += STRIDE;
        right_outer += STRIDE;
        return end;
    });
    own.run<false>(1, any);
}

} // namespace fsz
