// Quantize on the short way with a pointwise-relative bound: codes by an approximate root, which is
// told from the exact one at the edges between codes alone, and by no division.
//
// The largest relative error of the field is known better and better: an element is only held to
// what it is so far, and quotients are found once one is larger.
#pragma once

#include "profile/paper/encode/listed.cuh"
#include "profile/paper/encode/relative/look_near.cuh"
#include "profile/paper/encode/relative/quantize_mixed.cuh"

namespace fsz
{

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

/// As the `quantize_plain` of the other quantizer: by the way of one sign where the warp's blocks
/// fit, or else by the one of either, which lists elements. The absolute error is NaN when an
/// element has no code of at most FUSED_REACH and is not listed. Errors no larger than those so far
/// may be told as 0. `zero` is what codes have added: ROUND or nothing. `within`: as what
/// `extremes_of` gives, if the elements are known.
template <class T>
FSZ_DEVICE RelativeError<T> quantize_plain(const SharedRow<T> &row, const RelativeQuantizer<T> &z,
                                           const OneSign<T> &way, const RelativeError<T> &so_far,
                                           float (&code)[BLOCK], float &zero, ListedChain &chain,
                                           Extremes<T> &within)
{
    const BitsRange range(row);
    MixedBlock<T> block;
    zero = ROUND;
    if (__all_sync(WARP_ALL, range.fits(way)))
    {
        within = range.template extremes<T>();
        block.near = quantize_one_sign(row, z, way, so_far, range, code);
    }
    else
    {
        zero = 0;
        const MixedRange mixed(row);
        const u32 most = mixed.most(range);
        block.linear = value_of(Element<T>::INFINITE);
        if (__all_sync(WARP_ALL, most < way.end))
        {
            within = mixed.template extremes<T>(range);
            block = quantize_mixed(row, z, way, so_far, most, code);
        }
        if (__any_sync(WARP_ALL, block.linear > z.bound.floor))
        {
            return {value_of(Element<T>::QUIET_NAN), 0};
        }
    }
    const LookedAt<T> looked = look_near(row, z, way, so_far.relative, block.near, code);
    RelativeError<T> error{larger(looked.worst, block.linear), 0};
    if (__any_sync(WARP_ALL, looked.larger_share()))
    {
        const T largest = largest_share(row, z, way);
        error.relative = looked.larger_share() ? largest : T{0};
        if (__any_sync(WARP_ALL, error.relative < 0))
        {
            error = errors_of(row, z, block.listed);
        }
    }
    chain.listed = block.listed;
    if (chain.lists() && !chain.close(code))
    {
        error.absolute = value_of(Element<T>::QUIET_NAN);
    }
    return error;
}

} // namespace fsz
