// Entry points of compression, and what their launches need to know of them.
#pragma once

#include "encode/simple.cuh"
#include "encode/value_range.cuh"
#include "profile/dense/encoder.cuh"
#include "profile/paper/encoder.cuh"
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define FSZ_PERSISTENT 1
#include "encode/persistent.cuh"
#endif

/// A profile's kernels are named `fsz_<operation>_<profile>_<type>`.
#define FSZ_BOUND_ENTRY(T, type)                                                                   \
    extern "C" __global__ void __launch_bounds__(fsz::BOUND_THREADS) fsz_bound_##type(             \
        const T *field, fsz::u64 n, const __grid_constant__ fsz::BoundAsked bound,                 \
        const __grid_constant__ fsz::Missing<T> missing, fsz::Control *control)                    \
    {                                                                                              \
        fsz::find_bound(field, n, bound, missing, control);                                        \
    }

// Two thread blocks to a multiprocessor: one is at work while the other waits for its place.
#define FSZ_COMPRESS_ENTRY(Encoder, profile, T, type)                                              \
    extern "C" __global__ void __launch_bounds__(fsz::SimpleConfig<fsz::Encoder<T>>::WARPS * 32,   \
                                                 2)                                                \
        fsz_compress_##profile##_##type(const __grid_constant__ fsz::CompressArgs<T> args,         \
                                        const __grid_constant__ fsz::HeaderImage image)            \
    {                                                                                              \
        fsz::compress_simple<fsz::Encoder<T>>(args, image, fsz_shared);                            \
    }

#define FSZ_PERSISTENT_ENTRY(name, T, ...)                                                         \
    extern "C" __global__ void __launch_bounds__(fsz::PersistentConfig<__VA_ARGS__>::THREADS, 1)   \
        name(const __grid_constant__ fsz::TensorMap map,                                           \
             const __grid_constant__ fsz::CompressArgs<T> args,                                    \
             const __grid_constant__ fsz::HeaderImage image)                                       \
    {                                                                                              \
        fsz::compress_persistent<__VA_ARGS__>(args, image, &map, fsz_shared);                      \
    }

extern __shared__ __align__(1024) fsz::u32 fsz_shared[];

FSZ_BOUND_ENTRY(float, f32)
FSZ_BOUND_ENTRY(double, f64)
FSZ_COMPRESS_ENTRY(PaperEncoder, paper, float, f32)
FSZ_COMPRESS_ENTRY(PaperEncoder, paper, double, f64)
#ifdef FSZ_PERSISTENT
FSZ_PERSISTENT_ENTRY(fsz_compress_persistent_paper_f32, float, fsz::PaperEncoder<float>)
FSZ_PERSISTENT_ENTRY(fsz_compress_persistent_paper_f64, double, fsz::PaperEncoder<double>)
FSZ_PERSISTENT_ENTRY(fsz_compress_ranging_paper_f32, float, fsz::PaperEncoder<float, true>)
FSZ_PERSISTENT_ENTRY(fsz_compress_ranging_paper_f64, double, fsz::PaperEncoder<double, true>)
#endif

// The profile of boxes: what the choice of layout and tables looks at, the programs of boxes, and
// the encoding.
#define FSZ_COMPRESS_DENSE_ENTRIES(T, type)                                                        \
    extern "C" __global__ void __launch_bounds__(fsz::GATHER_THREADS)                              \
        fsz_gather_dense_##type(const T *field, const __grid_constant__ fsz::BoxGrid grid,         \
                                fsz::u32 first, fsz::u32 count, T *to)                             \
    {                                                                                              \
        fsz::gather_boxes(field, grid, first, count, to);                                          \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(fsz::PROGRAM_THREADS)                             \
        fsz_prepare_compress_dense_##type(const __grid_constant__ fsz::BoxGrid grid,               \
                                          fsz::Program *programs)                                  \
    {                                                                                              \
        fsz::make_program(grid, blockIdx.x, programs + blockIdx.x);                                \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(fsz::DENSE_ENCODE_WARPS * 32, 1)                  \
        fsz_count_dense_##type(const __grid_constant__ fsz::CompressArgs<T> args,                  \
                               const __grid_constant__ fsz::BoxTasks tasks,                        \
                               const __grid_constant__ fsz::DenseWork work)                        \
    {                                                                                              \
        fsz::count_boxes<T>(args, tasks, work, fsz_shared);                                        \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(fsz::DENSE_ENCODE_WARPS * 32, 1)                  \
        fsz_compress_dense_##type(const __grid_constant__ fsz::CompressArgs<T> args,               \
                                  const __grid_constant__ fsz::BoxGrid grid,                       \
                                  const __grid_constant__ fsz::DenseWork work,                     \
                                  const __grid_constant__ fsz::HeaderImage image)                  \
    {                                                                                              \
        fsz::encode_dense<T>(args, grid, work, image, fsz_shared);                                 \
    }

FSZ_COMPRESS_DENSE_ENTRIES(float, f32)
FSZ_COMPRESS_DENSE_ENTRIES(double, f64)

#define FSZ_MISSING_LAYOUT(T)                                                                      \
    sizeof(fsz::Missing<T>), FSZ_AT(fsz::Missing<T>, bits), FSZ_AT(fsz::Missing<T>, count)

#define FSZ_ARGS_LAYOUT(T)                                                                         \
    sizeof(fsz::CompressArgs<T>), FSZ_AT(fsz::CompressArgs<T>, field),                             \
        FSZ_AT(fsz::CompressArgs<T>, stream), FSZ_AT(fsz::CompressArgs<T>, stream_capacity),       \
        FSZ_AT(fsz::CompressArgs<T>, control), FSZ_AT(fsz::CompressArgs<T>, entries),              \
        FSZ_AT(fsz::CompressArgs<T>, sections), FSZ_AT(fsz::CompressArgs<T>, missing)

/// How the structs that the driver shares lie in memory: `COMPRESS_LAYOUTS` in
/// crates/fsz/src/cuda/kernels.rs.
extern "C" __device__ fsz::u32 fsz_compress_layouts[] = {
    FSZ_SECTIONS_LAYOUT,
    FSZ_MISSING_LAYOUT(float),
    FSZ_MISSING_LAYOUT(double),
    FSZ_ARGS_LAYOUT(float),
    FSZ_ARGS_LAYOUT(double),
    sizeof(fsz::HeaderImage),
    FSZ_AT(fsz::HeaderImage, words),
    FSZ_AT(fsz::HeaderImage, len),
    sizeof(fsz::BoundAsked),
    FSZ_AT(fsz::BoundAsked, kind),
    FSZ_AT(fsz::BoundAsked, reserved),
    FSZ_AT(fsz::BoundAsked, asked),
    FSZ_AT(fsz::BoundAsked, min),
    FSZ_AT(fsz::BoundAsked, max),
    sizeof(fsz::Control),
    FSZ_AT(fsz::Control, stream_len),
    FSZ_AT(fsz::Control, status),
    FSZ_AT(fsz::Control, range_known),
    FSZ_AT(fsz::Control, absolute_bound),
    FSZ_AT(fsz::Control, step),
    FSZ_AT(fsz::Control, inverse),
    FSZ_AT(fsz::Control, limit),
    FSZ_AT(fsz::Control, payload_words),
    sizeof(fsz::BoxGrid),
    FSZ_AT(fsz::BoxGrid, shape),
    FSZ_AT(fsz::BoxGrid, counts),
    FSZ_AT(fsz::BoxGrid, cell),
    FSZ_AT(fsz::BoxGrid, extent),
    FSZ_AT(fsz::BoxGrid, tiles),
    FSZ_AT(fsz::BoxGrid, chunk_tiles),
    FSZ_AT(fsz::BoxGrid, predictor),
    FSZ_AT(fsz::BoxGrid, fine),
    sizeof(fsz::DenseWork),
    FSZ_AT(fsz::DenseWork, programs),
    FSZ_AT(fsz::DenseWork, rows),
    FSZ_AT(fsz::DenseWork, tables),
    FSZ_AT(fsz::DenseWork, slots),
    FSZ_AT(fsz::DenseWork, table_words),
    FSZ_AT(fsz::DenseWork, half_words),
    sizeof(fsz::BoxCounts),
    FSZ_AT(fsz::BoxCounts, histogram),
    FSZ_AT(fsz::BoxCounts, raw_bits),
    FSZ_AT(fsz::BoxCounts, elements),
    FSZ_AT(fsz::BoxCounts, fits),
    FSZ_AT(fsz::BoxCounts, exact),
    FSZ_AT(fsz::BoxCounts, reserved),
    sizeof(fsz::BoxTask),
    FSZ_AT(fsz::BoxTask, grid),
    FSZ_AT(fsz::BoxTask, programs),
    FSZ_AT(fsz::BoxTask, counts),
    FSZ_AT(fsz::BoxTask, exact),
    sizeof(fsz::BoxTasks),
    FSZ_AT(fsz::BoxTasks, task),
    FSZ_AT(fsz::BoxTasks, tasks),
    FSZ_AT(fsz::BoxTasks, boxes),
    FSZ_AT(fsz::BoxTasks, reach),
    FSZ_AT(fsz::BoxTasks, reserved),
    sizeof(fsz::SymbolRow),
    FSZ_AT(fsz::SymbolRow, reciprocal),
    FSZ_AT(fsz::SymbolRow, start),
    FSZ_AT(fsz::SymbolRow, frequency),
};

/// How the driver launches: `CompressShapes` there.
extern "C" __device__ fsz::u32 fsz_compress_shapes[] = {
    fsz::BOUND_THREADS,
    fsz::GATHER_THREADS,
    fsz::PROGRAM_THREADS,
    fsz::BOX_SHAPES,
    fsz::BOX_SHAPES * sizeof(fsz::Program),
    fsz::DENSE_ENCODE_WARPS,
    fsz::COUNTS_SHARED,
    sizeof(fsz::EncodeStage),
    4 * fsz::WarpSlot<float>::FIXED,
    4 * fsz::WarpSlot<float>::RECORD,
    4 * fsz::WarpSlot<double>::RECORD,
    fsz::SimpleConfig<fsz::PaperEncoder<float>>::WARPS * 32,
    fsz::SimpleConfig<fsz::PaperEncoder<float>>::SHARED,
#ifdef FSZ_PERSISTENT
    fsz::PERSISTENT_GRID_MOST,
    fsz::PersistentConfig<fsz::PaperEncoder<float>>::THREADS,
    fsz::PersistentConfig<fsz::PaperEncoder<float>>::SHARED,
    fsz::PersistentConfig<fsz::PaperEncoder<double>>::THREADS,
    fsz::PersistentConfig<fsz::PaperEncoder<double>>::SHARED,
#else
    0,
    0,
    0,
    0,
    0,
#endif
};
