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

/// The rows of all events, and behind them those of classes of symbols with raw bits.
constexpr u32 CLASSES = DENSE_RESIDUAL_SYMBOLS - RESIDUAL_FIRST_CLASS;
constexpr u32 PACKED_ROWS = EVENT_ROWS + CLASSES * RESIDUAL_CONTEXTS;
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
    for (u32 k = threadIdx.x; k < PACKED_ROWS; k += blockDim.x)
    {
        PackedRow row = PACKED_IDLE;
        if (k >= FIRST_ROW)
        {
            const u32 number = row_number(k);
            const u32 symbol = number > OTHER_RESIDUALS ? number - 1 : number;
            // Those of all larger residuals are told to have raw bits, and nothing else.
            row = number != OTHER_RESIDUALS ? packed_row(rows[row_context(k)][symbol])
                                            : PackedRow{0, row.y | PACKED_RAW};
        }
        to[k] = row;
    }
}

FSZ_DEVICE PackedRow load_row(u32 at)
{
    PackedRow row;
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(row.x), "=r"(row.y) : "r"(at));
    return row;
}

/// The row at an address, if `there`.
FSZ_DEVICE void load_row_if(bool there, u32 at, PackedRow &row)
{
    asm volatile("{\n.reg .pred there;\nsetp.ne.u32 there, %3, 0;\n"
                 "@there ld.shared.v2.u32 {%0, %1}, [%2];\n}"
                 : "+r"(row.x), "+r"(row.y)
                 : "r"(at), "r"(there ? 1 : 0));
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

/// Where a row is. The compiler would multiply an event before it takes the row's number from it,
/// in an instruction more.
FSZ_DEVICE u32 row_at(const RansEncoder &coder, u32 row)
{
    u32 at;
    asm("mad.lo.u32 %0, %1, %3, %2;"
        : "=r"(at)
        : "r"(row), "r"(coder.packed_rows), "n"(sizeof(PackedRow)));
    return at;
}

/// A coder whose lanes have coded raw bits, and the row of the symbol before them.
struct AfterRaw
{
    RansEncoder coder;
    PackedRow row;
};

/// Codes the raw bits of the lanes that have some. There is no branch: of most steps that come here
/// some lanes have raw bits and some have none.
FSZ_DEVICE AfterRaw code_raw(RansEncoder coder, u32 event, PackedRow row)
{
    const i32 r = event_residual(event);
    const u32 size = static_cast<u32>(abs(r));
    const u32 class_bits = static_cast<u32>(bits_of_number(size));
    const u32 class_rows = (1 + class_bits - RESIDUAL_CLASS_BITS) * RESIDUAL_CONTEXTS;
    const bool has_class = size > DENSE_DIRECT;
    load_row_if(has_class, row_at(coder, event_row(event) + class_rows), row);
    const bool escapes = (row.y & PACKED_RAW) != 0, has_raw = has_class || escapes;
    // Of lanes without raw bits these may be any number.
    const u32 bits = escapes ? DENSE_RESIDUAL_ESCAPE_BITS : class_bits;
    coder.put(has_raw && coder.state >> ((31 - bits) & 31) != 0);
    // Of a class the highest bit of the size is not coded. Here it would add 1 to the state.
    const u32 before = coder.state - (escapes ? 0 : 1);
    const u32 after = (before << (bits & 31)) + (size << 1 | (r < 0 ? 1 : 0));
    coder.state = has_raw ? after : coder.state;
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
    return load_row(row_at(coder, event_row(event)));
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
