// Plain boxes: all elements have targets that are known to fit, so that no step is looked at again;
// or they are masked, and have the same bits; or they are known to have none, and are listed.
#pragma once

#include "encode/arguments.cuh"
#include "encode/value_range.cuh"
#include "profile/dense/box_span.cuh"
#include "profile/dense/plain_mask.cuh"
#include "profile/dense/points.cuh"

namespace fsz
{

/// Elements that lie side by side, past the cache that programs stay in.
template <u32 WIDTH> FSZ_DEVICE void load_elements(const float *from, float (&to)[WIDTH])
{
    if constexpr (WIDTH == 4)
    {
        const float4 all = __ldcg(reinterpret_cast<const float4 *>(from));
        to[0] = all.x;
        to[1] = all.y;
        to[2] = all.z;
        to[3] = all.w;
    }
    else
    {
        to[0] = __ldcg(from);
    }
}

template <u32 WIDTH> FSZ_DEVICE void load_elements(const double *from, double (&to)[WIDTH])
{
    if constexpr (WIDTH == 4)
    {
        const double2 low = __ldcg(reinterpret_cast<const double2 *>(from));
        const double2 high = __ldcg(reinterpret_cast<const double2 *>(from) + 1);
        to[0] = low.x;
        to[1] = low.y;
        to[2] = high.x;
        to[3] = high.y;
    }
    else
    {
        to[0] = __ldcg(from);
    }
}

/// The elements of a box one by one, a row in so many lanes that no place is reckoned by a
/// division, BATCH of them at a time. `take` gets where in shared memory they are, and the
/// elements.
template <u32 LAYOUT, u32 BATCH, class T, class Take>
FSZ_DEVICE void each_in_rows(const BoxSpan<T> &span, const Take &take)
{
    using Places = StagePlaces<LAYOUT>;
    constexpr bool BRICK = LAYOUT == LAYOUT_BRICK;
    // Lanes that take a row together, how often, and rows that a warp takes at once.
    constexpr u32 LANES = BRICK ? 16 : 32, PARTS = BRICK ? 1 : 2, ROWS = 32 / LANES;
    // Rows of a plane that a lane takes together.
    constexpr u32 STEPS = BATCH / PARTS;
    static_assert(STEPS * ROWS % 2 == 0, "batches begin at even rows");
    const u32 lane = lane_id();
    const u32 first = lane / LANES, x = lane % LANES;
    const u32 n_z = span.n[0], n_y = span.n[1], n_x = span.n[2];
#pragma unroll 1
    for (u32 z = 0; z < n_z; ++z)
    {
        const T *from = span.field + z * span.plane + first * span.row + x;
        u32 place = Places::place(0, z) + Places::place(1, first) + Places::place(2, x);
#pragma unroll 1
        for (u32 y = first; y < n_y; y += STEPS * ROWS)
        {
            T d[STEPS][PARTS][1] = {};
            const auto visit = [&](const auto &each) {
#pragma unroll
                for (u32 k = 0; k < STEPS; ++k)
                {
#pragma unroll
                    for (u32 part = 0; part < PARTS; ++part)
                    {
                        if (y + k * ROWS < n_y && x + part * LANES < n_x)
                        {
                            each(k, part);
                        }
                    }
                }
            };
            visit([&](u32 k, u32 part) {
                load_elements<1>(from + k * ROWS * span.row + part * LANES, d[k][part]);
            });
            visit([&](u32 k, u32 part) {
                // Rows of a lane of a brick are two apart, and batches of a plane begin at even
                // ones.
                const u32 row = BRICK ? k * Places::two(1) : Places::place(1, k);
                take(place + row + Places::place(2, part * LANES), d[k][part]);
            });
            from += STEPS * ROWS * span.row;
            place += STEPS * ROWS / 2 * Places::two(1);
        }
    }
}

/// The elements of a box by WIDTH, some at a time: `take` gets where in shared memory they are, as
/// `place_of` tells by z, y, x and how many are before them in the box, and the elements.
template <u32 LAYOUT, u32 WIDTH, class T, class Place, class Take>
FSZ_DEVICE void each_element_at(const BoxSpan<T> &span, const Place &place_of, const Take &take)
{
    // More would not stay in registers.
    constexpr u32 BATCH = WIDTH == 4 ? 2 : 8;
    const SmallDivisor per_row(span.n[2] / WIDTH), rows(span.n[1]);
    const u32 count = span.n[0] * span.n[1] * per_row.divisor;
    T d[BATCH][WIDTH];
    u32 place[BATCH];
    const auto load = [&](u32 k, u32 from) {
        // Behind the end the last ones once more: loads that depend on nothing are under way
        // together.
        const u32 at = min(from + 32 * k, count - 1);
        const u32 row = LAYOUT == LAYOUT_LINE ? 0 : per_row.quotient(at);
        const u32 x = (at - row * per_row.divisor) * WIDTH;
        const u32 z = LAYOUT == LAYOUT_BRICK ? rows.quotient(row) : 0;
        const u32 y = row - z * rows.divisor;
        place[k] = place_of(z, y, x, at * WIDTH);
        load_elements<WIDTH>(span.field + z * span.plane + y * span.row + x, d[k]);
    };
#pragma unroll
    for (u32 k = 0; k < BATCH; ++k)
    {
        load(k, lane_id());
    }
#pragma unroll 1
    for (u32 from = lane_id(); from < count; from += 32 * BATCH)
    {
        // Where elements were are loaded those to come: moving them would wait for them.
#pragma unroll
        for (u32 k = 0; k < BATCH; ++k)
        {
            if (from + 32 * k < count)
            {
                take(place[k], d[k]);
            }
            load(k, from + 32 * BATCH);
        }
    }
}

/// The elements of a row that a lane takes together: few enough that the loop's instructions stay
/// at hand.
constexpr u32 ROW_BATCH = 8;

/// Where boxes that are interpolated have their elements in shared memory.
template <u32 LAYOUT> FSZ_DEVICE u32 stage_place(u32 z, u32 y, u32 x, u32)
{
    using Places = StagePlaces<LAYOUT>;
    return Places::place(0, z) + Places::place(1, y) + Places::place(2, x);
}

/// The elements of a box by WIDTH, with these places.
template <u32 LAYOUT, u32 WIDTH, class T, class Take>
FSZ_DEVICE void each_element(const BoxSpan<T> &span, const Take &take)
{
    if constexpr (WIDTH == 1 && LAYOUT != LAYOUT_LINE)
    {
        each_in_rows<LAYOUT, ROW_BATCH>(span, take);
    }
    else
    {
        each_element_at<LAYOUT, WIDTH>(span, stage_place<LAYOUT>, take);
    }
}

/// As `each_element_at`, for what takes many instructions: these stand once, so that they stay at
/// hand. Those that come next are on their way while some are worked on.
template <u32 LAYOUT, u32 WIDTH, class T, class Place, class Take>
FSZ_DEVICE void each_compactly_at(const BoxSpan<T> &span, const Place &place_of, const Take &take)
{
    constexpr u32 AHEAD = WIDTH == 4 ? 1 : 3;
    const SmallDivisor per_row(span.n[2] / WIDTH), rows(span.n[1]);
    const u32 count = span.n[0] * span.n[1] * per_row.divisor;
    T d[AHEAD + 1][WIDTH];
    u32 place[AHEAD + 1];
    const auto load = [&](u32 k, u32 from) {
        const u32 at = min(from, count - 1);
        const u32 row = LAYOUT == LAYOUT_LINE ? 0 : per_row.quotient(at);
        const u32 x = (at - row * per_row.divisor) * WIDTH;
        const u32 z = LAYOUT == LAYOUT_BRICK ? rows.quotient(row) : 0;
        const u32 y = row - z * rows.divisor;
        place[k] = place_of(z, y, x, at * WIDTH);
        load_elements<WIDTH>(span.field + z * span.plane + y * span.row + x, d[k]);
    };
#pragma unroll
    for (u32 k = 0; k < AHEAD; ++k)
    {
        load(k, lane_id() + 32 * k);
    }
#pragma unroll 1
    for (u32 from = lane_id(); from < count; from += 32)
    {
        load(AHEAD, from + 32 * AHEAD);
        take(place[0], d[0]);
#pragma unroll
        for (u32 k = 0; k < AHEAD; ++k)
        {
            place[k] = place[k + 1];
#pragma unroll
            for (u32 e = 0; e < WIDTH; ++e)
            {
                d[k][e] = d[k + 1][e];
            }
        }
    }
}

/// As `each_in_rows`, for what takes many instructions.
template <u32 LAYOUT, class T, class Take>
FSZ_DEVICE void each_in_rows_compactly(const BoxSpan<T> &span, const Take &take)
{
    using Places = StagePlaces<LAYOUT>;
    constexpr bool BRICK = LAYOUT == LAYOUT_BRICK;
    constexpr u32 LANES = BRICK ? 16 : 32, PARTS = BRICK ? 1 : 2, ROWS = 32 / LANES;
    constexpr u32 BATCH = 4, STEPS = BATCH / PARTS;
    const u32 first = lane_id() / LANES, x = lane_id() % LANES;
    const u32 n_z = same(span.n[0]), n_y = same(span.n[1]), n_x = span.n[2];
    const auto there = [&](u32 y, u32 n) {
        return y + first + n / PARTS * ROWS < n_y && x + n % PARTS * LANES < n_x;
    };
    const auto load = [&](u32 z, u32 y, T(&to)[BATCH]) {
        const T *from = span.field + z * span.plane + (y + first) * span.row + x;
#pragma unroll
        for (u32 n = 0; n < BATCH; ++n)
        {
            T own[1] = {};
            if (z < n_z && there(y, n))
            {
                load_elements<1>(from + n / PARTS * ROWS * span.row + n % PARTS * LANES, own);
            }
            to[n] = own[0];
        }
    };
    T next[BATCH];
    load(0, 0, next);
    u32 z = 0, y = 0;
#pragma unroll 1
    while (z < n_z)
    {
        T d[BATCH];
#pragma unroll
        for (u32 n = 0; n < BATCH; ++n)
        {
            d[n] = next[n];
        }
        const u32 place = Places::place(0, z) + Places::place(1, y + first) + Places::place(2, x);
        const u32 now = y;
        y += STEPS * ROWS;
        if (y >= n_y)
        {
            y = 0;
            ++z;
        }
        load(z, y, next);
#pragma unroll 1
        for (u32 n = 0; n < BATCH; ++n)
        {
            if (there(now, n))
            {
                const u32 row = BRICK ? n * Places::two(1) : n / PARTS * Places::place(1, 1);
                const T own[1] = {d[0]};
                take(place + row + n % PARTS * Places::place(2, LANES), own);
            }
#pragma unroll
            for (u32 k = 1; k < BATCH; ++k)
            {
                d[k - 1] = d[k];
            }
        }
    }
    static_assert(STEPS <= 2 || BRICK, "rows of a batch that begins at an even one");
}

/// As `each_element`, for what takes many instructions.
template <u32 LAYOUT, u32 WIDTH, class T, class Take>
FSZ_DEVICE void each_compactly(const BoxSpan<T> &span, const Take &take)
{
    if constexpr (WIDTH == 1 && LAYOUT != LAYOUT_LINE)
    {
        each_in_rows_compactly<LAYOUT>(span, take);
    }
    else
    {
        each_compactly_at<LAYOUT, WIDTH>(span, stage_place<LAYOUT>, take);
    }
}

/// Gives `use` elements and words of theirs one after another, and takes the words that it gives;
/// its instructions stand once.
template <u32 WIDTH, class T, class Use>
FSZ_DEVICE void one_by_one(const T (&elements)[WIDTH], u32 (&words)[WIDTH], const Use &use)
{
    if constexpr (WIDTH == 1)
    {
        words[0] = use(elements[0], words[0]);
    }
    else
    {
        T d[WIDTH];
#pragma unroll
        for (u32 k = 0; k < WIDTH; ++k)
        {
            d[k] = elements[k];
        }
#pragma unroll 1
        for (u32 left = WIDTH; left > 0; --left)
        {
            const u32 word = use(d[0], words[0]);
#pragma unroll
            for (u32 k = 1; k < WIDTH; ++k)
            {
                d[k - 1] = d[k];
                words[k - 1] = words[k];
            }
            words[WIDTH - 1] = word;
        }
    }
}

/// Words of elements that lie side by side.
template <u32 LAYOUT, u32 WIDTH> FSZ_DEVICE void load_words(u32 at, u32 (&words)[WIDTH])
{
    if constexpr (WIDTH == 4)
    {
        load_pair(at, words[0], words[2]);
        load_pair(at + StagePlaces<LAYOUT>::ODD_X, words[1], words[3]);
    }
    else
    {
        words[0] = load_word(at);
    }
}

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

/// Whether one of some elements is a missing value. Apart, so that the loop that calls it is short.
template <class T, u32 WIDTH>
__device__ __noinline__ bool any_missing(const Missing<T> *missing, ElementsOf<T, WIDTH> elements)
{
    bool any = false;
    for (u32 k = 0; k < WIDTH; ++k)
    {
        any = any || missing->is(bits_of(elements.d[k]));
    }
    return any;
}

/// Whether some bits are those of a missing value, by few instructions rather than in a short time.
template <class T>
FSZ_DEVICE bool is_missing(const Missing<T> &missing, typename Element<T>::Bits d)
{
    bool is = false;
#pragma unroll 1
    for (u32 m = 0; m < missing.count; ++m)
    {
        is = is || missing.bits[m] == d;
    }
    return is;
}

/// Whether a missing value has a target that is known to fit.
template <class Numbers, class T>
FSZ_DEVICE bool any_near(const Missing<T> &missing, const Numbers &numbers)
{
    bool any = false;
#pragma unroll 1
    for (u32 m = 0; m < missing.count; ++m)
    {
        const double part = numbers.part(value_of(missing.bits[m]));
        any = any || fabs(part) <= numbers.limit;
    }
    return any;
}

/// Leaves the targets of elements that lie side by side at `at`.
template <u32 LAYOUT, u32 WIDTH> FSZ_DEVICE void store_targets(u32 at, const u32 (&words)[WIDTH])
{
    if constexpr (WIDTH == 4)
    {
        store_pair(at, words[0], words[2]);
        store_pair(at + StagePlaces<LAYOUT>::ODD_X, words[1], words[3]);
    }
    else
    {
        store_word(at, words[0]);
    }
}

/// Turns the elements of a box into targets at `stage`; whether all of them have one and are known
/// to fit. `missing` is null where none is named.
template <u32 LAYOUT, u32 WIDTH, class Numbers, class T>
FSZ_DEVICE bool quantize_box(BoxSpan<T> span, u32 stage, Numbers numbers, const Missing<T> *missing)
{
    // An element that is one far away makes the box other than plain by itself.
    if (missing != nullptr && !any_near(*missing, numbers))
    {
        missing = nullptr;
    }
    bool plain = true;
    const auto target = [&](T d, u32) {
        const double part = numbers.part(d);
        // False for NaN.
        plain = plain && fabs(part) <= numbers.limit;
        return static_cast<u32>(__double2loint(__dadd_rn(part, numbers.magic)));
    };
    const auto take = [&](u32 place, const T(&d)[WIDTH]) {
        u32 words[WIDTH] = {};
        if constexpr (Numbers::SHORT)
        {
#pragma unroll
            for (u32 k = 0; k < WIDTH; ++k)
            {
                words[k] = target(d[k], 0);
            }
        }
        else
        {
            one_by_one(d, words, target);
        }
        if (missing != nullptr)
        {
            ElementsOf<T, WIDTH> elements;
#pragma unroll
            for (u32 k = 0; k < WIDTH; ++k)
            {
                elements.d[k] = d[k];
            }
            plain = plain && !any_missing(missing, elements);
        }
        store_targets<LAYOUT, WIDTH>(stage + place, words);
    };
    if constexpr (Numbers::SHORT)
    {
        each_element<LAYOUT, WIDTH>(span, take);
    }
    else
    {
        each_compactly<LAYOUT, WIDTH>(span, take);
    }
    return __all_sync(WARP_ALL, plain);
}

/// Whether an element has a code. Apart, so that the loop that calls it is short.
template <class Points, class T> __device__ __noinline__ bool has_code(const Points *points, T d)
{
    i32 code;
    return points->code_of(d, code);
}

/// What a box with masked or listed elements is.
template <class Bits> struct MaskedBox
{
    /// Whether all other elements have targets that are known to fit, and all masked ones the same
    /// bits.
    bool plain;
    u32 masked;
    /// Those that are listed, and those of them that have codes, which no mask can take.
    u32 listed;
    u32 coded;
    Bits pattern;
};

/// Turns the elements of a box into targets at `stage`, those that are no numbers or missing into
/// masked ones, and other ones without targets into listed ones.
template <u32 LAYOUT, u32 WIDTH, class Numbers, class Points, class T>
FSZ_DEVICE MaskedBox<typename Element<T>::Bits> quantize_masked(BoxSpan<T> span, u32 stage,
                                                                Numbers numbers, Points points,
                                                                const Missing<T> *missing)
{
    using Bits = typename Element<T>::Bits;
    bool plain = true;
    u32 masked = 0, listed = 0, coded = 0;
    Bits pattern = 0;
    // One is named at most, as a rule.
    const u32 named = missing->count;
    const Bits first = missing->bits[0];
    const auto target = [&](T d, u32) {
        const Bits bits = bits_of(d);
        if (!is_number(d) || (named > 0 && bits == first) ||
            (named > 1 && is_missing(*missing, bits)))
        {
            pattern = masked == 0 ? bits : pattern;
            ++masked;
            plain = plain && bits == pattern;
            return MASKED_TARGET;
        }
        const double part = numbers.part(d);
        if (!(fabs(part) <= numbers.limit))
        {
            // No integer near the part is a target; true for NaN.
            const bool far = !(fabs(part) < TARGET_MOST + 1);
            plain = plain && far;
            listed += far;
            coded += far && has_code(&points, d);
            return LISTED_TARGET;
        }
        return static_cast<u32>(__double2loint(__dadd_rn(part, numbers.magic)));
    };
    each_compactly<LAYOUT, WIDTH>(span, [&](u32 place, const T(&d)[WIDTH]) {
        u32 words[WIDTH] = {};
        one_by_one(d, words, target);
        store_targets<LAYOUT, WIDTH>(stage + place, words);
    });
    const u32 votes = __ballot_sync(WARP_ALL, masked > 0);
    const Bits all = __shfl_sync(WARP_ALL, pattern, votes ? __ffs(votes) - 1 : 0);
    plain = plain && (masked == 0 || pattern == all);
    // Nothing that is a number is left out where nothing is masked.
    return {__all_sync(WARP_ALL, plain) != 0, __reduce_add_sync(WARP_ALL, masked),
            __reduce_add_sync(WARP_ALL, listed), __reduce_add_sync(WARP_ALL, coded),
            votes ? all : Element<T>::QUIET_NAN};
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

/// Compares the elements of a box with what they are decoded to; takes their range if `range`.
template <class T, u32 LAYOUT, u32 WIDTH, bool MASKED>
FSZ_DEVICE Decoded<T, T> compare_box(BoxSpan<T> span, u32 stage, i32 base, T lattice,
                                     Decoded<T, T> found, bool range, LeftOut<T, MASKED> out)
{
    each_element<LAYOUT, WIDTH>(span, [&](u32 place, const T(&d)[WIDTH]) {
        u32 words[WIDTH];
        load_words<LAYOUT>(stage + place, words);
#pragma unroll
        for (u32 k = 0; k < WIDTH; ++k)
        {
            if (out.has(d[k]))
            {
                continue;
            }
            const i32 value = static_cast<i32>(words[k]);
            const T decoded = product(from_code(base + value, T(0)), lattice);
            const T off = difference_of(d[k], decoded);
            found.error = larger(found.error, off < 0 ? -off : off);
            if (range)
            {
                found.take_range(d[k]);
            }
        }
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

    /// Whether all elements of a box but those left out keep the bound; `found` has the largest
    /// error of the lane.
    template <u32 LAYOUT, u32 WIDTH, bool MASKED>
    FSZ_DEVICE bool strict(const BoxSpan<T> &span, u32 stage, i32 own, Decoded<T, T> &found,
                           bool range, LeftOut<T, MASKED> out) const
    {
        const i32 shifted = static_cast<i32>(static_cast<u32>(own) << fine);
        found = Apart<LAYOUT, MASKED>::call([=, lattice = lattice]() {
            return compare_box<T, LAYOUT, WIDTH>(span, stage, shifted, lattice, found, range, out);
        });
        return __all_sync(WARP_ALL, found.error < z.limit);
    }
};

/// What became of the walk through a plain box.
template <class Error, class Bits> struct PlainOutcome
{
    /// If it does not fit nothing else counts but `unfit` and what was listed.
    PlainWalked walked;
    /// Whether the walk tells that it does not fit for interpolation at all.
    bool unfit;
    /// The code of its first element.
    i32 own;
    Error max_error;
    /// Steps of events of the mask, and what is masked, of a box that may have a mask.
    u32 mask_steps;
    u32 masked;
    Bits pattern;
    /// Elements that were listed before the walk, and those of them that have codes.
    u32 listed;
    u32 coded;
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
                return Apart<LAYOUT, MASKED>::call(
                    [span, stage = stage, numbers, own, missing = &args.missing]() {
                        return quantize_masked<LAYOUT, WIDTH>(span, stage, numbers, own, missing);
                    });
            };
            const MaskedBox<Bits> found = points.with_numbers(out.own, use);
            out.masked = found.masked;
            out.listed = found.listed;
            out.coded = found.coded;
            out.pattern = found.pattern;
            if (!found.plain || found.listed > span.len() / 32)
            {
                return false;
            }
            __syncwarp();
            out.mask_steps = found.masked > 0 ? mask_of<LAYOUT>(program, events) : 0;
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
        out.unfit = !has_guessed_targets();
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
        Outcome out{{}, false, own, {}, 0, 0, 0, 0, 0};
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
