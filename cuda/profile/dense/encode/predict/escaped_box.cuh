// The way of boxes that are not fit for interpolation: by Lorenzo prediction of the elements that
// have codes, or exactly.
#pragma once

#include "profile/dense/encode/predict/any_box.cuh"
#include "profile/dense/encode/predict/escaped_lorenzo.cuh"

namespace fsz
{

/// Predicts boxes that are not fit for interpolation.
template <class Z> struct EscapedBoxes : AnyBoxes<Z>
{
    using Any = AnyBoxes<Z>;
    using Any::args;
    using Any::clear_behind;
    using Any::element;
    using Any::grid;
    using Any::lane;
    using Any::list_single;
    using Any::mask_events;
    using Any::mask_kind;
    using Any::plain;
    using Any::programs;
    using Any::record_of;
    using Any::slot;
    using Any::stage;
    using Any::take_range;
    using Any::WORDS;
    using typename Any::Bits;
    using typename Any::Error;
    using typename Any::Predicted;
    using typename Any::T;

    using Any::Any;

    /// Writes the differences of a word of each element of a box, from `to` on.
    FSZ_DEVICE void exact_differences(const Box &box, u32 word, uint2 *to) const
    {
        together();
        const u32 len = same(lorenzo_lane_len(box.len));
        LorenzoLane own(1);
#pragma unroll 1
        for (u32 step = 0; step < len; ++step)
        {
            const u32 at = lane * len + step;
            const bool active = at < box.len;
            const u64 bits = active ? static_cast<u64>(bits_of(element(box, at))) : 0;
            const u32 code = static_cast<u32>(bits >> (32 * word));
            u32 context = DENSE_LORENZO_CONTEXTS;
            i32 difference;
            if (step == 0)
            {
                difference = lorenzo_first(code, 0);
                own.begin(code);
            }
            else
            {
                context = own.context();
                difference = static_cast<i32>(code - own.expected);
                own.take(code, difference);
            }
            to[32 * step + lane] =
                active ? uint2{FIRST_DIFFERENCE + context, static_cast<u32>(difference)}
                       : uint2{NO_EVENT, 0};
        }
    }

    /// What is left out of the codes of a box.
    struct LeftOutCodes
    {
        u32 masked;
        u32 listed;
        Bits pattern;
        /// The first code; that of the chunk if there is none.
        i32 first;
    };

    /// Finds what of a box has no code, as `find_mask`, from the codes in shared memory; takes the
    /// range of it if `ranges`.
    FSZ_DEVICE LeftOutCodes find_left_out(const Box &box, i32 base, bool ranges)
    {
        LeftOutCodes out{0, 0, 0, base};
        bool found = false, coded = false;
        // A lane's elements, which are side by side.
        const SmallDivisor row(lorenzo_lane_len(box.len));
        const BoxSpan<T> span = plain.span_of(box);
        const SmallDivisor rows(span.n[2]), planes(span.n[1]);
        const u32 len = same(box.len);
        // Elements that are on their way together.
        constexpr u32 BATCH = 4;
#pragma unroll 1
        for (u32 first = 0; first < len; first += 32 * BATCH)
        {
            i32 codes[BATCH];
            bool any = false;
#pragma unroll
            for (u32 k = 0; k < BATCH; ++k)
            {
                const u32 at = min(first + 32 * k + lane, len - 1);
                const u32 own = row.quotient(at);
                const u32 place = lorenzo_place(own, at - own * row.divisor);
                codes[k] = static_cast<i32>(load_word(plain.stage + place));
                any = any || codes[k] == NO_CODE;
            }
            T elements[BATCH] = {};
            if (__any_sync(WARP_ALL, any))
            {
#pragma unroll
                for (u32 k = 0; k < BATCH; ++k)
                {
                    const u32 at = min(first + 32 * k + lane, len - 1);
                    elements[k] = __ldg(span.at({rows, planes, at}));
                }
            }
#pragma unroll 1
            for (u32 from = first; from < min(first + 32 * BATCH, len); from += 32)
            {
                const i32 code = codes[0];
                const T d = elements[0];
#pragma unroll
                for (u32 k = 1; k < BATCH; ++k)
                {
                    codes[k - 1] = codes[k];
                    elements[k - 1] = elements[k];
                }
                const bool in = from + lane < len, left = in && code == NO_CODE;
                const u32 without = __ballot_sync(WARP_ALL, left);
                const u32 with = __ballot_sync(WARP_ALL, in && !left);
                u32 mask = 0;
                if (without)
                {
                    if (left && ranges)
                    {
                        take_range(d);
                    }
                    if (!found)
                    {
                        found = true;
                        out.pattern = __shfl_sync(WARP_ALL, bits_of(d), __ffs(without) - 1);
                    }
                    mask = __ballot_sync(WARP_ALL, left && bits_of(d) == out.pattern);
                }
                if (with && !coded)
                {
                    coded = true;
                    out.first = __shfl_sync(WARP_ALL, code, __ffs(with) - 1);
                }
                if (lane == 0)
                {
                    stage.mask()[from / 32] = mask;
                    slot.listed()[from / 32] = without & ~mask;
                }
                out.masked += __popc(mask);
                out.listed += __popc(without & ~mask);
            }
        }
        clear_behind(len);
        const u32 masked = list_single(box, out.masked);
        out.listed += out.masked - masked;
        out.masked = masked;
        return out;
    }

    /// How differences are kept that have room in words.
    FSZ_DEVICE Kept kept_in_words() const
    {
        return grid.predictor == DENSE_LORENZO ? Kept::LORENZO : Kept::LORENZO_AMONG;
    }

    /// Predicts any box by Lorenzo prediction, or keeps it exactly. Its codes are in shared memory;
    /// `error` is the largest of the lane. `looked_at`: whether what is known of all its elements
    /// has been taken.
    template <bool CODED>
    FSZ_DEVICE Predicted escaped_box(const Box &box, i32 base, const Error &error, bool looked_at)
    {
        together();
        const LeftOutCodes out = find_left_out(box, base, !looked_at && !args.control->range_known);
        const u32 mask = mask_kind(box, out.masked), steps = lorenzo_lane_len(box.len);
        Predicted made{box.len, box.shape, Kept::DIFFERENCES, MODE_EXACT, base, 0, 0, 0, 0, 0, 0,
                       true,    {}};
        if (out.listed <= box.len / 4)
        {
            const u32 mask_steps = mask == MASK_CODED ? mask_events(programs[box.shape].any) : 0;
            const EscapedLorenzo came = predict_escaped(plain.stage, box.len, out.first, CODED,
                                                        slot.lorenzo(), slot.differences());
            made.kept = came.in_words ? kept_in_words() : Kept::DIFFERENCES;
            made.own = out.first;
            made.mask_steps = mask_steps;
            made.steps = steps;
            made.record = record_of(box, mask, out.pattern, out.listed);
            made.listed = out.listed;
            made.symbols = out.first != base || !came.flat || mask == MASK_CODED;
            made.mode = !made.symbols     ? MODE_FLAT
                        : came.order == 1 ? MODE_LORENZO_1
                                          : MODE_LORENZO_2;
            made.escaped = mask == MASK_ALL ? box.len : out.masked + out.listed;
            made.max_error = error;
        }
        else
        {
            made.escaped = box.len;
            // What is only counted is counted by who asks.
            for (u32 word = 0; CODED && word < WORDS; ++word)
            {
                exact_differences(box, word, slot.differences() + 32 * steps * word);
            }
            made.steps = CODED ? steps * WORDS : 0;
        }
        __syncwarp();
        return made;
    }
};

} // namespace fsz
