// What makes elements of codes (FORMAT.md, Quantize and Relative), as a decoder takes it from the
// header.
#pragma once

#include "decode/index.cuh"
#include "format/curve.cuh"

namespace fsz
{

/// Multiples of the quantization step: of an absolute bound.
template <class T> struct Multiples
{
    using Value = T;
    /// Whether the bound is pointwise-relative, and the numbers that the header has of it.
    static constexpr bool RELATIVE = false;
    static constexpr u32 NUMBERS = 0;

    T step;

    /// Takes what it needs from the words of a header that lanes hold (`IndexWords`).
    FSZ_DEVICE void take(u64 header)
    {
        step = static_cast<T>(value_of(__shfl_sync(WARP_ALL, header, AT_QUANTIZATION_STEP / 8)));
    }

    /// The element of a code: one correctly rounded multiplication.
    FSZ_DEVICE T of(i32 code) const;

    FSZ_DEVICE void of_four(const u32 (&code)[4], T (&v)[4]) const
    {
#pragma unroll
        for (u32 i = 0; i < 4; ++i)
        {
            v[i] = of(static_cast<i32>(code[i]));
        }
    }
};

template <> FSZ_DEVICE float Multiples<float>::of(i32 code) const
{
    return __fmul_rn(__int2float_rn(code), step);
}

template <> FSZ_DEVICE double Multiples<double>::of(i32 code) const
{
    // The code as a number by a subtraction (2^52 + 2^31 + q less 2^52 + 2^31), exact for every
    // one.
    const double number = __hiloint2double(0x43300000, code ^ static_cast<i32>(0x80000000));
    return __dmul_rn(__dadd_rn(number, -4503601774854144.0), step);
}

/// Multiples of a step up to a knee, and behind it bits that follow a curve: of a
/// pointwise-relative bound.
template <class T> struct CurveValues
{
    using Value = T;
    using Bits = typename Element<T>::Bits;
    static constexpr bool RELATIVE = true;
    static constexpr u32 NUMBERS = RELATIVE_NUMBERS;

    T linear_step;
    u32 knee;
    /// The curve's bend times an octave, and its opposite: kept, so that they are one instruction
    /// with a pattern.
    Bits bend_of_octave, unbend;
    Bits stride;
    /// The pattern that a logarithmic code of 0 would have.
    Bits zero;

    FSZ_DEVICE void take(u64 header)
    {
        set([&](u32 k) { return __shfl_sync(WARP_ALL, header, HEADER_LANES + k); });
    }

    /// Takes what it needs from the numbers that a header has of the bound, which `number` gives.
    template <class Number> FSZ_DEVICE void set(const Number &number)
    {
        linear_step = static_cast<T>(value_of(number(RELATIVE_LINEAR_STEP)));
        stride = static_cast<Bits>(number(RELATIVE_STRIDE));
        const u64 codes = number(RELATIVE_KNEE);
        knee = static_cast<u32>(codes);
        set_bend(codes >> 32 != 0 ? Octave<T>::BEND : 0);
        zero = static_cast<Bits>(number(RELATIVE_BASE)) - (static_cast<Bits>(knee) + 1) * stride;
    }

    FSZ_DEVICE void set_bend(Bits bend)
    {
        bend_of_octave = bend * Octave<T>::LEN;
        unbend = 0 - bend;
    }

    FSZ_DEVICE bool is_linear(i32 code) const { return static_cast<u32>(abs(code)) <= knee; }

    FSZ_DEVICE T linear(i32 code) const { return Multiples<T>{linear_step}.of(code); }

    FSZ_DEVICE T of(i32 code) const { return is_linear(code) ? linear(code) : logarithmic(code); }

    /// The bits at pattern `y`, as `Octave::bits` finds them.
    FSZ_DEVICE Bits bits(Bits y) const
    {
        const Bits p = y & (Octave<T>::LEN - 1);
        return y - high_word(p, bend_of_octave + unbend * p);
    }

    FSZ_DEVICE T logarithmic(i32 code) const
    {
        const u32 k = static_cast<u32>(abs(code));
        const Bits y = min(zero + k * stride, Element<T>::INFINITE);
        const Bits sign = static_cast<Bits>(static_cast<u32>(code) & 0x80000000u)
                          << (8 * sizeof(T) - 32);
        return value_of(bits(y) | sign);
    }

    /// The elements of four codes, by all lanes of a warp.
    FSZ_DEVICE void of_four(const u32 (&code)[4], T (&v)[4]) const
    {
        bool any = false;
#pragma unroll
        for (u32 i = 0; i < 4; ++i)
        {
            const i32 q = static_cast<i32>(code[i]);
            v[i] = 0;
            if (!is_linear(q))
            {
                v[i] = logarithmic(q);
            }
            any = any || is_linear(q);
        }
        // Without a knee only 0 is linear.
        if (knee > 0 && __any_sync(WARP_ALL, any))
        {
#pragma unroll
            for (u32 i = 0; i < 4; ++i)
            {
                const i32 q = static_cast<i32>(code[i]);
                v[i] = is_linear(q) ? linear(q) : v[i];
            }
        }
    }
};

} // namespace fsz
