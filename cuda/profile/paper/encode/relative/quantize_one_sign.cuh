// Quantize where all elements of each lane's block have one sign and logarithmic codes that none of
// the rare cases concerns: the shortest way, which most blocks of most fields go.
//
// A look at the bits of the block tells whether it may. Then numbers are without a sign until the
// codes get theirs, no element is compared with the ends of the codes, and the constants of the
// field are folded into few. Where in its code an element is tells whether its error may be larger
// than the largest so far: no value is found of the others.
#pragma once

#include "encode/block_io.cuh"
#include "profile/paper/encode/plain.cuh"
#include "profile/paper/encode/relative/bits_range.cuh"
#include "profile/paper/encode/relative/signed_block.cuh"

namespace fsz
{

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
