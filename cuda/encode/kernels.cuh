// What the modules of compression have alike, whatever their profile: the kernel that finds the
// bound, and how the structs that the driver shares lie in memory.
#pragma once

#include "encode/survey.cuh"

/// Kernels are named `fsz_<operation>_<profile>_<type>`; that of the bound is the same for all
/// profiles.
#define FSZ_BOUND_ENTRY(T, type)                                                                   \
    extern "C" __global__ void __launch_bounds__(fsz::BOUND_THREADS) fsz_bound_##type(             \
        const T *field, fsz::u64 n, const __grid_constant__ fsz::BoundAsked bound,                 \
        const __grid_constant__ fsz::Missing<T> missing, fsz::Control *control)                    \
    {                                                                                              \
        fsz::find_bound(field, n, bound, missing, control);                                        \
    }

/// The same where kernels of encoding resolve the bound themselves.
#define FSZ_SURVEY_ENTRY(T, type)                                                                  \
    extern "C" __global__ void __launch_bounds__(fsz::BOUND_THREADS) fsz_survey_##type(            \
        const T *field, fsz::u64 n, const __grid_constant__ fsz::BoundAsked bound,                 \
        const __grid_constant__ fsz::Missing<T> missing, fsz::u64 *scratch, fsz::u64 words,        \
        fsz::Statistics *parts)                                                                    \
    {                                                                                              \
        fsz::survey_field(field, n, bound, missing, scratch, words, parts);                        \
    }

/// `compress_layouts` in crates/fsz/src/cuda/kernels/module.rs.
#define FSZ_COMPRESS_LAYOUT(T)                                                                     \
    FSZ_SECTIONS_LAYOUT, sizeof(fsz::Missing<T>), FSZ_AT(fsz::Missing<T>, bits),                   \
        FSZ_AT(fsz::Missing<T>, count), sizeof(fsz::CompressArgs<T>),                              \
        FSZ_AT(fsz::CompressArgs<T>, field), FSZ_AT(fsz::CompressArgs<T>, stream),                 \
        FSZ_AT(fsz::CompressArgs<T>, stream_capacity), FSZ_AT(fsz::CompressArgs<T>, control),      \
        FSZ_AT(fsz::CompressArgs<T>, entries), FSZ_AT(fsz::CompressArgs<T>, sections),             \
        FSZ_AT(fsz::CompressArgs<T>, missing), sizeof(fsz::HeaderImage),                           \
        FSZ_AT(fsz::HeaderImage, words), FSZ_AT(fsz::HeaderImage, len), sizeof(fsz::BoundAsked),   \
        FSZ_AT(fsz::BoundAsked, kind), FSZ_AT(fsz::BoundAsked, fine),                              \
        FSZ_AT(fsz::BoundAsked, asked), FSZ_AT(fsz::BoundAsked, min),                              \
        FSZ_AT(fsz::BoundAsked, max), sizeof(fsz::Survey), FSZ_AT(fsz::Survey, bound),             \
        FSZ_AT(fsz::Survey, parts), FSZ_AT(fsz::Survey, count), FSZ_AT(fsz::Survey, reserved),     \
        sizeof(fsz::Control), FSZ_AT(fsz::Control, stream_len), FSZ_AT(fsz::Control, status),      \
        FSZ_AT(fsz::Control, range_known), FSZ_AT(fsz::Control, begun),                            \
        FSZ_AT(fsz::Control, encoded), FSZ_AT(fsz::Control, metadata_sum),                         \
        FSZ_AT(fsz::Control, absolute_bound), FSZ_AT(fsz::Control, step),                          \
        FSZ_AT(fsz::Control, inverse), FSZ_AT(fsz::Control, limit),                                \
        FSZ_AT(fsz::Control, payload_words), FSZ_AT(fsz::Control, statistics),                     \
        FSZ_AT(fsz::Control, origin)
