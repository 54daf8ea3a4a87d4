// The points of boxes with a pointwise-relative bound (FORMAT.md, Dense: quantize): on a curve
// where there are some between its codes, otherwise the codes.
#pragma once

#include "profile/dense/encode/plain/points.cuh"
#include "profile/dense/encode/relative/compare.cuh"
#include "profile/dense/encode/relative/targets.cuh"

namespace fsz
{

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

        /// The same, and takes the error of one that keeps the bound into the largest, of which
        /// each is one that does. There is no quotient as long as it cannot be above that.
        FSZ_DEVICE bool takes(T d, i32 point, Error &largest) const
        {
            Error error{magnitude_of(difference_of(d, values.of(point))), largest.relative};
            const T size = magnitude_of(d);
            if (points.fine == 0 || bits_of(size) < points.z.bound.edge ||
                !(error.absolute <= product_below(largest.relative, size)))
            {
                if (!(*this)(d, point, error))
                {
                    return false;
                }
            }
            largest = larger(largest, error);
            return true;
        }
    };

    FSZ_DEVICE Nearness nearness() const { return {*this, values_of_points(z, fine)}; }
};

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

    FSZ_DEVICE Error known_error() const { return {0, relative}; }

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
            const CurveCompared<T> compared = Apart<MASKED, LAYOUT>::call([=]() {
                return compare_on_curve<T, LAYOUT, WIDTH, MASKED, false>(span, stage, with, found,
                                                                         out);
            });
            if (!__any_sync(WARP_ALL, compared.larger))
            {
                return compared;
            }
        }
        return Apart<MASKED, LAYOUT>::call([=]() {
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
