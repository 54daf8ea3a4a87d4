// Where a chunk's payload begins: sums over all chunks before it, found while other thread blocks
// still encode theirs.
#pragma once

#include "device/warp.cuh"

namespace fsz
{

FSZ_DEVICE u64 load_relaxed(const u64 *at)
{
    u64 value;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(value) : "l"(at) : "memory");
    return value;
}

FSZ_DEVICE void store_relaxed(u64 *at, u64 value)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" ::"l"(at), "l"(value) : "memory");
}

FSZ_DEVICE u32 load_relaxed(const u32 *at)
{
    u32 value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

FSZ_DEVICE void store_relaxed(u32 *at, u32 value)
{
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
}

/// A chunk's entry in the scan: nothing yet (zero), its own total, or the sum up to and with it.
constexpr u64 OWN_TOTAL = 1ull << 62;
constexpr u64 SUM_SO_FAR = 2ull << 62;
constexpr u64 ENTRY_VALUE = OWN_TOTAL - 1;

/// The sum of the totals of all chunks before `chunk`, whose own total is `total`. Called by one
/// warp. Thread blocks must take chunks in rising order, so that those waited for have begun.
FSZ_DEVICE u64 look_back(u64 *entries, u64 chunk, u32 total, u32 lane)
{
    if (chunk == 0)
    {
        if (lane == 0)
        {
            store_relaxed(entries, SUM_SO_FAR | total);
        }
        return 0;
    }
    if (lane == 0)
    {
        store_relaxed(entries + chunk, OWN_TOTAL | total);
    }
    u64 sum = 0;
    i64 at = static_cast<i64>(chunk) - 1 - lane;
    for (;;)
    {
        const u64 entry = at >= 0 ? load_relaxed(entries + at) : SUM_SO_FAR;
        const u32 missing = __ballot_sync(WARP_ALL, entry == 0);
        const u32 final = __ballot_sync(WARP_ALL, entry >= SUM_SO_FAR);
        const u32 nearest = final ? __ffs(final) - 1 : 31;
        if (missing & (0xFFFFFFFFu >> (31 - nearest)))
        {
            continue;
        }
        sum += warp_sum(lane <= nearest ? entry & ENTRY_VALUE : 0);
        if (final)
        {
            break;
        }
        at -= 32;
    }
    if (lane == 0)
    {
        store_relaxed(entries + chunk, SUM_SO_FAR | (sum + total));
    }
    return sum;
}

/// Most thread blocks of a launch: what the warp that finds places reads in one go.
constexpr u32 WINDOW_LOADS = 6;
constexpr u32 PERSISTENT_GRID_MOST = 32 * WINDOW_LOADS;

/// A chunk's total in the scan: nothing yet (zero), or the total with this bit.
constexpr u32 PUBLISHED = 0x80000000u;

/// The sum of the totals of the `count` chunks before `chunk`, count ≤ PERSISTENT_GRID_MOST. Called
/// by a warp.
FSZ_DEVICE u32 window_sum(const u32 *totals, u64 chunk, u32 count, u32 lane)
{
    u32 total[WINDOW_LOADS];
#pragma unroll
    for (u32 j = 0; j < WINDOW_LOADS; ++j)
    {
        const u32 k = lane + 32 * j;
        total[j] = k < count ? load_relaxed(totals + (chunk - 1 - k)) : PUBLISHED;
    }
    for (;;)
    {
        bool all = true;
#pragma unroll
        for (u32 j = 0; j < WINDOW_LOADS; ++j)
        {
            all &= total[j] >= PUBLISHED;
        }
        if (__all_sync(WARP_ALL, all))
        {
            break;
        }
#pragma unroll
        for (u32 j = 0; j < WINDOW_LOADS; ++j)
        {
            if (total[j] < PUBLISHED)
            {
                total[j] = load_relaxed(totals + (chunk - 1 - (lane + 32 * j)));
            }
        }
    }
    u32 sum = 0;
#pragma unroll
    for (u32 j = 0; j < WINDOW_LOADS; ++j)
    {
        sum += total[j] - PUBLISHED;
    }
    return __reduce_add_sync(WARP_ALL, sum);
}

} // namespace fsz
