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

/// Range and special elements of a part of a field.
template <class T> struct Part
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
        const bool finite = is_finite(d);
        missing += named;
        nan += !named && is_nan(d);
        inf += !named && !finite && !is_nan(d);
        if (!named && finite)
        {
            take_ordinary(d);
        }
    }
};

/// Adds the parts of a thread block's threads to the field's tally.
template <class T> FSZ_DEVICE void add_part(const Part<T> &part, Tally *tally)
{
    constexpr u32 WARPS = SURVEY_THREADS / 32;
    __shared__ u64 max_keys[WARPS], min_keys[WARPS];
    __shared__ u32 counts[3][WARPS];
    const u32 warp = threadIdx.x / 32;
    const u32 lane = lane_id();
    const u64 max_key = warp_max(part.max_key);
    const u64 min_key = warp_max(part.min_key);
    const u32 nan = __reduce_add_sync(WARP_ALL, part.nan);
    const u32 inf = __reduce_add_sync(WARP_ALL, part.inf);
    const u32 missing = __reduce_add_sync(WARP_ALL, part.missing);
    if (lane == 0)
    {
        max_keys[warp] = max_key;
        min_keys[warp] = min_key;
        counts[0][warp] = nan;
        counts[1][warp] = inf;
        counts[2][warp] = missing;
    }
    __syncthreads();
    if (warp == 0)
    {
        const u64 top = warp_max(lane < WARPS ? max_keys[lane] : 0);
        const u64 bottom = warp_max(lane < WARPS ? min_keys[lane] : 0);
        u64 all[3];
        for (u32 k = 0; k < 3; ++k)
        {
            all[k] = warp_sum(lane < WARPS ? counts[k][lane] : 0);
        }
        if (lane == 0)
        {
            atomicMax(&tally->max_key, top);
            atomicMax(&tally->min_key, bottom);
            if (all[0] + all[1] + all[2] > 0)
            {
                atomicAdd(&tally->nan, all[0]);
                atomicAdd(&tally->inf, all[1]);
                atomicAdd(&tally->missing, all[2]);
            }
        }
    }
}

FSZ_DEVICE float spoil(float d, float spoiled) { return fmaf(d, 0.f, spoiled); }

FSZ_DEVICE double spoil(double d, double spoiled) { return __fma_rn(d, 0.0, spoiled); }

/// The whole field's range, by all thread blocks.
template <class T> FSZ_DEVICE Part<T> survey_all(const T *field, u64 n, const Missing<T> &missing)
{
    using Bits = typename Element<T>::Bits;
    constexpr u32 BATCH = sizeof(T) == 4 ? 8 : 12;
    constexpr u32 LEN = 16 / sizeof(T);
    constexpr u32 RUN = SURVEY_THREADS * BATCH * LEN;
    Part<T> part;
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
            load_vector(mine + k * SURVEY_THREADS * LEN, v + k * LEN);
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
                const bool ordinary = is_finite(v[k]) && !(named & 1u << k);
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
    const u64 thread = blockIdx.x * static_cast<u64>(SURVEY_THREADS) + threadIdx.x;
    for (u64 i = runs * RUN + thread; i < n; i += gridDim.x * static_cast<u64>(SURVEY_THREADS))
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
            part.take_ordinary(d < 0 ? -d : d);
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
/// whole thread block of SURVEY_THREADS; every thread gets it.
FSZ_DEVICE float best_step(float top)
{
    constexpr u32 WARPS = SURVEY_THREADS / 32;
    constexpr u32 SMALLEST = 0x00800000u;
    __shared__ u32 found[WARPS], least_at[WARPS];
    __shared__ u64 least[WARPS];
    const u32 top_bits = bits_of(top);
    const u32 warp = threadIdx.x / 32;
    u32 good = STEP_CANDIDATES, best_at = STEP_CANDIDATES;
    u64 best = ~0ull;
#pragma unroll 1
    for (u32 k = threadIdx.x; k < STEP_CANDIDATES && top_bits - k >= SMALLEST; k += SURVEY_THREADS)
    {
        const double miss = reciprocal_miss(value_of(top_bits - k));
        good = miss <= 0x1p-32 ? min(good, k) : good;
        // Bits of numbers that are not negative order as they do.
        if (bits_of(miss) < best)
        {
            best = bits_of(miss);
            best_at = k;
        }
    }
    const auto least_of_warp = [&]() {
#pragma unroll
        for (u32 step = 1; step < 32; step *= 2)
        {
            const u64 other = __shfl_xor_sync(WARP_ALL, best, step);
            const u32 other_at = __shfl_xor_sync(WARP_ALL, best_at, step);
            if (other < best || (other == best && other_at < best_at))
            {
                best = other;
                best_at = other_at;
            }
        }
        good = __reduce_min_sync(WARP_ALL, good);
    };
    least_of_warp();
    if (lane_id() == 0)
    {
        found[warp] = good;
        least[warp] = best;
        least_at[warp] = best_at;
    }
    __syncthreads();
    const u32 from = lane_id() % WARPS;
    good = found[from];
    best = least[from];
    best_at = least_at[from];
    least_of_warp();
    return value_of(top_bits - (good < STEP_CANDIDATES ? good : best_at));
}

FSZ_DEVICE double best_step(double top) { return top; }

/// From the range or the samples in `control->tally` to the quantizer. Called by one thread block.
template <class T>
FSZ_DEVICE void settle(const BoundAsked &bound, u32 missing_count, Control *control)
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
        // Without a step no element has a code: no error is within −1.
        control->limit = step == 0 ? -1.0 : static_cast<double>(limit);
        const bool known = bound.kind == BOUND_VALUE_RANGE;
        control->range_known = known;
        control->near = known && step != 0 && __dmul_rn(magnitude, inverse) <= FUSED_REACH;
        control->named = missing_count > 0 && !(known && tally.missing == 0);
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
        add_part(part, &control->tally);
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
        settle<T>(bound, missing.count, control);
    }
}

} // namespace fsz
