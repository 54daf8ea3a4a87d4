// The checksums of header and metadata, verified while the payload is on its way.
#pragma once

#include "decode/stream_view.cuh"
#include "device/warp.cuh"
#include "format/checksum.cuh"

namespace fsz
{

/// Verifies the header's checksum, and that its fields agree. Called by a warp.
__device__ __noinline__ void verify_header(const StreamView &view, Report *to)
{
    const u32 lane = lane_id();
    const uint4 *const rows = reinterpret_cast<const uint4 *>(view.bytes);
    u32 sum = 0, stored = 0;
    for (u32 row = lane; row < view.sections.rates / ROW_BYTES; row += 32)
    {
        uint4 words = __ldg(rows + row);
        if (row == 0)
        {
            stored = words.w;
            words.w = 0;
        }
        sum += row_of(row, products_of_four(words));
    }
    sum = __reduce_add_sync(WARP_ALL, sum);
    if (lane == 0)
    {
        if (sum != stored)
        {
            report(to, 0, FAULT_HEADER_CHECKSUM);
        }
        else if (!header_is_consistent(header_fields(view.bytes)))
        {
            report(to, 0, FAULT_CONTRADICTION);
        }
    }
}

/// Adds a chunk's share to the metadata checksum: `head_sum`, and the rows of the index that begin
/// with the chunk. The last of all chunks verifies it. Called by a warp, for every chunk.
__device__ __noinline__ void verify_metadata(const StreamView &view, u64 chunk, u32 head_sum,
                                             Report *to)
{
    const u32 lane = lane_id();
    const Sections &sections = view.sections;
    // Chunks whose entries a row holds.
    const u32 chunks = lane == 0   ? ROW_BYTES / 2
                       : lane == 1 ? ROW_BYTES / 4
                                   : GROUP_CHUNKS * ROW_BYTES / 8;
    u32 sum = head_sum;
    if (lane < 3 && chunk % chunks == 0)
    {
        const u64 section = lane == 0   ? sections.sizes
                            : lane == 1 ? sections.sums
                                        : sections.offsets;
        const u64 row = section / ROW_BYTES + chunk / chunks;
        const uint4 words = __ldg(reinterpret_cast<const uint4 *>(view.bytes) + row);
        sum += row_of(static_cast<u32>(row - sections.rates / ROW_BYTES), products_of_four(words));
    }
    sum = __reduce_add_sync(WARP_ALL, sum);
    if (lane == 0)
    {
        const u64 share = static_cast<u64>(sum) << 32 | 1;
        const u64 all = atomicAdd(&to->metadata, share) + 1 + share;
        if (static_cast<u32>(all) == static_cast<u32>(sections.chunks) &&
            static_cast<u32>(all >> 32) !=
                __ldg(reinterpret_cast<const u32 *>(view.bytes + AT_METADATA_CHECKSUM)))
        {
            report(to, 0, FAULT_METADATA);
        }
    }
}

} // namespace fsz
