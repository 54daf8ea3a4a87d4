// What a decoder knows of the slots of a context.
#pragma once

#include "profile/dense/tables.cuh"

namespace fsz
{

/// A slot's word: the frequency of its symbol (bits 0 to 9), the symbol's number (bits 12 to 17),
/// and the slot's place among those of the symbol (from bit 22 on). Numbers with the bit SLOT_LONG
/// have raw bits behind.
constexpr u32 SLOT_FREQUENCY = 0x3FF;
constexpr u32 SLOT_NUMBER_SHIFT = 12;
constexpr u32 SLOT_NUMBER = 0x3F;
constexpr u32 SLOT_PLACE_SHIFT = 22;
constexpr u32 FIRST_LONG = 32;
constexpr u32 SLOT_LONG = FIRST_LONG << SLOT_NUMBER_SHIFT;
static_assert(DENSE_SLOTS <= SLOT_FREQUENCY, "room in a slot");

/// The numbers of symbols begin so that the first one with raw bits is FIRST_LONG; a residual
/// without is its number less RESIDUAL_BIAS.
constexpr u32 RESIDUAL_BIAS = DENSE_DIRECT + 1;
constexpr u32 RESIDUAL_FIRST = RESIDUAL_BIAS - DENSE_DIRECT;
constexpr u32 DIFFERENCE_FIRST = FIRST_LONG - DENSE_LORENZO_DIRECT;
static_assert(RESIDUAL_FIRST + 2 * DENSE_DIRECT + 1 == FIRST_LONG, "the first class of residuals");
static_assert(DENSE_RESIDUAL_SYMBOLS + RESIDUAL_FIRST <= SLOT_NUMBER &&
                  DENSE_DIFFERENCE_SYMBOLS + DIFFERENCE_FIRST <= SLOT_NUMBER,
              "room in a slot");

/// Shared memory in which a warp expands a context.
struct SlotExpansion
{
    /// The symbol of each slot; before that is known, the one that begins there.
    alignas(16) u8 symbols[DENSE_SLOTS];
    /// The word of each symbol's first slot, less that slot's number where its place is.
    u32 words[64];
};

/// Writes the words of the slots of a context. Called by a warp.
FSZ_DEVICE void expand_slots(const u16 *frequencies, u32 context, u32 *slots, SlotExpansion &work,
                             u32 lane)
{
    constexpr u32 OWN = DENSE_SLOTS / 32;
    static_assert(OWN == 16, "the slots of a lane are read at once");
    uint4 *const own_symbols = reinterpret_cast<uint4 *>(work.symbols) + lane;
    const u32 low = frequencies[lane];
    const u32 high = lane + 32 < SYMBOLS_MOST ? frequencies[lane + 32] : 0;
    const u32 low_end = warp_inclusive(low, lane);
    const u32 high_end = __shfl_sync(WARP_ALL, low_end, 31) + warp_inclusive(high, lane);
    const u32 first_number = context < FIRST_DIFFERENCE ? RESIDUAL_FIRST : DIFFERENCE_FIRST;
    const auto word = [&](u32 symbol, u32 first, u32 frequency) {
        return ((symbol + first_number) << SLOT_NUMBER_SHIFT | frequency) -
               (first << SLOT_PLACE_SHIFT);
    };
    *own_symbols = uint4{0, 0, 0, 0};
    work.words[lane] = word(lane, low_end - low, low);
    work.words[lane + 32] = word(lane + 32, high_end - high, high);
    __syncwarp();
    if (low > 0)
    {
        work.symbols[low_end - low] = static_cast<u8>(lane);
    }
    if (high > 0)
    {
        work.symbols[high_end - high] = static_cast<u8>(lane + 32);
    }
    __syncwarp();
    // Symbols rise from slot to slot: that of a slot is the largest that begins at or before it.
    const auto rise = [](u32 &bytes, u32 before) {
        const u32 first = max(before, bytes & 0xFF), second = max(first, bytes >> 8 & 0xFF);
        const u32 third = max(second, bytes >> 16 & 0xFF), last = max(third, bytes >> 24);
        bytes = first | second << 8 | third << 16 | last << 24;
        return last;
    };
    const auto rise_all = [&](uint4 &bytes, u32 before) {
        return rise(bytes.w, rise(bytes.z, rise(bytes.y, rise(bytes.x, before))));
    };
    uint4 own = *own_symbols;
    u32 before = rise_all(own, 0);
#pragma unroll
    for (u32 step = 1; step < 32; step *= 2)
    {
        const u32 other = __shfl_up_sync(WARP_ALL, before, step);
        before = lane >= step ? max(before, other) : before;
    }
    before = __shfl_up_sync(WARP_ALL, before, 1);
    rise_all(own, lane > 0 ? before : 0);
    *own_symbols = own;
    __syncwarp();
    const auto slot = [&](u32 symbol, u32 at) {
        return work.words[symbol] + (at << SLOT_PLACE_SHIFT);
    };
#pragma unroll
    for (u32 k = 0; k < OWN / 4; ++k)
    {
        const u32 first = 128 * k + 4 * lane;
        const uchar4 symbol = reinterpret_cast<const uchar4 *>(work.symbols)[32 * k + lane];
        reinterpret_cast<uint4 *>(slots)[32 * k + lane] =
            uint4{slot(symbol.x, first), slot(symbol.y, first + 1), slot(symbol.z, first + 2),
                  slot(symbol.w, first + 3)};
    }
    __syncwarp();
}

} // namespace fsz
