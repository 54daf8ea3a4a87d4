// The walk through a plain box, one whose elements all have targets, pass by pass (FORMAT.md,
// Dense: predict).
#pragma once

#include "profile/dense/blend.cuh"
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
            const u32 entry = next_entry;
            const u32 steps = k - head < groups ? even : 1;
            // Instructions that lie apart are waited for, so each way stands once.
            if constexpr (BLENDS)
            {
                Steps::template blended_steps<ODD>(entry, steps);
            }
            else if (SLIDES && k - head < groups)
            {
                Steps::template fine_steps<ODD, SLIDES>(entry, steps);
            }
            else
            {
                Steps::template fine_steps<ODD, false>(entry, steps);
            }
            end_entry();
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
            const u32 entry = next_entry;
            const u32 at = stage + (entry & ENTRY_POSITION);
            i32 sum = 0;
            float spread = 0;
            u32 behind[AXES];
#pragma unroll
            for (u32 a = 0; a < AXES; ++a)
            {
                const bool clamped = entry >> (ENTRY_EDGE_SHIFT + a) & 1;
                behind[a] = clamped ? last[a] : before[a];
                const i32 left_value = load_value(at - before[a]);
                const i32 right_value = load_value(at + behind[a]);
                sum += left_value + right_value;
                const float size = rounded_size(left_value - right_value);
                spread = a == 0 ? size : fmaxf(spread, size);
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
            this->template point<false, BITS>(at, prediction, spread, entry);
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
