// From the bound that was asked to the quantizer that keeps it (FORMAT.md, Bound and Quantization
// step).
#pragma once

#include "device/warp.cuh"
#include "encode/control.cuh"

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

constexpr u32 BOUND_THREADS = 512;

/// What kernels that resolve the bound themselves take it from: the bound as asked, and what each
/// thread block of the survey found of the field. Of a given range nothing was looked for.
struct Survey
{
    BoundAsked bound;
    const Statistics *parts;
    u32 count;
    u32 reserved;
};

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

/// What the warps of a thread block that looks for a step tell each other.
template <u32 THREADS> struct StepSearch
{
    static constexpr u32 WARPS = THREADS / 32;
    u64 least[WARPS];
    u32 least_at[WARPS];
    u32 found[WARPS];
};

/// The first number at or closely below `top` whose rounded reciprocal is nearly exact. Called by a
/// whole thread block of THREADS, with shared memory; every thread gets it.
template <u32 THREADS> FSZ_DEVICE float best_step(float top, StepSearch<THREADS> &search)
{
    constexpr u32 SMALLEST = 0x00800000u;
    const u32 top_bits = bits_of(top);
    const u32 warp = threadIdx.x / 32;
    u32 good = STEP_CANDIDATES, best_at = STEP_CANDIDATES;
    u64 best = ~0ull;
#pragma unroll 1
    for (u32 k = threadIdx.x; k < STEP_CANDIDATES && top_bits - k >= SMALLEST; k += THREADS)
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
        search.found[warp] = good;
        search.least[warp] = best;
        search.least_at[warp] = best_at;
    }
    __syncthreads();
    const u32 from = lane_id() % StepSearch<THREADS>::WARPS;
    good = search.found[from];
    best = search.least[from];
    best_at = search.least_at[from];
    least_of_warp();
    return value_of(top_bits - (good < STEP_CANDIDATES ? good : best_at));
}

template <u32 THREADS> FSZ_DEVICE double best_step(double top, StepSearch<THREADS> &)
{
    return top;
}

/// From the range or the samples in `statistics` to the quantizer, which thread 0 leaves in
/// `control`. Called by one thread block of THREADS.
template <class T, u32 THREADS>
FSZ_DEVICE void resolve_bound(const BoundAsked &bound, u32 missing_count,
                              const Statistics &statistics, StepSearch<THREADS> &search,
                              Control *control)
{
    using Bits = typename Element<T>::Bits;
    constexpr bool SINGLE = sizeof(T) == 4;
    const bool any = statistics.max_key != 0;
    const double max_found = any ? value_of_key<T>(static_cast<Bits>(statistics.max_key)) : 0.0;
    double absolute = bound.asked, magnitude = 0;
    if (bound.kind == BOUND_ABSOLUTE)
    {
        magnitude = __dmul_rn(1.25, max_found);
    }
    else
    {
        const bool given = bound.kind == BOUND_GIVEN_RANGE;
        const double low =
            given ? bound.min
                  : (any ? value_of_key<T>(~static_cast<Bits>(statistics.min_key)) : 0.0);
        const double high = given ? bound.max : max_found;
        absolute = share_of_span(bound.asked, low, high);
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
        step = best_step<THREADS>(top, search);
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
        control->named = missing_count > 0 && !(known && statistics.missing == 0);
    }
}

} // namespace fsz
