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

/// The rows of symbols begin behind so many: as many as the digits of the smallest size are more
/// than the number of its context (`PlainPoint`), so that a row is found from them as they are.
constexpr u32 FIRST_ROW = 2;
/// The number of all residuals without a symbol of their own, behind that of the largest with one.
constexpr u32 OTHER_RESIDUALS = RESIDUAL_FIRST_CLASS;
static_assert(OTHER_RESIDUALS == 2 * DENSE_DIRECT + 1, "behind those with a symbol of their own");

/// A residual and its context, a word: in the low half the number of its symbol's row, and in the
/// high one the residual. The rows of all contexts lie beside each other for each residual with a
/// symbol of its own, behind them for all others, and behind these, which no event has, for each
/// class of symbols with raw bits. A word without a residual is 0.
template <bool FINE> struct PlainEvent
{
    static constexpr u32 CONTEXTS = FINE ? DENSE_FINE_CONTEXTS : DENSE_COARSE_CONTEXTS;
    static constexpr u32 FIRST_CONTEXT = FINE ? 0 : DENSE_FINE_CONTEXTS;

    /// `direct`: DENSE_DIRECT, which is in a register where there are many events.
    FSZ_DEVICE static u32 of(i32 r, i32 direct, u32 context)
    {
        const u32 number = min(static_cast<u32>(r + direct), OTHER_RESIDUALS);
        const u32 row = number * RESIDUAL_CONTEXTS + context + (FIRST_ROW + FIRST_CONTEXT);
        return __byte_perm(row, static_cast<u32>(r), 0x5410);
    }
};

constexpr u32 NO_RESIDUAL = 0;
/// The same of other boxes, whose events are a context among all above a residual or flag.
constexpr u32 NO_EVENT = ~0u;
/// Rows of all events.
constexpr u32 EVENT_ROWS = FIRST_ROW + (OTHER_RESIDUALS + 1) * RESIDUAL_CONTEXTS;
static_assert(EVENT_ROWS <= 0x10000, "a row's number is half a word");

FSZ_DEVICE u32 event_row(u32 event) { return event & 0xFFFF; }
FSZ_DEVICE i32 event_residual(u32 event) { return static_cast<i32>(event) >> 16; }

/// The context of a row, and the number of its residual or its class.
FSZ_DEVICE u32 row_context(u32 row) { return (row - FIRST_ROW) % RESIDUAL_CONTEXTS; }
FSZ_DEVICE u32 row_number(u32 row) { return (row - FIRST_ROW) / RESIDUAL_CONTEXTS; }

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
