// What predictors leave for a coder: the events of a box in device memory, and the ring in shared
// memory through which the coder reads them, from the last group of steps to the first.
#pragma once

#include "device/copies.cuh"
#include "device/hopper.cuh"
#include "profile/dense/symbols.cuh"
#include "profile/dense/tables.cuh"

namespace fsz
{

/// Steps whose events are copied at once, and bytes of theirs: 16 of each lane.
constexpr u32 GROUP_STEPS = 4;
constexpr u32 GROUP_BYTES = GROUP_STEPS * 32 * 4;
static_assert(GROUP_BYTES == 32 * 16, "a copy of each lane");
/// Groups in a ring: one that is read, and others on their way.
constexpr u32 RING_GROUPS = 3;
struct EventRing
{
    alignas(16) u8 groups[RING_GROUPS * GROUP_BYTES];
};

/// A residual and its context, a word: in the low half the number of its symbol's row, and in the
/// high one the residual. The rows of a grid's contexts lie beside each other for each residual
/// with a symbol of its own, and behind them for all others. A word without a residual is 0.
template <bool FINE> struct PlainEvent
{
    static constexpr u32 CONTEXTS = FINE ? DENSE_FINE_CONTEXTS : DENSE_COARSE_CONTEXTS;
    static constexpr u32 FIRST_CONTEXT = FINE ? 0 : DENSE_FINE_CONTEXTS;
    static constexpr u32 SHIFT = FINE ? 4 : 3;
    static_assert(CONTEXTS == 1 << SHIFT, "the bits of a context");
    /// The number of all others, behind that of the largest residual with a symbol of its own.
    static constexpr u32 OTHER = RESIDUAL_FIRST_CLASS;
    static_assert(OTHER == 2 * DENSE_DIRECT + 1, "behind those with a symbol of their own");
    static constexpr u32 ROWS = (OTHER + 1) << SHIFT;
    /// The first row: those of the finest grid stand before the coarser ones'.
    static constexpr u32 FIRST = 1 + (FINE ? 0 : (OTHER + 1) * DENSE_FINE_CONTEXTS);
    static_assert((FIRST - 1) % CONTEXTS == 0, "a row's last bits are its context");

    FSZ_DEVICE static u32 of(i32 r, u32 context)
    {
        const u32 number = min(static_cast<u32>(r + static_cast<i32>(DENSE_DIRECT)), OTHER);
        return __byte_perm(FIRST + (number << SHIFT) + context, static_cast<u32>(r), 0x5410);
    }
};

constexpr u32 NO_RESIDUAL = 0;
/// The same of other boxes, whose events are a context among all above a residual or flag.
constexpr u32 NO_EVENT = ~0u;
/// Rows of all events.
constexpr u32 EVENT_ROWS = PlainEvent<false>::FIRST + PlainEvent<false>::ROWS;

FSZ_DEVICE u32 event_row(u32 event) { return event & 0xFFFF; }
FSZ_DEVICE i32 event_residual(u32 event) { return static_cast<i32>(event) >> 16; }

/// The context of a row, among those of residuals.
FSZ_DEVICE u32 row_context(u32 row)
{
    using Fine = PlainEvent<true>;
    using Coarse = PlainEvent<false>;
    return row < Coarse::FIRST ? (row - Fine::FIRST) % Fine::CONTEXTS
                               : Coarse::FIRST_CONTEXT + (row - Coarse::FIRST) % Coarse::CONTEXTS;
}

/// The symbol of a row, or of the first class of those with raw bits for all others.
FSZ_DEVICE u32 row_symbol(u32 row)
{
    using Fine = PlainEvent<true>;
    using Coarse = PlainEvent<false>;
    return row < Coarse::FIRST ? (row - Fine::FIRST) >> Fine::SHIFT
                               : (row - Coarse::FIRST) >> Coarse::SHIFT;
}

/// Reads groups of a box's steps, from the last on. Called by a warp.
struct GroupsBack
{
    /// Groups on their way behind the one that is read.
    static constexpr u32 AHEAD = RING_GROUPS - 1;

    /// The lane's 16 bytes of the first group of the ring, and of the box's first group.
    u32 ring;
    const u32 *from;
    /// The group that is read, and its place in the ring, in bytes.
    u32 group;
    u32 place;

    /// Begins with the group `last` of the box whose events are at `events`.
    FSZ_DEVICE GroupsBack(u32 ring, const u32 *events, u32 last)
        : ring(ring + 16 * lane_id()), from(events + GROUP_STEPS * lane_id()), group(last),
          place(AHEAD * GROUP_BYTES)
    {
        // What is on its way of the box before would come to the places of this one's.
        wait_for_groups<0>();
        __syncwarp();
#pragma unroll
        for (u32 k = 0; k < RING_GROUPS; ++k)
        {
            ask(place - k * GROUP_BYTES, last, k);
        }
        wait();
    }

    /// Asks for the group that is so many before one; for the first group where there is none.
    FSZ_DEVICE void ask(u32 to, u32 of, u32 before)
    {
        begin_copy<16>(ring + to, from + (of > before ? of - before : 0) * (GROUP_BYTES / 4));
        group_copies();
    }

    /// Waits for the group that is read.
    FSZ_DEVICE void wait()
    {
        wait_for_groups<AHEAD>();
        __syncwarp();
    }

    /// Goes on to the group before; before the first one comes itself.
    FSZ_DEVICE void next()
    {
        // All lanes have read the one that was there.
        __syncwarp();
        ask(place, group, RING_GROUPS);
        group = group > 0 ? group - 1 : 0;
        place = place > 0 ? place - GROUP_BYTES : AHEAD * GROUP_BYTES;
        wait();
    }
};

} // namespace fsz
