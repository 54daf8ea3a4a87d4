// Bit-planes back to residuals in the registers of one thread (FORMAT.md, Pack, reversed).
//
// A thread holds a block: a sign word and up to 31 bit-planes of 32 elements, element i at bit 31 -
// i. Transposing bits inside registers takes about 140 instructions for all 32 elements, whatever
// the rate; no element is touched by itself. Runs on the host too, for tests.
#pragma once

#ifdef __CUDACC__
#define FSZ_BOTH __host__ __device__ __forceinline__
#else
#define FSZ_BOTH inline
#endif

namespace fsz
{

// The bytes of a and b (0-3 and 4-7) that the selector's nibbles name; a nibble's top bit spreads
// the byte's sign.
FSZ_BOTH unsigned int bytes_of(unsigned int a, unsigned int b, unsigned int selector)
{
#ifdef __CUDA_ARCH__
    unsigned int r;
    asm("prmt.b32 %0, %1, %2, %3;" : "=r"(r) : "r"(a), "r"(b), "r"(selector));
    return r;
#else
    const unsigned long long both = (unsigned long long)b << 32 | a;
    unsigned int r = 0;
    for (int i = 0; i < 4; i++)
    {
        const unsigned int nibble = selector >> (4 * i) & 15;
        unsigned int byte = (unsigned int)(both >> (8 * (nibble & 7))) & 255;
        if (nibble & 8)
            byte = byte & 128 ? 255 : 0;
        r |= byte << (8 * i);
    }
    return r;
#endif
}

// a where the mask is set, else b.
FSZ_BOTH unsigned int choose_bits(unsigned int mask, unsigned int a, unsigned int b)
{
#ifdef __CUDA_ARCH__
    unsigned int r; // The compiler does not find this single instruction.
    asm("lop3.b32 %0, %1, %2, %3, 0xCA;" : "=r"(r) : "r"(mask), "r"(a), "r"(b));
    return r;
#else
    return (a & mask) | (b & ~mask);
#endif
}

// Exchanges the bits of `a` above `shift` with those of `b` below it, field by field.
FSZ_BOTH void exchange(unsigned int &a, unsigned int &b, int shift, unsigned int low)
{
    const unsigned int x = choose_bits(low, a, b << shift);
    b = choose_bits(low, a >> shift, b);
    a = x;
}

// Transposes the 8 × 8 bits in every byte column of 8 words.
FSZ_BOTH void transpose8(unsigned int *x)
{
#pragma unroll
    for (int i = 0; i < 4; i++)
        exchange(x[i], x[i + 4], 4, 0x0F0F0F0F);
#pragma unroll
    for (int i = 0; i < 8; i += 4)
    {
        exchange(x[i], x[i + 2], 2, 0x33333333);
        exchange(x[i + 1], x[i + 3], 2, 0x33333333);
    }
#pragma unroll
    for (int i = 0; i < 8; i += 2)
        exchange(x[i], x[i + 1], 1, 0x55555555);
}

// The same for 16 × 16 bits in the two halves of 16 words.
FSZ_BOTH void transpose16(unsigned int *x)
{
#pragma unroll
    for (int i = 0; i < 8; i++)
    {
        const unsigned int a = bytes_of(x[i], x[i + 8], 0x6240);
        x[i + 8] = bytes_of(x[i], x[i + 8], 0x7351);
        x[i] = a;
    }
    transpose8(x);
    transpose8(x + 8);
}

// The same for 32 × 32 bits of 32 words.
FSZ_BOTH void transpose32(unsigned int *x)
{
#pragma unroll
    for (int i = 0; i < 16; i++)
    {
        const unsigned int a = bytes_of(x[i], x[i + 16], 0x5410);
        x[i + 16] = bytes_of(x[i], x[i + 16], 0x7632);
        x[i] = a;
    }
    transpose16(x);
    transpose16(x + 16);
}

// Magnitude planes 0 .. N-2 in `x`, and the sign word: makes them the planes of two's complement
// numbers, by a negation that ripples through the planes of all elements at once.
template <int N> FSZ_BOTH void twos_complement(unsigned int sign, unsigned int *x)
{
    unsigned int carry = sign;
#pragma unroll
    for (int k = 0; k < N - 1; k++)
    {
        const unsigned int flipped = x[k] ^ sign;
        x[k] = flipped ^ carry;
        carry &= flipped;
    }
    x[N - 1] = sign ^ carry; // A sign bit without magnitude is 0, not the most negative number.
}

// Residuals of a block of rate 7 at most: after `ready`, byte c of x[j] is element 31 - 8c - j.
struct Narrow
{
    enum
    {
        PLANES = 7,
        WORDS = 8
    };
    unsigned int x[8];
    FSZ_BOTH void ready(unsigned int sign)
    {
        twos_complement<8>(sign, x);
        transpose8(x);
    }
    // Element i, which is a constant where this is unrolled.
    FSZ_BOTH int at(int i) const
    {
        const unsigned int c = 3 - i / 8;
        return (int)bytes_of(x[(31 - i) & 7], 0, 0x8880 | 0x1111 * c);
    }
#ifdef __CUDACC__
    // The same as a float: the bits of 2^23 + 128 + l, less the rest.
    __device__ __forceinline__ float real(int i) const
    {
        const unsigned int biased = x[(31 - i) & 7] ^ 0x80808080;
        return __uint_as_float(bytes_of(biased, 0x4B000000, 0x7440 | (3 - i / 8))) - 8388736.f;
    }
#endif
};

// Residuals of a block of rate 15 at most: half h of x[j] is element 31 - 16h - j.
struct Medium
{
    enum
    {
        PLANES = 15,
        WORDS = 16
    };
    unsigned int x[16];
    FSZ_BOTH void ready(unsigned int sign)
    {
        twos_complement<16>(sign, x);
        transpose16(x);
    }
    FSZ_BOTH int at(int i) const
    {
        return (int)bytes_of(x[(31 - i) & 15], 0, i >= 16 ? 0x9910 : 0xBB32);
    }
#ifdef __CUDACC__
    // The same as a float: the bits of 2^23 + 32768 + l, less the rest.
    __device__ __forceinline__ float real(int i) const
    {
        const unsigned int biased = x[(31 - i) & 15] ^ 0x80008000;
        return __uint_as_float(bytes_of(biased, 0x4B000000, i >= 16 ? 0x7410 : 0x7432)) - 8421376.f;
    }
#endif
};

// Residuals of any block: x[j] is element 31 - j.
struct Wide
{
    enum
    {
        PLANES = 31,
        WORDS = 32
    };
    unsigned int x[32];
    FSZ_BOTH void ready(unsigned int sign)
    {
        twos_complement<32>(sign, x);
        transpose32(x);
    }
    FSZ_BOTH int at(int i) const { return (int)x[31 - i]; }
};

} // namespace fsz
