// The numbers of quantization, and what a thread asks of an element (FORMAT.md, Quantize).
#pragma once

#include "device/types.cuh"

namespace fsz
{

/// The numbers that turn elements into codes and back (FORMAT.md, Quantize).
template <class T> struct Quantizer
{
    using Value = T;
    /// The error of an element.
    using Error = T;
    /// Whether the bound is pointwise-relative.
    static constexpr bool RELATIVE = false;

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

template <class T> FSZ_DEVICE bool is_number(T d)
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

FSZ_DEVICE float magnitude_of(float d) { return fabsf(d); }

FSZ_DEVICE double magnitude_of(double d) { return fabs(d); }

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

} // namespace fsz
