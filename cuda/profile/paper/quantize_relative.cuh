// Quantize on the short way with a pointwise-relative bound: codes by an approximate root, which is
// told from the exact one at the edges between codes alone, and by no division.
//
// An element whose pattern is that near to an edge is looked at by `try_code`, when the others are
// done. The largest relative error of the field is known better and better: an element is only held
// to what it is so far, by two multiplications, and quotients are found once one is larger.
#pragma once

#include "profile/paper/encode_plain.cuh"
#include "profile/paper/quantize_one_sign.cuh"

namespace fsz
{

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

/// ROUND + q, for the sign of an element and the magnitude of its code.
FSZ_DEVICE float signed_code(u32 sign_bits, u32 magnitude)
{
    const u32 unit = static_cast<u32>(static_cast<i32>(sign_bits) >> 31) | 1;
    return __int_as_float(static_cast<i32>(magnitude * unit + ROUND_BITS));
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
        code[k] = signed_code(sign_bits(d[k]), j[k] + bound.knee + 1);
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
                code[k] = signed_code(sign_bits(d[k]), static_cast<u32>(q));
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

/// The same, by the way of one sign where the warp's blocks fit.
FSZ_DEVICE RelativeError<float> quantize_plain(const SharedRow<float> &row,
                                               const RelativeQuantizer<float> &z,
                                               const OneSign &way, float share,
                                               float (&code)[BLOCK], Extremes<float> &extremes)
{
    const BitsRange range(row);
    if (!__all_sync(WARP_ALL, range.fits(way)))
    {
        return quantize_plain(row, z, share, code, extremes);
    }
    range.widen(extremes);
    bool larger_share;
    const float worst = quantize_one_sign(row, z, way, share, range, code, larger_share);
    RelativeError<float> error{worst, 0};
    if (__any_sync(WARP_ALL, larger_share))
    {
        const float largest = largest_share(row, z, way, range.least, range.most);
        error.relative = larger_share ? largest : 0;
        if (__any_sync(WARP_ALL, error.relative < 0))
        {
            error = errors_of(row, z);
        }
    }
    return error;
}

} // namespace fsz
