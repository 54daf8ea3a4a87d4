// Four full tiles of a warp whose escaped elements all have the same bits: the land under an ocean
// model, the outside of a mask. What is left of them moves together first.
#pragma once

#include "profile/paper/encode/masked_chain.cuh"
#include "profile/paper/encode/payload.cuh"
#include "profile/paper/encode/range_watch.cuh"

namespace fsz
{

/// Whether elements that are equal to a missing value are so bit for bit, of one value at most.
template <class T> FSZ_DEVICE bool one_name(const Missing<T> &missing)
{
    return missing.count == 0 || (missing.count == 1 && value_of(missing.bits[0]) != 0);
}

/// The residuals of a chain's block, biased, and its variant.
struct MaskedChoice : Variant
{
    u32 residuals[PAIRS];
    /// Whether differences are so small that second ones are exact, and the rate is at most
    /// PLAIN_RATE.
    bool fits;
};

/// Chooses the variant of the tiles of a warp as `choose_plain` does, `count` being the codes of
/// the lane's block.
FSZ_DEVICE MaskedChoice choose_masked(const u32 (&codes)[PAIRS], i32 first, u32 block, u32 count)
{
    // Block 0 begins with a difference of 0, which is that of a centered tile.
    const u32 last = __shfl_up_sync(WARP_ALL, codes[PAIRS - 1], 1);
    const u32 before = block > 0 ? last : codes[0] >> 16;
    u32 one[PAIRS], two[PAIRS];
#pragma unroll
    for (u32 k = 1; k < PAIRS; ++k)
    {
        one[k] = pair_difference(codes[k], codes[k - 1]);
    }
    one[0] = pair_difference(codes[0], pair_before(codes[PAIRS - 1], before));
    // What ends before the block continues along its last line, which costs no variant a bit.
    const u32 slope_before = __shfl_up_sync(WARP_ALL, one[PAIRS - 1], 1);
    const u32 slope = block > 0 && count > 0 ? slope_before : PAIR_BIAS;
#pragma unroll
    for (u32 k = 1; k < PAIRS; ++k)
    {
        two[k] = pair_difference(one[k], one[k - 1]);
    }
    two[0] = pair_difference(one[0], pair_before(one[PAIRS - 1], slope));
    clear_number(two, count);

    // The first two residuals depend on the variant.
    u32 others[PAIRS];
#pragma unroll
    for (u32 k = 0; k < PAIRS; ++k)
    {
        others[k] = k < 2 ? pair_of(two[k], two[k]) : two[k];
    }
    const u32 first_most = largest_of_pairs(one), second_most = largest_of_pairs(others);
    const i32 mu = count > 0 ? first : 0;
    const i32 centered0 = high_number(one[0]), l0 = block > 0 ? centered0 : mu;
    const i32 l1 = count > 1 ? high_number(one[1]) : centered0;
    const i32 from = low_number(slope);
    const auto words_of = [](u32 most, u32 other, u32 another) {
        return static_cast<u32>(max(bits_of_number(max(max(most, other), another)) + 1, 0));
    };
    const u32 words1 = words_of(first_most, magnitude(l0), 0), words1c = words_of(first_most, 0, 0);
    const u32 words2 = words_of(second_most, magnitude(l0 - from), magnitude(l1 - l0));
    const u32 words2c =
        words_of(second_most, magnitude(centered0 - from), magnitude(l1 - centered0));
    MaskedChoice choice;
    static_cast<Variant &>(choice) = cheapest_variant(words1, words1c, words2, words2c);
    choice.fits = first_most < 0x4000 && choice.rate <= PLAIN_RATE;
#pragma unroll
    for (u32 k = 0; k < PAIRS; ++k)
    {
        choice.residuals[k] = choice.order2 ? two[k] : one[k];
    }
    const u32 start = block > 0 || choice.centered ? 0 : static_cast<u32>(mu) << 16;
    choice.residuals[0] += start;
    choice.residuals[1] -= choice.order2 ? start : 0;
    return choice;
}

/// Where the first code of each tile is kept, in words, behind the residuals of its blocks.
constexpr u32 FIRST_CODES = 32 * PAIRS;

/// The lane's residuals as they are kept from `plan_masked` to `pack_masked`.
FSZ_DEVICE uint4 *kept_residuals(u32 *codes, u32 lane, u32 piece)
{
    return reinterpret_cast<uint4 *>(codes) + 32 * piece + lane;
}

FSZ_DEVICE void keep_residuals(u32 *codes, u32 lane, const u32 (&x)[PAIRS])
{
#pragma unroll
    for (u32 k = 0; k < PAIRS; k += 4)
    {
        *kept_residuals(codes, lane, k / 4) = make_uint4(x[k], x[k + 1], x[k + 2], x[k + 3]);
    }
}

FSZ_DEVICE void fetch_residuals(u32 *codes, u32 lane, u32 (&x)[PAIRS])
{
#pragma unroll
    for (u32 k = 0; k < PAIRS; k += 4)
    {
        const uint4 four = *kept_residuals(codes, lane, k / 4);
        x[k] = four.x;
        x[k + 1] = four.y;
        x[k + 2] = four.z;
        x[k + 3] = four.w;
    }
}

/// The kind of tiles that are not masked ones.
constexpr u32 NOT_MASKED = 3;

/// How four tiles are to be stored whose escaped elements all have the bits `mask`. The residuals
/// of their chains are left in `codes`, where the elements were. NOT_MASKED when they are not such
/// tiles: then `codes` holds nothing of use. RANGES: it is not known whether elements are within
/// reach, nor their range.
template <bool RANGES, class T>
__device__ __noinline__ TilePlan<T>
plan_masked(const SharedRow<T> row, u32 *codes, const Quantizer<T> z,
            typename Element<T>::Bits mask, const Missing<T> &missing, Statistics *statistics)
{
    const u32 lane = lane_id();
    const u32 block = lane & 7;
    TilePlan<T> f{};
    f.kind = NOT_MASKED;
    const u32 pattern = pattern_of(mask, missing);
    T d[BLOCK];
#pragma unroll
    for (u32 piece = 0; piece < BLOCK / SharedRow<T>::PIECE; ++piece)
    {
        T part[SharedRow<T>::PIECE];
        row.load(piece, part);
#pragma unroll
        for (u32 k = 0; k < SharedRow<T>::PIECE; ++k)
        {
            const u32 i = piece * SharedRow<T>::PIECE + k;
            d[i] = part[k];
            mask_if(bits_of(d[i]), mask, 1u << i, f.masked);
        }
    }
    const u32 coded = ~f.masked;
    // Codes and run ends of the block, those of the blocks before it, and those of the tile: a tile
    // has at most 256 of each.
    const u32 mine = __popc(coded) | __popc(mask_ends(f.masked, ~0u, block)) << 16;
    const u32 before = tile_before(mine, block);
    const u32 all = tile_broadcast(before + mine, 7);
    const u32 length = all & 0xFFFF, ends = all >> 16;
    const u32 count = codes_of_block(length, block);
    // Behind the end of a chain stands its last element; where it has none, one of another.
    const u32 with = __ballot_sync(WARP_ALL, coded != 0);
    const u32 here = with & 0xFFu << (lane & 24);
    const T last = row(31 - __clz(coded | 1));
    const T some = __shfl_sync(WARP_ALL, last, 31 - __clz((here ? here : with) | 1));
    const T end = with ? some : 0;
    const Columns<T> columns(codes);
    __syncwarp();
    columns.fill(end, lane);
    __syncwarp();
    columns.write(d, coded, before & 0xFFFF, lane);
    __syncwarp();
    MaskedBlock<T> chain;
    Extremes<T> extremes;
    if constexpr (RANGES)
    {
        typename RangeWatch<T>::Any range;
        quantize_columns(columns, z, Window<T>(end, z), lane, chain, range);
        extremes = with ? range.extremes() : extremes;
    }
    else
    {
        NoRange none;
        quantize_columns(columns, z, Window<T>(end, z), lane, chain, none);
    }
    const MaskedChoice choice = choose_masked(chain.codes, chain.first, block, count);
    const bool far = RANGES && extremes.low <= extremes.high && !extremes.within(reach_of(z));
    // Whichever way the tiles go, lanes write where others have read.
    __syncwarp();
    if (!__all_sync(WARP_ALL, chain.error <= z.limit && chain.fits && choice.fits && !far))
    {
        return f;
    }
    keep_residuals(codes, lane, choice.residuals);
    codes[FIRST_CODES + lane] = static_cast<u32>(chain.first);

    f.chain = length;
    f.special = mask;
    f.kind = length > 0 ? KIND_EXCEPTIONS : KIND_CONSTANT;
    f.pattern = length < TILE ? pattern : PATTERN_NAN;
    f.run_ends = length == 0 ? 0 : ends > RUN_ENDS_MAX ? MASK_BITMAP : ends;
    f.words = choice.words;
    f.rate_byte = choice.rate;
    if (block == 0)
    {
        f.rate_byte |= (choice.order2 ? RATE_ORDER2 : 0) | (choice.centered ? RATE_CENTERED : 0);
        f.words += choice.centered;
    }
    // With codes this small no tile is longer than its elements.
    const u32 pattern_words = f.pattern == PATTERN_IN_PAYLOAD ? u32{Element<T>::WORDS} : 0;
    f.words += block == (length == 0 ? 0 : 7) ? pattern_words + mask_words(f.run_ends) : 0;
    const u32 escapes = escape_part(f.kind | f.pattern << 2 | f.run_ends << 4, block);
    f.rate_byte |= length < TILE ? escapes : 0;

    const u64 worst = warp_max(bits_of(chain.error));
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
                                           u32 *codes, u32 number)
{
    const u32 lane = lane_id();
    const u32 block = lane & 7;
    const u32 top = tile_broadcast(plan.rate_byte);
    const u32 rate = plan.rate_byte & RATE_MASK;
    u32 residuals[PAIRS];
    fetch_residuals(codes, lane, residuals);
    Hashed hashed{0, 0};
    u32 at = place;
    if ((top & RATE_CENTERED) && block == 0)
    {
        const u32 mu = codes[FIRST_CODES + lane];
        sink.put(at, mu);
        hashed.block = add_product(0, mu, CHECKSUM_MULTIPLIERS[MU_WORD]);
        ++at;
    }
    const bool wide = __any_sync(WARP_ALL, rate > 7);
    const u32 count = codes_of_block(plan.chain, block);
    hashed.block += pack_pairs(residuals, sink.block(at), rate, wide, ~low_bits(BLOCK - count));
    const u32 end = tile_broadcast(place + plan.words, 7);
    write_pattern(sink, plan, tile_broadcast(place));
    write_mask(sink, plan, end, ~0u);
    hashed.rows = hash_mask(sink, plan, end, number);
    return hashed;
}

} // namespace fsz
