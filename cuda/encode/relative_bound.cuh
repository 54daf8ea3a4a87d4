// Where the logarithmic codes of a pointwise-relative bound begin: known from its floor, or found
// by samples of the field (FORMAT.md, Relative).
#pragma once

#include "encode/index.cuh"
#include "encode/relative_quantizer.cuh"
#include "encode/value_range.cuh"

namespace fsz
{

/// The number of a sorted list that has `rank` before it. Called by a thread block of
/// BOUND_THREADS; all get it.
template <class Bits> __device__ inline Bits of_rank(const Bits *list, u64 len, u32 rank)
{
    constexpr u32 DIGITS = 256;
    __shared__ u32 counts[DIGITS];
    __shared__ u32 digit, before;
    Bits found = 0, known = 0;
    for (i32 shift = 8 * sizeof(Bits) - 8; shift >= 0; shift -= 8)
    {
        for (u32 k = threadIdx.x; k < DIGITS; k += BOUND_THREADS)
        {
            counts[k] = 0;
        }
        __syncthreads();
#pragma unroll 4
        for (u64 i = threadIdx.x; i < len; i += BOUND_THREADS)
        {
            const Bits own = __ldcg(list + i);
            if ((own & known) == found)
            {
                atomicAdd(&counts[own >> shift & (DIGITS - 1)], 1);
            }
        }
        __syncthreads();
        if (threadIdx.x < 32)
        {
            constexpr u32 SHARE = DIGITS / 32;
            u32 own = 0;
            for (u32 k = 0; k < SHARE; ++k)
            {
                own += counts[threadIdx.x * SHARE + k];
            }
            u32 at = warp_inclusive(own, threadIdx.x) - own;
            for (u32 k = 0; k < SHARE; ++k)
            {
                const u32 count = counts[threadIdx.x * SHARE + k];
                if (at <= rank && rank - at < count)
                {
                    digit = threadIdx.x * SHARE + k;
                    before = at;
                }
                at += count;
            }
        }
        __syncthreads();
        found |= static_cast<Bits>(digit) << shift;
        known |= static_cast<Bits>(DIGITS - 1) << shift;
        rank -= before;
    }
    return found;
}

/// Looks at the samples, by all thread blocks: leaves their bits, those of some that are not
/// counted behind all others; the smallest of them; and how many are positive and how many
/// negative, as `nan` and `inf`.
template <class T>
FSZ_DEVICE RangePart<T> take_samples(const T *field, u64 n, const RelativeBound<T> &bound,
                                     const Missing<T> &missing)
{
    using Bits = typename Element<T>::Bits;
    const u64 count = bound.samples, whole = n / count, rest = n % count;
    RangePart<T> part;
    const u64 thread = blockIdx.x * static_cast<u64>(BOUND_THREADS) + threadIdx.x;
    const u64 threads = gridDim.x * static_cast<u64>(BOUND_THREADS);
    for (u64 i = thread; i < count; i += threads)
    {
        // The product holds for fields of fewer than 2^44 elements.
        const T d = field[i * whole + i * rest / count];
        const Bits bits = bits_of(d) & ~Element<T>::SIGN;
        const bool counts = bits >= Octave<T>::LEN && is_number(d) && !missing.is(bits_of(d));
        bound.sampled[i] = counts ? bits : ~Bits{0};
        part.min_key = max(part.min_key, counts ? static_cast<Bits>(~bits) : Bits{0});
        part.nan += counts && d > 0;
        part.inf += counts && d < 0;
    }
    return part;
}

/// Bits of the magnitude where logarithmic codes are to begin, by the samples. Called by a thread
/// block of BOUND_THREADS; all get it.
template <class T>
FSZ_DEVICE typename Element<T>::Bits lowest_bits(const RelativeBound<T> &bound,
                                                 const Statistics &statistics)
{
    using Bits = typename Element<T>::Bits;
    const u64 positive = statistics.nan, negative = statistics.inf;
    if (positive > 0 && negative > 0)
    {
        const u64 rank = (positive + negative) / TYPICAL_SHARE;
        return of_rank(bound.sampled, bound.samples, static_cast<u32>(rank));
    }
    // A sixteenth is four octaves less.
    const Bits smallest = static_cast<Bits>(~static_cast<Bits>(statistics.min_key));
    const Bits least = Octave<T>::LEN;
    return positive + negative == 0 || smallest < 5 * least ? least : smallest - 4 * least;
}

/// Leaves in `control` where the logarithmic codes begin. BOUND_THREADS threads; any grid.
template <class T>
FSZ_DEVICE void find_relative_bound(const T *field, u64 n, const RelativeBound<T> &bound,
                                    const Missing<T> &missing, Control *control)
{
    using Bits = typename Element<T>::Bits;
    if (bound.samples > 0)
    {
        add_part(take_samples(field, n, bound, missing), &control->statistics);
    }
    if (is_last(&control->bound_done, gridDim.x))
    {
        Bits origin = bound.origin;
        if (bound.samples > 0)
        {
            const Statistics statistics = control->statistics;
            origin = Octave<T>::pattern(lowest_bits(bound, statistics), bound.bend());
            __syncthreads();
        }
        if (threadIdx.x == 0)
        {
            control->origin = origin;
            control->named = missing.count > 0;
            control->statistics = Statistics{};
        }
    }
}

} // namespace fsz
