// The events of a plain box to symbols, from its last step to its first.
#pragma once

#include "profile/dense/encode/apart.cuh"
#include "profile/dense/encode/code/events.cuh"
#include "profile/dense/encode/code/rans_encoder.cuh"

namespace fsz
{

/// A row of the coder in shared memory: that of a `SymbolRow`, with frequency, what is added, the
/// division's shift and whether raw bits come first in one word.
using PackedRow = uint2;
constexpr u32 PACKED_FREQUENCY_SHIFT = 22;
constexpr u32 PACKED_START_SHIFT = 12;
constexpr u32 PACKED_START = 0x3FF;
constexpr u32 PACKED_RAW = 0x20;
/// That of a lane without a symbol: leaves its state as it is.
constexpr PackedRow PACKED_IDLE{0, DENSE_SLOTS << PACKED_FREQUENCY_SHIFT};

/// The rows of all events, and behind them those of symbols with raw bits, all of a context side by
/// side.
constexpr u32 CLASS_ROWS = EVENT_ROWS;
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

/// Fills the rows. Called by a thread block.
FSZ_DEVICE void pack_rows(const SymbolRows &rows, PackedRow *to)
{
    for (u32 k = threadIdx.x; k < EVENT_ROWS; k += blockDim.x)
    {
        PackedRow row = PACKED_IDLE;
        if (k != event_row(NO_RESIDUAL))
        {
            const u32 symbol = row_symbol(k);
            // Those of all larger residuals are told to have raw bits, and nothing else.
            row = symbol < RESIDUAL_FIRST_CLASS ? packed_row(rows[row_context(k)][symbol])
                                                : PackedRow{0, row.y | PACKED_RAW};
        }
        to[k] = row;
    }
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

/// Codes the raw bits of the lanes that have some.
FSZ_DEVICE AfterRaw code_raw(RansEncoder coder, u32 event, PackedRow row)
{
    const i32 r = event_residual(event);
    const u32 size = static_cast<u32>(abs(r));
    u32 bits = 0, from = 0;
    if (size > DENSE_DIRECT)
    {
        bits = bits_of_number(size);
        from = 1u << (bits - 1);
        const u32 number = row_context(event_row(event)) * CLASSES + bits - RESIDUAL_CLASS_BITS;
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

/// The row of an event, as it is found without a look at the residual.
FSZ_DEVICE PackedRow row_of(const RansEncoder &coder, u32 event)
{
    return load_row(coder.packed_rows + 8 * event_row(event));
}

FSZ_DEVICE void code_event(RansEncoder &coder, u32 event, PackedRow row)
{
    if (any_bits(row.y, PACKED_RAW))
    {
        const AfterRaw after =
            CoderParts::call([coder, event, row]() { return code_raw(coder, event, row); });
        coder.state = after.coder.state;
        coder.at = after.coder.at;
        row = after.row;
    }
    // Whatever branch was taken: see `together`.
    together();
    code_packed(coder, row);
}

/// Codes the events of `groups` groups of steps, from the last to the second; gives those of the
/// first step, which are of the corners.
FSZ_DEVICE u32 take_events(RansEncoder &coder, const u32 *events, u32 groups)
{
    GroupsBack back(coder.ring, events, groups - 1);
    const u32 ring = coder.ring + 4 * lane_id();
    // Events are on their way two pairs of steps before their own, and rows one before.
    constexpr u32 PAIR = GROUP_STEPS / 2;
    u32 now[PAIR], next[PAIR];
    PackedRow rows[PAIR];
#pragma unroll
    for (u32 k = 0; k < PAIR; ++k)
    {
        now[k] = load_word(ring + back.place + 128 * (PAIR + k));
        rows[k] = row_of(coder, now[k]);
        next[k] = load_word(ring + back.place + 128 * k);
    }
    u32 behind = 1;
#pragma unroll 1
    for (u32 left = 2 * groups; left > 2; --left)
    {
        if (behind != 0)
        {
            back.next();
        }
        const u32 from = ring + back.place + 128 * PAIR * behind;
#pragma unroll
        for (u32 k = PAIR; k-- > 0;)
        {
            code_event(coder, now[k], rows[k]);
            rows[k] = row_of(coder, next[k]);
            now[k] = next[k];
            next[k] = load_word(from + 128 * k);
        }
        behind ^= 1;
    }
    return next[0];
}

/// Codes the event of a step.
FSZ_DEVICE void take_event(RansEncoder &coder, u32 event)
{
    code_event(coder, event, row_of(coder, event));
}

/// Counts it.
FSZ_DEVICE void take_event(SymbolCounter &counter, u32 event)
{
    counter.residual(event != NO_RESIDUAL, row_context(event_row(event)), event_residual(event));
}

/// Counts the same events.
FSZ_DEVICE u32 take_events(SymbolCounter &counter, const u32 *events, u32 groups)
{
    events += lane_id();
#pragma unroll 1
    for (u32 step = groups * GROUP_STEPS; step-- > GROUP_STEPS;)
    {
        take_event(counter, __ldcg(events + 32 * step));
    }
    return __ldcg(events);
}

} // namespace fsz
