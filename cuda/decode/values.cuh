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
};

template <> FSZ_DEVICE float Multiples<float>::of(i32 code) const
{
    return __fmul_rn(__int2float_rn(code), step);
}

template <> FSZ_DEVICE double Multiples<double>::of(i32 code) const
{
    return __dmul_rn(__int2double_rn(code), step);
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
    u32 bend;
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
        bend = codes >> 32 != 0 ? Octave<T>::BEND : 0;
        zero = static_cast<Bits>(number(RELATIVE_BASE)) - (static_cast<Bits>(knee) + 1) * stride;
    }

    FSZ_DEVICE bool is_linear(i32 code) const { return static_cast<u32>(abs(code)) <= knee; }

    FSZ_DEVICE T linear(i32 code) const { return Multiples<T>{linear_step}.of(code); }

    FSZ_DEVICE T of(i32 code) const { return is_linear(code) ? linear(code) : logarithmic(code); }

    FSZ_DEVICE T logarithmic(i32 code) const
    {
        const u32 k = static_cast<u32>(abs(code));
        const Bits y = min(zero + k * stride, Element<T>::INFINITE);
        const Bits sign = static_cast<Bits>(static_cast<u32>(code) & 0x80000000u)
                          << (8 * sizeof(T) - 32);
        return value_of(Octave<T>::bits(y, bend) | sign);
    }
};

} // namespace fsz
