// Targets of elements with a pointwise-relative bound: points of a curve, or the codes themselves
// (FORMAT.md, Dense: quantize).
#pragma once

#include "encode/relative_quantizer.cuh"
#include "profile/dense/grid.cuh"

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
        const bool linear = bits < edge;
        // No branches: elements are worked on side by side.
        const bool there = linear | ((size >= least) & (bits < Element<T>::INFINITE));
        if (linear)
        {
            size = __dmul_rn(static_cast<double>(value_of(bits)), linear_parts);
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

} // namespace fsz
