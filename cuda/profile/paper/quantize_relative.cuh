// Quantize on the short way with a pointwise-relative bound: codes by an approximate root, which is
// told from the exact one at the edges between codes alone, and by no division. Of f32, the ways of
// quantize_one_sign.cuh and quantize_mixed.cuh.
//
// An f64 element whose pattern is that near to an edge is looked at by `try_code`, when the others
// are done. The largest relative error of the field is known better and better: an element is only
// held to what it is so far, by two multiplications, and quotients are found once one is larger.
#pragma once

#include "profile/paper/encode_listed.cuh"
#include "profile/paper/look_near.cuh"
#include "profile/paper/quantize_mixed.cuh"

namespace fsz
{

/// What is known of a block that is being quantized.
struct RelativeLook
{
    /// The largest error of elements that are not close.
    double worst = 0;
    /// Elements close to an edge, element i at bit i.
    u32 close = 0;
    /// Whether some relative error may be larger than the largest so far.
    bool larger_share = false;
};

/// An element's distance from the lowest pattern, the number of its code, what is left of the
/// distance, and the pattern of the code's value.
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

FSZ_DEVICE u32 sign_bits(double d) { return static_cast<u32>(bits_of(d) >> 32); }

/// Quantizes a piece of a row, from element `at` of the block on.
FSZ_DEVICE void quantize_piece(const double (&d)[2], const RelativeShortWay<double> &way, u32 at,
                               float *code, RelativeLook &look)
{
    constexpr u32 PIECE = 2;
    constexpr u32 CODE_0 = ROUND_BITS;
    const RelativeBound<double> &bound = way.z.bound;
    u32 distance[PIECE], j[PIECE], furthest = 0;
    u64 left[PIECE];
    double error[PIECE], most[PIECE];
#pragma unroll
    for (u32 k = 0; k < PIECE; ++k)
    {
        u64 back;
        place_element(d[k], way, distance[k], j[k], left[k], back);
        furthest = max(furthest, distance[k]);
        const double value = value_of(Octave<double>::bits(back, Octave<double>::BEND));
        error[k] = distance_of(magnitude_of(d[k]), value);
        most[k] = share_of(d[k], way.share, way.more);
        code[k] = signed_code(sign_bits(d[k]), j[k] + bound.knee + 1, CODE_0);
    }
    if (__any_sync(WARP_ALL, furthest > way.reach))
    {
#pragma unroll
        for (u32 k = 0; k < PIECE; ++k)
        {
            const u64 bits = bits_of(d[k]) & ~Element<double>::SIGN;
            if (bits < bound.edge)
            {
                i32 q;
                RelativeError<double> own;
                linear_code(value_of(bits), bound, q, own);
                code[k] = signed_code(sign_bits(d[k]), static_cast<u32>(q), CODE_0);
                error[k] = own.absolute;
                most[k] = bound.floor;
                left[k] = 0;
            }
            else if (distance[k] > way.reach)
            {
                error[k] = 0;
                left[k] = ~u64{0};
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

/// The errors of the lane's block, but for those elements that are listed. The absolute one is NaN
/// when another element has no code.
template <class T>
__device__ __noinline__ RelativeError<T> errors_of(const SharedRow<T> row,
                                                   const RelativeQuantizer<T> z, u32 listed)
{
    RelativeError<T> all{};
#pragma unroll 1
    for (u32 rest = ~listed; rest != 0; rest &= rest - 1)
    {
        i32 q;
        RelativeError<T> own;
        bool far;
        const bool coded = try_code(row(__ffs(rest) - 1), z, q, own, far);
        all.absolute = worse(all.absolute, coded ? own.absolute : value_of(Element<T>::QUIET_NAN));
        all.relative = larger(all.relative, own.relative);
    }
    return all;
}

/// As the `quantize_plain` of the other quantizer. The absolute error is NaN when an element has no
/// code of at most FUSED_REACH; the relative one is 0 where none is larger than `share`.
FSZ_DEVICE RelativeError<double> quantize_plain(const SharedRow<double> &row,
                                                const RelativeQuantizer<double> &z, double share,
                                                float (&code)[BLOCK], Extremes<double> &extremes)
{
    using T = double;
    constexpr u32 PIECE = SharedRow<T>::PIECE;
    const RelativeShortWay<T> way(z, share);
    RelativeLook look;
    // In groups: unrolled over the block, this would be more than the instruction cache holds.
    constexpr u32 GROUP = 4 * PIECE;
#pragma unroll
    for (u32 k = 0; k < BLOCK; ++k)
    {
        code[k] = 0;
    }
#pragma unroll 1
    for (u32 group = 0; group < BLOCK / GROUP; ++group)
    {
        float made[GROUP];
#pragma unroll
        for (u32 i = 0; i < GROUP; i += PIECE)
        {
            T d[PIECE];
            row.load((group * GROUP + i) / PIECE, d);
            quantize_piece(d, way, group * GROUP + i, made + i, look);
#pragma unroll
            for (u32 k = 0; k < PIECE; ++k)
            {
                extremes.take(d[k]);
            }
        }
        // Registers have no numbers that are not known beforehand.
#pragma unroll
        for (u32 k = 0; k < BLOCK; ++k)
        {
            code[k] = k / GROUP == group ? made[k % GROUP] : code[k];
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
        error = errors_of(row, z, 0);
    }
    return error;
}

/// The same for f32, by the way of one sign where the warp's blocks fit, or else the one of either,
/// which lists elements. Errors no larger than those so far may be told as 0.
FSZ_DEVICE RelativeError<float>
quantize_plain(const SharedRow<float> &row, const RelativeQuantizer<float> &z, const OneSign &way,
               const RelativeError<float> &so_far, float (&code)[BLOCK], ListedChain &chain,
               Extremes<float> &extremes)
{
    const BitsRange range(row);
    MixedBlock block;
    if (__all_sync(WARP_ALL, range.fits(way)))
    {
        range.widen(extremes);
        block.near = quantize_one_sign(row, z, way, so_far, range, code);
    }
    else
    {
        const MixedRange mixed(row);
        const u32 most = mixed.most(range);
        block.linear = value_of(Element<float>::INFINITE);
        if (__all_sync(WARP_ALL, most < way.end))
        {
            mixed.widen(extremes, range);
            block = quantize_mixed(row, z, way, so_far, most, code);
        }
        if (__any_sync(WARP_ALL, block.linear > z.bound.floor))
        {
            return {value_of(Element<float>::QUIET_NAN), 0};
        }
    }
    const LookedAt looked = look_near(row, z, way, so_far.relative, block.near, code);
    RelativeError<float> error{fmaxf(looked.worst, block.linear), 0};
    if (__any_sync(WARP_ALL, looked.larger_share()))
    {
        const float largest = largest_share(row, z, way);
        error.relative = looked.larger_share() ? largest : 0;
        if (__any_sync(WARP_ALL, error.relative < 0))
        {
            error = errors_of(row, z, block.listed);
        }
    }
    chain.listed = block.listed;
    if (chain.lists() && !chain.close(code))
    {
        error.absolute = value_of(Element<float>::QUIET_NAN);
    }
    return error;
}

} // namespace fsz
