// Entry points of decompression. All bits of the `Report` are set before the call.
#pragma once

#include "decode/chunk.cuh"
#include "profile/dense/decoder.cuh"
#include "profile/paper/decoder.cuh"

// Thread blocks of up to 16 warps with a `Stage` each in dynamic shared memory; the fewer warps,
// the less each waits for the others at the end, the more, the sooner a small field is done. The
// most threads stand for the registers that a thread may take: 96 and 128, without spilling. A
// profile's kernels are named `fsz_<operation>_<profile>_<type>`.
#define FSZ_DECODE_ENTRY(Decoder, profile, T, type, most_threads)                                  \
    extern "C" __global__ void __launch_bounds__(most_threads, 1)                                  \
        fsz_decompress_##profile##_##type(const __grid_constant__ fsz::StreamView stream,          \
                                          const __grid_constant__ fsz::OutputRange<T> range,       \
                                          fsz::u64 first_chunk, fsz::Report *report)               \
    {                                                                                              \
        const bool all_chunks = gridDim.x == stream.sections.chunks;                               \
        fsz::decode_chunk<fsz::Decoder<T, fsz::OutputRange<T>>>(                                   \
            stream, first_chunk + blockIdx.x, range, all_chunks, report, fsz_stages);              \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(640, 1) fsz_decompress_box_##profile##_##type(    \
        const __grid_constant__ fsz::StreamView stream,                                            \
        const __grid_constant__ fsz::OutputBox<T> box, fsz::u64 first_chunk, fsz::Report *report)  \
    {                                                                                              \
        fsz::decode_box<fsz::Decoder<T, fsz::OutputBox<T>>>(stream, first_chunk + blockIdx.x, box, \
                                                            report, fsz_stages);                   \
    }

extern __shared__ fsz::Stage fsz_stages[];

FSZ_DECODE_ENTRY(PaperDecoder, paper, float, f32, 640)
FSZ_DECODE_ENTRY(PaperDecoder, paper, double, f64, 512)

// Profiles of boxes: a launch that makes ready what all chunks share, then one of persistent thread
// blocks, for each kind of output.
#define FSZ_DECODE_BOXES_ENTRY(operation, Output, T, type)                                         \
    extern "C" __global__ void __launch_bounds__(fsz::DENSE_DECODE_WARPS * 32, 1)                  \
        fsz_##operation##_dense_##type(const __grid_constant__ fsz::StreamView stream,             \
                                       const __grid_constant__ fsz::BoxGrid grid,                  \
                                       const __grid_constant__ fsz::Output<T> output,              \
                                       fsz::DenseDecoding *work)                                   \
    {                                                                                              \
        fsz::decode_dense<T>(stream, grid, work, output);                                          \
    }

#define FSZ_DECODE_DENSE_ENTRIES(T, type)                                                          \
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

FSZ_DECODE_DENSE_ENTRIES(float, f32)
FSZ_DECODE_DENSE_ENTRIES(double, f64)

#define FSZ_GRID_LAYOUT                                                                            \
    sizeof(fsz::BoxGrid), FSZ_AT(fsz::BoxGrid, shape), FSZ_AT(fsz::BoxGrid, counts),               \
        FSZ_AT(fsz::BoxGrid, cell), FSZ_AT(fsz::BoxGrid, extent), FSZ_AT(fsz::BoxGrid, tiles),     \
        FSZ_AT(fsz::BoxGrid, chunk_tiles), FSZ_AT(fsz::BoxGrid, predictor),                        \
        FSZ_AT(fsz::BoxGrid, fine)

/// How the structs that the driver shares lie in memory: `DECOMPRESS_LAYOUTS` in
/// crates/fsz/src/cuda/kernels.rs.
extern "C" __device__ fsz::u32 fsz_decompress_layouts[] = {
    FSZ_SECTIONS_LAYOUT,
    sizeof(fsz::StreamView),
    FSZ_AT(fsz::StreamView, bytes),
    FSZ_AT(fsz::StreamView, capacity),
    FSZ_AT(fsz::StreamView, header_first),
    FSZ_AT(fsz::StreamView, header_kind),
    FSZ_AT(fsz::StreamView, missing_at),
    FSZ_AT(fsz::StreamView, sections),
    sizeof(fsz::OutputRange<float>),
    FSZ_AT(fsz::OutputRange<float>, out),
    FSZ_AT(fsz::OutputRange<float>, begin),
    FSZ_AT(fsz::OutputRange<float>, end),
    sizeof(fsz::OutputBox<float>),
    FSZ_AT(fsz::OutputBox<float>, out),
    FSZ_AT(fsz::OutputBox<float>, box.dims),
    FSZ_AT(fsz::OutputBox<float>, box.shape),
    FSZ_AT(fsz::OutputBox<float>, box.start),
    FSZ_AT(fsz::OutputBox<float>, box.count),
    FSZ_GRID_LAYOUT,
    sizeof(fsz::BoxesToTiles<float>),
    FSZ_AT(fsz::BoxesToTiles<float>, out),
    FSZ_AT(fsz::BoxesToTiles<float>, before),
    FSZ_AT(fsz::BoxesToTiles<float>, first),
    FSZ_AT(fsz::BoxesToTiles<float>, end),
};

/// How the driver launches: `DecompressShapes` there.
extern "C" __device__ fsz::u32 fsz_decompress_shapes[] = {
    fsz::DECODE_WARPS_MOST, sizeof(fsz::Stage),      fsz::PROGRAM_THREADS,
    fsz::PREPARE_BLOCKS,    fsz::DENSE_DECODE_WARPS, fsz::INTERPOLATION_SHARED,
    fsz::LORENZO_SHARED,    fsz::WARP_BYTES,         sizeof(fsz::DenseDecoding),
};
