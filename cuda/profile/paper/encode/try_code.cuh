// The code of an element, if it has one, with an absolute bound (FORMAT.md, Quantize).
#pragma once

#include "encode/quantizer.cuh"

namespace fsz
{

/// The code of `d`, its error, and whether `q` is the code. Without branches. True in `far` when it
/// might be one but this way does not tell.
FSZ_DEVICE bool try_code(float d, const Quantizer<float> &z, i32 &q, float &error, bool &far)
{
    const float code = __fmaf_rn(d, z.inverse, ROUND);
    const float whole = __fsub_rn(code, ROUND);
    // False for NaN, and for what is too large to be rounded this way: that comes out at 2^22 or
    // more.
    const bool near = fabsf(whole) <= FUSED_REACH;
    q = __float_as_int(code) - ROUND_BITS;
    error = fabsf(__fsub_rn(d, __fmul_rn(whole, z.step)));
    far = !near;
    return near && error <= z.limit;
}

FSZ_DEVICE bool try_code(double d, const Quantizer<double> &z, i32 &q, double &error, bool &far)
{
    const double scaled = __dmul_rn(d, z.inverse);
    const double code = __dadd_rn(scaled, ROUND_WIDE);
    const double whole = __dsub_rn(code, ROUND_WIDE);
    q = __double2loint(code);
    error = fabs(__dsub_rn(d, __dmul_rn(whole, z.step)));
    far = false;
    return fabs(scaled) <= CODE_MAX + 0.5 && fabs(whole) <= CODE_MAX && error <= z.limit;
}

/// The code of an element beyond FUSED_REACH.
FSZ_DEVICE bool far_code(float d, const Quantizer<float> &z, i32 &q, float &error)
{
    const double scaled = __dmul_rn(d, z.inverse);
    if (!(fabs(scaled) <= CODE_MAX + 0.5))
    {
        return false;
    }
    q = __double2int_rn(scaled);
    error = fabsf(__fsub_rn(d, __fmul_rn(__int2float_rn(q), z.step)));
    return abs(q) <= CODE_MAX && error <= z.limit;
}

} // namespace fsz
