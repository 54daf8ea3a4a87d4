// The flags of a mask and their contexts, as they are kept until they are coded: a byte of each
// lane for each step.
#pragma once

#include "profile/dense/tables.cuh"

namespace fsz
{

/// The number of a flag with its context, and that of a lane without one.
constexpr u32 FLAG_ROWS = DENSE_FLAG_CONTEXTS * FLAG_SYMBOLS;
constexpr u32 NO_FLAG = 31;
static_assert(FLAG_ROWS <= NO_FLAG, "each number has a lane of a warp");
/// Steps in a word of a lane.
constexpr u32 FLAG_STEPS = 4;

/// The words of a lane.
FSZ_DEVICE u32 flag_words(u32 steps) { return (steps + FLAG_STEPS - 1) / FLAG_STEPS; }

/// Writes flags, a step after another.
struct FlagEvents
{
    /// Where the lane's next word goes, and what it has so far.
    u32 *to;
    u32 word;
    u32 steps;

    FSZ_DEVICE explicit FlagEvents(u32 *events) : to(events + lane_id()), word(0), steps(0) {}

    FSZ_DEVICE void give(bool there, u32 context, bool flag)
    {
        give(there ? context * FLAG_SYMBOLS + (flag ? 1 : 0) : NO_FLAG);
    }

    FSZ_DEVICE void give(u32 number)
    {
        // The latest step comes to stand highest.
        word = __byte_perm(word, number, 0x4321);
        ++steps;
        if (steps % FLAG_STEPS == 0)
        {
            __stcg(to, word);
            to += 32;
        }
    }

    /// Fills up the last word; gives how many steps there are.
    FSZ_DEVICE u32 end()
    {
        const u32 all = steps;
        while (steps % FLAG_STEPS != 0)
        {
            give(false, 0, false);
        }
        return all;
    }
};

} // namespace fsz
