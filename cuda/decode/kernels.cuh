// Entry points of decompression. All bits of the `Report` are set before the call.
#pragma once

#include "decode/chunk.cuh"
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

/// Sizes that the driver must agree on and shapes that it launches with, in the order
/// in which `DecompressShapes` in crates/fsz/src/cuda/kernels.rs reads them.
extern "C" __device__ fsz::u32 fsz_decompress_shapes[] = {
    sizeof(fsz::StreamView),
    sizeof(fsz::OutputRange<float>),
    sizeof(fsz::OutputBox<float>),
    fsz::DECODE_WARPS_MOST,
    sizeof(fsz::Stage),
};
