// Boxes by Lorenzo prediction of which some elements have no code: these come out as they are
// expected (FORMAT.md, Dense: Lorenzo). Codes lie in shared memory as those of plain boxes.
#pragma once

#include "profile/dense/encode/plain/lorenzo.cuh"
#include "profile/dense/encode/plain/mask.cuh"

namespace fsz
{

/// The codes that lanes begin with: one without has that of the nearest lane before that has one,
/// or `base`.
FSZ_DEVICE i32 begun_codes(i32 code, bool has, i32 base)
{
    const u32 lane = lane_id();
    const u32 votes = __ballot_sync(WARP_ALL, has) & ((2u << lane) - 1);
    const i32 found = __shfl_sync(WARP_ALL, code, votes ? 31 - __clz(votes) : 0);
    return votes ? found : base;
}

/// Codes of a lane one after another, as order 1 or 2 has them.
template <u32 ORDER> struct EscapedLane
{
    u32 last;
    u32 slope;

    /// Goes on to the code of a step, and gives its difference.
    FSZ_DEVICE i32 take(i32 code, bool has, u32 step)
    {
        const u32 expected = last + (ORDER == 2 && step >= 2 ? slope : 0);
        const u32 own = has ? static_cast<u32>(code) : expected;
        slope = own - last;
        last = own;
        return static_cast<i32>(own - expected);
    }
};

/// As `lorenzo_cost`.
FSZ_DEVICE LorenzoCost escaped_cost(u32 stage, u32 len, i32 base)
{
    const u32 lane = lane_id(), own = lorenzo_own(len);
    const u32 steps = same(lorenzo_lane_len(len));
    LorenzoCost cost{};
    EscapedLane<1> first{};
    EscapedLane<2> second{};
#pragma unroll 1
    for (u32 step = 0; step < steps; ++step)
    {
        i32 code = static_cast<i32>(load_word(stage + lorenzo_place(lane, step)));
        const bool has = step < own && code != NO_CODE;
        i32 of[2];
        if (step == 0)
        {
            code = begun_codes(code, has, base);
            first.take(code, true, 0);
            second.take(code, true, 0);
            of[0] = of[1] = lorenzo_first(static_cast<u32>(code), base);
        }
        else
        {
            of[0] = first.take(code, has, step);
            of[1] = second.take(code, has, step);
        }
#pragma unroll
        for (u32 k = 0; k < 2; ++k)
        {
            const u32 size = step < own ? magnitude(of[k]) : 0;
            cost.bits[k] += max(bits_of_number(size), 0);
            cost.sizes[k] |= size;
        }
    }
    cost.bits[0] = __reduce_add_sync(WARP_ALL, cost.bits[0]);
    cost.bits[1] = __reduce_add_sync(WARP_ALL, cost.bits[1]);
    return cost;
}

/// Goes through the differences of a box; `give` gets the step, whether the lane has an element,
/// the context and the difference.
template <class Give>
FSZ_DEVICE void escaped_differences(u32 stage, u32 len, i32 base, u32 order, const Give &give)
{
    const u32 lane = lane_id(), own_steps = lorenzo_own(len);
    const u32 steps = same(lorenzo_lane_len(len));
    LorenzoLane own(order);
#pragma unroll 1
    for (u32 step = 0; step < steps; ++step)
    {
        i32 code = static_cast<i32>(load_word(stage + lorenzo_place(lane, step)));
        const bool has = step < own_steps && code != NO_CODE;
        u32 context = DENSE_LORENZO_CONTEXTS;
        i32 difference;
        if (step == 0)
        {
            code = begun_codes(code, has, base);
            difference = lorenzo_first(static_cast<u32>(code), base);
            own.begin(static_cast<u32>(code));
        }
        else
        {
            context = own.context();
            code = has ? code : static_cast<i32>(own.expected);
            difference = static_cast<i32>(static_cast<u32>(code) - own.expected);
            own.take(static_cast<u32>(code), difference);
        }
        give(step, step < own_steps, context, difference);
    }
}

/// What a box comes to.
struct EscapedLorenzo
{
    u32 order;
    /// Whether all differences are 0.
    bool flat;
    /// Whether its events are words, as those of a plain box, or contexts and differences.
    bool in_words;
};

/// Makes events of the codes of a box: words at `words` if `in_words` and if they have room there,
/// else contexts and differences from `to` on. Apart, since what calls it has much else to keep.
__device__ __noinline__ EscapedLorenzo predict_escaped(u32 stage, u32 len, i32 base, bool in_words,
                                                       u32 *words, uint2 *to)
{
    together();
    const LorenzoCost cost = escaped_cost(stage, len, base);
    EscapedLorenzo made{cost.bits[0] <= cost.bits[1] ? 1u : 2u, cost.bits[0] == 0, false};
    const u32 sizes = made.order == 1 ? cost.sizes[0] : cost.sizes[1];
    made.in_words = __all_sync(WARP_ALL, in_words && sizes < LorenzoEvent::MOST);
    const u32 lane = lane_id();
    if (const u32 steps = lorenzo_lane_len(len); made.in_words && steps % LORENZO_QUAD != 0)
    {
        // A coder copies whole groups.
        const u32 last = lorenzo_event_at(steps / LORENZO_QUAD * LORENZO_QUAD);
        *reinterpret_cast<uint4 *>(words + last) = uint4{0, 0, 0, 0};
    }
    escaped_differences(
        stage, len, base, made.order, [&](u32 step, bool there, u32 context, i32 difference) {
            if (made.in_words)
            {
                words[lorenzo_event_at(step)] = LorenzoEvent::of(context, difference);
            }
            else
            {
                to[32 * step + lane] =
                    there ? uint2{FIRST_DIFFERENCE + context, static_cast<u32>(difference)}
                          : uint2{NO_EVENT, 0};
            }
        });
    __syncwarp();
    return made;
}

} // namespace fsz
