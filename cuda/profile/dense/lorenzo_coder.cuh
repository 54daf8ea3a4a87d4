// The differences of a box in shared memory to symbols, from its last step to its first.
#pragma once

#include "profile/dense/lorenzo_stage.cuh"
#include "profile/dense/rans_encoder.cuh"

namespace fsz
{

/// Codes events.
struct LorenzoCoder
{
    RansEncoder coder;

    struct Row
    {
        CodedSymbol symbol;
        SymbolRow row;
    };

    FSZ_DEVICE Row row(u32 event) const
    {
        const bool active = event != LorenzoEvent::NONE;
        const CodedSymbol own =
            active ? folded_symbol(LorenzoEvent::difference(event)) : CodedSymbol{0, 0, 0};
        const u32 context = active ? LorenzoEvent::context(event) : 0;
        const uint2 words = __ldg(reinterpret_cast<const uint2 *>(
            &(*coder.rows)[FIRST_DIFFERENCE + context][own.symbol]));
        return {own,
                {words.x, static_cast<u16>(words.y & 0xFFFF), static_cast<u16>(words.y >> 16)}};
    }

    FSZ_DEVICE void step(u32 event, Row own)
    {
        const bool active = event != LorenzoEvent::NONE;
        CodedSymbol &symbol = own.symbol;
        if (active && own.row.frequency & ROW_ESCAPES)
        {
            symbol.bits = 32;
            symbol.raw = LorenzoEvent::difference(event);
        }
        if (__any_sync(WARP_ALL, symbol.bits > DENSE_RAW_BITS))
        {
            coder.raw(symbol.bits, symbol.raw);
        }
        else if (__any_sync(WARP_ALL, symbol.bits > 0))
        {
            coder.put(symbol.bits > 0 && coder.state >= 1u << (31 - symbol.bits));
            coder.state = coder.state << symbol.bits | symbol.raw;
        }
        coder.symbol(active, own.row);
    }
};

/// Counts events.
struct LorenzoCounter
{
    SymbolCounter coder;

    /// It needs none.
    struct Row
    {
    };
    FSZ_DEVICE Row row(u32) const { return {}; }

    FSZ_DEVICE void step(u32 event, Row)
    {
        coder.take(event != LorenzoEvent::NONE, FIRST_DIFFERENCE + LorenzoEvent::context(event),
                   folded_symbol(LorenzoEvent::difference(event)));
    }
};

FSZ_DEVICE LorenzoCoder differences_to(const RansEncoder &coder) { return {coder}; }
FSZ_DEVICE LorenzoCounter differences_to(const SymbolCounter &counter) { return {counter}; }

/// Codes or counts the events of so many steps at `stage`.
template <class Coder>
__device__ __noinline__ Coder take_differences(Coder coder, u32 stage, u32 steps)
{
    auto take = differences_to(coder);
    u32 at = stage + 4 * (32 * (steps - 1) + lane_id());
    // An event is on its way two symbols before its own, and the row one before; before the first
    // there is none.
    const auto load = [&](u32 left) {
        const u32 event = left > 0 ? load_word(at) : LorenzoEvent::NONE;
        at -= 128;
        return event;
    };
    u32 event = load(steps), next = load(steps - 1);
    auto row = take.row(event);
#pragma unroll 1
    for (; steps > 0; --steps)
    {
        const u32 further = load(steps > 2 ? steps - 2 : 0);
        const auto next_row = take.row(next);
        take.step(event, row);
        event = next;
        row = next_row;
        next = further;
    }
    return take.coder;
}

} // namespace fsz
