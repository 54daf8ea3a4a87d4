// Entry points of compression of boxes with a pointwise-relative bound.
#pragma once

#include "encode/relative_kernels.cuh"
#include "profile/dense/encode/relative/points.cuh"

#include "profile/dense/encode_kernels.cuh"

/// The module of an element type, as FSZ_COMPRESS_DENSE_MODULE; behind its layouts come those of
/// `relative_layouts` in crates/fsz/src/cuda/kernels/module.rs.
#define FSZ_COMPRESS_DENSE_RELATIVE_MODULE(T, type)                                                \
    FSZ_RELATIVE_BOUND_ENTRY(T, type)                                                              \
    FSZ_COMPRESS_DENSE_ENTRIES(fsz::RelativeQuantizer<T>, dense_relative_##type)                   \
    extern "C" __device__ fsz::u32 fsz_layouts[] = {FSZ_COMPRESS_LAYOUT(T), FSZ_GRID_LAYOUT,       \
                                                    FSZ_DENSE_LAYOUT, FSZ_RELATIVE_LAYOUT(T)};     \
    FSZ_COMPRESS_DENSE_SHAPES(fsz::RelativeQuantizer<T>)
