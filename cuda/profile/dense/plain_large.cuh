// The residuals of a plain box that are too large for its events: a list of each lane in device
// memory, in the order of steps. It is made behind the walk, whose loops so know nothing of it, of
// the passes that have some: the values tell the residuals.
#pragma once

#include "profile/dense/plain_walk.cuh"

namespace fsz
{

/// Where lanes have the ends of their lists: in shared memory, in the place of a mask behind the
/// words of the box at `stage`.
FSZ_DEVICE u32 large_ends(u32 stage) { return stage + 4 * DENSE_BOX + 8 * lane_id(); }

/// Stores the event of a word, whose value others may be reading.
FSZ_DEVICE void store_event(u32 at, u32 event)
{
    asm volatile("st.shared.u16 [%0 + 2], %1;" ::"r"(at), "h"(static_cast<u16>(event)) : "memory");
}

FSZ_DEVICE i32 *load_end(u32 at)
{
    u64 end;
    asm volatile("ld.shared.u64 %0, [%1];" : "=l"(end) : "r"(at) : "memory");
    return reinterpret_cast<i32 *>(end);
}

FSZ_DEVICE void store_end(u32 at, i32 *end)
{
    asm volatile("st.shared.u64 [%0], %1;" ::"r"(at), "l"(reinterpret_cast<u64>(end)) : "memory");
}

/// Takes the last residual off the lane's list, which ends where `at` tells.
FSZ_DEVICE i32 take_large(u32 at)
{
    i32 *const end = load_end(at) - 32;
    store_end(at, end);
    return *end;
}

/// Lists the large residuals of a box that was walked through.
struct LargeLists
{
    const BoxGrid &grid;
    const PlainProgram &program;
    u32 stage;
    i32 *end;
    /// Bytes between the words of elements, as in `StagePlaces`.
    u32 odd[3];
    u32 two[3];
    u32 next;
    u32 along;

    FSZ_DEVICE LargeLists(const BoxGrid &grid, const PlainProgram &program, u32 stage, i32 *list)
        : grid(grid), program(program), stage(stage), end(list + lane_id())
    {
        const u32 layout = layout_of(grid);
        layout == LAYOUT_LINE    ? lie<LAYOUT_LINE>()
        : layout == LAYOUT_PLANE ? lie<LAYOUT_PLANE>()
                                 : lie<LAYOUT_BRICK>();
    }

    template <u32 LAYOUT> FSZ_DEVICE void lie()
    {
        using Places = StagePlaces<LAYOUT>;
#pragma unroll
        for (u32 a = 0; a < 3; ++a)
        {
            odd[a] = Places::odd(a);
            two[a] = Places::two(a);
        }
        next = Places::NEXT;
        along = Places::ALONG;
    }

    /// Lists the residual at `at` if no event tells it.
    FSZ_DEVICE void take(u32 at, i32 prediction, bool there, bool fine)
    {
        const u32 word = load_word(at);
        // Values of masked points are their predictions.
        const i32 r = (static_cast<short>(word & 0xFFFF) - prediction) >> grid.fine;
        if (there && static_cast<u32>(abs(r)) > most_told(fine))
        {
            const u32 event = fine ? PlainEvent<true>::large(word) : PlainEvent<false>::large(word);
            store_event(at, event);
            *end = r;
            end += 32;
        }
    }

    FSZ_DEVICE void corners()
    {
        const u32 entry = __ldg(program.entries[0] + lane_id());
        take(stage + (entry & ENTRY_POSITION), 0, static_cast<i32>(entry) >= 0, false);
    }

    FSZ_DEVICE void pass(const PlainPass &own)
    {
        const u32 set = own.odd, axes = own.axes;
        const bool fine = own.fine;
        const bool blends = grid.predictor == DENSE_BLENDED && axes > 1;
        const bool outer = fine && axes < 3 && !blends && grid.predictor != DENSE_LINEAR;
        const bool smooth = grid.predictor == DENSE_SMOOTH;
        u32 before[3] = {}, behind[3] = {}, last[3] = {};
        u32 k = 0;
#pragma unroll
        for (u32 a = 0; a < 3; ++a)
        {
            if (set >> a & 1)
            {
                before[a] = fine ? odd[a] : static_cast<u32>(own.distance[k]);
                behind[a] = fine ? two[a] - odd[a] : before[a];
                last[a] = own.last(k);
                ++k;
            }
        }
        const u32 head = own.head, groups = own.groups, even = own.even;
        const u32 singles = head + groups + own.flat;
        const u32 *entries = program.entries[own.first] + lane_id();
#pragma unroll 1
        for (u32 single = 0; single < singles; ++single)
        {
            const u32 entry = __ldg(entries);
            entries += 32;
            u32 at = stage + (entry & ENTRY_POSITION);
            const bool group = single - head < groups;
            const u32 steps = group ? even : 1;
#pragma unroll 1
            for (u32 left = steps; left > 0; --left)
            {
                u32 edges = entry >> ENTRY_EDGE_SHIFT;
                u32 to[3];
                i32 sum = 0;
#pragma unroll
                for (u32 a = 0; a < 3; ++a)
                {
                    to[a] = !fine && (edges & 1) ? last[a] : behind[a];
                    if (set >> a & 1)
                    {
                        const i32 v_a = load_value(at - before[a]), v_c = load_value(at + to[a]);
                        if (outer)
                        {
                            // An entry tells of the first step; of all of a group's the first and
                            // the last one alone are at the edges along it.
                            const bool slides = group && a == along;
                            const bool low = slides ? left == steps : edges & 1;
                            const bool high = slides ? left == 1 : edges >> 1 & 1;
                            const u32 far = before[a] + two[a];
                            const u32 e = low ? high ? 0 - before[a] : to[a] + two[a] : 0 - far;
                            const u32 g = high ? low ? to[a] : 0 - far : to[a] + two[a];
                            const i32 bend = low == high ? 0 : low ? 3 : -3;
                            const bool inner = smooth && !low && !high;
                            sum += (inner ? 6 : 9) * (v_a + v_c) +
                                   (inner ? 2 : -1) * (load_value(at + e) + load_value(at + g) +
                                                       bend * (v_a - v_c));
                        }
                        else
                        {
                            sum += v_a + v_c;
                        }
                        edges >>= fine ? 2 : 1;
                    }
                }
                i32 prediction;
                if (blends)
                {
                    i32 pairs = 0, threes = 0;
                    const auto across = [&](u32 a, u32 b, u32 from) {
                        return load_value(from - before[a] - before[b]) +
                               load_value(from - before[a] + to[b]) +
                               load_value(from + to[a] - before[b]) +
                               load_value(from + to[a] + to[b]);
                    };
#pragma unroll
                    for (u32 a = 0; a < 3; ++a)
                    {
                        const u32 b = a == 0 ? 1 : 0, c = a == 2 ? 1 : 2;
                        pairs += (set >> b & 1) && (set >> c & 1) ? across(b, c, at) : 0;
                    }
                    if (axes == 3)
                    {
                        threes = across(1, 2, at - before[0]) + across(1, 2, at + to[0]);
                    }
                    prediction = axes == 2 ? (2 * sum - pairs + 2) >> 2
                                           : (4 * sum - 2 * pairs + threes + 4) >> 3;
                }
                else if (outer)
                {
                    prediction = axes == 1 ? (sum + 8) >> 4 : (sum + 16) >> 5;
                }
                else
                {
                    prediction = axes == 3 ? (sum * 5461 + 16384) >> 15
                                           : (sum + static_cast<i32>(axes)) >> axes;
                }
                take(at, prediction, static_cast<i32>(entry) >= 0, fine);
                at += next;
            }
        }
    }
};

/// Lists the large residuals of the box at `stage`, in lists that begin at `list`. Called by a
/// warp.
__device__ __noinline__ void list_large(const BoxGrid &grid, const PlainProgram *program, u32 stage,
                                        i32 *list)
{
    together();
    __syncwarp();
    u32 passes = load_word(large_passes(stage));
    LargeLists lists(grid, *program, stage, list);
    if (program->corners > 0)
    {
        lists.corners();
    }
    for (; passes > 0; passes &= passes - 1)
    {
        lists.pass(program->pass[__ffs(passes) - 1]);
    }
    store_end(large_ends(stage), lists.end);
    __syncwarp();
}

} // namespace fsz
