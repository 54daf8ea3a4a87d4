// Elements of a plain box that have no target or are decoded to too far: few, which are listed.
// What is predicted stays as it is (FORMAT.md, Dense: escapes).
#pragma once

#include "profile/dense/encode/plain/box.cuh"

namespace fsz
{

/// What is listed of a box.
template <class Error> struct FarElements
{
    u32 count;
    /// The largest error of the lane's other elements.
    Error error;
};

/// Lists the elements of a box that was walked through at `stage` that have no target or whose
/// errors are too large, as bits at `listed`; `own` is the code of its first element.
template <class Points, class T, bool MASKED>
FSZ_DEVICE FarElements<typename Points::Error> list_far(const BoxSpan<T> &span, u32 stage,
                                                        u32 layout, const Points &points, i32 own,
                                                        LeftOut<T, MASKED> out, u32 *listed)
{
    const u32 lane = lane_id();
    const SmallDivisor rows(span.n[2]), planes(span.n[1]);
    const u32 len = span.len();
    const auto near = points.nearness();
    const auto targets = points.targets(own);
    const u32 zero = static_cast<u32>(own) << points.fine;
    FarElements<typename Points::Error> found{};
#pragma unroll 1
    for (u32 from = 0; from < len; from += 32)
    {
        const SpanPoint point(rows, planes, min(from + lane, len - 1));
        const u32 word = load_word(stage + point.place(layout));
        const T d = __ldg(span.at(point));
        const i32 value = static_cast<i32>(word);
        typename Points::Error error;
        i32 target;
        const bool is_near =
            near(d, static_cast<i32>(zero + static_cast<u32>(value)), error) && targets(d, target);
        const bool counts = from + lane < len && !out.has(d);
        const u32 far = __ballot_sync(WARP_ALL, counts && !is_near);
        if (counts && is_near)
        {
            found.error = larger(found.error, error);
        }
        if (lane == 0)
        {
            listed[from / 32] = far;
        }
        found.count += __popc(far);
    }
    __syncwarp();
    return found;
}

} // namespace fsz
