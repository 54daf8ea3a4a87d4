// What is known beforehand of quantizing with a pointwise-relative bound on the short way, and the
// approximate patterns of mantissas.
#pragma once

#include "encode/relative_quantizer.cuh"

namespace fsz
{

/// A rounded-down multiple of a magnitude, whatever its sign: `share` and half a unit of it more.
FSZ_DEVICE float share_of(float d, float share, float more)
{
    return fabsf(__fmaf_rz(share, d, __fmul_rn(more, d)));
}

FSZ_DEVICE double share_of(double d, double share, double more)
{
    return fabs(__fma_rz(share, d, __dmul_rn(more, d)));
}

/// A little less than half of the distance from a number to the next.
FSZ_DEVICE float half_unit(float value)
{
    const float octave = value_of(bits_of(value) & 0x7F800000u);
    return __fmul_rn(octave, 0x1p-24f * (1 - 0x1p-16f));
}

FSZ_DEVICE double half_unit(double value)
{
    const double octave = value_of(bits_of(value) & 0x7FF0000000000000ull);
    return __dmul_rn(octave, 0x1p-53 * (1 - 0x1p-16));
}

/// The highest 32 bits of an element: numbers without a sign order as these do.
FSZ_DEVICE u32 top_word(float d) { return bits_of(d); }

FSZ_DEVICE u32 top_word(double d) { return static_cast<u32>(bits_of(d) >> 32); }

/// The bits of an element but for those at the end of its mantissa that a float lacks. Of f64, the
/// sign and the two highest bits of the exponent are lost.
FSZ_DEVICE u32 pattern_word(float d) { return bits_of(d); }

FSZ_DEVICE u32 pattern_word(double d)
{
    constexpr u32 DROPPED = Element<double>::MANTISSA - Element<float>::MANTISSA;
    return __funnelshift_r(static_cast<u32>(bits_of(d)), top_word(d), DROPPED);
}

/// What quantizing on the short way has of an element type. It goes by numbers of 32 bits, in
/// *units*: the patterns of f32, whatever the type.
template <class T> struct RelativeShortWay
{
    using Bits = typename Element<T>::Bits;
    /// Patterns of a unit, as a shift; and units of an octave.
    static constexpr u32 UNIT = Element<T>::MANTISSA - Element<float>::MANTISSA;
    static constexpr u32 OCTAVE = Octave<float>::LEN;
    /// Bits below the top word.
    static constexpr u32 TOP = 8 * sizeof(T) - 32;
    /// How far guesses are lowered, so that they are below the pattern; and what they may lack
    /// then. The approximate root is off by 3.9 units at most; of f64, an element's dropped bits
    /// take 1.5 units and the reciprocal takes 1, and those of the origin give 1.
    static constexpr u32 LOWERED = 5;
    static constexpr u32 LACKED = sizeof(T) == 4 ? 10 : 12;
    /// What values and the ends of codes may be off, in whole units.
    static constexpr float OFF = sizeof(T) == 4 ? 4 : 3;

    /// Whether any part may go the short way.
    static FSZ_DEVICE bool serves(const RelativeQuantizer<T> &z)
    {
        const RelativeBound<T> &bound = z.bound;
        return bound.curved != 0 && bound.knee < static_cast<u32>(FUSED_REACH) &&
               bound.stride >> UNIT > 2 * LACKED;
    }

    /// Units beyond which there is no code on the short way.
    static FSZ_DEVICE u32 reach_of_codes(const RelativeQuantizer<T> &z)
    {
        const u32 codes = static_cast<u32>(FUSED_REACH) - min(z.bound.knee + 2, 4194302u);
        const u64 all = static_cast<u64>(z.bound.stride >> UNIT) * codes;
        return static_cast<u32>(min(all, u64{0x7FFFFFFF}));
    }

    /// The reciprocal of the stride in units, shifted by `shift` more than 32 bits.
    static FSZ_DEVICE u32 reciprocal(const RelativeBound<T> &bound)
    {
        return static_cast<u32>(bound.reciprocal >> TOP);
    }

    static FSZ_DEVICE u32 shift(const RelativeBound<T> &bound) { return bound.shift - UNIT; }
};

/// A code's magnitude with an element's sign.
FSZ_DEVICE float with_sign(float magnitude, u32 element_top)
{
    return value_of(bits_of(magnitude) | (element_top & Element<float>::SIGN));
}

/// The square root of a number that is neither 0 nor subnormal, to 2^-23 of it.
FSZ_DEVICE float approximate_root(float value)
{
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(value));
    return root;
}

/// The pattern of a mantissa m, of 1 to 2, given SLOPE * (m - 1) + SQUARE: bits of a float, with
/// those of 2^23.
FSZ_DEVICE u32 approximate_pattern(float square)
{
    using P = Parabola<float>;
    constexpr float SHIFT = static_cast<float>(0x1p23 - P::LESS * (0x1p23 / (2 * P::C)));
    return bits_of(__fmaf_rn(approximate_root(square), P::UNITS, SHIFT));
}

/// The same, given the bits of the mantissa.
FSZ_DEVICE u32 approximate_pattern(u32 mantissa)
{
    using P = Parabola<float>;
    return approximate_pattern(__fmaf_rn(P::SLOPE, value_of(mantissa), P::SQUARE - P::SLOPE));
}

} // namespace fsz
