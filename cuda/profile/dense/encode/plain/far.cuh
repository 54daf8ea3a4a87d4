// Elements of a plain box that have no target or are decoded to too far: few, which are listed.
// What is predicted stays as it is (FORMAT.md, Dense: escapes).
#pragma once

#include "profile/dense/encode/plain/box.cuh"

namespace fsz
{

/// What is listed of a box.
template <class Error, class T> struct FarElements
{
    u32 count;
    /// Those of them that have no target.
    u32 without;
    /// The largest error of the lane's other elements, and the range of all.
    Decoded<Error, T> found;
};

/// Lists the elements of a box that was walked through at `stage` whose errors are too large, or if
/// ALL those that have no target, too, and a single one that is left out, as bits at `listed`;
/// `own` is the code of its first element. `known` has an error that keeps the bound, and the range
/// if `range`.
template <bool ALL, class Points, class T, bool MASKED>
FSZ_DEVICE FarElements<typename Points::Error, T>
list_far(const BoxSpan<T> &span, u32 stage, u32 layout, const Points &points, i32 own,
         LeftOut<T, MASKED> out, const Decoded<typename Points::Error, T> &known, bool range,
         u32 *listed)
{
    const u32 lane = lane_id();
    const SmallDivisor rows(span.n[2]), planes(span.n[1]);
    const u32 len = span.len();
    const auto near = points.nearness();
    const auto targets = points.targets(own);
    const u32 zero = static_cast<u32>(own) << points.fine;
    FarElements<typename Points::Error, T> far{0, 0, known};
#pragma unroll 1
    for (u32 from = 0; from < len; from += 32)
    {
        const SpanPoint point(rows, planes, min(from + lane, len - 1));
        const u32 word = load_word(stage + point.place(layout));
        const T d = __ldg(span.at(point));
        const bool left = out.has(d);
        const bool counts = from + lane < len && !left;
        i32 target;
        bool has = !ALL || targets(d, target);
        bool is_far =
            counts && !(has && near.takes(d, static_cast<i32>(zero + word), far.found.error));
        if (!ALL && is_far)
        {
            has = targets(d, target);
        }
        if (left && out.listed)
        {
            is_far = from + lane < len;
            has = false;
        }
        if (range && counts)
        {
            far.found.take_range(d);
        }
        const u32 votes = __ballot_sync(WARP_ALL, is_far);
        if (lane == 0)
        {
            listed[from / 32] = votes;
        }
        far.count += __popc(votes);
        far.without += is_far && !has;
    }
    far.without = __reduce_add_sync(WARP_ALL, far.without);
    __syncwarp();
    return far;
}

/// Lists the elements of such a box that have no target, so many as `without`, or whose errors are
/// too large. To look for a target takes longest, so it is first taken for granted that all without
/// one are too far.
template <class Points, class T, bool MASKED>
FSZ_DEVICE FarElements<typename Points::Error, T>
list_far(const BoxSpan<T> &span, u32 stage, u32 layout, const Points &points, i32 own,
         LeftOut<T, MASKED> out, u32 without, const Decoded<typename Points::Error, T> &known,
         bool range, u32 *listed)
{
    const auto far = list_far<false>(span, stage, layout, points, own, out, known, range, listed);
    return far.without == without
               ? far
               : list_far<true>(span, stage, layout, points, own, out, known, range, listed);
}

} // namespace fsz
