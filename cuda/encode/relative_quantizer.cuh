// The quantizer that keeps a pointwise-relative bound, and the code of any element (FORMAT.md,
// Relative).
#pragma once

#include "encode/arguments.cuh"
#include "format/curve.cuh"

namespace fsz
{

/// What the host knows of a pointwise-relative bound: it follows from the bound alone. The same
/// struct is `RelativeBoundF32` or `RelativeBoundF64` in crates/fsz/src/cuda/kernels/abi.rs.
template <class T> struct RelativeBound
{
    using Bits = typename Element<T>::Bits;
    T eps;
    T floor;
    T linear_step;
    /// 1 / linear_step; 0 without one.
    T inverse;
    /// Bits of magnitudes that linear codes are for end before these.
    Bits edge;
    /// Patterns from where a code begins to where its value is, and to where the next one begins.
    Bits low;
    Bits stride;
    /// A number of patterns, times this, is that of codes above the highest word, shifted.
    Bits reciprocal;
    /// The lowest pattern of the first logarithmic code, if it does not follow from samples.
    Bits origin;
    /// Samples that it follows from; 0: none.
    u64 samples;
    /// The room for them.
    Bits *sampled;
    u32 shift;
    u32 knee;
    /// Whether patterns are curved.
    u32 curved;
    /// Where in the header the relative part begins.
    u32 relative_at;

    FSZ_DEVICE u32 bend() const { return curved ? Octave<T>::BEND : 0; }
};

/// What a kernel of compression with a pointwise-relative bound is told.
template <class T> struct RelativeArgs : CompressArgs<T>
{
    RelativeBound<T> bound;
};

/// Errors of elements: |d - d'|, and |d - d'| / |d| of those with logarithmic codes.
template <class T> struct RelativeError
{
    T absolute;
    T relative;
};

template <class T>
FSZ_DEVICE RelativeError<T> larger(const RelativeError<T> &a, const RelativeError<T> &b)
{
    return {larger(a.absolute, b.absolute), larger(a.relative, b.relative)};
}

/// The numbers that turn elements into codes and back.
template <class T> struct RelativeQuantizer
{
    using Value = T;
    using Error = RelativeError<T>;
    using Args = RelativeArgs<T>;
    using Bits = typename Element<T>::Bits;
    static constexpr bool RELATIVE = true;

    const RelativeBound<T> &bound;
    /// The lowest pattern of the first logarithmic code.
    Bits origin;

    FSZ_DEVICE RelativeQuantizer(const RelativeBound<T> &bound, Bits origin)
        : bound(bound), origin(origin)
    {
    }

    FSZ_DEVICE RelativeQuantizer(const Args &args, const Control &control)
        : RelativeQuantizer(args.bound, static_cast<Bits>(control.origin))
    {
    }
};

/// The curve is a parabola in each octave; its inverse at f, of 0 to 1, is
/// (sqrt((1 - c)^2 + 4 * c * f) - (1 - c)) / (2 * c).
template <class T> struct Parabola
{
    static constexpr double C = static_cast<double>(CURVE_SHARE) / CURVE_UNIT;
    static constexpr T SQUARE = static_cast<T>((1 - C) * (1 - C));
    static constexpr T SLOPE = static_cast<T>(4 * C);
    static constexpr T LESS = static_cast<T>(1 - C);
    static constexpr T UNITS = static_cast<T>(Octave<T>::LEN / (2 * C));
    /// Patterns that a guess may be off.
    static constexpr i32 MARGIN = 4;
};

/// The rounded root of a number that is neither tiny nor huge: as the device's library finds it,
/// but without a look at others, so that several are found at once.
FSZ_DEVICE float root_of(float x)
{
    float inverse;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(x));
    const float root = __fmul_rn(x, inverse);
    return __fmaf_rn(__fmaf_rn(-root, root, x), __fmul_rn(inverse, 0.5f), root);
}

/// The pattern of some bits, but for a few.
FSZ_DEVICE u32 guess_pattern(u32 bits)
{
    using P = Parabola<float>;
    const u32 p = bits & (Octave<float>::LEN - 1);
    const float f = __fsub_rn(value_of(p | 0x3F800000u), 1.f);
    const float root = root_of(__fadd_rn(__fmul_rn(P::SLOPE, f), P::SQUARE));
    const float guess = __fmul_rn(__fsub_rn(root, P::LESS), P::UNITS);
    return bits - p + bits_of(__fadd_rn(guess, 0x1p23f)) - bits_of(0x1p23f);
}

FSZ_DEVICE u64 guess_pattern(u64 bits)
{
    using P = Parabola<double>;
    const u64 p = bits & (Octave<double>::LEN - 1);
    const double f = __dsub_rn(value_of(p | 0x3FF0000000000000ull), 1.0);
    const double root = __dsqrt_rn(__dadd_rn(__dmul_rn(P::SLOPE, f), P::SQUARE));
    const double guess = __dmul_rn(__dsub_rn(root, P::LESS), P::UNITS);
    return bits - p + bits_of(__dadd_rn(guess, 0x1p52)) - bits_of(0x1p52);
}

FSZ_DEVICE i32 as_signed(u32 bits) { return static_cast<i32>(bits); }

FSZ_DEVICE i64 as_signed(u64 bits) { return static_cast<i64>(bits); }

FSZ_DEVICE float quotient(float a, float b) { return __fdiv_rn(a, b); }

FSZ_DEVICE double quotient(double a, double b) { return __ddiv_rn(a, b); }

FSZ_DEVICE float distance_of(float a, float b) { return fabsf(__fsub_rn(a, b)); }

FSZ_DEVICE double distance_of(double a, double b) { return fabs(__dsub_rn(a, b)); }

FSZ_DEVICE float multiple(u32 k, float step) { return __fmul_rn(__uint2float_rn(k), step); }

FSZ_DEVICE double multiple(u32 k, double step) { return __dmul_rn(__uint2double_rn(k), step); }

/// The number of the logarithmic code of some bits, and the pattern where it begins. False where
/// there is none.
template <class T>
FSZ_DEVICE bool logarithmic(typename Element<T>::Bits bits, const RelativeQuantizer<T> &z,
                            typename Element<T>::Bits &number, typename Element<T>::Bits &begin)
{
    using Bits = typename Element<T>::Bits;
    const RelativeBound<T> &bound = z.bound;
    const bool curved = bound.curved != 0;
    const u32 bend = bound.bend();
    const Bits away = (curved ? guess_pattern(bits) : bits) - z.origin;
    const Bits from = as_signed(away) > 0 ? away : 0;
    number = high_word(from, bound.reciprocal) >> bound.shift;
    // The reciprocal is no larger than exact: one code more at most.
    number += from - number * bound.stride >= bound.stride;
    begin = z.origin + number * bound.stride;
    bool found = as_signed(away) >= (curved ? -Parabola<T>::MARGIN : 0);
    // The guess may have been on the other side of an edge.
    if (Octave<T>::bits(begin, bend) > bits)
    {
        found = found && number > 0;
        number -= 1;
        begin -= bound.stride;
    }
    else if (Octave<T>::bits(begin + bound.stride, bend) <= bits)
    {
        number += 1;
        begin += bound.stride;
    }
    return found && number <= CODE_MAX - bound.knee - 1;
}

/// A magnitude as a whole number of linear steps.
FSZ_DEVICE u32 steps_of(double size, double inverse)
{
    return static_cast<u32>(__double2loint(__dadd_rn(__dmul_rn(size, inverse), ROUND_WIDE)));
}

/// The linear code of a magnitude below the edge. False where it has none.
template <class T>
FSZ_DEVICE bool linear_code(T size, const RelativeBound<T> &bound, i32 &k, RelativeError<T> &error)
{
    const u32 nearest = steps_of(static_cast<double>(size), static_cast<double>(bound.inverse));
    k = static_cast<i32>(min(nearest, bound.knee));
    error = {distance_of(size, multiple(static_cast<u32>(k), bound.linear_step)), 0};
    return error.absolute <= bound.floor;
}

/// As the `try_code` of the other quantizer, of which it tells all; nothing is far.
template <class T>
FSZ_DEVICE bool try_code(T d, const RelativeQuantizer<T> &z, i32 &q, RelativeError<T> &error,
                         bool &far)
{
    using Bits = typename Element<T>::Bits;
    const RelativeBound<T> &bound = z.bound;
    const Bits bits = bits_of(d) & ~Element<T>::SIGN;
    const T size = value_of(bits);
    far = false;
    bool coded;
    i32 k;
    if (bits < bound.edge)
    {
        coded = linear_code(size, bound, k, error);
    }
    else
    {
        Bits number, begin;
        coded = logarithmic(bits, z, number, begin);
        const Bits back = min(begin + bound.low, Element<T>::INFINITE);
        const T value = value_of(Octave<T>::bits(back, bound.bend()));
        error.absolute = distance_of(size, value);
        error.relative = quotient(error.absolute, size);
        // A quotient that is no number is not below anything.
        coded = coded && error.relative < bound.eps;
        k = static_cast<i32>(bound.knee + 1 + static_cast<u32>(number));
    }
    q = bits_of(d) & Element<T>::SIGN ? -k : k;
    return coded;
}

/// Nothing is beyond the reach of `try_code`.
template <class T>
FSZ_DEVICE bool far_code(T, const RelativeQuantizer<T> &, i32 &, RelativeError<T> &)
{
    return false;
}

/// A finite magnitude that all elements with codes are within.
template <class T> FSZ_DEVICE T reach_of(const RelativeQuantizer<T> &)
{
    return value_of(Element<T>::INFINITE - 1);
}

/// Takes the lanes' errors into the warp's statistics.
template <class T> FSZ_DEVICE void add_error(const RelativeError<T> &error, Statistics *statistics)
{
    const u64 absolute = warp_max(bits_of(error.absolute));
    const u64 relative = warp_max(bits_of(error.relative));
    if (lane_id() == 0)
    {
        statistics->max_error = max(statistics->max_error, absolute);
        statistics->max_relative_error = max(statistics->max_relative_error, relative);
    }
}

/// What a header has of a pointwise-relative bound that only encoding tells.
template <class T> struct RelativeFieldsOf
{
    const RelativeBound<T> &bound;
    const Control *control;

    /// Sets it in a header whose other fields are set.
    FSZ_DEVICE void operator()(u32 *words) const
    {
        using Bits = typename Element<T>::Bits;
        const u32 at = bound.relative_at;
        const auto number = [&](u32 k) {
            return value_of(words[k / 4] | static_cast<u64>(words[k / 4 + 1]) << 32);
        };
        const double largest =
            largest_error(number(AT_REQUESTED_BOUND), number(at + 8 * RELATIVE_FLOOR),
                          number(AT_MIN), number(AT_MAX));
        set_f64(words, AT_ABSOLUTE_BOUND, largest);
        const Bits error = static_cast<Bits>(control->statistics.max_relative_error);
        set_f64(words, at + 8 * RELATIVE_MAX_RELATIVE_ERROR, value_of(error));
        set_u64(words, at + 8 * RELATIVE_BASE, static_cast<Bits>(control->origin + bound.low));
    }
};

template <class T>
FSZ_DEVICE RelativeQuantizer<T> make_quantizer(const RelativeArgs<T> &args, const Control &control)
{
    return RelativeQuantizer<T>(args, control);
}

template <class T> FSZ_DEVICE RelativeFieldsOf<T> own_fields(const RelativeArgs<T> &args)
{
    return {args.bound, args.control};
}

} // namespace fsz
