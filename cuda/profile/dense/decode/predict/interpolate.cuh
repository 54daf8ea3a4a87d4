// The values of an interpolated box from its symbols, in shared memory, from coarse grids to fine
// (FORMAT.md, Dense: predict).
#pragma once

#include "profile/dense/decode/predict/columns.cuh"
#include "profile/dense/decode/predict/line.cuh"
#include "profile/dense/decode/predict/points.cuh"

namespace fsz
{

template <class A, class B> struct SameType
{
    static constexpr bool VALUE = false;
};
template <class A> struct SameType<A, A>
{
    static constexpr bool VALUE = true;
};

/// What is known of the passes of a box.
struct Walk
{
    const DecodeProgram *program;
    u32 passes;
    u32 coarse;
    PassHeads heads;
    Entries entries;
    u32 flags;
    u32 number;

    FSZ_DEVICE explicit Walk(const DecodeProgram *program)
        : program(program), passes(same(__ldg(&program->passes))),
          coarse(same(__ldg(&program->coarse))), heads(program, passes),
          entries(program->entries[0] + lane_id()), flags(0), number(0)
    {
    }

    /// The head of the next pass, and whether it has residuals.
    FSZ_DEVICE PassHead next(bool &coded)
    {
        coded = flags >> number & 1;
        __syncwarp();
        return heads.head(number++);
    }
};

/// Any steps of a pass of the finest grid.
template <class Grid, Taps TAPS, bool MASKED>
FSZ_DEVICE void walk_any_fine(BoxDecoder &own, const PassHead &head, Entries &entries, u32 steps,
                              bool coded, const TapWeights &weights)
{
    if (head.axes() == 1)
    {
        walk_points<1, TAPS, MASKED>(own, head, entries, steps, coded, weights);
    }
    else if (head.axes() == 2)
    {
        walk_points<2, TAPS, MASKED>(own, head, entries, steps, coded, weights);
    }
    else if (Grid::SETS == 7)
    {
        walk_points<3, TAPS, MASKED>(own, head, entries, steps, coded, weights);
    }
}

/// The columns of a pass of the finest grid of a regular box.
template <class Grid, Taps TAPS, bool CODED>
FSZ_DEVICE void walk_fine(BoxDecoder &own, u32 set, u32 entry, u32 steps, const TapWeights &weights)
{
    switch (set)
    {
    case 2:
        return walk_columns<Grid, 2, TAPS, CODED>(own, entry, steps, weights);
    case 4:
        return walk_columns<Grid, 4, TAPS, CODED>(own, entry, steps, weights);
    case 6:
        return walk_columns<Grid, 6, TAPS, CODED>(own, entry, steps, weights);
    default:
        break;
    }
    if constexpr (Grid::SETS == 7)
    {
        switch (set)
        {
        case 1:
            return walk_columns<Grid, 1, TAPS, CODED>(own, entry, steps, weights);
        case 3:
            return walk_columns<Grid, 3, TAPS, CODED>(own, entry, steps, weights);
        case 5:
            return walk_columns<Grid, 5, TAPS, CODED>(own, entry, steps, weights);
        default:
            return walk_columns<Grid, 7, TAPS, CODED>(own, entry, steps, weights);
        }
    }
}

/// The passes of a box behind its corners. Without a `Grid` by their entries alone.
template <class Grid, Taps TAPS, bool MASKED>
FSZ_DEVICE void walk_box(BoxDecoder &own, Walk &walk, const TapWeights &weights)
{
    static_assert(!(Grid::COLUMNS && MASKED), "columns have values alone");
    for (u32 left = walk.coarse; left > 0; --left)
    {
        bool coded;
        const PassHead head = walk.next(coded);
        own.begin_steps();
        if (head.axes() == 1)
        {
            walk_coarse<1, TAPS, MASKED>(own, head, walk.entries, coded, weights);
        }
        else if (head.axes() == 2)
        {
            walk_coarse<2, TAPS, MASKED>(own, head, walk.entries, coded, weights);
        }
        else if (Grid::SETS == 7)
        {
            walk_coarse<3, TAPS, MASKED>(own, head, walk.entries, coded, weights);
        }
        own.end_steps();
    }
    const bool regular = Grid::COLUMNS && same(__ldg(&walk.program->regular)) != 0;
    // The sets of odd axes in order, those of the grid.
    u32 sets = Grid::SETS == 7 ? 0x7653421u : 0x642u;
    for (u32 left = walk.passes - walk.coarse; left > 0; --left)
    {
        const u32 cut = number_of(walk.number, walk.heads.groups);
        bool coded;
        const PassHead head = walk.next(coded);
        own.begin_steps();
        u32 rest = head.count();
        if constexpr (Grid::COLUMNS)
        {
            const u32 steps = cut >> 8;
            for (u32 groups = regular ? cut & 0xFF : 0; groups > 0; --groups)
            {
                const u32 first = walk.entries.now;
                walk.entries.skip(steps);
                if (coded)
                {
                    walk_fine<Grid, TAPS, true>(own, sets & 0xF, first, steps, weights);
                }
                else
                {
                    walk_fine<Grid, TAPS, false>(own, sets & 0xF, first, steps, weights);
                }
                rest -= steps;
            }
            sets >>= 4;
        }
        if (rest > 0)
        {
            walk_any_fine<Grid, TAPS, MASKED>(own, head, walk.entries, rest, coded, weights);
        }
        own.end_steps();
    }
}

template <Taps TAPS, bool MASKED>
FSZ_DEVICE void walk_line_box(BoxDecoder &own, Walk &walk, const TapWeights &weights)
{
    Entries neighbours(walk.program->entries[LINE_NEIGHBOURS + 1] + lane_id());
    for (u32 left = walk.passes; left > 0; --left)
    {
        const bool fine = walk.number >= walk.coarse;
        bool coded;
        const u32 steps = walk.next(coded).count();
        if (fine)
        {
            walk_line<true, TAPS, MASKED>(own, steps, walk.entries, neighbours, coded, weights);
        }
        else
        {
            walk_line<false, TAPS, MASKED>(own, steps, walk.entries, neighbours, coded, weights);
        }
        own.end_steps();
    }
}

/// A box as all layouts begin: corners and the flags of passes.
template <bool MASKED>
FSZ_DEVICE Walk begin_box(BoxDecoder &own, const DecodeProgram *program, u32 flag_zeros)
{
    const u32 lane = lane_id();
    own.rans.prepare();
    put_value(own.box, 0, lane == 0 ? 0 : ENTRY_IDLE);
    Walk walk(program);
    const u32 entry = walk.entries.take();
    if (same(__ldg(&program->corners)) > 0)
    {
        const u32 at = own.box + (entry & ENTRY_POSITION);
        own.corners<MASKED>(at, entry);
    }
    const u32 context = DENSE_PASS_FLAGS + (lane < walk.coarse ? 1 : 0);
    const u32 flag = own.rans.flag(word_at(flag_zeros + 4 * context), lane < walk.passes);
    walk.flags = __ballot_sync(WARP_ALL, flag != 0);
    own.rans.prepare();
    return walk;
}

/// The interpolation of a field.
struct FieldTaps
{
    u32 layout;
    u32 predictor;
    u32 fine;
    /// Where in shared memory slots and the numbers of slots of flags of 0 begin.
    u32 slots;
    u32 flag_zeros;
};

/// The values of boxes of a `Grid`; void: of lines.
template <class Grid, Taps TAPS, bool MASKED>
FSZ_DEVICE void interpolate_box(RansDecoder &rans, u32 box, const DecodeProgram *program,
                                const FieldTaps &of)
{
    together();
    BoxDecoder own(rans, box, of.slots, of.fine, __ldg(&program->around) != 0);
    Walk walk = begin_box<MASKED>(own, program, of.flag_zeros);
    const TapWeights weights(of.predictor);
    if constexpr (SameType<Grid, void>::VALUE)
    {
        walk_line_box<TAPS, MASKED>(own, walk, weights);
    }
    else
    {
        walk_box<Grid, TAPS, MASKED>(own, walk, weights);
    }
    rans = own.rans;
    __syncwarp();
}

/// The same by any predictor but the smooth one, which lines alone are chosen to have.
template <class Grid>
FSZ_DEVICE void interpolate_by_columns(RansDecoder &rans, u32 box, const DecodeProgram *program,
                                       const FieldTaps &of)
{
    return of.predictor == DENSE_LINEAR
               ? interpolate_box<Grid, Taps::Linear, false>(rans, box, program, of)
           : of.predictor == DENSE_BLENDED
               ? interpolate_box<Grid, Taps::Blended, false>(rans, box, program, of)
               : interpolate_box<Grid, Taps::Cubic, false>(rans, box, program, of);
}

/// Decodes the values of a box; where it is masked they hold the flags of the mask before. FAST:
/// with code of its own for each usual kind of field.
template <bool FAST>
FSZ_DEVICE void interpolate(RansDecoder &rans, u32 box, const DecodeProgram *program,
                            const FieldTaps &of, bool masked)
{
    const bool linear = of.predictor == DENSE_LINEAR, smooth = of.predictor == DENSE_SMOOTH;
    if (FAST && !masked)
    {
        if (of.layout == LAYOUT_LINE)
        {
            return linear ? interpolate_box<void, Taps::Linear, false>(rans, box, program, of)
                          : interpolate_box<void, Taps::Weighted, false>(rans, box, program, of);
        }
        if (!smooth)
        {
            return of.layout == LAYOUT_PLANE
                       ? interpolate_by_columns<PlaneGrid>(rans, box, program, of)
                       : interpolate_by_columns<BrickGrid>(rans, box, program, of);
        }
    }
    // What is less usual shares code with masked boxes. These go step by step even in columns: ways
    // of their own for each set of odd axes, beside those of other boxes, are more instructions
    // than the first cache has room for, and waiting for them took three fourths of the time.
    if (!masked)
    {
        clear_box(box);
    }
    if (of.layout == LAYOUT_LINE)
    {
        interpolate_box<void, Taps::Weighted, true>(rans, box, program, of);
    }
    else
    {
        interpolate_box<AnyGrid, Taps::Weighted, true>(rans, box, program, of);
    }
}

} // namespace fsz
