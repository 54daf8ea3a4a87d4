// Entry points of compression, and what their launches need to know of them.
#pragma once

#include "compress.cuh"
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define FSZ_PERSISTENT 1
#include "persistent.cuh"
#endif

#define FSZ_COMPRESS_ENTRY(T, suffix)                                                              \
    extern "C" __global__ void __launch_bounds__(fsz::SURVEY_THREADS) fsz_survey_##suffix(         \
        const T *field, fsz::u64 n, const __grid_constant__ fsz::BoundAsked bound,                 \
        const __grid_constant__ fsz::Missing<T> missing, fsz::Control *control)                    \
    {                                                                                              \
        fsz::survey(field, n, bound, missing, control);                                            \
    }                                                                                              \
    extern "C" __global__ void __launch_bounds__(fsz::SIMPLE_WARPS * 32, 1)                        \
        fsz_compress_##suffix(const __grid_constant__ fsz::CompressArgs<T> args,                   \
                              const __grid_constant__ fsz::HeaderImage image)                      \
    {                                                                                              \
        fsz::compress_simple(args, image, fsz_shared);                                             \
    }

#define FSZ_PERSISTENT_ENTRY(T, suffix)                                                            \
    extern "C" __global__ void __launch_bounds__(fsz::Persistent<T>::THREADS, 1)                   \
        fsz_compress_persistent_##suffix(const __grid_constant__ fsz::TensorMap map,               \
                                         const __grid_constant__ fsz::CompressArgs<T> args,        \
                                         const __grid_constant__ fsz::HeaderImage image)           \
    {                                                                                              \
        fsz::compress_persistent(args, image, &map, fsz_shared);                                   \
    }

extern __shared__ __align__(1024) fsz::u32 fsz_shared[];

FSZ_COMPRESS_ENTRY(float, f32)
FSZ_COMPRESS_ENTRY(double, f64)
#ifdef FSZ_PERSISTENT
FSZ_PERSISTENT_ENTRY(float, f32)
FSZ_PERSISTENT_ENTRY(double, f64)
#endif

/// Sizes that the driver must agree on and shapes that it launches with, in the order in which
/// `CompressShapes` in crates/fsz/src/cuda/kernels.rs reads them.
extern "C" __device__ fsz::u32 fsz_compress_shapes[] = {
    sizeof(fsz::CompressArgs<float>),
    sizeof(fsz::CompressArgs<double>),
    sizeof(fsz::HeaderImage),
    sizeof(fsz::Missing<double>),
    sizeof(fsz::BoundAsked),
    sizeof(fsz::Control),
    fsz::SURVEY_THREADS,
    fsz::SIMPLE_WARPS * 32,
    fsz::SIMPLE_SHARED,
#ifdef FSZ_PERSISTENT
    fsz::PERSISTENT_GRID_MOST,
    fsz::Persistent<float>::THREADS,
    fsz::Persistent<float>::SHARED,
    fsz::Persistent<double>::THREADS,
    fsz::Persistent<double>::SHARED,
#else
    0,
    0,
    0,
    0,
    0,
#endif
};
