// The steps of a plain box: of the finest grid two at a time where they lie at equal distances
// (FORMAT.md, Dense: predict).
//
// Passes of as many odd axes share their code, and distances are in registers: what the warps of a
// multiprocessor do at once has to fit in its cache of instructions.
#pragma once

#include "profile/dense/blend.cuh"
#include "profile/dense/encode/plain/point.cuh"

namespace fsz
{

/// How the finest grid is predicted.
enum class Taps
{
    LINEAR,
    CUBIC,
    SMOOTH,
    BLENDED
};

/// The values of the neighbours of a point along an axis: the nearest, and the outer ones.
struct Neighbours
{
    i32 a, c, e, g;
};

/// How far the nearest neighbours of a point are before it and behind, along each odd axis.
template <u32 AXES> struct Distances
{
    u32 before[AXES];
    u32 behind[AXES];
};

/// Where the outer neighbours of a point along an axis are, and what is added in the place of a
/// missing one: the other and three times a difference. What the nearest and the outer ones count.
struct Outer
{
    u32 e_from;
    u32 g_from;
    i32 bend;
    i32 near;
    i32 far;

    /// Of a point of the finest grid, by its edges along the axis.
    FSZ_DEVICE static Outer of(u32 before, u32 behind, bool low, bool high, bool smooth)
    {
        const u32 first = 0 - before, third = before + 2 * behind, less = first - before - behind;
        return {low ? (high ? first : third) : less, high ? (low ? behind : less) : third,
                low == high ? 0
                : low       ? 3
                            : -3,
                smooth && !(low || high) ? 6 : 9, smooth && !(low || high) ? 2 : -1};
    }
};

/// The steps of passes.
template <u32 LAYOUT, Taps TAPS, bool MASKED> struct PlainSteps : PlainPoint<LAYOUT, MASKED>
{
    using Point = PlainPoint<LAYOUT, MASKED>;
    using Point::stage;
    using typename Point::Places;

    using Point::Point;

    static constexpr bool WEIGHTED = TAPS == Taps::SMOOTH;
    /// Whether points odd along so many axes are blended, and whether outer neighbours count.
    template <u32 AXES> static constexpr bool BLENDS = TAPS == Taps::BLENDED && AXES > 1;
    template <u32 AXES>
    static constexpr bool OUTER = TAPS != Taps::LINEAR && AXES < 3 && !BLENDS<AXES>;
    template <u32 AXES>
    static constexpr u32 BITS = BLENDS<AXES> ? DENSE_BLENDED_SPREAD_BITS : DENSE_SPREAD_BITS;

    /// Adds what the difference of the nearest neighbours along axis `k` is to a spread.
    FSZ_DEVICE static void widen(i32 difference, u32 k, float &spread)
    {
        const float size = rounded_size(difference);
        spread = k == 0 ? size : fmaxf(spread, size);
    }

    /// A prediction from a sum of nearest and outer neighbours.
    template <u32 AXES> FSZ_DEVICE static i32 outer_mean(i32 sum)
    {
        return (sum + 4 * (1 << AXES)) >> (3 + AXES);
    }

    /// The prediction of a point from its nearest neighbours.
    template <u32 AXES>
    FSZ_DEVICE static i32 predict(u32 at, const u32 (&before)[AXES], const u32 (&behind)[AXES],
                                  float &spread)
    {
        i32 sum = 0;
#pragma unroll
        for (u32 k = 0; k < AXES; ++k)
        {
            const i32 left = load_value(at - before[k]), right = load_value(at + behind[k]);
            sum += left + right;
            widen(left - right, k, spread);
        }
        if constexpr (BLENDS<AXES>)
        {
            const auto value = [](u32 from) { return load_value(from); };
            return blended<AXES>(sum, across_axes(value, at, before, behind));
        }
        return AXES == 3 ? (sum * 5461 + 16384) >> 15 : (sum + static_cast<i32>(AXES)) >> AXES;
    }

    /// A step. The entries of a coarse grid tell whether `last` is how far the neighbour behind is.
    template <u32 AXES>
    FSZ_DEVICE void step(u32 at, u32 entry, bool fine, const Distances<AXES> &distances,
                         const u32 (&last)[AXES])
    {
        const u32 edges = entry >> ENTRY_EDGE_SHIFT;
        u32 behind[AXES];
#pragma unroll
        for (u32 k = 0; k < AXES; ++k)
        {
            behind[k] = !fine && (edges >> k & 1) ? last[k] : distances.behind[k];
        }
        float spread = 0;
        i32 prediction;
        if (OUTER<AXES> && fine)
        {
            i32 sum = 0;
#pragma unroll
            for (u32 k = 0; k < AXES; ++k)
            {
                const Outer outer = Outer::of(distances.before[k], behind[k], edges >> 2 * k & 1,
                                              edges >> (2 * k + 1) & 1, WEIGHTED);
                const i32 left = load_value(at - distances.before[k]);
                const i32 right = load_value(at + behind[k]);
                const i32 e = load_value(at + outer.e_from), g = load_value(at + outer.g_from);
                const i32 difference = left - right;
                const i32 further = e + g + outer.bend * difference;
                sum += WEIGHTED ? outer.near * (left + right) + outer.far * further
                                : 9 * (left + right) - further;
                widen(difference, k, spread);
            }
            prediction = outer_mean<AXES>(sum);
        }
        else
        {
            prediction = predict<AXES>(at, distances.before, behind, spread);
        }
        this->template point<BITS<AXES>>(at, prediction, spread, entry, fine);
    }

    /// Steps of a group of so many on the finest grid, but for the last one of an odd number, two
    /// at a time: neither waits for what the other does. Gives where the last one is.
    template <u32 AXES>
    FSZ_DEVICE u32 pairs(u32 at, u32 entry, u32 steps, const Distances<AXES> &distances)
    {
#pragma unroll 1
        for (; steps > 1; steps -= 2, at += 2 * Places::NEXT)
        {
            this->load_two(at, entry);
            float spread[2] = {};
            const i32 prediction[2] = {
                predict<AXES>(at, distances.before, distances.behind, spread[0]),
                predict<AXES>(at + Places::NEXT, distances.before, distances.behind, spread[1])};
            this->template two_points<BITS<AXES>>(at, prediction, spread, entry);
        }
        return at;
    }

    /// The same where outer neighbours count; SLIDES, of points that are odd along the axis that
    /// groups go along, which is the first then: what is behind a point is before the next.
    template <u32 AXES, bool SLIDES>
    FSZ_DEVICE u32 outer_pairs(u32 at, u32 entry, u32 steps, const Distances<AXES> &distances)
    {
        constexpr u32 S = Places::ALONG & 3;
        constexpr u32 BEFORE = Places::odd(S), TWO = Places::two(S);
        constexpr u32 FIRST = SLIDES ? 1 : 0;
        Outer outer[AXES];
#pragma unroll
        for (u32 k = FIRST; k < AXES; ++k)
        {
            const u32 edges = entry >> (ENTRY_EDGE_SHIFT + 2 * k);
            outer[k] = Outer::of(distances.before[k], distances.behind[k], edges & 1,
                                 edges >> 1 & 1, WEIGHTED);
        }
        // The neighbours that slide: the outer one before, and those of the first step.
        i32 before = 0, left = 0, right = 0;
        if constexpr (SLIDES)
        {
            left = load_value(at - BEFORE);
            right = load_value(at - BEFORE + TWO);
            // The first has no outer neighbour before it.
            before = load_value(at - BEFORE + 2 * TWO) + 3 * (left - right);
        }
#pragma unroll 1
        for (; steps > 1; steps -= 2, at += 2 * Places::NEXT)
        {
            this->load_two(at, entry);
            i32 sum[2] = {};
            float spread[2] = {};
            if constexpr (SLIDES)
            {
                const i32 further = load_value(at - BEFORE + 2 * TWO);
                // The last has no outer neighbour behind it.
                const i32 last =
                    steps > 2 ? load_value(at - BEFORE + 3 * TWO) : left + 3 * (further - right);
                sum[0] = 9 * (left + right) - (before + further);
                sum[1] = 9 * (right + further) - (left + last);
                widen(left - right, 0, spread[0]);
                widen(right - further, 0, spread[1]);
                before = right;
                left = further;
                right = last;
            }
#pragma unroll
            for (u32 k = FIRST; k < AXES; ++k)
            {
                Neighbours of[2];
#pragma unroll
                for (u32 i = 0; i < 2; ++i)
                {
                    const u32 from = at + i * Places::NEXT;
                    of[i] = {load_value(from - distances.before[k]),
                             load_value(from + distances.behind[k]),
                             load_value(from + outer[k].e_from),
                             load_value(from + outer[k].g_from)};
                }
#pragma unroll
                for (u32 i = 0; i < 2; ++i)
                {
                    const i32 difference = of[i].a - of[i].c;
                    const i32 further = of[i].e + of[i].g + outer[k].bend * difference;
                    sum[i] += WEIGHTED
                                  ? outer[k].near * (of[i].a + of[i].c) + outer[k].far * further
                                  : 9 * (of[i].a + of[i].c) - further;
                    widen(difference, k, spread[i]);
                }
            }
            const i32 prediction[2] = {outer_mean<AXES>(sum[0]), outer_mean<AXES>(sum[1])};
            this->two_points(at, prediction, spread, entry);
        }
        return at;
    }

    /// The entry of the last of several steps of a group, of that of the first.
    FSZ_DEVICE static u32 last_entry(u32 entry, bool slides)
    {
        // Along the group's axis, the first of those that points are odd along, it is at the end.
        constexpr u32 LOW = 1u << ENTRY_EDGE_SHIFT, HIGH = 2u << ENTRY_EDGE_SHIFT;
        return slides ? (entry & ~LOW) | HIGH : entry;
    }
};

} // namespace fsz
