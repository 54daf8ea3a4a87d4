// Predicted boxes to symbols, from the last box of a chunk to its first and from the last step of a
// box to its first.
#pragma once

#include "profile/dense/encode/code/flag_coder.cuh"
#include "profile/dense/encode/code/lorenzo_coder.cuh"
#include "profile/dense/encode/code/plain_coder.cuh"
#include "profile/dense/encode/predict/box_predictor.cuh"

namespace fsz
{

/// What became of a box.
struct CodedBox
{
    u32 mode;
    u32 record;
    u32 listed;
    u32 escaped;
    bool symbols;
};

/// Codes boxes that were predicted with errors of a type; `Coder` takes their symbols.
template <class T, class Error, class Coder> struct BoxCoder
{
    static constexpr u32 WORDS = Element<T>::WORDS;

    const EncodeProgram *const programs;
    const u32 lane;
    Coder coder;
    /// The largest error of the boxes that are coded.
    Error max_error;

    FSZ_DEVICE BoxCoder(const EncodeProgram *programs, const Coder &coder)
        : programs(programs), lane(lane_id()), coder(coder), max_error{}
    {
    }

    /// Codes events of residuals and flags, from the last step to the first.
    FSZ_DEVICE void code_events(const u32 *events, u32 steps)
    {
        steps = same(steps);
        if (steps == 0)
        {
            return;
        }
        together();
        constexpr u32 AHEAD = 4;
        const u32 *from = events + lane;
        const auto load = [&](u32 step) { return from[32 * (step > 0 ? step - 1 : 0)]; };
        u32 ahead[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; ++k)
        {
            ahead[k] = load(steps > k ? steps - k : 0);
        }
#pragma unroll 1
        for (; steps > 0; --steps)
        {
            const u32 event = ahead[0];
#pragma unroll
            for (u32 k = 1; k < AHEAD; ++k)
            {
                ahead[k - 1] = ahead[k];
            }
            ahead[AHEAD - 1] = load(steps > AHEAD ? steps - AHEAD : 0);
            const bool active = event != NO_EVENT;
            const u32 context = active ? event >> 16 : 0;
            if (__any_sync(WARP_ALL, active && context >= FIRST_FLAG))
            {
                coder.flag(active, context, event & 0xFFFF);
            }
            else
            {
                coder.residual(active, context, static_cast<short>(event & 0xFFFF));
            }
        }
    }

    /// Codes the flags of a mask.
    FSZ_DEVICE void code_mask(const u32 *events, u32 steps)
    {
        coder = CoderParts::call([coder = coder, events, steps = same(steps)]() {
            Coder own = coder;
            code_flags(own, events, steps);
            return own;
        });
    }

    FSZ_DEVICE void code_base(i32 difference)
    {
        coder.difference(lane == 0, FIRST_DIFFERENCE + DENSE_LORENZO_CONTEXTS, difference);
    }

    FSZ_DEVICE void code_differences(const uint2 *differences, u32 steps)
    {
        together();
        const uint2 *const from = differences + lane;
        uint2 next = from[32 * (steps > 0 ? steps - 1 : 0)];
#pragma unroll 1
        for (u32 s = same(steps); s-- > 0;)
        {
            const uint2 event = next;
            next = from[32 * (s > 0 ? s - 1 : 0)];
            const bool active = event.x != NO_EVENT;
            coder.difference(active, active ? event.x : 0, static_cast<i32>(event.y));
        }
    }

    /// Codes the events of a plain box.
    FSZ_DEVICE void code_plain(const PlainProgram &program, u32 flags, u32 groups,
                               const u32 *events)
    {
        coder = CoderParts::call(
            [coder = coder, program = &program, flags, groups = same(groups), events]() {
                Coder own = coder;
                const bool is_pass = lane_id() < program->passes;
                const bool fine = is_pass && program->pass[lane_id()].fine;
                const u32 corners = take_events(own, events, groups);
                if (same(program->corners) > 0)
                {
                    own.flag(is_pass, FIRST_FLAG + DENSE_PASS_FLAGS + (fine ? 0 : 1),
                             flags >> lane_id() & 1);
                    take_event(own, corners);
                }
                return own;
            });
    }

    /// Codes differences that are kept in words.
    template <class Rows>
    FSZ_DEVICE void code_words(const Rows &rows, const u32 *events, u32 len, u32 steps)
    {
        coder = CoderParts::call([coder = coder, rows, events, len, steps]() {
            return code_lorenzo(coder, rows, events, len, steps);
        });
    }

    /// Codes the events of any box in a slot.
    FSZ_DEVICE void code_residuals(const Program &program, u32 flags, const u32 *events)
    {
        for (u32 p = program.passes; p-- > 0;)
        {
            if (flags >> p & 1)
            {
                // Behind the corners' step is that of the flags.
                const u32 first = program.pass[p].first + 1;
                code_events(events + 32 * first, program.pass[p].steps);
            }
        }
        code_events(events, program.corners > 0 ? 2 : 0);
    }

    /// Codes a box, which was predicted in `slot`, before those that are made. The chunk begins
    /// with the code `base`.
    FSZ_DEVICE CodedBox code(i32 base, const PredictedBox<Error> &of, const PredictorSlot<T> &slot)
    {
        const Coder was = coder;
        const EncodeProgram &program = programs[of.shape];
        const bool exact = of.mode == MODE_EXACT;
        if (of.symbols && (Coder::WRITES || !exact))
        {
            if (of.kept == Kept::PLAIN)
            {
                code_plain(program.plain, of.flags, of.steps,
                           slot.residuals() + 32 * flag_words(of.mask_steps));
            }
            else if (of.kept == Kept::LORENZO)
            {
                if constexpr (Coder::WRITES)
                {
                    code_words(NearRows{coder.packed_rows}, slot.lorenzo(), of.len, of.steps);
                }
            }
            else if (of.kept == Kept::LORENZO_AMONG)
            {
                if constexpr (Coder::WRITES)
                {
                    code_words(FarRows{coder.rows}, slot.lorenzo(), of.len, of.steps);
                }
            }
            else if (of.kept == Kept::RESIDUALS)
            {
                code_residuals(program.any, of.flags,
                               slot.residuals() + 32 * flag_words(of.mask_steps));
            }
            else
            {
                code_differences(slot.differences(), of.steps);
            }
            if (!exact)
            {
                code_base(static_cast<i32>(static_cast<u32>(of.own) - static_cast<u32>(base)));
                if (of.mask_steps > 0)
                {
                    code_mask(slot.residuals(), of.mask_steps);
                }
            }
        }
        if constexpr (Coder::WRITES)
        {
            if (was.at - coder.at + 2 * of.record >= 2 * WORDS * of.len)
            {
                coder = was;
                return {MODE_VERBATIM, 0, 0, of.len, false};
            }
        }
        max_error = larger(max_error, of.max_error);
        return {of.mode, of.record, of.listed, of.escaped, of.symbols};
    }
};

} // namespace fsz
