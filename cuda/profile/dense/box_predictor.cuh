// Boxes to residuals, a warp to each box: predicted forward, as the decoder will. Plain boxes,
// which nearly all are, have a way of their own; this one takes any box.
#pragma once

#include "profile/dense/box_elements.cuh"
#include "profile/dense/lorenzo_stage.cuh"
#include "profile/dense/plain_box.cuh"
#include "profile/dense/walk.cuh"

namespace fsz
{

/// How the symbols of a box are kept until they are coded: as the events of a plain box in shared
/// memory, without masked points or with some, as differences there, or as residuals or differences
/// in the slot.
enum class Kept : u32
{
    PLAIN,
    MASKED,
    STAGED,
    RESIDUALS,
    DIFFERENCES
};

/// What is known of a box that was tried as a plain one.
enum class Tried : u32
{
    /// It is one.
    PLAIN,
    /// Elements lack targets.
    LACKS,
    /// It is another, which may be interpolated, or may not.
    OTHER,
    UNFIT
};

/// A box that is predicted.
template <class Error> struct PredictedBox
{
    Kept kept;
    u32 mode;
    /// The code of its first element that has one.
    i32 own;
    /// Passes that have residuals.
    u32 flags;
    /// Steps of events of its mask, of differences.
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
    const PredictorSlot<T> slot;
    const Interpolation how;
    /// The lanes before this one.
    const u32 before;
    PlainBoxes<Z> plain;
    /// What is known of the field's elements.
    Statistics statistics;

    FSZ_DEVICE BoxPredictor(const Args &args, const BoxGrid &grid, const EncodeProgram *programs,
                            EncodeStage &stage, const PredictorSlot<T> &slot)
        : BoxElements<Z>(args, grid), programs(programs), stage(stage), slot(slot), how(grid),
          before((1u << lane_id()) - 1), plain(args, grid, shared_address(stage.words)),
          statistics{}
    {
    }

    FSZ_DEVICE bool bit(const u32 *bits, u32 at) const { return bits[at / 32] >> at % 32 & 1; }

    /// The distance from the first code of a box to the farthest.
    FSZ_DEVICE u32 reach(const Box &box, i32 first) const
    {
        u32 most = 0;
        each_32(box, [&](u32 from, T d) {
            i32 code;
            if (from + lane < box.len && plain.points.code_of(d, code))
            {
                most = max(most, static_cast<u32>(abs(code - first)));
            }
            return true;
        });
        return warp_max(most);
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
            const bool has = coded(at, d, in);
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
        for (u32 word = (box.len + 31) / 32 + lane; word < DENSE_BOX / 32; word += 32)
        {
            stage.mask[word] = 0;
            slot.listed[word] = 0;
        }
        __syncwarp();
        return masked;
    }

    FSZ_DEVICE u32 count_listed() const
    {
        u32 count = 0;
        for (u32 k = lane; k < DENSE_BOX / 32; k += 32)
        {
            count += __popc(slot.listed[k]);
        }
        return __reduce_add_sync(WARP_ALL, count);
    }

    /// Writes the events of a box's mask; gives their steps.
    FSZ_DEVICE u32 mask_events(const Program &program)
    {
        u32 *to = slot.residuals + lane;
        const auto masked = [&](u32 at) { return bit(stage.mask, at) ? 1u : 0u; };
        const auto give = [&](bool active, u32 context, u32 at) {
            *to = active ? (FIRST_FLAG + context) << 16 | masked(at) : NO_EVENT;
            to += 32;
        };
        give(lane == 0, 0, 0);
        u32 steps = 1;
        if (program.corners > 0)
        {
            const u32 entry = program.entries[0][lane];
            give(!(entry & ENTRY_IDLE), 1 + masked(0), entry & ENTRY_POSITION);
            ++steps;
        }
        for (u32 p = 0; p < program.passes; ++p)
        {
            const Pass &pass = program.pass[p];
            for (u32 s = 0; s < pass.steps; ++s)
            {
                const u32 entry = program.entries[pass.first + s][lane];
                give(!(entry & ENTRY_IDLE), mask_context(pass, entry, masked),
                     entry & ENTRY_POSITION);
            }
            steps += pass.steps;
        }
        return steps;
    }

    /// The patterns that have a number.
    FSZ_DEVICE u32 pattern_number(Bits pattern) const
    {
        return pattern == Element<T>::QUIET_NAN                            ? PATTERN_NAN
               : pattern == Element<T>::NEGATIVE_NAN                       ? PATTERN_NEGATIVE_NAN
               : args.missing.count > 0 && pattern == args.missing.bits[0] ? PATTERN_FIRST_MISSING
                                                                           : PATTERN_IN_PAYLOAD;
    }

    /// Writes the record of a box; gives its words, 0 where there is nothing to tell.
    FSZ_DEVICE u32 write_record(const Box &box, u32 *to, u32 mask, Bits pattern, u32 listed)
    {
        if (mask == MASK_NONE && listed == 0)
        {
            return 0;
        }
        const u32 number = mask == MASK_NONE ? PATTERN_NAN : pattern_number(pattern);
        const EscapeRecord<WORDS> record(number | mask << 2 | listed << 16);
        u32 *const positions = to + record.positions();
        if (lane == 0)
        {
            to[0] = number | mask << 2 | listed << 16;
            if (record.pattern_words() > 0)
            {
                put_words(to + 1, pattern);
            }
            if (listed % 2 == 1)
            {
                positions[listed / 2] = 0;
            }
        }
        __syncwarp();
        u32 done = 0;
        for (u32 from = 0; listed > 0 && from < box.len; from += 32)
        {
            const u32 word = slot.listed[from / 32];
            if (word >> lane & 1)
            {
                const u32 k = done + __popc(word & before);
                const u32 at = from + lane;
                reinterpret_cast<u16 *>(positions)[k] = static_cast<u16>(at);
                put_words(to + record.bits() + k * WORDS, bits_of(element(box, at)));
            }
            done += __popc(word);
        }
        __syncwarp();
        return record.words();
    }

    /// Lists the elements that `far` tells, beside those that are; gives how many are listed.
    template <class Far> FSZ_DEVICE u32 list(const Box &box, const Far &far) const
    {
        u32 listed = 0;
        each_32(box, [&](u32 from, T d) {
            const u32 more = __ballot_sync(WARP_ALL, far(from, d));
            __syncwarp();
            if (lane == 0)
            {
                slot.listed[from / 32] |= more;
            }
            __syncwarp();
            listed += __popc(slot.listed[from / 32]);
            return true;
        });
        return listed;
    }

    /// Predicts a box by interpolation: its events, which passes have any residual, and what of it
    /// is listed. False where it does not fit.
    FSZ_DEVICE bool interpolate(const Box &box, const Program &program, i32 own, u32 *events,
                                u32 &flags, bool &flat, u32 &listed, Error &max_error)
    {
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
        if (program.corners > 0)
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
        for (u32 p = 0; p < program.passes; ++p)
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
        listed = list(box, [&](u32 from, T d) {
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
            return far;
        });
        return listed <= box.len / 32;
    }

    /// Predicts codes that `known` gives (false for one that is escaped), by order `order`; writes
    /// events from `events` on.
    template <class Known>
    FSZ_DEVICE void lorenzo(const Box &box, i32 base, u32 order, u32 events, const Known &known)
    {
        const u32 len = lorenzo_lane_len(box.len);
        LorenzoLane own(0);
        for (u32 step = 0; step < len; ++step)
        {
            const u32 at = lane * len + step;
            const bool active = at < box.len;
            i32 code = 0;
            const bool has = active && known(at, code);
            i32 difference;
            u32 context = DENSE_LORENZO_CONTEXTS;
            if (step == 0)
            {
                const u32 votes = __ballot_sync(WARP_ALL, has) & (before << 1 | 1);
                const i32 found = __shfl_sync(WARP_ALL, code, votes ? 31 - __clz(votes) : 0);
                code = votes ? found : base;
                const i32 up = __shfl_up_sync(WARP_ALL, code, 1);
                difference = static_cast<i32>(static_cast<u32>(code) -
                                              static_cast<u32>(lane == 0 ? base : up));
                own = LorenzoLane(code);
            }
            else
            {
                const i32 prediction = own.prediction(order, step);
                context = own.context();
                code = has ? code : prediction;
                difference =
                    static_cast<i32>(static_cast<u32>(code) - static_cast<u32>(prediction));
                own.take(code, difference);
            }
            slot.differences[events + 32 * step + lane] =
                active ? uint2{FIRST_DIFFERENCE + context, static_cast<u32>(difference)}
                       : uint2{NO_EVENT, 0};
        }
    }

    /// Lists the elements of a plain box that lack a target or do not keep the bound, but for
    /// masked ones; whether a box may have so many.
    FSZ_DEVICE bool list_plain(const Box &box, const typename PlainBoxes<Z>::Outcome &out, i32 own,
                               u32 &listed, Error &max_error) const
    {
        for (u32 word = lane; word < DENSE_BOX / 32; word += 32)
        {
            slot.listed[word] = 0;
        }
        __syncwarp();
        const auto targets = plain.points.targets(own);
        const auto near = plain.points.nearness();
        const u32 shifted = static_cast<u32>(own) << how.fine;
        max_error = {};
        listed = list(box, [&](u32 from, T d) {
            const u32 at = from + lane;
            if (at >= box.len)
            {
                return false;
            }
            if (out.masked > 0 && bits_of(d) == out.pattern)
            {
                return false;
            }
            i32 target;
            Error error;
            const u32 value = static_cast<u32>(plain.value_at(box, at));
            const bool kept = has_code(d, own) && targets(d, target) &&
                              near(d, static_cast<i32>(shifted + value), error);
            max_error = kept ? larger(max_error, error) : max_error;
            return !kept;
        });
        return listed <= box.len / 32;
    }

    /// Whether an element has a code, or else a target all the same.
    FSZ_DEVICE bool has_code(T d, i32 own) const
    {
        i32 code;
        return plain.points.code_of(d, code) || plain.points.has_target(d, own);
    }

    /// The bits of the first element of a box that has no code; false where each has one.
    FSZ_DEVICE bool first_without(const Box &box, i32 own, Bits &pattern) const
    {
        bool found = false;
        pattern = 0;
        each_32(box, [&](u32 from, T d) {
            const bool without = from + lane < box.len && !has_code(d, own);
            if (const u32 votes = __ballot_sync(WARP_ALL, without))
            {
                pattern = __shfl_sync(WARP_ALL, bits_of(d), __ffs(votes) - 1);
                found = true;
            }
            return !found;
        });
        return found;
    }

    /// Predicts a plain box.
    FSZ_DEVICE Tried plain_box(const Box &box, i32 base, Predicted &made)
    {
        i32 own;
        if (!plain.points.code_of(element(box, 0), own))
        {
            return Tried::LACKS;
        }
        auto out = plain.template predict<false>(box, programs, own, 0, false, nullptr);
        if (!out.quantized)
        {
            return Tried::LACKS;
        }
        if (!out.told)
        {
            return out.unfit ? Tried::UNFIT : Tried::OTHER;
        }
        u32 listed = 0, record = 0;
        if (out.far)
        {
            if (plain.points.may_lack_codes())
            {
                // Then some element may be masked.
                return Tried::LACKS;
            }
            if (!list_plain(box, out, own, listed, out.max_error))
            {
                return Tried::UNFIT;
            }
            record = write_record(box, slot.record, MASK_NONE, 0, listed);
        }
        const bool symbols = own != base || !out.flat;
        made = {Kept::PLAIN,
                symbols ? MODE_INTERPOLATED : MODE_FLAT,
                own,
                out.flags,
                0,
                0,
                record,
                listed,
                listed,
                symbols,
                out.max_error};
        return Tried::PLAIN;
    }

    /// Predicts a box of which some elements have no targets, and that is plain but for them. The
    /// first element that has a code has `own`, and the chunk begins with `base`.
    FSZ_DEVICE Tried masked_box(const Box &box, i32 base, i32 own, Predicted &made)
    {
        Bits pattern;
        const bool any = first_without(box, own, pattern);
        auto out = plain.template predict<true>(box, programs, own, pattern, any, slot.residuals);
        if (!out.told)
        {
            return out.unfit ? Tried::UNFIT : Tried::OTHER;
        }
        u32 listed = 0;
        if ((out.odd > 0 || out.far) && !list_plain(box, out, own, listed, out.max_error))
        {
            return Tried::UNFIT;
        }
        if (!args.control->range_known)
        {
            if (out.odd > 0)
            {
                each_32(box, [&](u32 from, T d) {
                    if (from + lane < box.len)
                    {
                        take_elements(bits_of(d), 1);
                    }
                    return true;
                });
            }
            else if (lane == 0)
            {
                take_elements(out.pattern, out.masked);
            }
        }
        const u32 mask = out.masked > 0 ? MASK_CODED : MASK_NONE;
        const u32 record = write_record(box, slot.record, mask, out.pattern, listed);
        const bool symbols = own != base || !out.flat || mask == MASK_CODED;
        made = {Kept::MASKED,
                symbols ? MODE_INTERPOLATED : MODE_FLAT,
                own,
                out.flags,
                out.mask_steps,
                0,
                record,
                listed,
                out.masked + listed,
                symbols,
                out.max_error};
        return Tried::PLAIN;
    }

    /// Predicts a box of a chunk that begins with the code `base`; unless it is CODED it may lack
    /// the differences of an exact box.
    template <bool CODED> FSZ_DEVICE Predicted predict(const Box &box, i32 base)
    {
        Predicted made;
        const Tried tried = plain_box(box, base, made);
        if (tried == Tried::PLAIN)
        {
            return made;
        }
        // A copy: what is not inlined would drive this predictor's own from registers.
        BoxPredictor copy = *this;
        made = copy.template other_box<CODED>(box, base, tried);
        statistics = copy.statistics;
        plain.low = copy.plain.low;
        plain.high = copy.plain.high;
        return made;
    }

    /// Predicts a box that is not plain at first sight.
    template <bool CODED>
    __device__ __noinline__ Predicted other_box(const Box &box, i32 base, Tried tried)
    {
        Predicted made;
        i32 own = base;
        const bool any = this->first_code(plain.points, box, own);
        // Few boxes are only counted; a driver compiles that kernel in half the time without.
        if constexpr (CODED)
        {
            if (any && tried == Tried::LACKS && plain.serves(own))
            {
                tried = masked_box(box, base, own, made);
                if (tried == Tried::PLAIN)
                {
                    return made;
                }
            }
        }
        return any_box<CODED>(box, base, own, tried == Tried::UNFIT);
    }

    /// Predicts any box, whose first element with a code has `first`; if none has, it is `base`.
    /// `unfit`: it is known that it cannot be interpolated.
    template <bool CODED>
    FSZ_DEVICE Predicted any_box(const Box &box, i32 base, i32 first, bool unfit)
    {
        const Program &program = programs[box.shape].any;
        Predicted made{Kept::RESIDUALS, MODE_INTERPOLATED, first, 0, 0, 0, 0, 0, 0, true, {}};
        Bits pattern;
        i32 &own = made.own;
        u32 &listed = made.listed, &flags = made.flags;
        Error &max_error = made.max_error;
        bool fits = false, flat = true;
        u32 masked = 0;
        u32 &mask_steps = made.mask_steps;
        const auto any_code = [&](u32, T d, bool in) {
            if (in && !args.control->range_known)
            {
                take_elements(bits_of(d), 1);
            }
            return has_code(d, own);
        };
        const bool interpolates = !unfit && grid.predictor != DENSE_LORENZO;
        // By Lorenzo prediction another mask is found below.
        if (interpolates || !args.control->range_known)
        {
            masked = find_mask(box, any_code, pattern);
        }
        u32 mask = masked == 0 ? MASK_NONE : masked == box.len ? MASK_ALL : MASK_CODED;
        if (interpolates)
        {
            mask_steps = mask == MASK_CODED ? mask_events(program) : 0;
            u32 *const events = slot.residuals + 32 * mask_steps;
            // Where nothing is left to predict all residuals are 0.
            fits = mask == MASK_ALL ||
                   interpolate(box, program, own, events, flags, flat, listed, max_error);
            if (fits)
            {
                made.record = write_record(box, slot.record, mask, pattern, listed);
                made.symbols = own != base || mask == MASK_CODED || !flat;
                made.mode = made.symbols ? MODE_INTERPOLATED : MODE_FLAT;
            }
        }
        if (!fits)
        {
            max_error = {};
            flags = 0;
            mask_steps = 0;
            own = base;
            bool found = false;
            const LorenzoStage codes(shared_address(stage.words), box.len);
            const auto strict_code = [&](u32 at, T d, bool in) {
                i32 code;
                Error error;
                const bool kept = plain.points.strict_code_of(d, code, error);
                max_error = in && kept ? larger(max_error, error) : max_error;
                if (in)
                {
                    codes.put(at, kept ? code : NO_CODE);
                }
                const u32 votes = __ballot_sync(WARP_ALL, in && kept);
                if (votes && !found)
                {
                    found = true;
                    own = __shfl_sync(WARP_ALL, code, __ffs(votes) - 1);
                }
                return kept;
            };
            masked = find_mask(box, strict_code, pattern);
            mask = masked == 0 ? MASK_NONE : masked == box.len ? MASK_ALL : MASK_CODED;
            listed = count_listed();
            fits = listed <= box.len / 4;
            if (fits)
            {
                mask_steps = mask == MASK_CODED ? mask_events(program) : 0;
                LorenzoCost costs[2];
                codes.costs(own, costs);
                const u32 order = costs[0].bits <= costs[1].bits ? 1 : 2;
                made.record = write_record(box, slot.record, mask, pattern, listed);
                made.symbols = own != base || costs[0].bits != 0 || mask == MASK_CODED;
                made.mode = !made.symbols ? MODE_FLAT
                            : order == 1  ? MODE_LORENZO_1
                                          : MODE_LORENZO_2;
                made.steps = made.symbols ? codes.lane_len : 0;
                made.kept =
                    costs[order - 1].any <= LorenzoEvent::MOST ? Kept::STAGED : Kept::DIFFERENCES;
                if (made.symbols && made.kept == Kept::STAGED)
                {
                    write_lorenzo(codes, own, order);
                }
                else if (made.symbols)
                {
                    const auto known = [&](u32 at, i32 &code) { return codes.get(at, code); };
                    lorenzo(box, own, order, 0, known);
                }
            }
            else
            {
                made.kept = Kept::DIFFERENCES;
                max_error = {};
                listed = 0;
                made.mode = MODE_EXACT;
                // What is only counted is counted by who asks.
                const u32 steps = CODED ? lorenzo_lane_len(box.len) : 0;
                made.steps = steps * WORDS;
                for (u32 word = 0; CODED && word < WORDS; ++word)
                {
                    const auto known = [&](u32 at, i32 &code) {
                        code = static_cast<i32>(static_cast<u32>(
                            static_cast<u64>(bits_of(element(box, at))) >> (32 * word)));
                        return true;
                    };
                    lorenzo(box, 0, 1, 32 * steps * word, known);
                }
            }
        }
        __syncwarp();
        made.escaped = made.mode == MODE_EXACT || mask == MASK_ALL ? box.len : masked + listed;
        return made;
    }

    /// Takes in what is known of the field's elements by so many that have the same bits.
    FSZ_DEVICE void take_elements(Bits pattern, u32 count)
    {
        const T d = value_of(pattern);
        const bool named = args.missing.is(pattern);
        const bool finite = is_number(d);
        statistics.missing += named ? count : 0;
        statistics.nan += !named && is_nan(d) ? count : 0;
        statistics.inf += !named && !finite && !is_nan(d) ? count : 0;
        if (!named && finite && count > 0)
        {
            const Bits key = order_key(d);
            statistics.max_key = max(statistics.max_key, static_cast<u64>(key));
            statistics.min_key = max(statistics.min_key, static_cast<u64>(static_cast<Bits>(~key)));
        }
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
