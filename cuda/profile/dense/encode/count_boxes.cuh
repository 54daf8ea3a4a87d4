// Counting the symbols of some boxes of a field, by which an encoder chooses layout, prediction and
// tables (FORMAT.md, Dense: choose).
#pragma once

#include "profile/dense/encode/code/box_coder.cuh"

namespace fsz
{

/// What some boxes of a field come to, counted for the choice of layout and tables. The same struct
/// is `BoxCounts` in crates/fsz/src/cuda/kernels/abi.rs.
struct BoxCounts
{
    u64 histogram[DENSE_CONTEXTS][SYMBOLS_MOST];
    u64 raw_bits;
    u64 elements;
    /// Boxes that have the lattice point that is 2^k to a step in reach.
    u32 fits[8];
    /// Boxes of which all elements are exact: how many; their numbers are elsewhere.
    u32 exact;
    u32 reserved;
};

/// A layout and how its boxes are coded. The same struct is `BoxTask` in
/// crates/fsz/src/cuda/kernels/abi.rs.
struct BoxTask
{
    BoxGrid grid;
    EncodeProgram *programs;
    BoxCounts *counts;
    /// Room for the tiles of which all elements are exact.
    u32 *exact;
    /// How many boxes are counted, evenly spread; and whether they are those that hold elements
    /// which are spread alike in every layout.
    u32 boxes;
    u32 places;
};

/// The tile of box i of those that are counted (`Spread::tile` in
/// crates/fsz/src/profile/dense/prepare.rs).
FSZ_DEVICE u32 counted_tile(const BoxTask &task, u32 i)
{
    const BoxGrid &grid = task.grid;
    const bool places = task.places && task.boxes < grid.tiles;
    const u64 all = places ? grid.shape[0] * grid.shape[1] * grid.shape[2] * grid.shape[3]
                           : static_cast<u64>(grid.tiles);
    const u64 begin = i * all / task.boxes, end = (i + 1) * all / task.boxes;
    const u64 one = begin + i * SAMPLE_MULTIPLIER % (end - begin);
    return places ? tile_of(grid, one) : static_cast<u32>(one);
}

constexpr u32 TASKS_MOST = 11;

/// As many as have a box each in shared memory, on a multiprocessor of compute capability 9.0.
constexpr u32 DENSE_COUNT_WARPS = 13;

/// The tasks of a launch.
struct BoxTasks
{
    BoxTask task[TASKS_MOST];
    u32 tasks;
    /// Whether only the reach of boxes is looked at.
    u32 reach;
};

/// Counts boxes: thread block b those of task b mod tasks.
template <class Z>
FSZ_DEVICE void count_boxes(const typename ArgsOf<Z>::Args &args, const BoxTasks &tasks,
                            const DenseWork &work, u32 *shared)
{
    using T = typename Z::Value;
    const BoxTask &task = tasks.task[blockIdx.x % tasks.tasks];
    const u32 warp = threadIdx.x / 32, lane = lane_id(), warps = blockDim.x / 32;
    EncodeStage *const stages = reinterpret_cast<EncodeStage *>(shared);
    u32(*const histogram)[SYMBOLS_MOST] = reinterpret_cast<u32(*)[SYMBOLS_MOST]>(stages + warps);
    for (u32 k = threadIdx.x; k < DENSE_CONTEXTS * SYMBOLS_MOST; k += blockDim.x)
    {
        histogram[0][k] = 0;
    }
    // Nothing is taken into it: boxes that are counted do not lie beside each other.
    __shared__ OtherBoxes others;
    if (threadIdx.x == 0)
    {
        others = {};
    }
    __syncthreads();
    const PredictorSlot<T> slot(work, blockIdx.x * warps + warp);
    BoxPredictor<Z> predictor(args, task.grid, task.programs, stages[warp], slot, others);
    BoxCoder<T, typename Z::Error, SymbolCounter> coder(task.programs, SymbolCounter{histogram, 0});
    const u32 stride = gridDim.x / tasks.tasks * warps;
    u64 raw_bits = 0, elements = 0;
    for (u32 i = blockIdx.x / tasks.tasks * warps + warp; i < task.boxes; i += stride)
    {
        const u32 tile = counted_tile(task, i);
        const Box box = box_of(task.grid, tile);
        i32 first = 0;
        predictor.first_code(predictor.plain.points, box, first);
        if (tasks.reach)
        {
            const u64 reach = predictor.reach(box, first);
            const u64 from_zero = static_cast<u64>(abs(first)) << lane;
            // Lattice points have 32 bits.
            if (lane < 8 && reach << lane < DENSE_MOST_VALUE * 7 / 8 &&
                from_zero + DENSE_MOST_VALUE <= 0x7FFFFFFF)
            {
                atomicAdd(&task.counts->fits[lane], 1);
            }
            continue;
        }
        const auto made = predictor.template predict<false>(box, first);
        __syncwarp();
        const CodedBox coded = coder.code(first, made, slot);
        predictor.plain.points.keep_error(coder.max_error);
        elements += box.len;
        if (coded.mode == MODE_EXACT)
        {
            if (lane == 0)
            {
                task.exact[atomicAdd(&task.counts->exact, 1)] = tile;
            }
        }
        else
        {
            raw_bits += static_cast<u64>(coded.listed) * (16 + 32 * Element<T>::WORDS);
        }
    }
    const u64 raw = warp_sum(static_cast<u64>(coder.coder.raw_bits)) + raw_bits;
    if (lane == 0)
    {
        atomicAdd(&task.counts->raw_bits, raw);
        atomicAdd(&task.counts->elements, elements);
    }
    __syncthreads();
    for (u32 k = threadIdx.x; k < DENSE_CONTEXTS * SYMBOLS_MOST; k += blockDim.x)
    {
        if (histogram[0][k] > 0)
        {
            atomicAdd(&task.counts->histogram[0][k], static_cast<u64>(histogram[0][k]));
        }
    }
}

/// Threads of a block that copies a box.
constexpr u32 GATHER_THREADS = 256;

/// Copies the boxes that are listed, a thread block each, to places of their own.
template <class T>
FSZ_DEVICE void gather_boxes(const T *field, const BoxGrid &grid, const u32 *tiles, T *to)
{
    const Box box = box_of(grid, tiles[blockIdx.x]);
    for (u32 at = threadIdx.x; at < box.len; at += blockDim.x)
    {
        to[static_cast<u64>(blockIdx.x) * DENSE_BOX + at] = field[BoxCursor(grid, box, at).element];
    }
}

/// The way back: copies boxes from places of their own, in pinned memory of the host, to the field.
template <class T>
FSZ_DEVICE void scatter_boxes(T *field, const BoxGrid &grid, const u32 *tiles, const T *from)
{
    const Box box = box_of(grid, tiles[blockIdx.x]);
    for (u32 at = threadIdx.x; at < box.len; at += blockDim.x)
    {
        field[BoxCursor(grid, box, at).element] =
            from[static_cast<u64>(blockIdx.x) * DENSE_BOX + at];
    }
}

} // namespace fsz
