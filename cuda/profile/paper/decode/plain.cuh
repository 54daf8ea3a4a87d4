// Four staged tiles, the common case: from payload to elements, with little else in the way.
#pragma once

#include "profile/paper/decode/quad.cuh"

namespace fsz
{

/// What comes to the rows of full tiles: elements. Nothing, when a code of the warp is beyond what
/// this arithmetic is exact for.
///
/// f32: differences and codes are whole numbers below 2^24, so float additions, which have a pipe
/// of their own, are exact. The last code of a block alone may be larger, by 31 · 2^17 + 496 ·
/// 16383 before it: that one addition is rounded as a conversion of the code would be.
template <class Residuals>
FSZ_DEVICE Rows fill_rows(const Residuals &l, Start start, const Quad &quad,
                          Stage<Multiples<float>> &stage)
{
    const bool far = static_cast<u32>(start.code + (1 << 22)) >= 1u << 23 ||
                     static_cast<u32>(start.difference + (1 << 17)) >= 1u << 18;
    if (__any_sync(WARP_ALL, far))
    {
        return Rows::NOTHING;
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
    return Rows::ELEMENTS;
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
            v[k] = values.bits(zero + code * stride);
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

/// The same with a pointwise-relative bound: elements of codes of one sign, else the codes.
template <class Residuals>
FSZ_DEVICE Rows fill_rows(const Residuals &l, Start start, const Quad &quad,
                          Stage<CurveValues<float>> &stage)
{
    u32 *const row = stage.rows + lane_id() * ROW;
    // Where neighbours begin with either sign, some block has codes of both.
    const bool sides = (start.code ^ __shfl_xor_sync(WARP_ALL, start.code, 1)) < 0;
    if (!__any_sync(WARP_ALL, sides))
    {
        const bool one = curve_one_sign(l, start, quad.order2() ? 1 : 0, stage.values, row);
        if (__all_sync(WARP_ALL, one))
        {
            return Rows::ELEMENTS;
        }
    }
    integrate(l, start, quad.order2(), row);
    return Rows::CODES;
}

/// The same for `f64`: codes as wrapping integers, which become elements on their way out. Unrolled
/// over a row, what makes elements of them would drive all else from the instruction cache.
template <class Residuals, class Values>
FSZ_DEVICE Rows fill_rows(const Residuals &l, Start start, const Quad &quad, Stage<Values> &stage)
{
    integrate(l, start, quad.order2(), stage.rows + lane_id() * ROW);
    return Rows::CODES;
}

/// Writes the rows of a quad without escapes to `out`: eight threads and four elements of each to a
/// block at a time.
template <class Values>
FSZ_DEVICE void write_rows(Rows held, const Stage<Values> &stage, typename Values::Value *out)
{
    if (ALWAYS_ELEMENTS<Values> || held == Rows::ELEMENTS)
    {
        store_rows(stage.rows, reinterpret_cast<u8 *>(out), 128);
        return;
    }
    const u32 lane = lane_id();
    const Values values = stage.values;
    const u32 *from = stage.rows + lane / 8 * ROW + 4 * (lane % 8);
    typename Values::Value *to = out + 4 * lane;
#pragma unroll 2
    for (u32 row = 0; row < 32; row += 4, from += 4 * ROW, to += 4 * BLOCK)
    {
        const uint4 codes = *reinterpret_cast<const uint4 *>(from);
        typename Values::Value v[4];
        values.of_four({codes.x, codes.y, codes.z, codes.w}, v);
        store_four(to, v);
    }
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

/// Brings four tiles to the rows.
template <class Residuals, class Values>
FSZ_DEVICE Rows decode_plain(const StagedBlock &block, const Quad &quad, Stage<Values> &stage)
{
    const Residuals l = block.residuals<Residuals>();
    const Start start = block_start(block_sums(l), quad.order2(), block.mu);
    return fill_rows(l, start, quad, stage);
}

} // namespace fsz
