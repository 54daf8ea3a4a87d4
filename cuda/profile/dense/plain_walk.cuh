// The walk through a plain box, one whose elements all have targets: each word in shared memory
// turns from a target into a value, and an event, which tells residual and context, goes to device
// memory (FORMAT.md, Dense: predict).
#pragma once

#include "device/copies.cuh"
#include "device/hopper.cuh"
#include "profile/dense/apart.cuh"
#include "profile/dense/blend.cuh"
#include "profile/dense/events.cuh"
#include "profile/dense/plain_program.cuh"

namespace fsz
{

/// The targets of an element that is masked, and of one that is listed: they may come out as
/// anything, and are below all others. What is listed has a residual of 0.
constexpr u32 MASKED_TARGET = 0x80000000u;
constexpr u32 LISTED_TARGET = 0x80000001u;

/// How many entries further on is one that is brought near.
constexpr u32 ENTRIES_NEAR = 4;

/// How the finest grid is predicted.
enum class Taps
{
    LINEAR,
    CUBIC,
    SMOOTH,
    BLENDED
};

FSZ_DEVICE u32 load_word(u32 at)
{
    u32 word;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(word) : "r"(at) : "memory");
    return word;
}

FSZ_DEVICE i32 load_value(u32 at) { return static_cast<i32>(load_word(at)); }

FSZ_DEVICE void store_word(u32 at, u32 word)
{
    asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(word) : "memory");
}

FSZ_DEVICE void load_pair(u32 at, u32 &first, u32 &second)
{
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];"
                 : "=r"(first), "=r"(second)
                 : "r"(at)
                 : "memory");
}

FSZ_DEVICE void store_pair(u32 at, u32 first, u32 second)
{
    asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(at), "r"(first), "r"(second) : "memory");
}

/// The values of the neighbours of a point along an axis.
struct Neighbours
{
    i32 a, c, e, g;
};

/// MASKED: some targets are `MASKED_TARGET` or `LISTED_TARGET`.
template <u32 LAYOUT, Taps TAPS, bool MASKED> struct PlainWalk
{
    using Places = StagePlaces<LAYOUT>;
    /// Whether residuals tell of those around them.
    static constexpr bool AROUND = LAYOUT != LAYOUT_LINE;

    u32 stage;
    u32 fine_bits;
    u32 part_bits;
    /// What residuals around count, if they do.
    u32 weight;
    /// The weighted size of the lane's last residual and a part of what all contexts have.
    u32 size;
    /// The largest residual of the lane, in a pass and so far.
    u32 most;
    u32 largest;
    /// Whether a value is too large: one that follows from values of masked points alone may be.
    bool wild;
    /// The lane's entries from the next one on, which is known.
    const u32 *entries;
    u32 next_entry;
    /// Where the lane's first event goes, and the next one.
    const u32 *first_event;
    u32 *events;

    FSZ_DEVICE PlainWalk(u32 stage, u32 fine_bits, bool around, const u32 *entries, u32 *events)
        : stage(stage), fine_bits(fine_bits), part_bits(DENSE_PART_BITS + fine_bits),
          weight(around ? 16 : 0), size(4), most(0), largest(0), wild(false), entries(entries),
          next_entry(__ldg(entries)), first_event(events), events(events)
    {
    }

    /// The word of a lane's point. A lane without one stands where another has its own.
    FSZ_DEVICE static u32 own_word(u32 at, u32 entry)
    {
        u32 word;
        asm volatile("{\n.reg .pred there;\nsetp.ge.s32 there, %2, 0;\nmov.b32 %0, 0;\n"
                     "@there ld.shared.u32 %0, [%1];\n}"
                     : "=&r"(word)
                     : "r"(at), "r"(entry));
        return word;
    }

    /// Takes the point at `at`, in whose context the spread counts 2^BITS a step. The entry tells
    /// whether the lane has one: a number, which takes fewer instructions than a truth value that
    /// is kept.
    template <bool FINE, u32 BITS = DENSE_SPREAD_BITS>
    FSZ_DEVICE void point(u32 at, i32 prediction, u32 spread, u32 entry)
    {
        using Event = PlainEvent<FINE>;
        const bool there = static_cast<i32>(entry) >= 0;
        const i32 target = static_cast<i32>(own_word(at, entry));
        const bool masked = MASKED && target == static_cast<i32>(MASKED_TARGET);
        const bool left_out = MASKED && target <= static_cast<i32>(LISTED_TARGET);
        const i32 r = left_out ? 0 : (target - prediction * (1 << DENSE_PART_BITS)) >> part_bits;
        const u32 value = static_cast<u32>(prediction) + (static_cast<u32>(r) << fine_bits);
        const u32 own = static_cast<u32>(abs(r));
        u32 m = spread << (DENSE_SPREAD_BITS - fine_bits) >> (DENSE_SPREAD_BITS - BITS);
        if constexpr (AROUND)
        {
            const u32 sides =
                __shfl_up_sync(WARP_ALL, size, 1) + __shfl_down_sync(WARP_ALL, size, 1);
            m += 2 * size + sides;
            size = there ? own * weight + 4 : size;
        }
        else
        {
            m += 16;
        }
        m = min(m, 4095u);
        // The exponent is the octave, and the digits behind it are those of a context.
        const u32 digits = __float_as_uint(__fsub_rn(__uint_as_float(m | 0x4B000000u), 0x1p23f));
        constexpr u32 OCTAVE = 127 + 4;
        const u32 context = FINE ? (digits >> 22) - 2 * OCTAVE : (digits >> 23) - OCTAVE;
        if constexpr (MASKED)
        {
            wild = wild ||
                   (there && abs(static_cast<i32>(value)) > static_cast<i32>(DENSE_MOST_VALUE));
        }
        give(there && !masked, Event::of(r, context));
        if (there)
        {
            most = max(most, own);
            store_word(at, value);
        }
    }

    /// Leaves the event of a step.
    FSZ_DEVICE void give(bool there, u32 event)
    {
        __stcg(events, there ? event : NO_RESIDUAL);
        events += 32;
    }

    /// Fills up the last group of steps; gives how many groups there are.
    FSZ_DEVICE u32 end_group()
    {
        while ((events - first_event) % (32 * GROUP_STEPS) != 0)
        {
            give(false, NO_RESIDUAL);
        }
        return same(static_cast<u32>((events - first_event) / (32 * GROUP_STEPS)));
    }

    /// Corners, which have a group of steps of their own; whether they have residuals.
    FSZ_DEVICE bool corners(u32 entry)
    {
        using Event = PlainEvent<false>;
        const bool there = static_cast<i32>(entry) >= 0;
        const u32 at = stage + (entry & ENTRY_POSITION);
        const i32 target = load_value(at);
        const bool masked = MASKED && target == static_cast<i32>(MASKED_TARGET);
        const bool left_out = MASKED && target <= static_cast<i32>(LISTED_TARGET);
        const i32 r = left_out ? 0 : target >> part_bits;
        const u32 value = static_cast<u32>(r) << fine_bits;
        const u32 own = there ? static_cast<u32>(abs(r)) : 0;
        give(there && !masked, Event::of(r, Event::CONTEXTS - 1));
        __syncwarp();
        if (there)
        {
            store_word(at, value);
        }
        __syncwarp();
        largest = own;
        // The rest of the group is not looked at.
        end_group();
        return __any_sync(WARP_ALL, own > 0);
    }

    /// Adds an axis to the sums of a point.
    template <bool OUTER, bool WEIGHTED>
    FSZ_DEVICE static void add(const Neighbours &v, i32 bend, i32 near, i32 far, i32 &sum,
                               u32 &spread)
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
        spread = max(spread, static_cast<u32>(abs(difference)));
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
            u32 spread = 0;
#pragma unroll
            for (u32 a = 0; a < 3; ++a)
            {
                if (ODD >> a & 1)
                {
                    const bool slid = SLIDES && a == ALONG;
                    if (slid)
                    {
                        add<OUTER, false>(now[a], 0, 9, -1, sum, spread);
                    }
                    else
                    {
                        add<OUTER, WEIGHTED>(now[a], bend[a], near[a], far[a], sum, spread);
                    }
                }
            }
            const i32 prediction = AXES == 3 ? (sum * 5461 + 16384) >> 15
                                   : OUTER   ? (sum + 4 * (1 << AXES)) >> (3 + AXES)
                                             : (sum + static_cast<i32>(AXES)) >> AXES;
            point<true>(at, prediction, spread, entry);
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

    /// What one side of a point along the axis of columns adds to its blended prediction: a plane
    /// of its neighbours, of which the nearest has a value of its own.
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
            Side own{0, BOTH ? -(NEAREST / 2) * across_rows(from) : 0};
#pragma unroll
            for (u32 a = 0; a < 3; ++a)
            {
                if (PLANE >> a & 1)
                {
                    const u32 left = from - Places::odd(a);
                    const i32 one = load_value(left), other = load_value(left + Places::two(a));
                    own.nearest = max(own.nearest, abs(one - other));
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
        Side now = plane(at), before{}, behind{};
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
            Side next{}, further{};
            if (left > 1)
            {
                next = plane(then);
                if constexpr (SLIDES)
                {
                    further = side(then + BEHIND);
                }
            }
            const i32 sum = now.sum + before.sum + behind.sum;
            const i32 spread = max(now.nearest, abs(before.nearest - behind.nearest));
            const i32 prediction = (sum + NEAREST) >> AXES;
            point<true, DENSE_BLENDED_SPREAD_BITS>(at, prediction, static_cast<u32>(spread), entry);
            now = next;
            before = behind;
            behind = further;
            at = then;
        }
    }

    /// The next entry of the lane; the one behind it is on its way from then on, and one further on
    /// comes near.
    FSZ_DEVICE u32 take_entry()
    {
        const u32 entry = next_entry;
        entries += 32;
        next_entry = __ldg(entries);
        bring_near(entries + 32 * ENTRIES_NEAR);
        return entry;
    }

    /// The steps of a pass of the finest grid.
    template <u32 ODD> FSZ_DEVICE void fine_pass(PassWord pass)
    {
        constexpr bool BLENDS = TAPS == Taps::BLENDED && (ODD & (ODD - 1)) != 0;
        constexpr bool SLIDES = Places::ALONG < 3 && (ODD >> (Places::ALONG & 3) & 1);
        const u32 head = pass.template head<LAYOUT>(), groups = pass.groups(), even = pass.even();
        const u32 singles = head + groups + pass.flat();
#pragma unroll 1
        for (u32 k = 0; k < singles; ++k)
        {
            const u32 entry = take_entry();
            const u32 steps = k - head < groups ? even : 1;
            // Instructions that lie apart are waited for, so each way stands once.
            if constexpr (BLENDS)
            {
                blended_steps<ODD>(entry, steps);
            }
            else if (SLIDES && k - head < groups)
            {
                fine_steps<ODD, SLIDES>(entry, steps);
            }
            else
            {
                fine_steps<ODD, false>(entry, steps);
            }
        }
    }

    /// A pass of a coarser grid.
    template <u32 AXES>
    FSZ_DEVICE void coarse_pass(const PassWords &words, u32 number, PassWord pass)
    {
        u32 before[AXES], last[AXES];
        words.lasts_of(number, last);
        u32 odd = pass.odd();
#pragma unroll
        for (u32 k = 0; k < AXES; ++k)
        {
            const u32 axis = __ffs(odd) - 1;
            odd &= odd - 1;
            before[k] = Places::two(axis) << pass.level() >> 1;
        }
#pragma unroll 1
        for (u32 left = pass.flat(); left > 0; --left)
        {
            const u32 entry = take_entry();
            const u32 at = stage + (entry & ENTRY_POSITION);
            i32 sum = 0;
            u32 spread = 0, behind[AXES];
#pragma unroll
            for (u32 a = 0; a < AXES; ++a)
            {
                const bool clamped = entry >> (ENTRY_EDGE_SHIFT + a) & 1;
                behind[a] = clamped ? last[a] : before[a];
                const i32 left_value = load_value(at - before[a]);
                const i32 right_value = load_value(at + behind[a]);
                sum += left_value + right_value;
                spread = max(spread, static_cast<u32>(abs(left_value - right_value)));
            }
            constexpr bool BLENDS = TAPS == Taps::BLENDED && AXES > 1;
            i32 prediction;
            if constexpr (BLENDS)
            {
                const auto value = [](u32 from) { return load_value(from); };
                prediction = blended<AXES>(sum, across_axes(value, at, before, behind));
            }
            else
            {
                prediction =
                    AXES == 3 ? (sum * 5461 + 16384) >> 15 : (sum + static_cast<i32>(AXES)) >> AXES;
            }
            constexpr u32 BITS = BLENDS ? DENSE_BLENDED_SPREAD_BITS : DENSE_SPREAD_BITS;
            point<false, BITS>(at, prediction, spread, entry);
        }
    }

    /// Goes through a pass; whether it has residuals. Otherwise its events are none.
    FSZ_DEVICE bool pass(const PassWords &words, u32 number)
    {
        const PassWord word = words.of(number);
        u32 *const begin = events;
        most = 0;
        if (word.fine())
        {
            if constexpr (LAYOUT == LAYOUT_LINE)
            {
                fine_pass<4>(word);
            }
            else
            {
                switch (word.odd())
                {
                case 2:
                    fine_pass<2>(word);
                    break;
                case 4:
                    fine_pass<4>(word);
                    break;
                case 6:
                    fine_pass<6>(word);
                    break;
                default:
                    if constexpr (LAYOUT == LAYOUT_BRICK)
                    {
                        fine_pass_of_brick(word);
                    }
                }
            }
        }
        else
        {
            const u32 axes = word.axes();
            if (axes == 1)
            {
                coarse_pass<1>(words, number, word);
            }
            else if (axes == 2)
            {
                coarse_pass<2>(words, number, word);
            }
            else
            {
                coarse_pass<3>(words, number, word);
            }
        }
        __syncwarp();
        const bool any = __any_sync(WARP_ALL, most > 0);
        events = any ? events : begin;
        largest = max(largest, most);
        return any;
    }

    /// Those whose points are odd along z.
    FSZ_DEVICE void fine_pass_of_brick(PassWord pass)
    {
        switch (pass.odd())
        {
        case 1:
            fine_pass<1>(pass);
            break;
        case 3:
            fine_pass<3>(pass);
            break;
        case 5:
            fine_pass<5>(pass);
            break;
        default:
            fine_pass<7>(pass);
        }
    }
};

/// What the walk through a box comes to, in a word: what lives on is short of registers. Its low
/// bits are the passes that have residuals. None are set of a box that is not walked through.
struct PlainWalked
{
    static constexpr u32 FLAGS = (1u << PASSES_MOST) - 1;
    static constexpr u32 CORNERS = 1u << PASSES_MOST;
    /// Whether the box was walked through.
    static constexpr u32 WALKED = 2u << PASSES_MOST;
    static constexpr u32 FITS = 4u << PASSES_MOST;
    static constexpr u32 FAR = 8u << PASSES_MOST;
    static_assert(PASSES_MOST <= 28, "bits beside those of passes");
    u32 bits;
    /// Groups of steps that have events, with that of the corners.
    u32 groups;

    FSZ_DEVICE u32 flags() const { return bits & FLAGS; }
    /// Whether no residual is any but 0.
    FSZ_DEVICE bool flat() const { return (bits & (FLAGS | CORNERS)) == 0; }
    /// Whether residuals and values are not too large for a box that is interpolated.
    FSZ_DEVICE bool fits() const { return bits & FITS; }
    /// Whether some elements do not keep the bound.
    FSZ_DEVICE bool far() const { return bits & FAR; }
    FSZ_DEVICE bool any() const { return bits != 0; }
};

/// Walks through the box at `stage`, whose targets are there; events of its steps go to `events`.
template <u32 LAYOUT, Taps TAPS, bool MASKED>
FSZ_DEVICE PlainWalked walk_plain(const PlainProgram *program, u32 stage, u32 fine_bits,
                                  u32 *events)
{
    const u32 lane = lane_id();
    const u32 passes = same(program->passes);
    const PassWords words(program, passes);
    PlainWalk<LAYOUT, TAPS, MASKED> walk(stage, fine_bits, program->around != 0,
                                         program->entries[0] + lane, events + lane);
    const u32 corner = walk.take_entry();
    // Of the lane, until all passes are done.
    u32 bits = walk.corners(corner) ? PlainWalked::CORNERS : 0;
#pragma unroll 1
    for (u32 p = 0; p < passes; ++p)
    {
        bits |= walk.pass(words, p) ? 1u << p : 0;
    }
    const u32 groups = walk.end_group();
    bool fits = __all_sync(WARP_ALL, walk.largest <= static_cast<u32>(RESIDUAL_MOST));
    if constexpr (MASKED)
    {
        fits = fits && !__any_sync(WARP_ALL, walk.wild);
    }
    return {PlainWalked::WALKED | (fits ? bits | PlainWalked::FITS : 0), groups};
}

} // namespace fsz
