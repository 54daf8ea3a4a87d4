// The coder's 32 states as a decoder has them, one a lane (FORMAT.md, Dense: coder).
#pragma once

#include "profile/dense/box_memory.cuh"
#include "profile/dense/symbols.cuh"

namespace fsz
{

FSZ_DEVICE u32 slot_number(u32 word) { return word >> SLOT_NUMBER_SHIFT & SLOT_NUMBER; }

/// The states of a chunk. Between steps none is small: a lane without a symbol needs no half word.
struct RansDecoder
{
    u32 state;
    /// The half word that the lane takes if its state is small.
    u32 half;
    HalfWords words;

    /// Where the state's slot is among those of a context: bytes.
    FSZ_DEVICE u32 slot() const { return state << 2 & (SLOTS_BYTES - 1); }

    FSZ_DEVICE bool small() const { return state < DENSE_LOW; }

    /// Takes a symbol by its slot's word.
    FSZ_DEVICE void take(bool active, u32 word)
    {
        const u32 advanced =
            (word & SLOT_FREQUENCY) * (state >> DENSE_SLOT_BITS) + (word >> SLOT_PLACE_SHIFT);
        state = active ? advanced : state;
    }

    /// Asks for a half word for each lane whose state is small, ...
    FSZ_DEVICE void ask()
    {
        const u32 votes = __ballot_sync(WARP_ALL, small());
        half = words.half(words.at + 2 * __popc(votes & lanes_before()));
        words.at += 2 * __popc(votes);
    }

    /// ... and takes it, which may be later.
    FSZ_DEVICE void settle()
    {
        static_assert(DENSE_LOW == 1 << 15, "one half word refills a state");
        const u32 more = __byte_perm(half, state, 0x5410);
        state = small() ? more : state;
    }

    FSZ_DEVICE void refill()
    {
        ask();
        settle();
    }

    FSZ_DEVICE static u32 lanes_before()
    {
        u32 lanes;
        asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lanes));
        return lanes;
    }

    /// Raw bits from `from` on of a lane that has `bits` of them.
    FSZ_DEVICE u32 raw(u32 bits, u32 from)
    {
        const bool has = bits > from;
        const u32 own = has ? min(bits - from, DENSE_RAW_BITS) : 0;
        const u32 value = state & ((1u << own) - 1);
        state >>= own;
        refill();
        return has ? value << from : 0;
    }

    /// The flag of the lane, if it is active; `zeros` of the slots are 0.
    FSZ_DEVICE u32 flag(u32 zeros, bool active)
    {
        const u32 slot = state & (DENSE_SLOTS - 1);
        const bool one = slot >= zeros;
        const u32 frequency = one ? DENSE_SLOTS - zeros : zeros;
        const u32 advanced = frequency * (state >> DENSE_SLOT_BITS) + slot - (one ? zeros : 0);
        state = active ? advanced : state;
        refill();
        return active && one ? 1 : 0;
    }

    /// Makes sure of half words for two steps: at most two for each lane and step.
    FSZ_DEVICE void prepare()
    {
        static_assert(RING_PIECE == 2 * 2 * 32, "a step's half words are a piece at most");
        if (__any_sync(WARP_ALL, words.low()))
        {
            words.fill();
        }
    }

    /// Whether everything was read.
    FSZ_DEVICE bool ended() const
    {
        return __all_sync(WARP_ALL, state == DENSE_LOW) && words.at == words.end;
    }
};

/// The residual of a lane whose slot's word tells of raw bits, none of which has more than one
/// round; nothing of other lanes.
FSZ_DEVICE i32 long_residual(RansDecoder &rans, u32 word, bool longer)
{
    constexpr u32 ESCAPE = RESIDUAL_FIRST + RESIDUAL_ESCAPE;
    static_assert(ESCAPE - FIRST_LONG + RESIDUAL_CLASS_BITS == DENSE_RESIDUAL_ESCAPE_BITS,
                  "an escape has as many bits as the class behind the last");
    static_assert(DENSE_RESIDUAL_ESCAPE_BITS <= DENSE_RAW_BITS, "one round");
    const u32 number = slot_number(word);
    const u32 values = longer ? 1u << (number - FIRST_LONG + RESIDUAL_CLASS_BITS) : 1;
    const u32 raw = rans.state & (values - 1);
    rans.state >>= longer ? number - FIRST_LONG + RESIDUAL_CLASS_BITS : 0;
    rans.refill();
    const i32 size = static_cast<i32>((number == ESCAPE ? 0 : values >> 1) + (raw >> 1));
    return raw & 1 ? -size : size;
}

/// The rest of a difference of which the slot's word is known.
FSZ_DEVICE i32 difference(RansDecoder &rans, u32 word, bool active)
{
    rans.prepare();
    rans.take(active, word);
    rans.refill();
    const u32 symbol = slot_number(word) - DIFFERENCE_FIRST;
    u32 z = symbol;
    if (__any_sync(WARP_ALL, active && (word & SLOT_LONG) != 0))
    {
        const bool escape = symbol == DIFFERENCE_ESCAPE;
        const u32 class_bits = symbol - DENSE_LORENZO_DIRECT + DIFFERENCE_CLASS_BITS - 1;
        const u32 bits = !active || symbol < DENSE_LORENZO_DIRECT ? 0 : escape ? 32 : class_bits;
        u32 raw = rans.raw(bits, 0);
        if (__any_sync(WARP_ALL, bits > DENSE_RAW_BITS))
        {
            rans.prepare();
            raw |= rans.raw(bits, DENSE_RAW_BITS);
            raw |= rans.raw(bits, 2 * DENSE_RAW_BITS);
        }
        z = bits == 0 ? symbol : escape ? raw : 1u << class_bits | raw;
    }
    return active ? static_cast<i32>(z >> 1) ^ -static_cast<i32>(z & 1) : 0;
}

} // namespace fsz
