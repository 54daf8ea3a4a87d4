// What becomes of a box that is predicted, until it is coded, and which boxes go the way of others
// than plain ones.
#pragma once

#include "profile/dense/shared_count.cuh"

namespace fsz
{

/// How the symbols of a box are kept in the slot until they are coded: as the events of a plain
/// box, by interpolation or Lorenzo prediction (in a stream by that alone, or among boxes that are
/// interpolated), or as residuals or differences.
enum class Kept : u32
{
    PLAIN,
    LORENZO,
    LORENZO_AMONG,
    RESIDUALS,
    DIFFERENCES
};

/// Boxes that the warps of a thread block are to take for others than plain ones, in shared memory:
/// masked ones lie beside each other, and two ways that a multiprocessor goes at once push each
/// other's instructions out of the cache. Each masked one adds some to those: where they are few,
/// plain ones between them go their own way soon.
struct OtherBoxes
{
    static constexpr i32 BESIDE_LISTED = 4;
    static constexpr i32 BESIDE_MASKED = 4;
    static constexpr i32 BESIDE_MOST = 64;

    SharedCount boxes;

    FSZ_DEVICE bool any() const { return boxes.reaches(1); }

    /// Takes a box that went the way of others: whether some of it is masked, or masked or listed.
    /// Called by a warp.
    FSZ_DEVICE void take(bool masked, bool escaped)
    {
        if (lane_id() == 0)
        {
            const i32 left = max(boxes.now() - 1, 0);
            const i32 most = masked ? min(left + BESIDE_MASKED, BESIDE_MOST) : left;
            boxes.set(escaped ? max(most, BESIDE_LISTED) : most);
        }
        __syncwarp();
    }
};

/// A box that is predicted.
template <class Error> struct PredictedBox
{
    /// Its elements, and its shape.
    u32 len;
    u32 shape;
    Kept kept;
    u32 mode;
    /// The code of its first element that has one.
    i32 own;
    /// Passes that have residuals.
    u32 flags;
    /// Steps of events of its mask, and of differences, or of a plain box groups of steps.
    u32 mask_steps;
    u32 steps;
    /// Words of its record in the slot.
    u32 record;
    u32 listed;
    u32 escaped;
    /// Whether it has any symbols.
    bool symbols;
    /// The largest error of the lane.
    Error max_error;

    /// Whether it went a way that no plain box goes, and that is longer.
    FSZ_DEVICE bool went_long_way() const
    {
        return escaped > listed || (kept != Kept::PLAIN && kept != Kept::LORENZO);
    }
};

} // namespace fsz
