// Looking at the field for kernels that resolve the bound themselves: no thread block waits for
// another, so that nothing must be cleared before, and the scratch is cleared on the way.
#pragma once

#include "device/hopper.cuh"
#include "device/lookback.cuh"
#include "encode/arguments.cuh"
#include "encode/value_range.cuh"

namespace fsz
{

/// What a thread block of THREADS finds of its share of the field, or of its samples unless ALL.
template <bool ALL, u32 THREADS, class T>
FSZ_DEVICE Statistics look(const T *field, u64 n, const Missing<T> &missing,
                           PartExchange<THREADS> &exchange)
{
    RangePart<T> part;
    if constexpr (ALL)
    {
        part = range_of_all<THREADS>(field, n, missing);
    }
    else
    {
        part = range_of_samples<THREADS>(field, n, missing);
    }
    part = of_block(part, ALL, exchange);
    Statistics found{};
    found.max_key = part.max_key;
    found.min_key = part.min_key;
    found.nan = part.nan;
    found.inf = part.inf;
    found.missing = part.missing;
    return found;
}

/// Clears so many words of 8 bytes of the scratch, and leaves in `parts`, behind them, what each
/// thread block finds of the field; nothing where that is null. `BOUND_THREADS` threads; any grid.
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
    if (parts != nullptr)
    {
        __shared__ PartExchange<BOUND_THREADS> exchange;
        const Statistics part = bound.kind == BOUND_VALUE_RANGE
                                    ? look<true>(field, n, missing, exchange)
                                    : look<false>(field, n, missing, exchange);
        if (threadIdx.x == 0)
        {
            parts[blockIdx.x] = part;
        }
    }
}

/// What the warps of a thread block that resolves the bound tell each other.
template <u32 THREADS> struct BoundExchange
{
    PartExchange<THREADS> part;
    StepSearch<THREADS> search;
};

/// What `count` thread blocks found together. Called by a thread block of THREADS; every thread
/// gets it.
template <u32 THREADS>
FSZ_DEVICE Statistics together(const Statistics *parts, u32 count, bool all,
                               PartExchange<THREADS> &exchange)
{
    Statistics found{};
    for (u32 k = threadIdx.x; k < count; k += THREADS)
    {
        const Statistics *const part = parts + k;
        found.max_key = max(found.max_key, __ldcg(&part->max_key));
        if (all)
        {
            found.min_key = max(found.min_key, __ldcg(&part->min_key));
            found.nan += __ldcg(&part->nan);
            found.inf += __ldcg(&part->inf);
            found.missing += __ldcg(&part->missing);
        }
    }
    return of_block(found, all, exchange);
}

/// Leaves a part for all thread blocks of a launch, all of which are resident, and waits for
/// theirs. `done` was cleared.
FSZ_DEVICE void trade_parts(const Statistics &own, Statistics *parts, u32 *done)
{
    if (threadIdx.x == 0)
    {
        parts[blockIdx.x] = own;
        __threadfence();
        atomicAdd(done, 1);
        while (load_relaxed(done) < gridDim.x)
        {
        }
        __threadfence();
    }
    __syncthreads();
}

/// The bound as the survey left it to the kernel. ALL: it follows from the range; otherwise from
/// samples, or from nothing in the field.
template <bool ALL> struct SurveyedBound
{
    const Survey &survey;

    /// Leaves the quantizer in the thread block's own `control`, in shared memory like `exchange`,
    /// once the kernel before is done. Called by all threads; visible to them after a barrier.
    template <u32 THREADS, class T>
    FSZ_DEVICE void settle(const CompressArgs<T> &args, Control &control,
                           BoundExchange<THREADS> &exchange) const
    {
        u32 count = survey.count;
        if (survey.looks)
        {
            const Statistics own =
                look<ALL>(args.field, args.sections.elements, args.missing, exchange.part);
            wait_for_dependency();
            trade_parts(own, survey.parts, &args.control->bound_done);
            count = gridDim.x;
        }
        else
        {
            wait_for_dependency();
        }
        const Statistics found = together(survey.parts, count, ALL, exchange.part);
        resolve_bound<T, THREADS>(survey.bound, args.missing.count, found, exchange.search,
                                  &control);
        if (threadIdx.x == 0)
        {
            control.statistics = ALL ? found : Statistics{};
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
        wait_for_dependency();
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
