// Quantize on the short way with a pointwise-relative bound: codes by an approximate root, which is
// told from the exact one at the edges between codes alone, and by no division.
//
// An element whose pattern is that near to an edge is looked at by `try_code`, when the others are
// done. The largest relative error of the field is known better and better: an element is only held
// to what it is so far, by two multiplications, and quotients are found once one is larger.
#pragma once

#include "encode/relative_quantizer.cuh"
#include "profile/paper/encode_plain.cuh"

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

/// What is known of a block that is being quantized.
template <class T> struct RelativeLook
{
    /// The largest error of elements that are not close.
    T worst = 0;
    /// Elements close to an edge, element i at bit i.
    u32 close = 0;
    /// Whether some relative error may be larger than the largest so far.
    bool larger_share = false;
};

/// The square root of a number that is neither 0 nor subnormal, to 2^-23 of it.
FSZ_DEVICE float approximate_root(float value)
{
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(value));
    return root;
}

/// The pattern of a mantissa, of 23 bits beside those of 1: bits of a float, with those of 2^23.
FSZ_DEVICE u32 approximate_pattern(u32 mantissa)
{
    using P = Parabola<float>;
    constexpr float SHIFT = static_cast<float>(0x1p23 - P::LESS * (0x1p23 / (2 * P::C)));
    const float root =
        approximate_root(__fmaf_rn(P::SLOPE, value_of(mantissa), P::SQUARE - P::SLOPE));
    return bits_of(__fmaf_rn(root, P::UNITS, SHIFT));
}

/// An element's distance from the lowest pattern, the number of its code, what is left of the
/// distance, and the pattern of the code's value.
FSZ_DEVICE void place_element(float d, const RelativeShortWay<float> &way, u32 &distance, u32 &j,
                              u32 &left, u32 &back)
{
    const RelativeBound<float> &bound = way.z.bound;
    const u32 bits = bits_of(d);
    const u32 pattern = approximate_pattern((bits & 0x007FFFFFu) | 0x3F800000u);
    distance = (bits & 0x7F800000u) + pattern - (way.from + 0x4B000000u);
    j = __umulhi(distance, bound.reciprocal) >> bound.shift;
    left = distance - j * bound.stride;
    back = way.z.origin + bound.low + j * bound.stride;
}

FSZ_DEVICE void place_element(double d, const RelativeShortWay<double> &way, u32 &distance, u32 &j,
                              u64 &left, u64 &back)
{
    using Way = RelativeShortWay<double>;
    const RelativeBound<double> &bound = way.z.bound;
    const u64 bits = bits_of(d);
    const u32 high = static_cast<u32>(bits >> 32);
    const u32 mantissa = __funnelshift_r(static_cast<u32>(bits), high, Way::DROPPED);
    const u32 pattern = approximate_pattern((mantissa & 0x007FFFFFu) | 0x3F800000u);
    const i32 offset = static_cast<i32>(pattern - 0x4B000000u);
    const u64 y = (static_cast<u64>(high & 0x7FF00000u) << 32) +
                  (static_cast<u64>(static_cast<i64>(offset)) << Way::DROPPED);
    const u64 away = y - way.from;
    distance = static_cast<u32>(away >> Way::COARSE);
    j = __umulhi(distance, static_cast<u32>(bound.reciprocal >> 32)) >> (bound.shift - Way::COARSE);
    const u64 begin = j * bound.stride;
    left = away - begin;
    back = way.z.origin + bound.low + begin;
}

/// ROUND + q, for the sign of an element and the magnitude of its code, which has `before` added.
FSZ_DEVICE float signed_code(u32 sign_bits, u32 j, u32 before)
{
    u32 code;
    asm("{\n.reg .pred negative;\n"
        "setp.lt.s32 negative, %1, 0;\n"
        "@negative sub.u32 %0, %3, %2;\n"
        "@!negative add.u32 %0, %3, %2;\n}"
        : "=r"(code)
        : "r"(sign_bits), "r"(j + before), "r"(ROUND_BITS));
    return __int_as_float(static_cast<i32>(code));
}

FSZ_DEVICE u32 sign_bits(float d) { return bits_of(d); }

FSZ_DEVICE u32 sign_bits(double d) { return static_cast<u32>(bits_of(d) >> 32); }

/// Quantizes a piece of a row, from element `at` of the block on.
template <class T, u32 PIECE>
FSZ_DEVICE void quantize_piece(const T (&d)[PIECE], const RelativeShortWay<T> &way, u32 at,
                               float *code, RelativeLook<T> &look)
{
    using Bits = typename Element<T>::Bits;
    const RelativeBound<T> &bound = way.z.bound;
    u32 distance[PIECE], j[PIECE], furthest = 0;
    Bits left[PIECE];
    T error[PIECE], most[PIECE];
#pragma unroll
    for (u32 k = 0; k < PIECE; ++k)
    {
        Bits back;
        place_element(d[k], way, distance[k], j[k], left[k], back);
        furthest = max(furthest, distance[k]);
        const T value = value_of(Octave<T>::bits(back, Octave<T>::BEND));
        error[k] = distance_of(magnitude_of(d[k]), value);
        most[k] = share_of(d[k], way.share, way.more);
        code[k] = signed_code(sign_bits(d[k]), j[k], bound.knee + 1);
    }
    if (__any_sync(WARP_ALL, furthest > way.reach))
    {
#pragma unroll
        for (u32 k = 0; k < PIECE; ++k)
        {
            const Bits bits = bits_of(d[k]) & ~Element<T>::SIGN;
            if (bits < bound.edge)
            {
                i32 q;
                RelativeError<T> own;
                linear_code(value_of(bits), bound, q, own);
                code[k] = signed_code(sign_bits(d[k]), static_cast<u32>(q), 0);
                error[k] = own.absolute;
                most[k] = bound.floor;
                left[k] = 0;
            }
            else if (distance[k] > way.reach)
            {
                error[k] = 0;
                left[k] = ~Bits{0};
            }
        }
    }
#pragma unroll
    for (u32 k = 0; k < PIECE; ++k)
    {
        const bool is_close = left[k] >= way.last;
        look.close |= is_close ? 1u << (at + k) : 0;
        look.worst = is_close ? look.worst : worse(look.worst, error[k]);
        look.larger_share = look.larger_share || !(error[k] <= most[k]);
    }
}

/// The errors of the lane's block. The absolute one is NaN when an element has no code.
template <class T>
__device__ __noinline__ RelativeError<T> errors_of(const SharedRow<T> row,
                                                   const RelativeQuantizer<T> z)
{
    RelativeError<T> all{};
#pragma unroll 1
    for (u32 i = 0; i < BLOCK; ++i)
    {
        i32 q;
        RelativeError<T> own;
        bool far;
        const bool coded = try_code(row(i), z, q, own, far);
        all.absolute = worse(all.absolute, coded ? own.absolute : value_of(Element<T>::QUIET_NAN));
        all.relative = larger(all.relative, own.relative);
    }
    return all;
}

/// As the `quantize_plain` of the other quantizer. The absolute error is NaN when an element has no
/// code of at most FUSED_REACH; the relative one is 0 where none is larger than `share`.
template <class T>
FSZ_DEVICE RelativeError<T> quantize_plain(const SharedRow<T> &row, const RelativeQuantizer<T> &z,
                                           T share, float (&code)[BLOCK], Extremes<T> &extremes)
{
    constexpr u32 PIECE = SharedRow<T>::PIECE;
    const RelativeShortWay<T> way(z, share);
    RelativeLook<T> look;
#pragma unroll
    for (u32 piece = 0; piece < BLOCK / PIECE; ++piece)
    {
        T d[PIECE];
        row.load(piece, d);
        quantize_piece(d, way, piece * PIECE, code + piece * PIECE, look);
#pragma unroll
        for (u32 k = 0; k < PIECE; ++k)
        {
            extremes.take(d[k]);
        }
    }
    RelativeError<T> error{look.worst, 0};
    for (u32 rest = look.close; __any_sync(WARP_ALL, rest != 0); rest &= rest - 1)
    {
        u32 at = BLOCK;
        float settled = 0;
        if (rest != 0)
        {
            at = __ffs(rest) - 1;
            i32 q;
            RelativeError<T> own;
            bool far;
            const bool coded = try_code(row(at), z, q, own, far) && abs(q) <= FUSED_REACH;
            error.absolute =
                worse(error.absolute, coded ? own.absolute : value_of(Element<T>::QUIET_NAN));
            error.relative = larger(error.relative, own.relative);
            settled = __int_as_float(ROUND_BITS + q);
        }
#pragma unroll
        for (u32 k = 0; k < BLOCK; ++k)
        {
            code[k] = k == at ? settled : code[k];
        }
    }
    const bool all_coded =
        __all_sync(WARP_ALL, error.absolute <= value_of(Element<T>::INFINITE - 1));
    if (all_coded && __any_sync(WARP_ALL, look.larger_share))
    {
        error = errors_of(row, z);
    }
    return error;
}

} // namespace fsz
