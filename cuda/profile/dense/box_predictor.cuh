// Boxes to residuals, a warp to each box: predicted forward, as the decoder will. Plain boxes,
// which nearly all are, have a way of their own; this one takes any box.
#pragma once

#include "profile/dense/box_elements.cuh"
#include "profile/dense/escaped_lorenzo.cuh"
#include "profile/dense/plain_far.cuh"
#include "profile/dense/shared_count.cuh"
#include "profile/dense/walk.cuh"

namespace fsz
{

/// How the symbols of a box are kept in the slot until they are coded: as the events of a plain
/// box, by interpolation or Lorenzo prediction, or as residuals or differences.
enum class Kept : u32
{
    PLAIN,
    LORENZO,
    RESIDUALS,
    DIFFERENCES
};

/// Boxes that the warps of a thread block are to take for others than plain ones, in shared memory:
/// masked ones lie beside each other, and two ways that a multiprocessor goes at once push each
/// other's instructions out of the cache. Each masked one adds some to those: where they are few,
/// plain ones between them go their own way soon.
struct OtherBoxes
{
    static constexpr i32 BESIDE_LISTED = 4;
    static constexpr i32 BESIDE_MASKED = 4;
    static constexpr i32 BESIDE_MOST = 64;

    SharedCount boxes;

    FSZ_DEVICE bool any() const { return boxes.reaches(1); }

    /// Takes a box that went the way of others: whether some of it is masked, or masked or listed.
    /// Called by a warp.
    FSZ_DEVICE void take(bool masked, bool escaped)
    {
        if (lane_id() == 0)
        {
            const i32 left = max(boxes.now() - 1, 0);
            const i32 most = masked ? min(left + BESIDE_MASKED, BESIDE_MOST) : left;
            boxes.set(escaped ? max(most, BESIDE_LISTED) : most);
        }
        __syncwarp();
    }
};

/// A box that is predicted.
template <class Error> struct PredictedBox
{
    /// Its elements, and its shape.
    u32 len;
    u32 shape;
    Kept kept;
    u32 mode;
    /// The code of its first element that has one.
    i32 own;
    /// Passes that have residuals.
    u32 flags;
    /// Steps of events of its mask, and of differences, or of a plain box groups of steps.
    u32 mask_steps;
    u32 steps;
    /// Words of its record in the slot.
    u32 record;
    u32 listed;
    u32 escaped;
    /// Whether it has any symbols.
    bool symbols;
    /// The largest error of the lane.
    Error max_error;

    /// Whether it is no plain box.
    FSZ_DEVICE bool went_long_way() const
    {
        return escaped > 0 || kept == Kept::RESIDUALS || kept == Kept::DIFFERENCES;
    }
};

/// Predicts boxes by a quantizer.
template <class Z> struct BoxPredictor : BoxElements<Z>
{
    using T = typename Z::Value;
    using Error = typename Z::Error;
    using Args = typename ArgsOf<Z>::Args;
    using Bits = typename Element<T>::Bits;
    using Predicted = PredictedBox<Error>;
    using BoxElements<Z>::args;
    using BoxElements<Z>::grid;
    using BoxElements<Z>::lane;
    using BoxElements<Z>::WORDS;
    using BoxElements<Z>::element;
    using BoxElements<Z>::each_32;

    const EncodeProgram *const programs;
    EncodeStage &stage;
    PredictorSlot<T> slot;
    const Interpolation how;
    PlainBoxes<Z> plain;
    /// What is known of the field's elements.
    Statistics statistics;
    OtherBoxes &others;

    FSZ_DEVICE BoxPredictor(const Args &args, const BoxGrid &grid, const EncodeProgram *programs,
                            EncodeStage &stage, const PredictorSlot<T> &slot, OtherBoxes &others)
        : BoxElements<Z>(args, grid), programs(programs), stage(stage), slot(slot), how(grid),
          plain(args, grid, shared_address(stage.words)), statistics{}, others(others)
    {
    }

    FSZ_DEVICE bool bit(const u32 *bits, u32 at) const { return bits[at / 32] >> at % 32 & 1; }

    /// The distance from the first code of a box to the farthest.
    FSZ_DEVICE u32 reach(const Box &box, i32 first) const
    {
        // Few boxes are looked at: what takes time is to wait for each load, and for each code.
        constexpr u32 AT_ONCE = 8 / WORDS;
        u32 most = 0;
        const u32 len = same(box.len);
#pragma unroll 1
        for (u32 from = 0; from < len; from += 32 * AT_ONCE)
        {
            T values[AT_ONCE];
#pragma unroll
            for (u32 k = 0; k < AT_ONCE; ++k)
            {
                values[k] = element(box, min(from + 32 * k + lane, len - 1));
            }
#pragma unroll
            for (u32 k = 0; k < AT_ONCE; ++k)
            {
                i32 code;
                const bool has = plain.points.code_of(values[k], code);
                most = has ? max(most, static_cast<u32>(abs(code - first))) : most;
            }
        }
        return warp_max(most);
    }

    /// Marks nothing behind the last element of a box as masked or listed.
    FSZ_DEVICE void clear_behind(u32 len)
    {
        for (u32 word = (len + 31) / 32 + lane; word < DENSE_BOX / 32; word += 32)
        {
            stage.mask[word] = 0;
            slot.listed[word] = 0;
        }
        __syncwarp();
    }

    /// The bits of the first element of `box` without a code, all of which are masked; gives how
    /// many. Leaves the others without a code in `slot.listed`. `coded` tells which have a code.
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
                stage.mask[from / 32] = mask;
                slot.listed[from / 32] = without & ~mask;
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
        FlagEvents events(slot.residuals);
        const auto masked = [&](u32 at) { return bit(stage.mask, at) ? 1u : 0u; };
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

    /// Writes the record of a box; gives its words, 0 where there is nothing to tell.
    FSZ_DEVICE u32 record_of(const Box &box, u32 mask, Bits pattern, u32 listed) const
    {
        return write_record(plain.span_of(box), &args.missing, slot.record,
                            Escaped<Bits>{mask, pattern, listed}, slot.listed);
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
                const u32 without = stage.mask[from / 32] | slot.listed[from / 32];
                i32 target;
                const bool fits = !(without >> lane & 1) && targets(element, target);
                far = !fits && !(without >> lane & 1);
                words[at] = fits ? target : ANY;
            }
            const u32 more = __ballot_sync(WARP_ALL, far);
            __syncwarp();
            if (lane == 0)
            {
                slot.listed[from / 32] |= more;
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
            *to = point && !bit(stage.mask, at) ? context << 16 | static_cast<u32>(r & 0xFFFF)
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
            const u32 without = stage.mask[from / 32] | slot.listed[from / 32];
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
                slot.listed[from / 32] |= more;
            }
            __syncwarp();
            listed += __popc(slot.listed[from / 32]);
            return true;
        });
        return listed <= box.len / 32;
    }

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

    /// Lists the elements of a plain box that have no target or do not keep the bound, and takes
    /// the largest error of the others; whether they are few enough, and the walk took none of them
    /// for another.
    template <bool MASKED>
    FSZ_DEVICE bool list_of_plain(const Box &box, typename PlainBoxes<Z>::Outcome &out, u32 &listed)
    {
        listed = 0;
        if (!out.walked.far())
        {
            return true;
        }
        const bool guessed = plain.has_guessed_targets();
        if (guessed && out.listed == 0)
        {
            return false;
        }
        const Points<Z> &points = plain.points;
        const auto found = Apart<LAYOUT_LINE, MASKED>::call(
            [span = plain.span_of(box), at = plain.stage, layout = layout_of(grid), points,
             own = out.own, left = LeftOut<T, MASKED>{out.pattern},
             to = slot.listed]() { return list_far(span, at, layout, points, own, left, to); });
        listed = found.count;
        out.max_error = found.error;
        return listed <= box.len / 32 && !(guessed && listed != out.listed);
    }

    /// Predicts a plain box; false for any other, which may be found a misfit if all of its
    /// elements have codes.
    FSZ_DEVICE bool plain_box(const Box &box, i32 base, Predicted &made, bool &misfit)
    {
        i32 own;
        if (!plain.points.code_of(__ldg(args.field + box.first), own))
        {
            return false;
        }
        auto out = plain.template predict<false>(box, programs, own, slot.residuals);
        misfit = out.misfit.known;
        u32 record = 0, listed;
        if (!out.walked.fits() || !list_of_plain<false>(box, out, listed))
        {
            return false;
        }
        if (listed > 0)
        {
            record = record_of(box, MASK_NONE, 0, listed);
        }
        const bool symbols = own != base || !out.walked.flat();
        made = {box.len,
                box.shape,
                Kept::PLAIN,
                symbols ? MODE_INTERPOLATED : MODE_FLAT,
                own,
                out.walked.flags(),
                0,
                out.walked.groups,
                record,
                listed,
                listed,
                symbols,
                out.max_error};
        return true;
    }

    /// Turns the elements of a box into codes at `stage`, and takes the range of those that have
    /// one. Unless it is CODED a box is one of few.
    template <bool CODED> FSZ_DEVICE LorenzoCodes<Error, T> codes_of(const Box &box)
    {
        __syncwarp();
        LorenzoCodes<Error, T> codes;
        if constexpr (CODED)
        {
            const bool line = box.n[2] == box.len;
            const bool wide = plain.wide && box.n[2] % 4 == 0 && box.first % 4 == 0 &&
                              lorenzo_lane_len(box.len) % LORENZO_QUAD == 0;
            codes = line ? (wide ? codes_by<LAYOUT_LINE, 4>(box) : codes_by<LAYOUT_LINE, 1>(box))
                         : (wide ? codes_by<LAYOUT_BRICK, 4>(box) : codes_by<LAYOUT_BRICK, 1>(box));
        }
        else
        {
            codes = codes_by<LAYOUT_BRICK, 1>(box);
        }
        plain.low = codes.found.low;
        plain.high = codes.found.high;
        __syncwarp();
        return codes;
    }

    template <u32 LAYOUT, u32 WIDTH>
    FSZ_DEVICE LorenzoCodes<Error, T> codes_by(const Box &box) const
    {
        const Decoded<Error, T> found{Error{}, plain.low, plain.high};
        const Points<Z> &points = plain.points;
        return Apart<LAYOUT, false>::call(
            [span = plain.span_of(box), at = plain.stage, points, range = !plain.range_known,
             found]() { return lorenzo_codes<LAYOUT, WIDTH>(span, at, points, range, found); });
    }

    /// Predicts a plain box, whose codes are known, by Lorenzo prediction; false for any other.
    FSZ_DEVICE bool lorenzo_box(const Box &box, i32 base, const LorenzoCodes<Error, T> &codes,
                                Predicted &made)
    {
        if (codes.without > 0)
        {
            return false;
        }
        const LorenzoBox out = Apart<LAYOUT_BRICK, false>::call(
            [at = plain.stage, len = box.len, to = slot.lorenzo]() {
                return predict_lorenzo(at, len, to);
            });
        __syncwarp();
        if (!out.plain)
        {
            return false;
        }
        const bool symbols = out.own != base || !out.flat;
        made = {box.len,
                box.shape,
                Kept::LORENZO,
                !symbols         ? MODE_FLAT
                : out.order == 1 ? MODE_LORENZO_1
                                 : MODE_LORENZO_2,
                out.own,
                0,
                0,
                lorenzo_lane_len(box.len),
                0,
                0,
                0,
                symbols,
                codes.found.error};
        return true;
    }

    /// Predicts a box of which some elements are masked or have no targets, and that is plain but
    /// for them; false for any other. The first element with a code has `own`.
    FSZ_DEVICE bool masked_box(const Box &box, i32 base, i32 own, Predicted &made, Misfit &misfit)
    {
        auto out = plain.template predict<true>(box, programs, own, slot.residuals);
        misfit = out.misfit;
        u32 listed;
        if (!out.walked.fits() || !list_of_plain<true>(box, out, listed))
        {
            return false;
        }
        take_alike(out.pattern, out.masked);
        const bool coded = out.masked > 0;
        const u32 record = record_of(box, coded ? MASK_CODED : MASK_NONE, out.pattern, listed);
        const bool symbols = coded || own != base || !out.walked.flat();
        made = {box.len,
                box.shape,
                Kept::PLAIN,
                symbols ? MODE_INTERPOLATED : MODE_FLAT,
                own,
                out.walked.flags(),
                out.mask_steps,
                out.walked.groups,
                record,
                listed,
                out.masked + listed,
                symbols,
                out.max_error};
        return true;
    }

    /// Predicts a box whose elements all have the same bits and no code; false for any other. No
    /// element has a code.
    FSZ_DEVICE bool uniform_box(const Box &box, i32 base, Predicted &made)
    {
        const T first = __ldg(args.field + box.first);
        const Bits pattern = bits_of(first);
        if (plain.points.between_codes(first, plain.points.targets(base)) ||
            Apart<LAYOUT_LINE, true>::call([span = plain.span_of(box), pattern]() {
                return any_element(span, [&](T d) { return bits_of(d) != pattern; });
            }))
        {
            return false;
        }
        take_alike(pattern, box.len);
        made = {box.len,   box.shape, Kept::RESIDUALS,
                MODE_FLAT, base,      0,
                0,         0,         record_of(box, MASK_ALL, pattern, 0),
                0,         box.len,   false,
                {}};
        return true;
    }

    /// Predicts a box of a chunk that begins with the code `base`; unless it is CODED it may lack
    /// the differences of an exact box.
    template <bool CODED> FSZ_DEVICE Predicted predict(const Box &box, i32 base)
    {
        Predicted made;
        if (grid.predictor == DENSE_LORENZO)
        {
            const LorenzoCodes<Error, T> codes = codes_of<CODED>(box);
            if constexpr (CODED)
            {
                if (lorenzo_box(box, base, codes, made))
                {
                    return made;
                }
            }
            return beside([=](BoxPredictor &own) {
                return own.template escaped_box<CODED>(box, base, codes.found.error, false);
            });
        }
        bool misfit = false;
        if (!others.any() && plain_box(box, base, made, misfit))
        {
            return made;
        }
        made = beside(
            [=](BoxPredictor &own) { return own.template other_box<CODED>(box, base, misfit); });
        if (CODED && made.kept != Kept::DIFFERENCES)
        {
            others.take(made.escaped > made.listed, made.escaped > 0);
        }
        return made;
    }

    /// What is done apart leaves.
    struct Beside
    {
        Predicted made;
        Statistics statistics;
        T low;
        T high;
    };

    /// Does a part of the work by a copy of this: plain boxes are predicted by few registers, which
    /// others would take.
    template <class Work> FSZ_DEVICE Predicted beside(const Work &work)
    {
        const Beside after = Elsewhere::call([copy = *this, work]() {
            BoxPredictor own(copy);
            const Predicted made = work(own);
            return Beside{made, own.statistics, own.plain.low, own.plain.high};
        });
        statistics = after.statistics;
        plain.low = after.low;
        plain.high = after.high;
        return after.made;
    }

    /// Predicts a box that is not plain, and may be known to be a misfit if all of its elements
    /// have codes.
    template <bool CODED> FSZ_DEVICE Predicted other_box(const Box &box, i32 base, bool unfit)
    {
        Misfit misfit{unfit, plain.has_guessed_targets() ? 0 : Misfit::ANY};
        Predicted made;
        i32 own = base;
        const bool any = this->first_code(plain.points, box, own);
        if (!any && uniform_box(box, base, made))
        {
            return made;
        }
        // Few boxes are only counted; a driver compiles that kernel in half the time without what
        // is CODED alone.
        if constexpr (CODED)
        {
            if (any && !misfit.known && masked_box(box, base, own, made, misfit))
            {
                return made;
            }
        }
        bool looked_at = false;
        for (;;)
        {
            if (!misfit.known)
            {
                looked_at = true;
                made = beside([=](BoxPredictor &copy) { return copy.any_box(box, base, own); });
                if (made.len > 0)
                {
                    return made;
                }
            }
            const LorenzoCodes<Error, T> codes = codes_of<CODED>(box);
            if (looked_at || misfit.holds(codes.without))
            {
                return escaped_box<CODED>(box, base, codes.found.error, looked_at);
            }
            misfit.known = false;
        }
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
        const u32 masked = find_mask(box, any_code, pattern);
        const u32 mask = mask_kind(box, masked);
        made.mask_steps = mask == MASK_CODED ? mask_events(program) : 0;
        u32 *const events = slot.residuals + 32 * flag_words(made.mask_steps);
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

    FSZ_DEVICE static u32 mask_kind(const Box &box, u32 masked)
    {
        return masked == 0 ? MASK_NONE : masked == box.len ? MASK_ALL : MASK_CODED;
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
        const u32 len = same(box.len);
#pragma unroll 1
        for (u32 from = 0; from < len; from += 32)
        {
            const u32 at = min(from + lane, len - 1);
            const u32 own = row.quotient(at);
            const u32 place = lorenzo_place(own, at - own * row.divisor);
            const i32 code = static_cast<i32>(load_word(plain.stage + place));
            const bool in = from + lane < len, left = in && code == NO_CODE;
            const u32 without = __ballot_sync(WARP_ALL, left);
            const u32 with = __ballot_sync(WARP_ALL, in && !left);
            u32 mask = 0;
            if (without)
            {
                const T d = element(box, at);
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
                stage.mask[from / 32] = mask;
                slot.listed[from / 32] = without & ~mask;
            }
            out.masked += __popc(mask);
            out.listed += __popc(without & ~mask);
        }
        clear_behind(len);
        return out;
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
            const EscapedLorenzo came = predict_escaped(plain.stage, box.len, out.first,
                                                        CODED && grid.predictor == DENSE_LORENZO,
                                                        slot.lorenzo, slot.differences);
            made.kept = came.in_words ? Kept::LORENZO : Kept::DIFFERENCES;
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
                exact_differences(box, word, slot.differences + 32 * steps * word);
            }
            made.steps = CODED ? steps * WORDS : 0;
        }
        __syncwarp();
        return made;
    }

    /// Takes in so many elements of the same bits, if the range is not known.
    FSZ_DEVICE void take_alike(Bits pattern, u32 count)
    {
        if (lane == 0 && !args.control->range_known && count > 0)
        {
            const T d = value_of(pattern);
            is_number(d) && !args.missing.is(pattern) ? take_range(d) : take_masked(pattern, count);
        }
    }

    /// Takes in so many elements of the same bits that are no numbers or missing.
    FSZ_DEVICE void take_masked(Bits pattern, u32 count)
    {
        const T d = value_of(pattern);
        const bool named = args.missing.is(pattern);
        statistics.missing += named ? count : 0;
        statistics.nan += !named && is_nan(d) ? count : 0;
        statistics.inf += !named && !is_number(d) && !is_nan(d) ? count : 0;
    }

    /// What is known of a field's elements while they are predicted.
    FSZ_DEVICE void take_range(T d)
    {
        if (is_number(d) && !args.missing.is(bits_of(d)))
        {
            const Bits key = order_key(d);
            statistics.max_key = max(statistics.max_key, static_cast<u64>(key));
            statistics.min_key = max(statistics.min_key, static_cast<u64>(static_cast<Bits>(~key)));
            return;
        }
        take_masked(bits_of(d), 1);
    }

    /// All that is known.
    FSZ_DEVICE Statistics gathered() const
    {
        Statistics all = statistics;
        if (plain.low <= plain.high)
        {
            all.max_key = max(all.max_key, static_cast<u64>(order_key(plain.high)));
            all.min_key =
                max(all.min_key, static_cast<u64>(static_cast<Bits>(~order_key(plain.low))));
        }
        return all;
    }

    /// The target of an element that may come out as anything.
    static constexpr i32 ANY = static_cast<i32>(0x80000000u);
};

} // namespace fsz
