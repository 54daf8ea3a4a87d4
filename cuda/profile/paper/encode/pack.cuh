// Residuals to bit-planes, in the registers of the thread that has their block (FORMAT.md, Pack).
#pragma once

#include "device/bits.cuh"
#include "format/checksum.cuh"
#include "format/format.cuh"

namespace fsz
{

/// Bits of the largest magnitude, given the OR of all magnitudes.
FSZ_DEVICE u32 rate_of_bits(u32 magnitudes) { return 32 - __clz(magnitudes); }

/// Negates the numbers whose bit in `sign` is set, given and left as bit-planes: two's complement
/// to magnitudes.
template <u32 PLANES> FSZ_DEVICE void magnitudes(u32 sign, const u32 *x, u32 *planes)
{
    u32 carry = sign;
#pragma unroll
    for (u32 k = 0; k < PLANES; ++k)
    {
        const u32 flipped = x[k] ^ sign;
        planes[k] = flipped ^ carry;
        carry &= flipped;
    }
}

/// The sign word and the 7 bit-planes of 32 integers of at most 127, held as floats.
FSZ_DEVICE void planes7(const float *residual, u32 &sign, u32 *planes)
{
    u32 x[8];
#pragma unroll
    for (u32 j = 0; j < 8; ++j)
    {
        // Two numbers with 128 added, side by side in the low 16 bits of a float's mantissa.
        const float low = fmaf(residual[23 - j], 256.f, residual[31 - j]) + 8421504.f;
        const float high = fmaf(residual[7 - j], 256.f, residual[15 - j]) + 8421504.f;
        x[j] = __byte_perm(__float_as_uint(low), __float_as_uint(high), 0x5410);
    }
    transpose_bytes(x);
    sign = ~x[7];
    magnitudes<7>(sign, x, planes);
}

/// The sign word and the 15 bit-planes of 32 integers of at most 32767, held as floats.
FSZ_DEVICE void planes15(const float *residual, u32 &sign, u32 *planes)
{
    u32 x[16];
#pragma unroll
    for (u32 j = 0; j < 16; ++j)
    {
        x[j] = __byte_perm(__float_as_uint(residual[31 - j] + 8421376.f),
                           __float_as_uint(residual[15 - j] + 8421376.f), 0x5410);
    }
    transpose_halves(x);
    sign = ~x[15];
    magnitudes<15>(sign, x, planes);
}

/// The same for integers.
FSZ_DEVICE void planes15(const i32 *residual, u32 &sign, u32 *planes)
{
    u32 x[16];
#pragma unroll
    for (u32 j = 0; j < 16; ++j)
    {
        x[j] = __byte_perm(residual[31 - j] + 0x8000, residual[15 - j] + 0x8000, 0x5410);
    }
    transpose_halves(x);
    sign = ~x[15];
    magnitudes<15>(sign, x, planes);
}

/// The bit-planes of 32 integers below 2^31 in magnitude; plane 31 is the sign word.
FSZ_DEVICE void planes31(const i32 *residual, u32 *planes)
{
#pragma unroll
    for (u32 i = 0; i < 32; ++i)
    {
        const i32 l = residual[31 - i];
        planes[i] = static_cast<u32>(abs(l)) | (static_cast<u32>(l) & 0x80000000u);
    }
    transpose_words(planes);
}

/// Clears all bits of planes but `bits`.
template <u32 PLANES> FSZ_DEVICE void keep_bits(u32 bits, u32 &sign, u32 (&planes)[PLANES])
{
    sign &= bits;
#pragma unroll
    for (u32 k = 0; k < PLANES; ++k)
    {
        planes[k] &= bits;
    }
}

/// Stores a block's sign word and planes from `out` on. Returns the products of its words.
template <u32 PLANES> FSZ_DEVICE u64 store_planes(u32 *out, u32 rate, u32 sign, const u32 *planes)
{
    if (rate > 0)
    {
        out[0] = sign;
    }
    // Planes from the rate on are zero, and so are their products.
    u64 products = add_product(0, sign, CHECKSUM_MULTIPLIERS[0]);
#pragma unroll
    for (u32 k = 0; k < PLANES; ++k)
    {
        if (k < rate)
        {
            out[1 + k] = planes[k];
        }
        products = add_product(products, planes[k], CHECKSUM_MULTIPLIERS[k + 1]);
    }
    return products;
}

} // namespace fsz
