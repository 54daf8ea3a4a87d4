// Any four tiles of a warp, whatever they hold: choice, escapes, payload and checksum (FORMAT.md,
// Predict to Escapes). A lane has a block, eight lanes a tile. `analyse` says how long the payload
// will be; `emit` writes it once its place is known. Tiles that need none of this take the shorter
// way of their kernel.
#pragma once

#include "control.cuh"
#include "warp.cuh"

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

/// The words that hold the chains of a warp's tiles: code `p` of tile `t` is at row 8t + p / 32;
/// columns are swapped so that neither rows nor columns meet in a bank.
FSZ_DEVICE u32 chain_at(u32 row, u32 column) { return row * 32 + (column ^ row); }

/// A block's codes and what stands before them.
struct Chain
{
    i32 code[BLOCK];
    /// Codes that exist.
    u32 count;
    /// The code before, and its first difference.
    i32 before;
    i32 slope;
};

FSZ_DEVICE Chain read_chain(const u32 *codes, u32 length, u32 lane)
{
    const u32 block = lane & 7;
    Chain chain;
    chain.count = min(max(static_cast<i32>(length - BLOCK * block), 0), static_cast<i32>(BLOCK));
#pragma unroll
    for (u32 i = 0; i < BLOCK; ++i)
    {
        chain.code[i] = static_cast<i32>(codes[chain_at(lane, i)]);
    }
    chain.before = 0;
    chain.slope = 0;
    if (block > 0)
    {
        chain.before = static_cast<i32>(codes[chain_at(lane - 1, 31)]);
        chain.slope = chain.before - static_cast<i32>(codes[chain_at(lane - 1, 30)]);
    }
    return chain;
}

/// How an element that has no code is to be stored, and what it does to the certificate.
template <class T, class Row>
__device__ __noinline__ Findings<T> analyse(const Row row, u32 exists, u32 *codes, Quantizer<T> z,
                                            const Missing<T> &missing, Tally *tally)
{
    using Bits = typename Element<T>::Bits;
    constexpr u32 W = Element<T>::WORDS;
    const u32 lane = lane_id();
    const u32 block = lane & 7;
    const u32 present = exists >= BLOCK ? ~0u : (1u << exists) - 1;
    const u32 tile_count = tile_sum(exists);

    // Codes, and what has none.
    i32 q[BLOCK];
    u32 coded = 0, odd = 0, nan = 0, inf = 0, named = 0;
    T max_error = 0;
    Bits max_key = 0, min_key = 0;
    const Bits first = tile_broadcast(bits_of(row(0)));
    bool constant = true;
#pragma unroll
    for (u32 i = 0; i < BLOCK; ++i)
    {
        const T d = row(i);
        const Bits bits = bits_of(d);
        const bool there = present >> i & 1;
        const bool is_missing = missing.is(bits);
        const bool finite = is_finite(d);
        T error = 0;
        q[i] = 0;
        const bool has_code = there && !is_missing && code_of(d, z, q[i], error);
        coded |= static_cast<u32>(has_code) << i;
        max_error = has_code && error > max_error ? error : max_error;
        constant &= !there || bits == first;
        if (there && finite && !is_missing)
        {
            const Bits key = order_key(d);
            max_key = max(max_key, key);
            min_key = max(min_key, static_cast<Bits>(~key));
        }
        if (there && (is_missing || !finite))
        {
            odd |= 1u << i;
            named += is_missing;
            nan += !is_missing && is_nan(d);
            inf += !is_missing && !is_nan(d);
        }
    }
    const u32 escaped = present & ~coded;
    const u32 codes_before = tile_before(__popc(coded), block);
    const u32 length = tile_sum(__popc(coded));
    const u32 any_odd = tile_ballot(odd != 0, lane);

    Findings<T> f;
    f.chain = length;
    f.kind = EXCEPTIONS;
    f.pattern = PATTERN_NAN;
    f.run_ends = 0;
    f.masked = 0;
    f.special = first;
    constant = tile_ballot(!constant, lane) == 0 && length == 0 && tile_count > 0;

    // The tile's first odd element gives the pattern; all its equals are masked.
    if (__any_sync(WARP_ALL, any_odd != 0))
    {
        Bits mine = 0;
        if (odd)
        {
            mine = bits_of(row(__ffs(odd) - 1));
        }
        const Bits special = tile_broadcast(mine, any_odd ? __ffs(any_odd) - 1 : 0);
        if (any_odd)
        {
            f.special = special;
#pragma unroll
            for (u32 i = 0; i < BLOCK; ++i)
            {
                f.masked |= static_cast<u32>(bits_of(row(i)) == special) << i;
            }
            f.masked &= present;
        }
    }
    f.listed = escaped & ~f.masked;
    if (any_odd || constant)
    {
        f.pattern = f.special == Element<T>::QUIET_NAN                  ? PATTERN_NAN
                    : f.special == Element<T>::NEGATIVE_NAN             ? PATTERN_NEGATIVE_NAN
                    : missing.count > 0 && f.special == missing.bits[0] ? PATTERN_FIRST_MISSING
                                                                        : PATTERN_IN_PAYLOAD;
    }

    // From here on the codes take the place of whatever `codes` held.
    __syncwarp();
    u32 at = codes_before;
#pragma unroll
    for (u32 i = 0; i < BLOCK; ++i)
    {
        if (coded >> i & 1)
        {
            codes[chain_at((lane & 24) + at / BLOCK, at % BLOCK)] = static_cast<u32>(q[i]);
            ++at;
        }
    }
    __syncwarp();

    // What each variant costs. Block 0's first two residuals differ between centered and not.
    const Chain chain = read_chain(codes, length, lane);
    u32 first_or = 0, second_or = 0;
    i32 before = chain.before, slope = chain.slope;
#pragma unroll
    for (u32 i = 0; i < BLOCK; ++i)
    {
        const i32 difference = chain.code[i] - before;
        if (i < chain.count)
        {
            first_or |= block == 0 && i == 0 ? 0 : abs(difference);
            second_or |= block == 0 && i < 2 ? 0 : abs(difference - slope);
        }
        before = chain.code[i];
        slope = difference;
    }
    u32 rate1 = rate_of_bits(first_or), rate2 = rate_of_bits(second_or);
    u32 rate1c = rate1, rate2c = rate2;
    if (block == 0 && chain.count > 0)
    {
        const i32 q0 = chain.code[0];
        const i32 q1 = chain.count > 1 ? chain.code[1] : q0;
        rate1 = rate_of_bits(first_or | abs(q0));
        rate2 = rate_of_bits(second_or | abs(q0) | (chain.count > 1 ? abs(q1 - 2 * q0) : 0));
        rate2c = rate_of_bits(second_or | abs(q1 - q0));
    }
    const u32 plain = tile_sum(block_words(rate1) | block_words(rate2) << 16);
    const u32 centered = tile_sum(block_words(rate1c) | block_words(rate2c) << 16) + 0x00010001u;
    const u32 best = min(min((plain & 0xFFFF) * 4, (plain >> 16) * 4 + 1),
                         min((centered & 0xFFFF) * 4 + 2, (centered >> 16) * 4 + 3));
    const bool order2 = best & 1, center = best >> 1 & 1;
    const u32 rate = center ? (order2 ? rate2c : rate1c) : (order2 ? rate2 : rate1);
    f.rate_byte = rate;
    f.words = block_words(rate);
    if (block == 0)
    {
        f.rate_byte |= (order2 ? ORDER2 : 0) | (center ? CENTERED : 0);
        f.words += center;
    }

    // What follows the blocks.
    const u32 listed = tile_sum(__popc(f.listed));
    const u32 masks = tile_ballot(f.masked != 0, lane);
    u32 extra = (listed + 3) / 4 + listed * W;
    if (__any_sync(WARP_ALL, masks != 0))
    {
        const u32 last = __shfl_up_sync(WARP_ALL, f.masked >> 31, 1, TILE_BLOCKS);
        const u32 shifted = f.masked << 1 | (block > 0 ? last : 0);
        const u32 ends = tile_sum(__popc((f.masked ^ shifted) & present));
        if (masks)
        {
            f.run_ends = ends > MOST_RUN_ENDS ? BITMAP : ends;
            extra += (f.pattern == PATTERN_IN_PAYLOAD ? W : 0) +
                     (f.run_ends == BITMAP ? BITMAP_WORDS : (ends + 3) / 4);
        }
    }
    if (constant)
    {
        f.kind = CONSTANT;
    }
    else if (tile_count > 0 && (listed > MOST_LISTED || best / 4 + extra >= tile_count * W))
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
    const bool escapes = f.kind != EXCEPTIONS || length < tile_count;
    if (escapes)
    {
        f.rate_byte |= block == 0 ? ESCAPES : (field >> 3 * (block - 1) & 7) << 5;
    }

    // The certificate.
    const u32 lost = f.kind == EXCEPTIONS ? __popc(escaped) : exists;
    if (f.kind == VERBATIM)
    {
        max_error = 0;
    }
    const Bits worst = warp_max(bits_of(max_error));
    max_key = warp_max(max_key);
    min_key = warp_max(min_key);
    nan = __reduce_add_sync(WARP_ALL, nan);
    inf = __reduce_add_sync(WARP_ALL, inf);
    named = __reduce_add_sync(WARP_ALL, named);
    const u32 all_lost = __reduce_add_sync(WARP_ALL, lost);
    if (lane == 0)
    {
        atomicMax(&tally->max_error, static_cast<u64>(worst));
        atomicMax(&tally->max_key, static_cast<u64>(max_key));
        atomicMax(&tally->min_key, static_cast<u64>(min_key));
        if (nan + inf + named > 0)
        {
            atomicAdd(&tally->nan, static_cast<u64>(nan));
            atomicAdd(&tally->inf, static_cast<u64>(inf));
            atomicAdd(&tally->missing, static_cast<u64>(named));
        }
        atomicAdd(&tally->escaped, static_cast<u64>(all_lost));
    }
    return f;
}

/// Writes the payload of the warp's tiles. `place` is where the lane's words begin in `sink`,
/// `elements` the warp's first element in device memory. Returns the lane's share of its tile's
/// checksum, without the rate bytes.
template <class T, class Sink>
__device__ __noinline__ u32 emit(Sink sink, const Findings<T> &f, u32 place, const u32 *codes,
                                 const T *elements, u32 exists)
{
    using Bits = typename Element<T>::Bits;
    constexpr u32 W = Element<T>::WORDS;
    const u32 lane = lane_id();
    const u32 block = lane & 7;
    const u32 tile_begin = tile_broadcast(place);
    // Word k of a tile's payload has the weight of word k + 2 of the tile: two rate words come
    // first.
    const u32 shift = 2 - tile_begin;
    const u32 top = tile_broadcast(f.rate_byte);
    u32 sum = 0;
    const auto put = [&](u32 at, u32 word) {
        sink.put(at, word);
        sum += word * weight(at + shift);
    };

    if (f.kind == EXCEPTIONS)
    {
        const u32 rate = f.rate_byte & RATE_MASK;
        const bool order2 = top & ORDER2, center = top & CENTERED;
        const Chain chain = read_chain(codes, f.chain, lane);
        u32 at = place;
        if (block == 0 && center)
        {
            put(at++, static_cast<u32>(chain.code[0]));
        }
        u32 planes[32];
        {
            i32 residual[BLOCK];
            i32 before = chain.before, slope = chain.slope;
#pragma unroll
            for (u32 i = 0; i < BLOCK; ++i)
            {
                const i32 difference = chain.code[i] - before;
                residual[i] = i < chain.count ? difference - (order2 ? slope : 0) : 0;
                before = chain.code[i];
                slope = difference;
            }
            if (block == 0 && center)
            {
                residual[0] = 0;
                residual[1] = chain.count > 1 ? chain.code[1] - chain.code[0] : 0;
            }
            planes31(residual, planes);
        }
        if (rate > 0)
        {
            put(at, planes[31]);
        }
#pragma unroll
        for (u32 k = 0; k < 31; ++k)
        {
            if (k < rate)
            {
                put(at + 1 + k, planes[k]);
            }
        }
    }
    else if (f.kind == CONSTANT && block == 0 && f.pattern == PATTERN_IN_PAYLOAD)
    {
        put(place, static_cast<u32>(f.special));
        if (W == 2)
        {
            put(place + 1, static_cast<u32>(static_cast<u64>(f.special) >> 32));
        }
    }

    // Exceptions: the words that bytes share are cleared first.
    const bool exceptions = f.kind == EXCEPTIONS && (f.masked || f.listed);
    const u32 with = __ballot_sync(WARP_ALL, exceptions);
    if (with)
    {
        const bool mine = (with >> (lane & 24) & 0xFF) != 0;
        const u32 listed_before = tile_before(__popc(f.listed), block);
        const u32 listed = tile_sum(__popc(f.listed));
        const u32 pattern_words = f.run_ends && f.pattern == PATTERN_IN_PAYLOAD ? W : 0;
        const u32 mask_words = f.run_ends == BITMAP ? BITMAP_WORDS : (f.run_ends + 3) / 4;
        const u32 last = __shfl_up_sync(WARP_ALL, f.masked >> 31, 1, TILE_BLOCKS);
        const u32 present = exists >= BLOCK ? ~0u : (1u << exists) - 1;
        u32 ends = (f.masked ^ (f.masked << 1 | (block > 0 ? last : 0))) & present;
        u32 end_at = tile_before(__popc(ends), block);
        // Block 7's share ends where the tile does.
        const u32 tile_end = tile_broadcast(place + f.words, 7);
        const u32 values = tile_end - listed * W;
        const u32 positions = values - (listed + 3) / 4;
        const u32 mask = positions - mask_words;
        if (mine)
        {
            for (u32 k = mask + block; k < values; k += TILE_BLOCKS)
            {
                sink.put(k, 0);
            }
        }
        __syncwarp();
        if (mine)
        {
            const auto put_byte = [&](u32 word, u32 k, u32 byte) {
                sink.put_byte(word + k / 4, k % 4, byte);
                sum += (byte << 8 * (k % 4)) * weight(word + k / 4 + shift);
            };
            if (pattern_words && block == 0)
            {
                put(mask - W, static_cast<u32>(f.special));
                if (W == 2)
                {
                    put(mask - 1, static_cast<u32>(static_cast<u64>(f.special) >> 32));
                }
            }
            if (f.run_ends == BITMAP)
            {
                put(mask + block, __brev(f.masked));
            }
            else
            {
                for (; ends; ends &= ends - 1)
                {
                    put_byte(mask, end_at++, BLOCK * block + __ffs(ends) - 1);
                }
            }
            u32 k = listed_before;
            for (u32 rest = f.listed; rest; rest &= rest - 1, ++k)
            {
                const u32 i = __ffs(rest) - 1;
                put_byte(positions, k, BLOCK * block + i);
                const Bits bits = bits_of(elements[BLOCK * lane + i]);
                put(values + k * W, static_cast<u32>(bits));
                if (W == 2)
                {
                    put(values + k * W + 1, static_cast<u32>(static_cast<u64>(bits) >> 32));
                }
            }
        }
    }

    // Verbatim tiles, the whole warp on one.
    const u32 verbatim = __ballot_sync(WARP_ALL, f.kind == VERBATIM && block == 0);
    for (u32 rest = verbatim; rest; rest &= rest - 1)
    {
        const u32 leader = __ffs(rest) - 1;
        const u32 begin = __shfl_sync(WARP_ALL, place, leader);
        const u32 end = __shfl_sync(WARP_ALL, place + f.words, leader + 7);
        const u32 *words = reinterpret_cast<const u32 *>(elements + BLOCK * leader);
        u32 part = 0;
        for (u32 k = lane; k < end - begin; k += 32)
        {
            const u32 word = words[k];
            sink.put(begin + k, word);
            part += word * weight(k + 2);
        }
        part = __reduce_add_sync(WARP_ALL, part);
        sum += lane == leader ? part : 0;
    }
    return sum;
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
