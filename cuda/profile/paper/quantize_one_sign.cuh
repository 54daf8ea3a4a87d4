// Quantize where all elements of each lane's block have one sign and logarithmic codes that none of
// the rare cases concerns: the shortest way, which most blocks of most fields go.
//
// A look at the bits of the block tells whether it may. Then numbers are without a sign until the
// codes get theirs, no element is compared with the ends of the codes, and the constants of the
// field are folded into few.
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
    /// What is left of distances from here on may belong to the next code.
    u32 last;
    /// ROUND_BITS, which the compiler must not know: it would add a constant where this way meets
    /// others, in an instruction of its own.
    u32 round;
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
    own.last = ahead - static_cast<u32>(linear_patterns) + bound.stride - Way::LACKED;
    own.round = ROUND_BITS - 1 + bound.curved;
    return own;
}

/// The smallest and the largest bits of a lane's block.
struct BitsRange
{
    u32 least = ~0u;
    u32 most = 0;

    FSZ_DEVICE explicit BitsRange(const SharedRow<float> &row)
    {
#pragma unroll
        for (u32 piece = 0; piece < BLOCK / SharedRow<float>::PIECE; ++piece)
        {
            float d[SharedRow<float>::PIECE];
            row.load(piece, d);
            // Pairs: the device has minima and maxima of three numbers.
#pragma unroll
            for (u32 k = 0; k < SharedRow<float>::PIECE; k += 2)
            {
                least = min(min(bits_of(d[k]), bits_of(d[k + 1])), least);
                most = max(max(bits_of(d[k]), bits_of(d[k + 1])), most);
            }
        }
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
    FSZ_DEVICE u32 guess(float d, u32 &left) const
    {
        using P = Parabola<float>;
        const u32 mantissa = (bits_of(d) & (Octave<float>::LEN - 1)) | exponent;
        const u32 distance =
            bits_of(d) - mantissa +
            approximate_pattern(__fmaf_rn(slope, value_of(mantissa), P::SQUARE - P::SLOPE));
        const u64 scaled = static_cast<u64>(distance) * bound.reciprocal + way.before;
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

    FSZ_DEVICE float error(float d, u32 code) const
    {
        const u32 bits = Octave<float>::bits(code * bound.stride + way.value, Octave<float>::BEND);
        return distance_of(fabsf(d), value_of(bits));
    }
};

/// Quantizes the lane's block, which fits. Returns the largest error; `larger_share` tells whether
/// some relative error may be larger than `share`.
FSZ_DEVICE float quantize_one_sign(const SharedRow<float> &row, const RelativeQuantizer<float> &z,
                                   const OneSign &way, float share, const BitsRange &range,
                                   float (&code)[BLOCK], bool &larger_share)
{
    constexpr u32 PIECE = SharedRow<float>::PIECE;
    const SignedBlock block(z, way, range.sign());
    const u32 unit = range.sign() != 0 ? ~0u : 1;
    const float more = __fmul_rn(half_unit(share), value_of(range.least));
    float worst = 0;
    larger_share = false;
#pragma unroll
    for (u32 piece = 0; piece < BLOCK / PIECE; ++piece)
    {
        float d[PIECE];
        row.load(piece, d);
        u32 magnitude[PIECE], furthest = 0;
#pragma unroll
        for (u32 k = 0; k < PIECE; ++k)
        {
            u32 left;
            magnitude[k] = block.guess(d[k], left);
            furthest = max(furthest, left);
        }
        if (__any_sync(WARP_ALL, furthest >= way.last))
        {
#pragma unroll
            for (u32 k = 0; k < PIECE; ++k)
            {
                block.settle(d[k], magnitude[k]);
            }
        }
#pragma unroll
        for (u32 k = 0; k < PIECE; ++k)
        {
            const float error = block.error(d[k], magnitude[k]);
            worst = fmaxf(worst, error);
            larger_share = larger_share || !(error <= fabsf(__fmaf_rz(share, d[k], more)));
            code[piece * PIECE + k] =
                __int_as_float(static_cast<i32>(magnitude[k] * unit + way.round));
        }
    }
    return worst;
}

/// The largest relative error of the lane's block, which fits, by one quotient: of the element
/// where an approximate one is largest. Negative where another is so near that it may be larger.
__device__ __noinline__ float largest_share(const SharedRow<float> row,
                                            const RelativeQuantizer<float> z, const OneSign &way,
                                            u32 least, u32 most)
{
    constexpr u32 PIECE = SharedRow<float>::PIECE;
    const u32 sign = most & Element<float>::SIGN;
    const SignedBlock block(z, way, sign);
    float first = 0, second = 0, first_error = 0, first_d = 0;
#pragma unroll 1
    for (u32 piece = 0; piece < BLOCK / PIECE; ++piece)
    {
        float d[PIECE];
        row.load(piece, d);
#pragma unroll
        for (u32 k = 0; k < PIECE; ++k)
        {
            u32 left;
            u32 magnitude = block.guess(d[k], left);
            block.settle(d[k], magnitude);
            const float error = block.error(d[k], magnitude);
            float inverse;
            asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(inverse) : "f"(fabsf(d[k])));
            const float about = __fmul_rn(error, inverse);
            // The same element again is no other.
            const float other = d[k] == first_d ? 0.f : fminf(about, first);
            second = fmaxf(second, other);
            first_error = about > first ? error : first_error;
            first_d = about > first ? d[k] : first_d;
            first = fmaxf(first, about);
        }
    }
    // The inverse is a normal number, and off by less than a share of 2^-22.
    const bool normal = (least ^ sign) > bits_of(0x1p-100f) && (most ^ sign) < bits_of(0x1p100f);
    const bool known = normal && second < __fmul_rn(first, 1 - 0x1p-20f);
    return known ? quotient(first_error, fabsf(first_d)) : -1.f;
}

} // namespace fsz
