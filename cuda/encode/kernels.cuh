// Entry points of compression, and what their launches need to know of them.
#pragma once

#include "encode/simple.cuh"
#include "encode/value_range.cuh"
#include "profile/paper/encoder.cuh"
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define FSZ_PERSISTENT 1
#include "encode/persistent.cuh"
#endif

/// A profile's kernels are named `fsz_<operation>_<profile>_<type>`.
#define FSZ_BOUND_ENTRY(T, type)                                                                   \
    extern "C" __global__ void __launch_bounds__(fsz::BOUND_THREADS) fsz_bound_##type(             \
        const T *field, fsz::u64 n, const __grid_constant__ fsz::BoundAsked bound,                 \
        const __grid_constant__ fsz::Missing<T> missing, fsz::Control *control)                    \
    {                                                                                              \
        fsz::find_bound(field, n, bound, missing, control);                                        \
    }

// Two thread blocks to a multiprocessor: one is at work while the other waits for its place.
#define FSZ_COMPRESS_ENTRY(Encoder, profile, T, type)                                              \
    extern "C" __global__ void __launch_bounds__(fsz::SimpleConfig<fsz::Encoder<T>>::WARPS * 32,   \
                                                 2)                                                \
        fsz_compress_##profile##_##type(const __grid_constant__ fsz::CompressArgs<T> args,         \
                                        const __grid_constant__ fsz::HeaderImage image)            \
    {                                                                                              \
        fsz::compress_simple<fsz::Encoder<T>>(args, image, fsz_shared);                            \
    }

#define FSZ_PERSISTENT_ENTRY(Encoder, profile, T, type)                                            \
    extern "C" __global__ void __launch_bounds__(fsz::PersistentConfig<fsz::Encoder<T>>::THREADS,  \
                                                 1)                                                \
        fsz_compress_persistent_##profile##_##type(                                                \
            const __grid_constant__ fsz::TensorMap map,                                            \
            const __grid_constant__ fsz::CompressArgs<T> args,                                     \
            const __grid_constant__ fsz::HeaderImage image)                                        \
    {                                                                                              \
        fsz::compress_persistent<fsz::Encoder<T>>(args, image, &map, fsz_shared);                  \
    }

extern __shared__ __align__(1024) fsz::u32 fsz_shared[];

FSZ_BOUND_ENTRY(float, f32)
FSZ_BOUND_ENTRY(double, f64)
FSZ_COMPRESS_ENTRY(PaperEncoder, paper, float, f32)
FSZ_COMPRESS_ENTRY(PaperEncoder, paper, double, f64)
#ifdef FSZ_PERSISTENT
FSZ_PERSISTENT_ENTRY(PaperEncoder, paper, float, f32)
FSZ_PERSISTENT_ENTRY(PaperEncoder, paper, double, f64)
#endif

#define FSZ_MISSING_LAYOUT(T)                                                                      \
    sizeof(fsz::Missing<T>), FSZ_AT(fsz::Missing<T>, bits), FSZ_AT(fsz::Missing<T>, count)

#define FSZ_ARGS_LAYOUT(T)                                                                         \
    sizeof(fsz::CompressArgs<T>), FSZ_AT(fsz::CompressArgs<T>, field),                             \
        FSZ_AT(fsz::CompressArgs<T>, stream), FSZ_AT(fsz::CompressArgs<T>, stream_capacity),       \
        FSZ_AT(fsz::CompressArgs<T>, control), FSZ_AT(fsz::CompressArgs<T>, entries),              \
        FSZ_AT(fsz::CompressArgs<T>, sections), FSZ_AT(fsz::CompressArgs<T>, missing)

/// How the structs that the driver shares lie in memory: `COMPRESS_LAYOUTS` in
/// crates/fsz/src/cuda/kernels.rs.
extern "C" __device__ fsz::u32 fsz_compress_layouts[] = {
    FSZ_SECTIONS_LAYOUT,
    FSZ_MISSING_LAYOUT(float),
    FSZ_MISSING_LAYOUT(double),
    FSZ_ARGS_LAYOUT(float),
    FSZ_ARGS_LAYOUT(double),
    sizeof(fsz::HeaderImage),
    FSZ_AT(fsz::HeaderImage, words),
    FSZ_AT(fsz::HeaderImage, len),
    sizeof(fsz::BoundAsked),
    FSZ_AT(fsz::BoundAsked, kind),
    FSZ_AT(fsz::BoundAsked, reserved),
    FSZ_AT(fsz::BoundAsked, asked),
    FSZ_AT(fsz::BoundAsked, min),
    FSZ_AT(fsz::BoundAsked, max),
    sizeof(fsz::Control),
    FSZ_AT(fsz::Control, stream_len),
    FSZ_AT(fsz::Control, status),
    FSZ_AT(fsz::Control, range_known),
};

/// How the driver launches: `CompressShapes` there.
extern "C" __device__ fsz::u32 fsz_compress_shapes[] = {
    fsz::BOUND_THREADS,
    fsz::SimpleConfig<fsz::PaperEncoder<float>>::WARPS * 32,
    fsz::SimpleConfig<fsz::PaperEncoder<float>>::SHARED,
#ifdef FSZ_PERSISTENT
    fsz::PERSISTENT_GRID_MOST,
    fsz::PersistentConfig<fsz::PaperEncoder<float>>::THREADS,
    fsz::PersistentConfig<fsz::PaperEncoder<float>>::SHARED,
    fsz::PersistentConfig<fsz::PaperEncoder<double>>::THREADS,
    fsz::PersistentConfig<fsz::PaperEncoder<double>>::SHARED,
#else
    0,
    0,
    0,
    0,
    0,
#endif
};
