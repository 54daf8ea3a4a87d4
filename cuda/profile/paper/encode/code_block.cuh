// The codes of a block's elements, before it is known which of the others are masked.
#pragma once

#include "profile/paper/encode/codes.cuh"
#include "profile/paper/encode/try_code.cuh"

namespace fsz
{

/// What became of a block's elements, element i at bit i.
template <class Z> struct Classified
{
    using T = typename Z::Value;

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
    typename Z::Error max_error;
};

/// A lane's block as it is classified.
template <class Z> struct BlockTask
{
    using T = typename Z::Value;

    /// Elements that exist, element i at bit i.
    u32 present;
    /// The warp's codes, of which a row is the lane's; they may be where the elements are.
    u32 *codes;
    Z z;
    Missing<T> missing;
    u32 lane;
};

/// Whether an element is missing, NaN or infinite.
template <class T> FSZ_DEVICE bool is_odd(T d, const Missing<T> &missing)
{
    return !is_number(d) || missing.is(bits_of(d));
}

/// The first of the named missing values, or NaN, which equals nothing.
template <class T> FSZ_DEVICE T first_name(const Missing<T> &missing)
{
    return missing.count > 0 ? value_of(missing.bits[0]) : value_of(Element<T>::QUIET_NAN);
}

/// Where an element is as long as a code, its bits keep the place of the code that it has not got.
template <class T> constexpr bool CODES_IN_PLACE = sizeof(T) == 4;

/// Finds the codes of a block, and the elements that are `name`, told in `named`. Codes go to the
/// lane's row of the task's if they have room there.
template <class Z, class Row>
FSZ_DEVICE void code_block(const Row &row, const BlockTask<Z> &task, typename Z::Value name,
                           Classified<Z> &out, u32 &named)
{
    using T = typename Z::Value;
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
            typename Z::Error error;
            bool far;
            const bool coded = try_code(d[k], task.z, q, error, far) & (d[k] != name);
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
        if (CODES_IN_PLACE<T>)
        {
            *reinterpret_cast<uint4 *>(task.codes + code_at(task.lane, i)) =
                make_uint4(slot[0], slot[1], slot[2], slot[3]);
        }
    }
}

/// The elements of a block with the bits `special`, after `code_block`.
template <class T, class Row>
FSZ_DEVICE u32 find_special(const Row &row, typename Element<T>::Bits special, const u32 *codes,
                            u32 lane)
{
    u32 found = 0;
#pragma unroll 1
    for (u32 i = 0; i < BLOCK; i += 4)
    {
        u32 four = 0;
        if constexpr (CODES_IN_PLACE<T>)
        {
            const uint4 d = *reinterpret_cast<const uint4 *>(codes + code_at(lane, i));
            four = (d.x == special ? 1 : 0) | (d.y == special ? 2 : 0) | (d.z == special ? 4 : 0) |
                   (d.w == special ? 8 : 0);
        }
        else
        {
            T d[4];
            load_four(row, i, d);
#pragma unroll
            for (u32 k = 0; k < 4; ++k)
            {
                four |= bits_of(d[k]) == special ? 1u << k : 0;
            }
        }
        found |= four << i;
    }
    return found;
}

} // namespace fsz
