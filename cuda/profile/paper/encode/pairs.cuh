// A block's numbers of 16 bits, two in a word, so that one instruction serves both: number k of the
// block in the high half of word k, number k + 16 in the low half.
#pragma once

#include "profile/paper/encode/pack.cuh"

namespace fsz
{

constexpr u32 PAIRS = BLOCK / 2;

/// Zero in both halves, where numbers of either sign are. They are above -2^15.
constexpr u32 PAIR_BIAS = 0x80008000;

/// The low halves of two words.
FSZ_DEVICE u32 pair_of(u32 high, u32 low) { return bytes_of(low, high, 0x5410); }

/// What stands before each number of word 0: in the low half the high one of the last word, in the
/// high half the low one of `before`.
FSZ_DEVICE u32 pair_before(u32 last, u32 before) { return bytes_of(last, before, 0x5432); }

/// Differences, biased, of numbers that are both biased or both not; these are less than 2^15
/// apart.
FSZ_DEVICE u32 pair_difference(u32 a, u32 b) { return a - b + PAIR_BIAS; }

/// A biased number of the high half, or the low half.
FSZ_DEVICE i32 high_number(u32 pair) { return static_cast<i32>(pair >> 16) - 0x8000; }

FSZ_DEVICE i32 low_number(u32 pair) { return static_cast<i32>(pair & 0xFFFF) - 0x8000; }

FSZ_DEVICE u32 most_of_pairs(u32 a, u32 b)
{
    u32 out;
    asm("max.u16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
    return out;
}

FSZ_DEVICE u32 least_of_pairs(u32 a, u32 b)
{
    u32 out;
    asm("min.u16x2 %0, %1, %2;" : "=r"(out) : "r"(a), "r"(b));
    return out;
}

/// The largest magnitude of biased numbers.
FSZ_DEVICE u32 largest_of_pairs(const u32 (&x)[PAIRS])
{
    u32 most = x[0], least = x[0];
#pragma unroll
    for (u32 k = 1; k < PAIRS; ++k)
    {
        most = most_of_pairs(most, x[k]);
        least = least_of_pairs(least, x[k]);
    }
    // Each half negated: none is 0.
    const u32 both = most_of_pairs(most, 0x00010000 - least);
    return max(both & 0xFFFF, both >> 16) - 0x8000;
}

/// Takes number `at` to be 0, if there is one.
FSZ_DEVICE void clear_number(u32 (&x)[PAIRS], u32 at)
{
    const u32 half = at < PAIRS ? 0xFFFF0000 : at < BLOCK ? 0x0000FFFF : 0;
    u32 word = 1u << at % PAIRS;
    // Bits are tested seven at a time, `at` would be compared with each number.
    asm("" : "+r"(word));
#pragma unroll
    for (u32 k = 0; k < PAIRS; ++k)
    {
        if (word & 1u << k)
        {
            x[k] = select(half, PAIR_BIAS, x[k]);
        }
    }
}

/// Packs a block of biased numbers from `out` on, as `pack_plain` does. Those outside of `exist`
/// (the first is the highest bit) are none.
FSZ_DEVICE u64 pack_pairs(const u32 (&x)[PAIRS], u32 *out, u32 rate, bool wide, u32 exist)
{
    if (!wide)
    {
        u32 bytes[8], planes[7];
#pragma unroll
        for (u32 j = 0; j < 8; ++j)
        {
            bytes[j] = bytes_of(x[15 - j], x[7 - j], 0x6240);
        }
        transpose_bytes(bytes);
        u32 sign = bytes[7];
        magnitudes<7>(sign, bytes, planes);
        keep_bits(exist, sign, planes);
        return store_planes<7>(out, rate, sign, planes);
    }
    u32 halves[PAIRS], planes[15];
#pragma unroll
    for (u32 j = 0; j < PAIRS; ++j)
    {
        halves[j] = x[15 - j];
    }
    transpose_halves(halves);
    u32 sign = ~halves[15];
    magnitudes<15>(sign, halves, planes);
    keep_bits(exist, sign, planes);
    return store_planes<15>(out, rate, sign, planes);
}

} // namespace fsz
