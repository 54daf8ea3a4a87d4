// Plain boxes: all elements have targets that are known to fit, so that no step is looked at again,
// but for those that are masked or listed.
#pragma once

#include "encode/arguments.cuh"
#include "encode/value_range.cuh"
#include "profile/dense/masked_box.cuh"
#include "profile/dense/plain_mask.cuh"

namespace fsz
{

/// Some elements as a value.
template <class T, u32 WIDTH> struct ElementsOf
{
    T d[WIDTH];
};

/// Which targets are known to fit, and what makes integers of them.
struct TargetLimits
{
    /// By how many parts targets may be away from the first one.
    double limit;
    /// The integer that a sum with it is rounded to stands in its low word, and half a point above,
    /// so that a shift rounds a residual.
    double magic;

    FSZ_DEVICE explicit TargetLimits(u32 fine)
    {
        // A value is at most half a residual's step away.
        limit = static_cast<double>((DENSE_MOST_VALUE - (1u << fine) - 1) << DENSE_PART_BITS);
        magic = 0x1.8p52 + static_cast<double>(1u << (DENSE_PART_BITS + fine - 1));
    }
};

/// The numbers that turn elements into targets.
template <class T> struct TargetNumbers
{
    /// Whether a target takes few instructions.
    static constexpr bool SHORT = true;
    double parts;
    double zero;
    double limit;
    double magic;

    /// The target of an element before it is rounded; NaN where it has none.
    FSZ_DEVICE double part(T d) const
    {
        return __dsub_rn(__dmul_rn(static_cast<double>(d), parts), zero);
    }
};

/// Whether a word of a box at `stage` is this one; those beside the box's may be, too. Called by a
/// warp.
FSZ_DEVICE bool any_word(u32 stage, u32 word)
{
    bool any = false;
#pragma unroll 1
    for (u32 at = 8 * lane_id(); at < 4 * DENSE_BOX; at += 8 * 32)
    {
        u32 first, second;
        load_pair(stage + at, first, second);
        any = any || first == word || second == word;
    }
    return __any_sync(WARP_ALL, any);
}

/// Whether one of a box's elements, whose targets are at `stage`, is a missing value that has a
/// target known to fit. Apart, since missing values are seldom near. Called by a warp.
template <class Numbers, class T>
__device__ __noinline__ bool any_missing_near(BoxSpan<T> span, u32 stage, Numbers numbers,
                                              const Missing<T> *missing)
{
    bool any = false;
    __syncwarp();
#pragma unroll 1
    for (u32 m = 0; m < missing->count; ++m)
    {
        const double part = numbers.part(value_of(missing->bits[m]));
        const i32 word = __double2loint(__dadd_rn(part, numbers.magic));
        // Few boxes have its target, and of those not all have it.
        any = any || (fabs(part) <= numbers.limit && any_word(stage, static_cast<u32>(word)));
    }
    return any && any_element(span, [&](T d) { return missing->is(bits_of(d)); });
}

/// The largest of some parts and others, by what their bits tell of their magnitudes.
FSZ_DEVICE u32 larger_part(u32 top, double part)
{
    const u32 high = static_cast<u32>(__double2hiint(part));
    return max(top, high + high);
}

/// Turns the elements of a box into targets at `stage`; whether all of them have one and are known
/// to fit. `missing` is null where none is named.
template <u32 LAYOUT, u32 WIDTH, class Numbers, class T>
FSZ_DEVICE bool quantize_box(BoxSpan<T> span, u32 stage, Numbers numbers, const Missing<T> *missing)
{
    u32 top = 0;
    const auto target = [&](T d, u32 &most) {
        const double part = numbers.part(d);
        most = larger_part(most, part);
        return static_cast<u32>(__double2loint(__dadd_rn(part, numbers.magic)));
    };
    if constexpr (Numbers::SHORT)
    {
        const auto take = [&](u32 place, const T(&d)[WIDTH], bool there) {
            u32 words[WIDTH], most = top;
#pragma unroll
            for (u32 k = 0; k < WIDTH; ++k)
            {
                words[k] = target(d[k], most);
            }
            if (there)
            {
                top = most;
                store_targets<LAYOUT, WIDTH>(stage + place, words);
            }
        };
        if constexpr (sizeof(T) == sizeof(u32))
        {
            each_landed<LAYOUT, WIDTH>(span, stage, take);
        }
        else
        {
            each_in_turns<LAYOUT, WIDTH>(span, take);
        }
    }
    else
    {
        each_element<LAYOUT, WIDTH>(span, [&](u32 place, const T(&d)[WIDTH]) {
            u32 words[WIDTH] = {};
            each_word<false>(d, words, [&](T own, u32) { return target(own, top); });
            store_targets<LAYOUT, WIDTH>(stage + place, words);
        });
    }
    // Those of the limit's own high word are not known to fit, nor are NaNs.
    const bool plain = __all_sync(WARP_ALL, top < larger_part(0, numbers.limit));
    // An element that is a missing value far away makes the box other than plain by itself.
    return plain && (missing == nullptr || !any_missing_near(span, stage, numbers, missing));
}

/// The largest error of a lane, and its smallest and largest element, in the order 1, −1 where it
/// has none.
template <class Error, class T> struct Decoded
{
    Error error;
    T low;
    T high;

    FSZ_DEVICE void take_range(T d)
    {
        const bool first = low > high;
        low = first || d < low ? d : low;
        high = first || d > high ? d : high;
    }
};

/// Elements that do not count in a comparison: none, or those that have the bits of the box's
/// masked ones.
template <class T, bool MASKED> struct LeftOut
{
    typename Element<T>::Bits pattern;

    FSZ_DEVICE bool has(T d) const { return MASKED && bits_of(d) == pattern; }
};

/// Compares the elements of a box with what they are decoded to. RANGE: takes their range.
template <class T, u32 LAYOUT, u32 WIDTH, bool MASKED, bool RANGE>
FSZ_DEVICE Decoded<T, T> compare_box(BoxSpan<T> span, u32 stage, i32 base, T lattice,
                                     Decoded<T, T> found, LeftOut<T, MASKED> out)
{
    each_in_turns<LAYOUT, WIDTH>(span, [&](u32 place, const T(&d)[WIDTH], bool there) {
        u32 words[WIDTH];
        load_words<LAYOUT>(stage + place, words);
        T most = found.error;
#pragma unroll
        for (u32 k = 0; k < WIDTH; ++k)
        {
            const i32 value = static_cast<i32>(words[k]);
            const T decoded = product(from_code(base + value, T(0)), lattice);
            const T error = magnitude_of(difference_of(d[k], decoded));
            most = out.has(d[k]) ? most : larger(most, error);
            if (RANGE && there && !out.has(d[k]))
            {
                found.take_range(d[k]);
            }
        }
        found.error = there ? most : found.error;
    });
    return found;
}

/// The points of plain boxes, by a quantizer.
template <class Z> struct PlainPoints;

template <class T> struct PlainPoints<Quantizer<T>> : Points<Quantizer<T>>
{
    using Points<Quantizer<T>>::z;
    using Points<Quantizer<T>>::fine;
    using Points<Quantizer<T>>::parts;
    using Points<Quantizer<T>>::lattice;

    TargetLimits limits;

    FSZ_DEVICE PlainPoints(const CompressArgs<T> &args, u32 fine)
        : Points<Quantizer<T>>(args, fine), limits(fine)
    {
    }

    /// Whether elements have targets at all.
    FSZ_DEVICE bool any() const { return z.step != 0; }

    /// Takes note of the error of a box.
    FSZ_DEVICE void keep_error(T) {}

    /// Gives `use` the numbers that make targets of the elements of a box whose first code is
    /// `own`.
    template <class Use> FSZ_DEVICE auto with_numbers(i32 own, const Use &use) const
    {
        const double zero =
            static_cast<double>(own) * static_cast<double>(1u << (DENSE_PART_BITS + fine));
        return use(TargetNumbers<T>{parts, zero, limits.limit, limits.magic});
    }

    template <u32 LAYOUT, u32 WIDTH, bool MASKED, bool RANGE>
    FSZ_DEVICE Decoded<T, T> compared(const BoxSpan<T> &span, u32 stage, i32 base,
                                      const Decoded<T, T> &found, LeftOut<T, MASKED> out) const
    {
        return Apart<LAYOUT, MASKED>::call([=, lattice = lattice]() {
            return compare_box<T, LAYOUT, WIDTH, MASKED, RANGE>(span, stage, base, lattice, found,
                                                                out);
        });
    }

    /// Whether all elements of a box but those left out keep the bound; `found` has the largest
    /// error of the lane.
    template <u32 LAYOUT, u32 WIDTH, bool MASKED>
    FSZ_DEVICE bool strict(const BoxSpan<T> &span, u32 stage, i32 own, Decoded<T, T> &found,
                           bool range, LeftOut<T, MASKED> out) const
    {
        const i32 shifted = static_cast<i32>(static_cast<u32>(own) << fine);
        const T low = found.low, high = found.high;
        // Few boxes are masked: another function for them would drive others from the cache.
        found = range || MASKED
                    ? compared<LAYOUT, WIDTH, MASKED, true>(span, stage, shifted, found, out)
                    : compared<LAYOUT, WIDTH, MASKED, false>(span, stage, shifted, found, out);
        found.low = range ? found.low : low;
        found.high = range ? found.high : high;
        return __all_sync(WARP_ALL, found.error < z.limit);
    }
};

/// What became of the walk through a plain box.
template <class Error, class Bits> struct PlainOutcome
{
    /// If it does not fit nothing else counts but the misfit.
    PlainWalked walked;
    Misfit misfit;
    /// The code of its first element.
    i32 own;
    Error max_error;
    /// Steps of events of the mask, and what is masked, of a box that may have a mask.
    u32 mask_steps;
    u32 masked;
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
    const bool named;
    const bool range_known;
    /// Whether boxes can be loaded four elements at a time, and predicted at all.
    bool wide;
    bool predicted;
    /// The smallest and the largest element so far, where the range is not known.
    T low;
    T high;

    FSZ_DEVICE PlainBoxes(const typename ArgsOf<Z>::Args &args, const BoxGrid &grid, u32 stage)
        : args(args), grid(grid), stage(stage), lane(lane_id()), points(args, grid.fine),
          named(args.missing.count > 0), range_known(args.control->range_known != 0), low(1),
          high(-1)
    {
        const u32 line = layout_of(grid) == LAYOUT_LINE;
        const u32 own = grid.predictor;
        predicted = own == DENSE_LINEAR ||
                    (line ? own == DENSE_SMOOTH : own == DENSE_CUBIC || own == DENSE_BLENDED);
        predicted = predicted && points.any();
        wide = grid.shape[3] % 4 == 0 && grid.extent[3] % 4 == 0 &&
               reinterpret_cast<u64>(args.field) % (4 * sizeof(T)) == 0;
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
    FSZ_DEVICE bool strict(const Box &box, i32 own, LeftOut<T, MASKED> left_out, Error &error)
    {
        Decoded<Error, T> found{Error{}, low, high};
        const bool all = points.template strict<LAYOUT, WIDTH>(span_of(box), stage, own, found,
                                                               !range_known, left_out);
        low = found.low;
        high = found.high;
        error = found.error;
        return all;
    }

    template <u32 LAYOUT, Taps TAPS, bool MASKED>
    FSZ_DEVICE PlainWalked walk_by(const PlainProgram *program, u32 *events) const
    {
        return Apart<LAYOUT, MASKED>::call([program, stage = stage, fine = grid.fine, events]() {
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
        return Apart<LAYOUT, true>::call([program, stage = stage, events]() {
            return write_mask<LAYOUT>(program, stage, events);
        });
    }

    /// Turns the elements of a box into targets; whether it is plain. `events`: where those of its
    /// mask go, before all others.
    template <u32 LAYOUT, u32 WIDTH, bool MASKED>
    FSZ_DEVICE bool quantize(const Box &box, const PlainProgram *program, u32 *events,
                             Outcome &out) const
    {
        const BoxSpan<T> span = span_of(box);
        if constexpr (MASKED)
        {
            const auto use = [&](const auto &numbers) {
                const Points<Z> &own = points;
                return Apart<LAYOUT, MASKED>::call([span, stage = stage, numbers, own,
                                                    missing = &args.missing,
                                                    guessed = has_guessed_targets()]() {
                    return quantize_by_mask<LAYOUT, WIDTH>(span, stage, numbers, own, missing,
                                                           guessed);
                });
            };
            const auto found = points.with_numbers(out.own, use);
            out.masked = found.box.masked;
            out.listed = found.box.listed;
            out.pattern = found.box.pattern;
            out.misfit = found.misfit;
            if (out.misfit.known || !found.box.plain)
            {
                return false;
            }
            __syncwarp();
            out.mask_steps = out.masked > 0 ? mask_of<LAYOUT>(program, events) : 0;
        }
        else
        {
            const Missing<T> *const missing = named ? &args.missing : nullptr;
            const auto use = [&](const auto &numbers) {
                return Apart<LAYOUT, MASKED>::call([span, stage = stage, numbers, missing]() {
                    return quantize_box<LAYOUT, WIDTH>(span, stage, numbers, missing);
                });
            };
            if (!points.with_numbers(out.own, use))
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
    FSZ_DEVICE void walk(const Box &box, const PlainProgram *program, u32 *events, Outcome &out)
    {
        if (!quantize<LAYOUT, WIDTH, MASKED>(box, program, events, out))
        {
            return;
        }
        out.walked = walk<LAYOUT, MASKED>(program, events + 32 * flag_words(out.mask_steps));
        const LeftOut<T, MASKED> left_out{out.pattern};
        if (out.walked.fits() &&
            (!strict<LAYOUT, WIDTH>(box, out.own, left_out, out.max_error) || out.listed > 0))
        {
            out.walked.bits |= PlainWalked::FAR;
        }
        out.misfit.known = !out.walked.fits() || !has_guessed_targets();
    }

    /// Whether an element may have no code, and so no target, but that of a code that its error is
    /// too large for: without a finer lattice.
    FSZ_DEVICE bool has_guessed_targets() const { return Z::RELATIVE && grid.fine == 0; }

    template <u32 LAYOUT, bool MASKED>
    FSZ_DEVICE void walk(const Box &box, const PlainProgram *program, u32 *events, Outcome &out)
    {
        wide &&box.n[2] % 4 == 0 && box.first % 4 == 0
            ? walk<LAYOUT, 4, MASKED>(box, program, events, out)
            : walk<LAYOUT, 1, MASKED>(box, program, events, out);
    }

    /// Predicts a box whose first element, or if MASKED the first that is not masked, has the code
    /// `own`. Its events go to `events`.
    template <bool MASKED>
    FSZ_DEVICE Outcome predict(const Box &box, const EncodeProgram *programs, i32 own, u32 *events)
    {
        Outcome out{{}, {false, has_guessed_targets() ? 0 : Misfit::ANY}, own, {}, 0, 0, 0, 0};
        constexpr i32 FAR = (1 << 29) - (1 << 17);
        if (!predicted || own > FAR || own < -FAR)
        {
            return out;
        }
        __syncwarp();
        const PlainProgram *const program = &programs[box.shape].plain;
        const u32 layout = layout_of(grid);
        layout == LAYOUT_LINE    ? walk<LAYOUT_LINE, MASKED>(box, program, events, out)
        : layout == LAYOUT_PLANE ? walk<LAYOUT_PLANE, MASKED>(box, program, events, out)
                                 : walk<LAYOUT_BRICK, MASKED>(box, program, events, out);
        __syncwarp();
        return out;
    }
};

} // namespace fsz
