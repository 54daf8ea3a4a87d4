// The way of any box by interpolation, with masked elements and listed ones: each step looks
// whether its points are among them.
#pragma once

#include "profile/dense/encode/code/flag_events.cuh"
#include "profile/dense/encode/predict/box_work.cuh"

namespace fsz
{

/// Predicts any box by interpolation.
template <class Z> struct AnyBoxes : BoxWork<Z>
{
    using Work = BoxWork<Z>;
    using typename Work::Bits;
    using typename Work::Error;
    using typename Work::T;
    using Predicted = PredictedBox<Error>;
    using Work::args;
    using Work::bit;
    using Work::clear_behind;
    using Work::each_32;
    using Work::how;
    using Work::lane;
    using Work::list_single;
    using Work::mask_kind;
    using Work::plain;
    using Work::programs;
    using Work::record_of;
    using Work::slot;
    using Work::stage;
    using Work::take_range;

    using Work::Work;

    /// The target of an element that may come out as anything.
    static constexpr i32 ANY = static_cast<i32>(0x80000000u);

    /// The bits of the first element of `box` without a code, all of which are masked; gives how
    /// many. Leaves the others without a code in `slot.listed()`. `coded` tells which have a code.
    template <class Coded>
    FSZ_DEVICE u32 find_mask(const Box &box, const Coded &coded, Bits &pattern)
    {
        bool found = false;
        pattern = 0;
        u32 masked = 0;
        each_32(box, [&](u32 from, T d) {
            const u32 at = from + lane;
            const bool in = at < box.len;
            const bool has = coded(d, in);
            const u32 without = __ballot_sync(WARP_ALL, in && !has);
            if (without && !found)
            {
                found = true;
                pattern = __shfl_sync(WARP_ALL, bits_of(d), __ffs(without) - 1);
            }
            const u32 mask = __ballot_sync(WARP_ALL, in && !has && bits_of(d) == pattern);
            if (lane == 0)
            {
                stage.mask()[from / 32] = mask;
                slot.listed()[from / 32] = without & ~mask;
            }
            masked += __popc(mask);
            return true;
        });
        clear_behind(box.len);
        return masked;
    }

    /// Writes the events of a box's mask; gives their steps.
    FSZ_DEVICE u32 mask_events(const Program &program)
    {
        FlagEvents events(slot.residuals());
        const auto masked = [&](u32 at) { return bit(stage.mask(), at) ? 1u : 0u; };
        const auto give = [&](bool there, u32 context, u32 at) {
            events.give(there, context, masked(at) != 0);
        };
        give(lane == 0, 0, 0);
        if (program.corners > 0)
        {
            const u32 entry = program.entries[0][lane];
            give(!(entry & ENTRY_IDLE), 1 + masked(0), entry & ENTRY_POSITION);
        }
        for (u32 p = 0; p < program.passes; ++p)
        {
            const Pass &pass = program.pass[p];
            // The next entry is on its way while one is worked on.
            const u32 steps = same(pass.steps);
            u32 next = __ldg(&program.entries[pass.first][lane]);
            for (u32 s = 0; s < steps; ++s)
            {
                const u32 entry = next;
                next = __ldg(&program.entries[pass.first + min(s + 1, steps - 1)][lane]);
                give(!(entry & ENTRY_IDLE), mask_context(pass, entry, masked),
                     entry & ENTRY_POSITION);
            }
        }
        return events.end();
    }

    /// Predicts a box by interpolation: its events, which passes have any residual, and what of it
    /// is listed. False where it does not fit.
    FSZ_DEVICE bool interpolate(const Box &box, const Program &program, i32 own, u32 *events,
                                u32 &flags, bool &flat, u32 &listed, Error &max_error)
    {
        together();
        i32 *const words = stage.words;
        const auto targets = plain.points.targets(own);
        // What is masked or listed so far has no code.
        each_32(box, [&](u32 from, T element) {
            const u32 at = from + lane;
            const bool in = at < box.len;
            bool far = false;
            if (in)
            {
                const u32 without = stage.mask()[from / 32] | slot.listed()[from / 32];
                i32 target;
                const bool fits = !(without >> lane & 1) && targets(element, target);
                far = !fits && !(without >> lane & 1);
                words[at] = fits ? target : ANY;
            }
            const u32 more = __ballot_sync(WARP_ALL, far);
            __syncwarp();
            if (lane == 0)
            {
                slot.listed()[from / 32] |= more;
            }
            return true;
        });
        __syncwarp();
        if (lane == 0)
        {
            words[0] = 0;
        }
        bool unfit = false;
        u32 *to = events + lane;
        const u32 part_bits = DENSE_PART_BITS + how.fine;
        const auto code = [&](u32 entry, i32 prediction, u32 context, i32 &r) {
            const u32 at = entry & ENTRY_POSITION;
            const bool point = !(entry & ENTRY_IDLE);
            const i32 target = words[at];
            r = target == ANY
                    ? 0
                    : (target - (prediction << DENSE_PART_BITS) + (1 << (part_bits - 1))) >>
                          part_bits;
            r = point ? r : 0;
            const i32 value = prediction + (r << how.fine);
            unfit |= point && (abs(r) > RESIDUAL_MOST || abs(value) > VALUE_MOST);
            *to = point && !bit(stage.mask(), at) ? context << 16 | static_cast<u32>(r & 0xFFFF)
                                                  : NO_EVENT;
            to += 32;
            return value;
        };
        flags = 0;
        flat = true;
        if (same(program.corners) > 0)
        {
            const u32 entry = program.entries[0][lane];
            i32 r;
            const i32 value = code(entry, 0, DENSE_CORNERS, r);
            flat = !__any_sync(WARP_ALL, r != 0);
            __syncwarp();
            if (!(entry & ENTRY_IDLE))
            {
                words[entry & ENTRY_POSITION] = static_cast<short>(value);
            }
            to += 32; // The flags' step.
        }
        __syncwarp();
        const auto known = [&](u32 at) { return words[at]; };
        const bool near_count = program.around != 0;
        i32 last = 0;
        const u32 passes = same(program.passes);
        for (u32 p = 0; p < passes; ++p)
        {
            const Pass &pass = program.pass[p];
            const bool fine = pass.fine != 0;
            bool any = false;
            auto take = [&](u32 entry, i32 prediction, i32 spread) {
                const u32 context = residual_context(spread, near_count ? around(last) : 0, fine);
                i32 r;
                const i32 value = code(entry, prediction, context, r);
                __syncwarp();
                if (!(entry & ENTRY_IDLE))
                {
                    words[entry & ENTRY_POSITION] = static_cast<short>(value);
                    last = abs(r);
                    any |= r != 0;
                }
            };
            walk_pass(pass, program.entries[0] + lane, how, known, take);
            flags |= __any_sync(WARP_ALL, any) ? 1u << p : 0;
            flat = flat && flags == 0;
            if (__any_sync(WARP_ALL, unfit))
            {
                return false;
            }
        }
        if (__any_sync(WARP_ALL, unfit))
        {
            return false;
        }
        if (program.corners > 0)
        {
            const bool fine = lane < program.passes && program.pass[lane].fine;
            events[32 + lane] =
                lane < program.passes
                    ? (FIRST_FLAG + DENSE_PASS_FLAGS + (fine ? 0 : 1)) << 16 | (flags >> lane & 1)
                    : NO_EVENT;
        }
        const auto near = plain.points.nearness();
        const u32 shifted = static_cast<u32>(own) << how.fine;
        listed = 0;
        each_32(box, [&](u32 from, T d) {
            const u32 at = from + lane;
            const u32 without = stage.mask()[from / 32] | slot.listed()[from / 32];
            bool far = false;
            if (at < box.len && !(without >> lane & 1))
            {
                Error error;
                const i32 point = static_cast<i32>(shifted + static_cast<u32>(words[at]));
                far = !near(d, point, error);
                max_error = far ? max_error : larger(max_error, error);
            }
            const u32 more = __ballot_sync(WARP_ALL, far);
            __syncwarp();
            if (lane == 0)
            {
                slot.listed()[from / 32] |= more;
            }
            __syncwarp();
            listed += __popc(slot.listed()[from / 32]);
            return true;
        });
        return listed <= box.len / DENSE_LISTED_SHARE;
    }

    /// Predicts any box by interpolation, whose first element with a code has `first`; if none has,
    /// it is `base`. Without elements for a box that is not fit for it; all its elements have been
    /// looked at.
    FSZ_DEVICE Predicted any_box(const Box &box, i32 base, i32 first)
    {
        together();
        const Program &program = programs[box.shape].any;
        Predicted made{
            box.len, box.shape, Kept::RESIDUALS, MODE_INTERPOLATED, first, 0, 0, 0, 0, 0, 0,
            true,    {}};
        const bool ranges = !args.control->range_known;
        const auto targets = plain.points.targets(first);
        const auto any_code = [&](T d, bool in) {
            i32 code;
            if (in && ranges)
            {
                take_range(d);
            }
            return plain.points.code_of(d, code) || plain.points.between_codes(d, targets);
        };
        Bits pattern;
        const u32 masked = list_single(box, find_mask(box, any_code, pattern));
        const u32 mask = mask_kind(box, masked);
        made.mask_steps = mask == MASK_CODED ? mask_events(program) : 0;
        u32 *const events = slot.residuals() + 32 * flag_words(made.mask_steps);
        bool flat = true;
        // Where nothing is left to predict all residuals are 0.
        if (mask != MASK_ALL && !interpolate(box, program, first, events, made.flags, flat,
                                             made.listed, made.max_error))
        {
            made.len = 0;
            return made;
        }
        made.record = record_of(box, mask, pattern, made.listed);
        made.symbols = first != base || mask == MASK_CODED || !flat;
        made.mode = made.symbols ? MODE_INTERPOLATED : MODE_FLAT;
        made.escaped = mask == MASK_ALL ? box.len : masked + made.listed;
        __syncwarp();
        return made;
    }
};

} // namespace fsz
