// Any four tiles of a warp, whatever they hold: choice, escapes, payload and checksum (FORMAT.md,
// Predict to Escapes). A lane has a block, eight lanes a tile. `analyse` says how long the payload
// will be; `emit` writes it once its place is known. Tiles that need none of this take the shorter
// way of plain.cuh.
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

/// A block's elements in device memory, in pieces of 16 bytes. Zeros from `exists` on.
template <class T> struct DeviceRow
{
    static constexpr u32 PIECE = 16 / sizeof(T);
    const T *elements;
    u32 exists;

    FSZ_DEVICE void load(u32 piece, T (&v)[PIECE]) const
    {
#pragma unroll
        for (u32 k = 0; k < PIECE; ++k)
        {
            v[k] = PIECE * piece + k < exists ? elements[PIECE * piece + k] : static_cast<T>(0);
        }
    }
};

/// Where code `column` of block `row` is in the warp's 1024 words of codes: the 16-byte pieces of a
/// row are swapped so that lanes that read their own rows do not meet in a bank.
FSZ_DEVICE u32 code_at(u32 row, u32 column)
{
    return row * BLOCK + (((column / 4) ^ (row & 7)) * 4 | column % 4);
}

/// Bit i for i < count.
FSZ_DEVICE u32 low_bits(u32 count) { return count >= 32 ? ~0u : (1u << count) - 1; }

/// What quantizing a block came to, element i at bit i.
template <class T> struct Quantized
{
    /// Has a code.
    u32 coded;
    /// Is missing, NaN or infinite.
    u32 odd;
    /// Is beyond FUSED_REACH: its bits are where its code belongs.
    u32 far;
    /// The bits of the first odd element; whether all odd ones have them.
    typename Element<T>::Bits odd_bits;
    bool odd_equal;
    /// All elements have the bits `first`.
    bool constant;
    T max_error;
    u32 nan, inf, missing;
    typename Element<T>::Bits max_key, min_key;
};

/// The code of `d`, its error, and whether `q` is the code. Without branches. True in `far` when it
/// might be one but this way does not tell.
FSZ_DEVICE bool try_code(float d, const Quantizer<float> &z, i32 &q, float &error, bool &far)
{
    const bool near = fabsf(__fmul_rn(d, z.inverse)) <= FUSED_REACH;
    const float code = __fmaf_rn(d, z.inverse, ROUND);
    q = __float_as_int(code) - ROUND_BITS;
    error = fabsf(__fsub_rn(d, __fmul_rn(__fsub_rn(code, ROUND), z.step)));
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
    return fabs(scaled) <= MAX_CODE + 0.5 && fabs(whole) <= MAX_CODE && error <= z.limit;
}

/// The code of an element beyond FUSED_REACH.
FSZ_DEVICE bool far_code(float d, const Quantizer<float> &z, i32 &q, float &error)
{
    const double scaled = __dmul_rn(d, z.inverse);
    if (!(fabs(scaled) <= MAX_CODE + 0.5))
    {
        return false;
    }
    q = __double2int_rn(scaled);
    error = fabsf(__fsub_rn(d, __fmul_rn(__int2float_rn(q), z.step)));
    return abs(q) <= MAX_CODE && error <= z.limit;
}

/// Quantizes a block, and leaves its codes (0 where there is none) in the lane's row of `codes`,
/// which may be where the elements are.
template <class T, class Row>
FSZ_DEVICE Quantized<T> quantize_any(const Row &row, u32 present, u32 *codes, u32 lane,
                                     const Quantizer<T> &z, const Missing<T> &missing,
                                     typename Element<T>::Bits first, bool range_known)
{
    using Bits = typename Element<T>::Bits;
    Quantized<T> out{0, 0, 0, 0, true, true, 0, 0, 0, 0, 0, 0};
    // Four at a time: a small body stays in the instruction cache, and the four overlap.
#pragma unroll 1
    for (u32 i = 0; i < BLOCK; i += 4)
    {
        constexpr u32 PIECE = Row::PIECE;
        T d[4];
#pragma unroll
        for (u32 piece = 0; piece < 4 / PIECE; ++piece)
        {
            T part[PIECE];
            row.load(i / PIECE + piece, part);
#pragma unroll
            for (u32 k = 0; k < PIECE; ++k)
            {
                d[PIECE * piece + k] = part[k];
            }
        }
        u32 code[4];
        bool named[4];
#pragma unroll
        for (u32 k = 0; k < 4; ++k)
        {
            named[k] = missing.is(bits_of(d[k]));
        }
#pragma unroll
        for (u32 k = 0; k < 4; ++k)
        {
            const Bits bits = bits_of(d[k]);
            const bool there = present >> (i + k) & 1;
            const bool odd = there & (named[k] | !is_finite(d[k]));
            i32 q;
            T error;
            bool far;
            const bool coded = try_code(d[k], z, q, error, far) & there & !odd;
            far &= there & !odd;
            code[k] = coded ? static_cast<u32>(q) : far ? static_cast<u32>(bits) : 0;
            out.coded |= static_cast<u32>(coded) << (i + k);
            out.far |= static_cast<u32>(far) << (i + k);
            out.max_error = coded & (error > out.max_error) ? error : out.max_error;
            out.constant &= !there | (bits == first);
            out.odd_bits = odd & (out.odd == 0) ? bits : out.odd_bits;
            out.odd_equal &= !odd | (bits == out.odd_bits);
            out.odd |= static_cast<u32>(odd) << (i + k);
        }
        if (!range_known)
        {
#pragma unroll
            for (u32 k = 0; k < 4; ++k)
            {
                const bool there = present >> (i + k) & 1;
                const bool odd = out.odd >> (i + k) & 1;
                out.missing += odd & named[k];
                out.nan += odd & !named[k] & is_nan(d[k]);
                out.inf += odd & !named[k] & !is_nan(d[k]);
                const Bits key = order_key(d[k]);
                out.max_key = there & !odd ? max(out.max_key, key) : out.max_key;
                out.min_key =
                    there & !odd ? max(out.min_key, static_cast<Bits>(~key)) : out.min_key;
            }
        }
        // The lane's own row, as far as it has been read.
        *reinterpret_cast<uint4 *>(codes + code_at(lane, i)) =
            make_uint4(code[0], code[1], code[2], code[3]);
    }
    if constexpr (sizeof(T) == 4)
    {
        for (u32 rest = out.far; rest; rest &= rest - 1)
        {
            const u32 i = __ffs(rest) - 1;
            u32 *const place = codes + code_at(lane, i);
            i32 q = 0;
            float error = 0;
            const bool coded = far_code(value_of(*place), z, q, error);
            *place = coded ? static_cast<u32>(q) : 0;
            out.coded |= static_cast<u32>(coded) << i;
            out.max_error = coded && error > out.max_error ? error : out.max_error;
        }
    }
    return out;
}

/// The lane's row of codes.
FSZ_DEVICE void read_codes(const u32 *codes, u32 lane, i32 (&q)[BLOCK])
{
#pragma unroll
    for (u32 i = 0; i < BLOCK; i += 4)
    {
        const int4 piece = *reinterpret_cast<const int4 *>(codes + code_at(lane, i));
        q[i] = piece.x;
        q[i + 1] = piece.y;
        q[i + 2] = piece.z;
        q[i + 3] = piece.w;
    }
}

/// A block of a chain, and what stands before it.
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
    read_codes(codes, lane, chain.code);
    chain.before = 0;
    chain.slope = 0;
    if (block > 0)
    {
        chain.before = static_cast<i32>(codes[code_at(lane - 1, 31)]);
        chain.slope = chain.before - static_cast<i32>(codes[code_at(lane - 1, 30)]);
    }
    return chain;
}

/// Moves the codes of each tile together, in their order.
FSZ_DEVICE void compact(u32 *codes, u32 coded, u32 before, u32 lane)
{
    i32 q[BLOCK];
    read_codes(codes, lane, q);
    __syncwarp();
    u32 at = before;
#pragma unroll
    for (u32 i = 0; i < BLOCK; ++i)
    {
        if (coded >> i & 1)
        {
            codes[code_at((lane & 24) + at / BLOCK, at % BLOCK)] = static_cast<u32>(q[i]);
            ++at;
        }
    }
    __syncwarp();
}

/// The words of a tile's cheapest variant.
struct Choice
{
    u32 rate;
    u32 words;
    bool order2;
    bool centered;
};

/// What each variant costs, and the cheapest one. Block 0's first two residuals differ between
/// centered and not.
FSZ_DEVICE Choice choose_any(const Chain &chain, u32 block)
{
    u32 first = 0, second = 0;
    i32 before = chain.before, slope = chain.slope;
#pragma unroll
    for (u32 i = 0; i < BLOCK; ++i)
    {
        const i32 difference = chain.code[i] - before;
        const bool there = i < chain.count;
        first |= there && (i > 0 || block > 0) ? abs(difference) : 0;
        second |= there && (i > 1 || block > 0) ? abs(difference - slope) : 0;
        before = chain.code[i];
        slope = difference;
    }
    u32 rate1 = rate_of_bits(first), rate2 = rate_of_bits(second);
    const u32 rate1c = rate1;
    u32 rate2c = rate2;
    if (block == 0 && chain.count > 0)
    {
        const i32 q0 = chain.code[0];
        const i32 q1 = chain.code[1];
        const bool pair = chain.count > 1;
        rate1 = rate_of_bits(first | abs(q0));
        rate2 = rate_of_bits(second | abs(q0) | (pair ? abs(q1 - 2 * q0) : 0));
        rate2c = rate_of_bits(second | (pair ? abs(q1 - q0) : 0));
    }
    const u32 plain = tile_sum(block_words(rate1) | block_words(rate2) << 16);
    const u32 centered = tile_sum(block_words(rate1c) | block_words(rate2c) << 16) + 0x00010001u;
    const u32 best = min(min((plain & 0xFFFF) * 4, (plain >> 16) * 4 + 1),
                         min((centered & 0xFFFF) * 4 + 2, (centered >> 16) * 4 + 3));
    Choice choice;
    choice.order2 = best & 1;
    choice.centered = best & 2;
    choice.words = best / 4;
    choice.rate =
        choice.centered ? (choice.order2 ? rate2c : rate1c) : (choice.order2 ? rate2 : rate1);
    return choice;
}

/// Adds what the warp's tiles came to. `tally` is the warp's own.
template <class T>
FSZ_DEVICE void count(Tally *tally, const Quantized<T> &q, u32 escaped, bool range_known)
{
    using Bits = typename Element<T>::Bits;
    const Bits worst = warp_max(bits_of(q.max_error));
    const u32 all_escaped = __reduce_add_sync(WARP_ALL, escaped);
    Bits max_key = 0, min_key = 0;
    u32 nan = 0, inf = 0, missing = 0;
    if (!range_known)
    {
        max_key = warp_max(q.max_key);
        min_key = warp_max(q.min_key);
        nan = __reduce_add_sync(WARP_ALL, q.nan);
        inf = __reduce_add_sync(WARP_ALL, q.inf);
        missing = __reduce_add_sync(WARP_ALL, q.missing);
    }
    if (lane_id() == 0)
    {
        tally->max_error = max(tally->max_error, static_cast<u64>(worst));
        tally->max_key = max(tally->max_key, static_cast<u64>(max_key));
        tally->min_key = max(tally->min_key, static_cast<u64>(min_key));
        tally->nan += nan;
        tally->inf += inf;
        tally->missing += missing;
        tally->escaped += all_escaped;
    }
}

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

/// How the warp's tiles are to be stored. `elements` is the warp's first element in device memory,
/// `row` the lane's block, of which `exists` elements exist. The codes of the chains are left in
/// the 1024 words `codes`, which may be where the elements of `row` are. `tally` is the warp's own.
template <class T, class Row>
__device__ __noinline__ Findings<T>
analyse(const Row row, const T *elements, u32 exists, u32 *codes, const Quantizer<T> z,
        const Missing<T> &missing, Tally *tally, bool range_known)
{
    using Bits = typename Element<T>::Bits;
    constexpr u32 W = Element<T>::WORDS;
    const u32 lane = lane_id();
    const u32 block = lane & 7;
    const u32 present = low_bits(exists);
    const u32 tile_count = tile_sum(exists);

    T leading[Row::PIECE];
    row.load(0, leading);
    const Bits first = tile_broadcast(bits_of(leading[0]));
    __syncwarp();
    Quantized<T> q = quantize_any(row, present, codes, lane, z, missing, first, range_known);
    const u32 escaped = present & ~q.coded;
    const u32 length = tile_sum(__popc(q.coded));
    const u32 any_odd = tile_ballot(q.odd != 0, lane);
    const bool constant = tile_ballot(!q.constant, lane) == 0 && length == 0 && tile_count > 0;

    Findings<T> f;
    f.chain = length;
    f.kind = EXCEPTIONS;
    f.pattern = PATTERN_NAN;
    f.run_ends = 0;
    f.masked = 0;
    f.special = first;
    // The tile's first odd element gives the pattern; all its equals are masked.
    if (__any_sync(WARP_ALL, any_odd != 0))
    {
        const Bits special = tile_broadcast(q.odd_bits, any_odd ? __ffs(any_odd) - 1 : 0);
        if (any_odd)
        {
            f.special = special;
            f.masked = q.odd_bits == special ? q.odd : 0;
            if (!q.odd_equal)
            {
                f.masked = 0;
                for (u32 rest = q.odd; rest; rest &= rest - 1)
                {
                    const u32 i = __ffs(rest) - 1;
                    f.masked |= static_cast<u32>(bits_of(elements[BLOCK * lane + i]) == special)
                                << i;
                }
            }
        }
    }
    f.listed = escaped & ~f.masked;
    if (any_odd || constant)
    {
        f.pattern = pattern_of(f.special, missing);
    }

    __syncwarp();
    if (__any_sync(WARP_ALL, escaped != 0 && length > 0))
    {
        compact(codes, q.coded, tile_before(__popc(q.coded), block), lane);
    }
    const Choice choice = choose_any(read_chain(codes, length, lane), block);
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
            extra += (f.pattern == PATTERN_IN_PAYLOAD ? W : 0) +
                     (f.run_ends == BITMAP ? BITMAP_WORDS : (ends + 3) / 4);
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
        f.rate_byte |= block == 0 ? ESCAPES : (field >> 3 * (block - 1) & 7) << 5;
    }
    q.max_error = f.kind == VERBATIM ? 0 : q.max_error;
    count(tally, q, f.kind == EXCEPTIONS ? __popc(escaped) : exists, range_known);
    return f;
}

/// Writes µ and the lane's block at `place` of `sink`. Returns their share of the tile's checksum,
/// of which the first word has the weight `first`.
template <class Sink>
FSZ_DEVICE u32 emit_block(const Sink &sink, u32 place, const Chain &chain, u32 rate, bool order2,
                          bool centered, bool wide, u32 first)
{
    u32 sum = 0;
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
    if (centered)
    {
        sink.put(place++, static_cast<u32>(chain.code[0]));
        sum = static_cast<u32>(chain.code[0]) * first;
        first += 2;
        residual[0] = 0;
        residual[1] = chain.count > 1 ? chain.code[1] - chain.code[0] : 0;
    }
    u32 *const out = sink.block(place);
    if (wide)
    {
        u32 planes[32];
        planes31(residual, planes);
        sum += store_planes<31>(out, rate, planes[31], planes, first);
    }
    else
    {
        u32 sign, planes[15];
        planes15(residual, sign, planes);
        sum += store_planes<15>(out, rate, sign, planes, first);
    }
    sink.block_done(place, block_words(rate));
    return sum;
}

/// Writes what follows the blocks of tiles with exceptions. All lanes of the warp take part;
/// `tile_end` is where the tile's payload ends, `shift` what makes a place in the sink a word of
/// the tile. Returns the lane's share of its tile's checksum.
template <class T, class Sink>
FSZ_DEVICE u32 emit_exceptions(const Sink &sink, const Findings<T> &f, u32 tile_end, u32 shift,
                               const T *elements, u32 exists)
{
    using Bits = typename Element<T>::Bits;
    constexpr u32 W = Element<T>::WORDS;
    const u32 lane = lane_id();
    const u32 block = lane & 7;
    const bool mine = tile_ballot(f.kind == EXCEPTIONS && (f.masked || f.listed), lane) != 0;
    const u32 listed_before = tile_before(__popc(f.listed), block);
    const u32 listed = tile_sum(__popc(f.listed));
    u32 ends = mask_ends(f.masked, low_bits(exists), block);
    u32 end = tile_before(__popc(ends), block);
    const u32 mask_words = f.run_ends == BITMAP ? BITMAP_WORDS : (f.run_ends + 3) / 4;
    const u32 values = tile_end - listed * W;
    const u32 positions = values - (listed + 3) / 4;
    const u32 mask = positions - mask_words;
    u32 sum = 0;
    const auto put = [&](u32 at, u32 word) {
        sink.put(at, word);
        sum += word * weight(at + shift);
    };
    const auto put_bits = [&](u32 at, Bits bits) {
        put(at, static_cast<u32>(bits));
        if (W == 2)
        {
            put(at + 1, static_cast<u32>(static_cast<u64>(bits) >> 32));
        }
    };
    const auto put_byte = [&](u32 at, u32 k, u32 byte) {
        sink.put_byte(at + k / 4, k % 4, byte);
        sum += (byte << 8 * (k % 4)) * weight(at + k / 4 + shift);
    };

    // Words that several lanes write bytes of are cleared first.
    for (u32 k = mask + block; mine && k < values; k += TILE_BLOCKS)
    {
        sink.put(k, 0);
    }
    __syncwarp();
    if (mine)
    {
        if (block == 0 && f.run_ends && f.pattern == PATTERN_IN_PAYLOAD)
        {
            put_bits(mask - W, f.special);
        }
        if (f.run_ends == BITMAP)
        {
            put(mask + block, __brev(f.masked));
        }
        else
        {
            for (; ends; ends &= ends - 1)
            {
                put_byte(mask, end++, BLOCK * block + __ffs(ends) - 1);
            }
        }
        u32 k = listed_before;
        for (u32 rest = f.listed; rest; rest &= rest - 1, ++k)
        {
            const u32 i = __ffs(rest) - 1;
            put_byte(positions, k, BLOCK * block + i);
            put_bits(values + k * W, bits_of(elements[BLOCK * lane + i]));
        }
    }
    return sum;
}

/// Writes the payload of the warp's tiles, `place` being where the lane's words begin in `sink`.
/// Returns the lane's share of its tile's checksum, without the rate bytes.
template <class T, class Sink>
__device__ __noinline__ u32 emit(const Sink sink, const Findings<T> f, u32 place, const u32 *codes,
                                 const T *elements, u32 exists)
{
    constexpr u32 W = Element<T>::WORDS;
    const u32 lane = lane_id();
    const u32 block = lane & 7;
    // Word k of a tile's payload has the weight of word k + 2 of the tile: two rate words come
    // first.
    const u32 shift = 2 - tile_broadcast(place);
    const u32 top = tile_broadcast(f.rate_byte);
    const u32 rate = f.kind == EXCEPTIONS ? f.rate_byte & RATE_MASK : 0;
    const bool centered = f.kind == EXCEPTIONS && block == 0 && (top & CENTERED);
    u32 sum = 0;
    const bool wide = __any_sync(WARP_ALL, rate > 15);
    if (__any_sync(WARP_ALL, rate > 0 || centered))
    {
        const u32 length = f.kind == EXCEPTIONS ? f.chain : 0;
        sum = emit_block(sink, place, read_chain(codes, length, lane), rate, top & ORDER2, centered,
                         wide, weight(place + shift));
    }
    if (f.kind == CONSTANT && block == 0 && f.pattern == PATTERN_IN_PAYLOAD)
    {
        const u64 bits = f.special;
#pragma unroll
        for (u32 k = 0; k < W; ++k)
        {
            const u32 word = static_cast<u32>(bits >> 32 * k);
            sink.put(place + k, word);
            sum += word * weight(k + 2);
        }
    }
    if (__any_sync(WARP_ALL, f.kind == EXCEPTIONS && (f.masked || f.listed)))
    {
        // Block 7's share ends where the tile does.
        const u32 tile_end = tile_broadcast(place + f.words, 7);
        sum += emit_exceptions(sink, f, tile_end, shift, elements, exists);
    }
    // Verbatim tiles, the whole warp on one.
    for (u32 rest = __ballot_sync(WARP_ALL, f.kind == VERBATIM && block == 0); rest;
         rest &= rest - 1)
    {
        const u32 leader = __ffs(rest) - 1;
        const u32 begin = __shfl_sync(WARP_ALL, place, leader);
        const u32 end = __shfl_sync(WARP_ALL, place + f.words, leader + 7);
        const u32 *const words = reinterpret_cast<const u32 *>(elements + BLOCK * leader);
        u32 part = 0;
#pragma unroll 4
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
