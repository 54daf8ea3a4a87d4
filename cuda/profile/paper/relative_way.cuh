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

/// What quantizing on the short way needs, of a field.
template <class T> struct RelativeShortWay
{
    using Bits = typename Element<T>::Bits;
    /// A guess is in units of the 23 bits of a float's mantissa.
    static constexpr u32 DROPPED = Element<T>::MANTISSA - 23;
    /// How far guesses are lowered, so that they are below the pattern; and what they may lack
    /// then. The approximate root is off by 3.9 units at most, and bits that are dropped by 1.5.
    static constexpr Bits LOWERED = Bits{DROPPED == 0 ? 5 : 8} << DROPPED;
    static constexpr Bits LACKED = 2 * LOWERED;
    /// The distances are numbers of 32 bits, in units of so many bits.
    static constexpr u32 COARSE = sizeof(T) == 4 ? 0 : 31;

    const RelativeQuantizer<T> &z;
    /// The pattern that distances are from, with the bits of a guess of 0.
    Bits from;
    /// Distances beyond this have no code on the short way.
    u32 reach;
    /// What is left of distances from here on may belong to the next code.
    Bits last;
    /// The largest relative error so far.
    T share;
    T more;

    FSZ_DEVICE RelativeShortWay(const RelativeQuantizer<T> &z, T share)
        : z(z), from(z.origin + LOWERED), reach(reach_of_codes(z)), last(z.bound.stride - LACKED),
          share(share), more(half_unit(share))
    {
    }

    /// Whether any part may go the short way.
    static FSZ_DEVICE bool serves(const RelativeQuantizer<T> &z)
    {
        const RelativeBound<T> &bound = z.bound;
        return bound.curved != 0 && bound.knee < static_cast<u32>(FUSED_REACH) &&
               bound.stride > 2 * LACKED && bound.shift + 1 > COARSE;
    }

    /// No pattern below the origin is within.
    static FSZ_DEVICE u32 reach_of_codes(const RelativeQuantizer<T> &z)
    {
        const u32 codes = static_cast<u32>(FUSED_REACH) - min(z.bound.knee + 2, 4194302u);
        const u64 all = (static_cast<u64>(z.bound.stride) >> COARSE) * codes;
        const u32 origin = static_cast<u32>(z.origin >> COARSE);
        const u32 least = (sizeof(T) == 4 ? 0x7FFFFFFFu : ~0u) - (sizeof(T) == 4 ? 0 : origin + 1);
        return static_cast<u32>(min(all, static_cast<u64>(least)));
    }
};

/// ROUND + q, for the sign of an element and the magnitude of its code; `round` has the bits of
/// ROUND.
FSZ_DEVICE float signed_code(u32 sign_bits, u32 magnitude, u32 round)
{
    const u32 unit = static_cast<u32>(static_cast<i32>(sign_bits) >> 31) | 1;
    return __int_as_float(static_cast<i32>(magnitude * unit + round));
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
