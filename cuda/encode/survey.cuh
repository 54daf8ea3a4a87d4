// Looking at the field for kernels that resolve the bound themselves: no thread block waits for
// another, so that nothing must be cleared before, and the scratch is cleared on the way.
#pragma once

#include "device/hopper.cuh"
#include "encode/arguments.cuh"
#include "encode/value_range.cuh"

namespace fsz
{

/// Clears so many words of 8 bytes of the scratch, and leaves in `parts`, behind them, what each
/// thread block finds of the field. `BOUND_THREADS` threads; any grid.
template <class T>
FSZ_DEVICE void survey_field(const T *field, u64 n, const BoundAsked &bound,
                             const Missing<T> &missing, u64 *scratch, u64 words, Statistics *parts)
{
    launch_dependents();
    const u64 thread = blockIdx.x * static_cast<u64>(BOUND_THREADS) + threadIdx.x;
    for (u64 k = thread; k < words; k += gridDim.x * static_cast<u64>(BOUND_THREADS))
    {
        scratch[k] = 0;
    }
    if (bound.kind != BOUND_GIVEN_RANGE)
    {
        const Statistics part = part_of_block(look_at(field, n, bound, missing));
        if (threadIdx.x == 0)
        {
            parts[blockIdx.x] = part;
        }
    }
}

/// What the warps of a thread block that resolves the bound tell each other.
template <u32 THREADS> struct BoundExchange
{
    Statistics of_warps[THREADS / 32];
};

/// What all thread blocks of the survey found together. Called by a thread block of THREADS; its
/// first warp gets it.
template <class T, u32 THREADS>
FSZ_DEVICE Statistics together(const Survey &survey, BoundExchange<THREADS> &exchange)
{
    const bool all = survey.bound.kind == BOUND_VALUE_RANGE;
    Statistics found{};
    for (u32 k = threadIdx.x; k < survey.count; k += THREADS)
    {
        const Statistics *const part = survey.parts + k;
        found.max_key = max(found.max_key, __ldcg(&part->max_key));
        if (all)
        {
            found.min_key = max(found.min_key, __ldcg(&part->min_key));
            found.nan += __ldcg(&part->nan);
            found.inf += __ldcg(&part->inf);
            found.missing += __ldcg(&part->missing);
        }
    }
    bring_together<T>(found, exchange.of_warps);
    return found;
}

/// The bound as the survey left it to the kernel.
struct SurveyedBound
{
    const Survey &survey;

    /// Leaves the quantizer in the thread block's own `control`, in shared memory like `exchange`.
    /// Called by all threads; visible to them after a barrier.
    template <u32 THREADS, class T>
    FSZ_DEVICE void settle(const CompressArgs<T> &args, Control &control,
                           BoundExchange<THREADS> &exchange) const
    {
        const Statistics found = together<T>(survey, exchange);
        if (threadIdx.x >= 32)
        {
            return;
        }
        resolve_bound<T>(survey.bound, least_step<T>(0), args.missing.count, found, &control);
        if (threadIdx.x == 0)
        {
            control.statistics = survey.bound.kind == BOUND_VALUE_RANGE ? found : Statistics{};
        }
    }

    /// Adds what the header has of it, and the thread block has found itself.
    static FSZ_DEVICE void conclude(const Control &own, Control &control)
    {
        control.absolute_bound = own.absolute_bound;
        control.step = own.step;
        if (own.range_known)
        {
            control.statistics.max_key = own.statistics.max_key;
            control.statistics.min_key = own.statistics.min_key;
            control.statistics.nan = own.statistics.nan;
            control.statistics.inf = own.statistics.inf;
            control.statistics.missing = own.statistics.missing;
        }
    }
};

/// A bound that another kernel has resolved, in the scratch.
struct ResolvedBound
{
    template <u32 THREADS, class Args>
    FSZ_DEVICE void settle(const Args &args, Control &control, BoundExchange<THREADS> &) const
    {
        constexpr u32 WORDS = sizeof(Control) / sizeof(u64);
        if (threadIdx.x < WORDS)
        {
            reinterpret_cast<u64 *>(&control)[threadIdx.x] =
                __ldcg(reinterpret_cast<const u64 *>(args.control) + threadIdx.x);
        }
    }

    static FSZ_DEVICE void conclude(const Control &, Control &) {}
};

} // namespace fsz
