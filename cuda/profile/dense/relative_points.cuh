// The points of boxes with a pointwise-relative bound (FORMAT.md, Dense: quantize): on a curve
// where there are some between its codes, otherwise the codes.
#pragma once

#include "encode/relative_quantizer.cuh"
#include "profile/dense/finer.cuh"
#include "profile/dense/plain_box.cuh"

namespace fsz
{

// A sum of the bits of a double: a conversion takes the time of four additions.
FSZ_DEVICE double as_double(u32 pattern)
{
    return __dsub_rn(value_of(0x4330000000000000ull | (pattern ^ 0x80000000u)), 0x1p52 + 0x1p31);
}

FSZ_DEVICE double as_double(u64 pattern) { return __ll2double_rn(static_cast<i64>(pattern)); }

FSZ_DEVICE double count_of(u32 patterns) { return __uint2double_rn(patterns); }
FSZ_DEVICE double count_of(u64 patterns) { return __ull2double_rn(patterns); }

/// A product that is rounded down.
FSZ_DEVICE float product_below(float a, float b) { return __fmul_rd(a, b); }
FSZ_DEVICE double product_below(double a, double b) { return __dmul_rd(a, b); }

/// What makes elements of points.
template <class T>
FSZ_DEVICE CurveValues<T> values_of_points(const RelativeQuantizer<T> &z, u32 fine)
{
    using Bits = typename Element<T>::Bits;
    const RelativeBound<T> &bound = z.bound;
    CurveValues<T> codes;
    codes.linear_step = bound.linear_step;
    codes.knee = bound.knee;
    codes.set_bend(bound.bend());
    codes.stride = bound.stride;
    codes.zero = z.origin + bound.low - (static_cast<Bits>(bound.knee) + 1) * bound.stride;
    return finer(codes, fine);
}

/// What makes targets on a curve, from a box's first code on.
template <class T> struct CurveTargets
{
    using Bits = typename Element<T>::Bits;

    Bits base;
    Bits edge;
    /// Parts of a point in a unit of an element of linear codes, and in a unit of a pattern.
    double linear_parts;
    double pattern_parts;
    /// Where the first logarithmic code is, and the first code of the box.
    double first;
    double zero;
    /// How far below its pattern a value is best.
    double middle;
    /// Parts of a point that a logarithmic element has at least.
    double least;

    FSZ_DEVICE CurveTargets(const RelativeQuantizer<T> &z, u32 fine, i32 own)
    {
        const RelativeBound<T> &bound = z.bound;
        const double parts = static_cast<double>(1u << (DENSE_PART_BITS + fine));
        constexpr double PARTS = static_cast<double>(1u << DENSE_PART_BITS);
        base = z.origin + bound.low;
        edge = bound.edge;
        linear_parts = __dmul_rn(static_cast<double>(bound.inverse), parts);
        pattern_parts = __ddiv_rn(PARTS, count_of(bound.stride >> fine));
        first = __dmul_rn(static_cast<double>(bound.knee) + 1, parts);
        zero = __dmul_rn(static_cast<double>(own), parts);
        const double width = __dsub_rn(count_of(bound.stride), 1.0);
        middle = __dmul_rn(__dsub_rn(width, __dmul_rn(2.0, count_of(bound.low))), 0.5);
        least = bound.knee == 0 ? static_cast<double>(1u << fine >> 1) * PARTS : 0;
    }

    /// The target of an element before it is rounded; NaN where it has none.
    FSZ_DEVICE double part(T d) const
    {
        const Bits bits = bits_of(d) & ~Element<T>::SIGN;
        const double pattern = as_double(guess_pattern(bits) - base);
        double size = __dadd_rn(first, __dmul_rn(__dsub_rn(pattern, middle), pattern_parts));
        bool there = size >= least && bits < Element<T>::INFINITE;
        if (bits < edge)
        {
            size = __dmul_rn(static_cast<double>(value_of(bits)), linear_parts);
            there = true;
        }
        const u64 sign = static_cast<u64>(bits_of(d) >> (8 * sizeof(T) - 1)) << 63;
        const u64 part = bits_of(__dsub_rn(value_of(bits_of(size) ^ sign), zero));
        // The high word tells what is no number.
        return value_of(there ? part : part | Element<double>::QUIET_NAN);
    }
};

/// The same of the codes themselves.
template <class T> struct CodeTargets
{
    using Bits = typename Element<T>::Bits;

    const RelativeBound<T> bound;
    const Bits origin;
    i32 own;

    /// The target of an element; NaN where it has none, but for that its error may be too large.
    FSZ_DEVICE double part(T d) const
    {
        const Bits bits = bits_of(d) & ~Element<T>::SIGN;
        bool there = bits < Element<T>::INFINITE;
        i32 k;
        if (bits < bound.edge)
        {
            RelativeError<T> error;
            linear_code(value_of(bits), bound, k, error);
        }
        else
        {
            Bits number, begin;
            there = logarithmic(bits, RelativeQuantizer<T>(bound, origin), number, begin) && there;
            k = static_cast<i32>(bound.knee + 1 + static_cast<u32>(number));
        }
        const i32 away = (bits_of(d) & Element<T>::SIGN ? -k : k) - own;
        const double parts = static_cast<double>(1u << DENSE_PART_BITS);
        return there ? static_cast<double>(away) * parts : value_of(Element<double>::QUIET_NAN);
    }
};

/// What gives a loop's elements their codes: a copy of what the host knows of the bound, since a
/// function that is called has it in memory, and would load it for each element.
template <class T> struct RelativeCodes
{
    using Error = RelativeError<T>;

    const RelativeBound<T> bound;
    const typename Element<T>::Bits origin;
    const MissingAtHand<T> missing;

    /// A code always keeps the bound.
    FSZ_DEVICE bool strict_code_of(T d, i32 &code, Error &error) const
    {
        bool far;
        const bool has = try_code(d, RelativeQuantizer<T>(bound, origin), code, error, far) &&
                         !missing.is(bits_of(d));
        code = has ? code : 0;
        return has;
    }

    FSZ_DEVICE bool code_of(T d, i32 &code) const
    {
        Error error;
        return strict_code_of(d, code, error);
    }
};

template <class T> struct Points<RelativeQuantizer<T>>
{
    using Error = RelativeError<T>;
    static constexpr bool SHORT = false;

    const RelativeQuantizer<T> z;
    const Missing<T> &missing;
    const u32 fine;

    FSZ_DEVICE Points(const RelativeArgs<T> &args, u32 fine)
        : z(args, *args.control), missing(args.missing), fine(fine)
    {
    }

    FSZ_DEVICE RelativeCodes<T> codes() const
    {
        return {z.bound, z.origin, MissingAtHand<T>(missing)};
    }

    FSZ_DEVICE bool strict_code_of(T d, i32 &code, Error &error) const
    {
        return codes().strict_code_of(d, code, error);
    }

    FSZ_DEVICE bool code_of(T d, i32 &code) const { return codes().code_of(d, code); }

    /// What a target is from the first code of a box on, of an element that has one.
    struct Targets
    {
        const Points &points;
        const CurveTargets<T> curve;
        i32 own;

        FSZ_DEVICE bool operator()(T d, i32 &target) const
        {
            if (points.fine == 0)
            {
                i32 code;
                const bool has = points.code_of(d, code);
                const i32 away = code - own;
                target = away * (1 << DENSE_PART_BITS);
                return has && abs(away) <= VALUE_MOST;
            }
            const double part = rint(curve.part(d));
            target = static_cast<i32>(part);
            return fabs(part) <= TARGET_MOST && !points.missing.is(bits_of(d));
        }
    };

    FSZ_DEVICE Targets targets(i32 own) const { return {*this, {z, fine, own}, own}; }

    /// Whether an element without a code has one of some targets nevertheless: a point between
    /// codes may keep a bound that no code does.
    FSZ_DEVICE bool between_codes(T d, const Targets &targets) const
    {
        i32 target;
        return fine > 0 && targets(d, target);
    }

    struct Nearness
    {
        const Points &points;
        const CurveValues<T> values;

        FSZ_DEVICE bool operator()(T d, i32 point, Error &error) const
        {
            if (points.fine == 0)
            {
                // The point is the element's code.
                return points.strict_code_of(d, point, error);
            }
            const RelativeBound<T> &bound = points.z.bound;
            error.absolute = magnitude_of(difference_of(d, values.of(point)));
            error.relative = 0;
            if (bits_of(magnitude_of(d)) < bound.edge)
            {
                return error.absolute < bound.floor || error.absolute == 0;
            }
            error.relative = quotient(error.absolute, magnitude_of(d));
            return error.relative < bound.eps;
        }
    };

    FSZ_DEVICE Nearness nearness() const { return {*this, values_of_points(z, fine)}; }
};

/// What elements are compared with in a plain box.
template <class T> struct CurveComparison
{
    CurveValues<T> values;
    typename Element<T>::Bits edge;
    /// What errors of linear codes are below.
    T above;
    /// The code of the box's first element, in points.
    u32 zero;
    /// Whether the range is to be taken.
    bool range;
};

/// What a comparison comes to.
template <class T> struct CurveCompared
{
    Decoded<RelativeError<T>, T> found;
    /// Whether no element of linear codes is too far.
    bool near;
    /// Whether some relative error may be larger than the largest known.
    bool larger;
};

/// Compares the elements of a box with what they are decoded to. `found.error.relative` begins as
/// the largest known. QUOTIENTS: it ends as the largest; otherwise it is only told whether one may
/// be larger, which is seldom so.
template <class T, u32 LAYOUT, u32 WIDTH, bool MASKED, bool QUOTIENTS>
FSZ_DEVICE CurveCompared<T> compare_on_curve(BoxSpan<T> span, u32 stage, CurveComparison<T> with,
                                             Decoded<RelativeError<T>, T> found,
                                             LeftOut<T, MASKED> out)
{
    bool near = true, larger_one = false;
    const bool none = found.low > found.high;
    T low = none ? value_of(Element<T>::INFINITE) : found.low;
    T high = none ? value_of(Element<T>::INFINITE | Element<T>::SIGN) : found.high;
    const auto compare = [&](T d, u32 word) {
        if (out.has(d))
        {
            return word;
        }
        const T decoded = with.values.of(static_cast<i32>(with.zero + word));
        const T size = magnitude_of(d);
        const T error = magnitude_of(difference_of(d, decoded));
        found.error.absolute = larger(found.error.absolute, error);
        const bool is_linear = bits_of(size) < with.edge;
        near = near && (!is_linear || error < with.above);
        // As long as the error is not above the product, the quotient is not above the largest.
        if (!is_linear && error > product_below(found.error.relative, size))
        {
            larger_one = true;
            if constexpr (QUOTIENTS)
            {
                found.error.relative = larger(found.error.relative, quotient(error, size));
            }
        }
        low = smaller(low, d);
        high = larger(high, d);
        return word;
    };
    each_element<LAYOUT, WIDTH>(span, [&](u32 place, const T(&d)[WIDTH]) {
        u32 words[WIDTH];
        load_words<LAYOUT>(stage + place, words);
        each_word<false>(d, words, compare);
    });
    if (with.range && low <= high)
    {
        found.low = low;
        found.high = high;
    }
    return {found, near, larger_one};
}

template <class T> struct PlainPoints<RelativeQuantizer<T>> : Points<RelativeQuantizer<T>>
{
    using Error = RelativeError<T>;
    using Bits = typename Element<T>::Bits;
    using Points<RelativeQuantizer<T>>::z;
    using Points<RelativeQuantizer<T>>::fine;

    TargetLimits limits;
    /// The largest relative error of the boxes so far.
    T relative;

    FSZ_DEVICE PlainPoints(const RelativeArgs<T> &args, u32 fine)
        : Points<RelativeQuantizer<T>>(args, fine), limits(fine), relative(0)
    {
    }

    FSZ_DEVICE bool any() const { return true; }

    FSZ_DEVICE void keep_error(const Error &error)
    {
        relative = warp_larger(larger(relative, error.relative));
    }

    /// A kind of target with the limits of those that fit.
    template <class Targets> struct Limited : Targets
    {
        static constexpr bool SHORT = false;
        double limit;
        double magic;

        FSZ_DEVICE Limited(const Targets &targets, const TargetLimits &limits)
            : Targets(targets), limit(limits.limit), magic(limits.magic)
        {
        }
    };

    template <class Use> FSZ_DEVICE auto with_numbers(i32 own, const Use &use) const
    {
        return fine == 0 ? use(Limited<CodeTargets<T>>({z.bound, z.origin, own}, limits))
                         : use(Limited<CurveTargets<T>>({z, fine, own}, limits));
    }

    /// In functions of their own, with quotients where they are needed alone.
    template <u32 LAYOUT, u32 WIDTH, bool MASKED>
    static FSZ_DEVICE CurveCompared<T>
    compared_on_curve(const BoxSpan<T> &span, u32 stage, const CurveComparison<T> &with,
                      const Decoded<Error, T> &found, LeftOut<T, MASKED> out)
    {
        // Boxes with masks are too few for a function more.
        if constexpr (!MASKED)
        {
            const CurveCompared<T> compared = Apart<LAYOUT, MASKED>::call([=]() {
                return compare_on_curve<T, LAYOUT, WIDTH, MASKED, false>(span, stage, with, found,
                                                                         out);
            });
            if (!__any_sync(WARP_ALL, compared.larger))
            {
                return compared;
            }
        }
        return Apart<LAYOUT, MASKED>::call([=]() {
            return compare_on_curve<T, LAYOUT, WIDTH, MASKED, true>(span, stage, with, found, out);
        });
    }

    template <u32 LAYOUT, u32 WIDTH, bool MASKED>
    FSZ_DEVICE bool strict(const BoxSpan<T> &span, u32 stage, i32 own, Decoded<Error, T> &found,
                           bool range, LeftOut<T, MASKED> out) const
    {
        // An error may be the floor where points are codes, and 0 everywhere.
        const T above = value_of(max(bits_of(z.bound.floor) + (fine == 0 ? 1 : 0), Bits{1}));
        const CurveComparison<T> with{values_of_points(z, fine), z.bound.edge, above,
                                      static_cast<u32>(own) << fine, range};
        found.error.relative = relative;
        const CurveCompared<T> compared =
            compared_on_curve<LAYOUT, WIDTH, MASKED>(span, stage, with, found, out);
        found = compared.found;
        return __all_sync(WARP_ALL, compared.near && found.error.relative < z.bound.eps);
    }
};

template <class T> FSZ_DEVICE RelativeError<T> warp_larger(const RelativeError<T> &error)
{
    return {warp_larger(error.absolute), warp_larger(error.relative)};
}

/// Takes an error into a lane's statistics.
template <class T> FSZ_DEVICE void take_error(const RelativeError<T> &error, Statistics &statistics)
{
    statistics.max_error = max(statistics.max_error, static_cast<u64>(bits_of(error.absolute)));
    statistics.max_relative_error =
        max(statistics.max_relative_error, static_cast<u64>(bits_of(error.relative)));
}

} // namespace fsz
