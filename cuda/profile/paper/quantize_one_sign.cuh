// Quantize where all elements of each lane's block have one sign and logarithmic codes that none of
// the rare cases concerns: the shortest way, which most blocks of most fields go.
//
// A look at the bits of the block tells whether it may. Then numbers are without a sign until the
// codes get theirs, no element is compared with the ends of the codes, and the constants of the
// field are folded into few. Where in its code an element is tells whether its error may be larger
// than the largest so far: no value is found of the others.
#pragma once

#include "encode/block_io.cuh"
#include "profile/paper/encode_plain.cuh"
#include "profile/paper/relative_way.cuh"

namespace fsz
{

/// What quantizing blocks of one sign needs, of a field. An element's distance from the lowest
/// pattern has `ahead` added, and the number of its code has that of linear codes. Distances are in
/// units (relative_way.cuh).
template <class T> struct OneSign
{
    using Bits = typename Element<T>::Bits;
    /// Top words of the magnitudes that may go this way: from `least` on, and below `end`.
    u32 least;
    u32 end;
    /// Bits of the least magnitude with a logarithmic code.
    Bits regular;
    /// What a mantissa gets as exponent: an element, less that, plus the guess of its pattern, is
    /// the distance.
    u32 exponent;
    /// The mantissa's factor in the guess.
    float slope;
    /// What a code is multiplied by to tell what is left of a distance: the stride, negated (the
    /// device multiplies and adds in one instruction, but does not subtract). Of f64 the stride is
    /// no whole number of units: the fraction tells.
    u32 rest;
    /// A distance times the reciprocal, plus that, is the code, shifted.
    u64 before;
    /// Where the value of code 0 would be.
    Bits value;
    /// What is left of distances, from there on, may belong to the next code. Of f32.
    u32 last;
    /// ROUND_BITS, which the compiler must not know: it would add a constant where this way meets
    /// others, in an instruction of its own.
    u32 round;
    /// Units from where a code begins to where its value is, and from there to its end.
    float low;
    float high;
    /// What brings the fraction of the product to the top of a word.
    u32 unshift;
    /// ROUND_BITS above a word of 0, twice (`own_round`).
    u64 wide_round[2];

    /// ROUND_BITS above a word of 0, as wide products add it in their one instruction: from a
    /// register of the lane's. The compiler keeps constants, and what it knows to be the same for
    /// all lanes, where they do not take it from.
    FSZ_DEVICE u64 own_round() const { return wide_round[lane_id() & 1]; }
};

/// Makes it: one that serves no block where the field does not allow for it.
template <class T> FSZ_DEVICE OneSign<T> make_one_sign(const RelativeQuantizer<T> &z)
{
    using Way = RelativeShortWay<T>;
    using O = Octave<T>;
    using Bits = typename Element<T>::Bits;
    constexpr u32 UNIT = Way::UNIT, OCTAVE = Way::OCTAVE, TOP = Way::TOP;
    constexpr u32 EXPONENT = Element<float>::INFINITE;
    constexpr Bits INFINITE = Element<T>::INFINITE;
    const RelativeBound<T> &bound = z.bound;
    OneSign<T> own{};
    const u32 linear = bound.knee + 1;
    const u32 shift = Way::shift(bound), stride = static_cast<u32>(bound.stride >> UNIT);
    // The codes are a shifted word, and linear ones take few octaves; coarse strides leave no
    // pattern between them and infinity.
    const u64 linear_units = static_cast<u64>(linear) * (stride + (UNIT > 0));
    const Bits lacked = Bits{Way::LACKED} << UNIT;
    if (!Way::serves(z) || shift > 30 || linear >= 1u << (30 - shift) || linear_units >= 1u << 28 ||
        z.origin + lacked + bound.stride >= INFINITE)
    {
        return own;
    }
    const Bits reach = static_cast<Bits>(Way::reach_of_codes(z)) << UNIT;
    const Bits end = min(z.origin + reach, INFINITE - bound.stride);
    const Bits least = max(bound.edge, O::bits(z.origin + lacked, O::BEND));
    // The next top word; of f32, the bits are one.
    const auto top = [](Bits bits) {
        return static_cast<u32>((bits + ((Bits{1} << TOP) - 1)) >> TOP);
    };
    own.least = top(least);
    own.end = max(own.least, static_cast<u32>(O::bits(end, O::BEND) >> TOP));
    own.regular = max(bound.edge, O::bits(z.origin, O::BEND));
    // Of what is subtracted from elements, the exponent takes the multiple of an octave; `ahead`,
    // the rest, is no less than the units of linear codes.
    const u32 from = static_cast<u32>(z.origin >> UNIT) + Way::LOWERED + bits_of(0x1p23f);
    u32 ahead = from % OCTAVE + static_cast<u32>(linear_units + OCTAVE - 1) / OCTAVE * OCTAVE;
    // The factor must not be subnormal, nor the mantissa.
    const u32 octave = (from - ahead) / OCTAVE % 256;
    ahead += octave < 2 || octave > 252 ? 8 * OCTAVE : 0;
    own.exponent = from - ahead;
    // What turns the mantissa's exponent into that of 1, and its sign.
    own.slope =
        __fmul_rn(Parabola<float>::SLOPE, value_of((0x7F000000u - (own.exponent & EXPONENT)) |
                                                   (own.exponent & Element<float>::SIGN)));
    own.before = (static_cast<u64>(linear) << (32 + shift)) -
                 static_cast<u64>(ahead) * Way::reciprocal(bound);
    own.value = z.origin - linear * bound.stride + bound.low;
    own.unshift = 1u << (32 - shift);
    if constexpr (UNIT == 0)
    {
        own.rest = 0 - stride;
        own.last = ahead - static_cast<u32>(linear_units) + stride - Way::LACKED;
    }
    own.round = ROUND_BITS - 1 + bound.curved;
    own.wide_round[0] = own.wide_round[1] = static_cast<u64>(ROUND_BITS) << 32;
    own.low = static_cast<float>(static_cast<u32>(bound.low >> UNIT));
    own.high = static_cast<float>(static_cast<u32>((bound.stride - 1 - bound.low) >> UNIT));
    return own;
}

/// The element of a top word whose magnitude is smallest or largest: of f32, both are the same.
template <class T> FSZ_DEVICE T least_of(u32 top)
{
    return value_of(static_cast<typename Element<T>::Bits>(top) << RelativeShortWay<T>::TOP);
}

template <class T> FSZ_DEVICE T most_of(u32 top)
{
    using Bits = typename Element<T>::Bits;
    return value_of(bits_of(least_of<T>(top)) | ((Bits{1} << RelativeShortWay<T>::TOP) - 1));
}

/// What elements are within, given the top words of the smallest and of the largest.
template <class T> FSZ_DEVICE Extremes<T> extremes_of(u32 low, u32 high)
{
    const bool is_below = static_cast<i32>(low) < 0, is_above = static_cast<i32>(high) >= 0;
    return {is_below ? most_of<T>(low) : least_of<T>(low),
            is_above ? most_of<T>(high) : least_of<T>(high)};
}

/// The smallest and the largest top words of a lane's block.
struct BitsRange
{
    u32 least;
    u32 most;

    template <class T> FSZ_DEVICE explicit BitsRange(const SharedRow<T> &row)
    {
        constexpr u32 PIECE = SharedRow<T>::PIECE;
        // Chains that do not wait for each other.
        u32 low[2] = {~0u, ~0u}, high[2] = {0, 0};
#pragma unroll
        for (u32 piece = 0; piece < BLOCK / PIECE; ++piece)
        {
            T d[PIECE];
            row.load(piece, d);
            // Pairs: the device has minima and maxima of three numbers.
#pragma unroll
            for (u32 k = 0; k < PIECE; k += 2)
            {
                const u32 chain = (piece * PIECE + k) / 2 % 2;
                const u32 a = top_word(d[k]), b = top_word(d[k + 1]);
                low[chain] = min(min(a, b), low[chain]);
                high[chain] = max(max(a, b), high[chain]);
            }
        }
        least = min(low[0], low[1]);
        most = max(high[0], high[1]);
    }

    FSZ_DEVICE u32 sign() const { return most & Element<float>::SIGN; }

    /// Whether the block may go the way of one sign.
    template <class T> FSZ_DEVICE bool fits(const OneSign<T> &way) const
    {
        // Of two signs, the smallest bits would be beyond all magnitudes.
        return (least ^ sign()) - way.least < way.end - way.least && (most ^ sign()) < way.end;
    }

    /// What the elements are within.
    template <class T> FSZ_DEVICE Extremes<T> extremes() const
    {
        // Of negative elements alone, the smallest bits are the highest.
        return sign() != 0 ? extremes_of<T>(most, least) : extremes_of<T>(least, most);
    }
};

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

/// Elements of a block that are near the ends of their codes, element i at bit i, and what they
/// were guessed with.
struct NearEnds
{
    u32 elements = 0;
    u64 before = 0;
};

/// Sets the bit of an element in `near` if what is left is `end` or more. The compiler would not
/// make these two instructions of it.
FSZ_DEVICE void look_beyond(u32 left, u32 end, u32 bit, u32 &near)
{
    asm("{\n.reg .pred is_near;\n"
        "setp.ge.u32 is_near, %1, %2;\n"
        "@is_near or.b32 %0, %0, %3;\n}"
        : "+r"(near)
        : "r"(left), "r"(end), "r"(bit));
}

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

/// Quantizes the lane's block, which fits, but for the elements near the ends of their codes.
template <class T>
FSZ_DEVICE NearEnds quantize_one_sign(const SharedRow<T> &row, const RelativeQuantizer<T> &z,
                                      const OneSign<T> &way, const RelativeError<T> &so_far,
                                      const BitsRange &range, float (&code)[BLOCK])
{
    constexpr u32 PIECE = SharedRow<T>::PIECE;
    const SignedBlock<T> block(z, way, range.sign());
    const u32 unit = range.sign() != 0 ? ~0u : 1;
    const T least = least_of<T>(range.least & ~Element<float>::SIGN);
    const T most = most_of<T>(range.most & ~Element<float>::SIGN);
    // Negative blocks have their smallest magnitudes at their smallest bits, too.
    const float run = least_run<T>(least * (1 - z.bound.eps), most * (1 + z.bound.eps));
    const Ends ends = block.ends(block.at_ends(most, run, so_far));
    NearEnds near{0, ends.before};
#pragma unroll
    for (u32 piece = 0; piece < BLOCK / PIECE; ++piece)
    {
        T d[PIECE];
        row.load(piece, d);
#pragma unroll
        for (u32 k = 0; k < PIECE; ++k)
        {
            const u32 i = piece * PIECE + k;
            u32 left;
            const u32 magnitude = block.guess(d[k], ends.before, left);
            look_beyond(left, ends.end, 1u << i, near.elements);
            code[i] = __int_as_float(static_cast<i32>(magnitude * unit + way.round));
        }
    }
    return near;
}

} // namespace fsz
