// The values of the codes of a pointwise-relative bound (FORMAT.md, Relative).
#pragma once

#include "device/types.cuh"

namespace fsz
{

FSZ_DEVICE u32 high_word(u32 a, u32 b) { return __umulhi(a, b); }

FSZ_DEVICE u64 high_word(u64 a, u64 b) { return __umul64hi(a, b); }

/// The curve of an element type. Its bend is BEND where patterns are curved and 0 where they are
/// straight.
template <class T> struct Octave
{
    using Bits = typename Element<T>::Bits;
    /// The distance of the bits of a number and of its double.
    static constexpr Bits LEN = Bits{1} << Element<T>::MANTISSA;
    /// The parabola is the high word of a product: of so much and of the two parts of an octave.
    static constexpr u32 BEND =
        CURVE_SHARE * static_cast<u32>((~Bits{0} >> Element<T>::MANTISSA) / CURVE_UNIT + 1);

    /// The bits at pattern `y` of the curve.
    static FSZ_DEVICE Bits bits(Bits y, u32 bend)
    {
        const Bits p = y & (LEN - 1);
        // The same as bend * (LEN - p), in one instruction.
        return y - high_word(p, bend * LEN - bend * p);
    }

    /// The largest pattern whose bits are not above these: `Y` of FORMAT.md.
    static FSZ_DEVICE Bits pattern(Bits of, u32 bend)
    {
        if (bend == 0)
        {
            return of;
        }
        // Within an octave the curve rises, and at its ends it changes nothing.
        const Bits octave = of & ~(LEN - 1);
        Bits found = 0;
        for (Bits jump = LEN / 2; jump > 0; jump /= 2)
        {
            found += bits(octave + found + jump, bend) <= of ? jump : 0;
        }
        return octave + found;
    }
};

} // namespace fsz
