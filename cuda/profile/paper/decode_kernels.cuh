// Entry points of decompression of tiles, and what their launches need to know of them. All bits of
// the `Report` are set before the call.
#pragma once

#include "decode/chunk.cuh"
#include "decode/kernels.cuh"
#include "profile/paper/decoder.cuh"

extern __shared__ fsz::Stage fsz_stages[];

// Thread blocks of up to 16 warps with a `Stage` each in dynamic shared memory; the fewer warps,
// the less each waits for the others at the end, the more, the sooner a small field is done. The
// most threads stand for the registers that a thread may take: 96 and 128, without spilling.
// Kernels are named `fsz_<operation>_<profile>_<type>`.
#define FSZ_DECOMPRESS_PAPER_ENTRIES(T, type, most_threads)                                        \
    extern "C" __global__ void __launch_bounds__(most_threads, 1)                                  \
        fsz_decompress_paper_##type(const __grid_constant__ fsz::StreamView stream,                \
                                    const __grid_constant__ fsz::OutputRange<T> range,             \
                                    fsz::u64 first_chunk, fsz::Report *report)                     \
    {                                                                                              \
        const bool all_chunks = gridDim.x == stream.sections.chunks;                               \
        fsz::decode_chunk<fsz::PaperDecoder<T, fsz::OutputRange<T>>>(                              \
            stream, first_chunk + blockIdx.x, range, all_chunks, report, fsz_stages);              \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(640, 1) fsz_decompress_box_paper_##type(          \
        const __grid_constant__ fsz::StreamView stream,                                            \
        const __grid_constant__ fsz::OutputBox<T> box, fsz::u64 first_chunk, fsz::Report *report)  \
    {                                                                                              \
        fsz::decode_box<fsz::PaperDecoder<T, fsz::OutputBox<T>>>(stream, first_chunk + blockIdx.x, \
                                                                 box, report, fsz_stages);         \
    }

/// The module of an element type: its kernels, how the structs that the driver shares lie in memory
/// (`DECOMPRESS_LAYOUTS` in crates/fsz/src/cuda/kernels.rs), and how it launches
/// (`DecompressShapes` there).
#define FSZ_DECOMPRESS_PAPER_MODULE(T, type, most_threads)                                         \
    FSZ_DECOMPRESS_PAPER_ENTRIES(T, type, most_threads)                                            \
    extern "C" __device__ fsz::u32 fsz_layouts[] = {                                               \
        FSZ_STREAM_LAYOUT,                                                                         \
        sizeof(fsz::OutputRange<T>),                                                               \
        FSZ_AT(fsz::OutputRange<T>, out),                                                          \
        FSZ_AT(fsz::OutputRange<T>, begin),                                                        \
        FSZ_AT(fsz::OutputRange<T>, end),                                                          \
        FSZ_BOX_LAYOUT(fsz::OutputBox<T>),                                                         \
    };                                                                                             \
    extern "C" __device__ fsz::u32 fsz_shapes[] = {fsz::DECODE_WARPS_MOST, sizeof(fsz::Stage)};
