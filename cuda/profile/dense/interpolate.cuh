// The values of an interpolated box from its symbols, in shared memory, from coarse grids to fine
// (FORMAT.md, Dense: predict).
#pragma once

#include "device/bits.cuh"
#include "profile/dense/blend.cuh"
#include "profile/dense/blend_columns.cuh"
#include "profile/dense/decode_program.cuh"
#include "profile/dense/rans_decoder.cuh"

namespace fsz
{

/// How values are predicted in the finest grid.
enum class Taps : u32
{
    Linear,
    Cubic,
    Blended,
    /// By weights that are known at run time, of which these are cases, too.
    Weighted,
};

/// The finest grid of a layout: the axis that passes go along, bytes between two steps, and for
/// each axis bytes to the neighbour before a point and from there to the one behind.
struct PlaneGrid
{
    static constexpr u32 LAYOUT = LAYOUT_PLANE;
    static constexpr u32 ALONG = 1;
    static constexpr u32 STRIDE = 2 * PLANE_ROW;
    static constexpr u32 SETS = 6;
    static constexpr bool COLUMNS = true;
    FSZ_DEVICE static constexpr u32 before(u32 axis) { return axis == 1 ? PLANE_ROW : 2; }
    FSZ_DEVICE static constexpr u32 pitch(u32 axis) { return 2 * before(axis); }
};

struct BrickGrid
{
    static constexpr u32 LAYOUT = LAYOUT_BRICK;
    static constexpr u32 ALONG = 0;
    static constexpr u32 STRIDE = 2 * BRICK_PLANE;
    static constexpr u32 SETS = 7;
    static constexpr bool COLUMNS = true;
    FSZ_DEVICE static constexpr u32 before(u32 axis)
    {
        return axis == 0 ? BRICK_PLANE : axis == 1 ? 8 * BRICK_ROW : 2;
    }
    FSZ_DEVICE static constexpr u32 pitch(u32 axis)
    {
        return axis == 0 ? 2 * BRICK_PLANE : axis == 1 ? BRICK_ROW : 4;
    }
};

/// Any layout but a line, by entries alone.
struct AnyGrid
{
    static constexpr u32 SETS = 7;
    static constexpr bool COLUMNS = false;
};

/// 1.5 · 2^23 as a float: added to a whole number it shows that number in its low bits.
constexpr u32 WHOLE_BITS = 0x4B400000u;
constexpr float WHOLE = 12582912.0f;

/// What part of the spread counts where a point is blended. What is no whole number then changes
/// no context: the highest bits tell.
constexpr float BLENDED_SPREAD = 1.0f / (1u << (DENSE_SPREAD_BITS - DENSE_BLENDED_SPREAD_BITS));

/// The size of a whole number that fits in 22 bits.
FSZ_DEVICE float size_of(i32 number)
{
    return fabsf(__fadd_rn(__uint_as_float(WHOLE_BITS + static_cast<u32>(number)), -WHOLE));
}

/// What a step says of its residual.
struct Residual
{
    /// In the low half: the residual in lattice points.
    u32 points;
    /// 16 times the residual.
    float sixteenfold;
};

/// A box as a warp decodes it.
struct BoxDecoder
{
    RansDecoder rans;
    /// 16 times the lane's last residual; 0 where residuals do not tell of those around them.
    float last;
    /// Where the box begins in shared memory, and where the rows of slots begin for the exponents
    /// of floats in the finest grid and in coarse ones.
    u32 box;
    u32 fine_rows;
    u32 coarse_rows;
    u32 corner_row;
    /// What a lattice point of the spread counts in a context.
    float spread_unit;
    /// Lattice points of a step by 16, and what makes a slot's residual a number of them.
    float points_unit;
    float points_origin;
    /// What makes a slot's residual one that tells of others.
    float last_unit;
    float last_origin;

    /// A number of the slots: 2^15 + 16 (residual + RESIDUAL_BIAS).
    static constexpr u32 SCALED_BITS = 0x47000000u;
    static constexpr u32 SLOT_DIRECT = FIRST_LONG - 1;
    static constexpr float SCALED_ORIGIN = 32768.0f + 16 * RESIDUAL_BIAS;
    static_assert(SLOT_NUMBER_SHIFT == 12, "a symbol counts 16 in a float of 2^15");
    static_assert(SLOTS_BYTES == 1 << 11, "bytes of a context's slots");
    /// Exponent and top bit of the mantissa of a size tell the context: 16 is the smallest.
    static constexpr u32 FINE_FIRST = (127 + 4) * 2;
    static constexpr u32 COARSE_FIRST = 127 + 4;

    FSZ_DEVICE BoxDecoder(const RansDecoder &rans, u32 box, u32 slots, u32 fine, bool around)
        : rans(rans), last(0), box(box), fine_rows(slots - FINE_FIRST * SLOTS_BYTES),
          coarse_rows(slots + (DENSE_FINE_CONTEXTS - COARSE_FIRST) * SLOTS_BYTES),
          corner_row(slots + DENSE_CORNERS * SLOTS_BYTES),
          spread_unit(static_cast<float>((1u << DENSE_SPREAD_BITS) >> fine)),
          points_unit(static_cast<float>(1u << fine) / 16),
          points_origin(WHOLE - SCALED_ORIGIN * points_unit), last_unit(around ? 1 : 0),
          last_origin(around ? -SCALED_ORIGIN : 0)
    {
    }

    /// The residual by the slot at an address, for the lanes whose `entry` is not negative.
    FSZ_DEVICE Residual residual(u32 at, u32 entry)
    {
        const u32 word = word_at(at);
        const bool longer = (word & SLOT_LONG) != 0 && static_cast<i32>(entry) >= 0;
        bool any_longer = false;
        if (__builtin_expect(__any_sync(WARP_ALL, longer || rans.words.low()), 0))
        {
            rans.prepare();
            any_longer = __any_sync(WARP_ALL, longer);
        }
        rans.advance_points(entry, word);
        float scaled = __uint_as_float(select(SLOT_DIRECT << SLOT_NUMBER_SHIFT, word, SCALED_BITS));
        if (__builtin_expect(any_longer, 0))
        {
            const i32 own = 16 * long_residual(rans, word, longer);
            scaled = longer ? __fadd_rn(static_cast<float>(own), SCALED_ORIGIN) : scaled;
        }
        return {__float_as_uint(__fmaf_rn(scaled, points_unit, points_origin)),
                __fmaf_rn(scaled, last_unit, last_origin)};
    }

    /// What the residuals around a lane add to the size of its next one; asked for early, for it
    /// takes its time.
    FSZ_DEVICE float size_around() const
    {
        const float low = __shfl_up_sync(WARP_ALL, last, 1);
        const float high = __shfl_down_sync(WARP_ALL, last, 1);
        return __fadd_rn(__fmaf_rn(fabsf(last), 2, 16), __fadd_rn(fabsf(low), fabsf(high)));
    }

    /// The value of a point from its prediction and, if the pass has residuals, its own. A lane
    /// whose `entry` is negative has no point.
    template <bool FINE, bool MASKED>
    FSZ_DEVICE void step(u32 at, u32 entry, i32 prediction, float spread, float around,
                         bool coded_pass = true)
    {
        if (!coded_pass)
        {
            put_value(at, static_cast<u32>(prediction), entry);
            last = static_cast<i32>(entry) >= 0 ? 0 : last;
            return;
        }
        const float size = fminf(__fmaf_rn(spread, spread_unit, around), 4095);
        const u32 row = (__float_as_uint(size) >> (FINE ? 22 - 11 : 23 - 11)) +
                        (FINE ? fine_rows : coarse_rows);
        const u32 slot = select(SLOTS_BYTES - 1, rans.state << 2, row);
        // A mask's flag stands where the value will.
        const u32 coded = MASKED && value_of_point(at, entry) != 0 ? ENTRY_IDLE : entry;
        Residual r = residual(slot, coded);
        if (MASKED && static_cast<i32>(coded) < 0)
        {
            r = Residual{0, 0};
        }
        put_value(at, static_cast<u32>(prediction) + r.points, entry);
        last = static_cast<i32>(entry) >= 0 ? r.sixteenfold : last;
    }
};

template <class A, class B> struct SameType
{
    static constexpr bool VALUE = false;
};
template <class A> struct SameType<A, A>
{
    static constexpr bool VALUE = true;
};

/// A prediction from the sum over `AXES` axes; OUTER: by four neighbours an axis.
template <u32 AXES, bool OUTER> FSZ_DEVICE i32 prediction_of(i32 sum)
{
    return OUTER       ? (sum + (AXES == 1 ? 8 : 16)) >> (AXES == 1 ? 4 : 5)
           : AXES == 1 ? (sum + 1) >> 1
           : AXES == 2 ? (sum + 2) >> 2
                       : (sum * 5461 + 16384) >> 15;
}

/// The weights of the finest grid, where they are known at run time; `edge` where an outer
/// neighbour is missing.
struct TapWeights
{
    i32 near;
    i32 far;
    i32 edge_near;
    i32 edge_far;
    /// Weights count along one axis alone.
    bool blended;

    FSZ_DEVICE explicit TapWeights(u32 predictor)
        : near(predictor == DENSE_LINEAR   ? 8
               : predictor == DENSE_SMOOTH ? 6
                                           : 9),
          far(predictor == DENSE_LINEAR   ? 0
              : predictor == DENSE_SMOOTH ? 2
                                          : -1),
          edge_near(predictor == DENSE_LINEAR ? 8 : 9),
          edge_far(predictor == DENSE_LINEAR ? 0 : -1), blended(predictor == DENSE_BLENDED)
    {
    }
};

/// The outer neighbours of a lane's points along an axis: where they are, from the points, and how
/// many differences to add where one is missing (the other one stands for it).
struct Outer
{
    u32 left;
    u32 right;
    i32 bend;
    bool edge;

    FSZ_DEVICE Outer(u32 edges, u32 before, u32 pitch)
    {
        const bool low = edges & 1, high = edges >> 1 & 1;
        const u32 a = 0 - before, e = a - pitch, g = a + 2 * pitch;
        left = low ? (high ? a : g) : e;
        right = high ? (low ? a + pitch : e) : g;
        bend = low == high ? 0 : low ? 3 : -3;
        edge = low || high;
    }
};

/// Whether points that are odd along so many axes can be predicted by outer neighbours, ...
template <u32 AXES, Taps TAPS>
constexpr bool BY_OUTER = TAPS != Taps::Linear && AXES < (TAPS == Taps::Blended ? 2 : 3);
/// ... and by those across these axes.
template <u32 AXES, Taps TAPS>
constexpr bool BY_BLENDED = AXES > 1 && (TAPS == Taps::Blended || TAPS == Taps::Weighted);

template <Taps TAPS>
FSZ_DEVICE i32 outer_sum(i32 near, i32 far, bool edge, const TapWeights &weights)
{
    if constexpr (TAPS == Taps::Cubic || TAPS == Taps::Blended)
    {
        return 9 * near - far;
    }
    return (edge ? weights.edge_near : weights.near) * near +
           (edge ? weights.edge_far : weights.far) * far;
}

/// Columns of a pass of the finest grid, from their first points on.
template <class Grid, u32 SET, Taps TAPS, bool MASKED, bool CODED>
FSZ_DEVICE void walk_columns(BoxDecoder &own, u32 entry, u32 steps, const TapWeights &weights)
{
    constexpr u32 AXES = (SET & 1) + (SET >> 1 & 1) + (SET >> 2);
    constexpr bool OUTER = BY_OUTER<AXES, TAPS>;
    constexpr bool BLENDED = BY_BLENDED<AXES, TAPS>;
    const bool blends = TAPS == Taps::Blended || weights.blended;
    constexpr bool ALONG = SET >> Grid::ALONG & 1;
    constexpr u32 PLANE = SET & ~(1u << Grid::ALONG);
    constexpr u32 BEFORE = Grid::before(Grid::ALONG), PITCH = Grid::pitch(Grid::ALONG);
    u32 at = own.box + (entry & ENTRY_POSITION);
    u32 left[3] = {}, right[3] = {};
    i32 bend[3] = {};
    bool edge[3] = {};
    {
        u32 odd = 0;
#pragma unroll
        for (u32 a = 0; a < 3; ++a)
        {
            if (SET >> a & 1)
            {
                if (OUTER && a != Grid::ALONG)
                {
                    const Outer outer(entry >> (ENTRY_EDGE_SHIFT + 2 * odd), Grid::before(a),
                                      Grid::pitch(a));
                    left[a] = at + outer.left;
                    right[a] = at + outer.right;
                    bend[a] = outer.bend;
                    edge[a] = outer.edge;
                }
                ++odd;
            }
        }
    }
    // Neighbours along the columns stay in registers from step to step.
    i32 A = 0, C = 0, E = 0;
    if constexpr (ALONG)
    {
        A = value_at<0 - BEFORE>(at);
        C = value_at<PITCH - BEFORE>(at);
        E = OUTER ? value_at<2 * PITCH - BEFORE>(at) + 3 * (A - C) : 0;
    }
    // So do those across the columns and another axis.
    i32 side_before = 0;
    if constexpr (ALONG && BLENDED)
    {
        side_before = blends ? side<Grid, PLANE, 0 - BEFORE>(at) : 0;
    }
    const auto step = [&](i32 G, bool ends) {
        const float around = CODED ? own.size_around() : 0;
        i32 sum = 0, nearest = 0;
        float spread = 0;
        if constexpr (ALONG)
        {
            nearest = A + C;
            sum = OUTER ? outer_sum<TAPS>(nearest, E + G, ends, weights) : nearest;
            spread = size_of(A - C);
        }
#pragma unroll
        for (u32 a = 0; a < 3; ++a)
        {
            if ((SET >> a & 1) && a != Grid::ALONG)
            {
                const i32 before =
                    a == 1 ? value_at<0 - Grid::before(1)>(at) : value_at<0 - Grid::before(2)>(at);
                const i32 behind = a == 1 ? value_at<Grid::pitch(1) - Grid::before(1)>(at)
                                          : value_at<Grid::pitch(2) - Grid::before(2)>(at);
                const i32 difference = before - behind;
                nearest += before + behind;
                if constexpr (OUTER)
                {
                    const i32 far = value_at(left[a]) + value_at(right[a]) + bend[a] * difference;
                    sum += outer_sum<TAPS>(before + behind, far, edge[a], weights);
                    left[a] += Grid::STRIDE;
                    right[a] += Grid::STRIDE;
                }
                else
                {
                    sum += before + behind;
                }
                spread = fmaxf(spread, size_of(difference));
            }
        }
        i32 prediction = prediction_of<AXES, OUTER>(sum);
        if constexpr (BLENDED)
        {
            if (blends)
            {
                i32 across = 0;
                if constexpr (PLANE == 6)
                {
                    across -= across_rows<Grid>(at) * (1 << (AXES - 2));
                }
                if constexpr (ALONG)
                {
                    const i32 side_behind = side<Grid, PLANE, PITCH - BEFORE>(at);
                    across += side_before + side_behind;
                    side_before = side_behind;
                }
                prediction = blended<AXES>(nearest, across);
                spread *= BLENDED_SPREAD;
            }
        }
        own.template step<true, MASKED>(at, entry, prediction, spread, around, CODED);
        at += Grid::STRIDE;
    };
    if constexpr (ALONG)
    {
        bool ends = true;
#pragma unroll 1
        for (u32 left_over = steps - 1; left_over > 0; --left_over)
        {
            const i32 G = value_at<2 * PITCH - BEFORE>(at);
            step(G, ends);
            E = A;
            A = C;
            C = G;
            ends = false;
        }
        step(E + 3 * (C - A), true);
    }
    else
    {
#pragma unroll 1
        for (; steps > 0; --steps)
        {
            step(0, false);
        }
    }
}

/// Steps of the finest grid by their entries.
template <u32 AXES, Taps TAPS, bool MASKED>
FSZ_DEVICE void walk_points(BoxDecoder &own, const PassHead &head, Entries &entries, u32 steps,
                            bool coded, const TapWeights &weights)
{
    constexpr bool OUTER = BY_OUTER<AXES, TAPS>;
    constexpr bool BLENDED = BY_BLENDED<AXES, TAPS>;
    const bool blends = TAPS == Taps::Blended || weights.blended;
    const auto value = [](u32 at) { return value_at(at); };
#pragma unroll 1
    for (; steps > 0; --steps)
    {
        const float around = own.size_around();
        const u32 now = entries.take();
        const u32 at = own.box + (now & ENTRY_POSITION);
        i32 sum = 0, nearest = 0;
        float spread = 0;
        u32 distances[AXES], aheads[AXES];
#pragma unroll
        for (u32 k = 0; k < AXES; ++k)
        {
            const u32 distance = head.distance(k);
            const u32 ahead = static_cast<u32>(static_cast<short>(head.distance(3 + k)));
            distances[k] = distance;
            aheads[k] = ahead;
            const i32 before = value_at(at - distance);
            const i32 behind = value_at(at + ahead);
            const i32 difference = before - behind;
            nearest += before + behind;
            if constexpr (OUTER)
            {
                const Outer outer(now >> (ENTRY_EDGE_SHIFT + 2 * k), distance, distance + ahead);
                const i32 far = value_at(at + outer.left) + value_at(at + outer.right) +
                                outer.bend * difference;
                sum += outer_sum<TAPS>(before + behind, far, outer.edge, weights);
            }
            else
            {
                sum += before + behind;
            }
            spread = fmaxf(spread, size_of(difference));
        }
        i32 prediction = prediction_of<AXES, OUTER>(sum);
        if constexpr (BLENDED)
        {
            if (blends)
            {
                prediction = blended<AXES>(nearest, across_axes(value, at, distances, aheads));
                spread *= BLENDED_SPREAD;
            }
        }
        own.template step<true, MASKED>(at, now, prediction, spread, around, coded);
    }
}

/// A pass of a coarse grid.
template <u32 AXES, Taps TAPS, bool MASKED>
FSZ_DEVICE void walk_coarse(BoxDecoder &own, const PassHead &head, Entries &entries, bool coded,
                            const TapWeights &weights)
{
    constexpr bool BLENDED = BY_BLENDED<AXES, TAPS>;
    const bool blends = TAPS == Taps::Blended || weights.blended;
    const auto value = [](u32 at) { return value_at(at); };
    u32 before[AXES], last[AXES];
#pragma unroll
    for (u32 k = 0; k < AXES; ++k)
    {
        before[k] = head.distance(k);
        last[k] = head.distance(3 + k);
    }
#pragma unroll 1
    for (u32 steps = head.count(); steps > 0; --steps)
    {
        const float around = own.size_around();
        const u32 now = entries.take();
        const u32 at = own.box + (now & ENTRY_POSITION);
        i32 sum = 0;
        float spread = 0;
        u32 behind[AXES];
#pragma unroll
        for (u32 k = 0; k < AXES; ++k)
        {
            const bool clamped = now >> (ENTRY_EDGE_SHIFT + k) & 1;
            behind[k] = clamped ? last[k] : before[k];
            const i32 left = value_at(at - before[k]);
            const i32 right = value_at(at + behind[k]);
            sum += left + right;
            spread = fmaxf(spread, size_of(left - right));
        }
        i32 prediction = prediction_of<AXES, false>(sum);
        if constexpr (BLENDED)
        {
            if (blends)
            {
                prediction = blended<AXES>(sum, across_axes(value, at, before, behind));
                spread *= BLENDED_SPREAD;
            }
        }
        own.template step<false, MASKED>(at, now, prediction, spread, around, coded);
    }
}

/// A pass of a line by its entries and those of its neighbours; in the finest grid also steps
/// without edges.
template <bool FINE, Taps TAPS, bool MASKED>
FSZ_DEVICE void walk_line(BoxDecoder &own, u32 steps, Entries &entries, Entries &neighbours,
                          bool coded, const TapWeights &weights)
{
    constexpr bool OUTER = FINE && TAPS != Taps::Linear;
    const auto step = [&](u32 at, u32 entry, i32 A, i32 C, i32 far, bool edge) {
        const i32 sum = OUTER ? outer_sum<TAPS>(A + C, far, edge, weights) : A + C;
        own.template step<FINE, MASKED>(at, entry, prediction_of<1, OUTER>(sum), size_of(A - C), 16,
                                        coded);
    };
    const auto any = [&] {
        const u32 now = entries.take(), beside = neighbours.take();
        const u32 at = own.box + (now & ENTRY_POSITION);
        const u32 left = own.box + (beside & 0xFFFF), right = own.box + (beside >> 16);
        const i32 A = value_at(left), C = value_at(right);
        i32 far = 0;
        bool edge = false;
        if constexpr (OUTER)
        {
            // Two elements further there may be a gap.
            const bool low = now >> ENTRY_EDGE_SHIFT & 1, high = now >> (ENTRY_EDGE_SHIFT + 1) & 1;
            const u32 i = line_index(now & ENTRY_POSITION);
            const u32 e = own.box + line_place(i - 3), g = own.box + line_place(i + 3);
            far = value_at(low ? (high ? left : g) : e) + value_at(high ? (low ? right : e) : g) +
                  (low == high ? 0
                   : low       ? 3
                               : -3) *
                      (A - C);
            edge = low || high;
        }
        step(at, now, A, C, far, edge);
    };
    if (!FINE || steps < 3)
    {
#pragma unroll 1
        for (; steps > 0; --steps)
        {
            any();
        }
        return;
    }
    any();
    entries.skip(steps - 2);
    neighbours.skip(steps - 2);
    // Lane l of step j has element 1 + 2 (32 j + l): the same run of the line in all lanes.
    static_assert(LINE_RUN == 2 * 32, "a step is a run");
    constexpr u32 STRIDE = 2 * LINE_RUN + LINE_GAP;
    const u32 i = 1 + LINE_RUN + 2 * lane_id();
    u32 at = own.box + line_place(i);
    u32 right = own.box + line_place(i + 1);
    u32 left_outer = own.box + line_place(i - 3), right_outer = own.box + line_place(i + 3);
#pragma unroll 1
    for (u32 left_over = steps - 2; left_over > 0; --left_over)
    {
        const i32 A = value_at<0u - 2>(at), C = value_at(right);
        const i32 far = OUTER ? value_at(left_outer) + value_at(right_outer) : 0;
        step(at, 0, A, C, far, false);
        at += STRIDE;
        right += STRIDE;
        left_outer += STRIDE;
        right_outer += STRIDE;
    }
    any();
}

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
template <class Grid, Taps TAPS, bool MASKED, bool CODED>
FSZ_DEVICE void walk_fine(BoxDecoder &own, u32 set, u32 entry, u32 steps, const TapWeights &weights)
{
    switch (set)
    {
    case 2:
        return walk_columns<Grid, 2, TAPS, MASKED, CODED>(own, entry, steps, weights);
    case 4:
        return walk_columns<Grid, 4, TAPS, MASKED, CODED>(own, entry, steps, weights);
    case 6:
        return walk_columns<Grid, 6, TAPS, MASKED, CODED>(own, entry, steps, weights);
    default:
        break;
    }
    if constexpr (Grid::SETS == 7)
    {
        switch (set)
        {
        case 1:
            return walk_columns<Grid, 1, TAPS, MASKED, CODED>(own, entry, steps, weights);
        case 3:
            return walk_columns<Grid, 3, TAPS, MASKED, CODED>(own, entry, steps, weights);
        case 5:
            return walk_columns<Grid, 5, TAPS, MASKED, CODED>(own, entry, steps, weights);
        default:
            return walk_columns<Grid, 7, TAPS, MASKED, CODED>(own, entry, steps, weights);
        }
    }
}

/// The passes of a box behind its corners. Without a `Grid` by their entries alone.
template <class Grid, Taps TAPS, bool MASKED>
FSZ_DEVICE void walk_box(BoxDecoder &own, Walk &walk, const TapWeights &weights)
{
    for (u32 left = walk.coarse; left > 0; --left)
    {
        bool coded;
        const PassHead head = walk.next(coded);
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
    }
    const bool regular = Grid::COLUMNS && same(__ldg(&walk.program->regular)) != 0;
    // The sets of odd axes in order, those of the grid.
    u32 sets = Grid::SETS == 7 ? 0x7653421u : 0x642u;
    for (u32 left = walk.passes - walk.coarse; left > 0; --left)
    {
        const u32 cut = walk.heads.of(walk.number, walk.heads.groups);
        bool coded;
        const PassHead head = walk.next(coded);
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
                    walk_fine<Grid, TAPS, MASKED, true>(own, sets & 0xF, first, steps, weights);
                }
                else
                {
                    walk_fine<Grid, TAPS, false, false>(own, sets & 0xF, first, steps, weights);
                }
                rest -= steps;
            }
            sets >>= 4;
        }
        if (rest > 0)
        {
            walk_any_fine<Grid, TAPS, MASKED>(own, head, walk.entries, rest, coded, weights);
        }
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
        const u32 coded = MASKED && value_of_point(at, entry) != 0 ? ENTRY_IDLE : entry;
        const Residual r = own.residual(own.corner_row + own.rans.slot(), coded);
        put_value(at, static_cast<i32>(coded) >= 0 ? r.points : 0, entry);
        own.rans.prepare();
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

/// Decodes the values of a box; where it is masked they hold the flags of the mask before. FAST:
/// with code of its own for each usual kind of field.
template <bool FAST>
FSZ_DEVICE void interpolate(RansDecoder &rans, u32 box, const DecodeProgram *program,
                            const FieldTaps &of, bool masked)
{
    const bool linear = of.predictor == DENSE_LINEAR, smooth = of.predictor == DENSE_SMOOTH;
    const bool blended = of.predictor == DENSE_BLENDED;
    if (FAST && !masked)
    {
        if (of.layout == LAYOUT_LINE)
        {
            return linear ? interpolate_box<void, Taps::Linear, false>(rans, box, program, of)
                          : interpolate_box<void, Taps::Weighted, false>(rans, box, program, of);
        }
        if (of.layout == LAYOUT_PLANE && !smooth)
        {
            return linear ? interpolate_box<PlaneGrid, Taps::Linear, false>(rans, box, program, of)
                   : blended
                       ? interpolate_box<PlaneGrid, Taps::Blended, false>(rans, box, program, of)
                       : interpolate_box<PlaneGrid, Taps::Cubic, false>(rans, box, program, of);
        }
        if (of.layout == LAYOUT_BRICK && !smooth && !linear)
        {
            return blended
                       ? interpolate_box<BrickGrid, Taps::Blended, false>(rans, box, program, of)
                       : interpolate_box<BrickGrid, Taps::Cubic, false>(rans, box, program, of);
        }
    }
    // What is less usual shares code with masked boxes.
    if (!masked)
    {
        clear_box(box);
    }
    if (of.layout == LAYOUT_LINE)
    {
        interpolate_box<void, Taps::Weighted, true>(rans, box, program, of);
    }
    else if (!FAST)
    {
        interpolate_box<AnyGrid, Taps::Weighted, true>(rans, box, program, of);
    }
    else if (of.layout == LAYOUT_PLANE)
    {
        interpolate_box<PlaneGrid, Taps::Weighted, true>(rans, box, program, of);
    }
    else
    {
        interpolate_box<BrickGrid, Taps::Weighted, true>(rans, box, program, of);
    }
}

} // namespace fsz
