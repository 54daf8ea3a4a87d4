// Four plain tiles, the common case: from staged payload to elements, with little else in the way.
#pragma once

#include "profile/paper/decode_quad.cuh"

namespace fsz
{

/// Elements of a block of full tiles, through the stage to `out`. False, and nothing done, when a
/// code of the warp is beyond what this arithmetic is exact for.
///
/// f32: differences and codes are whole numbers below 2^24, so float additions, which have a pipe
/// of their own, are exact.
template <class Residuals>
FSZ_DEVICE bool dequantize_plain(const Residuals &l, Start start, bool order2, double step,
                                 u32 *stage, float *out)
{
    const bool far = static_cast<u32>(start.code + (1 << 22)) >= 1u << 23 ||
                     static_cast<u32>(start.difference + (1 << 17)) >= 1u << 18;
    if (__any_sync(WARP_ALL, far))
    {
        return false;
    }
    const u32 lane = lane_id();
    const float unit = static_cast<float>(step), carry = order2 ? 1.f : 0.f;
    float code = static_cast<float>(start.code), difference = static_cast<float>(start.difference);
    float4 *row = reinterpret_cast<float4 *>(stage + lane * ROW);
#pragma unroll
    for (i32 j = 0; j < 8; ++j)
    {
        float v[4];
#pragma unroll
        for (i32 k = 0; k < 4; ++k)
        {
            difference = __fmaf_rn(carry, difference, l.real(4 * j + k));
            code = __fadd_rn(code, difference);
            v[k] = __fmul_rn(unit, code);
        }
        row[j] = make_float4(v[0], v[1], v[2], v[3]);
    }
    __syncwarp();
    store_rows(stage, reinterpret_cast<u8 *>(out), 128);
    __syncwarp();
    return true;
}

/// f64: codes as wrapping integers, made numbers by a subtraction (2^52 + 2^31 + q less 2^52 +
/// 2^31): exact for every code.
template <class Residuals>
FSZ_DEVICE bool dequantize_plain(const Residuals &l, Start start, bool order2, double step,
                                 u32 *stage, double *out)
{
    const u32 lane = lane_id(), carry = order2 ? 1 : 0;
    u32 code = static_cast<u32>(start.code) ^ 0x80000000,
        difference = static_cast<u32>(start.difference);
#pragma unroll
    for (i32 half = 0; half < 2; ++half)
    {
        double2 *row = reinterpret_cast<double2 *>(stage + lane * ROW);
#pragma unroll
        for (i32 j = 0; j < 8; ++j)
        {
            double v[2];
#pragma unroll
            for (i32 k = 0; k < 2; ++k)
            {
                difference = carry * difference + static_cast<u32>(l.at(16 * half + 2 * j + k));
                code += difference;
                const double number = __hiloint2double(0x43300000, static_cast<i32>(code));
                v[k] = __dmul_rn(step, __dadd_rn(number, -4503601774854144.0));
            }
            row[j] = make_double2(v[0], v[1]);
        }
        __syncwarp();
        store_rows(stage, reinterpret_cast<u8 *>(out + 16 * half), 256);
        __syncwarp();
    }
    return true;
}

/// The residuals of a thread's block, from the stage. `products` becomes that of its words, µ among
/// them. After the warp's next barrier the staged payload is no longer needed.
template <class Residuals>
FSZ_DEVICE Residuals unpack_staged(const Quad &quad, const u32 *payload, i32 &mu, u64 &products)
{
    mu = quad.centered() ? static_cast<i32>(payload[quad.tile_at()]) : 0;
    const Residuals l = unpack<Residuals>(payload + quad.block_at(), quad.rate(), products);
    products += product_of_mu(static_cast<u32>(mu));
    return l;
}

/// Finishes four plain tiles, and begins the next quad as soon as their payload is in registers.
/// Returns false, and has written nothing, when the warp's codes are beyond what `dequantize_plain`
/// is exact for.
template <class Residuals, class T, class Begin>
FSZ_DEVICE bool decode_plain(const Quad &quad, Stage &stage, T *out, u64 &products,
                             const Begin &begin_next)
{
    const bool order2 = quad.order2();
    i32 mu;
    const Residuals l = unpack_staged<Residuals>(quad, stage.payload, mu, products);
    __syncwarp();
    begin_next();
    const Start start = block_start(block_sums(l), order2, mu);
    return dequantize_plain(l, start, order2, stage.index.step, stage.rows, out);
}

} // namespace fsz
