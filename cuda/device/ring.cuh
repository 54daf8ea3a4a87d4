// Where a warp of the fast compress kernel keeps payload whose place is not known yet.
#pragma once

#include "device/hopper.cuh"

namespace fsz
{

/// Rounds of payload, one behind the other in a circle of shared memory, each in one piece: one
/// that does not fit before the end lies at the beginning. The words themselves are not touched.
template <u32 WORDS> struct Ring
{
    /// Behind the newest round, and the oldest one's begin, unless it did not fit there.
    u32 head = 0;
    u32 tail = 0;
    /// Words of all rounds.
    u32 used = 0;

    /// Where a round behind word `at` begins.
    FSZ_DEVICE u32 begin(u32 at, u32 length) const { return at + length > WORDS ? 0 : at; }

    FSZ_DEVICE bool has_room(u32 length)
    {
        if (used == 0)
        {
            // Empty rounds, which there may be, lie anywhere.
            head = 0;
            tail = 0;
            return true;
        }
        return tail < head ? head + length <= WORDS || length <= tail : head + length <= tail;
    }

    /// A newest round.
    FSZ_DEVICE void push(u32 length)
    {
        head = begin(head, length) + length;
        used += length;
    }

    /// No more the oldest round.
    FSZ_DEVICE void pop(u32 length)
    {
        tail = begin(tail, length) + length;
        used -= length;
    }
};

/// A round in shared memory. Its address says what memory it is in also where a function is not
/// inlined.
struct SharedSink
{
    u32 address;

    FSZ_DEVICE u32 *words() const { return static_cast<u32 *>(__cvta_shared_to_generic(address)); }

    FSZ_DEVICE void put(u32 at, u32 word) const { words()[at] = word; }

    FSZ_DEVICE void put_byte(u32 at, u32 k, u32 byte) const
    {
        reinterpret_cast<u8 *>(words() + at)[k] = static_cast<u8>(byte);
    }

    FSZ_DEVICE bool has_room() const { return true; }

    /// The words from `at` on.
    FSZ_DEVICE const u32 *from(u32 at) const { return words() + at; }

    /// Room for a block.
    FSZ_DEVICE u32 *block(u32 at) const { return words() + at; }
};

/// Copies a round to where it belongs, a warp together.
FSZ_DEVICE void copy_out(const u32 *from, u32 *to, u32 length, u32 lane)
{
    from += lane;
    to += lane;
#pragma unroll 1
    for (i32 left = static_cast<i32>(length); left > 0; left -= 128, from += 128, to += 128)
    {
        u32 word[4];
#pragma unroll
        for (i32 k = 0; k < 4; ++k)
        {
            word[k] = static_cast<i32>(lane) + 32 * k < left ? from[32 * k] : 0;
        }
#pragma unroll
        for (i32 k = 0; k < 4; ++k)
        {
            if (static_cast<i32>(lane) + 32 * k < left)
            {
                __stcs(to + 32 * k, word[k]);
            }
        }
    }
}

} // namespace fsz
