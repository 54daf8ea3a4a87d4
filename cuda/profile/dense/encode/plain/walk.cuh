// The walk through a plain box, one whose elements all have targets, pass by pass (FORMAT.md,
// Dense: predict).
#pragma once

#include "profile/dense/encode/plain/steps.cuh"

namespace fsz
{

/// How many entries further on is one that is brought near.
constexpr u32 ENTRIES_NEAR = 4;

/// The passes of a box, one after the other.
template <u32 LAYOUT, Taps TAPS, bool MASKED> struct PlainWalk : PlainSteps<LAYOUT, TAPS, MASKED>
{
    using Steps = PlainSteps<LAYOUT, TAPS, MASKED>;
    using Steps::entries;
    using Steps::events;
    using Steps::later_entry;
    using Steps::most;
    using Steps::next_entry;
    using Steps::nothing;
    using Steps::stage;
    using typename Steps::Places;

    using Steps::Steps;

    /// Goes on to the next entry, once its own steps are done, and asks for the second one behind
    /// it. A compiler loads as late as it can what the next round of a loop needs, and looks at it
    /// as soon as it can, so that a warp would wait for the whole load. It cannot tell that what
    /// this depends on is nothing: the next entry, asked for a round ago, is looked at behind this
    /// one's steps, and before the load.
    FSZ_DEVICE void end_entry()
    {
        next_entry = later_entry | (__float_as_uint(most) & nothing);
        entries += 32 + (next_entry & nothing);
        later_entry = __ldg(entries);
        bring_near(entries + 32 * ENTRIES_NEAR);
    }

    /// Of what each axis has, by z, y and x, that of the odd axis `k` of a pass of so many.
    template <u32 AXES> FSZ_DEVICE static u32 of_odd(u32 k, u32 odd, u32 z, u32 y, u32 x)
    {
        const bool has_z = odd & 1, has_y = odd & 2, has_x = odd & 4;
        if constexpr (LAYOUT == LAYOUT_LINE)
        {
            return x;
        }
        else if constexpr (AXES == 3 || (AXES == 2 && LAYOUT == LAYOUT_PLANE))
        {
            const u32 axis = k + 3 - AXES;
            return axis == 0 ? z : axis == 1 ? y : x;
        }
        else if constexpr (AXES == 2)
        {
            return k == 0 ? (has_z ? z : y) : (has_x ? x : y);
        }
        else
        {
            return LAYOUT == LAYOUT_BRICK && has_z ? z : has_y ? y : x;
        }
    }

    /// How far neighbours are in a pass.
    template <u32 AXES> FSZ_DEVICE static Distances<AXES> distances_of(PassWord pass)
    {
        constexpr auto behind = [](u32 axis) { return Places::two(axis) - Places::odd(axis); };
        const u32 odd = pass.odd();
        Distances<AXES> distances;
#pragma unroll
        for (u32 k = 0; k < AXES; ++k)
        {
            if (pass.fine())
            {
                distances.before[k] =
                    of_odd<AXES>(k, odd, Places::odd(0), Places::odd(1), Places::odd(2));
                distances.behind[k] = of_odd<AXES>(k, odd, behind(0), behind(1), behind(2));
            }
            else
            {
                const u32 two =
                    of_odd<AXES>(k, odd, Places::two(0), Places::two(1), Places::two(2));
                distances.before[k] = distances.behind[k] = two << pass.level() >> 1;
            }
        }
        return distances;
    }

    /// The steps of a pass. Instructions that lie apart are waited for, so each way stands once.
    template <u32 AXES> FSZ_DEVICE void pass_of(const PassWords &words, u32 number, PassWord pass)
    {
        constexpr bool OUTER = Steps::template OUTER<AXES>;
        const Distances<AXES> distances = distances_of<AXES>(pass);
        const bool fine = pass.fine();
        // Of all passes: what some alone had the compiler would keep in local memory.
        u32 last[AXES];
        words.lasts_of(number, last);
        const bool slides = Places::ALONG < 3 && (pass.odd() >> (Places::ALONG & 3) & 1);
        const u32 head = pass.template head<LAYOUT>(), groups = pass.groups(), even = pass.even();
        const u32 singles = head + groups + pass.flat();
#pragma unroll 1
        for (u32 k = 0; k < singles; ++k)
        {
            u32 entry = next_entry;
            u32 at = stage + (entry & ENTRY_POSITION);
            const bool grouped = k - head < groups;
            if (grouped)
            {
                if constexpr (!OUTER)
                {
                    at = Steps::template pairs<AXES>(at, entry, even, distances);
                }
                else if (slides)
                {
                    at = Steps::template outer_pairs<AXES, true>(at, entry, even, distances);
                }
                else
                {
                    at = Steps::template outer_pairs<AXES, false>(at, entry, even, distances);
                }
                entry = even > 1 ? Steps::last_entry(entry, slides) : entry;
            }
            if (!grouped || even % 2 != 0)
            {
                Steps::template step<AXES>(at, entry, fine, distances, last);
            }
            end_entry();
        }
    }

    /// Whether residuals of the last pass, or of the corners, are not too large.
    FSZ_DEVICE bool fits() const
    {
        return __all_sync(WARP_ALL, most <= static_cast<float>(RESIDUAL_MOST));
    }

    /// Goes through a pass; whether it has residuals. Otherwise its events are none.
    FSZ_DEVICE bool pass(const PassWords &words, u32 number)
    {
        const PassWord word = words.of(number);
        u32 *const begin = events;
        most = 0;
        const u32 axes = word.axes();
        if (axes == 1 || LAYOUT == LAYOUT_LINE)
        {
            pass_of<1>(words, number, word);
        }
        else if (axes == 2 || LAYOUT == LAYOUT_PLANE)
        {
            pass_of<2>(words, number, word);
        }
        else
        {
            pass_of<3>(words, number, word);
        }
        __syncwarp();
        const bool any = __any_sync(WARP_ALL, most > 0);
        events = any ? events : begin;
        return any;
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
    PlainWalk<LAYOUT, TAPS, MASKED> walk(stage, fine_bits, program->around != 0, program->nothing,
                                         program->entries[0] + lane, events + lane);
    const u32 corner = walk.next_entry;
    walk.end_entry();
    // Of the lane, until all passes are done.
    u32 bits = walk.corners(corner) ? PlainWalked::CORNERS : 0;
    // A box that does not fit shows it by its coarsest grids, nearly always.
    bool fits = walk.fits();
#pragma unroll 1
    for (u32 p = 0; p < passes && fits; ++p)
    {
        bits |= walk.pass(words, p) ? 1u << p : 0;
        fits = walk.fits();
    }
    const u32 groups = walk.end_group();
    if constexpr (MASKED)
    {
        fits = fits && __all_sync(WARP_ALL, walk.farthest <= DENSE_MOST_VALUE);
    }
    return {PlainWalked::WALKED | (fits ? bits | PlainWalked::FITS : 0), groups};
}

} // namespace fsz
