// Boxes to codes in shared memory, and plain boxes by Lorenzo prediction: all elements have codes
// that keep the bound, and differences are short. Events, which are differences and their contexts,
// go to device memory (FORMAT.md, Dense: predict).
#pragma once

#include "profile/dense/encode/code/events.cuh"
#include "profile/dense/encode/plain/box.cuh"
#include "profile/dense/encode/plain/walk.cuh"

namespace fsz
{

/// A lane's words lie in a row, four by four, so that those that the lanes of a warp read at once
/// lie in different banks.
constexpr u32 LORENZO_ROW = DENSE_BOX / 32;
constexpr u32 LORENZO_QUAD = 4;

/// Where the four words from a lane's step `step` on begin, in bytes.
FSZ_DEVICE u32 lorenzo_quad(u32 row, u32 step)
{
    const u32 quad = step / LORENZO_QUAD ^ row % (LORENZO_ROW / LORENZO_QUAD);
    return 4 * (row * LORENZO_ROW + quad * LORENZO_QUAD);
}

FSZ_DEVICE u32 lorenzo_place(u32 row, u32 step)
{
    return lorenzo_quad(row, step) + 4 * (step % LORENZO_QUAD);
}

FSZ_DEVICE void load_quad(u32 at, u32 (&to)[LORENZO_QUAD])
{
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(at)
                 : "memory");
}

/// Where the lane's event of a step is among those of a box: four by four.
FSZ_DEVICE u32 lorenzo_event_at(u32 step)
{
    static_assert(LORENZO_QUAD == GROUP_STEPS, "a group of events, of which a lane has 16 bytes");
    return step / LORENZO_QUAD * (32 * LORENZO_QUAD) + LORENZO_QUAD * lane_id() +
           step % LORENZO_QUAD;
}

FSZ_DEVICE void store_quad(u32 at, const u32 (&from)[LORENZO_QUAD])
{
    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(from[0]), "r"(from[1]),
                 "r"(from[2]), "r"(from[3])
                 : "memory");
}

/// A difference and its context in a word.
struct LorenzoEvent
{
    static constexpr u32 BITS = 26;
    static_assert(DENSE_LORENZO_CONTEXTS < 1 << (32 - BITS), "room for a context");
    /// Sizes that have room are below.
    static constexpr u32 MOST = 1u << (BITS - 1);

    FSZ_DEVICE static u32 of(u32 context, i32 difference)
    {
        return context << BITS | (static_cast<u32>(difference) & ((1u << BITS) - 1));
    }
    FSZ_DEVICE static u32 context(u32 event) { return event >> BITS; }
    FSZ_DEVICE static i32 difference(u32 event)
    {
        return static_cast<i32>(event << (32 - BITS)) >> (32 - BITS);
    }
};

/// In the place of a code.
constexpr i32 NO_CODE = static_cast<i32>(0x80000000u);

/// What the elements of a box that have codes come to.
template <class Error, class T> struct LorenzoCodes
{
    /// Elements that have none.
    u32 without;
    Decoded<Error, T> found;
};

/// Turns the elements of a box into codes at `stage`, where these keep the bound. LAYOUT: whether
/// the box is a line. `found` has the largest error of the lane, and the range if `range`.
template <u32 LAYOUT, u32 WIDTH, class Points, class T, class Error>
FSZ_DEVICE LorenzoCodes<Error, T> lorenzo_codes(BoxSpan<T> span, u32 stage, const Points &points,
                                                bool range, Decoded<Error, T> found)
{
    const u32 len = span.len();
    const SmallDivisor per_lane(lorenzo_lane_len(len));
    const auto place = [&](u32, u32, u32, u32 at) {
        const u32 row = per_lane.quotient(at);
        return lorenzo_place(row, at - row * per_lane.divisor);
    };
    u32 without = 0;
    const auto &codes = points.codes();
    const auto code_of = [&](T d, u32) {
        i32 code;
        Error error;
        if (!codes.strict_code_of(d, code, error))
        {
            ++without;
            return static_cast<u32>(NO_CODE);
        }
        found.error = larger(found.error, error);
        if (range)
        {
            found.take_range(d);
        }
        return static_cast<u32>(code);
    };
    each_element_at<LAYOUT, WIDTH>(span, place, [&](u32 at, const T(&d)[WIDTH]) {
        u32 codes[WIDTH] = {};
        each_word(d, codes, code_of);
        if constexpr (WIDTH == LORENZO_QUAD)
        {
            store_quad(stage + at, codes);
        }
        else
        {
            store_word(stage + at, codes[0]);
        }
    });
    return {__reduce_add_sync(WARP_ALL, without), found};
}

/// What a box comes to by orders 1 and 2: the bits of all differences, and of the lane the bits
/// that any size has.
struct LorenzoCost
{
    u32 bits[2];
    u32 sizes[2];
};

/// The difference of a lane's first code from that of the lane before; of the first lane from
/// `base`.
FSZ_DEVICE i32 lorenzo_first(u32 code, i32 base)
{
    const u32 before = __shfl_up_sync(WARP_ALL, code, 1);
    return static_cast<i32>(code - (lane_id() == 0 ? static_cast<u32>(base) : before));
}

/// The cost of the codes of a box of `len` elements at `stage`.
FSZ_DEVICE LorenzoCost lorenzo_cost(u32 stage, u32 len, i32 base)
{
    const u32 lane = lane_id(), own = lorenzo_own(len);
    const u32 steps = same(lorenzo_lane_len(len));
    LorenzoCost cost{};
    u32 last = 0, slope = 0;
#pragma unroll 1
    for (u32 from = 0; from < steps; from += LORENZO_QUAD)
    {
        u32 codes[LORENZO_QUAD];
        load_quad(stage + lorenzo_quad(lane, from), codes);
#pragma unroll
        for (u32 k = 0; k < LORENZO_QUAD; ++k)
        {
            const u32 step = from + k;
            i32 first = static_cast<i32>(codes[k] - last);
            if (k == 0 && from == 0)
            {
                first = lorenzo_first(codes[0], base);
            }
            const i32 second =
                step >= 2 ? static_cast<i32>(static_cast<u32>(first) - slope) : first;
            const bool active = step < own;
            const u32 size = active ? magnitude(first) : 0;
            const u32 other = active ? magnitude(second) : 0;
            cost.bits[0] += max(bits_of_number(size), 0);
            cost.bits[1] += max(bits_of_number(other), 0);
            cost.sizes[0] |= size;
            cost.sizes[1] |= other;
            last = codes[k];
            slope = static_cast<u32>(first);
        }
    }
    cost.bits[0] = __reduce_add_sync(WARP_ALL, cost.bits[0]);
    cost.bits[1] = __reduce_add_sync(WARP_ALL, cost.bits[1]);
    return cost;
}

/// Makes events of the codes at `stage`.
FSZ_DEVICE void lorenzo_events(u32 stage, u32 len, i32 base, u32 order, u32 *events)
{
    const u32 lane = lane_id(), steps = same(lorenzo_lane_len(len));
    LorenzoLane own(order);
#pragma unroll 1
    for (u32 from = 0; from < steps; from += LORENZO_QUAD)
    {
        u32 words[LORENZO_QUAD];
        load_quad(stage + lorenzo_quad(lane, from), words);
#pragma unroll
        for (u32 k = 0; k < LORENZO_QUAD; ++k)
        {
            const u32 code = words[k];
            if (k == 0 && from == 0)
            {
                words[0] = LorenzoEvent::of(DENSE_LORENZO_CONTEXTS, lorenzo_first(words[0], base));
                own.begin(code);
            }
            else
            {
                const i32 difference = static_cast<i32>(code - own.expected);
                words[k] = LorenzoEvent::of(own.context(), difference);
                own.take(code, difference);
            }
        }
        __stcg(reinterpret_cast<uint4 *>(events + lorenzo_event_at(from)),
               uint4{words[0], words[1], words[2], words[3]});
    }
}

/// What a box of which all elements have codes comes to by Lorenzo prediction; nothing else counts
/// if it is not plain.
struct LorenzoBox
{
    bool plain;
    /// The code of its first element.
    i32 own;
    u32 order;
    /// Whether all differences are 0.
    bool flat;
};

/// Makes events of a box, whose codes are at `stage`.
FSZ_DEVICE LorenzoBox predict_lorenzo(u32 stage, u32 len, u32 *events)
{
    const i32 own = static_cast<i32>(load_word(stage));
    const LorenzoCost cost = lorenzo_cost(stage, len, own);
    LorenzoBox made{false, own, cost.bits[0] <= cost.bits[1] ? 1u : 2u, cost.bits[0] == 0};
    const u32 sizes = made.order == 1 ? cost.sizes[0] : cost.sizes[1];
    made.plain = __all_sync(WARP_ALL, sizes < LorenzoEvent::MOST);
    if (made.plain)
    {
        lorenzo_events(stage, len, own, made.order, events);
    }
    return made;
}

} // namespace fsz
