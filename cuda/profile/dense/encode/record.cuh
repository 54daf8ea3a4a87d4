// The record of escapes of a box (FORMAT.md, Dense: escapes).
#pragma once

#include "encode/arguments.cuh"
#include "profile/dense/chunk.cuh"
#include "profile/dense/encode/box/span.cuh"

namespace fsz
{

/// Writes the bits of an element as words, the low one first.
FSZ_DEVICE void put_words(u32 *to, u32 bits) { to[0] = bits; }
FSZ_DEVICE void put_words(u32 *to, u64 bits)
{
    to[0] = static_cast<u32>(bits);
    to[1] = static_cast<u32>(bits >> 32);
}

/// What a record tells: the mask and the bits of what is masked, and how many elements are listed.
template <class Bits> struct Escaped
{
    u32 mask;
    Bits pattern;
    u32 listed;
};

/// Writes the record of a box of which the elements are listed whose bits at `bits` are set; gives
/// its words, 0 where there is nothing to tell. Called by a warp. Apart, since what calls it has
/// much else to keep.
template <class T>
__device__ __noinline__ u32 write_record(BoxSpan<T> span, const Missing<T> *missing, u32 *to,
                                         Escaped<typename Element<T>::Bits> escaped,
                                         const u32 *bits)
{
    together();
    constexpr u32 WORDS = Element<T>::WORDS;
    const u32 lane = lane_id(), listed = escaped.listed;
    if (escaped.mask == MASK_NONE && listed == 0)
    {
        return 0;
    }
    const auto pattern = escaped.pattern;
    const u32 number = escaped.mask == MASK_NONE || pattern == Element<T>::QUIET_NAN ? PATTERN_NAN
                       : pattern == Element<T>::NEGATIVE_NAN               ? PATTERN_NEGATIVE_NAN
                       : missing->count > 0 && pattern == missing->bits[0] ? PATTERN_FIRST_MISSING
                                                                           : PATTERN_IN_PAYLOAD;
    const u32 head = number | escaped.mask << 2 | listed << 16;
    const EscapeRecord<WORDS> record(head);
    u32 *const positions = to + record.positions();
    if (lane == 0)
    {
        to[0] = head;
        if (record.pattern_words() > 0)
        {
            put_words(to + 1, pattern);
        }
        if (listed % 2 == 1)
        {
            positions[listed / 2] = 0;
        }
    }
    __syncwarp();
    const SmallDivisor row_of(span.n[2]), plane_of(span.n[1]);
    const u32 len = span.len();
    u32 done = 0;
#pragma unroll 1
    for (u32 from = 0; listed > 0 && from < len; from += 32)
    {
        const u32 word = bits[from / 32];
        if (word >> lane & 1)
        {
            const u32 k = done + __popc(word & ((1u << lane) - 1));
            const u32 at = from + lane;
            reinterpret_cast<u16 *>(positions)[k] = static_cast<u16>(at);
            put_words(to + record.bits() + k * WORDS,
                      bits_of(__ldg(span.at({row_of, plane_of, at}))));
        }
        done += __popc(word);
    }
    __syncwarp();
    return record.words();
}

} // namespace fsz
