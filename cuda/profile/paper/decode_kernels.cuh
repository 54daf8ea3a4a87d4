// Entry points of decompression of tiles, and what their launches need to know of them. All bits of
// the `Report` are set before the call.
#pragma once

#include "decode/chunk.cuh"
#include "decode/kernels.cuh"
#include "profile/paper/decode/decoder.cuh"

extern __shared__ uint4 fsz_stages[];

// Thread blocks of up to 16 warps with a `Stage` each in dynamic shared memory; the fewer warps,
// the less each waits for the others at the end, the more, the sooner a small field is done. The
// most threads stand for the registers that a thread may take: 96, and 128 where f64 waits for
// memory; more warps with fewer registers have other fields wait for what is spilled.
// Kernels are named `fsz_<operation>_<coder>`, of a profile, `relative` where `Values` are those of
// a pointwise-relative bound, and a type.
#define FSZ_DECOMPRESS_PAPER_ENTRY(name, Values, Output, most_threads, decode, ...)                \
    extern "C" __global__ void __launch_bounds__(most_threads, 1)                                  \
        name(const __grid_constant__ fsz::StreamView stream,                                       \
             const __grid_constant__ fsz::Output<Values::Value> output, fsz::u64 first_chunk,      \
             fsz::Report *report)                                                                  \
    {                                                                                              \
        using Decoder = fsz::PaperDecoder<Values, fsz::Output<Values::Value>>;                     \
        Decoder::Stage *const stages = reinterpret_cast<Decoder::Stage *>(fsz_stages);             \
        fsz::decode<Decoder>(stream, first_chunk + blockIdx.x, output, __VA_ARGS__ report,         \
                             stages);                                                              \
    }

/// The module of an element type and what makes elements of its codes: its kernels, how the structs
/// that the driver shares lie in memory (`DECOMPRESS_LAYOUTS` in
/// crates/fsz/src/cuda/kernels/module.rs), and how it launches (`DecompressShapes` there).
#define FSZ_DECOMPRESS_PAPER_MODULE(Values, coder, most_threads)                                   \
    FSZ_DECOMPRESS_PAPER_ENTRY(fsz_decompress_##coder, Values, OutputRange, most_threads,          \
                               decode_chunk, gridDim.x == stream.sections.chunks, )                \
    FSZ_DECOMPRESS_PAPER_ENTRY(fsz_decompress_box_##coder, Values, OutputBox, 640, decode_box, )   \
    extern "C" __device__ fsz::u32 fsz_layouts[] = {                                               \
        FSZ_STREAM_LAYOUT,                                                                         \
        sizeof(fsz::OutputRange<Values::Value>),                                                   \
        FSZ_AT(fsz::OutputRange<Values::Value>, out),                                              \
        FSZ_AT(fsz::OutputRange<Values::Value>, begin),                                            \
        FSZ_AT(fsz::OutputRange<Values::Value>, end),                                              \
        FSZ_BOX_LAYOUT(fsz::OutputBox<Values::Value>),                                             \
    };                                                                                             \
    extern "C" __device__ fsz::u32 fsz_shapes[] = {fsz::DECODE_WARPS_MOST,                         \
                                                   sizeof(fsz::Stage<Values>)};
