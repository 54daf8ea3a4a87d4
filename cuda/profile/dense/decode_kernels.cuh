// Entry points of decompression of boxes, and what their launches need to know of them: a launch
// that makes ready what all chunks share, then one of persistent thread blocks, for each kind of
// output. All bits of the `Report` are set before the first.
#pragma once

#include "decode/kernels.cuh"
#include "profile/dense/decoder.cuh"

#define FSZ_DECODE_BOXES_ENTRY(operation, Output, T, type)                                         \
    extern "C" __global__ void __launch_bounds__(fsz::DENSE_DECODE_WARPS * 32, 1)                  \
        fsz_##operation##_dense_##type(const __grid_constant__ fsz::StreamView stream,             \
                                       const __grid_constant__ fsz::BoxGrid grid,                  \
                                       const __grid_constant__ fsz::Output<T> output,              \
                                       fsz::DenseDecoding *work)                                   \
    {                                                                                              \
        fsz::decode_dense<T>(stream, grid, work, output);                                          \
    }

#define FSZ_DECOMPRESS_DENSE_ENTRIES(T, type)                                                      \
    extern "C" __global__ void __launch_bounds__(fsz::PROGRAM_THREADS)                             \
        fsz_prepare_decompress_dense_##type(const __grid_constant__ fsz::StreamView stream,        \
                                            const __grid_constant__ fsz::BoxGrid grid,             \
                                            fsz::DenseDecoding *work)                              \
    {                                                                                              \
        fsz::prepare_decoding(stream, grid, work);                                                 \
    }                                                                                              \
    FSZ_DECODE_BOXES_ENTRY(decompress, BoxesToField, T, type)                                      \
    FSZ_DECODE_BOXES_ENTRY(decompress_tiles, BoxesToTiles, T, type)                                \
    FSZ_DECODE_BOXES_ENTRY(decompress_box, BoxesToBox, T, type)

/// The module of an element type: its kernels, how the structs that the driver shares lie in memory
/// (`DECOMPRESS_BOXES_LAYOUTS` in crates/fsz/src/cuda/box_kernels.rs), and how it launches
/// (`BoxShapes` there).
#define FSZ_DECOMPRESS_DENSE_MODULE(T, type)                                                       \
    FSZ_DECOMPRESS_DENSE_ENTRIES(T, type)                                                          \
    extern "C" __device__ fsz::u32 fsz_layouts[] = {                                               \
        FSZ_STREAM_LAYOUT,                                                                         \
        FSZ_BOX_LAYOUT(fsz::OutputBox<T>),                                                         \
        FSZ_GRID_LAYOUT,                                                                           \
        sizeof(fsz::BoxesToTiles<T>),                                                              \
        FSZ_AT(fsz::BoxesToTiles<T>, out),                                                         \
        FSZ_AT(fsz::BoxesToTiles<T>, before),                                                      \
        FSZ_AT(fsz::BoxesToTiles<T>, first),                                                       \
        FSZ_AT(fsz::BoxesToTiles<T>, end),                                                         \
    };                                                                                             \
    extern "C" __device__ fsz::u32 fsz_shapes[] = {                                                \
        fsz::PROGRAM_THREADS,       fsz::PREPARE_BLOCKS, fsz::DENSE_DECODE_WARPS,                  \
        fsz::INTERPOLATION_SHARED,  fsz::LORENZO_SHARED, fsz::WARP_BYTES,                          \
        sizeof(fsz::DenseDecoding),                                                                \
    };
