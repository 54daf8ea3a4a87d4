// Four staged tiles, the common case: from payload to elements, with little else in the way.
#pragma once

#include "profile/paper/decode_quad.cuh"

namespace fsz
{

/// Elements of a block of full tiles, through the stage to `out`; `write` writes those of quads
/// with escapes. False, and nothing done, when a code of the warp is beyond what this arithmetic is
/// exact for.
///
/// f32: differences and codes are whole numbers below 2^24, so float additions, which have a pipe
/// of their own, are exact. The last code of a block alone may be larger, by 31 · 2^17 + 496 ·
/// 16383 before it: that one addition is rounded as a conversion of the code would be.
template <class Residuals, class Write>
FSZ_DEVICE bool dequantize_plain(const Residuals &l, Start start, const Quad &quad,
                                 Stage<Multiples<float>> &stage, float *out, const Write &write)
{
    const bool far = static_cast<u32>(start.code + (1 << 22)) >= 1u << 23 ||
                     static_cast<u32>(start.difference + (1 << 17)) >= 1u << 18;
    if (__any_sync(WARP_ALL, far))
    {
        return false;
    }
    const u32 lane = lane_id();
    const float unit = stage.values.step, carry = quad.order2() ? 1.f : 0.f;
    float code = static_cast<float>(start.code), difference = static_cast<float>(start.difference);
    float4 *row = reinterpret_cast<float4 *>(stage.rows + lane * ROW);
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
    if (quad.escapes)
    {
        write();
    }
    else
    {
        store_rows(stage.rows, reinterpret_cast<u8 *>(out), 128);
    }
    __syncwarp();
    return true;
}

/// The row of a block whose codes are all logarithmic and of one sign. False when they are not:
/// then the row holds nothing of use.
template <class Residuals>
FSZ_DEVICE bool curve_one_sign(const Residuals &l, Start start, u32 carry,
                               const CurveValues<float> &values, u32 *row)
{
    u32 code = static_cast<u32>(start.code), difference = static_cast<u32>(start.difference);
    const i32 head = static_cast<i32>(code + carry * difference + static_cast<u32>(l.at(0)));
    // A pattern takes its sign along.
    const u32 zero = values.zero ^ (static_cast<u32>(head) & Element<float>::SIGN);
    const u32 stride = head < 0 ? 0 - values.stride : values.stride;
    i32 least = head, most = head;
#pragma unroll
    for (i32 j = 0; j < 8; ++j)
    {
        u32 v[4];
#pragma unroll
        for (i32 k = 0; k < 4; ++k)
        {
            difference = carry * difference + static_cast<u32>(l.at(4 * j + k));
            code += difference;
            least = min(least, static_cast<i32>(code));
            most = max(most, static_cast<i32>(code));
            v[k] = Octave<float>::bits(zero + code * stride, values.bend);
        }
        reinterpret_cast<uint4 *>(row)[j] = make_uint4(v[0], v[1], v[2], v[3]);
    }
    const u32 nearest = head < 0 ? 0 - static_cast<u32>(most) : static_cast<u32>(least);
    const u32 furthest = head < 0 ? 0 - static_cast<u32>(least) : static_cast<u32>(most);
    const u32 base = values.zero + (values.knee + 1) * values.stride;
    const u32 beyond = furthest - (values.knee + 1);
    return static_cast<i32>(nearest) > static_cast<i32>(values.knee) &&
           base <= Element<float>::INFINITE && high_word(beyond, values.stride) == 0 &&
           beyond * values.stride <= Element<float>::INFINITE - base;
}

/// The row of a block of any codes.
template <class Residuals>
__device__ __noinline__ void curve_any(const Residuals l, Start start, u32 carry,
                                       const CurveValues<float> &of, u32 *row)
{
    const CurveValues<float> values = of;
    u32 code = static_cast<u32>(start.code), difference = static_cast<u32>(start.difference);
#pragma unroll
    for (i32 j = 0; j < 8; ++j)
    {
        float v[4];
        i32 q[4];
        bool linear = false;
#pragma unroll
        for (i32 k = 0; k < 4; ++k)
        {
            difference = carry * difference + static_cast<u32>(l.at(4 * j + k));
            code += difference;
            q[k] = static_cast<i32>(code);
            const bool is_linear = values.is_linear(q[k]);
            v[k] = is_linear ? 0.f : values.logarithmic(q[k]);
            linear = linear || is_linear;
        }
        // Without a knee only 0 is linear.
        if (values.knee > 0 && __any_sync(WARP_ALL, linear))
        {
#pragma unroll
            for (i32 k = 0; k < 4; ++k)
            {
                v[k] = values.is_linear(q[k]) ? values.linear(q[k]) : v[k];
            }
        }
        reinterpret_cast<float4 *>(row)[j] = make_float4(v[0], v[1], v[2], v[3]);
    }
}

/// The same for codes as wrapping integers, which serves every code.
template <class Residuals, class Write>
FSZ_DEVICE bool dequantize_plain(const Residuals &l, Start start, const Quad &quad,
                                 Stage<CurveValues<float>> &stage, float *out, const Write &write)
{
    u32 *const row = stage.rows + lane_id() * ROW;
    const u32 carry = quad.order2() ? 1 : 0;
    // Where neighbours begin with either sign, some block has codes of both.
    const bool sides = (start.code ^ __shfl_xor_sync(WARP_ALL, start.code, 1)) < 0;
    if (__any_sync(WARP_ALL, sides) ||
        !__all_sync(WARP_ALL, curve_one_sign(l, start, carry, stage.values, row)))
    {
        curve_any(l, start, carry, stage.values, row);
    }
    __syncwarp();
    if (quad.escapes)
    {
        write();
    }
    else
    {
        store_rows(stage.rows, reinterpret_cast<u8 *>(out), 128);
    }
    __syncwarp();
    return true;
}

/// The element of a code, of which the highest bit is flipped: made a number by a subtraction (2^52
/// + 2^31 + q less 2^52 + 2^31), exact for every code.
FSZ_DEVICE double of_flipped(const Multiples<double> &values, u32 code)
{
    const double number = __hiloint2double(0x43300000, static_cast<i32>(code));
    return __dmul_rn(values.step, __dadd_rn(number, -4503601774854144.0));
}

FSZ_DEVICE double of_flipped(const CurveValues<double> &values, u32 code)
{
    return values.of(static_cast<i32>(code ^ 0x80000000));
}

/// f64: codes as wrapping integers.
template <class Values, class Residuals, class Write>
FSZ_DEVICE bool dequantize_plain(const Residuals &l, Start start, const Quad &quad,
                                 Stage<Values> &stage, double *out, const Write &write)
{
    if (quad.escapes)
    {
        // A row has no room for the elements of a block.
        integrate(l, start, quad.order2(), stage.rows + lane_id() * ROW);
        __syncwarp();
        write();
        __syncwarp();
        return true;
    }
    const u32 lane = lane_id(), carry = quad.order2() ? 1 : 0;
    const Values values = stage.values;
    u32 code = static_cast<u32>(start.code) ^ 0x80000000,
        difference = static_cast<u32>(start.difference);
#pragma unroll
    for (i32 half = 0; half < 2; ++half)
    {
        double2 *row = reinterpret_cast<double2 *>(stage.rows + lane * ROW);
#pragma unroll
        for (i32 j = 0; j < 8; ++j)
        {
            double v[2];
#pragma unroll
            for (i32 k = 0; k < 2; ++k)
            {
                difference = carry * difference + static_cast<u32>(l.at(16 * half + 2 * j + k));
                code += difference;
                v[k] = of_flipped(values, code);
            }
            row[j] = make_double2(v[0], v[1]);
        }
        __syncwarp();
        store_rows(stage.rows, reinterpret_cast<u8 *>(out + 16 * half), 256);
        __syncwarp();
    }
    return true;
}

/// A block's words as they are staged: of rates up to 7, `x` has seven.
struct StagedBlock
{
    u32 sign;
    u32 x[Medium::PLANES];
    i32 mu;
    /// The products of them all.
    u64 products;

    /// Takes the planes FROM to TO - 1 of a block of rate `rate` in, whose sign word is `words`.
    template <u32 FROM, u32 TO> FSZ_DEVICE void load(const u32 *words, u32 rate)
    {
#pragma unroll
        for (u32 k = FROM; k < TO; ++k)
        {
            x[k] = k < rate ? words[1 + k] : 0;
            products = add_product(products, x[k], CHECKSUM_MULTIPLIERS[k + 1]);
        }
    }

    /// Takes the thread's block in. `wide`: some rate of the warp is above 7. After the warp's next
    /// barrier the staged payload is no longer needed.
    FSZ_DEVICE void load(const Quad &quad, const u32 *payload, bool wide)
    {
        mu = quad.centered() ? static_cast<i32>(payload[quad.tile_at()]) : 0;
        const u32 *const words = payload + quad.block_at();
        sign = quad.rate() > 0 ? words[0] : 0;
        products = add_product(product_of_mu(static_cast<u32>(mu)), sign, CHECKSUM_MULTIPLIERS[0]);
        load<0, Narrow::PLANES>(words, quad.rate());
        if (wide)
        {
            load<Narrow::PLANES, Medium::PLANES>(words, quad.rate());
        }
    }

    template <class Residuals> FSZ_DEVICE Residuals residuals() const
    {
        Residuals l;
#pragma unroll
        for (u32 k = 0; k < Residuals::PLANES; ++k)
        {
            l.x[k] = x[k];
        }
        l.ready(sign);
        return l;
    }
};

/// Finishes four tiles. Returns false, and has written nothing, when the warp's codes are beyond
/// what `dequantize_plain` is exact for.
template <class Residuals, class Values, class Write>
FSZ_DEVICE bool decode_plain(const StagedBlock &block, const Quad &quad, Stage<Values> &stage,
                             typename Values::Value *out, const Write &write)
{
    const Residuals l = block.residuals<Residuals>();
    const Start start = block_start(block_sums(l), quad.order2(), block.mu);
    return dequantize_plain(l, start, quad, stage, out, write);
}

} // namespace fsz
