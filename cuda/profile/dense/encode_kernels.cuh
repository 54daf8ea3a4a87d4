// Entry points of compression of boxes, and what their launches need to know of them.
#pragma once

#include "encode/kernels.cuh"
#include "profile/dense/encode/count_boxes.cuh"
#include "profile/dense/encode/encoder.cuh"

extern __shared__ __align__(fsz::BOXES_ALIGNMENT) fsz::u32 fsz_shared[];

// What the choice of layout and tables looks at, the programs of boxes, and the encoding.
#define FSZ_COMPRESS_DENSE_ENTRIES(Z, coder)                                                       \
    extern "C" __global__ void __launch_bounds__(fsz::GATHER_THREADS)                              \
        fsz_gather_##coder(const Z::Value *field, const __grid_constant__ fsz::BoxGrid grid,       \
                           const fsz::u32 *tiles, Z::Value *to)                                    \
    {                                                                                              \
        fsz::gather_boxes(field, grid, tiles, to);                                                 \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(fsz::GATHER_THREADS)                              \
        fsz_scatter_##coder(Z::Value *field, const __grid_constant__ fsz::BoxGrid grid,            \
                            const fsz::u32 *tiles, const Z::Value *from)                           \
    {                                                                                              \
        fsz::scatter_boxes(field, grid, tiles, from);                                              \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(fsz::PROGRAM_THREADS)                             \
        fsz_prepare_compress_##coder(const __grid_constant__ fsz::BoxGrids grids,                  \
                                     fsz::EncodeProgram *programs)                                 \
    {                                                                                              \
        const fsz::u32 program = blockIdx.x / fsz::PROGRAM_BLOCKS;                                 \
        fsz::make_encode_program(grids.grid[program / fsz::BOX_SHAPES], program % fsz::BOX_SHAPES, \
                                 blockIdx.x % fsz::PROGRAM_BLOCKS, programs + program);            \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(fsz::DENSE_COUNT_WARPS * 32, 1)                   \
        fsz_count_##coder(const __grid_constant__ fsz::ArgsOf<Z>::Args args,                       \
                          const __grid_constant__ fsz::BoxTasks tasks,                             \
                          const __grid_constant__ fsz::DenseWork work)                             \
    {                                                                                              \
        fsz::count_boxes<Z>(args, tasks, work, fsz_shared);                                        \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(fsz::DENSE_ENCODE_WARPS * 32, 1)                  \
        fsz_compress_##coder(const __grid_constant__ fsz::ArgsOf<Z>::Args args,                    \
                             const __grid_constant__ fsz::BoxGrid grid,                            \
                             const __grid_constant__ fsz::DenseWork work,                          \
                             const __grid_constant__ fsz::HeaderImage image)                       \
    {                                                                                              \
        fsz::encode_dense<Z>(args, grid, work, image, fsz_shared);                                 \
    }

/// How the structs lie in memory that the driver shares with these kernels alone.
#define FSZ_DENSE_LAYOUT                                                                           \
    sizeof(fsz::DenseWork), FSZ_AT(fsz::DenseWork, programs), FSZ_AT(fsz::DenseWork, rows),        \
        FSZ_AT(fsz::DenseWork, tables), FSZ_AT(fsz::DenseWork, slots),                             \
        FSZ_AT(fsz::DenseWork, rooms), FSZ_AT(fsz::DenseWork, table_words),                        \
        FSZ_AT(fsz::DenseWork, half_words), FSZ_AT(fsz::DenseWork, predictors),                    \
        FSZ_AT(fsz::DenseWork, ahead), FSZ_AT(fsz::DenseWork, first_chunk),                        \
        FSZ_AT(fsz::DenseWork, reserved), sizeof(fsz::BoxCounts),                                  \
        FSZ_AT(fsz::BoxCounts, histogram), FSZ_AT(fsz::BoxCounts, raw_bits),                       \
        FSZ_AT(fsz::BoxCounts, elements), FSZ_AT(fsz::BoxCounts, fits),                            \
        FSZ_AT(fsz::BoxCounts, exact), FSZ_AT(fsz::BoxCounts, reserved), sizeof(fsz::BoxTask),     \
        FSZ_AT(fsz::BoxTask, grid), FSZ_AT(fsz::BoxTask, programs), FSZ_AT(fsz::BoxTask, counts),  \
        FSZ_AT(fsz::BoxTask, exact), FSZ_AT(fsz::BoxTask, boxes), FSZ_AT(fsz::BoxTask, places),    \
        sizeof(fsz::BoxTasks), FSZ_AT(fsz::BoxTasks, task), FSZ_AT(fsz::BoxTasks, tasks),          \
        FSZ_AT(fsz::BoxTasks, reach), sizeof(fsz::SymbolRow), FSZ_AT(fsz::SymbolRow, reciprocal),  \
        FSZ_AT(fsz::SymbolRow, start), FSZ_AT(fsz::SymbolRow, frequency), sizeof(fsz::BoxGrids),   \
        FSZ_AT(fsz::BoxGrids, grid)

/// How a module launches: `BoxCompressShapes` in crates/fsz/src/cuda/kernels/boxes.rs.
#define FSZ_COMPRESS_DENSE_SHAPES(Z)                                                               \
    extern "C" __device__ fsz::u32 fsz_shapes[] = {                                                \
        fsz::BOUND_THREADS,                                                                        \
        fsz::GATHER_THREADS,                                                                       \
        fsz::PROGRAM_THREADS,                                                                      \
        fsz::BOX_SHAPES * fsz::PROGRAM_BLOCKS,                                                     \
        fsz::BOX_SHAPES * sizeof(fsz::EncodeProgram),                                              \
        fsz::ENCODE_SHARED<Z>,                                                                     \
        4 * fsz::PACKED_WORDS,                                                                     \
        4 * fsz::DIFFERENCE_WORDS,                                                                 \
        fsz::DENSE_ENCODE_WARPS,                                                                   \
        fsz::DENSE_ENCODE_STAGES,                                                                  \
        fsz::MAILS_MOST,                                                                           \
        fsz::DENSE_COUNT_WARPS,                                                                    \
        fsz::COUNTS_SHARED,                                                                        \
        sizeof(fsz::EncodeStage),                                                                  \
        sizeof(fsz::EventRing),                                                                    \
        4 * fsz::PredictorSlot<Z::Value>::LEN,                                                     \
        4 * fsz::PredictorSlot<Z::Value>::RECORD,                                                  \
    };

/// The module of an element type: its kernels, how the structs that the driver shares lie in memory
/// (`compress_layouts` in crates/fsz/src/cuda/kernels/module.rs, then `BOX_LAYOUTS` in boxes.rs
/// beside it), and how it launches.
#define FSZ_COMPRESS_DENSE_MODULE(T, type)                                                         \
    FSZ_BOUND_ENTRY(T, type)                                                                       \
    FSZ_COMPRESS_DENSE_ENTRIES(fsz::Quantizer<T>, dense_##type)                                    \
    extern "C" __device__ fsz::u32 fsz_layouts[] = {FSZ_COMPRESS_LAYOUT(T), FSZ_GRID_LAYOUT,       \
                                                    FSZ_DENSE_LAYOUT};                             \
    FSZ_COMPRESS_DENSE_SHAPES(fsz::Quantizer<T>)
