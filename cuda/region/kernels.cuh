// Entry points of the module of regions, for all profiles: what moves their elements, what fills
// their places, and what adds up the section that holds them.
#pragma once

#include "region/fill.cuh"
#include "region/move.cuh"
#include "region/section.cuh"

/// Threads of each of their thread blocks.
#define FSZ_REGION_THREADS 256

#define FSZ_REGION_KERNEL(name)                                                                    \
    extern "C" __global__ void __launch_bounds__(FSZ_REGION_THREADS) name

/// One of the kernels that fill.
#define FSZ_FILL_ENTRY(T, type, operation)                                                         \
    FSZ_REGION_KERNEL(fsz_##operation##_##type)                                                    \
    (const __grid_constant__ fsz::Filling<T> filling) { fsz::operation(filling); }

/// The module of an element type: its kernels, how the structs that the driver shares lie in
/// memory, and how it launches (crates/fsz/src/cuda/kernels/regions.rs).
#define FSZ_REGION_MODULE(T, type)                                                                 \
    FSZ_REGION_KERNEL(fsz_move_elements_##type)                                                    \
    (const T *from, T *to, const fsz::Move *moves, fsz::u64 count)                                 \
    {                                                                                              \
        fsz::move_elements(from, to, moves, count);                                                \
    }                                                                                              \
    FSZ_FILL_ENTRY(T, type, mark_gaps)                                                             \
    FSZ_FILL_ENTRY(T, type, find_first)                                                            \
    FSZ_FILL_ENTRY(T, type, fill_gaps)                                                             \
    FSZ_FILL_ENTRY(T, type, find_sources)                                                          \
    FSZ_FILL_ENTRY(T, type, carry_sources)                                                         \
    FSZ_FILL_ENTRY(T, type, fill_open)                                                             \
    FSZ_REGION_KERNEL(fsz_sum_rows_##type)                                                         \
    (const uint4 *rows, fsz::u64 count, fsz::u32 first, fsz::u32 *sum)                             \
    {                                                                                              \
        fsz::sum_rows(rows, count, first, sum);                                                    \
    }                                                                                              \
    extern "C" __device__ fsz::u32 fsz_layouts[] = {                                               \
        sizeof(fsz::Move),                                                                         \
        FSZ_AT(fsz::Move, from),                                                                   \
        FSZ_AT(fsz::Move, to),                                                                     \
        FSZ_AT(fsz::Move, len),                                                                    \
        sizeof(fsz::Gap),                                                                          \
        FSZ_AT(fsz::Gap, begin),                                                                   \
        FSZ_AT(fsz::Gap, end),                                                                     \
        FSZ_AT(fsz::Gap, at),                                                                      \
        FSZ_AT(fsz::Gap, len),                                                                     \
        sizeof(fsz::FillState),                                                                    \
        FSZ_AT(fsz::FillState, first),                                                             \
        FSZ_AT(fsz::FillState, closed),                                                            \
        sizeof(fsz::Missing<T>),                                                                   \
        FSZ_AT(fsz::Missing<T>, bits),                                                             \
        FSZ_AT(fsz::Missing<T>, count),                                                            \
        sizeof(fsz::Filling<T>),                                                                   \
        FSZ_AT(fsz::Filling<T>, field),                                                            \
        FSZ_AT(fsz::Filling<T>, elements),                                                         \
        FSZ_AT(fsz::Filling<T>, width),                                                            \
        FSZ_AT(fsz::Filling<T>, marks),                                                            \
        FSZ_AT(fsz::Filling<T>, gaps),                                                             \
        FSZ_AT(fsz::Filling<T>, gap_count),                                                        \
        FSZ_AT(fsz::Filling<T>, state),                                                            \
        FSZ_AT(fsz::Filling<T>, segment),                                                          \
        FSZ_AT(fsz::Filling<T>, sources),                                                          \
        FSZ_AT(fsz::Filling<T>, missing),                                                          \
    };                                                                                             \
    extern "C" __device__ fsz::u32 fsz_shapes[] = {FSZ_REGION_THREADS};
