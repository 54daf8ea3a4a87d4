// The order of a box as a decoder follows it: a program made once for each shape that the boxes of
// a field have (FORMAT.md, Dense: order).
#pragma once

#include "profile/dense/decode/box_memory.cuh"
#include "profile/dense/pass_starts.cuh"

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
constexpr u32 ENTRIES_AHEAD = 1;

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

/// The entries of a lane, step after step, read ahead: by one, as a second one on its way would be
/// moved from register to register, which waits for it.
struct Entries
{
    const u32 *from;
    u32 now;

    /// From the first one of the lane on.
    FSZ_DEVICE explicit Entries(const u32 *first) : from(first) { skip(0); }

    FSZ_DEVICE u32 take()
    {
        const u32 entry = now;
        now = __ldg(from + 32 * ENTRIES_AHEAD);
        from += 32;
        return entry;
    }

    FSZ_DEVICE void skip(u32 steps)
    {
        from += 32 * steps;
        now = __ldg(from);
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

/// Makes a share of the program of a shape. Called by a thread block of PROGRAM_THREADS.
__device__ inline void make_decode_program(const BoxGrid &grid, u32 number, u32 share,
                                           DecodeProgram *program)
{
    __shared__ PassStarts starts;
    const u32 layout = layout_of(grid);
    const Shape shape(grid, number);
    if (!shape.exists())
    {
        return;
    }
    const u32(&n)[3] = shape.n;
    const u32 thread = threadIdx.x, lane = lane_id();
    starts.find(shape, [](const PassCut &cut) { return cut.steps(); });
    if (share == 0 && thread < PASS_CANDIDATES && starts.has(thread))
    {
        const PassCut cut = shape.cut(thread);
        const PassHead head = pass_head(layout, cut, n, starts.first[thread]);
        const u32 before = starts.before[thread];
        program->pass[before] =
            uint4{head.steps, head.distances[0], head.distances[1], head.distances[2]};
        program->groups[before] = cut.columns ? (cut.grouped + 31) / 32 | cut.even << 8 : 0;
    }
    if (share == 0 && thread == PASS_CANDIDATES)
    {
        bool regular = true;
        const u32 finest = shape.finest();
        for (u32 k = 0; shape.top > 1 && k < ODD_SETS; ++k)
        {
            const u32 odd = odd_set(k);
            const u32 all = layout == LAYOUT_BRICK ? 7 : layout == LAYOUT_PLANE ? 6 : 4;
            const u32 along = layout == LAYOUT_BRICK ? 1 : 2;
            regular &= starts.has(finest + k) == ((odd & ~all) == 0);
            regular &= layout == LAYOUT_LINE || !(odd & along) ||
                       AxisGrid{n[along / 2], 1, true}.count() > 1;
        }
        program->len = n[0] * n[1] * n[2];
        program->around = shape.around();
        program->corners = shape.corners();
        program->passes = starts.passes();
        program->coarse = starts.before[finest];
        program->regular = regular;
    }
    // What is read ahead of the last step is there too.
    for (u32 step = first_row(share); step < starts.rows() + ENTRIES_AHEAD; step += ROWS_APART)
    {
        u32 entry = 0, neighbours = 0;
        if (step == 0)
        {
            // Corner `lane + 1` in C order.
            const bool there = lane + 1 <= shape.corners();
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
        else if (step < starts.rows())
        {
            const u32 c = starts.candidate(step);
            const PassCut cut = shape.cut(c);
            u32 k[3] = {};
            const bool there = cut.point_or_first(step - starts.first[c], lane, k);
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
