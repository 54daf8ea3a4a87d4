// Entry points of decompression. `status` holds ~0 before the call, and after it the smallest of
// what `report` was told.
#pragma once

#include "region.cuh"

// Thread blocks that share a multiprocessor: as many as registers allow without spilling much.
#define FSZ_DECODE_BOUNDS(blocks) __launch_bounds__(fsz::DECODE_WARPS * 32, blocks)

#define FSZ_DECODE_ENTRY(T, suffix, blocks)                                                        \
    extern "C" __global__ void FSZ_DECODE_BOUNDS(blocks) fsz_decompress_##suffix(                  \
        const __grid_constant__ fsz::StreamView stream, const __grid_constant__ fsz::Run<T> run,   \
        fsz::u64 first_chunk, fsz::u64 *status)                                                    \
    {                                                                                              \
        fsz::decode_chunk<T>(stream, first_chunk + blockIdx.x, run, status);                       \
    }                                                                                              \
    extern "C" __global__ void FSZ_DECODE_BOUNDS(6) fsz_decompress_box_##suffix(                   \
        const __grid_constant__ fsz::StreamView stream, const __grid_constant__ fsz::Box<T> box,   \
        fsz::u64 first_chunk, fsz::u64 *status)                                                    \
    {                                                                                              \
        fsz::decode_box<T>(stream, first_chunk + blockIdx.x, box, status);                         \
    }

#ifndef FSZ_MB
#define FSZ_MB 5
#define FSZ_MB2 4
#endif
FSZ_DECODE_ENTRY(float, f32, FSZ_MB)
FSZ_DECODE_ENTRY(double, f64, FSZ_MB2)
