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
    /// The symbol that begins in a slot.
    alignas(16) u8 begins[DENSE_SLOTS];
    u16 first[64];
};

/// Writes the words of the slots of a context. Called by a warp.
FSZ_DEVICE void expand_slots(const u16 *frequencies, u32 context, u32 *slots, SlotExpansion &work,
                             u32 lane)
{
    constexpr u32 OWN = DENSE_SLOTS / 32;
    static_assert(OWN == 16, "the slots of a lane are read at once");
    const u32 low = frequencies[lane];
    const u32 high = lane + 32 < SYMBOLS_MOST ? frequencies[lane + 32] : 0;
    const u32 low_end = warp_inclusive(low, lane);
    const u32 high_end = __shfl_sync(WARP_ALL, low_end, 31) + warp_inclusive(high, lane);
    reinterpret_cast<uint4 *>(work.begins)[lane] = uint4{0, 0, 0, 0};
    work.first[lane] = static_cast<u16>(low_end - low);
    work.first[lane + 32] = static_cast<u16>(high_end - high);
    __syncwarp();
    if (low > 0)
    {
        work.begins[low_end - low] = static_cast<u8>(lane);
    }
    if (high > 0)
    {
        work.begins[high_end - high] = static_cast<u8>(lane + 32);
    }
    __syncwarp();
    // Symbols rise from slot to slot: that of a slot is the largest that begins at or before it.
    u32 largest = 0;
    for (u32 k = 0; k < OWN; ++k)
    {
        largest = max(largest, static_cast<u32>(work.begins[OWN * lane + k]));
    }
#pragma unroll
    for (u32 step = 1; step < 32; step *= 2)
    {
        const u32 other = __shfl_up_sync(WARP_ALL, largest, step);
        largest = lane >= step ? max(largest, other) : largest;
    }
    u32 symbol = __shfl_up_sync(WARP_ALL, largest, 1);
    symbol = lane > 0 ? symbol : 0;
    const u32 first_number = context < FIRST_DIFFERENCE ? RESIDUAL_FIRST : DIFFERENCE_FIRST;
    for (u32 k = 0; k < OWN; ++k)
    {
        const u32 slot = OWN * lane + k;
        symbol = max(symbol, static_cast<u32>(work.begins[slot]));
        slots[slot] = (slot - work.first[symbol]) << SLOT_PLACE_SHIFT |
                      (symbol + first_number) << SLOT_NUMBER_SHIFT | frequencies[symbol];
    }
    __syncwarp();
}

} // namespace fsz
