// The coder's 32 states as a decoder has them, one a lane (FORMAT.md, Dense: coder).
#pragma once

#include "profile/dense/tables.cuh"

namespace fsz
{

/// A residual from its symbol and raw bits, and how many of these there are.
constexpr u32 RESIDUAL_FIRST_CLASS = 2 * DENSE_DIRECT + 1;
constexpr u32 RESIDUAL_ESCAPE = DENSE_RESIDUAL_SYMBOLS - 1;
/// Bits of the smallest residual with a class.
constexpr u32 RESIDUAL_CLASS_BITS = 5;
static_assert(DENSE_DIRECT + 1 == 1 << (RESIDUAL_CLASS_BITS - 1), "the first class");
constexpr u32 DIFFERENCE_ESCAPE = DENSE_DIFFERENCE_SYMBOLS - 1;
constexpr u32 DIFFERENCE_CLASS_BITS = 5;
static_assert(DENSE_LORENZO_DIRECT == 1 << (DIFFERENCE_CLASS_BITS - 1), "the first class");

FSZ_DEVICE u32 residual_raw_bits(u32 symbol)
{
    return symbol < RESIDUAL_FIRST_CLASS ? 0
           : symbol == RESIDUAL_ESCAPE   ? DENSE_RESIDUAL_ESCAPE_BITS
                                         : symbol - RESIDUAL_FIRST_CLASS + RESIDUAL_CLASS_BITS;
}

FSZ_DEVICE i32 residual_value(u32 symbol, u32 raw)
{
    if (symbol < RESIDUAL_FIRST_CLASS)
    {
        return static_cast<i32>(symbol) - static_cast<i32>(DENSE_DIRECT);
    }
    const u32 top = symbol == RESIDUAL_ESCAPE ? 0 : 1u << (residual_raw_bits(symbol) - 1);
    const i32 size = static_cast<i32>(top + (raw >> 1));
    return raw & 1 ? -size : size;
}

FSZ_DEVICE u32 difference_raw_bits(u32 symbol)
{
    return symbol == DIFFERENCE_ESCAPE ? 32
           : symbol < DENSE_LORENZO_DIRECT
               ? 0
               : symbol - DENSE_LORENZO_DIRECT + DIFFERENCE_CLASS_BITS - 1;
}

FSZ_DEVICE i32 difference_value(u32 symbol, u32 raw)
{
    const u32 z = symbol == DIFFERENCE_ESCAPE     ? raw
                  : symbol < DENSE_LORENZO_DIRECT ? symbol
                                                  : 1u << difference_raw_bits(symbol) | raw;
    return static_cast<i32>(z >> 1) ^ -static_cast<i32>(z & 1);
}

/// The states of a chunk. Behind the end of its half words a decoder reads zeros; `ended` tells.
struct RansDecoder
{
    u32 state;
    /// Half words taken, and all that there are.
    u32 taken;
    u32 count;
    const u16 *halves;
    /// The lanes before this one.
    u32 before;

    /// A half word for each lane of `active` whose state is small.
    FSZ_DEVICE void refill(bool active)
    {
        const bool need = active && state < DENSE_LOW;
        const u32 votes = __ballot_sync(WARP_ALL, need);
        if (need)
        {
            const u32 at = taken + __popc(votes & before);
            const u32 half = at < count ? __ldg(halves + at) : 0;
            state = state << 16 | half;
        }
        taken += __popc(votes);
    }

    /// The symbol of the lane, if it is active; `slots` are those of its context.
    FSZ_DEVICE u32 symbol(bool active, u32 slot)
    {
        const u32 advanced =
            (slot & SLOT_FREQUENCY) * (state >> DENSE_SLOT_BITS) + (slot >> SLOT_PLACE_SHIFT);
        state = active ? advanced : state;
        refill(active);
        return slot >> SLOT_SYMBOL_SHIFT & 0xFF;
    }

    FSZ_DEVICE u32 slot() const { return state & (DENSE_SLOTS - 1); }

    /// Raw bits from `from` on of a lane that has `bits` of them.
    FSZ_DEVICE u32 raw(u32 bits, u32 from)
    {
        const bool has = bits > from;
        const u32 own = has ? min(bits - from, DENSE_RAW_BITS) : 0;
        const u32 value = state & ((1u << own) - 1);
        state >>= own;
        refill(has);
        return has ? value << from : 0;
    }

    FSZ_DEVICE bool ended() const
    {
        return __all_sync(WARP_ALL, state == DENSE_LOW) && taken == count;
    }
};

/// What the lane read, and the states behind it.
struct LongValue
{
    u32 state;
    u32 taken;
    i32 value;
};

/// The raw bits of a residual: none has more than one round. Seldom needed, so its code is kept out
/// of the way of the rest.
__device__ __noinline__ LongValue read_long_residual(RansDecoder rans, u32 symbol, bool active)
{
    const u32 raw = rans.raw(active ? residual_raw_bits(symbol) : 0, 0);
    return {rans.state, rans.taken, residual_value(symbol, raw)};
}

__device__ __noinline__ LongValue read_difference(RansDecoder rans, const u32 *slots, bool active)
{
    const u32 symbol = rans.symbol(active, __ldg(slots + rans.slot()));
    const u32 bits = active ? difference_raw_bits(symbol) : 0;
    u32 raw = 0;
    if (__any_sync(WARP_ALL, bits > 0))
    {
        for (u32 from = 0; from < 3 * DENSE_RAW_BITS; from += DENSE_RAW_BITS)
        {
            raw |= rans.raw(bits, from);
        }
    }
    return {rans.state, rans.taken, active ? difference_value(symbol, raw) : 0};
}

/// The difference of the lane, if it is active, in a context of differences; 0 of other lanes.
FSZ_DEVICE i32 difference(RansDecoder &rans, const u32 *slots, u32 context, bool active)
{
    const LongValue read =
        read_difference(rans, slots + ((FIRST_DIFFERENCE + context) << DENSE_SLOT_BITS), active);
    rans.state = read.state;
    rans.taken = read.taken;
    return read.value;
}

/// The flag of the lane, if it is active; 0 of other lanes.
FSZ_DEVICE u32 flag(RansDecoder &rans, const u32 *slots, u32 context, bool active)
{
    const u32 *const own = slots + ((FIRST_FLAG + context) << DENSE_SLOT_BITS);
    const u32 symbol = rans.symbol(active, __ldg(own + rans.slot()));
    return active ? symbol : 0;
}

} // namespace fsz
