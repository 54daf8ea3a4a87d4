// Four tiles of a warp whose elements all have small codes: the short way through quantize,
// predict, choose and pack, in the registers of the lanes and mostly in floats. Whatever does not
// fit goes through any.cuh.
#pragma once

#include "profile/paper/encode/codes.cuh"

namespace fsz
{

/// Largest rate that `pack_plain` packs.
constexpr u32 PLAIN_RATE = 15;

/// The larger of two errors; NaN when one is.
FSZ_DEVICE float worse(float a, float b)
{
    float out;
    asm("max.NaN.f32 %0, %1, %2;" : "=f"(out) : "f"(a), "f"(b));
    return out;
}

FSZ_DEVICE double worse(double a, double b)
{
    // Neither is negative, so their bits order as they do, with NaN above all.
    return bits_of(a) > bits_of(b) ? a : b;
}

/// The largest of three numbers that are not negative, by bits that order as they do, with NaN
/// above all: the device has maxima of three integers.
FSZ_DEVICE float largest_of(float a, float b, float c)
{
    return value_of(max(max(bits_of(a), bits_of(b)), bits_of(c)));
}

FSZ_DEVICE double largest_of(double a, double b, double c) { return worse(worse(a, b), c); }

/// Codes of one piece of a row, with ROUND added, and the largest error so far.
FSZ_DEVICE void quantize_piece(const float (&d)[4], const Quantizer<float> &z, float *code,
                               float &error)
{
    float pair[2];
#pragma unroll
    for (u32 k = 0; k < 4; k += 2)
    {
        float own[2];
#pragma unroll
        for (u32 j = 0; j < 2; ++j)
        {
            code[k + j] = __fmaf_rn(d[k + j], z.inverse, ROUND);
            const float rebuilt = __fmul_rn(__fsub_rn(code[k + j], ROUND), z.step);
            own[j] = fabsf(__fsub_rn(d[k + j], rebuilt));
        }
        pair[k / 2] = worse(own[0], own[1]);
    }
    error = largest_of(pair[0], pair[1], error);
}

FSZ_DEVICE void quantize_piece(const double (&d)[2], const Quantizer<double> &z, float *code,
                               double &error)
{
    double own[2];
#pragma unroll
    for (u32 k = 0; k < 2; ++k)
    {
        const double rounded = __dadd_rn(__dmul_rn(d[k], z.inverse), ROUND_WIDE);
        code[k] = __int_as_float(__double2loint(rounded) + ROUND_BITS);
        const double rebuilt = __dmul_rn(__dsub_rn(rounded, ROUND_WIDE), z.step);
        own[k] = fabs(__dsub_rn(d[k], rebuilt));
    }
    error = worse(worse(own[0], own[1]), error);
}

/// The smaller, or larger, of a number and an element, which may be NaN: then it is the number.
FSZ_DEVICE float smaller_of(float number, float d) { return fminf(number, d); }

FSZ_DEVICE float larger_of(float number, float d) { return fmaxf(number, d); }

// A comparison and two selections; fmin and fmax, which care for NaN on both sides, take more.
FSZ_DEVICE double smaller_of(double number, double d) { return d < number ? d : number; }

FSZ_DEVICE double larger_of(double number, double d) { return d > number ? d : number; }

/// The smallest and the largest of a lane's elements; infinities of the wrong sign when it has
/// none.
template <class T> struct Extremes
{
    T low = value_of(Element<T>::INFINITE);
    T high = value_of(Element<T>::INFINITE | Element<T>::SIGN);

    /// NaN changes nothing.
    FSZ_DEVICE void take(T d)
    {
        low = smaller_of(low, d);
        high = larger_of(high, d);
    }

    template <u32 LEN> FSZ_DEVICE void take(const T (&d)[LEN])
    {
#pragma unroll
        for (u32 k = 0; k < LEN; ++k)
        {
            take(d[k]);
        }
    }

    /// As what has them by other means.
    FSZ_DEVICE const Extremes &extremes() const { return *this; }

    FSZ_DEVICE bool within(T reach) const { return high <= reach && low >= -reach; }
};

/// Takes the lanes' extremes into the warp's statistics, of lanes that have some within `reach`.
template <class T>
FSZ_DEVICE void take_extremes(const Extremes<T> &extremes, T reach, Statistics *statistics)
{
    using Bits = typename Element<T>::Bits;
    const bool taken = extremes.within(reach) && extremes.low <= extremes.high;
    const Bits max_key = warp_max(taken ? order_key(extremes.high) : 0);
    const Bits min_key = warp_max(taken ? static_cast<Bits>(~order_key(extremes.low)) : 0);
    if (lane_id() == 0)
    {
        statistics->max_key = max(statistics->max_key, static_cast<u64>(max_key));
        statistics->min_key = max(statistics->min_key, static_cast<u64>(min_key));
    }
}

/// Takes no notice of elements.
struct NoRange
{
    template <class T, u32 LEN> FSZ_DEVICE void take(const T (&)[LEN]) {}
};

/// Quantizes the lane's block. `code` holds ROUND + q where codes are within FUSED_REACH. Returns
/// the largest error: NaN when an element is not finite. `range` takes the elements in.
template <class T, class Range>
FSZ_DEVICE T quantize_plain(const SharedRow<T> &row, const Quantizer<T> &z, float (&code)[BLOCK],
                            Range &range)
{
    T error = 0;
#pragma unroll
    for (u32 piece = 0; piece < BLOCK / SharedRow<T>::PIECE; ++piece)
    {
        T d[SharedRow<T>::PIECE];
        row.load(piece, d);
        quantize_piece(d, z, code + piece * SharedRow<T>::PIECE, error);
        range.take(d);
    }
    return error;
}

/// A magnitude whose code is a little below FUSED_REACH, or infinity.
template <class T> FSZ_DEVICE T reach_or_more(const Quantizer<T> &z)
{
    return z.step * static_cast<T>(4194000);
}

/// The same, which is finite.
template <class T> FSZ_DEVICE T reach_of(const Quantizer<T> &z)
{
    return smaller(reach_or_more(z), value_of(Element<T>::INFINITE - 1));
}

/// Whether each missing value is NaN or so large that it is told from elements within `reach`.
template <class T> FSZ_DEVICE bool names_are_beyond(const Missing<T> &missing, T reach)
{
    bool beyond = true;
    for (u32 m = 0; m < missing.count; ++m)
    {
        const T name = value_of(missing.bits[m]);
        beyond &= !(larger(name, -name) <= reach) || is_nan(name);
    }
    return beyond;
}

/// Whether none of the warp's elements equals a missing value (if only in value: 0 equals −0).
template <class T>
__device__ __noinline__ bool has_no_name(const SharedRow<T> row, const Missing<T> &missing)
{
    bool none = true;
#pragma unroll 1
    for (u32 m = 0; m < missing.count; ++m)
    {
        const T name = value_of(missing.bits[m]);
#pragma unroll
        for (u32 piece = 0; piece < BLOCK / SharedRow<T>::PIECE; ++piece)
        {
            T d[SharedRow<T>::PIECE];
            row.load(piece, d);
#pragma unroll
            for (u32 k = 0; k < SharedRow<T>::PIECE; ++k)
            {
                none &= d[k] != name;
            }
        }
    }
    return __all_sync(WARP_ALL, none);
}

/// Those of the lane's block. Called where they are seldom looked for.
template <class T> __device__ __noinline__ Extremes<T> exact_extremes(const SharedRow<T> row)
{
    Extremes<T> extremes;
#pragma unroll
    for (u32 piece = 0; piece < BLOCK / SharedRow<T>::PIECE; ++piece)
    {
        T d[SharedRow<T>::PIECE];
        row.load(piece, d);
        extremes.take(d);
    }
    return extremes;
}

/// Whether the warp's elements are all within reach. NaN is left to `quantize_plain`.
template <class T> FSZ_DEVICE bool is_within_reach(const SharedRow<T> &row, const Quantizer<T> &z)
{
    return __all_sync(WARP_ALL, exact_extremes(row).within(reach_of(z)));
}

/// The larger magnitude of two numbers.
FSZ_DEVICE float larger_size(float a, float b) { return fmaxf(fabsf(a), fabsf(b)); }

/// Words of a block (`block_words`) whose largest magnitude is a whole number below 2^24.
FSZ_DEVICE u32 words_of_float(float magnitude)
{
    return static_cast<u32>(max(static_cast<i32>(__float_as_uint(magnitude) >> 23) - 125, 0));
}

/// How a tile is coded, and the words and the rate of the lane's block.
struct Variant
{
    bool order2;
    bool centered;
    u32 words;
    u32 rate;
};

/// A tile's variant and what follows from it for the lane's block.
struct PlainChoice : Variant
{
    /// The tile's first code.
    float mu;
    /// The last first difference of the block before.
    float slope;
};

/// The variant of a tile that takes the fewest words, by those that the lane's block has in each:
/// of first and second order, and centered.
FSZ_DEVICE Variant cheapest_variant(u32 words1, u32 words1c, u32 words2, u32 words2c)
{
    Variant variant;
    const u32 plain = tile_sum(words1 | words2 << 16);
    const u32 centered = tile_sum(words1c | words2c << 16);
    const u32 best = min(min((plain & 0xFFFF) * 4, (plain >> 16) * 4 + 1),
                         min((centered & 0xFFFF) * 4 + 6, (centered >> 16) * 4 + 7));
    variant.order2 = best & 1;
    variant.centered = best & 2;
    variant.words = variant.centered ? (variant.order2 ? words2c : words1c)
                                     : (variant.order2 ? words2 : words1);
    variant.rate = variant.words - min(variant.words, 1u);
    return variant;
}

/// Nothing follows a whole chain.
struct WholeChain
{
    FSZ_DEVICE void complete(float (&)[BLOCK], float &) const {}
};

/// Takes codes (with `zero` added) to first differences, in place, and chooses the tile's variant.
/// `chain` completes differences where the chain ends in the block.
template <class Chain = WholeChain>
FSZ_DEVICE PlainChoice choose_plain(float (&l)[BLOCK], u32 block, float zero,
                                    const Chain &chain = {})
{
    PlainChoice choice;
    const float q0 = __fsub_rn(l[0], zero);
    float before = __shfl_up_sync(WARP_ALL, l[31], 1);
    before = block == 0 ? zero : before;
#pragma unroll
    for (u32 i = 31; i > 0; --i)
    {
        l[i] = __fsub_rn(l[i], l[i - 1]);
    }
    l[0] = __fsub_rn(l[0], before);
    choice.slope = __shfl_up_sync(WARP_ALL, l[31], 1);
    choice.slope = block == 0 ? 0.f : choice.slope;
    choice.mu = q0;
    chain.complete(l, choice.slope);

    // Largest magnitudes, of pairs first; the first two residuals depend on the variant.
    const float centered0 = block == 0 ? 0.f : l[0];
    float first = larger_size(centered0, l[1]), second = 0;
#pragma unroll
    for (u32 i = 2; i < BLOCK; i += 4)
    {
        float one[2] = {0, 0}, two[2] = {0, 0};
#pragma unroll
        for (u32 k = i; k < min(i + 4, BLOCK); k += 2)
        {
            one[(k - i) / 2] = larger_size(l[k], l[k + 1]);
            two[(k - i) / 2] = larger_size(__fsub_rn(l[k], l[k - 1]), __fsub_rn(l[k + 1], l[k]));
        }
        first = largest_of(one[0], one[1], first);
        second = largest_of(two[0], two[1], second);
    }
    const auto with = [](float most, float a, float b) {
        return words_of_float(largest_of(most, fabsf(a), fabsf(b)));
    };
    const u32 words1 = with(first, l[0], 0), words1c = words_of_float(first);
    const u32 words2 = with(second, __fsub_rn(l[0], choice.slope), __fsub_rn(l[1], l[0]));
    const u32 words2c =
        with(second, __fsub_rn(centered0, choice.slope), __fsub_rn(l[1], centered0));
    static_cast<Variant &>(choice) = cheapest_variant(words1, words1c, words2, words2c);
    return choice;
}

/// Takes first differences to the residuals of the choice, in place.
FSZ_DEVICE void residuals_plain(float (&l)[BLOCK], const PlainChoice &choice, u32 block)
{
    if (choice.centered && block == 0)
    {
        l[0] = 0;
    }
    // A factor instead of a branch: lanes of a warp may have chosen differently.
    const float factor = choice.order2 ? -1.f : 0.f;
#pragma unroll
    for (u32 i = 31; i > 0; --i)
    {
        l[i] = __fmaf_rn(factor, l[i - 1], l[i]);
    }
    l[0] = __fmaf_rn(factor, choice.slope, l[0]);
}

/// Packs the lane's block of residuals from `out` on, as `store_planes`. `wide`: some lane's rate
/// is above 7.
FSZ_DEVICE u64 pack_plain(const float (&l)[BLOCK], u32 *out, u32 rate, bool wide)
{
    u32 sign;
    if (!wide)
    {
        u32 planes[7];
        planes7(l, sign, planes);
        return store_planes<7>(out, rate, sign, planes);
    }
    u32 planes[15];
    planes15(l, sign, planes);
    return store_planes<15>(out, rate, sign, planes);
}

/// The same for residuals of any codes within FUSED_REACH, which need 24 bits at most.
FSZ_DEVICE u64 pack_tall(const float (&l)[BLOCK], u32 *out, u32 rate)
{
    i32 residual[BLOCK];
#pragma unroll
    for (u32 i = 0; i < BLOCK; ++i)
    {
        residual[i] = __float2int_rn(l[i]);
    }
    u32 planes[BLOCK];
    planes31(residual, planes);
    return store_planes<24>(out, rate, planes[31], planes);
}

} // namespace fsz
