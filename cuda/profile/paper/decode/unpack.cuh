// Bit-planes back to residuals in the registers of one thread (FORMAT.md, Pack, reversed).
//
// A thread holds a block: a sign word and up to 31 bit-planes of 32 elements, element i at bit 31 -
// i. No element is touched by itself.
#pragma once

#include "device/bits.cuh"

namespace fsz
{

/// Magnitude planes 0 .. N-2 in `x`, and the sign word: makes them the planes of two's complement
/// numbers, by a negation that ripples through the planes of all elements at once.
template <i32 N> FSZ_DEVICE void twos_complement(u32 sign, u32 *x)
{
    u32 carry = sign;
#pragma unroll
    for (i32 k = 0; k < N - 1; ++k)
    {
        const u32 flipped = x[k] ^ sign;
        x[k] = flipped ^ carry;
        carry &= flipped;
    }
    x[N - 1] = sign ^ carry; // A sign bit without magnitude is 0, not the most negative number.
}

/// Residuals of a block of rate 7 at most: after `ready`, byte c of x[j] is element 31 - 8c - j.
struct Narrow
{
    enum
    {
        PLANES = 7,
        WORDS = 8
    };
    u32 x[8];
    FSZ_DEVICE void ready(u32 sign)
    {
        twos_complement<8>(sign, x);
        transpose_bytes(x);
    }
    /// Element i, which is a constant where this is unrolled.
    FSZ_DEVICE i32 at(i32 i) const
    {
        const u32 c = 3 - i / 8;
        return static_cast<i32>(bytes_of(x[(31 - i) & 7], 0, 0x8880 | 0x1111 * c));
    }
    /// The same as a float: the bits of 2^23 + 128 + l, less the rest.
    FSZ_DEVICE float real(i32 i) const
    {
        const u32 biased = x[(31 - i) & 7] ^ 0x80808080;
        return __uint_as_float(bytes_of(biased, 0x4B000000, 0x7440 | (3 - i / 8))) - 8388736.f;
    }
};

/// Residuals of a block of rate 15 at most: half h of x[j] is element 31 - 16h - j.
struct Medium
{
    enum
    {
        PLANES = 15,
        WORDS = 16
    };
    u32 x[16];
    FSZ_DEVICE void ready(u32 sign)
    {
        twos_complement<16>(sign, x);
        transpose_halves(x);
    }
    FSZ_DEVICE i32 at(i32 i) const
    {
        return static_cast<i32>(bytes_of(x[(31 - i) & 15], 0, i >= 16 ? 0x9910 : 0xBB32));
    }
    /// The same as a float: the bits of 2^23 + 32768 + l, less the rest.
    FSZ_DEVICE float real(i32 i) const
    {
        const u32 biased = x[(31 - i) & 15] ^ 0x80008000;
        return __uint_as_float(bytes_of(biased, 0x4B000000, i >= 16 ? 0x7410 : 0x7432)) - 8421376.f;
    }
};

/// Residuals of any block: x[j] is element 31 - j.
struct Wide
{
    enum
    {
        PLANES = 31,
        WORDS = 32
    };
    u32 x[32];
    FSZ_DEVICE void ready(u32 sign)
    {
        twos_complement<32>(sign, x);
        transpose_words(x);
    }
    FSZ_DEVICE i32 at(i32 i) const { return static_cast<i32>(x[31 - i]); }
};

} // namespace fsz
