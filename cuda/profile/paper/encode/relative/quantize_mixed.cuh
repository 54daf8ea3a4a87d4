// Quantize where elements have either sign, or are below those with logarithmic codes: zeros, those
// with linear codes, and those without a code, which are listed. As in quantize_one_sign.cuh, but
// an element has a sign of its own.
#pragma once

#include "profile/paper/encode/relative/quantize_one_sign.cuh"

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

/// Takes an element in whose code may be `code`, with ROUND added, and of whose distance so much is
/// left: leaves the code without ROUND. Small ones, below those with logarithmic codes, get the
/// code 0, and leave bits in `small` if they are not 0. Of others, `near` gets the bit of those of
/// which `end` or more is left. The compiler would select where predicates do, in more
/// instructions.
FSZ_DEVICE void take_small(float size, u32 regular, u32 left, u32 end, u32 bit, float &code,
                           float &small, u32 &near)
{
    asm("{\n.reg .pred is_small, is_near;\n"
        "setp.lt.u32 is_small, %3, %4;\n"
        "setp.ge.and.u32 is_near, %5, %6, !is_small;\n"
        "sub.rn.f32 %0, %0, %9;\n"
        "@is_small sub.rn.f32 %0, %0, %0;\n"
        "@is_small add.rn.f32 %1, %1, %8;\n"
        "@is_near or.b32 %2, %2, %7;\n}"
        : "+f"(code), "+f"(small), "+r"(near)
        : "r"(bits_of(size)), "r"(regular), "r"(left), "r"(end), "r"(bit), "f"(size), "f"(ROUND));
}

FSZ_DEVICE void take_small(double size, u64 regular, u32 left, u32 end, u32 bit, float &code,
                           float &small, u32 &near)
{
    asm("{\n.reg .pred is_small, is_near;\n"
        "setp.lt.u64 is_small, %3, %4;\n"
        "setp.ge.and.u32 is_near, %5, %6, !is_small;\n"
        "sub.rn.f32 %0, %0, %10;\n"
        "@is_small sub.rn.f32 %0, %0, %0;\n"
        "@is_small lop3.b32 %1, %1, %8, %9, 0xFE;\n"
        "@is_near or.b32 %2, %2, %7;\n}"
        : "+f"(code), "+f"(small), "+r"(near)
        : "l"(bits_of(size)), "l"(regular), "r"(left), "r"(end), "r"(bit), "r"(top_word(size)),
          "r"(static_cast<u32>(bits_of(size))), "f"(ROUND));
}

/// Linear codes of those elements of a piece that have them.
template <class T, u32 PIECE>
FSZ_DEVICE void place_linear(const T (&size)[PIECE], const RelativeBound<T> &bound,
                             float (&code)[PIECE], MixedBlock<T> &out)
{
#pragma unroll
    for (u32 k = 0; k < PIECE; ++k)
    {
        const bool is_linear = bits_of(size[k]) < bound.edge;
        const u32 linear = min(steps_of(size[k], bound.inverse), bound.knee);
        const T error = distance_of(size[k], multiple(linear, bound.linear_step));
        out.linear = larger(out.linear, is_linear ? error : T{0});
        code[k] = is_linear ? __uint2float_rn(linear) : code[k];
    }
}

/// Lists those elements of a piece that have no code but are not 0. The piece begins at element
/// `at` of the block.
template <class T, u32 PIECE>
FSZ_DEVICE void list_small(const T (&size)[PIECE], const OneSign<T> &way, u32 at, u32 &listed)
{
#pragma unroll
    for (u32 k = 0; k < PIECE; ++k)
    {
        const bool is_small = bits_of(size[k]) - 1 < way.regular - 1;
        listed |= is_small ? 1u << (at + k) : 0;
    }
}

/// Quantizes the lane's block, whose magnitudes, with top words up to `most`, are all below the
/// end. Codes are as they are, without ROUND.
template <class T>
FSZ_DEVICE MixedBlock<T> quantize_mixed(const SharedRow<T> &row, const RelativeQuantizer<T> &z,
                                        const OneSign<T> &way, const RelativeError<T> &so_far,
                                        u32 most, float (&code)[BLOCK])
{
    constexpr u32 PIECE = SharedRow<T>::PIECE;
    const SignedBlock<T> block(z, way, 0);
    const Ends ends =
        block.fraction_ends(block.at_ends(most_of<T>(most), LEAST_RUN_ANYWHERE, so_far));
    const u64 round = way.own_round();
    MixedBlock<T> out{{0, ends.before}};
#pragma unroll
    for (u32 piece = 0; piece < BLOCK / PIECE; ++piece)
    {
        T d[PIECE], size[PIECE];
        row.load(piece, d);
        float magnitude[PIECE], small = 0;
#pragma unroll
        for (u32 k = 0; k < PIECE; ++k)
        {
            size[k] = magnitude_of(d[k]);
            u32 left;
            magnitude[k] = block.guess_rounded(size[k], ends.before, round, left);
            take_small(size[k], way.regular, left, ends.end, 1u << (piece * PIECE + k),
                       magnitude[k], small, out.near.elements);
        }
        // Of 0 nothing is to be done.
        if (__any_sync(WARP_ALL, bits_of(small) != 0))
        {
            // An edge of 1 is that of no floor. With one, all below it have linear codes.
            if (z.bound.edge > 1)
            {
                place_linear(size, z.bound, magnitude, out);
            }
            else
            {
                list_small(size, way, piece * PIECE, out.listed);
            }
        }
#pragma unroll
        for (u32 k = 0; k < PIECE; ++k)
        {
            code[piece * PIECE + k] = with_sign(magnitude[k], top_word(d[k]));
        }
    }
    return out;
}

} // namespace fsz
