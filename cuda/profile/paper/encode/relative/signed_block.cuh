// Where in their codes the elements of a block of one sign are near the ends: by how much an error
// may be larger than the largest so far there.
#pragma once

#include "profile/paper/encode/relative/one_sign.cuh"

namespace fsz
{

/// The ends of codes, as a block has them that is quantized.
struct Ends
{
    /// As that of the way, but less: the guess of an element that is near the beginning of its code
    /// is the code before, of which more is left than of all others.
    u64 before;
    /// Elements of which so much is left, or more, are near the ends of their codes.
    u32 end;
};

/// So many units at the beginning of a code, and behind the last that cannot be of the next one.
struct UnitsAtEnds
{
    u32 first;
    u32 behind_last;
};

/// A number of units of at most `most`, which is what is no number.
FSZ_DEVICE u32 units_of(float number, float most)
{
    return static_cast<u32>(fmaxf(number < most ? number : most, 0.f));
}

/// a / b but for 2^-21 of it, of f64 2^-18; b a normal number.
FSZ_DEVICE float approximate_quotient(float a, float b)
{
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(b));
    return __fmul_rn(a, inverse);
}

FSZ_DEVICE double approximate_quotient(double a, double b)
{
    double inverse;
    asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(inverse) : "d"(b));
    return __dmul_rn(a, inverse);
}

/// A share as a float: of f64, less than it by what approximate quotients may be off.
FSZ_DEVICE float share_below(float share) { return share; }

FSZ_DEVICE float share_below(double share)
{
    return __double2float_rn(__dmul_rn(share, 1 - 0x1p-17));
}

/// Octaves that the curve takes at least where values change by a share of 1, for small shares:
/// anywhere.
constexpr float LEAST_RUN_ANYWHERE = static_cast<float>(1 / (STEEPEST * (1 + 0x1p-20)));

/// The same between two magnitudes.
template <class T> FSZ_DEVICE float least_run(T least, T most)
{
    using P = Parabola<float>;
    constexpr float PEAK = 1.3281f;
    constexpr u32 MANTISSA = RelativeShortWay<T>::OCTAVE - 1;
    constexpr u32 EXPONENT = Element<T>::INFINITE >> RelativeShortWay<T>::TOP;
    const u32 one = bits_of(1.f);
    const float from = value_of((pattern_word(least) & MANTISSA) | one);
    const float to = value_of((pattern_word(most) & MANTISSA) | one);
    const auto run = [](float m) {
        float inverse;
        asm("rsqrt.approx.ftz.f32 %0, %1;"
            : "=f"(inverse)
            : "f"(__fmaf_rn(P::SLOPE, m, P::SQUARE - P::SLOPE)));
        return __fmul_rn(m, inverse);
    };
    const float beside = __fmul_rn(fminf(run(from), run(to)), 1 - 0x1p-19f);
    const bool one_octave = ((top_word(least) ^ top_word(most)) & EXPONENT) == 0;
    // Left of the peak the curve gets steeper, right of it it gets flatter.
    const bool is_beside = one_octave && (to < PEAK - 0x1p-9f || from > PEAK + 0x1p-9f);
    return is_beside ? beside : LEAST_RUN_ANYWHERE;
}

/// A block of one sign that is being quantized.
template <class T> struct SignedBlock
{
    using Bits = typename Element<T>::Bits;
    using Way = RelativeShortWay<T>;
    const RelativeBound<T> &bound;
    const OneSign<T> &way;
    u32 exponent;
    float slope;

    /// Of f32, elements have a sign, which must be told. Of f64, the short way does not see it.
    FSZ_DEVICE SignedBlock(const RelativeQuantizer<T> &z, const OneSign<T> &way, u32 sign)
        : bound(z.bound), way(way), exponent(way.exponent), slope(way.slope)
    {
        if constexpr (sizeof(T) == 4)
        {
            exponent ^= sign;
            slope = value_of(bits_of(slope) ^ sign);
        }
    }

    /// An element's distance; returns the magnitude of its code, or one less, shifted.
    FSZ_DEVICE u32 scaled(T d, u64 before, u32 &distance) const
    {
        using P = Parabola<float>;
        const u32 pattern = pattern_word(d);
        // (a & b) | c: the compiler would make two instructions of the exponent with its sign.
        u32 mantissa;
        asm("lop3.b32 %0, %1, %2, %3, 0xEA;"
            : "=r"(mantissa)
            : "r"(pattern), "r"(Way::OCTAVE - 1), "r"(exponent));
        distance = pattern - mantissa +
                   approximate_pattern(__fmaf_rn(slope, value_of(mantissa), P::SQUARE - P::SLOPE));
        return static_cast<u32>((static_cast<u64>(distance) * Way::reciprocal(bound) + before) >>
                                32);
    }

    /// The magnitude of an element's code, or one less; and what is left of its distance.
    FSZ_DEVICE u32 guess(T d, u64 before, u32 &left) const
    {
        u32 distance;
        const u32 shifted = scaled(d, before, distance);
        const u32 code = shifted >> Way::shift(bound);
        left = sizeof(T) == 4 ? distance + code * way.rest : shifted * way.unshift;
        return code;
    }

    /// The same with ROUND added, which `round` has (`own_round`); and what is left as a fraction
    /// of the stride: the two words of one product.
    FSZ_DEVICE float guess_rounded(T d, u64 before, u64 round, u32 &fraction) const
    {
        u32 distance;
        const u32 shifted = scaled(d, before, distance);
        u64 parts;
        // The compiler would multiply numbers of 64 bits.
        asm("mul.wide.u32 %0, %1, %2;" : "=l"(parts) : "r"(shifted), "r"(way.unshift));
        parts += round;
        fraction = static_cast<u32>(parts);
        return value_of(static_cast<u32>(parts >> 32));
    }

    /// Makes the guess exact: guesses are low, so it is this code or the next.
    FSZ_DEVICE void settle(T size, u32 &code) const
    {
        const Bits begin = way.value + (bound.stride - bound.low);
        const Bits next = Octave<T>::bits(code * bound.stride + begin, Octave<T>::BEND);
        if constexpr (sizeof(T) == 4)
        {
            asm("{\n.reg .pred reached;\n"
                "setp.le.u32 reached, %1, %2;\n"
                "@reached add.u32 %0, %0, 1;\n}"
                : "+r"(code)
                : "r"(next), "r"(bits_of(size)));
        }
        else
        {
            code += next <= bits_of(size);
        }
    }

    /// The units at both ends of a code where elements of up to `most` may have larger errors than
    /// those so far; they and their values are where the curve takes `run` at least.
    FSZ_DEVICE UnitsAtEnds at_ends(T most, float run, const RelativeError<T> &so_far) const
    {
        const T allowed = approximate_quotient(so_far.absolute, most);
        // A quotient that is no number allows nothing.
        const float share = share_below(so_far.relative < allowed ? so_far.relative : allowed);
        // As a code's `low` and `high` follow from the bound: x / (1 + x / 2) and x / (1 - x / 2),
        // of which the sums are a little less, are no larger than ln(1 + x) and -ln(1 - x).
        const float half = 0.5f * share;
        const float units = __fmul_rn(__fmul_rn(share, 0x1p23f * (1 - 0x1p-19f)), run);
        const float before = 1 - half * (1 - half * (1 - half));
        const float behind = 1 + half * (1 + half * (1 + half));
        const float begin = way.low + Way::OFF - units * before;
        const float end = way.high + Way::OFF - units * behind;
        const float most_units = static_cast<float>(last_units());
        return {units_of(begin, most_units), units_of(end, most_units)};
    }

    /// As `guess` tells what is left.
    FSZ_DEVICE Ends ends(const UnitsAtEnds &units) const
    {
        if constexpr (sizeof(T) == 4)
        {
            const u64 less = static_cast<u64>(units.first) * Way::reciprocal(bound);
            return {way.before - less, way.last - units.behind_last};
        }
        else
        {
            return fraction_ends(units);
        }
    }

    /// As `guess_rounded` does.
    FSZ_DEVICE Ends fraction_ends(const UnitsAtEnds &units) const
    {
        // Of f32, what the reciprocal takes of a distance is not in what elements may lack.
        const u32 last = last_units() - (sizeof(T) == 4);
        const u64 less = static_cast<u64>(units.first) * Way::reciprocal(bound);
        // The fraction begins where `before` is less. Shifted as what is left is.
        const u32 between = last - min(last, units.first + units.behind_last);
        return {way.before - less, __umulhi(between, Way::reciprocal(bound)) * way.unshift};
    }

    FSZ_DEVICE T error(T size, u32 code) const
    {
        const Bits bits = Octave<T>::bits(code * bound.stride + way.value, Octave<T>::BEND);
        return distance_of(size, value_of(bits));
    }

private:
    /// What is left of a distance, from there on, may be of the next code.
    FSZ_DEVICE u32 last_units() const
    {
        return static_cast<u32>(bound.stride >> Way::UNIT) - Way::LACKED;
    }
};

} // namespace fsz
