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
/// pattern has `ahead` added, and the number of its code has that of linear codes.
struct OneSign
{
    /// Bits of the magnitudes that may go this way: from `least` on, and below `end`.
    u32 least;
    u32 end;
    /// Bits of the least magnitude with a logarithmic code.
    u32 regular;
    /// What a mantissa gets as exponent: an element, less that, plus the guess of its pattern, is
    /// the distance.
    u32 exponent;
    /// The mantissa's factor in the guess.
    float slope;
    /// The stride, negated: the device multiplies and adds in one instruction, but does not
    /// subtract.
    u32 minus_stride;
    /// A distance times the reciprocal of the stride, plus that, is the code, shifted.
    u64 before;
    /// Where the value of code 0 would be.
    u32 value;
    /// What is left of distances begins here, and from there on may belong to the next code.
    u32 first;
    u32 last;
    /// ROUND_BITS, which the compiler must not know: it would add a constant where this way meets
    /// others, in an instruction of its own.
    u32 round;
    /// Patterns from where a code begins to where its value is, and from there to its end.
    float low;
    float high;
};

/// Makes it: one that serves no block where the field does not allow for it.
FSZ_DEVICE OneSign make_one_sign(const RelativeQuantizer<float> &z)
{
    using Way = RelativeShortWay<float>;
    using O = Octave<float>;
    constexpr u32 INFINITE = Element<float>::INFINITE;
    const RelativeBound<float> &bound = z.bound;
    OneSign own{};
    const u32 linear = bound.knee + 1;
    // The codes are a shifted word, and linear ones take few octaves; coarse strides leave no
    // pattern between them and infinity.
    const u64 linear_patterns = static_cast<u64>(linear) * bound.stride;
    if (!Way::serves(z) || bound.shift > 30 || linear >= 1u << (30 - bound.shift) ||
        linear_patterns >= 1u << 28 || z.origin + Way::LACKED + bound.stride >= INFINITE)
    {
        return own;
    }
    const u32 end = min(z.origin + Way::reach_of_codes(z), INFINITE - bound.stride);
    own.least = max(bound.edge, O::bits(z.origin + Way::LACKED, O::BEND));
    own.end = max(own.least, O::bits(end, O::BEND));
    own.regular = max(bound.edge, O::bits(z.origin, O::BEND));
    // Of what is subtracted from elements, the exponent takes the multiple of an octave; `ahead`,
    // the rest, is no less than the patterns of linear codes.
    const u32 from = z.origin + Way::LOWERED + bits_of(0x1p23f);
    u32 ahead = from % O::LEN + static_cast<u32>(linear_patterns + O::LEN - 1) / O::LEN * O::LEN;
    // The factor must not be subnormal, nor the mantissa.
    const u32 octave = (from - ahead) / O::LEN % 256;
    ahead += octave < 2 || octave > 252 ? 8 * O::LEN : 0;
    own.exponent = from - ahead;
    // What turns the mantissa's exponent into that of 1, and its sign.
    own.slope =
        __fmul_rn(Parabola<float>::SLOPE, value_of((0x7F000000u - (own.exponent & INFINITE)) |
                                                   (own.exponent & Element<float>::SIGN)));
    own.minus_stride = 0 - bound.stride;
    own.before = (static_cast<u64>(linear) << (32 + bound.shift)) -
                 static_cast<u64>(ahead) * bound.reciprocal;
    own.value = z.origin - static_cast<u32>(linear_patterns) + bound.low;
    own.first = ahead - static_cast<u32>(linear_patterns);
    own.last = own.first + bound.stride - Way::LACKED;
    own.round = ROUND_BITS - 1 + bound.curved;
    own.low = static_cast<float>(bound.low);
    own.high = static_cast<float>(bound.stride - 1 - bound.low);
    return own;
}

/// The smallest and the largest bits of a lane's block.
struct BitsRange
{
    u32 least;
    u32 most;

    FSZ_DEVICE explicit BitsRange(const SharedRow<float> &row)
    {
        // Chains that do not wait for each other.
        u32 low[2] = {~0u, ~0u}, high[2] = {0, 0};
#pragma unroll
        for (u32 piece = 0; piece < BLOCK / SharedRow<float>::PIECE; ++piece)
        {
            float d[SharedRow<float>::PIECE];
            row.load(piece, d);
            // Pairs: the device has minima and maxima of three numbers.
#pragma unroll
            for (u32 k = 0; k < SharedRow<float>::PIECE; k += 2)
            {
                low[k / 2] = min(min(bits_of(d[k]), bits_of(d[k + 1])), low[k / 2]);
                high[k / 2] = max(max(bits_of(d[k]), bits_of(d[k + 1])), high[k / 2]);
            }
        }
        least = min(low[0], low[1]);
        most = max(high[0], high[1]);
    }

    FSZ_DEVICE u32 sign() const { return most & Element<float>::SIGN; }

    /// Whether the block may go the way of one sign.
    FSZ_DEVICE bool fits(const OneSign &way) const
    {
        // Of two signs, the smallest bits would be beyond all magnitudes.
        return (least ^ sign()) - way.least < way.end - way.least && (most ^ sign()) < way.end;
    }

    FSZ_DEVICE void widen(Extremes<float> &extremes) const
    {
        extremes.take(value_of(least));
        extremes.take(value_of(most));
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

/// A number of patterns of at most `most`, which is what is no number.
FSZ_DEVICE u32 patterns_of(float number, float most)
{
    return static_cast<u32>(fmaxf(number < most ? number : most, 0.f));
}

/// a / b but for 2^-21 of it, b a normal number.
FSZ_DEVICE float approximate_quotient(float a, float b)
{
    float inverse;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(b));
    return __fmul_rn(a, inverse);
}

/// Octaves that the curve takes at least where values change by a share of 1, for small shares:
/// anywhere.
constexpr float LEAST_RUN_ANYWHERE = static_cast<float>(1 / (STEEPEST * (1 + 0x1p-20)));

/// The same between two magnitudes.
FSZ_DEVICE float least_run(float least, float most)
{
    using P = Parabola<float>;
    constexpr float PEAK = 1.3281f;
    const u32 exponent = Element<float>::INFINITE, one = bits_of(1.f);
    const float from = value_of((bits_of(least) & ~exponent) | one);
    const float to = value_of((bits_of(most) & ~exponent) | one);
    const auto run = [](float m) {
        float inverse;
        asm("rsqrt.approx.ftz.f32 %0, %1;"
            : "=f"(inverse)
            : "f"(__fmaf_rn(P::SLOPE, m, P::SQUARE - P::SLOPE)));
        return __fmul_rn(m, inverse);
    };
    const float beside = __fmul_rn(fminf(run(from), run(to)), 1 - 0x1p-19f);
    const bool one_octave = ((bits_of(least) ^ bits_of(most)) & exponent) == 0;
    // Left of the peak the curve gets steeper, right of it it gets flatter.
    const bool is_beside = one_octave && (to < PEAK - 0x1p-9f || from > PEAK + 0x1p-9f);
    return is_beside ? beside : LEAST_RUN_ANYWHERE;
}

/// A block of one sign that is being quantized.
struct SignedBlock
{
    const RelativeBound<float> &bound;
    const OneSign &way;
    u32 sign;
    u32 exponent;
    float slope;

    FSZ_DEVICE SignedBlock(const RelativeQuantizer<float> &z, const OneSign &way, u32 sign)
        : bound(z.bound), way(way), sign(sign), exponent(way.exponent ^ sign),
          slope(value_of(bits_of(way.slope) ^ sign))
    {
    }

    /// The magnitude of an element's code, or one less; and what is left of its distance.
    FSZ_DEVICE u32 guess(float d, u64 before, u32 &left) const
    {
        using P = Parabola<float>;
        // (a & b) | c: the compiler would make two instructions of the exponent with its sign.
        u32 mantissa;
        asm("lop3.b32 %0, %1, %2, %3, 0xEA;"
            : "=r"(mantissa)
            : "r"(bits_of(d)), "r"(Octave<float>::LEN - 1), "r"(exponent));
        const u32 distance =
            bits_of(d) - mantissa +
            approximate_pattern(__fmaf_rn(slope, value_of(mantissa), P::SQUARE - P::SLOPE));
        const u64 scaled = static_cast<u64>(distance) * bound.reciprocal + before;
        const u32 code = static_cast<u32>(scaled >> 32) >> bound.shift;
        left = distance + code * way.minus_stride;
        return code;
    }

    /// Makes the guess exact: guesses are low, so it is this code or the next.
    FSZ_DEVICE void settle(float d, u32 &code) const
    {
        const u32 begin = way.value + (bound.stride - bound.low);
        const u32 next = Octave<float>::bits(code * bound.stride + begin, Octave<float>::BEND);
        asm("{\n.reg .pred reached;\n"
            "setp.le.u32 reached, %1, %2;\n"
            "@reached add.u32 %0, %0, 1;\n}"
            : "+r"(code)
            : "r"(next), "r"(bits_of(d) ^ sign));
    }

    /// The ends of codes where elements of up to `most` may have larger errors than those so far;
    /// they and their values are where the curve takes `run` at least.
    FSZ_DEVICE Ends ends(float most, float run, const RelativeError<float> &so_far) const
    {
        const float allowed = approximate_quotient(so_far.absolute, most);
        // A quotient that is no number allows nothing.
        const float share = so_far.relative < allowed ? so_far.relative : allowed;
        // As a code's `low` and `high` follow from the bound: x / (1 + x / 2) and x / (1 - x / 2),
        // of which the sums are a little less, are no larger than ln(1 + x) and -ln(1 - x). Values
        // and patterns are off by the next integer.
        const float half = 0.5f * share;
        const float patterns = __fmul_rn(__fmul_rn(share, 0x1p23f * (1 - 0x1p-19f)), run);
        const float before = 1 - half * (1 - half * (1 - half));
        const float behind = 1 + half * (1 + half * (1 + half));
        const float begin = way.low + 4 - patterns * before;
        const float end = way.high + 4 - patterns * behind;
        const float most_patterns =
            static_cast<float>(bound.stride - RelativeShortWay<float>::LACKED);
        const u64 less = static_cast<u64>(patterns_of(begin, most_patterns)) * bound.reciprocal;
        return {way.before - less, way.last - patterns_of(end, most_patterns)};
    }

    FSZ_DEVICE float error(float d, u32 code) const
    {
        const u32 bits = Octave<float>::bits(code * bound.stride + way.value, Octave<float>::BEND);
        return distance_of(fabsf(d), value_of(bits));
    }
};

/// Quantizes the lane's block, which fits, but for the elements near the ends of their codes.
FSZ_DEVICE NearEnds quantize_one_sign(const SharedRow<float> &row,
                                      const RelativeQuantizer<float> &z, const OneSign &way,
                                      const RelativeError<float> &so_far, const BitsRange &range,
                                      float (&code)[BLOCK])
{
    constexpr u32 PIECE = SharedRow<float>::PIECE;
    const SignedBlock block(z, way, range.sign());
    const u32 unit = range.sign() != 0 ? ~0u : 1;
    const float least = value_of(range.least & ~Element<float>::SIGN);
    const float most = value_of(range.most & ~Element<float>::SIGN);
    // Negative blocks have their smallest magnitudes at their smallest bits, too.
    const float run = least_run(least * (1 - z.bound.eps), most * (1 + z.bound.eps));
    const Ends ends = block.ends(most, run, so_far);
    NearEnds near{0, ends.before};
#pragma unroll
    for (u32 piece = 0; piece < BLOCK / PIECE; ++piece)
    {
        float d[PIECE];
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
