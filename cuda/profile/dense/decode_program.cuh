// The order of a box as a decoder follows it: a program made once for each shape that the boxes of
// a field have (FORMAT.md, Dense: order).
#pragma once

#include "profile/dense/box_memory.cuh"
#include "profile/dense/program.cuh"

namespace fsz
{

/// A pass in 16 bytes.
struct PassHead
{
    /// Its first step (bits 0 to 11), its steps (bits 12 to 23), odd axes (bits 24 to 25).
    u32 steps;
    /// For each odd axis, two a word, bytes to the neighbour before; then bytes to the one behind
    /// in the finest grid, in others to the box's last element for points whose neighbour that is.
    u32 distances[3];

    FSZ_DEVICE u32 first() const { return steps & 0xFFF; }
    FSZ_DEVICE u32 count() const { return steps >> 12 & 0xFFF; }
    FSZ_DEVICE u32 axes() const { return steps >> 24; }
    FSZ_DEVICE u32 distance(u32 k) const { return distances[k / 2] >> (k % 2 * 16) & 0xFFFF; }
};
static_assert(STEPS_MOST <= 0xFFF, "room for steps");

/// Where an entry's neighbours in a line are: steps of the program further.
constexpr u32 LINE_NEIGHBOURS = STEPS_MOST / 2;

/// Entries that a lane reads ahead.
constexpr u32 ENTRIES_AHEAD = 2;

struct DecodeProgram
{
    u32 len;
    /// Whether residuals tell of those around them.
    u32 around;
    u32 corners;
    u32 passes;
    /// Passes before the finest grid.
    u32 coarse;
    /// Whether the finest grid has all passes, along the usual axis, of two steps at least.
    u32 regular;
    uint4 pass[PASSES_MOST];
    /// Groups of columns of a pass, and steps of each (from bit 8 on).
    u32 groups[PASSES_MOST];
    /// As `Program` has them, but positions are bytes from the box's begin. The first step is that
    /// of the corners. In a line the neighbours of a point stand LINE_NEIGHBOURS steps further.
    u32 entries[STEPS_MOST + ENTRIES_AHEAD][32];
};

/// The entries of a lane, step after step, read ahead.
struct Entries
{
    const u32 *from;
    u32 now;
    u32 next;

    /// From the first one of the lane on.
    FSZ_DEVICE explicit Entries(const u32 *first) : from(first) { skip(0); }

    FSZ_DEVICE u32 take()
    {
        const u32 entry = now;
        now = next;
        next = __ldg(from + 32 * ENTRIES_AHEAD);
        from += 32;
        return entry;
    }

    FSZ_DEVICE void skip(u32 steps)
    {
        from += 32 * steps;
        now = __ldg(from);
        next = __ldg(from + 32);
    }
};

/// The heads of passes: lane i holds that of pass i.
struct PassHeads
{
    uint4 words;
    u32 groups;

    FSZ_DEVICE PassHeads(const DecodeProgram *program, u32 passes) : words{0, 0, 0, 0}, groups(0)
    {
        if (lane_id() < passes)
        {
            words = __ldg(program->pass + lane_id());
            groups = __ldg(program->groups + lane_id());
        }
    }

    FSZ_DEVICE PassHead head(u32 pass) const
    {
        return {number_of(pass, words.x),
                {number_of(pass, words.y), number_of(pass, words.z), number_of(pass, words.w)}};
    }
};
static_assert(PASSES_MOST <= 32, "a lane for each pass");

/// The byte in a box of a point of a pass.
FSZ_DEVICE u32 place_of(u32 layout, const PassCut &cut, const u32 (&k)[3])
{
    return place_in_box(layout, cut.axis[0].index(k[0]), cut.axis[1].index(k[1]),
                        cut.axis[2].index(k[2]));
}

FSZ_DEVICE PassHead pass_head(u32 layout, const PassCut &cut, const u32 (&n)[3], u32 first)
{
    PassHead head{first | cut.steps() << 12, {0, 0, 0}};
    u32 odd = 0;
#pragma unroll
    for (u32 a = 0; a < 3; ++a)
    {
        if (cut.axis[a].odd)
        {
            // Of the first point; all have the same distances, but for those of a line.
            const u32 at = cut.s;
            const u32 end = cut.axis[a].index(cut.count[a] - 1);
            u32 place[3];
            const u32 index[3] = {at - cut.s, at, cut.s == 1 ? at + 1 : n[a] - 1};
#pragma unroll
            for (u32 j = 0; j < 3; ++j)
            {
                place[j] = place_in_box(layout, a == 0 ? index[j] : 0, a == 1 ? index[j] : 0,
                                        a == 2 ? index[j] : 0);
            }
            const u32 of_end =
                place_in_box(layout, a == 0 ? end : 0, a == 1 ? end : 0, a == 2 ? end : 0);
            const u32 before = place[1] - place[0];
            const u32 behind = place[2] - (cut.s == 1 ? place[1] : of_end);
            head.distances[odd / 2] |= (before & 0xFFFF) << (odd % 2 * 16);
            head.distances[(3 + odd) / 2] |= (behind & 0xFFFF) << ((3 + odd) % 2 * 16);
            ++odd;
        }
    }
    head.steps |= odd << 24;
    return head;
}

/// The passes that there may be, in order: their sets of odd axes on all levels.
constexpr u32 PASS_CANDIDATES = LEVELS_MOST * ODD_SETS;
/// Thread blocks that make the program of a shape.
constexpr u32 PROGRAM_BLOCKS = 4;

/// Makes a share of the program of a shape. Called by a thread block of PROGRAM_THREADS.
__device__ inline void make_decode_program(const BoxGrid &grid, u32 shape, u32 share,
                                           DecodeProgram *program)
{
    __shared__ u32 steps[PASS_CANDIDATES];
    __shared__ u32 first[PASS_CANDIDATES + 1];
    const u32 layout = layout_of(grid);
    const u32 n[3] = {shape_extent(grid, shape, 0), shape_extent(grid, shape, 1),
                      shape_extent(grid, shape, 2)};
    // Of a shape that no box has.
    if (n[0] == 0 || n[1] == 0 || n[2] == 0)
    {
        return;
    }
    const u32 longest = max(n[0], max(n[1], n[2]));
    const u32 top = longest > 1 ? 1u << (32 - __clz(longest - 1)) : 1;
    const u32 thread = threadIdx.x, lane = lane_id();
    if (thread < PASS_CANDIDATES)
    {
        const u32 s = top / 2 >> thread / ODD_SETS;
        const PassCut cut(n, max(s, 1u), odd_set(thread % ODD_SETS));
        steps[thread] = s > 0 && cut.points() > 0 ? cut.steps() : 0;
    }
    __syncthreads();
    if (thread < 32)
    {
        u32 before = 1;
        for (u32 c = lane; c - lane < PASS_CANDIDATES; c += 32)
        {
            const u32 own = c < PASS_CANDIDATES ? steps[c] : 0;
            const u32 end = before + warp_inclusive(own, lane);
            if (c < PASS_CANDIDATES)
            {
                first[c] = end - own;
            }
            before = __shfl_sync(WARP_ALL, end, 31);
        }
        first[PASS_CANDIDATES] = before;
    }
    __syncthreads();
    const u32 number = first[PASS_CANDIDATES];
    if (share == 0 && thread < PASS_CANDIDATES && steps[thread] > 0)
    {
        u32 before = 0;
        for (u32 c = 0; c < thread; ++c)
        {
            before += steps[c] > 0;
        }
        const PassCut cut(n, top / 2 >> thread / ODD_SETS, odd_set(thread % ODD_SETS));
        const PassHead head = pass_head(layout, cut, n, first[thread]);
        program->pass[before] =
            uint4{head.steps, head.distances[0], head.distances[1], head.distances[2]};
        program->groups[before] = cut.columns ? (cut.grouped + 31) / 32 | cut.even << 8 : 0;
    }
    if (share == 0 && thread == PASS_CANDIDATES)
    {
        u32 passes = 0, coarse = 0;
        bool regular = true;
        for (u32 c = 0; c < PASS_CANDIDATES; ++c)
        {
            const u32 s = top / 2 >> c / ODD_SETS;
            const u32 odd = odd_set(c % ODD_SETS);
            const bool there = steps[c] > 0;
            passes += there;
            coarse += there && s > 1;
            const u32 all = layout == LAYOUT_BRICK ? 7 : layout == LAYOUT_PLANE ? 6 : 4;
            const u32 along = layout == LAYOUT_BRICK ? 1 : 2;
            regular &= s != 1 || there == ((odd & ~all) == 0);
            regular &= s != 1 || layout == LAYOUT_LINE || !(odd & along) ||
                       AxisGrid{n[along / 2], 1, true}.count() > 1;
        }
        program->len = n[0] * n[1] * n[2];
        program->around = (n[0] > 1) + (n[1] > 1) + (n[2] > 1) > 1;
        program->corners = (n[0] > 1 ? 2 : 1) * (n[1] > 1 ? 2 : 1) * (n[2] > 1 ? 2 : 1) - 1;
        program->passes = passes;
        program->coarse = coarse;
        program->regular = regular;
    }
    constexpr u32 WARPS = PROGRAM_THREADS / 32;
    // What is read ahead of the last step is there too.
    for (u32 step = share * WARPS + thread / 32; step < number + ENTRIES_AHEAD;
         step += PROGRAM_BLOCKS * WARPS)
    {
        u32 entry = 0, neighbours = 0;
        if (step == 0)
        {
            // Corner `lane + 1` in C order.
            const u32 corners = (n[0] > 1 ? 2 : 1) * (n[1] > 1 ? 2 : 1) * (n[2] > 1 ? 2 : 1) - 1;
            const bool there = lane + 1 <= corners;
            u32 corner = there ? lane + 1 : 1;
            u32 at[3] = {0, 0, 0};
#pragma unroll
            for (u32 a = 3; a-- > 0;)
            {
                if (n[a] > 1)
                {
                    at[a] = corner % 2 * (n[a] - 1);
                    corner /= 2;
                }
            }
            entry = place_in_box(layout, at[0], at[1], at[2]) | (there ? 0 : ENTRY_IDLE);
        }
        else if (step < number)
        {
            // The last candidate that begins at or before the step.
            u32 c = 0;
            for (u32 k = lane; k - lane < PASS_CANDIDATES; k += 32)
            {
                const bool before = k < PASS_CANDIDATES && first[k] <= step;
                c += __popc(__ballot_sync(WARP_ALL, before));
            }
            --c;
            const PassCut cut(n, top / 2 >> c / ODD_SETS, odd_set(c % ODD_SETS));
            u32 k[3] = {};
            const bool there = cut.point(step - first[c], lane, k);
            if (!there)
            {
                cut.point(step - first[c], 0, k);
            }
            const u32 edges = cut.entry(k) >> ENTRY_EDGE_SHIFT << ENTRY_EDGE_SHIFT;
            entry = place_of(layout, cut, k) | edges | (there ? 0 : ENTRY_IDLE);
            if (layout == LAYOUT_LINE)
            {
                const u32 at = cut.axis[2].index(k[2]);
                neighbours = line_place(at - cut.s) | line_place(min(at + cut.s, n[2] - 1)) << 16;
            }
        }
        program->entries[step][lane] = entry;
        if (layout == LAYOUT_LINE)
        {
            program->entries[LINE_NEIGHBOURS + step][lane] = neighbours;
        }
    }
}

} // namespace fsz
