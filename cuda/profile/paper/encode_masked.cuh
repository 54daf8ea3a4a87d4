// Four full tiles of a warp whose escaped elements all have the same bits: the land under an ocean
// model, the outside of a mask. They go the short way of encode_plain.cuh, once their codes have
// moved together.
#pragma once

#include "profile/paper/encode_payload.cuh"
#include "profile/paper/encode_plain.cuh"

namespace fsz
{

/// Takes an element's error into the largest, or its bit into `masked` when it has the bits `mask`.
/// The compiler would not make these three instructions of it.
FSZ_DEVICE void error_or_mask(float d, u32 mask, float miss, u32 bit, float &error, u32 &masked)
{
    asm("{\n.reg .pred is_masked;\n"
        "setp.eq.u32 is_masked, %2, %3;\n"
        "@is_masked or.b32 %1, %1, %5;\n"
        "@!is_masked max.NaN.f32 %0, %0, %4;\n}"
        : "+f"(error), "+r"(masked)
        : "r"(bits_of(d)), "r"(mask), "f"(miss), "r"(bit));
}

FSZ_DEVICE void error_or_mask(double d, u64 mask, double miss, u32 bit, double &error, u32 &masked)
{
    const bool is_masked = bits_of(d) == mask;
    masked |= is_masked ? bit : 0;
    error = worse(error, is_masked ? 0 : miss);
}

FSZ_DEVICE void quantize_or_mask(const float (&d)[4], const Quantizer<float> &z, u32 mask, u32 at,
                                 float *code, float (&error)[2], u32 &masked)
{
#pragma unroll
    for (u32 k = 0; k < 4; ++k)
    {
        code[k] = __fmaf_rn(d[k], z.inverse, ROUND);
        const float miss = fabsf(__fsub_rn(d[k], __fmul_rn(__fsub_rn(code[k], ROUND), z.step)));
        error_or_mask(d[k], mask, miss, 1u << (at + k), error[k % 2], masked);
    }
}

FSZ_DEVICE void quantize_or_mask(const double (&d)[2], const Quantizer<double> &z, u64 mask, u32 at,
                                 float *code, double (&error)[2], u32 &masked)
{
#pragma unroll
    for (u32 k = 0; k < 2; ++k)
    {
        const double rounded = __dadd_rn(__dmul_rn(d[k], z.inverse), ROUND_WIDE);
        code[k] = __int_as_float(__double2loint(rounded) + ROUND_BITS);
        const double miss =
            fabs(__dsub_rn(d[k], __dmul_rn(__dsub_rn(rounded, ROUND_WIDE), z.step)));
        error_or_mask(d[k], mask, miss, 1u << (at + k), error[k], masked);
    }
}

/// Takes an element into the extremes unless it has the bits `mask`. The compiler would select
/// before each extreme.
FSZ_DEVICE void take_unless(float d, u32 mask, Extremes<float> &extremes)
{
    asm("{\n.reg .pred is_masked;\n"
        "setp.eq.u32 is_masked, %2, %3;\n"
        "@!is_masked min.f32 %0, %0, %4;\n"
        "@!is_masked max.f32 %1, %1, %4;\n}"
        : "+f"(extremes.low), "+f"(extremes.high)
        : "r"(bits_of(d)), "r"(mask), "f"(d));
}

FSZ_DEVICE void take_unless(double d, u64 mask, Extremes<double> &extremes)
{
    extremes.take(bits_of(d) == mask ? value_of(Element<double>::QUIET_NAN) : d);
}

/// Whether elements that are equal to a missing value are so bit for bit, of one value at most.
template <class T> FSZ_DEVICE bool one_name(const Missing<T> &missing)
{
    return missing.count == 0 || (missing.count == 1 && value_of(missing.bits[0]) != 0);
}

/// As `quantize_plain`, but for elements with the bits `mask`, which are told in `masked`.
template <bool RANGES, class T>
FSZ_DEVICE T quantize_masked(const SharedRow<T> &row, const Quantizer<T> &z,
                             typename Element<T>::Bits mask, float (&code)[BLOCK], u32 &masked,
                             Extremes<T> &extremes)
{
    constexpr u32 PIECE = SharedRow<T>::PIECE;
    T error[2] = {0, 0};
    masked = 0;
#pragma unroll
    for (u32 piece = 0; piece < BLOCK / PIECE; ++piece)
    {
        T d[PIECE];
        row.load(piece, d);
        quantize_or_mask(d, z, mask, piece * PIECE, code + piece * PIECE, error, masked);
        if constexpr (RANGES)
        {
#pragma unroll
            for (u32 k = 0; k < PIECE; ++k)
            {
                take_unless(d[k], mask, extremes);
            }
        }
    }
    return worse(error[0], error[1]);
}

/// Where a lane's block is in its tile's chain.
struct Chain
{
    u32 block;
    /// Codes of the tile, and of those the block's.
    u32 length;
    u32 count;

    FSZ_DEVICE Chain(u32 length, u32 block) : block(block), length(length)
    {
        const i32 left = static_cast<i32>(length - BLOCK * block);
        count = static_cast<u32>(min(max(left, 0), static_cast<i32>(BLOCK)));
    }

    /// Continues a chain that ends in the block along its last line: that costs no variant a bit.
    FSZ_DEVICE void complete(float (&l)[BLOCK], float &slope) const
    {
        l[0] = count > 0 ? l[0] : 0.f;
        slope = count > 0 ? slope : 0.f;
        // The first code of a tile is no difference.
        l[1] = count > 1 ? l[1] : block > 0 ? l[0] : 0.f;
#pragma unroll
        for (u32 i = 2; i < BLOCK; ++i)
        {
            l[i] = i < count ? l[i] : l[i - 1];
        }
    }
};

FSZ_DEVICE void write_floats(u32 *codes, u32 lane, const float (&l)[BLOCK])
{
#pragma unroll
    for (u32 i = 0; i < BLOCK; i += 4)
    {
        *reinterpret_cast<float4 *>(codes + code_at(lane, i)) =
            make_float4(l[i], l[i + 1], l[i + 2], l[i + 3]);
    }
}

/// The kind of tiles that are not masked ones.
constexpr u32 NOT_MASKED = 3;

/// How four tiles are to be stored whose escaped elements all have the bits `mask`. The first
/// differences of their chains are left in `codes`, as floats. NOT_MASKED when they are not such
/// tiles: then `codes` holds nothing of use, and perhaps the elements no more. RANGES: it is not
/// known whether elements are within reach, nor their range.
template <bool RANGES, class T>
__device__ __noinline__ TilePlan<T>
plan_masked(const SharedRow<T> row, u32 *codes, const Quantizer<T> z,
            typename Element<T>::Bits mask, const Missing<T> &missing, Statistics *statistics)
{
    const u32 lane = lane_id();
    const u32 block = lane & 7;
    TilePlan<T> f{};
    f.kind = NOT_MASKED;
    float l[BLOCK];
    Extremes<T> extremes;
    const T error = quantize_masked<RANGES>(row, z, mask, l, f.masked, extremes);
    const bool far = RANGES && extremes.low <= extremes.high && !extremes.within(reach_of(z));
    if (!__all_sync(WARP_ALL, error <= z.limit && !far))
    {
        return f;
    }
    // Codes and run ends of the block, those of the blocks before it, and those of the tile: a tile
    // has at most 256 of each.
    const u32 mine = (BLOCK - __popc(f.masked)) | __popc(mask_ends(f.masked, ~0u, block)) << 16;
    const u32 before = tile_before(mine, block);
    const u32 all = tile_broadcast(before + mine, 7);
    const Chain chain(all & 0xFFFF, block);
    const u32 ends = all >> 16;
    __syncwarp();
    write_chains(codes, l, ~f.masked, before & 0xFFFF, lane);
    __syncwarp();
    // What is beyond the lane's count is of no meaning.
    read_codes<float4>(codes, lane, l);
    const PlainChoice choice = choose_plain(l, block, chain);
    if (!__all_sync(WARP_ALL, choice.rate <= PLAIN_RATE))
    {
        return f;
    }
    __syncwarp();
    write_floats(codes, lane, l);

    f.chain = chain.length;
    f.special = mask;
    f.kind = chain.length > 0 ? KIND_EXCEPTIONS : KIND_CONSTANT;
    f.pattern = chain.length < TILE ? pattern_of(mask, missing) : PATTERN_NAN;
    const u32 pattern_words = f.pattern == PATTERN_IN_PAYLOAD ? u32{Element<T>::WORDS} : 0;
    f.words = block_words(choice.rate);
    f.rate_byte = choice.rate;
    if (block == 0)
    {
        f.rate_byte |= (choice.order2 ? RATE_ORDER2 : 0) | (choice.centered ? RATE_CENTERED : 0);
        f.words += choice.centered;
    }
    // With codes this small no tile is longer than its elements.
    if (f.kind == KIND_CONSTANT)
    {
        f.words += block == 0 ? pattern_words : 0;
    }
    else if (chain.length < TILE)
    {
        f.run_ends = ends > RUN_ENDS_MAX ? MASK_BITMAP : ends;
        f.words += block == 7 ? pattern_words + mask_words(f.run_ends) : 0;
    }
    if (chain.length < TILE)
    {
        f.rate_byte |= escape_part(f.kind | f.pattern << 2 | f.run_ends << 4, block);
    }

    const u64 worst = warp_max(bits_of(error));
    const u32 masked = __reduce_add_sync(WARP_ALL, __popc(f.masked));
    if constexpr (RANGES)
    {
        take_extremes(extremes, reach_of(z), statistics);
    }
    if (lane == 0)
    {
        statistics->max_error = max(statistics->max_error, worst);
        statistics->escaped += masked;
        if constexpr (RANGES)
        {
            u64 &kind = missing.is(mask)         ? statistics->missing
                        : is_nan(value_of(mask)) ? statistics->nan
                                                 : statistics->inf;
            kind += masked;
        }
    }
    return f;
}

/// Takes the bits of elements that had to be masked otherwise for those to be expected.
template <class T>
FSZ_DEVICE void expect_mask(const TilePlan<T> &f, typename Element<T>::Bits &mask)
{
    const u32 with_mask = __ballot_sync(WARP_ALL, f.masked != 0);
    if (with_mask)
    {
        const auto bits = __shfl_sync(WARP_ALL, f.special, __ffs(with_mask) - 1);
        if (lane_id() == 0)
        {
            mask = bits;
        }
        __syncwarp();
    }
}

/// As `hash_escapes`, for tiles of `plan_masked`, which end at `tile_end`: a pattern and a mask, of
/// less than a row for each of their lanes.
template <class T, class Sink>
FSZ_DEVICE u32 hash_mask(const Sink &sink, const TilePlan<T> &plan, u32 tile_end, u32 number)
{
    static_assert(Element<T>::WORDS + BITMAP_WORDS <= TILE_BLOCKS * CHECKSUM_ROW, "a row a lane");
    const u32 lane = lane_id();
    const u32 pattern = plan.pattern == PATTERN_IN_PAYLOAD ? u32{Element<T>::WORDS} : 0;
    const u32 words = pattern + mask_words(plan.run_ends);
    const u32 tile = number * QUAD_TILES + lane / TILE_BLOCKS;
    __syncwarp();
    return hash_row(sink.from(tile_end - words), words, ESCAPE_ROWS_AT + ESCAPE_ROWS * tile,
                    lane % TILE_BLOCKS);
}

/// Writes what `plan_masked` found, as `pack_any` does.
template <class T, class Sink>
__device__ __noinline__ Hashed pack_masked(const Sink sink, const TilePlan<T> plan, u32 place,
                                           const u32 *codes, u32 number)
{
    const u32 lane = lane_id();
    const u32 block = lane & 7;
    const u32 top = tile_broadcast(plan.rate_byte);
    const Chain chain(plan.chain, block);
    PlainChoice choice;
    choice.order2 = top & RATE_ORDER2;
    choice.centered = top & RATE_CENTERED;
    choice.rate = plan.rate_byte & RATE_MASK;
    choice.slope =
        block > 0 && chain.count > 0 ? __uint_as_float(codes[code_at(lane - 1, 31)]) : 0.f;
    float l[BLOCK];
    read_codes<float4>(codes, lane, l);
    Hashed hashed{0, 0};
    u32 at = place;
    if (choice.centered && block == 0)
    {
        const u32 mu = static_cast<u32>(static_cast<i32>(l[0]));
        sink.put(at, mu);
        hashed.block = add_product(0, mu, CHECKSUM_MULTIPLIERS[MU_WORD]);
        ++at;
    }
    residuals_plain(l, choice, block);
    const bool wide = __any_sync(WARP_ALL, choice.rate > 7);
    hashed.block +=
        pack_plain(l, sink.block(at), choice.rate, wide, ~low_bits(BLOCK - chain.count));
    const u32 end = tile_broadcast(place + plan.words, 7);
    write_pattern(sink, plan, tile_broadcast(place));
    write_mask(sink, plan, end, ~0u);
    hashed.rows = hash_mask(sink, plan, end, number);
    return hashed;
}

} // namespace fsz
