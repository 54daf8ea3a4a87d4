// The events of a plain box to symbols, from its last step to its first.
#pragma once

#include "profile/dense/plain_walk.cuh"
#include "profile/dense/rans_encoder.cuh"

namespace fsz
{

/// The event of a word, if `left` is above 0: none of a masked point.
template <bool FINE, bool MASKED> FSZ_DEVICE void load_known(u32 at, i32 left, u32 &event)
{
    load_event(at, left, event);
    if constexpr (MASKED)
    {
        event = event == PlainEvent<FINE>::MASKED ? PlainEvent<FINE>::NONE : event;
    }
}

/// Goes through the events of passes backward; `take` gets each one's lanes.
template <u32 LAYOUT, bool MASKED> struct PlainEvents
{
    using Places = StagePlaces<LAYOUT>;

    /// `last`: the address of the last step's words, of a lane that has some.
    template <bool FINE, class Take>
    FSZ_DEVICE static void steps_back(u32 last, bool there, u32 steps, Take &take)
    {
        u32 event = PlainEvent<FINE>::NONE, at = last;
        i32 left = there ? static_cast<i32>(steps) : 0;
        load_known<FINE, MASKED>(at, left, event);
        auto row = take.template row<FINE>(event);
#pragma unroll 1
        for (; steps > 0; --steps)
        {
            const u32 now = event;
            const auto now_row = row;
            // The next row is on its way while this symbol is coded.
            at -= Places::NEXT;
            --left;
            load_known<FINE, MASKED>(at, left, event);
            row = take.template row<FINE>(event);
            take.template step<FINE>(now, now_row);
        }
    }

    template <bool FINE, class Take>
    FSZ_DEVICE static void pass_back(const PlainPass &pass, const u32 *entries, u32 stage,
                                     Take &take)
    {
        // Read once: what is written to memory could be anything to the compiler.
        const u32 head = pass.head, groups = pass.groups, even = pass.even;
        const u32 singles = head + groups + pass.flat;
        entries += 32 * (singles - 1);
        u32 next = __ldg(entries);
#pragma unroll 1
        for (u32 k = singles; k-- > 0;)
        {
            const u32 entry = next;
            entries -= 32;
            if (k > 0)
            {
                next = __ldg(entries);
            }
            const u32 steps = k - head < groups ? even : 1;
            const u32 last = stage + (entry & ENTRY_POSITION) + (steps - 1) * Places::NEXT;
            steps_back<FINE>(last, static_cast<i32>(entry) >= 0, steps, take);
        }
    }

    /// The passes of `flags`, from the last on.
    template <class Take>
    FSZ_DEVICE static void passes_back(const PlainProgram &program, u32 flags, u32 stage, u32 lane,
                                       Take &take)
    {
        for (u32 p = program.passes; p-- > 0;)
        {
            if (flags >> p & 1)
            {
                const PlainPass &pass = program.pass[p];
                const u32 *const entries = program.entries[pass.first] + lane;
                if (pass.fine)
                {
                    pass_back<true>(pass, entries, stage, take);
                }
                else
                {
                    pass_back<false>(pass, entries, stage, take);
                }
            }
        }
    }
};

/// A row of the coder in shared memory: that of a `SymbolRow`, with frequency, what is added, the
/// division's shift and whether it is that of an escape in one word.
using PackedRow = uint2;
constexpr u32 PACKED_FREQUENCY_SHIFT = 22;
constexpr u32 PACKED_START_SHIFT = 12;
constexpr u32 PACKED_START = 0x3FF;
constexpr u32 PACKED_ESCAPES = 0x20;
/// Rows of residuals, and one that leaves a state as it is.
constexpr u32 PACKED_ROWS = RESIDUAL_CONTEXTS * SYMBOLS_MOST;
constexpr u32 PACKED_IDLE = PACKED_ROWS;
static_assert(PlainEvent<true>::NONE >> PlainEvent<true>::SHIFT == RESIDUAL_CONTEXTS &&
                  (PlainEvent<true>::NONE & 31) == 0,
              "the row of no event is the idle one");
constexpr u32 PACKED_WORDS = 2 * (PACKED_ROWS + 2);

FSZ_DEVICE PackedRow packed_row(const SymbolRow &row)
{
    const u32 frequency = row.frequency & (ROW_ESCAPES - 1);
    const u32 shift = frequency > 1 ? 31 - __clz(frequency - 1) : 0;
    return {row.reciprocal, frequency << PACKED_FREQUENCY_SHIFT | row.start << PACKED_START_SHIFT |
                                (row.frequency & ROW_ESCAPES ? PACKED_ESCAPES : 0) | shift};
}

/// Fills the rows. Called by a thread block.
FSZ_DEVICE void pack_rows(const SymbolRows &rows, PackedRow *to)
{
    for (u32 k = threadIdx.x; k < PACKED_ROWS; k += blockDim.x)
    {
        to[k] = packed_row(rows[0][k]);
    }
    if (threadIdx.x == 0)
    {
        to[PACKED_IDLE] = {0, DENSE_SLOTS << PACKED_FREQUENCY_SHIFT};
    }
}

FSZ_DEVICE PackedRow load_row(u32 at)
{
    PackedRow row;
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(row.x), "=r"(row.y) : "r"(at));
    return row;
}

/// A coder whose lanes have coded raw bits, and the row of the symbol before them.
struct AfterRaw
{
    RansEncoder coder;
    PackedRow row;
};

/// Codes the raw bits of the lanes that have some. Apart, so that the loop that calls it is short.
template <bool FINE>
__device__ __noinline__ AfterRaw code_raw(RansEncoder coder, u32 event, PackedRow row)
{
    using Event = PlainEvent<FINE>;
    const i32 r = Event::residual(event);
    const u32 size = static_cast<u32>(abs(r));
    u32 bits = 0, from = 0;
    if (size > DENSE_DIRECT)
    {
        bits = 32 - __clz(size);
        from = 1u << (bits - 1);
        const u32 symbol = RESIDUAL_FIRST_CLASS + bits - RESIDUAL_CLASS_BITS;
        row = load_row(coder.packed_rows + 8 * (Event::context(event) * SYMBOLS_MOST + symbol));
    }
    if (row.y & PACKED_ESCAPES)
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

/// Codes events.
struct PlainCoder
{
    RansEncoder coder;

    using Row = PackedRow;

    /// The row of an event, if it has a symbol of its own or is none.
    template <bool FINE> FSZ_DEVICE PackedRow row(u32 event) const
    {
        const u32 context = PlainEvent<FINE>::context(event);
        const u32 number = context * SYMBOLS_MOST + (event & 31);
        return load_row(coder.packed_rows + 8 * number);
    }

    template <bool FINE> FSZ_DEVICE void step(u32 event, PackedRow row)
    {
        const bool other = (row.y & PACKED_ESCAPES) || !PlainEvent<FINE>::direct(event);
        if (__any_sync(WARP_ALL, other))
        {
            const AfterRaw after = code_raw<FINE>(coder, event, row);
            coder.state = after.coder.state;
            coder.at = after.coder.at;
            row = after.row;
        }
        const u32 f = row.y >> PACKED_FREQUENCY_SHIFT;
        coder.put(coder.state >= (row.y & ~0u << PACKED_FREQUENCY_SHIFT));
        const u32 quotient = __umulhi(coder.state, row.x) >> (row.y & 31);
        coder.state += quotient * (DENSE_SLOTS - f) + (row.y >> PACKED_START_SHIFT & PACKED_START);
    }
};

/// Counts events.
struct PlainCounter
{
    SymbolCounter coder;

    /// It needs none.
    struct Row
    {
    };
    template <bool FINE> FSZ_DEVICE Row row(u32) const { return {}; }

    template <bool FINE> FSZ_DEVICE void step(u32 event, Row)
    {
        using Event = PlainEvent<FINE>;
        const bool there = event != Event::NONE;
        coder.residual(there, Event::context(event), Event::residual(event));
    }
};

FSZ_DEVICE PlainCoder events_to(const RansEncoder &coder) { return {coder}; }
FSZ_DEVICE PlainCounter events_to(const SymbolCounter &counter) { return {counter}; }

/// Codes or counts the events of the box at `stage`.
template <u32 LAYOUT, bool MASKED, class Coder>
__device__ __noinline__ Coder take_events(Coder coder, const PlainProgram *program, u32 flags,
                                          u32 stage)
{
    auto take = events_to(coder);
    PlainEvents<LAYOUT, MASKED>::passes_back(*program, flags, stage, lane_id(), take);
    return take.coder;
}

/// Codes or counts those of the corners.
template <bool MASKED, class Coder>
FSZ_DEVICE Coder take_corners(const Coder &coder, const PlainProgram *program, u32 stage)
{
    const u32 entry = __ldg(program->entries[0] + lane_id());
    auto take = events_to(coder);
    u32 event = PlainEvent<false>::NONE;
    const i32 there = static_cast<i32>(entry) >= 0 ? 1 : 0;
    load_known<false, MASKED>(stage + (entry & ENTRY_POSITION), there, event);
    take.template step<false>(event, take.template row<false>(event));
    return take.coder;
}

} // namespace fsz
