// Which elements of a block have codes, which are masked, and which must be listed (FORMAT.md,
// Quantize and Escapes).
#pragma once

#include "profile/paper/encode/code_block.cuh"

namespace fsz
{

/// What `classify_escaped` could not tell.
struct Doubts
{
    /// It is not sure of the tile at all.
    bool unsure;
    /// Some elements might have codes beyond FUSED_REACH.
    bool far;
};

/// Finds out about the escaped elements of a block: which are masked, and whether the tile is
/// constant. `named` are those equal to `name`.
template <class Z, class Row>
FSZ_DEVICE Doubts classify_escaped(const Row &row, const BlockTask<Z> &task, u32 named,
                                   typename Z::Value name, Classified<Z> &out)
{
    using T = typename Z::Value;
    using Bits = typename Element<T>::Bits;
    const u32 escaped = task.present & ~out.coded;
    const u32 with = tile_ballot(escaped != 0, task.lane);
    const u32 codes_in_tile = tile_ballot(out.coded != 0, task.lane);
    // If the tile's first escaped element is odd, it gives the mask.
    const Bits mine = escaped ? bits_of(row(__ffs(escaped) - 1)) : 0;
    out.special = tile_broadcast(mine, with ? __ffs(with) - 1 : 0);
    out.odd = with && is_odd(value_of(out.special), task.missing);
    out.masked = named;
    if (__any_sync(WARP_ALL, out.odd && (is_nan(name) || out.special != bits_of(name))))
    {
        out.masked = find_special<T>(row, out.special, task.codes, task.lane);
    }
    out.masked &= out.odd ? escaped : 0;
    bool sure = true, far_ones = false;
    for (u32 rest = escaped & ~out.masked; rest; rest &= rest - 1)
    {
        const T d = row(__ffs(rest) - 1);
        i32 code;
        typename Z::Error error;
        bool far;
        try_code(d, task.z, code, error, far);
        const bool odd = is_odd(d, task.missing);
        sure &= !odd || out.odd;
        far_ones |= far && !odd;
    }
    out.constant = tile_ballot(out.masked != task.present, task.lane) == 0 && out.odd;
    // Other constant tiles are found by looking at their elements.
    sure &= !with || codes_in_tile || out.odd;
    return {!sure, far_ones};
}

/// Finds the codes of elements beyond FUSED_REACH.
template <class Z, class Row>
FSZ_DEVICE void code_far(const Row &row, const BlockTask<Z> &task, u32 candidates,
                         Classified<Z> &out)
{
    using T = typename Z::Value;
    if constexpr (CODES_IN_PLACE<T>)
    {
        for (u32 rest = candidates; rest; rest &= rest - 1)
        {
            const u32 i = __ffs(rest) - 1;
            const T d = row(i);
            i32 q;
            typename Z::Error error;
            if (!is_odd(d, task.missing) && far_code(d, task.z, q, error))
            {
                task.codes[code_at(task.lane, i)] = static_cast<u32>(q);
                out.coded |= 1u << i;
                out.max_error = larger(out.max_error, error);
            }
        }
        __syncwarp();
    }
}

/// Leaves the codes of a block where its elements are, which are longer.
template <class Z, class Row> FSZ_DEVICE void write_codes(const Row &row, const BlockTask<Z> &task)
{
    using T = typename Z::Value;
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
            typename Z::Error error;
            bool far;
            try_code(d[k], task.z, q[k], error, far);
        }
        *reinterpret_cast<int4 *>(task.codes + code_at(task.lane, i)) =
            make_int4(q[0], q[1], q[2], q[3]);
    }
}

/// Classifies a block's elements, as long as what has no code is missing, NaN, infinite, or not far
/// beyond the bound; codes go to the lane's row. False in all lanes when it is not so in one, or
/// when it cannot tell: then the row holds nothing of use.
template <class Z, class Row>
FSZ_DEVICE bool classify_near(const Row &row, const BlockTask<Z> &task, Classified<Z> &out)
{
    using T = typename Z::Value;
    const T name = first_name(task.missing);
    const bool known = task.missing.count <= 1 && name != 0;
    bool sure = known;
    u32 named = 0;
    out = Classified<Z>{};
    code_block(row, task, name, out, named);
    out.coded &= task.present;
    // A second time if elements beyond FUSED_REACH have to be looked at.
#pragma unroll 1
    for (bool resolved = !CODES_IN_PLACE<T>;; resolved = true)
    {
        sure = known;
        if (!__any_sync(WARP_ALL, (task.present & ~out.coded) != 0))
        {
            break;
        }
        const Doubts doubts = classify_escaped(row, task, named, name, out);
        sure &= !doubts.unsure;
        if (resolved || !__any_sync(WARP_ALL, doubts.far))
        {
            break;
        }
        code_far(row, task, task.present & ~out.coded & ~out.masked, out);
    }
    if (!__all_sync(WARP_ALL, sure))
    {
        return false;
    }
    if constexpr (!CODES_IN_PLACE<T>)
    {
        write_codes(row, task);
    }
    return true;
}

/// Classifies a block's elements, whatever they are, and leaves its codes (0 where there is none)
/// in the lane's row.
template <class Z>
FSZ_DEVICE void classify_any(const DeviceRow<typename Z::Value> &row, const BlockTask<Z> &task,
                             Classified<Z> &out)
{
    using T = typename Z::Value;
    using Bits = typename Element<T>::Bits;
    const u32 present = task.present;
    const Bits first = tile_broadcast(bits_of(row(0)));
    u32 odd = 0, all_far = 0;
    Bits odd_bits = 0;
    bool same = true;
    out = Classified<Z>{};
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
            const bool is_odd_one = there & is_odd(d[k], task.missing);
            i32 q;
            typename Z::Error error;
            bool far;
            const bool coded = try_code(d[k], task.z, q, error, far) & there & !is_odd_one;
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
        *reinterpret_cast<uint4 *>(task.codes + code_at(task.lane, i)) =
            make_uint4(code[0], code[1], code[2], code[3]);
    }
    if constexpr (sizeof(T) == 4)
    {
        for (u32 rest = all_far; rest; rest &= rest - 1)
        {
            const u32 i = __ffs(rest) - 1;
            u32 *const place = task.codes + code_at(task.lane, i);
            i32 q = 0;
            typename Z::Error error{};
            const bool coded = far_code(value_of(*place), task.z, q, error);
            *place = coded ? static_cast<u32>(q) : 0;
            out.coded |= static_cast<u32>(coded) << i;
            out.max_error = coded ? larger(out.max_error, error) : out.max_error;
        }
    }
    const u32 with = tile_ballot(odd != 0, task.lane);
    out.special = tile_broadcast(odd_bits, with ? __ffs(with) - 1 : 0);
    out.odd = with != 0;
    for (u32 rest = odd; rest; rest &= rest - 1)
    {
        const u32 i = __ffs(rest) - 1;
        out.masked |= static_cast<u32>(bits_of(row(i)) == out.special) << i;
    }
    const u32 codes_in_tile = tile_ballot(out.coded != 0, task.lane);
    const u32 differs = tile_ballot(!same, task.lane);
    out.constant = codes_in_tile == 0 && differs == 0;
    out.special = out.constant ? first : out.special;
}

/// Adds the range and the special elements of the warp's tiles to its own statistics.
template <class T, class Row>
FSZ_DEVICE void count_all(const Row &row, u32 present, const Missing<T> &missing,
                          Statistics *statistics)
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
        const bool finite = is_number(d);
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
        statistics->max_key = max(statistics->max_key, static_cast<u64>(max_key));
        statistics->min_key = max(statistics->min_key, static_cast<u64>(min_key));
        statistics->nan += nan;
        statistics->inf += inf;
        statistics->missing += named;
    }
}

} // namespace fsz
