// Entry points of compression of tiles, and what their launches need to know of them.
#pragma once

#include "encode/kernels.cuh"
#include "encode/simple.cuh"
#include "profile/paper/encoder.cuh"
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define FSZ_PERSISTENT 1
#include "encode/persistent.cuh"
#endif

extern __shared__ __align__(1024) fsz::u32 fsz_shared[];

// Two thread blocks to a multiprocessor: one is at work while the other waits for its place.
#define FSZ_COMPRESS_ENTRY(T, type)                                                                \
    extern "C" __global__ void __launch_bounds__(                                                  \
        fsz::SimpleConfig<fsz::PaperEncoder<T>>::WARPS * 32, 2)                                    \
        fsz_compress_paper_##type(const __grid_constant__ fsz::CompressArgs<T> args,               \
                                  const __grid_constant__ fsz::HeaderImage image)                  \
    {                                                                                              \
        fsz::compress_simple<fsz::PaperEncoder<T>>(args, image, fsz_shared);                       \
    }

#ifdef FSZ_PERSISTENT
#define FSZ_PERSISTENT_ENTRY(name, T, ...)                                                         \
    extern "C" __global__ void __launch_bounds__(fsz::PersistentConfig<__VA_ARGS__>::THREADS, 1)   \
        name(const __grid_constant__ fsz::TensorMap map,                                           \
             const __grid_constant__ fsz::CompressArgs<T> args,                                    \
             const __grid_constant__ fsz::HeaderImage image)                                       \
    {                                                                                              \
        fsz::compress_persistent<__VA_ARGS__>(args, image, &map, fsz_shared);                      \
    }
#define FSZ_PERSISTENT_ENTRIES(T, type)                                                            \
    FSZ_PERSISTENT_ENTRY(fsz_compress_persistent_paper_##type, T, fsz::PaperEncoder<T>)            \
    FSZ_PERSISTENT_ENTRY(fsz_compress_ranging_paper_##type, T, fsz::PaperEncoder<T, true>)
#define FSZ_PERSISTENT_SHAPES(T)                                                                   \
    fsz::PERSISTENT_GRID_MOST, fsz::PersistentConfig<fsz::PaperEncoder<T>>::THREADS,               \
        fsz::PersistentConfig<fsz::PaperEncoder<T>>::SHARED
#else
#define FSZ_PERSISTENT_ENTRIES(T, type)
#define FSZ_PERSISTENT_SHAPES(T) 0, 0, 0
#endif

/// The module of an element type: its kernels, how the structs that the driver shares lie in memory
/// (`compress_layouts` in crates/fsz/src/cuda/kernels.rs), and how it launches (`CompressShapes`
/// there).
#define FSZ_COMPRESS_PAPER_MODULE(T, type)                                                         \
    FSZ_BOUND_ENTRY(T, type)                                                                       \
    FSZ_COMPRESS_ENTRY(T, type)                                                                    \
    FSZ_PERSISTENT_ENTRIES(T, type)                                                                \
    extern "C" __device__ fsz::u32 fsz_layouts[] = {FSZ_COMPRESS_LAYOUT(T)};                       \
    extern "C" __device__ fsz::u32 fsz_shapes[] = {                                                \
        fsz::BOUND_THREADS,                                                                        \
        fsz::SimpleConfig<fsz::PaperEncoder<T>>::WARPS * 32,                                       \
        fsz::SimpleConfig<fsz::PaperEncoder<T>>::SHARED,                                           \
        FSZ_PERSISTENT_SHAPES(T),                                                                  \
    };
