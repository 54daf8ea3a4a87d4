// Any four tiles of a warp, whatever they hold: how they are to be stored (FORMAT.md, Choose and
// Escapes). A lane has a block, eight lanes a tile. `plan_any` says how long the payload will be;
// `pack_any` of payload.cuh writes it once its place is known. Tiles that need none of this
// take the shorter way of plain.cuh.
#pragma once

#include "encode/arguments.cuh"
#include "profile/paper/encode/classify.cuh"
#include "profile/paper/encode/codes.cuh"
#include "profile/paper/tile_head.cuh"

namespace fsz
{

/// What a lane knows of its block and its tile when the analysis is done.
template <class T> struct TilePlan
{
    /// The block's rate byte, whole.
    u32 rate_byte;
    /// Payload words that begin at the lane's place: its block (after µ in block 0); in block 7
    /// also what follows the blocks; its elements in a verbatim tile.
    u32 words;
    /// Elements in the tile's chain.
    u32 chain;
    /// Bit i: element i of the block is masked, or listed.
    u32 masked;
    u32 listed;
    /// KIND_EXCEPTIONS also for a tile without escapes.
    u32 kind;
    u32 pattern;
    u32 run_ends;
    /// The bits of masked elements, or of a constant tile's.
    typename Element<T>::Bits special;
};

/// The number of a pattern with these bits. Without branches.
template <class T>
FSZ_DEVICE u32 pattern_of(typename Element<T>::Bits bits, const Missing<T> &missing)
{
    const bool named = (missing.count > 0) & (bits == missing.bits[0]);
    return bits == Element<T>::QUIET_NAN      ? PATTERN_NAN
           : bits == Element<T>::NEGATIVE_NAN ? PATTERN_NEGATIVE_NAN
           : named                            ? PATTERN_FIRST_MISSING
                                              : PATTERN_IN_PAYLOAD;
}

/// The elements at which the mask begins or ceases.
FSZ_DEVICE u32 mask_ends(u32 masked, u32 present, u32 block)
{
    const u32 last = __shfl_up_sync(WARP_ALL, masked >> 31, 1, TILE_BLOCKS);
    return (masked ^ (masked << 1 | (block > 0 ? last : 0))) & present;
}

/// Completes a plan by what follows the blocks, or stands in place of them. `coded` are the words
/// of the blocks of the lane's tile, of which `tile_count` elements exist, of the block `exists`.
template <class T>
FSZ_DEVICE void plan_escapes(TilePlan<T> &plan, u32 coded, u32 escaped, bool constant, u32 exists,
                             u32 tile_count)
{
    constexpr u32 W = Element<T>::WORDS;
    const u32 lane = lane_id();
    const u32 block = lane & 7;
    u32 listed = 0, extra = 0;
    if (__any_sync(WARP_ALL, escaped != 0))
    {
        listed = tile_sum(__popc(plan.listed));
        extra = position_words(listed) + listed * W;
        const u32 masks = tile_ballot(plan.masked != 0, lane);
        const u32 ends = tile_sum(__popc(mask_ends(plan.masked, low_bits(exists), block)));
        if (masks)
        {
            plan.run_ends = ends > RUN_ENDS_MAX ? MASK_BITMAP : ends;
            extra += (plan.pattern == PATTERN_IN_PAYLOAD ? W : 0) + mask_words(plan.run_ends);
        }
    }
    if (constant)
    {
        plan.kind = KIND_CONSTANT;
    }
    else if (tile_count > 0 && (listed > LISTED_MAX || coded + extra >= tile_count * W))
    {
        plan.kind = KIND_VERBATIM;
    }
    u32 escape_field = 0;
    if (plan.kind == KIND_EXCEPTIONS)
    {
        escape_field = plan.pattern << 2 | plan.run_ends << 4 | listed << 10;
        plan.words += block == 7 ? extra : 0;
    }
    else
    {
        plan.pattern = plan.kind == KIND_CONSTANT ? plan.pattern : PATTERN_NAN;
        escape_field = plan.kind | plan.pattern << 2;
        plan.rate_byte = 0;
        plan.words = plan.kind == KIND_VERBATIM
                         ? exists * W
                         : (block == 0 && plan.pattern == PATTERN_IN_PAYLOAD ? W : 0);
    }
    if (plan.kind != KIND_EXCEPTIONS || plan.chain < tile_count)
    {
        plan.rate_byte |= escape_part(escape_field, block);
    }
}

/// Takes the lanes' errors into the warp's statistics.
template <class T> FSZ_DEVICE void add_error(T error, Statistics *statistics)
{
    const u64 worst = warp_max(bits_of(error));
    if (lane_id() == 0)
    {
        statistics->max_error = max(statistics->max_error, worst);
    }
}

/// Takes the error of a block into the warp's statistics, and its escaped elements.
template <class T, class Error>
FSZ_DEVICE void count_escaped(const TilePlan<T> &plan, const Error &max_error, u32 escaped,
                              u32 exists, Statistics *statistics)
{
    add_error(max_error, statistics);
    const u32 all_escaped =
        __reduce_add_sync(WARP_ALL, plan.kind == KIND_EXCEPTIONS ? __popc(escaped) : exists);
    if (lane_id() == 0)
    {
        statistics->escaped += all_escaped;
    }
}

/// How the warp's tiles are to be stored. `row` is the lane's block, of which `exists` elements
/// exist. The codes of the chains are left in the part's words for them, which may be where the
/// elements of `row` are. `statistics` is the warp's own.
template <class T, class Row, class Z>
__device__ __noinline__ TilePlan<T> plan_any(const Row row, const Part<T> part, u32 exists,
                                             const Z z, const Missing<T> &names,
                                             Statistics *statistics, bool range_known)
{
    const u32 lane = lane_id();
    const u32 block = lane & 7;
    const u32 present = low_bits(exists);
    const u32 tile_count = tile_sum(exists);
    u32 *const codes = part.codes;
    // The names in registers, not read again and again.
    const BlockTask<Z> task{present, codes, z, names, lane};
    const Missing<T> &missing = task.missing;
    if (!range_known)
    {
        count_all(row, present, missing, statistics);
    }
    Classified<Z> classified;
    if (!classify_near(row, task, classified))
    {
        // The row may have been overwritten.
        const DeviceRow<T> again{part.field + part.first + BLOCK * lane, exists};
        classify_any(again, task, classified);
    }
    const u32 escaped = present & ~classified.coded;
    const u32 length = tile_sum(__popc(classified.coded));
    const bool constant = classified.constant && tile_count > 0;

    TilePlan<T> plan;
    plan.chain = length;
    plan.kind = KIND_EXCEPTIONS;
    plan.pattern = PATTERN_NAN;
    plan.run_ends = 0;
    plan.masked = classified.masked;
    plan.listed = escaped & ~classified.masked;
    plan.special = classified.special;
    if (classified.odd || constant)
    {
        plan.pattern = pattern_of(plan.special, missing);
    }

    __syncwarp();
    if (__any_sync(WARP_ALL, escaped != 0 && length > 0))
    {
        i32 q[BLOCK];
        read_codes(codes, lane, q);
        const u32 codes_before = tile_before(__popc(classified.coded), block);
        __syncwarp();
        write_chains(codes, q, classified.coded, codes_before, lane);
        __syncwarp();
    }
    const Choice choice = choose_any(codes, length, lane);
    plan.rate_byte = choice.rate;
    plan.words = block_words(choice.rate);
    if (block == 0)
    {
        plan.rate_byte |= (choice.order2 ? RATE_ORDER2 : 0) | (choice.centered ? RATE_CENTERED : 0);
        plan.words += choice.centered;
    }
    plan_escapes(plan, choice.words, escaped, constant, exists, tile_count);
    using Error = typename Z::Error;
    const Error max_error = plan.kind == KIND_VERBATIM ? Error{} : classified.max_error;
    count_escaped(plan, max_error, escaped, exists, statistics);
    return plan;
}

} // namespace fsz
