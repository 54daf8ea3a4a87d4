// The differences of a plain box of Lorenzo prediction to symbols, from its last step to its first.
#pragma once

#include "profile/dense/encode/code/plain_coder.cuh"
#include "profile/dense/encode/plain/lorenzo.cuh"

namespace fsz
{

/// Where streams by Lorenzo prediction alone have the rows of all differences, context by context,
/// in the place of those of residuals.
constexpr u32 LORENZO_ROWS = DIFFERENCE_CONTEXTS * DENSE_DIFFERENCE_SYMBOLS;
constexpr u32 DIFFERENCE_WORDS = 2 * LORENZO_ROWS;

/// Fills them. Called by a thread block.
FSZ_DEVICE void pack_differences(const SymbolRows &rows, PackedRow *to)
{
    for (u32 k = threadIdx.x; k < LORENZO_ROWS; k += blockDim.x)
    {
        const u32 context = FIRST_DIFFERENCE + k / DENSE_DIFFERENCE_SYMBOLS;
        to[k] = packed_row(rows[context][k % DENSE_DIFFERENCE_SYMBOLS]);
    }
}

/// The rows of differences in shared memory.
struct NearRows
{
    u32 at;

    FSZ_DEVICE PackedRow row(u32 context, u32 symbol) const
    {
        return load_row(at + sizeof(PackedRow) * (context * DENSE_DIFFERENCE_SYMBOLS + symbol));
    }
};

/// Those in device memory, of streams that have residuals in shared memory.
struct FarRows
{
    const SymbolRows *rows;

    FSZ_DEVICE PackedRow row(u32 context, u32 symbol) const
    {
        static_assert(sizeof(SymbolRow) == sizeof(uint2), "in one load");
        const SymbolRow *const from = &(*rows)[FIRST_DIFFERENCE + context][symbol];
        const uint2 words = __ldg(reinterpret_cast<const uint2 *>(from));
        return packed_row({words.x, static_cast<u16>(words.y), static_cast<u16>(words.y >> 16)});
    }
};

/// What the coder does for a lane's difference: its symbol's row, and the raw bits before.
struct CodedDifference
{
    PackedRow row;
    u32 bits;
    u32 raw;
};

template <class Rows>
FSZ_DEVICE CodedDifference coded_difference(const Rows &rows, u32 event, bool active)
{
    const i32 l = LorenzoEvent::difference(event);
    const CodedSymbol own = difference_symbol(l);
    const PackedRow row =
        rows.row(active ? LorenzoEvent::context(event) : 0, active ? own.symbol : 0);
    if (!active)
    {
        return {PACKED_IDLE, 0, 0};
    }
    const bool escapes = row.y & PACKED_RAW;
    const u32 all = static_cast<u32>(l) << 1 ^ static_cast<u32>(l >> 31);
    return {row, escapes ? 32 : own.bits, escapes ? all : own.raw};
}

/// Codes raw bits of any number.
FSZ_DEVICE RansEncoder code_long(RansEncoder coder, u32 bits, u32 raw)
{
    coder.raw(bits, raw);
    return coder;
}

/// Codes the events of `steps` steps of a box of `len` elements.
template <class Rows>
FSZ_DEVICE RansEncoder code_lorenzo(RansEncoder coder, const Rows &rows, const u32 *events, u32 len,
                                    u32 steps)
{
    const u32 own = lorenzo_own(len), ring = coder.ring + 16 * lane_id();
    const u32 quads = same((steps + LORENZO_QUAD - 1) / LORENZO_QUAD);
    if (quads == 0)
    {
        return coder;
    }
    GroupsBack groups(coder.ring, events, quads - 1);
    u32 next[LORENZO_QUAD];
    load_quad(ring + groups.place, next);
#pragma unroll 1
    for (u32 quad = quads; quad-- > 0;)
    {
        CodedDifference made[LORENZO_QUAD];
#pragma unroll
        for (u32 k = 0; k < LORENZO_QUAD; ++k)
        {
            made[k] = coded_difference(rows, next[k], LORENZO_QUAD * quad + k < own);
        }
        if (quad > 0)
        {
            groups.next();
            load_quad(ring + groups.place, next);
        }
#pragma unroll
        for (u32 k = LORENZO_QUAD; k-- > 0;)
        {
            const CodedDifference &of = made[k];
            if (__any_sync(WARP_ALL, of.bits > 0))
            {
                if (__any_sync(WARP_ALL, of.bits > DENSE_RAW_BITS))
                {
                    const RansEncoder after =
                        CoderParts::call([coder, bits = of.bits, raw = of.raw]() {
                            return code_long(coder, bits, raw);
                        });
                    coder.state = after.state;
                    coder.at = after.at;
                }
                else
                {
                    coder.put(of.bits > 0 && coder.state >= 1u << (31 - of.bits));
                    coder.state = coder.state << of.bits | of.raw;
                }
            }
            code_packed(coder, of.row);
        }
    }
    return coder;
}

} // namespace fsz
