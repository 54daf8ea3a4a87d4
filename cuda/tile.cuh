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
        if (exists == BLOCK && reinterpret_cast<u64>(elements) % 16 == 0)
        {
            load_vector(elements + PIECE * piece, v);
            return;
        }
#pragma unroll
        for (u32 k = 0; k < PIECE; ++k)
        {
            v[k] = (*this)(PIECE * piece + k);
        }
    }

    FSZ_DEVICE T operator()(u32 i) const { return i < exists ? elements[i] : static_cast<T>(0); }
};

/// Where code `column` of block `row` is in the warp's 1024 words of codes: the 16-byte pieces of a
/// row are swapped so that lanes that read their own rows do not meet in a bank.
FSZ_DEVICE u32 code_at(u32 row, u32 column)
{
    return row * BLOCK + (((column / 4) ^ (row & 7)) * 4 | column % 4);
}

/// Bit i for i < count.
FSZ_DEVICE u32 low_bits(u32 count) { return count >= 32 ? ~0u : (1u << count) - 1; }

/// What became of a block's elements, element i at bit i.
template <class T> struct Sorted
{
    /// Has a code.
    u32 coded;
    /// Has the bits `special`, and is missing, NaN or infinite.
    u32 masked;
    /// The same in all lanes of a tile: whether any element is missing, NaN or infinite, and the
    /// bits of the first that is.
    bool odd;
    typename Element<T>::Bits special;
    /// All elements of the tile have the same bits and none has a code; the bits are `special`.
    bool constant;
    T max_error;
};

/// The code of `d`, its error, and whether `q` is the code. Without branches. True in `far` when it
/// might be one but this way does not tell.
FSZ_DEVICE bool try_code(float d, const Quantizer<float> &z, i32 &q, float &error, bool &far)
{
    const float code = __fmaf_rn(d, z.inverse, ROUND);
    const float whole = __fsub_rn(code, ROUND);
    // False for NaN, and for what is too large to be rounded this way: that comes out at 2^22 or
    // more.
    const bool near = fabsf(whole) <= FUSED_REACH;
    q = __float_as_int(code) - ROUND_BITS;
    error = fabsf(__fsub_rn(d, __fmul_rn(whole, z.step)));
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

/// Whether an element is missing, NaN or infinite.
template <class T> FSZ_DEVICE bool is_odd(T d, const Missing<T> &missing)
{
    return !is_finite(d) || missing.is(bits_of(d));
}

/// Four elements of a block, from i on.
template <class T, class Row> FSZ_DEVICE void load_four(const Row &row, u32 i, T (&d)[4])
{
    constexpr u32 PIECE = Row::PIECE;
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
}

/// Sorts a block's elements, as long as what has no code is missing, NaN, infinite, or not far
/// beyond the bound; codes go to the lane's row of `codes`, which may be where the elements are.
/// False in all lanes when it is not so in one, or when it cannot tell: then the row holds nothing
/// of use.
template <class T, class Row>
FSZ_DEVICE bool sort_near(const Row &row, u32 present, u32 *codes, const Quantizer<T> &z,
                          const Missing<T> &missing, u32 lane, Sorted<T> &out)
{
    using Bits = typename Element<T>::Bits;
    // Where an element is as long as a code, its bits keep the place of the code that it has not
    // got.
    constexpr bool IN_PLACE = sizeof(T) == 4;
    // NaN equals nothing.
    const T name = missing.count > 0 ? value_of(missing.bits[0]) : value_of(Element<T>::QUIET_NAN);
    bool sure = missing.count <= 1 && name != 0;
    u32 named = 0;
    out = Sorted<T>{};
    // The loops are small because the instruction cache is: this way is rare between plain rounds.
#pragma unroll 1
    for (u32 i = 0; i < BLOCK; i += 4)
    {
        T d[4];
        load_four(row, i, d);
        u32 slot[4];
        u32 coded_here = 0, named_here = 0;
#pragma unroll
        for (u32 k = 0; k < 4; ++k)
        {
            i32 q;
            T error;
            bool far;
            const bool coded = try_code(d[k], z, q, error, far) & (d[k] != name);
            if (coded)
            {
                coded_here |= 1u << k;
                out.max_error = larger(out.max_error, error);
            }
            if (d[k] == name)
            {
                named_here |= 1u << k;
            }
            slot[k] = coded ? static_cast<u32>(q) : static_cast<u32>(bits_of(d[k]));
        }
        out.coded |= coded_here << i;
        named |= named_here << i;
        if (IN_PLACE)
        {
            *reinterpret_cast<uint4 *>(codes + code_at(lane, i)) =
                make_uint4(slot[0], slot[1], slot[2], slot[3]);
        }
    }
    out.coded &= present;
    const bool known = sure;
    // A second time if elements beyond FUSED_REACH have to be looked at.
#pragma unroll 1
    for (bool resolved = !IN_PLACE;; resolved = true)
    {
        sure = known;
        const u32 escaped = present & ~out.coded;
        if (!__any_sync(WARP_ALL, escaped != 0))
        {
            break;
        }
        const u32 with = tile_ballot(escaped != 0, lane);
        const u32 codes_in_tile = tile_ballot(out.coded != 0, lane);
        // If the tile's first escaped element is odd, it gives the mask.
        const Bits mine = escaped ? bits_of(row(__ffs(escaped) - 1)) : 0;
        out.special = tile_broadcast(mine, with ? __ffs(with) - 1 : 0);
        out.odd = with && is_odd(value_of(out.special), missing);
        out.masked = named;
        if (__any_sync(WARP_ALL, out.odd && (is_nan(name) || out.special != bits_of(name))))
        {
            out.masked = 0;
#pragma unroll 1
            for (u32 i = 0; i < BLOCK; i += 4)
            {
                u32 four = 0;
                if constexpr (IN_PLACE)
                {
                    const uint4 d = *reinterpret_cast<const uint4 *>(codes + code_at(lane, i));
                    four = (d.x == out.special ? 1 : 0) | (d.y == out.special ? 2 : 0) |
                           (d.z == out.special ? 4 : 0) | (d.w == out.special ? 8 : 0);
                }
                else
                {
                    T d[4];
                    load_four(row, i, d);
#pragma unroll
                    for (u32 k = 0; k < 4; ++k)
                    {
                        four |= bits_of(d[k]) == out.special ? 1u << k : 0;
                    }
                }
                out.masked |= four << i;
            }
        }
        out.masked &= out.odd ? escaped : 0;
        bool far_ones = false;
        for (u32 rest = escaped & ~out.masked; rest; rest &= rest - 1)
        {
            const T d = row(__ffs(rest) - 1);
            i32 code;
            T error;
            bool far;
            try_code(d, z, code, error, far);
            const bool odd = is_odd(d, missing);
            sure &= !odd || out.odd;
            far_ones |= far && !odd;
        }
        out.constant = tile_ballot(out.masked != present, lane) == 0 && out.odd;
        // Other constant tiles are found by looking at their elements.
        sure &= !with || codes_in_tile || out.odd;
        if (resolved || !__any_sync(WARP_ALL, far_ones))
        {
            break;
        }
        if constexpr (IN_PLACE)
        {
            for (u32 rest = escaped & ~out.masked; rest; rest &= rest - 1)
            {
                const u32 i = __ffs(rest) - 1;
                const T d = row(i);
                i32 q;
                T error;
                if (!is_odd(d, missing) && far_code(d, z, q, error))
                {
                    codes[code_at(lane, i)] = static_cast<u32>(q);
                    out.coded |= 1u << i;
                    out.max_error = larger(out.max_error, error);
                }
            }
            __syncwarp();
        }
    }
    if (!__all_sync(WARP_ALL, sure))
    {
        return false;
    }
    if (!IN_PLACE)
    {
        __syncwarp();
#pragma unroll 1
        for (u32 i = 0; i < BLOCK; i += 4)
        {
            T d[4];
            load_four(row, i, d);
            i32 q[4];
#pragma unroll
            for (u32 k = 0; k < 4; ++k)
            {
                T error;
                bool far;
                try_code(d[k], z, q[k], error, far);
            }
            *reinterpret_cast<int4 *>(codes + code_at(lane, i)) = make_int4(q[0], q[1], q[2], q[3]);
        }
    }
    return true;
}

/// Sorts a block's elements, whatever they are, and leaves its codes (0 where there is none) in the
/// lane's row of `codes`, which may be where the elements are.
template <class T>
FSZ_DEVICE void sort_any(const DeviceRow<T> &row, u32 present, u32 *codes, const Quantizer<T> &z,
                         const Missing<T> &missing, u32 lane, Sorted<T> &out)
{
    using Bits = typename Element<T>::Bits;
    const Bits first = tile_broadcast(bits_of(row(0)));
    u32 odd = 0, all_far = 0;
    Bits odd_bits = 0;
    bool same = true;
    out = Sorted<T>{};
    __syncwarp();
    // Four at a time: a small body stays in the instruction cache, and the four overlap.
#pragma unroll 1
    for (u32 i = 0; i < BLOCK; i += 4)
    {
        T d[4];
        load_four(row, i, d);
        u32 code[4];
#pragma unroll
        for (u32 k = 0; k < 4; ++k)
        {
            const Bits bits = bits_of(d[k]);
            const bool there = present >> (i + k) & 1;
            const bool is_odd_one = there & is_odd(d[k], missing);
            i32 q;
            T error;
            bool far;
            const bool coded = try_code(d[k], z, q, error, far) & there & !is_odd_one;
            far &= there & !is_odd_one;
            // The bits of far elements keep their codes' places.
            code[k] = coded ? static_cast<u32>(q) : far ? static_cast<u32>(bits) : 0;
            out.coded |= static_cast<u32>(coded) << (i + k);
            all_far |= static_cast<u32>(far) << (i + k);
            out.max_error = coded ? larger(out.max_error, error) : out.max_error;
            same &= !there | (bits == first);
            odd_bits = is_odd_one & (odd == 0) ? bits : odd_bits;
            odd |= static_cast<u32>(is_odd_one) << (i + k);
        }
        // The lane's own row, as far as it has been read.
        *reinterpret_cast<uint4 *>(codes + code_at(lane, i)) =
            make_uint4(code[0], code[1], code[2], code[3]);
    }
    if constexpr (sizeof(T) == 4)
    {
        for (u32 rest = all_far; rest; rest &= rest - 1)
        {
            const u32 i = __ffs(rest) - 1;
            u32 *const place = codes + code_at(lane, i);
            i32 q = 0;
            float error = 0;
            const bool coded = far_code(value_of(*place), z, q, error);
            *place = coded ? static_cast<u32>(q) : 0;
            out.coded |= static_cast<u32>(coded) << i;
            out.max_error = coded ? larger(out.max_error, error) : out.max_error;
        }
    }
    const u32 with = tile_ballot(odd != 0, lane);
    out.special = tile_broadcast(odd_bits, with ? __ffs(with) - 1 : 0);
    out.odd = with != 0;
    for (u32 rest = odd; rest; rest &= rest - 1)
    {
        const u32 i = __ffs(rest) - 1;
        out.masked |= static_cast<u32>(bits_of(row(i)) == out.special) << i;
    }
    const u32 codes_in_tile = tile_ballot(out.coded != 0, lane);
    const u32 differs = tile_ballot(!same, lane);
    out.constant = codes_in_tile == 0 && differs == 0;
    out.special = out.constant ? first : out.special;
}

/// Adds the range and the special elements of the warp's tiles to its own tally.
template <class T, class Row>
FSZ_DEVICE void count_all(const Row &row, u32 present, const Missing<T> &missing, Tally *tally)
{
    using Bits = typename Element<T>::Bits;
    Bits max_key = 0, min_key = 0;
    u32 nan = 0, inf = 0, named = 0;
#pragma unroll 2
    for (u32 i = 0; i < BLOCK; ++i)
    {
        const T d = row(i);
        const bool there = present >> i & 1;
        const bool is_named = missing.is(bits_of(d));
        const bool finite = is_finite(d);
        named += there & is_named;
        nan += there & !is_named & is_nan(d);
        inf += there & !is_named & !finite & !is_nan(d);
        const bool ordinary = there & !is_named & finite;
        const Bits key = order_key(d);
        max_key = ordinary ? max(max_key, key) : max_key;
        min_key = ordinary ? max(min_key, static_cast<Bits>(~key)) : min_key;
    }
    max_key = warp_max(max_key);
    min_key = warp_max(min_key);
    nan = __reduce_add_sync(WARP_ALL, nan);
    inf = __reduce_add_sync(WARP_ALL, inf);
    named = __reduce_add_sync(WARP_ALL, named);
    if (lane_id() == 0)
    {
        tally->max_key = max(tally->max_key, static_cast<u64>(max_key));
        tally->min_key = max(tally->min_key, static_cast<u64>(min_key));
        tally->nan += nan;
        tally->inf += inf;
        tally->missing += named;
    }
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

/// What stands before a block in its chain.
struct Before
{
    /// The code before, and its first difference.
    i32 code;
    i32 slope;
    /// Codes of the block.
    u32 count;
};

FSZ_DEVICE Before read_before(const u32 *codes, u32 length, u32 lane)
{
    const u32 block = lane & 7;
    Before before{0, 0, 0};
    before.count = min(max(static_cast<i32>(length - BLOCK * block), 0), static_cast<i32>(BLOCK));
    if (block > 0)
    {
        before.code = static_cast<i32>(codes[code_at(lane - 1, 31)]);
        before.slope = before.code - static_cast<i32>(codes[code_at(lane - 1, 30)]);
    }
    return before;
}

/// Writes the codes of each tile together, in their order; those of the lane's block come after
/// `before` others. `codes` is at a multiple of 4096 in shared memory.
FSZ_DEVICE void write_chains(u32 *codes, const i32 (&q)[BLOCK], u32 coded, u32 before, u32 lane)
{
    u32 at = static_cast<u32>(__cvta_generic_to_shared(codes)) + 4 * ((lane & 24) * BLOCK + before);
#pragma unroll
    for (u32 i = 0; i < BLOCK; ++i)
    {
        if (coded & 1u << i)
        {
            // Where code_at has the code: bits 7 to 9 of the address are its row in the tile.
            asm volatile("st.shared.u32 [%0], %1;" ::"r"(at ^ (at >> 3 & 0x70)), "r"(q[i])
                         : "memory");
            at += 4;
        }
    }
}

/// The words of a tile's cheapest variant.
struct Choice
{
    u32 rate;
    u32 words;
    bool order2;
    bool centered;
};

/// What each variant costs, and the cheapest one. Leaves first differences (the first code itself
/// in block 0) in place of the codes.
FSZ_DEVICE Choice choose_any(u32 *codes, u32 length, u32 lane)
{
    const u32 block = lane & 7;
    const Before before = read_before(codes, length, lane);
    const i32 q0 = static_cast<i32>(codes[code_at(lane, 0)]);
    const i32 q1 = static_cast<i32>(codes[code_at(lane, 1)]);
    const bool pair = before.count > 1;
    __syncwarp();
    // Block 0 continues the line through its first two codes to the left: what its first two
    // residuals add comes below.
    i32 last = block > 0 ? before.code : pair ? 2 * q0 - q1 : q0;
    i32 slope = block > 0 ? before.slope : q0 - last;
    u32 first = 0, second = 0;
    u32 i = 0;
#pragma unroll 1
    for (; i + 4 <= before.count; i += 4)
    {
        int4 *const at = reinterpret_cast<int4 *>(codes + code_at(lane, i));
        const int4 q = *at;
        const int4 d = make_int4(q.x - last, q.y - q.x, q.z - q.y, q.w - q.z);
        *at = d;
        first |= abs(d.x) | abs(d.y) | abs(d.z) | abs(d.w);
        second |= abs(d.x - slope) | abs(d.y - d.x) | abs(d.z - d.y) | abs(d.w - d.z);
        last = q.w;
        slope = d.w;
    }
#pragma unroll 1
    for (; i < before.count; ++i)
    {
        u32 *const at = codes + code_at(lane, i);
        const i32 q = static_cast<i32>(*at);
        const i32 d = q - last;
        *at = static_cast<u32>(d);
        first |= abs(d);
        second |= abs(d - slope);
        last = q;
        slope = d;
    }
    u32 rate1 = rate_of_bits(first), rate2 = rate_of_bits(second);
    const u32 rate1c = rate1;
    u32 rate2c = rate2;
    if (block == 0 && before.count > 0)
    {
        codes[code_at(lane, 0)] = static_cast<u32>(q0);
        rate1 = rate_of_bits(first | abs(q0));
        rate2 = rate_of_bits(second | abs(q0) | (pair ? abs(q1 - 2 * q0) : 0));
        rate2c = rate_of_bits(second | (pair ? abs(q1 - q0) : 0));
    }
    __syncwarp();
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

/// Writes µ and the lane's block, of which `count` codes exist, at `place` of `sink`. Returns their
/// share of the tile's checksum, of which the first word has the weight `first`. `differences` is
/// what `choose_any` left.
template <class Sink>
FSZ_DEVICE u32 emit_block(const Sink &sink, u32 place, const u32 *differences, u32 count, u32 rate,
                          bool order2, bool centered, u32 first)
{
    const u32 lane = lane_id();
    i32 l[BLOCK];
    read_codes(differences, lane, l);
    const i32 slope = (lane & 7) > 0 ? static_cast<i32>(differences[code_at(lane - 1, 31)]) : 0;
    u32 sum = 0;
    if (centered)
    {
        sink.put(place++, static_cast<u32>(l[0]));
        sum = static_cast<u32>(l[0]) * first;
        first += 2;
        l[0] = 0;
    }
    const i32 factor = order2 ? -1 : 0;
#pragma unroll
    for (u32 i = 31; i > 0; --i)
    {
        l[i] += factor * l[i - 1];
    }
    l[0] += factor * slope;
    // Bits of elements that exist.
    const u32 mask = ~(count >= 32 ? 0 : ~0u >> count);
    u32 *const out = sink.block(place);
    if (__any_sync(WARP_ALL, rate > 15))
    {
        u32 planes[32];
        planes31(l, planes);
#pragma unroll
        for (u32 k = 0; k < 32; ++k)
        {
            planes[k] &= mask;
        }
        sum += store_planes<31>(out, rate, planes[31], planes, first);
    }
    else
    {
        u32 sign, planes[15];
        planes15(l, sign, planes);
        sign &= mask;
#pragma unroll
        for (u32 k = 0; k < 15; ++k)
        {
            planes[k] &= mask;
        }
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
    if (__any_sync(WARP_ALL, rate > 0 || centered))
    {
        const i32 left = f.kind == EXCEPTIONS ? static_cast<i32>(f.chain - BLOCK * block) : 0;
        const u32 count = static_cast<u32>(max(left, 0));
        sum = emit_block(sink, place, codes, count, rate, top & ORDER2, centered,
                         weight(place + shift));
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
