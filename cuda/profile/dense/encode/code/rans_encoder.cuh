// The coder's 32 states as an encoder has them, one a lane; it writes backwards (FORMAT.md, Dense:
// coder).
#pragma once

#include "device/bits.cuh"
#include "device/past_first.cuh"
#include "profile/dense/symbols.cuh"

namespace fsz
{

/// What an encoder knows of a symbol of a context. A symbol that the context lacks has the row of
/// its escape, and says so. The same struct is `SymbolRow` in crates/fsz/src/cuda/kernels/abi.rs.
struct SymbolRow
{
    /// That of the frequency, for a division.
    u32 reciprocal;
    /// Added to the state: the symbol's first slot, and what a division by 1 lacks.
    u16 start;
    /// The frequency, and whether it is that of the escape in the symbol's place.
    u16 frequency;
};

constexpr u32 ROW_ESCAPES = 0x8000;

using SymbolRows = SymbolRow[DENSE_CONTEXTS][SYMBOLS_MOST];

/// A residual as a symbol; the number of raw bits behind it, and these.
struct CodedSymbol
{
    u32 symbol;
    u32 bits;
    u32 raw;
};

FSZ_DEVICE CodedSymbol residual_symbol(i32 r)
{
    const u32 size = static_cast<u32>(abs(r));
    if (size <= DENSE_DIRECT)
    {
        return {static_cast<u32>(r + static_cast<i32>(DENSE_DIRECT)), 0, 0};
    }
    const u32 bits = bits_of_number(size);
    return {RESIDUAL_FIRST_CLASS + bits - RESIDUAL_CLASS_BITS, bits,
            (size - (1u << (bits - 1))) << 1 | (r < 0 ? 1 : 0)};
}

FSZ_DEVICE CodedSymbol difference_symbol(i32 l)
{
    const u32 z = static_cast<u32>(l) << 1 ^ static_cast<u32>(l >> 31);
    if (z < DENSE_LORENZO_DIRECT)
    {
        return {z, 0, 0};
    }
    const u32 bits = bits_of_number(z);
    return {DENSE_LORENZO_DIRECT + bits - DIFFERENCE_CLASS_BITS, bits - 1, z ^ 1u << (bits - 1)};
}

struct RansEncoder
{
    static constexpr bool WRITES = true;
    const SymbolRows *rows;
    u32 state;
    /// Half words that are free before those that are written.
    u32 at;
    u16 *halves;
    /// This lane and those behind it.
    u32 from_here;
    /// Where the rows of residuals and the ring of events are in shared memory.
    u32 packed_rows;
    u32 ring;

    /// Half a word of a lane, and where it goes.
    struct Half
    {
        u32 low;
        u32 place;
        bool there;
    };

    /// Takes half a word from the state of each lane of `full`.
    FSZ_DEVICE Half take_half(bool full)
    {
        const u32 votes = __ballot_sync(WARP_ALL, full);
        // The low half: the store would hold the state until it has read it.
        const Half half{__byte_perm(state, 0, 0x4410), at - __popc(votes & from_here), full};
        at -= __popc(votes);
        state = full ? state >> 16 : state;
        return half;
    }

    FSZ_DEVICE void write(const Half &half)
    {
        store_past_first_if(half.there, halves + half.place, static_cast<u16>(half.low));
    }

    /// Half a word of each lane of `full`.
    FSZ_DEVICE void put(bool full) { write(take_half(full)); }

    /// Raw bits of the lanes that have some.
    FSZ_DEVICE void raw(u32 bits, u32 raw)
    {
        if (__any_sync(WARP_ALL, bits > 0))
        {
            // Seldom more than once: what is written once is at hand.
#pragma unroll 1
            for (u32 from = 3 * DENSE_RAW_BITS; from > 0;)
            {
                from -= DENSE_RAW_BITS;
                const u32 own = bits > from ? min(bits - from, DENSE_RAW_BITS) : 0;
                put(own > 0 && state >= 1u << (31 - own));
                state = state << own | (own > 0 ? raw >> from & ((1u << own) - 1) : 0);
            }
        }
    }

    /// The symbol of the lane, if it is active.
    FSZ_DEVICE void symbol(bool active, const SymbolRow &row)
    {
        const u32 frequency = row.frequency & (ROW_ESCAPES - 1);
        put(active && state >= frequency << (31 - DENSE_SLOT_BITS));
        const u32 shift = frequency > 1 ? 31 - __clz(frequency - 1) : 0;
        const u32 quotient = __umulhi(state, row.reciprocal) >> shift;
        const u32 next = state + quotient * (DENSE_SLOTS - frequency) + row.start;
        state = active ? next : state;
    }

    FSZ_DEVICE void residual(bool active, u32 context, i32 r)
    {
        CodedSymbol own = active ? residual_symbol(r) : CodedSymbol{0, 0, 0};
        const SymbolRow row = (*rows)[context][own.symbol];
        if (row.frequency & ROW_ESCAPES)
        {
            own.bits = DENSE_RESIDUAL_ESCAPE_BITS;
            own.raw = static_cast<u32>(abs(r)) << 1 | (r < 0 ? 1 : 0);
        }
        raw(active ? own.bits : 0, own.raw);
        symbol(active, row);
    }

    FSZ_DEVICE void difference(bool active, u32 context, i32 l)
    {
        CodedSymbol own = active ? difference_symbol(l) : CodedSymbol{0, 0, 0};
        const SymbolRow row = (*rows)[context][own.symbol];
        if (row.frequency & ROW_ESCAPES)
        {
            own.bits = 32;
            own.raw = static_cast<u32>(l) << 1 ^ static_cast<u32>(l >> 31);
        }
        raw(active ? own.bits : 0, own.raw);
        symbol(active, row);
    }

    FSZ_DEVICE void flag(bool active, u32 context, u32 flag)
    {
        symbol(active, (*rows)[context][active ? flag : 0]);
    }
};

/// How often symbols are met, in place of coding them.
struct SymbolCounter
{
    static constexpr bool WRITES = false;
    /// Counts of all contexts, in shared memory.
    u32 (*histogram)[SYMBOLS_MOST];
    u32 raw_bits;

    FSZ_DEVICE void take(bool active, u32 context, const CodedSymbol &own)
    {
        if (active)
        {
            atomicAdd(&histogram[context][own.symbol], 1);
            raw_bits += own.bits;
        }
    }

    FSZ_DEVICE void residual(bool active, u32 context, i32 r)
    {
        take(active, context, residual_symbol(r));
    }

    FSZ_DEVICE void difference(bool active, u32 context, i32 l)
    {
        take(active, context, difference_symbol(l));
    }

    FSZ_DEVICE void flag(bool active, u32 context, u32 flag)
    {
        take(active, context, {flag, 0, 0});
    }
};

} // namespace fsz
