// What is to be known of a field before it is quantized: its range, or a sample of its magnitude,
// and the quantization step that follows (FORMAT.md, Bound).
#pragma once

#include "encode/bound.cuh"

namespace fsz
{

/// Range and special elements of a part of a field.
template <class T> struct RangePart
{
    typename Element<T>::Bits max_key = 0;
    typename Element<T>::Bits min_key = 0;
    u32 nan = 0;
    u32 inf = 0;
    u32 missing = 0;

    FSZ_DEVICE void take_ordinary(T d)
    {
        const typename Element<T>::Bits key = order_key(d);
        max_key = max(max_key, key);
        min_key = max(min_key, static_cast<typename Element<T>::Bits>(~key));
    }

    /// Takes one element in, whatever it is.
    FSZ_DEVICE void take(T d, const Missing<T> &names)
    {
        const bool named = names.is(bits_of(d));
        const bool finite = is_number(d);
        missing += named;
        nan += !named && is_nan(d);
        inf += !named && !finite && !is_nan(d);
        if (!named && finite)
        {
            take_ordinary(d);
        }
    }
};

/// Brings together what the lanes of a warp found: every lane gets it.
template <class T> FSZ_DEVICE void bring_together(Statistics &found)
{
    using Bits = typename Element<T>::Bits;
    found.max_key = warp_max(static_cast<Bits>(found.max_key));
    found.min_key = warp_max(static_cast<Bits>(found.min_key));
    // Most fields have none of these.
    if (__any_sync(WARP_ALL, (found.nan | found.inf | found.missing) != 0))
    {
        found.nan = warp_sum(found.nan);
        found.inf = warp_sum(found.inf);
        found.missing = warp_sum(found.missing);
    }
}

/// The same of a thread block, by what its warps leave in `of_warps`, in shared memory; its first
/// warp gets it.
template <class T, u32 WARPS>
FSZ_DEVICE void bring_together(Statistics &found, Statistics (&of_warps)[WARPS])
{
    const u32 lane = lane_id();
    bring_together<T>(found);
    if (lane == 0)
    {
        of_warps[threadIdx.x / 32] = found;
    }
    __syncthreads();
    if (threadIdx.x < 32)
    {
        found = lane < WARPS ? of_warps[lane] : Statistics{};
        bring_together<T>(found);
    }
}

/// What the threads of a thread block found together; thread 0 gets it.
template <class T> FSZ_DEVICE Statistics part_of_block(const RangePart<T> &part)
{
    __shared__ Statistics of_warps[BOUND_THREADS / 32];
    Statistics together{};
    together.max_key = part.max_key;
    together.min_key = part.min_key;
    together.nan = part.nan;
    together.inf = part.inf;
    together.missing = part.missing;
    bring_together<T>(together, of_warps);
    return together;
}

/// Adds the parts of a thread block's threads to the field's statistics.
template <class T> FSZ_DEVICE void add_part(const RangePart<T> &part, Statistics *statistics)
{
    const Statistics together = part_of_block(part);
    if (threadIdx.x == 0)
    {
        atomicMax(&statistics->max_key, together.max_key);
        atomicMax(&statistics->min_key, together.min_key);
        if (together.nan + together.inf + together.missing > 0)
        {
            atomicAdd(&statistics->nan, together.nan);
            atomicAdd(&statistics->inf, together.inf);
            atomicAdd(&statistics->missing, together.missing);
        }
    }
}

FSZ_DEVICE float spoil(float d, float spoiled) { return fmaf(d, 0.f, spoiled); }

FSZ_DEVICE double spoil(double d, double spoiled) { return __fma_rn(d, 0.0, spoiled); }

/// Elements that a thread block reads at once, BATCH vectors a thread.
template <class T, u32 BATCH> constexpr u32 RUN_OF = BOUND_THREADS * BATCH * (16 / sizeof(T));

/// The whole field's range, by all thread blocks, which take runs of BATCH vectors a thread.
template <u32 BATCH, class T>
FSZ_DEVICE RangePart<T> range_of_runs(const T *field, u64 n, const Missing<T> &missing)
{
    using Bits = typename Element<T>::Bits;
    constexpr u32 LEN = 16 / sizeof(T);
    constexpr u32 RUN = RUN_OF<T, BATCH>;
    RangePart<T> part;
    const bool aligned = reinterpret_cast<u64>(field) % 16 == 0;
    const u64 runs = aligned ? n / RUN : 0;
    // Nothing yet is NaN, which the smaller and the larger of two numbers never is.
    T low = value_of(Element<T>::QUIET_NAN), high = low;
    for (u64 run = blockIdx.x; run < runs; run += gridDim.x)
    {
        const T *const mine = field + run * RUN + threadIdx.x * LEN;
        T v[BATCH * LEN];
#pragma unroll
        for (u32 k = 0; k < BATCH; ++k)
        {
            load_vector(mine + k * BOUND_THREADS * LEN, v + k * LEN);
        }
        T run_low = v[0], run_high = v[0], spoiled = 0;
#pragma unroll
        for (u32 k = 0; k < BATCH * LEN; ++k)
        {
            run_low = smaller(run_low, v[k]);
            run_high = larger(run_high, v[k]);
            // d · 0 is NaN for what is not finite, and stays so in a sum.
            spoiled = spoil(v[k], spoiled);
        }
        u32 named = 0;
        for (u32 m = 0; m < missing.count; ++m)
        {
            const Bits name = missing.bits[m];
#pragma unroll
            for (u32 k = 0; k < BATCH * LEN; ++k)
            {
                named |= bits_of(v[k]) == name ? 1u << k : 0;
            }
        }
        if (named != 0 || is_nan(spoiled))
        {
            run_low = run_high = value_of(Element<T>::QUIET_NAN);
            u32 nan = 0, odd = 0;
#pragma unroll
            for (u32 k = 0; k < BATCH * LEN; ++k)
            {
                const bool ordinary = is_number(v[k]) && !(named & 1u << k);
                odd += !ordinary;
                nan += is_nan(v[k]) && !(named & 1u << k);
                const T d = ordinary ? v[k] : value_of(Element<T>::QUIET_NAN);
                run_low = smaller(run_low, d);
                run_high = larger(run_high, d);
            }
            part.missing += __popc(named);
            part.nan += nan;
            part.inf += odd - nan - __popc(named);
        }
        low = smaller(low, run_low);
        high = larger(high, run_high);
    }
    if (!is_nan(low))
    {
        part.take_ordinary(low);
        part.take_ordinary(high);
    }
    const u64 thread = blockIdx.x * static_cast<u64>(BOUND_THREADS) + threadIdx.x;
    for (u64 i = runs * RUN + thread; i < n; i += gridDim.x * static_cast<u64>(BOUND_THREADS))
    {
        part.take(field[i], missing);
    }
    return part;
}

/// The whole field's range, by all thread blocks.
template <class T>
FSZ_DEVICE RangePart<T> range_of_all(const T *field, u64 n, const Missing<T> &missing)
{
    constexpr u32 BATCH = sizeof(T) == 4 ? 8 : 12;
    // Of a small field each thread block takes less, so that all take some.
    return n / RUN_OF<T, BATCH> < gridDim.x ? range_of_runs<BATCH / 4>(field, n, missing)
                                            : range_of_runs<BATCH>(field, n, missing);
}

/// The largest magnitude among the samples, by all thread blocks: a `RangePart` whose maximum it
/// is.
template <class T>
FSZ_DEVICE RangePart<T> range_of_samples(const T *field, u64 n, const Missing<T> &missing)
{
    RangePart<T> part;
    const u64 thread = blockIdx.x * static_cast<u64>(BOUND_THREADS) + threadIdx.x;
    const u64 threads = gridDim.x * static_cast<u64>(BOUND_THREADS);
    for (u64 k = thread; k * SAMPLE_STRIDE < n; k += threads)
    {
        const u64 at = k * SAMPLE_STRIDE + static_cast<u32>(k) * SAMPLE_MULTIPLIER % SAMPLE_STRIDE;
        if (at < n && is_number(field[at]) && !missing.is(bits_of(field[at])))
        {
            const T d = field[at];
            part.take_ordinary(d < 0 ? -d : d);
        }
    }
    return part;
}

/// What the thread finds where the bound asks for a look at the field.
template <class T>
FSZ_DEVICE RangePart<T> look_at(const T *field, u64 n, const BoundAsked &bound,
                                const Missing<T> &missing)
{
    return bound.kind == BOUND_VALUE_RANGE ? range_of_all(field, n, missing)
                                           : range_of_samples(field, n, missing);
}

/// Looks at the field as the bound asks, and leaves the quantizer in `control`, which was cleared.
/// `BOUND_THREADS` threads; any grid.
template <class T>
FSZ_DEVICE void find_bound(const T *field, u64 n, const BoundAsked &bound,
                           const Missing<T> &missing, Control *control)
{
    if (bound.kind != BOUND_GIVEN_RANGE)
    {
        add_part(look_at(field, n, bound, missing), &control->statistics);
    }
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
    {
        last = atomicAdd(&control->bound_done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < 32)
    {
        __threadfence();
        const Statistics statistics = control->statistics;
        const T least = least_step<T>(bound.fine);
        __syncwarp();
        resolve_bound<T>(bound, least, missing.count, statistics, control);
        if (threadIdx.x == 0 && bound.kind != BOUND_VALUE_RANGE)
        {
            // Those were of samples alone.
            control->statistics.max_key = 0;
            control->statistics.min_key = 0;
        }
    }
}

} // namespace fsz
