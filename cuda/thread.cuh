// What one thread does with one block of 32 elements in its registers: codes, magnitudes,
// bit-planes.
#pragma once

#include "format.cuh"

namespace fsz
{

/// The numbers that turn elements into codes and back (FORMAT.md, Quantize).
template <class T> struct Quantizer
{
    T step;
    T inverse;
    T limit;
};

/// Added to a float it rounds to the nearest integer, ties to even; the integer is then in its low
/// bits.
constexpr float ROUND = 12582912.f; // 1.5 · 2^23
constexpr i32 ROUND_BITS = 0x4B400000;
/// The same for a double.
constexpr double ROUND_WIDE = 6755399441055744.0; // 1.5 · 2^52
/// Codes of at most this magnitude are exact through ROUND.
constexpr float FUSED_REACH = 4194302.f;

template <class T> FSZ_DEVICE bool is_finite(T d)
{
    return (bits_of(d) & ~Element<T>::SIGN) < Element<T>::INFINITE;
}

template <class T> FSZ_DEVICE bool is_nan(T d)
{
    return (bits_of(d) & ~Element<T>::SIGN) > Element<T>::INFINITE;
}

FSZ_DEVICE float smaller(float a, float b) { return fminf(a, b); }

FSZ_DEVICE double smaller(double a, double b) { return fmin(a, b); }

FSZ_DEVICE float larger(float a, float b) { return fmaxf(a, b); }

FSZ_DEVICE double larger(double a, double b) { return fmax(a, b); }

/// Loads 16 aligned bytes of elements.
FSZ_DEVICE void load_vector(const float *at, float *v)
{
    const uint4 raw = __ldg(reinterpret_cast<const uint4 *>(at));
    v[0] = value_of(raw.x);
    v[1] = value_of(raw.y);
    v[2] = value_of(raw.z);
    v[3] = value_of(raw.w);
}

FSZ_DEVICE void load_vector(const double *at, double *v)
{
    const double2 raw = __ldg(reinterpret_cast<const double2 *>(at));
    v[0] = raw.x;
    v[1] = raw.y;
}

/// An integer that orders as the (not NaN) value does; 0 is below all of them.
template <class T> FSZ_DEVICE typename Element<T>::Bits order_key(T d)
{
    const typename Element<T>::Bits bits = bits_of(d);
    return bits & Element<T>::SIGN ? ~bits : bits | Element<T>::SIGN;
}

template <class T> FSZ_DEVICE T value_of_key(typename Element<T>::Bits key)
{
    return value_of(key & Element<T>::SIGN ? key & ~Element<T>::SIGN : ~key);
}

/// Bits of the largest magnitude, given the OR of all magnitudes.
FSZ_DEVICE u32 rate_of_bits(u32 magnitudes) { return 32 - __clz(magnitudes); }

/// a where the mask is set, else b.
FSZ_DEVICE u32 select(u32 mask, u32 a, u32 b)
{
    u32 out;
    asm("lop3.b32 %0, %1, %2, %3, 0xCA;" : "=r"(out) : "r"(mask), "r"(a), "r"(b));
    return out;
}

/// One step of a bit transpose: swaps the high bits (under `mask`, in groups of `shift`) of b with
/// the low bits of a.
FSZ_DEVICE void exchange(u32 &a, u32 &b, u32 shift, u32 mask)
{
    const u32 low = select(mask, a, b << shift);
    b = select(mask, a >> shift, b);
    a = low;
}

/// Transposes the 8 × 8 bits in each byte column of 8 words: bit j of byte c of word k becomes bit
/// k of byte c of word j.
FSZ_DEVICE void transpose_bytes(u32 *x)
{
#pragma unroll
    for (u32 i = 0; i < 4; ++i)
    {
        exchange(x[i], x[i + 4], 4, 0x0F0F0F0Fu);
    }
#pragma unroll
    for (u32 i = 0; i < 8; i += 4)
    {
        exchange(x[i], x[i + 2], 2, 0x33333333u);
        exchange(x[i + 1], x[i + 3], 2, 0x33333333u);
    }
#pragma unroll
    for (u32 i = 0; i < 8; i += 2)
    {
        exchange(x[i], x[i + 1], 1, 0x55555555u);
    }
}

/// Transposes 16 words, each of two halves of 16 bits: bit j of half c of word k becomes bit k of
/// half c of word j.
FSZ_DEVICE void transpose_halves(u32 *x)
{
#pragma unroll
    for (u32 i = 0; i < 8; ++i)
    {
        const u32 even = __byte_perm(x[i], x[i + 8], 0x6240);
        x[i + 8] = __byte_perm(x[i], x[i + 8], 0x7351);
        x[i] = even;
    }
    transpose_bytes(x);
    transpose_bytes(x + 8);
}

/// Transposes 32 words: bit j of word k becomes bit k of word j.
FSZ_DEVICE void transpose_words(u32 *x)
{
#pragma unroll
    for (u32 i = 0; i < 16; ++i)
    {
        const u32 low = __byte_perm(x[i], x[i + 16], 0x5410);
        x[i + 16] = __byte_perm(x[i], x[i + 16], 0x7632);
        x[i] = low;
    }
    transpose_halves(x);
    transpose_halves(x + 16);
}

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

/// Stores a block's sign word and planes from `out` on. Returns its share of the tile's checksum
/// when its first word has the weight `first`.
template <u32 PLANES>
FSZ_DEVICE u32 store_planes(u32 *out, u32 rate, u32 sign, const u32 *planes, u32 first)
{
    if (rate > 0)
    {
        out[0] = sign;
    }
    // Planes from the rate on are zero.
    u32 sum = sign, weighted = 0;
#pragma unroll
    for (u32 k = 0; k < PLANES; ++k)
    {
        if (k < rate)
        {
            out[1 + k] = planes[k];
        }
        sum += planes[k];
        weighted += planes[k] * (k + 1);
    }
    return sum * first + 2 * weighted;
}

} // namespace fsz
