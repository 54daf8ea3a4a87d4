// What is to be known of a field before it is quantized: its range, or a sample of its magnitude,
// and the quantization step that follows (FORMAT.md, Bound).
#pragma once

#include "control.cuh"
#include "warp.cuh"

namespace fsz
{

/// The bound as asked.
struct BoundAsked
{
    u32 kind;
    u32 reserved;
    /// e, or the share of the range.
    double asked;
    /// The given range.
    double min;
    double max;
};

constexpr u32 SURVEY_THREADS = 512;
constexpr u32 STEP_CANDIDATES = 4096;
constexpr u32 SAMPLE_STRIDE = 4096;

/// Range and special elements of a part of a field. Minimum and maximum hold what they were given
/// first when nothing finite came.
template <class T> struct Part
{
    typename Element<T>::Bits max_key = 0;
    typename Element<T>::Bits min_key = 0;
    u32 nan = 0;
    u32 inf = 0;
    u32 missing = 0;

    /// Takes one element in, whatever it is.
    FSZ_DEVICE void take(T d, const Missing<T> &names)
    {
        using Bits = typename Element<T>::Bits;
        if (names.is(bits_of(d)))
        {
            ++missing;
        }
        else if (is_finite(d))
        {
            const Bits key = order_key(d);
            max_key = max(max_key, key);
            min_key = max(min_key, static_cast<Bits>(~key));
        }
        else if (is_nan(d))
        {
            ++nan;
        }
        else
        {
            ++inf;
        }
    }

    FSZ_DEVICE void add_to(Tally *tally)
    {
        const u64 all_max = warp_max(max_key);
        const u64 all_min = warp_max(min_key);
        const u32 all_nan = __reduce_add_sync(WARP_ALL, nan);
        const u32 all_inf = __reduce_add_sync(WARP_ALL, inf);
        const u32 all_missing = __reduce_add_sync(WARP_ALL, missing);
        if (lane_id() == 0)
        {
            atomicMax(&tally->max_key, all_max);
            atomicMax(&tally->min_key, all_min);
            if (all_nan + all_inf + all_missing > 0)
            {
                atomicAdd(&tally->nan, static_cast<u64>(all_nan));
                atomicAdd(&tally->inf, static_cast<u64>(all_inf));
                atomicAdd(&tally->missing, static_cast<u64>(all_missing));
            }
        }
    }
};

FSZ_DEVICE float smaller(float a, float b) { return fminf(a, b); }

FSZ_DEVICE double smaller(double a, double b) { return fmin(a, b); }

FSZ_DEVICE float larger(float a, float b) { return fmaxf(a, b); }

FSZ_DEVICE double larger(double a, double b) { return fmax(a, b); }

FSZ_DEVICE float spoil(float d, float spoiled) { return fmaf(d, 0.f, spoiled); }

FSZ_DEVICE double spoil(double d, double spoiled) { return __fma_rn(d, 0.0, spoiled); }

/// Loads 16 aligned bytes of elements.
FSZ_DEVICE void load_vector(const void *at, float (&v)[4])
{
    const uint4 raw = __ldg(static_cast<const uint4 *>(at));
    v[0] = value_of(raw.x);
    v[1] = value_of(raw.y);
    v[2] = value_of(raw.z);
    v[3] = value_of(raw.w);
}

FSZ_DEVICE void load_vector(const void *at, double (&v)[2])
{
    const double2 raw = __ldg(static_cast<const double2 *>(at));
    v[0] = raw.x;
    v[1] = raw.y;
}

/// The whole field's range, by all thread blocks.
template <class T> FSZ_DEVICE Part<T> survey_all(const T *field, u64 n, const Missing<T> &missing)
{
    constexpr u32 BATCH = 4;
    constexpr u32 LEN = 16 / sizeof(T);
    Part<T> part;
    const u64 thread = blockIdx.x * static_cast<u64>(SURVEY_THREADS) + threadIdx.x;
    const u64 threads = gridDim.x * static_cast<u64>(SURVEY_THREADS);
    const bool aligned = reinterpret_cast<u64>(field) % 16 == 0;
    const u64 vectors = aligned ? n / LEN : 0;
    // Ordinary elements go through these; d · 0 is NaN for what is not finite, and stays so in a
    // sum.
    T min_seen = 0, max_seen = 0;
    bool seen = false;
    for (u64 i = blockIdx.x * static_cast<u64>(SURVEY_THREADS * BATCH) + threadIdx.x; i < vectors;
         i += threads * BATCH)
    {
        T v[BATCH][LEN];
        u32 got = 0;
#pragma unroll
        for (u32 k = 0; k < BATCH; ++k)
        {
            const u64 at = i + k * SURVEY_THREADS;
            if (at < vectors)
            {
                load_vector(field + at * LEN, v[k]);
                got = k + 1;
            }
            else
            {
#pragma unroll
                for (u32 j = 0; j < LEN; ++j)
                {
                    v[k][j] = v[0][j];
                }
            }
        }
        T low = v[0][0], high = low, spoiled = 0;
#pragma unroll
        for (u32 k = 0; k < BATCH; ++k)
        {
#pragma unroll
            for (u32 j = 0; j < LEN; ++j)
            {
                low = smaller(low, v[k][j]);
                high = larger(high, v[k][j]);
                spoiled = spoil(v[k][j], spoiled);
            }
        }
        bool odd = is_nan(spoiled);
        if (missing.count > 0)
        {
#pragma unroll
            for (u32 k = 0; k < BATCH; ++k)
            {
#pragma unroll
                for (u32 j = 0; j < LEN; ++j)
                {
                    odd |= missing.is(bits_of(v[k][j]));
                }
            }
        }
        if (!odd)
        {
            min_seen = seen ? smaller(min_seen, low) : low;
            max_seen = seen ? larger(max_seen, high) : high;
            seen = true;
        }
        else
        {
#pragma unroll
            for (u32 k = 0; k < BATCH; ++k)
            {
                if (k < got)
                {
#pragma unroll
                    for (u32 j = 0; j < LEN; ++j)
                    {
                        part.take(v[k][j], missing);
                    }
                }
            }
        }
    }
    if (seen)
    {
        part.take(min_seen, missing);
        part.take(max_seen, missing);
    }
    for (u64 i = vectors * LEN + thread; i < n; i += threads)
    {
        part.take(field[i], missing);
    }
    return part;
}

/// The largest magnitude among the samples, by all thread blocks: a `Part` whose maximum it is.
template <class T>
FSZ_DEVICE Part<T> survey_samples(const T *field, u64 n, const Missing<T> &missing)
{
    Part<T> part;
    const u64 thread = blockIdx.x * static_cast<u64>(SURVEY_THREADS) + threadIdx.x;
    const u64 threads = gridDim.x * static_cast<u64>(SURVEY_THREADS);
    for (u64 k = thread; k * SAMPLE_STRIDE < n; k += threads)
    {
        const u64 at = k * SAMPLE_STRIDE + static_cast<u32>(k) * 2654435761u % SAMPLE_STRIDE;
        if (at < n && is_finite(field[at]) && !missing.is(bits_of(field[at])))
        {
            const T d = field[at];
            part.max_key = max(part.max_key, order_key(d < 0 ? -d : d));
        }
    }
    return part;
}

/// The largest value of the element type that is not above `value` (≥ 0), and finite.
FSZ_DEVICE void round_down(double value, float &out)
{
    out = fminf(__double2float_rz(value), 3.402823466e38f);
}

FSZ_DEVICE void round_down(double value, double &out) { out = fmin(value, 1.7976931348623157e308); }

FSZ_DEVICE float reciprocal(float value) { return __frcp_rn(value); }

FSZ_DEVICE double reciprocal(double value) { return __drcp_rn(value); }

/// |1/s as a float · s − 1|, which is exact in double.
FSZ_DEVICE double reciprocal_miss(float step)
{
    return fabs(__dsub_rn(__dmul_rn(__frcp_rn(step), step), 1.0));
}

/// The first number at or closely below `top` whose rounded reciprocal is nearly exact. Called by a
/// whole thread block; every thread gets it.
FSZ_DEVICE float best_step(float top)
{
    __shared__ u32 found;
    __shared__ u64 least;
    __shared__ u32 least_at;
    if (threadIdx.x == 0)
    {
        found = STEP_CANDIDATES;
        least = ~0ull;
        least_at = STEP_CANDIDATES;
    }
    __syncthreads();
    const u32 smallest = 0x00800000u;
    const u32 top_bits = bits_of(top);
    for (u32 k = threadIdx.x; k < STEP_CANDIDATES && top_bits - k >= smallest; k += blockDim.x)
    {
        const double miss = reciprocal_miss(value_of(top_bits - k));
        if (miss <= 0x1p-32)
        {
            atomicMin(&found, k);
        }
        // Bits of numbers that are not negative order as they do.
        atomicMin(&least, bits_of(miss));
    }
    __syncthreads();
    for (u32 k = threadIdx.x; k < STEP_CANDIDATES && top_bits - k >= smallest; k += blockDim.x)
    {
        if (bits_of(reciprocal_miss(value_of(top_bits - k))) == least)
        {
            atomicMin(&least_at, k);
        }
    }
    __syncthreads();
    const u32 k = found < STEP_CANDIDATES ? found : least_at;
    __syncthreads();
    return value_of(top_bits - k);
}

FSZ_DEVICE double best_step(double top) { return top; }

/// From the range or the samples in `control->tally` to the quantizer. Called by one thread block.
template <class T> FSZ_DEVICE void settle(const BoundAsked &bound, Control *control)
{
    using Bits = typename Element<T>::Bits;
    constexpr bool SINGLE = sizeof(T) == 4;
    const Tally tally = control->tally;
    const bool any = tally.max_key != 0;
    const double max_found = any ? value_of_key<T>(static_cast<Bits>(tally.max_key)) : 0.0;
    double absolute = bound.asked, magnitude = 0;
    if (bound.kind == BOUND_ABSOLUTE)
    {
        magnitude = __dmul_rn(1.25, max_found);
    }
    else
    {
        const bool given = bound.kind == BOUND_GIVEN_RANGE;
        const double low =
            given ? bound.min : (any ? value_of_key<T>(~static_cast<Bits>(tally.min_key)) : 0.0);
        const double high = given ? bound.max : max_found;
        absolute = __dmul_rn(bound.asked, fmin(__dsub_rn(high, low), 1.7976931348623157e308));
        magnitude = fmax(fabs(low), fabs(high));
    }

    T limit;
    round_down(absolute, limit);
    const double e = limit;
    const double rounding = SINGLE ? __dmul_rn(__dmul_rn(1.04, magnitude), 0x1p-24) : 0.0;
    const double slack = __dadd_rn(__dmul_rn(e, 0x1p-13), rounding);
    const double target =
        fmin(fmax(__dmul_rn(2.0, __dsub_rn(e, slack)), e), SINGLE ? 0x1p126 : 0x1p1022);
    T step = 0, inverse = 0;
    if (target >= (SINGLE ? 0x1p-126 : 0x1p-1022))
    {
        T top;
        round_down(target, top);
        step = best_step(top);
        inverse = reciprocal(step);
    }
    if (threadIdx.x == 0)
    {
        control->absolute_bound = absolute;
        control->step = step;
        control->inverse = inverse;
        control->limit = limit;
        const bool known = bound.kind == BOUND_VALUE_RANGE;
        control->range_known = known;
        control->all_plain = known && tally.nan + tally.inf + tally.missing == 0 && step != 0 &&
                             __dmul_rn(magnitude, inverse) <= FUSED_REACH;
        if (!known)
        {
            control->tally.max_key = 0;
            control->tally.min_key = 0;
        }
    }
}

/// Looks at the field as the bound asks, and leaves the quantizer in `control`. `SURVEY_THREADS`
/// threads; any grid.
template <class T>
FSZ_DEVICE void survey(const T *field, u64 n, const BoundAsked &bound, const Missing<T> &missing,
                       Control *control)
{
    if (bound.kind != BOUND_GIVEN_RANGE)
    {
        Part<T> part = bound.kind == BOUND_VALUE_RANGE ? survey_all(field, n, missing)
                                                       : survey_samples(field, n, missing);
        part.add_to(&control->tally);
    }
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
    {
        last = atomicAdd(&control->surveyed, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last)
    {
        __threadfence();
        settle<T>(bound, control);
    }
}

} // namespace fsz
