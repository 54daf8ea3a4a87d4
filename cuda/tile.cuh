// Any four tiles of a warp, whatever they hold: how they are to be stored (FORMAT.md, Choose and
// Escapes). A lane has a block, eight lanes a tile. `analyse` says how long the payload will be;
// `emit` of payload.cuh writes it once its place is known. Tiles that need none of this take the
// shorter way of plain.cuh.
#pragma once

#include "chain.cuh"
#include "sort.cuh"

namespace fsz
{

/// What a lane knows of its block and its tile when the analysis is done.
template <class T> struct Findings
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
    /// EXCEPTIONS also for a tile without escapes.
    u32 kind;
    u32 pattern;
    u32 run_ends;
    /// The bits of masked elements, or of a constant tile's.
    typename Element<T>::Bits special;
};

/// The number of a pattern with these bits.
template <class T>
FSZ_DEVICE u32 pattern_of(typename Element<T>::Bits bits, const Missing<T> &missing)
{
    return bits == Element<T>::QUIET_NAN                  ? PATTERN_NAN
           : bits == Element<T>::NEGATIVE_NAN             ? PATTERN_NEGATIVE_NAN
           : missing.count > 0 && bits == missing.bits[0] ? PATTERN_FIRST_MISSING
                                                          : PATTERN_IN_PAYLOAD;
}

/// The elements at which the mask begins or ceases.
FSZ_DEVICE u32 mask_ends(u32 masked, u32 present, u32 block)
{
    const u32 last = __shfl_up_sync(WARP_ALL, masked >> 31, 1, TILE_BLOCKS);
    return (masked ^ (masked << 1 | (block > 0 ? last : 0))) & present;
}

/// Words of a mask.
FSZ_DEVICE u32 mask_words(u32 run_ends)
{
    return run_ends == BITMAP ? BITMAP_WORDS : (run_ends + 3) / 4;
}

/// What the escape field of a tile with escapes adds to a block's rate byte.
FSZ_DEVICE u32 escape_part(u32 field, u32 block)
{
    return block == 0 ? ESCAPES : (field >> 3 * (block - 1) & 7) << 5;
}

/// How the warp's tiles are to be stored. `elements` is the warp's first element in device memory,
/// `row` the lane's block, of which `exists` elements exist. The codes of the chains are left in
/// the 1024 words `codes`, which may be where the elements of `row` are. `tally` is the warp's own.
template <class T, class Row>
__device__ __noinline__ Findings<T> analyse(const Row row, const T *elements, u32 exists,
                                            u32 *codes, const Quantizer<T> z,
                                            const Missing<T> &names, Tally *tally, bool range_known)
{
    constexpr u32 W = Element<T>::WORDS;
    const u32 lane = lane_id();
    const u32 block = lane & 7;
    const u32 present = low_bits(exists);
    const u32 tile_count = tile_sum(exists);
    // In registers, not read again and again.
    const Missing<T> missing = names;
    if (!range_known)
    {
        count_all(row, present, missing, tally);
    }
    Sorted<T> sorted;
    if (!sort_near(row, present, codes, z, missing, lane, sorted))
    {
        // The row may have been overwritten.
        const DeviceRow<T> again{elements + BLOCK * lane, exists};
        sort_any(again, present, codes, z, missing, lane, sorted);
    }
    const u32 escaped = present & ~sorted.coded;
    const u32 length = tile_sum(__popc(sorted.coded));
    const bool constant = sorted.constant && tile_count > 0;

    Findings<T> f;
    f.chain = length;
    f.kind = EXCEPTIONS;
    f.pattern = PATTERN_NAN;
    f.run_ends = 0;
    f.masked = sorted.masked;
    f.listed = escaped & ~sorted.masked;
    f.special = sorted.special;
    if (sorted.odd || constant)
    {
        f.pattern = pattern_of(f.special, missing);
    }

    __syncwarp();
    if (__any_sync(WARP_ALL, escaped != 0 && length > 0))
    {
        i32 q[BLOCK];
        read_codes(codes, lane, q);
        const u32 codes_before = tile_before(__popc(sorted.coded), block);
        __syncwarp();
        write_chains(codes, q, sorted.coded, codes_before, lane);
        __syncwarp();
    }
    const Choice choice = choose_any(codes, length, lane);
    f.rate_byte = choice.rate;
    f.words = block_words(choice.rate);
    if (block == 0)
    {
        f.rate_byte |= (choice.order2 ? ORDER2 : 0) | (choice.centered ? CENTERED : 0);
        f.words += choice.centered;
    }

    // What follows the blocks.
    u32 listed = 0, extra = 0;
    if (__any_sync(WARP_ALL, escaped != 0))
    {
        listed = tile_sum(__popc(f.listed));
        extra = (listed + 3) / 4 + listed * W;
        const u32 masks = tile_ballot(f.masked != 0, lane);
        const u32 ends = tile_sum(__popc(mask_ends(f.masked, present, block)));
        if (masks)
        {
            f.run_ends = ends > MOST_RUN_ENDS ? BITMAP : ends;
            extra += (f.pattern == PATTERN_IN_PAYLOAD ? W : 0) + mask_words(f.run_ends);
        }
    }
    if (constant)
    {
        f.kind = CONSTANT;
    }
    else if (tile_count > 0 && (listed > MOST_LISTED || choice.words + extra >= tile_count * W))
    {
        f.kind = VERBATIM;
    }

    u32 field = 0;
    if (f.kind == EXCEPTIONS)
    {
        field = f.pattern << 2 | f.run_ends << 4 | listed << 10;
        f.words += block == 7 ? extra : 0;
    }
    else
    {
        f.pattern = f.kind == CONSTANT ? f.pattern : PATTERN_NAN;
        field = f.kind | f.pattern << 2;
        f.rate_byte = 0;
        f.words = f.kind == VERBATIM ? exists * W
                                     : (block == 0 && f.pattern == PATTERN_IN_PAYLOAD ? W : 0);
    }
    if (f.kind != EXCEPTIONS || length < tile_count)
    {
        f.rate_byte |= escape_part(field, block);
    }

    const T max_error = f.kind == VERBATIM ? 0 : sorted.max_error;
    const u64 worst = warp_max(bits_of(max_error));
    const u32 all_escaped =
        __reduce_add_sync(WARP_ALL, f.kind == EXCEPTIONS ? __popc(escaped) : exists);
    if (lane == 0)
    {
        tally->max_error = max(tally->max_error, worst);
        tally->escaped += all_escaped;
    }
    return f;
}

/// What a warp's four tiles add to their chunk's checksum, in every lane. `sum` is the lane's share
/// of its tile's checksum without the rate bytes, `position` the warp's first tile in the chunk.
FSZ_DEVICE u32 warp_share(u32 sum, u32 rate_byte, bool tile_exists, u32 position)
{
    const u32 lane = lane_id();
    const u32 block = lane & 7;
    sum += (rate_byte << 8 * (block & 3)) * weight(block >> 2);
    sum = tile_sum(sum);
    const u32 share = block == 0 && tile_exists ? tile_share(sum, position + lane / 8) : 0;
    return __reduce_add_sync(WARP_ALL, share);
}

} // namespace fsz
