// What warps work with while boxes are encoded: shared memory for a box, and memory of the device.
#pragma once

#include "profile/dense/encode/box/stage.cuh"
#include "profile/dense/encode/code/events.cuh"
#include "profile/dense/encode/code/rans_encoder.cuh"
#include "profile/dense/encode/notes.cuh"
#include "profile/dense/encode/plain/program.cuh"

namespace fsz
{

/// Steps of a box's events at most: of its mask, with the first element; behind it of its
/// residuals, with the flags of passes.
constexpr u32 EVENT_STEPS = STEPS_MOST + 1;
static_assert(DENSE_BOX / DENSE_MIN_COLUMNS + 2 * PASSES_MOST + 2 * GROUP_STEPS <= EVENT_STEPS,
              "room for the groups of steps of a plain box");
/// Words of a record of escapes at most, for each word of an element: a quarter of a box's elements
/// is listed.
constexpr u32 RECORD_WORDS = 3 + DENSE_BOX / 8;

/// What a compression works with beside its control: device memory that is made ready before. The
/// same struct is `DenseWork` in crates/fsz/src/cuda/kernels/abi.rs.
struct DenseWork
{
    EncodeProgram *programs;
    const SymbolRows *rows;
    /// The stream's tables.
    const u32 *tables;
    /// A `PredictorSlot` for each box that is asked for ahead.
    u32 *slots;
    /// Of each warp that codes, room for chunks: records from its beginning on, half words from its
    /// end back.
    u32 *rooms;
    u32 table_words;
    /// Half words of a room.
    u32 half_words;
    /// Warps of a thread block that predict, and boxes that each of the others asks for ahead.
    u32 predictors;
    u32 ahead;
    /// The first chunk that a launch encodes; all before it are encoded. The launch takes those up
    /// to its end for all that there are, and the next one begins where its tables are.
    u32 first_chunk;
    u32 reserved;
};

/// What a box is predicted to.
template <class T> struct PredictorSlot
{
    static constexpr u32 RECORD = RECORD_WORDS + DENSE_BOX / 4 * Element<T>::WORDS;
    /// Words of events of a mask, and as many of residuals, or in the place of these of
    /// differences.
    static constexpr u32 RESIDUALS = 32 * EVENT_STEPS;
    static constexpr u32 DIFFERENCES = 2 * Element<T>::WORDS * DENSE_BOX;
    static constexpr u32 VALUES = RESIDUALS > DIFFERENCES ? RESIDUALS : DIFFERENCES;
    /// Words in all, so many that events of the next slot are copied by 16 bytes.
    static constexpr u32 LEN = (RESIDUALS + VALUES + DENSE_BOX / 32 + RECORD + 3) / 4 * 4;
    /// Where it begins: what is in it is found from there, so that a warp keeps one address.
    u32 *begin;

    FSZ_DEVICE PredictorSlot(const DenseWork &work, u32 number)
        : begin(work.slots + static_cast<u64>(number) * LEN)
    {
    }

    /// The events of the mask, and behind its last step those of residuals.
    FSZ_DEVICE u32 *residuals() const { return begin; }
    /// In the place of the latter: events of a plain box of Lorenzo prediction.
    FSZ_DEVICE u32 *lorenzo() const { return begin + RESIDUALS; }
    /// The same of others: context and difference of each step and lane, one after another.
    FSZ_DEVICE uint2 *differences() const { return reinterpret_cast<uint2 *>(lorenzo()); }
    /// Which elements of a box are listed.
    FSZ_DEVICE u32 *listed() const { return lorenzo() + VALUES; }
    /// The box's record of escapes.
    FSZ_DEVICE u32 *record() const { return listed() + DENSE_BOX / 32; }
};

/// Shared memory for counts of all symbols.
constexpr u32 COUNTS_SHARED = 4 * DENSE_CONTEXTS * SYMBOLS_MOST;

/// The shared memory of a warp that predicts: targets, codes or values of a box, and its notes.
struct EncodeStage
{
    i32 words[STAGE_WORDS];
    u32 notes[NOTES];

    /// Which elements are masked of a box that is not plain, and has its words side by side: what
    /// plain ones leave out between theirs is behind them.
    FSZ_DEVICE u32 *mask() { return reinterpret_cast<u32 *>(words + DENSE_BOX); }

    /// The notes beside the words at an address.
    FSZ_DEVICE static Notes notes_of(u32 words)
    {
        return {words + static_cast<u32>(sizeof(EncodeStage) - 4 * NOTES)};
    }
};

} // namespace fsz
