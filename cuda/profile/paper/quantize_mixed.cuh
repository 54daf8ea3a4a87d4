// Quantize where elements have either sign, or are below those with logarithmic codes: zeros, those
// with linear codes, and those without a code, which are listed. As in quantize_one_sign.cuh, but
// an element has a sign of its own.
#pragma once

#include "profile/paper/quantize_one_sign.cuh"

namespace fsz
{

/// The top words of a lane's block whose elements have either sign.
struct MixedRange
{
    /// The largest as signed numbers: of the largest positive element, if there is one.
    i32 highest = static_cast<i32>(Element<float>::SIGN);

    template <class T> FSZ_DEVICE explicit MixedRange(const SharedRow<T> &row)
    {
#pragma unroll
        for (u32 piece = 0; piece < BLOCK / SharedRow<T>::PIECE; ++piece)
        {
            T d[SharedRow<T>::PIECE];
            row.load(piece, d);
#pragma unroll
            for (u32 k = 0; k < SharedRow<T>::PIECE; ++k)
            {
                highest = max(highest, static_cast<i32>(top_word(d[k])));
            }
        }
    }

    /// That of the largest magnitude.
    FSZ_DEVICE u32 most(const BitsRange &range) const
    {
        return static_cast<u32>(max(highest, static_cast<i32>(range.most & ~Element<float>::SIGN)));
    }

    template <class T> FSZ_DEVICE Extremes<T> extremes(const BitsRange &range) const
    {
        return extremes_of<T>(range.sign() != 0 ? range.most : range.least,
                              highest < 0 ? range.least : static_cast<u32>(highest));
    }
};

/// What became of a block of elements of either sign.
template <class T> struct MixedBlock
{
    NearEnds near;
    /// The largest error of a linear code.
    T linear = 0;
    /// Elements without a code.
    u32 listed = 0;
};

/// As for f64, of a magnitude below the edge.
FSZ_DEVICE u32 steps_of(float size, float inverse)
{
    return bits_of(__fmaf_rn(size, inverse, ROUND)) - static_cast<u32>(ROUND_BITS);
}

/// Linear codes of those elements of a piece that have them. The piece begins at element `at` of
/// the block.
template <class T, u32 PIECE>
FSZ_DEVICE void place_linear(const T (&size)[PIECE], const RelativeBound<T> &bound, u32 at,
                             u32 (&magnitude)[PIECE], MixedBlock<T> &out)
{
#pragma unroll
    for (u32 k = 0; k < PIECE; ++k)
    {
        const bool is_linear = bits_of(size[k]) < bound.edge;
        const u32 linear = min(steps_of(size[k], bound.inverse), bound.knee);
        const T error = distance_of(size[k], multiple(linear, bound.linear_step));
        out.linear = larger(out.linear, is_linear ? error : T{0});
        magnitude[k] = is_linear ? linear : magnitude[k];
        out.near.elements &= is_linear ? ~(1u << (at + k)) : ~0u;
    }
}

/// Without a floor: zeros have the code 0, and what else has no logarithmic code is listed.
template <class T, u32 PIECE>
FSZ_DEVICE void list_small(const T (&size)[PIECE], const OneSign<T> &way, u32 at,
                           u32 (&magnitude)[PIECE], MixedBlock<T> &out)
{
#pragma unroll
    for (u32 k = 0; k < PIECE; ++k)
    {
        const bool is_small = bits_of(size[k]) < way.regular;
        magnitude[k] = is_small ? 0 : magnitude[k];
        out.listed |= is_small && bits_of(size[k]) != 0 ? 1u << (at + k) : 0;
        out.near.elements &= is_small ? ~(1u << (at + k)) : ~0u;
    }
}

/// Quantizes the lane's block, whose magnitudes, with top words up to `most`, are all below the
/// end.
template <class T>
FSZ_DEVICE MixedBlock<T> quantize_mixed(const SharedRow<T> &row, const RelativeQuantizer<T> &z,
                                        const OneSign<T> &way, const RelativeError<T> &so_far,
                                        u32 most, float (&code)[BLOCK])
{
    constexpr u32 PIECE = SharedRow<T>::PIECE;
    const SignedBlock<T> block(z, way, 0);
    const Ends ends = block.ends(most_of<T>(most), LEAST_RUN_ANYWHERE, so_far);
    MixedBlock<T> out{{0, ends.before}};
#pragma unroll
    for (u32 piece = 0; piece < BLOCK / PIECE; ++piece)
    {
        T d[PIECE], size[PIECE];
        row.load(piece, d);
        u32 magnitude[PIECE], smallest = ~0u;
#pragma unroll
        for (u32 k = 0; k < PIECE; ++k)
        {
            size[k] = magnitude_of(d[k]);
            smallest = min(smallest, top_word(size[k]));
            u32 left;
            magnitude[k] = block.guess(size[k], ends.before, left);
            look_beyond(left, ends.end, 1u << (piece * PIECE + k), out.near.elements);
        }
        if (__any_sync(WARP_ALL, smallest < way.top_regular))
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
            code[piece * PIECE + k] = signed_code(top_word(d[k]), magnitude[k], way.round);
        }
    }
    return out;
}

} // namespace fsz
