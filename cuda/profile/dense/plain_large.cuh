// The residuals of a plain box that are too large for events: a box has few of them, in shared
// memory behind its words.
#pragma once

#include "profile/dense/grid.cuh"
#include "profile/dense/stage_memory.cuh"

namespace fsz
{

/// A residual, and its context among all.
struct ResidualOf
{
    u32 context;
    i32 residual;
};

/// Those of the box at `stage`, numbered from 1 on.
struct LargeResiduals
{
    /// Words, of which the first counts.
    static constexpr u32 WORDS = DENSE_BOX / 32;
    static constexpr u32 MOST = WORDS - 1;

    u32 stage;

    FSZ_DEVICE u32 place(u32 number) const { return stage + 4 * (DENSE_BOX + number); }

    /// Called by one lane before any is kept.
    FSZ_DEVICE void begin() const { store_word(place(0), 0); }

    /// Keeps one, of any lane; gives its number, which is MOST for all that find no room.
    FSZ_DEVICE u32 keep(u32 context, i32 r) const
    {
        u32 before;
        asm volatile("atom.shared.add.u32 %0, [%1], 1;" : "=r"(before) : "r"(place(0)) : "memory");
        const u32 number = min(before + 1, MOST);
        store_word(place(number), static_cast<u32>(r) << 16 | context);
        return number;
    }

    /// Whether all found room.
    FSZ_DEVICE bool all() const { return load_word(place(0)) <= MOST; }

    FSZ_DEVICE ResidualOf of(u32 number) const
    {
        const u32 word = load_word(place(number));
        return {word & 0xFFFF, static_cast<i32>(word) >> 16};
    }
};

} // namespace fsz
