// The order of a box as boxes are encoded by it that are not plain: an entry for each step.
#pragma once

#include "profile/dense/pass_starts.cuh"

namespace fsz
{

/// Makes a share of the program of a shape. Called by a thread block of PROGRAM_THREADS.
__device__ inline void make_program(const BoxGrid &grid, u32 number, u32 share, Program *program)
{
    __shared__ PassStarts starts;
    const Shape shape(grid, number);
    if (!shape.exists())
    {
        return;
    }
    const u32(&n)[3] = shape.n;
    const u32 thread = threadIdx.x, lane = lane_id();
    starts.find(shape, [](const PassCut &cut) { return cut.steps(); });
    if (share == 0 && thread == PASS_CANDIDATES)
    {
        program->passes = starts.passes();
        program->len = n[0] * n[1] * n[2];
        program->around = shape.around();
        program->corners = shape.corners();
    }
    if (share == 0 && thread < PASS_CANDIDATES && starts.has(thread))
    {
        const PassCut cut = shape.cut(thread);
        Pass pass{starts.first[thread], cut.steps(), 0, cut.s == 1, {}, {}};
        for (u32 a = 0; a < 3; ++a)
        {
            if (cut.axis[a].odd)
            {
                const u32 stride = a == 0 ? n[1] * n[2] : a == 1 ? n[2] : 1;
                const u32 end = cut.axis[a].index(cut.count[a] - 1);
                pass.distance[pass.axes] = cut.s * stride;
                pass.last[pass.axes] = cut.s == 1 ? stride : (n[a] - 1 - end) * stride;
                ++pass.axes;
            }
        }
        program->pass[starts.before[thread]] = pass;
    }
    for (u32 step = first_row(share); step < starts.rows(); step += ROWS_APART)
    {
        u32 entry;
        if (step == 0)
        {
            // Corner `lane + 1` in C order.
            const u32 corners = shape.corners();
            u32 corner = lane + 1 <= corners ? lane + 1 : 1;
            u32 position = 0, stride = 1;
            for (u32 a = 3; a-- > 0;)
            {
                if (n[a] > 1)
                {
                    position += (corner & 1) * (n[a] - 1) * stride;
                    corner /= 2;
                }
                stride *= n[a];
            }
            entry = position | (lane + 1 <= corners ? 0 : ENTRY_IDLE);
            entry = corners == 0 ? ENTRY_IDLE : entry;
        }
        else
        {
            const u32 c = starts.candidate(step);
            const PassCut cut = shape.cut(c);
            u32 k[3] = {};
            const bool there = cut.point_or_first(step - starts.first[c], lane, k);
            entry = cut.entry(k) | (there ? 0 : ENTRY_IDLE);
        }
        program->entries[step][lane] = entry;
    }
}

} // namespace fsz
