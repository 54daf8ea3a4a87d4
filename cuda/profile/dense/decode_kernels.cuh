// Entry points of decompression of boxes, and what their launches need to know of them: a launch
// that makes ready what all chunks share, then one of persistent thread blocks, for each kind of
// output. All bits of the `Report` are set before the first.
#pragma once

#include "decode/kernels.cuh"
#include "profile/dense/decode/all_chunks.cuh"

#define FSZ_DECODE_BOXES_ENTRY(operation, Output, Values, coder)                                   \
    extern "C" __global__ void __launch_bounds__(fsz::DENSE_DECODE_WARPS * 32, 1)                  \
        fsz_##operation##_##coder(const __grid_constant__ fsz::StreamView stream,                  \
                                  const __grid_constant__ fsz::BoxGrid grid,                       \
                                  const __grid_constant__ fsz::Output<Values::Value> output,       \
                                  fsz::DenseDecoding *work)                                        \
    {                                                                                              \
        fsz::decode_dense<Values>(stream, grid, work, output);                                     \
    }

#define FSZ_DECOMPRESS_DENSE_ENTRIES(Values, coder)                                                \
    extern "C" __global__ void __launch_bounds__(fsz::PROGRAM_THREADS)                             \
        fsz_prepare_decompress_##coder(const __grid_constant__ fsz::StreamView stream,             \
                                       const __grid_constant__ fsz::BoxGrid grid,                  \
                                       fsz::u32 first_chunk, fsz::u32 end_chunk,                   \
                                       fsz::DenseDecoding *work)                                   \
    {                                                                                              \
        fsz::prepare_decoding<Values::RELATIVE>(stream, grid, first_chunk, end_chunk, work);       \
    }                                                                                              \
    FSZ_DECODE_BOXES_ENTRY(decompress, BoxesToField, Values, coder)                                \
    FSZ_DECODE_BOXES_ENTRY(decompress_tiles, BoxesToTiles, Values, coder)                          \
    FSZ_DECODE_BOXES_ENTRY(decompress_box, BoxesToBox, Values, coder)

/// The module of an element type and what makes elements of its codes: its kernels, how the structs
/// that the driver shares lie in memory
/// (`DECOMPRESS_BOXES_LAYOUTS` in crates/fsz/src/cuda/kernels/boxes.rs), and how it launches
/// (`BoxShapes` there).
#define FSZ_DECOMPRESS_DENSE_MODULE(Values, coder)                                                 \
    FSZ_DECOMPRESS_DENSE_ENTRIES(Values, coder)                                                    \
    extern "C" __device__ fsz::u32 fsz_layouts[] = {                                               \
        FSZ_STREAM_LAYOUT,                                                                         \
        FSZ_BOX_LAYOUT(fsz::OutputBox<Values::Value>),                                             \
        FSZ_GRID_LAYOUT,                                                                           \
        sizeof(fsz::BoxesToTiles<Values::Value>),                                                  \
        FSZ_AT(fsz::BoxesToTiles<Values::Value>, out),                                             \
        FSZ_AT(fsz::BoxesToTiles<Values::Value>, before),                                          \
        FSZ_AT(fsz::BoxesToTiles<Values::Value>, first),                                           \
        FSZ_AT(fsz::BoxesToTiles<Values::Value>, end),                                             \
    };                                                                                             \
    extern "C" __device__ fsz::u32 fsz_shapes[] = {                                                \
        fsz::PROGRAM_THREADS,       fsz::PREPARE_BLOCKS, fsz::DENSE_DECODE_WARPS,                  \
        fsz::INTERPOLATION_SHARED,  fsz::LORENZO_SHARED, fsz::WARP_BYTES,                          \
        sizeof(fsz::DenseDecoding), fsz::ORDERED_MOST,                                             \
    };
