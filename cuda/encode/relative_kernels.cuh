// What the modules of compression with a pointwise-relative bound have alike: the kernel that finds
// where its codes begin, and how the structs lie in memory that the driver shares with them alone.
#pragma once

#include "device/hopper.cuh"
#include "encode/relative_bound.cuh"

#define FSZ_RELATIVE_BOUND_ENTRY(T, type)                                                          \
    extern "C" __global__ void __launch_bounds__(fsz::BOUND_THREADS) fsz_relative_bound_##type(    \
        const T *field, fsz::u64 n, const __grid_constant__ fsz::RelativeBound<T> bound,           \
        const __grid_constant__ fsz::Missing<T> missing, fsz::Control *control)                    \
    {                                                                                              \
        fsz::launch_dependents();                                                                  \
        fsz::find_relative_bound(field, n, bound, missing, control);                               \
    }

/// `relative_layouts` in crates/fsz/src/cuda/kernels/module.rs.
#define FSZ_RELATIVE_LAYOUT(T)                                                                     \
    sizeof(fsz::RelativeBound<T>), FSZ_AT(fsz::RelativeBound<T>, eps),                             \
        FSZ_AT(fsz::RelativeBound<T>, floor), FSZ_AT(fsz::RelativeBound<T>, linear_step),          \
        FSZ_AT(fsz::RelativeBound<T>, inverse), FSZ_AT(fsz::RelativeBound<T>, edge),               \
        FSZ_AT(fsz::RelativeBound<T>, low), FSZ_AT(fsz::RelativeBound<T>, stride),                 \
        FSZ_AT(fsz::RelativeBound<T>, reciprocal), FSZ_AT(fsz::RelativeBound<T>, origin),          \
        FSZ_AT(fsz::RelativeBound<T>, samples), FSZ_AT(fsz::RelativeBound<T>, sampled),            \
        FSZ_AT(fsz::RelativeBound<T>, shift), FSZ_AT(fsz::RelativeBound<T>, knee),                 \
        FSZ_AT(fsz::RelativeBound<T>, curved), FSZ_AT(fsz::RelativeBound<T>, relative_at),         \
        sizeof(fsz::RelativeArgs<T>), 0, sizeof(fsz::CompressArgs<T>)
