// Boxes to symbols and records of escapes, a warp to each box: predicted forward, coded backward.
// Plain boxes, which nearly all are, have a way of their own; this one takes any box.
#pragma once

#include "profile/dense/plain_box.cuh"
#include "profile/dense/points.cuh"
#include "profile/dense/walk.cuh"

namespace fsz
{

/// Steps of a box at most: a mask's first element, its corners and passes, and the values' flags.
constexpr u32 EVENT_STEPS = 2 * STEPS_MOST + 2;
/// Words of a record of escapes at most, for each word of an element: a quarter of a box's elements
/// is listed.
constexpr u32 RECORD_WORDS = 3 + DENSE_BOX / 8;

/// What a compression works with beside its control: device memory that is made ready before. The
/// same struct is `DenseWork` in crates/fsz/src/cuda/abi.rs.
struct DenseWork
{
    EncodeProgram *programs;
    const SymbolRows *rows;
    /// The stream's tables.
    const u32 *tables;
    /// Memory of each warp.
    u32 *slots;
    u32 table_words;
    /// Half words of a warp's memory that chunks lie in.
    u32 half_words;
};

/// The parts of a warp's memory, in words.
template <class T> struct WarpSlot
{
    static constexpr u32 RECORD = RECORD_WORDS + DENSE_BOX / 4 * Element<T>::WORDS;
    static constexpr u32 DIFFERENCES = 2 * DENSE_BOX;
    /// Words beside the room for chunks.
    static constexpr u32 FIXED = 32 * EVENT_STEPS + 2 * DIFFERENCES + DENSE_BOX / 32;
    u32 *residuals;
    /// Context and difference of each step and lane, one after another.
    uint2 *differences;
    /// Which elements of a box are listed.
    u32 *listed;
    /// Room for chunks: records from its beginning on, half words from its end back.
    u32 *room;

    FSZ_DEVICE WarpSlot(const DenseWork &work, u32 warp)
    {
        residuals = work.slots + warp * (FIXED + static_cast<u64>(work.half_words / 2));
        differences = reinterpret_cast<uint2 *>(residuals + 32 * EVENT_STEPS);
        listed = reinterpret_cast<u32 *>(differences + DIFFERENCES);
        room = listed + DENSE_BOX / 32;
    }
};

/// Shared memory for counts of all symbols.
constexpr u32 COUNTS_SHARED = 4 * DENSE_CONTEXTS * SYMBOLS_MOST;

/// The shared memory of a warp: targets, codes or values of a box, and which of its elements are
/// masked.
struct EncodeStage
{
    i32 words[DENSE_BOX];
    u32 mask[DENSE_BOX / 32];
};

/// What became of a box.
struct CodedBox
{
    u32 mode;
    u32 record;
    u32 listed;
    u32 escaped;
    bool symbols;
};

/// An event of a step: context among all above a residual or flag.
constexpr u32 NO_EVENT = ~0u;

/// Encodes boxes and chunks by a quantizer; `Coder` takes their symbols.
template <class Z, class Coder> struct DenseEncoder
{
    using T = typename Z::Value;
    using Error = typename Z::Error;
    using Args = typename ArgsOf<Z>::Args;
    using Bits = typename Element<T>::Bits;
    static constexpr u32 WORDS = Element<T>::WORDS;

    const Args &args;
    const BoxGrid &grid;
    const DenseWork &work;
    EncodeStage &stage;
    const WarpSlot<T> slot;
    const u32 lane;
    const Interpolation how;
    /// The lanes before this one.
    const u32 before;
    Coder coder;
    PlainBoxes<Z> plain;
    Statistics statistics;

    FSZ_DEVICE DenseEncoder(const Args &args, const BoxGrid &grid, const DenseWork &work,
                            EncodeStage &stage, const WarpSlot<T> &slot, const Coder &coder)
        : args(args), grid(grid), work(work), stage(stage), slot(slot), lane(lane_id()), how(grid),
          before((1u << lane_id()) - 1), coder(coder),
          plain(args, grid, shared_address(stage.words)), statistics{}
    {
    }

    FSZ_DEVICE bool bit(const u32 *bits, u32 at) const { return bits[at / 32] >> at % 32 & 1; }

    FSZ_DEVICE T element(const Box &box, u32 at) const
    {
        const u32 row = quotient(at, box.n[2], log_of(box.n[2]));
        const u32 z = quotient(row, box.n[1], log_of(box.n[1]));
        const u64 from =
            (z * grid.shape[2] + (row - z * box.n[1])) * grid.shape[3] + (at - row * box.n[2]);
        return __ldg(args.field + box.first + from);
    }

    /// The elements of a box, 32 at a time: `take` gets where in the box the first is, and the
    /// lane's (the box's last one where there is none), and tells whether to go on. Some are loaded
    /// ahead.
    template <class Take> FSZ_DEVICE void each_32(const Box &box, const Take &take) const
    {
        constexpr u32 AHEAD = 8 / WORDS;
        const auto load = [&](u32 at) { return element(box, min(at, box.len - 1)); };
        T ahead[AHEAD];
#pragma unroll
        for (u32 k = 0; k < AHEAD; ++k)
        {
            ahead[k] = load(32 * k + lane);
        }
#pragma unroll 1
        for (u32 from = 0; from < box.len; from += 32)
        {
            const T d = ahead[0];
#pragma unroll
            for (u32 k = 1; k < AHEAD; ++k)
            {
                ahead[k - 1] = ahead[k];
            }
            ahead[AHEAD - 1] = load(from + 32 * AHEAD + lane);
            if (!take(from, d))
            {
                return;
            }
        }
    }

    /// The code of the first element of a box that has one.
    FSZ_DEVICE bool first_code(const Box &box, i32 &code) const
    {
        bool found = false;
        each_32(box, [&](u32 from, T d) {
            i32 own = 0;
            const bool has = from + lane < box.len && plain.points.code_of(d, own);
            if (const u32 votes = __ballot_sync(WARP_ALL, has))
            {
                code = __shfl_sync(WARP_ALL, own, __ffs(votes) - 1);
                found = true;
            }
            return !found;
        });
        return found;
    }

    /// The distance from the first code of a box to the farthest.
    FSZ_DEVICE u32 reach(const Box &box, i32 first) const
    {
        u32 most = 0;
        for (u32 at = lane; at < box.len; at += 32)
        {
            i32 code;
            if (plain.points.code_of(element(box, at), code))
            {
                most = max(most, static_cast<u32>(abs(code - first)));
            }
        }
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

    /// Codes events of residuals and flags, from the last step to the first.
    FSZ_DEVICE void code_events(const u32 *events, u32 steps)
    {
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

    FSZ_DEVICE void code_base(i32 difference)
    {
        coder.difference(lane == 0, FIRST_DIFFERENCE + DENSE_LORENZO_CONTEXTS, difference);
    }

    FSZ_DEVICE void code_differences(u32 steps, u32 from)
    {
        uint2 next = slot.differences[from + 32 * (steps - 1) + lane];
#pragma unroll 1
        for (u32 s = steps; s-- > 0;)
        {
            const uint2 event = next;
            next = slot.differences[from + 32 * (s > 0 ? s - 1 : 0) + lane];
            const bool active = event.x != NO_EVENT;
            coder.difference(active, active ? event.x : 0, static_cast<i32>(event.y));
        }
    }

    FSZ_DEVICE void keep_error(const Error &error)
    {
        take_error(error, statistics);
        plain.points.keep_error(error);
    }

    /// The patterns that have a number.
    FSZ_DEVICE u32 pattern_number(Bits pattern) const
    {
        return pattern == Element<T>::QUIET_NAN                            ? PATTERN_NAN
               : pattern == Element<T>::NEGATIVE_NAN                       ? PATTERN_NEGATIVE_NAN
               : args.missing.count > 0 && pattern == args.missing.bits[0] ? PATTERN_FIRST_MISSING
                                                                           : PATTERN_IN_PAYLOAD;
    }

    FSZ_DEVICE static void put_element(u32 *to, Bits bits)
    {
        to[0] = static_cast<u32>(bits);
        if constexpr (WORDS == 2)
        {
            to[1] = static_cast<u32>(bits >> 32);
        }
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
                put_element(to + 1, pattern);
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
                put_element(to + record.bits() + k * WORDS, bits_of(element(box, at)));
            }
            done += __popc(word);
        }
        __syncwarp();
        return record.words();
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
                const u32 context =
                    residual_context(spread, near_count ? around(last) : 0, how.fine, fine);
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

    /// Predicts codes that `known` gives (false for one that is escaped), by order `order`; writes
    /// events from `events` on if WRITE. Gives the bits of all differences.
    template <bool WRITE, class Known>
    FSZ_DEVICE u64 lorenzo(const Box &box, i32 base, u32 order, u32 events, const Known &known)
    {
        const u32 len = lorenzo_lane_len(box.len);
        u64 bits = 0;
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
            if constexpr (WRITE)
            {
                slot.differences[events + 32 * step + lane] =
                    active ? uint2{FIRST_DIFFERENCE + context, static_cast<u32>(difference)}
                           : uint2{NO_EVENT, 0};
            }
            const u32 size =
                difference < 0 ? 0u - static_cast<u32>(difference) : static_cast<u32>(difference);
            bits += active ? 32 - __clz(size) : 0;
        }
        return warp_sum(bits);
    }

    /// Codes a plain box before those that are made; false for any other.
    FSZ_DEVICE bool plain_box(const Box &box, i32 base, CodedBox &made)
    {
        i32 own;
        if (!plain.points.code_of(element(box, 0), own))
        {
            return false;
        }
        const PlainOutcome<Error> out = plain.predict(box, work.programs, own);
        if (!out.plain)
        {
            return false;
        }
        made.symbols = own != base || !out.flat;
        made.mode = made.symbols ? MODE_INTERPOLATED : MODE_FLAT;
        if (!made.symbols)
        {
            keep_error(out.max_error);
            return true;
        }
        const Coder was = coder;
        const PlainProgram &program = work.programs[box.shape].plain;
        coder = plain.events(coder, &program, out.flags);
        if (program.corners > 0)
        {
            const bool is_pass = lane < program.passes;
            const bool fine = is_pass && program.pass[lane].fine;
            coder.flag(is_pass, FIRST_FLAG + DENSE_PASS_FLAGS + (fine ? 0 : 1),
                       out.flags >> lane & 1);
            coder = take_corners(coder, &program, plain.stage);
        }
        code_base(static_cast<i32>(static_cast<u32>(own) - static_cast<u32>(base)));
        if constexpr (Coder::WRITES)
        {
            if (was.at - coder.at >= 2 * WORDS * box.len)
            {
                coder = was;
                made = {MODE_VERBATIM, 0, 0, box.len, false};
                return true;
            }
        }
        keep_error(out.max_error);
        return true;
    }

    /// Codes a box before those that are made; its record goes to `record_to`.
    FSZ_DEVICE CodedBox box(const Box &box, i32 base, u32 *record_to)
    {
        CodedBox made{MODE_INTERPOLATED, 0, 0, 0, true};
        return plain_box(box, base, made) ? made : any_box(box, base, record_to);
    }

    /// Codes any box.
    FSZ_DEVICE CodedBox any_box(const Box &box, i32 base, u32 *record_to)
    {
        const Program &program = work.programs[box.shape].any;
        const Coder was = coder;
        CodedBox made{MODE_INTERPOLATED, 0, 0, 0, true};
        Bits pattern;
        i32 own = base;
        first_code(box, own);
        u32 listed = 0, flags = 0;
        Error max_error{};
        bool fits = false, flat = true;
        u32 masked = 0, mask_steps = 0;
        const auto any_code = [&](u32, T d, bool in) {
            i32 code;
            if (in && !args.control->range_known)
            {
                take_range(d);
            }
            return plain.points.code_of(d, code) || plain.points.has_target(d, own);
        };
        // By Lorenzo prediction alone another mask is found below.
        if (grid.predictor != DENSE_LORENZO || !args.control->range_known)
        {
            masked = find_mask(box, any_code, pattern);
        }
        u32 mask = masked == 0 ? MASK_NONE : masked == box.len ? MASK_ALL : MASK_CODED;
        if (grid.predictor != DENSE_LORENZO)
        {
            mask_steps = mask == MASK_CODED ? mask_events(program) : 0;
            u32 *const events = slot.residuals + 32 * mask_steps;
            // Where nothing is left to predict all residuals are 0.
            fits = mask == MASK_ALL ||
                   interpolate(box, program, own, events, flags, flat, listed, max_error);
            if (fits)
            {
                made.record = write_record(box, record_to, mask, pattern, listed);
                made.symbols = own != base || mask == MASK_CODED || !flat;
                made.mode = made.symbols ? MODE_INTERPOLATED : MODE_FLAT;
                if (made.symbols)
                {
                    __syncwarp();
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
                    code_base(static_cast<i32>(static_cast<u32>(own) - static_cast<u32>(base)));
                    code_events(slot.residuals, mask_steps);
                }
            }
        }
        if (!fits)
        {
            max_error = {};
            const auto strict_code = [&](u32 at, T d, bool in) {
                i32 code;
                Error error;
                const bool kept = plain.points.strict_code_of(d, code, error);
                max_error = in && kept ? larger(max_error, error) : max_error;
                if (in)
                {
                    stage.words[at] = code;
                }
                return kept;
            };
            masked = find_mask(box, strict_code, pattern);
            mask = masked == 0 ? MASK_NONE : masked == box.len ? MASK_ALL : MASK_CODED;
            listed = count_listed();
            fits = listed <= box.len / 4;
            if (fits)
            {
                const auto known = [&](u32 at, i32 &code) {
                    code = stage.words[at];
                    return !bit(stage.mask, at) && !bit(slot.listed, at);
                };
                mask_steps = mask == MASK_CODED ? mask_events(program) : 0;
                own = base;
                for (u32 from = 0; from < box.len; from += 32)
                {
                    i32 code = 0;
                    const bool has = from + lane < box.len && known(from + lane, code);
                    if (const u32 votes = __ballot_sync(WARP_ALL, has))
                    {
                        own = __shfl_sync(WARP_ALL, code, __ffs(votes) - 1);
                        break;
                    }
                }
                const u64 first = lorenzo<false>(box, own, 1, 0, known);
                const u64 second = lorenzo<false>(box, own, 2, 0, known);
                const u32 order = first <= second ? 1 : 2;
                made.record = write_record(box, record_to, mask, pattern, listed);
                made.symbols = own != base || first != 0 || mask == MASK_CODED;
                made.mode = !made.symbols ? MODE_FLAT
                            : order == 1  ? MODE_LORENZO_1
                                          : MODE_LORENZO_2;
                if (made.symbols)
                {
                    lorenzo<true>(box, own, order, 0, known);
                    __syncwarp();
                    code_differences(lorenzo_lane_len(box.len), 0);
                    code_base(static_cast<i32>(static_cast<u32>(own) - static_cast<u32>(base)));
                    code_events(slot.residuals, mask_steps);
                }
            }
            else
            {
                max_error = {};
                made.mode = MODE_EXACT;
                if constexpr (!Coder::WRITES)
                {
                    return made; // Counted by who asks.
                }
                const u32 steps = lorenzo_lane_len(box.len);
                for (u32 word = 0; word < WORDS; ++word)
                {
                    const auto known = [&](u32 at, i32 &code) {
                        code = static_cast<i32>(static_cast<u32>(
                            static_cast<u64>(bits_of(element(box, at))) >> (32 * word)));
                        return true;
                    };
                    lorenzo<true>(box, 0, 1, 32 * steps * word, known);
                }
                __syncwarp();
                code_differences(steps * WORDS, 0);
            }
        }
        __syncwarp();
        if constexpr (Coder::WRITES)
        {
            if (was.at - coder.at + 2 * made.record >= 2 * WORDS * box.len)
            {
                coder = was;
                return {MODE_VERBATIM, 0, 0, box.len, false};
            }
        }
        keep_error(max_error);
        made.listed = listed;
        made.escaped = made.mode == MODE_EXACT || mask == MASK_ALL ? box.len : masked + listed;
        return made;
    }

    /// What is known of a field's elements while they are encoded.
    FSZ_DEVICE void take_range(T d)
    {
        const bool named = args.missing.is(bits_of(d));
        const bool finite = is_number(d);
        statistics.missing += named;
        statistics.nan += !named && is_nan(d);
        statistics.inf += !named && !finite && !is_nan(d);
        if (!named && finite)
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
