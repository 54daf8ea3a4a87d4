// What a section of a stream adds to its metadata checksum.
#pragma once

#include "device/warp.cuh"
#include "format/checksum.cuh"

namespace fsz
{

/// Adds what `count` rows add to `sum`, of which the first has the number `first`. Any grid of
/// whole warps.
FSZ_DEVICE void sum_rows(const uint4 *rows, u64 count, u32 first, u32 *sum)
{
    const u64 threads = static_cast<u64>(gridDim.x) * blockDim.x;
    u32 share = 0;
    for (u64 row = static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; row < count;
         row += threads)
    {
        share += row_of(first + static_cast<u32>(row), products_of_four(rows[row]));
    }
    share = __reduce_add_sync(WARP_ALL, share);
    if (lane_id() == 0)
    {
        atomicAdd(sum, share);
    }
}

} // namespace fsz
