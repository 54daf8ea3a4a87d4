// The coder's 32 states as a decoder has them, one a lane (FORMAT.md, Dense: coder).
#pragma once

#include "profile/dense/decode/box_memory.cuh"
#include "profile/dense/symbols.cuh"

namespace fsz
{

FSZ_DEVICE u32 slot_number(u32 word) { return word >> SLOT_NUMBER_SHIFT & SLOT_NUMBER; }

/// Raw bits that a lane takes behind a half word, and which lanes need another one then. A half
/// word and a state become a state by bytes: WITH_HALF or STATE_ALONE. (By predicates the compiler
/// would have the second vote wait for the first half word.)
struct RawBits
{
    static constexpr u32 WITH_HALF = 0x5410;
    static constexpr u32 STATE_ALONE = 0x7654;
    u32 bits;
    u32 votes;
    u32 first;
    u32 second;
};

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

    /// Of `bits` raw bits, DENSE_RAW_BITS at most. Whether the state needs a half word behind them
    /// is known before the one that it needs now is there.
    FSZ_DEVICE RawBits behind(u32 bits) const
    {
        static_assert(DENSE_LOW == 1 << 15, "behind raw bits what is small is so by its high half");
        const u32 filled = small() ? state << 16 : state;
        const bool again = filled < DENSE_LOW << bits;
        return {bits, __ballot_sync(WARP_ALL, again),
                small() ? RawBits::WITH_HALF : RawBits::STATE_ALONE,
                again ? RawBits::WITH_HALF : RawBits::STATE_ALONE};
    }

    /// Takes what was asked for, and raw bits, with the half words behind.
    FSZ_DEVICE u32 settle(const RawBits &raw)
    {
        const u32 next = words.half(words.at + 2 * __popc(raw.votes & lanes_before()));
        words.at += 2 * __popc(raw.votes);
        state = __byte_perm(half, state, raw.first);
        const u32 value = state & ((1u << raw.bits) - 1);
        state = __byte_perm(next, state >> raw.bits, raw.second);
        return value;
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
        const u32 own = flag_and_ask(zeros, active);
        settle();
        return own;
    }

    /// The same without half words, which are on their way.
    FSZ_DEVICE u32 flag_and_ask(u32 zeros, bool active)
    {
        const u32 slot = state & (DENSE_SLOTS - 1);
        const bool one = slot >= zeros;
        const u32 frequency = one ? DENSE_SLOTS - zeros : zeros;
        const u32 advanced = frequency * (state >> DENSE_SLOT_BITS) + slot - (one ? zeros : 0);
        state = active ? advanced : state;
        ask();
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

/// Differences of 32 bits are escapes, and as their class would be if it were one.
static_assert(DIFFERENCE_ESCAPE - DENSE_LORENZO_DIRECT + DIFFERENCE_CLASS_BITS - 1 == 32,
              "an escape has as many bits as the class behind the last");

/// 2^n modulo 2^32.
FSZ_DEVICE u32 power_of_two(u32 n)
{
    u32 power;
    asm("shl.b32 %0, 1, %1;" : "=r"(power) : "r"(n));
    return power;
}

/// The difference of which the slot's word is known; of a lane that is not active, nothing.
FSZ_DEVICE i32 difference(RansDecoder &rans, u32 word, bool active)
{
    rans.prepare();
    rans.take(active, word);
    const u32 number = slot_number(word);
    const bool longer = active && (word & SLOT_LONG) != 0;
    const u32 bits = longer ? number - FIRST_LONG + DIFFERENCE_CLASS_BITS - 1 : 0;
    const RawBits behind = rans.behind(min(bits, DENSE_RAW_BITS));
    rans.ask();
    u32 raw = rans.settle(behind);
    if (__any_sync(WARP_ALL, bits > DENSE_RAW_BITS))
    {
        rans.prepare();
        raw |= rans.raw(bits, DENSE_RAW_BITS);
        raw |= rans.raw(bits, 2 * DENSE_RAW_BITS);
    }
    const u32 z = longer ? power_of_two(bits) | raw : number - DIFFERENCE_FIRST;
    return static_cast<i32>(z >> 1) ^ -static_cast<i32>(z & 1);
}

} // namespace fsz
