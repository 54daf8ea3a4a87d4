// Integers, and what differs between the two element types.
//
// Everything in cuda/ is self-contained: no header of the toolkit or of the C++ library is
// included, so that NVRTC compiles the same sources as nvcc.
#pragma once

#include "format/format_constants.cuh"

namespace fsz
{

#define FSZ_DEVICE __device__ __forceinline__

/// All lanes of a warp.
constexpr u32 WARP_ALL = 0xFFFFFFFFu;

/// What differs between the two element types.
template <class T> struct Element;

template <> struct Element<float>
{
    using Bits = u32;
    static constexpr u32 WORDS = 1;
    /// Bits of an octave.
    static constexpr u32 MANTISSA = 23;
    static constexpr u32 QUIET_NAN = QUIET_NAN_F32;
    static constexpr u32 NEGATIVE_NAN = NEGATIVE_NAN_F32;
    static constexpr u32 INFINITE = 0x7F800000u;
    static constexpr u32 SIGN = 0x80000000u;
};

template <> struct Element<double>
{
    using Bits = u64;
    static constexpr u32 WORDS = 2;
    static constexpr u32 MANTISSA = 52;
    static constexpr u64 QUIET_NAN = QUIET_NAN_F64;
    static constexpr u64 NEGATIVE_NAN = NEGATIVE_NAN_F64;
    static constexpr u64 INFINITE = 0x7FF0000000000000ull;
    static constexpr u64 SIGN = 0x8000000000000000ull;
};

FSZ_DEVICE u32 bits_of(float value) { return __float_as_uint(value); }

FSZ_DEVICE u64 bits_of(double value) { return static_cast<u64>(__double_as_longlong(value)); }

FSZ_DEVICE float value_of(u32 bits) { return __uint_as_float(bits); }

FSZ_DEVICE double value_of(u64 bits) { return __longlong_as_double(static_cast<i64>(bits)); }

} // namespace fsz
