// The events of a plain box to symbols, from its last step to its first.
#pragma once

#include "profile/dense/plain_large.cuh"
#include "profile/dense/rans_encoder.cuh"

namespace fsz
{

/// The event of a word, if the entry tells that the lane has a point: none of a masked one.
template <class Event, bool MASKED> FSZ_DEVICE i32 known_event(u32 at, u32 entry)
{
    const i32 event = load_event(at, entry, Event::NONE);
    return MASKED && event == Event::MASKED ? Event::NONE : event;
}

/// Takes the events of steps that have an entry each, from the last on.
template <class Event, bool MASKED> struct SinglesBack
{
    u32 stage;
    /// Steps that are left, and the entry of the last of them.
    i32 left;
    const u32 *entries;
    u32 next;

    /// Those of `count` entries from `first` on, the lane's.
    FSZ_DEVICE SinglesBack(u32 stage, const u32 *first, u32 count)
        : stage(stage), left(static_cast<i32>(count)),
          entries(first + 32 * (static_cast<i32>(count) - 1)), next(__ldg(entries))
    {
    }

    /// The event of the last step that is left; none where there is none. Entries are read ahead,
    /// up to three before the first, where a program has others: without a branch, which takes
    /// longer.
    FSZ_DEVICE i32 take()
    {
        const u32 entry = left > 0 ? next : ENTRY_IDLE;
        --left;
        entries -= 32;
        next = __ldg(entries);
        return known_event<Event, MASKED>(stage + (entry & ENTRY_POSITION), entry);
    }
};

/// Takes the events of a group's steps, which lie at equal distances, from the last on.
template <class Event, bool MASKED, u32 NEXT> struct ColumnBack
{
    u32 at;
    /// Steps that are left, of a lane that has points.
    i32 left;

    FSZ_DEVICE ColumnBack(u32 stage, u32 entry, u32 count)
        : at(stage + (entry & ENTRY_POSITION) + count * NEXT),
          left(static_cast<i32>(entry) >= 0 ? static_cast<i32>(count) : 0)
    {
    }

    FSZ_DEVICE i32 take()
    {
        --left;
        at -= NEXT;
        return known_event<Event, MASKED>(at, static_cast<u32>(left));
    }
};
static_assert(sizeof(PlainProgram) - sizeof(PlainProgram::entries) >= 2 * 128,
              "before its first entry, that of the corners, a program has other words");

/// Goes through the events of passes backward; `take` gets each one's lanes.
template <u32 LAYOUT, bool MASKED> struct PlainEvents
{
    template <bool FINE, class Events, class Take>
    FSZ_DEVICE static void steps_back(Events events, u32 steps, Take &take)
    {
        // An event is on its way two symbols before its own, and the row one before.
        i32 event = events.take(), next = events.take();
        auto row = take.template row<FINE>(event);
#pragma unroll 1
        for (; steps > 0; --steps)
        {
            const i32 further = events.take();
            const auto next_row = take.template row<FINE>(next);
            take.template step<FINE>(event, row);
            event = next;
            row = next_row;
            next = further;
        }
    }

    /// Steps that have an entry each.
    template <bool FINE, class Take>
    FSZ_DEVICE static void singles_back(const u32 *entries, u32 count, u32 stage, Take &take)
    {
        using Singles = SinglesBack<PlainEvent<FINE>, MASKED>;
        steps_back<FINE>(Singles(stage, entries, count), count, take);
    }

    /// A pass of the finest grid.
    template <class Take>
    FSZ_DEVICE static void pass_back(PassWord pass, const u32 *entries, u32 stage, Take &take)
    {
        const u32 head = pass.template head<LAYOUT>(), groups = pass.groups(), even = pass.even();
        const u32 flat = pass.flat();
        if (flat > 0)
        {
            singles_back<true>(entries + 32 * (head + groups), flat, stage, take);
        }
        using Column = ColumnBack<PlainEvent<true>, MASKED, StagePlaces<LAYOUT>::NEXT>;
        for (u32 k = groups; k-- > 0;)
        {
            const Column column(stage, __ldg(entries + 32 * (head + k)), even);
            steps_back<true>(column, even, take);
        }
        if (LAYOUT == LAYOUT_LINE && head > 0)
        {
            singles_back<true>(entries, head, stage, take);
        }
    }

    /// The passes of `flags`, from the last on.
    template <class Take>
    FSZ_DEVICE static void passes_back(const PlainProgram &program, u32 flags, u32 stage, u32 lane,
                                       Take &take)
    {
        flags = same(flags);
        const PassWords words(&program, same(program.passes));
        while (flags != 0)
        {
            const u32 p = 31 - __clz(flags);
            const PassWord pass = words.of(p);
            u32 first = words.first_of(p);
            if (pass.fine())
            {
                pass_back(pass, program.entries[first] + lane, stage, take);
                flags ^= 1u << p;
                continue;
            }
            // All entries of coarse grids have a step each: passes beside each other are one.
            const u32 end = first + pass.flat();
            const u32 lowest = 32 - __clz(~flags & ((1u << p) - 1));
            first = words.first_of(lowest);
            singles_back<false>(program.entries[first] + lane, end - first, stage, take);
            flags &= (1u << lowest) - 1;
        }
    }
};

/// A row of the coder in shared memory: that of a `SymbolRow`, with frequency, what is added, the
/// division's shift and whether raw bits come first in one word.
using PackedRow = uint2;
constexpr u32 PACKED_FREQUENCY_SHIFT = 22;
constexpr u32 PACKED_START_SHIFT = 12;
constexpr u32 PACKED_START = 0x3FF;
constexpr u32 PACKED_RAW = 0x20;
/// That of a lane without a symbol: leaves its state as it is.
constexpr PackedRow PACKED_IDLE{0, DENSE_SLOTS << PACKED_FREQUENCY_SHIFT};

/// Rows of the events of a pass, by their number: one that leaves a state as it is, of lanes
/// without an event; those of events; and the one for all that are larger, which is told to have
/// raw bits.
template <bool FINE> struct EventRows
{
    using Event = PlainEvent<FINE>;
    /// The coarser grids' are behind the finest one's.
    static constexpr u32 IDLE = FINE ? 0 : 2 + PlainEvent<true>::LAST_ROW;
    static constexpr u32 FIRST = IDLE + 1;
    static constexpr u32 LEN = 2 + Event::LAST_ROW;
};

/// Behind them those of symbols with raw bits, all of a context side by side.
constexpr u32 CLASS_ROWS = EventRows<false>::IDLE + EventRows<false>::LEN;
constexpr u32 CLASSES = DENSE_RESIDUAL_SYMBOLS - RESIDUAL_FIRST_CLASS;
constexpr u32 PACKED_ROWS = CLASS_ROWS + RESIDUAL_CONTEXTS * CLASSES;
constexpr u32 PACKED_WORDS = 2 * ((PACKED_ROWS + 1) / 2 * 2);

FSZ_DEVICE PackedRow packed_row(const SymbolRow &row)
{
    const u32 frequency = row.frequency & (ROW_ESCAPES - 1);
    const u32 shift = frequency > 1 ? 31 - __clz(frequency - 1) : 0;
    return {row.reciprocal, frequency << PACKED_FREQUENCY_SHIFT | row.start << PACKED_START_SHIFT |
                                (row.frequency & ROW_ESCAPES ? PACKED_RAW : 0) | shift};
}

/// Fills the rows of the events of passes. Called by a thread block.
template <bool FINE> FSZ_DEVICE void pack_events(const SymbolRows &rows, PackedRow *to)
{
    using Own = EventRows<FINE>;
    using Event = PlainEvent<FINE>;
    for (u32 k = threadIdx.x; k < Own::LEN; k += blockDim.x)
    {
        PackedRow row = PACKED_IDLE;
        if (k > 0)
        {
            const i32 event = static_cast<i32>(k - 1);
            const bool direct = k - 1 < Event::DIRECT;
            row = direct ? packed_row(rows[Event::context(event)][event >> Event::SHIFT])
                         : PackedRow{0, row.y | PACKED_RAW};
        }
        to[Own::IDLE + k] = row;
    }
}

/// Fills the rows. Called by a thread block.
FSZ_DEVICE void pack_rows(const SymbolRows &rows, PackedRow *to)
{
    pack_events<true>(rows, to);
    pack_events<false>(rows, to);
    for (u32 k = threadIdx.x; k < RESIDUAL_CONTEXTS * CLASSES; k += blockDim.x)
    {
        to[CLASS_ROWS + k] = packed_row(rows[k / CLASSES][RESIDUAL_FIRST_CLASS + k % CLASSES]);
    }
}

FSZ_DEVICE PackedRow load_row(u32 at)
{
    PackedRow row;
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(row.x), "=r"(row.y) : "r"(at));
    return row;
}

/// Whether a lane's word has any of some bits.
FSZ_DEVICE bool any_bits(u32 word, u32 bits)
{
    u32 any;
    asm volatile("{\n.reg .pred own, all;\n.reg .b32 both;\nand.b32 both, %1, %2;\n"
                 "setp.ne.u32 own, both, 0;\nvote.sync.any.pred all, own, 0xffffffff;\n"
                 "selp.u32 %0, 1, 0, all;\n}"
                 : "=r"(any)
                 : "r"(word), "r"(bits));
    return any != 0;
}

/// A coder whose lanes have coded raw bits, and the row of the symbol before them.
struct AfterRaw
{
    RansEncoder coder;
    PackedRow row;
};

/// Codes the raw bits of the lanes that have some, of a box at `stage`. Apart, so that the loop
/// that calls it is short.
template <bool FINE>
__device__ __noinline__ AfterRaw code_raw(RansEncoder coder, i32 event, PackedRow row, u32 stage)
{
    together();
    using Event = PlainEvent<FINE>;
    i32 r = Event::residual(event);
    if (r == Event::LARGE)
    {
        r = take_large(large_ends(stage));
    }
    const u32 size = event == Event::NONE ? 0 : static_cast<u32>(abs(r));
    u32 bits = 0, from = 0;
    if (size > DENSE_DIRECT)
    {
        bits = 32 - __clz(size);
        from = 1u << (bits - 1);
        const u32 number = Event::context(event) * CLASSES + bits - RESIDUAL_CLASS_BITS;
        row = load_row(coder.packed_rows + 8 * (CLASS_ROWS + number));
    }
    if (row.y & PACKED_RAW)
    {
        bits = DENSE_RESIDUAL_ESCAPE_BITS;
        from = 0;
    }
    coder.put(bits > 0 && coder.state >= 1u << (31 - bits));
    const u32 raw = (size - from) << 1 | (r < 0 ? 1 : 0);
    coder.state = bits > 0 ? coder.state << bits | raw : coder.state;
    return {coder, row};
}
static_assert(DENSE_RESIDUAL_ESCAPE_BITS <= DENSE_RAW_BITS, "a residual's raw bits in one go");

/// Codes the symbol of a row.
FSZ_DEVICE void code_packed(RansEncoder &coder, PackedRow row)
{
    const u32 f = row.y >> PACKED_FREQUENCY_SHIFT;
    const auto half = coder.take_half(coder.state >= (row.y & ~0u << PACKED_FREQUENCY_SHIFT));
    const u32 quotient = __umulhi(coder.state, row.x) >> (row.y & 31);
    coder.state += quotient * (DENSE_SLOTS - f) + (row.y >> PACKED_START_SHIFT & PACKED_START);
    // Nothing waits for it.
    coder.write(half);
}

/// Codes events.
struct PlainCoder
{
    RansEncoder coder;
    /// Where the box is.
    u32 stage;

    using Row = PackedRow;

    /// The row of an event, if it has a symbol of its own or is none.
    template <bool FINE> FSZ_DEVICE PackedRow row(i32 event) const
    {
        const i32 number = min(event, PlainEvent<FINE>::LAST_ROW);
        return load_row(coder.packed_rows + 8 * EventRows<FINE>::FIRST +
                        8 * static_cast<u32>(number));
    }

    template <bool FINE> FSZ_DEVICE void step(i32 event, PackedRow row)
    {
        if (any_bits(row.y, PACKED_RAW))
        {
            const AfterRaw after = code_raw<FINE>(coder, event, row, stage);
            coder.state = after.coder.state;
            coder.at = after.coder.at;
            row = after.row;
        }
        code_packed(coder, row);
    }
};

/// Counts events.
struct PlainCounter
{
    SymbolCounter coder;
    u32 stage;

    /// It needs none.
    struct Row
    {
    };
    template <bool FINE> FSZ_DEVICE Row row(i32) const { return {}; }

    template <bool FINE> FSZ_DEVICE void step(i32 event, Row)
    {
        using Event = PlainEvent<FINE>;
        const bool there = event != Event::NONE;
        i32 r = Event::residual(event);
        if (r == Event::LARGE)
        {
            r = take_large(large_ends(stage));
        }
        coder.residual(there, Event::context(event), r);
    }
};

FSZ_DEVICE PlainCoder events_to(const RansEncoder &coder, u32 stage) { return {coder, stage}; }
FSZ_DEVICE PlainCounter events_to(const SymbolCounter &counter, u32 stage)
{
    return {counter, stage};
}

/// Codes or counts the events of the box at `stage`.
template <u32 LAYOUT, bool MASKED, class Coder>
FSZ_DEVICE Coder take_events(Coder coder, const PlainProgram *program, u32 flags, u32 stage)
{
    auto take = events_to(coder, stage);
    PlainEvents<LAYOUT, MASKED>::passes_back(*program, flags, stage, lane_id(), take);
    return take.coder;
}

/// Codes or counts those of the corners.
template <bool MASKED, class Coder>
FSZ_DEVICE Coder take_corners(const Coder &coder, const PlainProgram *program, u32 stage)
{
    const u32 entry = __ldg(program->entries[0] + lane_id());
    auto take = events_to(coder, stage);
    using Event = PlainEvent<false>;
    const i32 event = known_event<Event, MASKED>(stage + (entry & ENTRY_POSITION), entry);
    take.template step<false>(event, take.template row<false>(event));
    return take.coder;
}

} // namespace fsz
