// The passes of a shape of boxes, and where each begins in a program.
#pragma once

#include "profile/dense/program.cuh"

namespace fsz
{

/// The passes that a shape may have, in order: the sets of odd axes on all levels.
constexpr u32 PASS_CANDIDATES = LEVELS_MOST * ODD_SETS;
/// Thread blocks that make the program of a shape, each a share of it.
constexpr u32 PROGRAM_BLOCKS = 4;
constexpr u32 PROGRAM_THREADS = 512;
static_assert(PASS_CANDIDATES < PROGRAM_THREADS, "a thread for each, and one more");

/// The rows of a program that a warp makes of a share: the first, and how far apart they are.
FSZ_DEVICE u32 first_row(u32 share) { return share * (PROGRAM_THREADS / 32) + threadIdx.x / 32; }
constexpr u32 ROWS_APART = PROGRAM_BLOCKS * (PROGRAM_THREADS / 32);

/// A shape, and the passes that it may have.
struct Shape
{
    u32 n[3];
    /// A power of two that is no less than the longest extent.
    u32 top;

    FSZ_DEVICE Shape(const BoxGrid &grid, u32 shape)
        : n{shape_extent(grid, shape, 0), shape_extent(grid, shape, 1),
            shape_extent(grid, shape, 2)}
    {
        const u32 longest = max(n[0], max(n[1], n[2]));
        top = longest > 1 ? 1u << (32 - __clz(longest - 1)) : 1;
    }

    /// Whether a box has it.
    FSZ_DEVICE bool exists() const { return n[0] > 0 && n[1] > 0 && n[2] > 0; }

    FSZ_DEVICE bool around() const { return (n[0] > 1) + (n[1] > 1) + (n[2] > 1) > 1; }

    FSZ_DEVICE u32 corners() const
    {
        return (n[0] > 1 ? 2 : 1) * (n[1] > 1 ? 2 : 1) * (n[2] > 1 ? 2 : 1) - 1;
    }

    /// The level of a candidate; 0 where there is none.
    FSZ_DEVICE u32 level(u32 c) const { return top / 2 >> c / ODD_SETS; }

    FSZ_DEVICE PassCut cut(u32 c) const
    {
        return PassCut(n, max(level(c), 1u), odd_set(c % ODD_SETS));
    }

    /// The first candidate of the finest grid, which all before are coarser than.
    FSZ_DEVICE u32 finest() const { return top > 1 ? ODD_SETS * (30 - __clz(top)) : 0; }
};

/// Where passes begin, in shared memory.
struct PassStarts
{
    /// The first row of each candidate, which begins behind that of the corners, and passes before.
    u32 first[PASS_CANDIDATES + 1];
    u32 before[PASS_CANDIDATES + 1];

    /// Finds them, by the number of rows that the cut of a pass has. Called by a thread block.
    template <class RowsOf> FSZ_DEVICE void find(const Shape &shape, const RowsOf &rows_of)
    {
        const u32 thread = threadIdx.x, lane = lane_id();
        if (thread < PASS_CANDIDATES)
        {
            const PassCut cut = shape.cut(thread);
            first[thread] = shape.level(thread) > 0 && cut.points() > 0 ? rows_of(cut) : 0;
        }
        __syncthreads();
        if (thread < 32)
        {
            u32 at = 1, passes = 0;
            for (u32 from = 0; from < PASS_CANDIDATES; from += 32)
            {
                const u32 c = from + lane;
                const u32 rows = c < PASS_CANDIDATES ? first[c] : 0;
                const u32 end = warp_inclusive(rows, lane);
                const u32 votes = __ballot_sync(WARP_ALL, rows > 0);
                if (c < PASS_CANDIDATES)
                {
                    first[c] = at + end - rows;
                    before[c] = passes + __popc(votes & ((1u << lane) - 1));
                }
                at += __shfl_sync(WARP_ALL, end, 31);
                passes += __popc(votes);
            }
            if (lane == 0)
            {
                first[PASS_CANDIDATES] = at;
                before[PASS_CANDIDATES] = passes;
            }
        }
        __syncthreads();
    }

    FSZ_DEVICE u32 rows() const { return first[PASS_CANDIDATES]; }
    FSZ_DEVICE u32 passes() const { return before[PASS_CANDIDATES]; }

    /// Whether a candidate has rows.
    FSZ_DEVICE bool has(u32 c) const { return first[c + 1] > first[c]; }

    /// The candidate that a row behind that of the corners is of. Called by a warp.
    FSZ_DEVICE u32 candidate(u32 row) const
    {
        u32 c = 0;
        for (u32 from = 0; from < PASS_CANDIDATES; from += 32)
        {
            const u32 k = from + lane_id();
            const bool ended = k < PASS_CANDIDATES && first[k + 1] <= row;
            c += __popc(__ballot_sync(WARP_ALL, ended));
        }
        return c;
    }
};

} // namespace fsz
