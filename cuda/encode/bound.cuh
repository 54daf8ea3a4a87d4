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
    /// log2 of the lattice points of a step, each of them a normal number.
    u32 fine;
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

/// |1/s as a float · s − 1| in units of 2^-47, for a number between 2^-126 and 2^126.
FSZ_DEVICE u32 reciprocal_miss(float step)
{
    constexpr u32 FRACTION = 0x7FFFFF, ONE = 0x800000;
    const u32 fraction = bits_of(step) & FRACTION;
    float about;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(about) : "f"(value_of(fraction | 0x3F800000)));
    // The product of the two mantissas is so close to 2^47, or 2^46 of a power of two, that its
    // lower half tells by how much it misses. The nearest reciprocal misses by half of the step's
    // mantissa at most; one that is next to it, by what is left of the whole.
    const u32 mantissa = fraction | ONE;
    const u32 product = mantissa * ((bits_of(about) & FRACTION) | ONE);
    const u32 miss = abs(static_cast<i32>(product));
    return min(miss, static_cast<u32>(abs(static_cast<i32>(mantissa - miss))));
}

/// The first number at or closely below `top`, not below `least`, whose rounded reciprocal is
/// nearly exact. Called by a warp; every lane gets it.
FSZ_DEVICE float best_step(float top, float least)
{
    // Nearly exact are the reciprocals of one number in 128: those that miss by 2^-32 at most.
    constexpr u32 AT_ONCE = 8;
    constexpr u32 GOOD_MISS = 1u << (47 - 32);
    const u32 least_bits = bits_of(least);
    const u32 top_bits = bits_of(top);
    u32 best = ~0u;
    u32 best_at = STEP_CANDIDATES;
#pragma unroll 1
    for (u32 first = 0; first < STEP_CANDIDATES && top_bits - first >= least_bits;
         first += 32 * AT_ONCE)
    {
        u32 good = STEP_CANDIDATES;
#pragma unroll
        for (u32 j = 0; j < AT_ONCE; ++j)
        {
            const u32 k = first + 32 * j + lane_id();
            const bool within = top_bits - k >= least_bits;
            const u32 own = reciprocal_miss(value_of(top_bits - k));
            const u32 miss = within ? own : ~0u;
            good = miss <= GOOD_MISS ? min(good, k) : good;
            best_at = miss < best ? k : best_at;
            best = min(best, miss);
        }
        good = __reduce_min_sync(WARP_ALL, good);
        if (good < STEP_CANDIDATES)
        {
            return value_of(top_bits - good);
        }
    }
    const u32 least_miss = __reduce_min_sync(WARP_ALL, best);
    best_at = __reduce_min_sync(WARP_ALL, best == least_miss ? best_at : STEP_CANDIDATES);
    return value_of(top_bits - best_at);
}

FSZ_DEVICE double best_step(double top, double) { return top; }

/// The smallest step of which a part of 2^`fine` is a normal number.
template <class T> FSZ_DEVICE T least_step(u32 fine)
{
    return (sizeof(T) == 4 ? 0x1p-126 : 0x1p-1022) * static_cast<T>(1u << fine);
}

/// From the range or the samples in `statistics` to the quantizer, which lane 0 leaves in
/// `control`; a step is `least` at least, or 0. Called by a warp.
template <class T>
FSZ_DEVICE void resolve_bound(const BoundAsked &bound, T least, u32 missing_count,
                              const Statistics &statistics, Control *control)
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
    if (target >= least)
    {
        T top;
        round_down(target, top);
        step = best_step(top, least);
        inverse = reciprocal(step);
    }
    if (lane_id() == 0)
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
