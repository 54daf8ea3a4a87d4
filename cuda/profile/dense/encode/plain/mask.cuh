// The mask of a plain box: which points are masked, as flags with their contexts (FORMAT.md, Dense:
// escapes), read from the targets before the walk.
#pragma once

#include "profile/dense/encode/code/flag_events.cuh"
#include "profile/dense/encode/plain/walk.cuh"

namespace fsz
{

/// Writes the events of a mask, a step after another.
template <u32 LAYOUT> struct MaskEvents
{
    using Places = StagePlaces<LAYOUT>;

    FlagEvents events;

    FSZ_DEVICE static bool masked(u32 at) { return load_word(at) == MASKED_TARGET; }

    FSZ_DEVICE void give(bool there, u32 context, u32 at)
    {
        events.give(there, context, masked(at));
    }

    /// Takes the point at `at`, whose flag has the number `number` in the context of neighbours of
    /// which none is masked.
    template <u32 AXES>
    FSZ_DEVICE void point(bool there, u32 number, u32 at, const u32 (&before)[3],
                          const u32 (&behind)[3])
    {
        // All are loaded before any is waited for, and what is masked is below all others.
        const i32 own = load_value(at);
        i32 low = load_value(at - before[0]), high = low;
#pragma unroll
        for (u32 k = 1; k < 2 * AXES; ++k)
        {
            const i32 value = load_value(k % 2 ? at + behind[k / 2] : at - before[k / 2]);
            low = min(low, value);
            high = max(high, value);
        }
        constexpr i32 LOWEST = static_cast<i32>(MASKED_TARGET);
        number += low == LOWEST ? FLAG_SYMBOLS : 0;
        number += high == LOWEST ? FLAG_SYMBOLS : 0;
        number += own == LOWEST ? 1 : 0;
        events.give(there ? number : NO_FLAG);
    }

    /// The steps of a pass. Its points have so many odd axes, `before` and `behind` being the
    /// distances of their neighbours along each, `last` that of one which is the box's last.
    template <u32 AXES>
    FSZ_DEVICE void pass(const PlainPass &pass, u32 stage, const u32 *entries,
                         const u32 (&before)[3], const u32 (&behind)[3], const u32 (&last)[3])
    {
        const u32 head = pass.head, groups = pass.groups, even = pass.even, fine = pass.fine;
        const u32 singles = head + groups + pass.flat;
#pragma unroll 1
        for (u32 k = 0; k < singles; ++k)
        {
            const u32 entry = __ldg(entries);
            entries += 32;
            u32 at = stage + (entry & ENTRY_POSITION);
            u32 clamped[3] = {};
#pragma unroll
            for (u32 a = 0; a < AXES; ++a)
            {
                clamped[a] = !fine && (entry >> (ENTRY_EDGE_SHIFT + a) & 1) ? last[a] : behind[a];
            }
#pragma unroll 1
            for (u32 left = k - head < groups ? even : 1; left > 0; --left)
            {
                point<AXES>(static_cast<i32>(entry) >= 0, (fine ? 6 : 3) * FLAG_SYMBOLS, at, before,
                            clamped);
                at += Places::NEXT;
            }
        }
    }

    FSZ_DEVICE void pass(const PlainPass &own, u32 stage, const u32 *entries)
    {
        u32 before[3] = {}, behind[3] = {}, last[3] = {};
        u32 k = 0;
#pragma unroll
        for (u32 a = 0; a < 3; ++a)
        {
            if (own.odd >> a & 1)
            {
                before[k] = own.fine ? Places::odd(a) : static_cast<u32>(own.distance[k]);
                behind[k] = own.fine ? Places::two(a) - Places::odd(a) : before[k];
                last[k] = own.last(k);
                ++k;
            }
        }
        own.axes == 1   ? pass<1>(own, stage, entries, before, behind, last)
        : own.axes == 2 ? pass<2>(own, stage, entries, before, behind, last)
                        : pass<3>(own, stage, entries, before, behind, last);
    }
};

/// Writes the events of the mask of the box at `stage`, whose targets are there; gives their steps.
/// Called by a warp.
template <u32 LAYOUT> FSZ_DEVICE u32 write_mask(const PlainProgram *program, u32 stage, u32 *events)
{
    const u32 lane = lane_id();
    MaskEvents<LAYOUT> mask{FlagEvents(events)};
    mask.give(lane == 0, 0, stage);
    if (program->corners > 0)
    {
        const u32 entry = __ldg(program->entries[0] + lane);
        const u32 first = mask.masked(stage) ? 1 : 0;
        mask.give(static_cast<i32>(entry) >= 0, 1 + first, stage + (entry & ENTRY_POSITION));
    }
    const u32 passes = program->passes;
#pragma unroll 1
    for (u32 p = 0; p < passes; ++p)
    {
        const PlainPass &pass = program->pass[p];
        mask.pass(pass, stage, program->entries[pass.first] + lane);
    }
    return mask.events.end();
}

} // namespace fsz
