// The steps of a plain box on its finest grid, whose points lie at equal distances, so that what
// the next one needs is loaded while one is worked on (FORMAT.md, Dense: predict).
#pragma once

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

/// The values of the neighbours of a point along an axis.
struct Neighbours
{
    i32 a, c, e, g;
};

/// The steps of passes of the finest grid.
template <u32 LAYOUT, Taps TAPS, bool MASKED> struct PlainSteps : PlainPoint<LAYOUT, MASKED>
{
    using Point = PlainPoint<LAYOUT, MASKED>;
    using Point::stage;
    using typename Point::Places;

    using Point::Point;

    /// Adds an axis to the sums of a point.
    template <bool OUTER, bool WEIGHTED>
    FSZ_DEVICE static void add(const Neighbours &v, i32 bend, i32 near, i32 far, i32 &sum,
                               float &spread, bool first)
    {
        const i32 difference = v.a - v.c;
        if constexpr (!OUTER)
        {
            sum += v.a + v.c;
        }
        else if constexpr (WEIGHTED)
        {
            sum += near * (v.a + v.c) + far * (v.e + v.g + bend * difference);
        }
        else
        {
            sum += 9 * (v.a + v.c) - (v.e + v.g + bend * difference);
        }
        spread = first ? rounded_size(difference) : fmaxf(spread, rounded_size(difference));
    }

    /// Steps of the finest grid that lie at equal distances, the points odd along ODD; SLIDE, along
    /// the axis of columns.
    template <u32 ODD, bool SLIDE> FSZ_DEVICE void fine_steps(u32 entry, u32 steps)
    {
        constexpr u32 AXES = (ODD & 1) + (ODD >> 1 & 1) + (ODD >> 2 & 1);
        constexpr bool OUTER = TAPS != Taps::LINEAR && AXES < 3;
        constexpr bool WEIGHTED = TAPS == Taps::SMOOTH;
        constexpr u32 ALONG = Places::ALONG;
        constexpr bool SLIDES = SLIDE;
        u32 at = stage + (entry & ENTRY_POSITION);
        // Of an axis across: where outer neighbours are, and what is added in the place of a
        // missing one: the other and three times a difference.
        i32 e_from[3] = {}, g_from[3] = {}, bend[3] = {}, near[3] = {}, far[3] = {};
        u32 edges = entry >> ENTRY_EDGE_SHIFT;
#pragma unroll
        for (u32 a = 0; a < 3; ++a)
        {
            if (ODD >> a & 1)
            {
                const i32 left = -static_cast<i32>(Places::odd(a));
                const i32 two = static_cast<i32>(Places::two(a));
                const bool low = edges & 1, high = edges >> 1 & 1;
                edges >>= 2;
                e_from[a] = low ? (high ? left : left + 2 * two) : left - two;
                g_from[a] = high ? (low ? left + two : left - two) : left + 2 * two;
                bend[a] = low == high ? 0 : low ? 3 : -3;
                near[a] = low || high ? 9 : 6;
                far[a] = low || high ? -1 : 2;
            }
        }
        const auto load = [&](u32 a, u32 from) {
            const u32 left = from - Places::odd(a);
            Neighbours v{load_value(left), load_value(left + Places::two(a)), 0, 0};
            if constexpr (OUTER)
            {
                v.e = load_value(from + static_cast<u32>(e_from[a]));
                v.g = load_value(from + static_cast<u32>(g_from[a]));
            }
            return v;
        };
        Neighbours now[3] = {};
#pragma unroll
        for (u32 a = 0; a < 3; ++a)
        {
            if ((ODD >> a & 1) && !(SLIDES && a == ALONG))
            {
                now[a] = load(a, at);
            }
        }
        constexpr u32 S = ALONG & 3;
        constexpr u32 AHEAD = SLIDES ? 2 * Places::two(S) - Places::odd(S) : 0;
        if constexpr (SLIDES)
        {
            Neighbours &v = now[S];
            v.a = load_value(at - Places::odd(S));
            v.c = load_value(at - Places::odd(S) + Places::two(S));
            if constexpr (OUTER)
            {
                // The first has no outer neighbour before it, the last none behind it.
                v.g = steps > 1 ? load_value(at + AHEAD) : v.c;
                v.e = steps > 1 ? v.g + 3 * (v.a - v.c) : v.a;
            }
        }
        const auto take = [&]() {
            i32 sum = 0;
            float spread = 0;
#pragma unroll
            for (u32 a = 0; a < 3; ++a)
            {
                if (ODD >> a & 1)
                {
                    const bool slid = SLIDES && a == ALONG, first = (ODD & ((1u << a) - 1)) == 0;
                    if (slid)
                    {
                        add<OUTER, false>(now[a], 0, 9, -1, sum, spread, first);
                    }
                    else
                    {
                        add<OUTER, WEIGHTED>(now[a], bend[a], near[a], far[a], sum, spread, first);
                    }
                }
            }
            const i32 prediction = AXES == 3 ? (sum * 5461 + 16384) >> 15
                                   : OUTER   ? (sum + 4 * (1 << AXES)) >> (3 + AXES)
                                             : (sum + static_cast<i32>(AXES)) >> AXES;
            this->template point<true>(at, prediction, spread, entry);
        };
#pragma unroll 1
        for (u32 left = steps; left > 0; --left)
        {
            // What the next step needs is on its way while this one is worked on.
            Neighbours next[3] = {};
            const u32 then = at + Places::NEXT;
            if (left > 1)
            {
#pragma unroll
                for (u32 a = 0; a < 3; ++a)
                {
                    if ((ODD >> a & 1) && !(SLIDES && a == ALONG))
                    {
                        next[a] = load(a, then);
                    }
                }
                if constexpr (SLIDES && !OUTER)
                {
                    next[S].c = load_value(then - Places::odd(S) + Places::two(S));
                }
            }
            if constexpr (SLIDES)
            {
                next[S].a = now[S].c;
                if constexpr (OUTER)
                {
                    next[S].c = now[S].g;
                    next[S].e = now[S].a;
                    next[S].g =
                        left > 2 ? load_value(then + AHEAD) : now[S].a + 3 * (now[S].g - now[S].c);
                }
            }
            take();
#pragma unroll
            for (u32 a = 0; a < 3; ++a)
            {
                now[a] = next[a];
            }
            at = then;
        }
    }

    /// What the plane of a point across the axis of columns adds to its blended prediction.
    struct Plane
    {
        float spread;
        i32 sum;
    };

    /// What one side of a point along that axis adds: a plane of its neighbours, of which the
    /// nearest has a value of its own.
    struct Side
    {
        i32 nearest;
        i32 sum;
    };

    /// The sum of the two neighbours along an axis of a point, or of a place beside it.
    FSZ_DEVICE static i32 beside(u32 axis, u32 at)
    {
        const u32 left = at - Places::odd(axis);
        return load_value(left) + load_value(left + Places::two(axis));
    }

    /// That of the four across y and x.
    FSZ_DEVICE static i32 across_rows(u32 at)
    {
        const u32 left = at - Places::odd(1);
        return beside(2, left) + beside(2, left + Places::two(1));
    }

    /// Steps whose points are odd along several axes, by the Boolean sum, in parts of 2^axes
    /// (FORMAT.md, Dense: predict).
    template <u32 ODD> FSZ_DEVICE void blended_steps(u32 entry, u32 steps)
    {
        constexpr u32 AXES = (ODD & 1) + (ODD >> 1 & 1) + (ODD >> 2 & 1);
        constexpr u32 ALONG = Places::ALONG & 3;
        constexpr bool SLIDES = ODD >> ALONG & 1;
        /// The odd axes in the plane of a point.
        constexpr u32 PLANE = SLIDES ? ODD & ~(1u << ALONG) : ODD;
        constexpr bool BOTH = PLANE == 6;
        constexpr i32 NEAREST = 1 << (AXES - 1);
        u32 at = stage + (entry & ENTRY_POSITION);
        const auto plane = [&](u32 from) {
            Plane own{0, BOTH ? -(NEAREST / 2) * across_rows(from) : 0};
#pragma unroll
            for (u32 a = 0; a < 3; ++a)
            {
                if (PLANE >> a & 1)
                {
                    const u32 left = from - Places::odd(a);
                    const i32 one = load_value(left), other = load_value(left + Places::two(a));
                    const float size = rounded_size(one - other);
                    own.spread = (PLANE & ((1u << a) - 1)) == 0 ? size : fmaxf(own.spread, size);
                    own.sum += NEAREST * (one + other);
                }
            }
            return own;
        };
        const auto side = [&](u32 from) {
            const i32 nearest = load_value(from);
            i32 sum = BOTH ? across_rows(from) : 0;
#pragma unroll
            for (u32 a = 0; a < 3; ++a)
            {
                if (PLANE >> a & 1)
                {
                    sum -= NEAREST / 2 * beside(a, from);
                }
            }
            return Side{nearest, sum + NEAREST * nearest};
        };
        constexpr u32 BEHIND = Places::two(ALONG) - Places::odd(ALONG);
        Plane now = plane(at);
        Side before{}, behind{};
        if constexpr (SLIDES)
        {
            before = side(at - Places::odd(ALONG));
            behind = side(at + BEHIND);
        }
#pragma unroll 1
        for (u32 left = steps; left > 0; --left)
        {
            // What the next step needs is on its way while this one is worked on.
            const u32 then = at + Places::NEXT;
            Plane next{};
            Side further{};
            if (left > 1)
            {
                next = plane(then);
                if constexpr (SLIDES)
                {
                    further = side(then + BEHIND);
                }
            }
            const i32 sum = now.sum + before.sum + behind.sum;
            float spread = now.spread;
            if constexpr (SLIDES)
            {
                spread = fmaxf(spread, rounded_size(before.nearest - behind.nearest));
            }
            const i32 prediction = (sum + NEAREST) >> AXES;
            this->template point<true, DENSE_BLENDED_SPREAD_BITS>(at, prediction, spread, entry);
            now = next;
            before = behind;
            behind = further;
            at = then;
        }
    }
};

} // namespace fsz
