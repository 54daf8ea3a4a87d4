// Entry points of compression of tiles, and what their launches need to know of them.
#pragma once

#include "encode/kernels.cuh"
#include "encode/relative_kernels.cuh"
#include "encode/simple.cuh"
#include "profile/paper/encode/encoder.cuh"
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define FSZ_PERSISTENT 1
#include "encode/persistent.cuh"
#endif

extern __shared__ __align__(1024) fsz::u32 fsz_shared[];

// Kernels are named `fsz_<operation>_<coder>`, of a profile, `relative` where the quantizer `Z` is
// that of a pointwise-relative bound, and a type. Two thread blocks to a multiprocessor: one is at
// work while the other waits for its place.
#define FSZ_COMPRESS_ENTRY(Z, coder)                                                               \
    extern "C" __global__ void __launch_bounds__(                                                  \
        fsz::SimpleConfig<fsz::PaperEncoder<Z>>::WARPS * 32, 2)                                    \
        fsz_compress_##coder(const __grid_constant__ fsz::PaperEncoder<Z>::Args args,              \
                             const __grid_constant__ fsz::HeaderImage image)                       \
    {                                                                                              \
        fsz::compress_simple<fsz::PaperEncoder<Z>>(args, image, fsz_shared);                       \
    }

#ifdef FSZ_PERSISTENT
// By thread blocks that stay: of all chunks, or of those that the launch says, with the bound that
// a survey leaves to them; or of all chunks with one that is resolved.
#define FSZ_PERSISTENT_ENTRY(name, ...)                                                            \
    extern "C" __global__ void __launch_bounds__(fsz::PersistentConfig<__VA_ARGS__>::THREADS, 1)   \
        name(const __grid_constant__ fsz::TensorMap map,                                           \
             const __grid_constant__ __VA_ARGS__::Args args,                                       \
             const __grid_constant__ fsz::HeaderImage image,                                       \
             const __grid_constant__ fsz::Survey survey)                                           \
    {                                                                                              \
        const fsz::SurveyedBound bound{survey};                                                    \
        fsz::compress_persistent<__VA_ARGS__>(args, image, bound, fsz::AllChunks{}, &map,          \
                                              fsz_shared);                                         \
    }
#define FSZ_PERSISTENT_RESOLVED_ENTRY(name, ...)                                                   \
    extern "C" __global__ void __launch_bounds__(fsz::PersistentConfig<__VA_ARGS__>::THREADS, 1)   \
        name(const __grid_constant__ fsz::TensorMap map,                                           \
             const __grid_constant__ __VA_ARGS__::Args args,                                       \
             const __grid_constant__ fsz::HeaderImage image)                                       \
    {                                                                                              \
        fsz::compress_persistent<__VA_ARGS__>(args, image, fsz::ResolvedBound{}, fsz::AllChunks{}, \
                                              &map, fsz_shared);                                   \
    }
#define FSZ_PERSISTENT_PART_ENTRY(name, ...)                                                       \
    extern "C" __global__ void __launch_bounds__(fsz::PersistentConfig<__VA_ARGS__>::THREADS, 1)   \
        name(const __grid_constant__ fsz::TensorMap map,                                           \
             const __grid_constant__ __VA_ARGS__::Args args,                                       \
             const __grid_constant__ fsz::HeaderImage image,                                       \
             const __grid_constant__ fsz::Survey survey, fsz::u64 first_chunk, fsz::u64 end_chunk) \
    {                                                                                              \
        const fsz::SurveyedBound bound{survey};                                                    \
        const fsz::SomeChunks chunks{first_chunk, end_chunk};                                      \
        fsz::compress_persistent<__VA_ARGS__>(args, image, bound, chunks, &map, fsz_shared);       \
    }
#define FSZ_PERSISTENT_SURVEY_ENTRY(T, type) FSZ_SURVEY_ENTRY(T, type)
#define FSZ_PERSISTENT_SHAPES(Z)                                                                   \
    fsz::PERSISTENT_GRID_MOST, fsz::PersistentConfig<fsz::PaperEncoder<Z>>::THREADS,               \
        fsz::PersistentConfig<fsz::PaperEncoder<Z>>::SHARED
#else
#define FSZ_PERSISTENT_ENTRY(name, ...)
#define FSZ_PERSISTENT_RESOLVED_ENTRY(name, ...)
#define FSZ_PERSISTENT_PART_ENTRY(name, ...)
#define FSZ_PERSISTENT_SURVEY_ENTRY(T, type)
#define FSZ_PERSISTENT_SHAPES(Z) 0, 0, 0
#endif

/// How a module launches: `CompressShapes` in crates/fsz/src/cuda/kernels/module.rs.
#define FSZ_COMPRESS_PAPER_SHAPES(Z)                                                               \
    extern "C" __device__ fsz::u32 fsz_shapes[] = {                                                \
        fsz::BOUND_THREADS,                                                                        \
        fsz::SimpleConfig<fsz::PaperEncoder<Z>>::WARPS * 32,                                       \
        fsz::SimpleConfig<fsz::PaperEncoder<Z>>::SHARED,                                           \
        FSZ_PERSISTENT_SHAPES(Z),                                                                  \
    };

/// The module of an element type: its kernels, how the structs that the driver shares lie in memory
/// (`compress_layouts` in crates/fsz/src/cuda/kernels/module.rs), and how it launches.
#define FSZ_COMPRESS_PAPER_MODULE(T, type)                                                         \
    FSZ_BOUND_ENTRY(T, type)                                                                       \
    FSZ_PERSISTENT_SURVEY_ENTRY(T, type)                                                           \
    FSZ_COMPRESS_ENTRY(fsz::Quantizer<T>, paper_##type)                                            \
    FSZ_PERSISTENT_ENTRY(fsz_compress_persistent_paper_##type,                                     \
                         fsz::PaperEncoder<fsz::Quantizer<T>>)                                     \
    FSZ_PERSISTENT_PART_ENTRY(fsz_compress_ranging_paper_##type,                                   \
                              fsz::PaperEncoder<fsz::Quantizer<T>, true>)                          \
    extern "C" __device__ fsz::u32 fsz_layouts[] = {FSZ_COMPRESS_LAYOUT(T)};                       \
    FSZ_COMPRESS_PAPER_SHAPES(fsz::Quantizer<T>)

/// The same for a pointwise-relative bound.
#define FSZ_COMPRESS_RELATIVE_MODULE(T, type)                                                      \
    FSZ_RELATIVE_BOUND_ENTRY(T, type)                                                              \
    FSZ_COMPRESS_ENTRY(fsz::RelativeQuantizer<T>, paper_relative_##type)                           \
    FSZ_PERSISTENT_RESOLVED_ENTRY(fsz_compress_ranging_paper_relative_##type,                      \
                                  fsz::PaperEncoder<fsz::RelativeQuantizer<T>, true>)              \
    extern "C" __device__ fsz::u32 fsz_layouts[] = {FSZ_COMPRESS_LAYOUT(T),                        \
                                                    FSZ_RELATIVE_LAYOUT(T)};                       \
    FSZ_COMPRESS_PAPER_SHAPES(fsz::RelativeQuantizer<T>)
