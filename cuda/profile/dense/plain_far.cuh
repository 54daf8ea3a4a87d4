// What is listed of boxes that plain ones' walk predicts: elements that are decoded to too far, and
// those without a target. Neither changes what is predicted of others (FORMAT.md, Dense: escapes).
#pragma once

#include "profile/dense/plain_box.cuh"
#include "profile/dense/plain_large.cuh"

namespace fsz
{

/// What is listed of a box.
template <class Error> struct FarElements
{
    u32 count;
    /// The largest error of the lane's other elements.
    Error error;
};

/// Lists the elements of a box that was walked through at `stage` whose errors are too large, as
/// bits at `listed`; `own` is the code of its first element. MORE: beside those whose bits are set.
template <bool MORE, class Points, class T, bool MASKED>
FSZ_DEVICE FarElements<typename Points::Error> list_far(const BoxSpan<T> &span, u32 stage,
                                                        u32 layout, const Points &points, i32 own,
                                                        LeftOut<T, MASKED> out, u32 *listed)
{
    const u32 lane = lane_id();
    const SmallDivisor rows(span.n[2]), planes(span.n[1]);
    const u32 len = span.len();
    const auto near = points.nearness();
    const u32 zero = static_cast<u32>(own) << points.fine;
    FarElements<typename Points::Error> found{};
#pragma unroll 1
    for (u32 from = 0; from < len; from += 32)
    {
        const SpanPoint point(rows, planes, min(from + lane, len - 1));
        const u32 word = load_word(stage + point.place(layout));
        const T d = __ldg(span.at(point));
        const i32 value = static_cast<short>(word & 0xFFFF);
        typename Points::Error error;
        const bool is_near = near(d, static_cast<i32>(zero + static_cast<u32>(value)), error);
        const bool counts = from + lane < len && !out.has(d);
        const u32 before = MORE ? listed[from / 32] : 0;
        const u32 far = before | __ballot_sync(WARP_ALL, counts && !is_near);
        if (counts && !(far >> lane & 1))
        {
            found.error = larger(found.error, error);
        }
        __syncwarp();
        if (lane == 0)
        {
            listed[from / 32] = far;
        }
        found.count += __popc(far);
    }
    __syncwarp();
    return found;
}

/// Leaves the targets of a box at `stage`, of which elements are masked or have no target as bits
/// at `masked` and `listed` tell; lists others without one, too.
template <class Points, class T>
FSZ_DEVICE void put_targets(const BoxSpan<T> &span, u32 stage, u32 layout, const Points &points,
                            i32 own, const u32 *masked, u32 *listed)
{
    const u32 lane = lane_id();
    const SmallDivisor rows(span.n[2]), planes(span.n[1]);
    const u32 len = span.len();
    const auto targets = points.targets(own);
    const u32 half = 1u << (DENSE_PART_BITS + points.fine - 1);
#pragma unroll 1
    for (u32 from = 0; from < len; from += 32)
    {
        const SpanPoint point(rows, planes, min(from + lane, len - 1));
        const u32 mask = masked[from / 32], before = listed[from / 32];
        i32 target;
        const bool has = targets(__ldg(span.at(point)), target);
        const bool there = from + lane < len, is_masked = mask >> lane & 1;
        const bool lists = (before >> lane & 1) || (!is_masked && !has);
        if (there)
        {
            store_word(stage + point.place(layout), is_masked ? MASKED_TARGET
                                                    : lists   ? LISTED_TARGET
                                                              : static_cast<u32>(target) + half);
        }
        const u32 all = __ballot_sync(WARP_ALL, there && lists);
        if (lane == 0)
        {
            listed[from / 32] = all;
        }
    }
    __syncwarp();
}

} // namespace fsz
