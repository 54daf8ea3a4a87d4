// Plain boxes: all elements have targets that are known to fit, so that no step is looked at again,
// but for those that are masked or listed.
#pragma once

#include "profile/dense/encode/memory.cuh"
#include "profile/dense/encode/plain/mask.cuh"
#include "profile/dense/encode/plain/masked.cuh"
#include "profile/dense/encode/plain/points.cuh"

namespace fsz
{

/// What became of the walk through a plain box.
template <class Error, class Bits> struct PlainOutcome
{
    /// If it does not fit nothing else counts but the misfit.
    PlainWalked walked;
    Misfit misfit;
    Error max_error;
    /// Steps of events of the mask, and what is masked, of a box that may have a mask; `single`:
    /// whether that is one element, which is listed instead.
    u32 mask_steps;
    u32 masked;
    bool single;
    Bits pattern;
    /// Elements that were listed before the walk.
    u32 listed;
};

/// Walks through plain boxes in shared memory at `stage`.
template <class Z> struct PlainBoxes
{
    using T = typename Z::Value;
    using Error = typename Z::Error;
    using Bits = typename Element<T>::Bits;
    using Outcome = PlainOutcome<Error, Bits>;

    const CompressArgs<T> &args;
    const BoxGrid &grid;
    const u32 stage;
    const u32 lane;
    PlainPoints<Z> points;
    /// The smallest and the largest element so far, where the range is not known.
    T low;
    T high;

    FSZ_DEVICE PlainBoxes(const typename ArgsOf<Z>::Args &args, const BoxGrid &grid, u32 stage)
        : args(args), grid(grid), stage(stage), lane(lane_id()), points(args, grid.fine), low(1),
          high(-1)
    {
        notes().keep(Note::RANGE_KNOWN, args.control->range_known != 0 ? 1 : 0);
    }

    FSZ_DEVICE Notes notes() const { return EncodeStage::notes_of(stage); }

    FSZ_DEVICE bool range_known() const { return notes().of(Note::RANGE_KNOWN) != 0; }

    /// Whether boxes are predicted at all.
    FSZ_DEVICE bool predicted() const
    {
        const u32 own = grid.predictor;
        const bool known = layout_of(grid) == LAYOUT_LINE
                               ? own == DENSE_SMOOTH
                               : own == DENSE_CUBIC || own == DENSE_BLENDED;
        return (own == DENSE_LINEAR || known) && points.any();
    }

    /// Whether a box can be loaded four elements at a time.
    FSZ_DEVICE bool wide(const Box &box) const
    {
        return grid.shape[3] % 4 == 0 && grid.extent[3] % 4 == 0 &&
               reinterpret_cast<u64>(args.field) % (4 * sizeof(T)) == 0 && box.n[2] % 4 == 0 &&
               box.first % 4 == 0;
    }

    /// Where the elements of a box are.
    FSZ_DEVICE BoxSpan<T> span_of(const Box &box) const
    {
        return {args.field + box.first,
                grid.shape[3],
                grid.shape[2] * grid.shape[3],
                {box.n[0], box.n[1], box.n[2]}};
    }

    /// Whether all elements keep the bound; `error` is the largest of the lane.
    template <u32 LAYOUT, u32 WIDTH, bool MASKED>
    FSZ_DEVICE bool strict(LeftOut<T, MASKED> left_out, Error &error)
    {
        Decoded<Error, T> found{Error{}, low, high};
        const bool all = points.template strict<LAYOUT, WIDTH>(
            span_of(notes().box()), stage, notes().own(), found, !range_known(), left_out);
        low = found.low;
        high = found.high;
        error = found.error;
        return all;
    }

    template <u32 LAYOUT, Taps TAPS, bool MASKED>
    FSZ_DEVICE PlainWalked walk_by(const PlainProgram *program, u32 *events) const
    {
        return Apart<MASKED, LAYOUT>::call([program, stage = stage, fine = grid.fine, events]() {
            return walk_plain<LAYOUT, TAPS, MASKED>(program, stage, fine, events);
        });
    }

    /// By the field's predictor.
    template <u32 LAYOUT, bool MASKED>
    FSZ_DEVICE PlainWalked walk(const PlainProgram *program, u32 *events) const
    {
        constexpr bool LINE = LAYOUT == LAYOUT_LINE;
        constexpr Taps CURVED = LINE ? Taps::SMOOTH : Taps::CUBIC;
        constexpr Taps BLENDED = LINE ? Taps::SMOOTH : Taps::BLENDED;
        if (grid.predictor == DENSE_LINEAR)
        {
            return walk_by<LAYOUT, Taps::LINEAR, MASKED>(program, events);
        }
        if (!LINE && grid.predictor == DENSE_BLENDED)
        {
            return walk_by<LAYOUT, BLENDED, MASKED>(program, events);
        }
        return walk_by<LAYOUT, CURVED, MASKED>(program, events);
    }

    template <u32 LAYOUT> FSZ_DEVICE u32 mask_of(const PlainProgram *program, u32 *events) const
    {
        return Apart<true, LAYOUT>::call([program, stage = stage, events]() {
            return write_mask<LAYOUT>(program, stage, events);
        });
    }

    /// Turns the elements of a box into targets; whether it is plain. `events`: where those of its
    /// mask go, before all others.
    template <u32 LAYOUT, u32 WIDTH, bool MASKED>
    FSZ_DEVICE bool quantize(const PlainProgram *program, u32 *events, Outcome &out) const
    {
        const BoxSpan<T> span = span_of(notes().box());
        if constexpr (MASKED)
        {
            const auto use = [&](const auto &numbers) {
                const Points<Z> &own = points;
                return Apart<MASKED, LAYOUT>::call([span, stage = stage, numbers, own,
                                                    missing = &args.missing,
                                                    guessed = has_guessed_targets()]() {
                    return quantize_by_mask<LAYOUT, WIDTH>(span, stage, numbers, own, missing,
                                                           guessed);
                });
            };
            const auto found = points.with_numbers(notes().own(), use);
            out.masked = found.box.masked;
            out.single = found.box.single;
            out.listed = found.box.listed;
            out.pattern = found.box.pattern;
            out.misfit = found.misfit;
            if (out.misfit.known || !found.box.plain)
            {
                return false;
            }
            __syncwarp();
            const bool coded = out.masked > 0 && !out.single;
            out.mask_steps = coded ? mask_of<LAYOUT>(program, events) : 0;
        }
        else
        {
            const Missing<T> *const missing = args.missing.count > 0 ? &args.missing : nullptr;
            const auto use = [&](const auto &numbers) {
                return Apart<MASKED, LAYOUT>::call([span, stage = stage, numbers, missing]() {
                    return quantize_box<LAYOUT, WIDTH>(span, stage, numbers, missing);
                });
            };
            if (!points.with_numbers(notes().own(), use))
            {
                return false;
            }
        }
        __syncwarp();
        if (lane == 0)
        {
            store_word(stage, 0);
        }
        __syncwarp();
        return true;
    }

    template <u32 LAYOUT, u32 WIDTH, bool MASKED>
    FSZ_DEVICE void walk(const PlainProgram *program, u32 *events, Outcome &out)
    {
        if (!quantize<LAYOUT, WIDTH, MASKED>(program, events, out))
        {
            return;
        }
        out.walked = walk<LAYOUT, MASKED>(program, events + 32 * flag_words(out.mask_steps));
        const LeftOut<T, MASKED> left_out{out.pattern, out.single};
        // Where some are listed all are looked at for that.
        if (out.walked.fits() &&
            (out.listed > 0 || !strict<LAYOUT, WIDTH>(left_out, out.max_error)))
        {
            out.walked.bits |= PlainWalked::FAR;
        }
        out.misfit.known = !out.walked.fits() || !has_guessed_targets();
    }

    /// Whether an element may have no code, and so no target, but that of a code that its error is
    /// too large for: without a finer lattice.
    FSZ_DEVICE bool has_guessed_targets() const { return Z::RELATIVE && grid.fine == 0; }

    template <u32 LAYOUT, bool MASKED>
    FSZ_DEVICE void walk(const PlainProgram *program, u32 *events, Outcome &out)
    {
        wide(notes().box()) ? walk<LAYOUT, 4, MASKED>(program, events, out)
                            : walk<LAYOUT, 1, MASKED>(program, events, out);
    }

    /// Predicts the box of the notes, whose first element, or if MASKED the first that is not
    /// masked, has the code `own`. Its events go to `events`.
    template <bool MASKED>
    FSZ_DEVICE Outcome predict(const EncodeProgram *programs, i32 own, u32 *events)
    {
        Outcome out{{}, {false, has_guessed_targets() ? 0 : Misfit::ANY}, {}, 0, 0, false, 0, 0};
        constexpr i32 FAR = (1 << 29) - (1 << 17);
        notes().keep(Note::OWN, static_cast<u32>(own));
        if (!predicted() || own > FAR || own < -FAR)
        {
            return out;
        }
        __syncwarp();
        const PlainProgram *const program = &programs[notes().of(Note::SHAPE)].plain;
        const u32 layout = layout_of(grid);
        layout == LAYOUT_LINE    ? walk<LAYOUT_LINE, MASKED>(program, events, out)
        : layout == LAYOUT_PLANE ? walk<LAYOUT_PLANE, MASKED>(program, events, out)
                                 : walk<LAYOUT_BRICK, MASKED>(program, events, out);
        __syncwarp();
        return out;
    }
};

} // namespace fsz
