// Quantize where elements have either sign, or are below those with logarithmic codes: zeros, those
// with linear codes, and those without a code, which are listed. As in quantize_one_sign.cuh, but
// an element has a sign of its own.
#pragma once

#include "profile/paper/quantize_one_sign.cuh"

namespace fsz
{

/// The bits of a lane's block that elements of either sign have.
struct MixedRange
{
    /// The largest bits as signed numbers: of the largest positive element, if there is one.
    i32 highest = static_cast<i32>(Element<float>::SIGN);

    FSZ_DEVICE explicit MixedRange(const SharedRow<float> &row)
    {
#pragma unroll
        for (u32 piece = 0; piece < BLOCK / SharedRow<float>::PIECE; ++piece)
        {
            float d[SharedRow<float>::PIECE];
            row.load(piece, d);
#pragma unroll
            for (u32 k = 0; k < SharedRow<float>::PIECE; ++k)
            {
                highest = max(highest, __float_as_int(d[k]));
            }
        }
    }

    /// Bits of the largest magnitude.
    FSZ_DEVICE u32 most(const BitsRange &range) const
    {
        return static_cast<u32>(max(highest, static_cast<i32>(range.most & ~Element<float>::SIGN)));
    }

    FSZ_DEVICE void widen(Extremes<float> &extremes, const BitsRange &range) const
    {
        // Of negative elements alone, the smallest bits are the highest.
        extremes.take(highest < 0 ? value_of(range.least) : __int_as_float(highest));
        extremes.take(range.sign() != 0 ? value_of(range.most) : value_of(range.least));
    }
};

/// What became of a block of elements of either sign.
struct MixedBlock
{
    NearEnds near;
    /// The largest error of a linear code.
    float linear = 0;
    /// Elements without a code.
    u32 listed = 0;
};

/// Linear codes of those elements of a piece that have them. The piece begins at element `at` of
/// the block.
FSZ_DEVICE void place_linear(const float (&size)[4], const RelativeBound<float> &bound, u32 at,
                             u32 (&magnitude)[4], MixedBlock &out)
{
#pragma unroll
    for (u32 k = 0; k < 4; ++k)
    {
        const bool is_linear = bits_of(size[k]) < bound.edge;
        const u32 nearest =
            bits_of(__fmaf_rn(size[k], bound.inverse, ROUND)) - static_cast<u32>(ROUND_BITS);
        const u32 linear = min(nearest, bound.knee);
        const float error = distance_of(size[k], multiple(linear, bound.linear_step));
        out.linear = fmaxf(out.linear, is_linear ? error : 0);
        magnitude[k] = is_linear ? linear : magnitude[k];
        out.near.elements &= is_linear ? ~(1u << (at + k)) : ~0u;
    }
}

/// Without a floor: zeros have the code 0, and what else has no logarithmic code is listed.
FSZ_DEVICE void list_small(const float (&size)[4], const OneSign &way, u32 at, u32 (&magnitude)[4],
                           MixedBlock &out)
{
#pragma unroll
    for (u32 k = 0; k < 4; ++k)
    {
        const bool is_small = bits_of(size[k]) < way.regular;
        magnitude[k] = is_small ? 0 : magnitude[k];
        out.listed |= is_small && bits_of(size[k]) != 0 ? 1u << (at + k) : 0;
        out.near.elements &= is_small ? ~(1u << (at + k)) : ~0u;
    }
}

/// Quantizes the lane's block, whose magnitudes, of up to `most`, are all below the end.
FSZ_DEVICE MixedBlock quantize_mixed(const SharedRow<float> &row, const RelativeQuantizer<float> &z,
                                     const OneSign &way, const RelativeError<float> &so_far,
                                     u32 most, float (&code)[BLOCK])
{
    constexpr u32 PIECE = SharedRow<float>::PIECE;
    const SignedBlock block(z, way, 0);
    const Ends ends = block.ends(value_of(most), LEAST_RUN_ANYWHERE, so_far);
    MixedBlock out{{0, ends.before}};
#pragma unroll
    for (u32 piece = 0; piece < BLOCK / PIECE; ++piece)
    {
        float d[PIECE], size[PIECE];
        row.load(piece, d);
        u32 magnitude[PIECE], smallest = ~0u;
#pragma unroll
        for (u32 k = 0; k < PIECE; ++k)
        {
            size[k] = fabsf(d[k]);
            smallest = min(smallest, bits_of(size[k]));
            u32 left;
            magnitude[k] = block.guess(size[k], ends.before, left);
            look_beyond(left, ends.end, 1u << (piece * PIECE + k), out.near.elements);
        }
        if (__any_sync(WARP_ALL, smallest < way.regular))
        {
            // An edge of 1 is that of no floor. With one, all below it have linear codes.
            if (z.bound.edge > 1)
            {
                place_linear(size, z.bound, piece * PIECE, magnitude, out);
            }
            else
            {
                list_small(size, way, piece * PIECE, magnitude, out);
            }
        }
#pragma unroll
        for (u32 k = 0; k < PIECE; ++k)
        {
            code[piece * PIECE + k] = signed_code(bits_of(d[k]), magnitude[k], way.round);
        }
    }
    return out;
}

} // namespace fsz
