// What warps work with while boxes are encoded: shared memory for a box, and memory of the device.
#pragma once

#include "profile/dense/plain_program.cuh"
#include "profile/dense/rans_encoder.cuh"

namespace fsz
{

/// Steps of a box at most: a mask's first element, its corners and passes, and the values' flags.
constexpr u32 EVENT_STEPS = 2 * STEPS_MOST + 2;
/// Words of a record of escapes at most, for each word of an element: a quarter of a box's elements
/// is listed.
constexpr u32 RECORD_WORDS = 3 + DENSE_BOX / 8;

/// What a compression works with beside its control: device memory that is made ready before. The
/// same struct is `DenseWork` in crates/fsz/src/cuda/abi.rs.
struct DenseWork
{
    EncodeProgram *programs;
    const SymbolRows *rows;
    /// The stream's tables.
    const u32 *tables;
    /// A `PredictorSlot` of each warp that predicts.
    u32 *slots;
    /// Of each warp that codes, room for chunks: records from its beginning on, half words from its
    /// end back.
    u32 *rooms;
    u32 table_words;
    /// Half words of a room.
    u32 half_words;
    /// Warps of a team that predict.
    u32 predictors;
    u32 reserved;
};

/// What a warp predicts goes to memory of its own, but for plain boxes, which stay in shared
/// memory.
template <class T> struct PredictorSlot
{
    static constexpr u32 RECORD = RECORD_WORDS + DENSE_BOX / 4 * Element<T>::WORDS;
    static constexpr u32 DIFFERENCES = 2 * DENSE_BOX;
    static_assert(32 * STEPS_MOST <= 2 * DIFFERENCES, "room for large residuals");
    /// Words in all; even, so that pairs of the next slot are aligned.
    static constexpr u32 LEN =
        (32 * EVENT_STEPS + 2 * DIFFERENCES + DENSE_BOX / 32 + RECORD + 1) / 2 * 2;
    u32 *residuals;
    /// Context and difference of each step and lane, one after another.
    uint2 *differences;
    /// Of a plain box, in their place: large residuals of each step and lane.
    i32 *large;
    /// Which elements of a box are listed.
    u32 *listed;
    /// The box's record of escapes.
    u32 *record;

    FSZ_DEVICE PredictorSlot(const DenseWork &work, u32 warp)
    {
        residuals = work.slots + static_cast<u64>(warp) * LEN;
        differences = reinterpret_cast<uint2 *>(residuals + 32 * EVENT_STEPS);
        large = reinterpret_cast<i32 *>(differences);
        listed = reinterpret_cast<u32 *>(differences + DIFFERENCES);
        record = listed + DENSE_BOX / 32;
    }
};

/// Shared memory for counts of all symbols.
constexpr u32 COUNTS_SHARED = 4 * DENSE_CONTEXTS * SYMBOLS_MOST;

/// The shared memory of a warp that predicts: targets, codes or values of a box, and which of its
/// elements are masked.
struct EncodeStage
{
    i32 words[DENSE_BOX];
    /// Of a plain box the ends of the lists of large residuals, and the passes that have some.
    u32 mask[DENSE_BOX / 32];
};
static_assert(sizeof(EncodeStage::mask) > 8 * 32, "an address of each lane and a word");

} // namespace fsz
