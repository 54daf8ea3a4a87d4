// The checksums of header and metadata, verified while the payload is on its way.
#pragma once

#include "decode/stream_view.cuh"
#include "device/warp.cuh"
#include "format/checksum.cuh"

namespace fsz
{

/// Whether a header with a pointwise-relative bound is the one described, and does not contradict
/// itself.
FSZ_DEVICE Fault relative_fault(const StreamView &view, const HeaderFields &fields)
{
    const u8 *const header = view.bytes;
    const u32 axes = header[AT_DIMS] * (header[AT_FLAGS] & HAS_START ? 2 : 1);
    const u64 at = HEADER_FIXED + 8 * (axes + header[AT_MISSING_COUNT]);
    if (fields.bound_kind != BOUND_RELATIVE || at != view.relative_at)
    {
        return FAULT_HEADER;
    }
    const u64 *const numbers = reinterpret_cast<const u64 *>(header + at);
    return relative_is_consistent(relative_fields(fields, numbers)) ? FAULT_NONE
                                                                    : FAULT_CONTRADICTION;
}

/// Verifies the header's checksum, and that its fields agree. RELATIVE: the bound is to be
/// pointwise-relative, otherwise another. Called by a warp.
template <bool RELATIVE = false>
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
        else
        {
            const HeaderFields fields = header_fields(view.bytes);
            Fault fault = header_is_consistent(fields) ? FAULT_NONE : FAULT_CONTRADICTION;
            if (fault == FAULT_NONE && RELATIVE)
            {
                fault = relative_fault(view, fields);
            }
            else if (fault == FAULT_NONE && fields.bound_kind == BOUND_RELATIVE)
            {
                fault = FAULT_HEADER;
            }
            if (fault != FAULT_NONE)
            {
                report(to, 0, fault);
            }
        }
    }
}

/// A chunk's share of the metadata checksum: `head_sum`, and the rows of the index that begin with
/// the chunk. Called by a warp.
__device__ __noinline__ u32 hash_index(const StreamView &view, u64 chunk, u32 head_sum)
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
    return __reduce_add_sync(WARP_ALL, sum);
}

/// Adds a chunk's share to the metadata checksum, and counts the chunk. Called by one thread for
/// every chunk; `check_metadata` takes what it returns.
FSZ_DEVICE u64 add_metadata(u32 share, Report *to)
{
    return atomicAdd(&to->metadata, static_cast<u64>(share) << 32 | 1);
}

/// Verifies the metadata checksum if the share was the last of all chunks'.
FSZ_DEVICE void check_metadata(const StreamView &view, u64 before, u32 share, Report *to)
{
    // Nothing that the compiler could compute earlier, where the thread would wait for memory.
    asm volatile("" : "+l"(before));
    // The sum began at all ones.
    const u64 all = before + 1 + (static_cast<u64>(share) << 32 | 1);
    if (static_cast<u32>(all) == static_cast<u32>(view.sections.chunks) &&
        static_cast<u32>(all >> 32) !=
            __ldg(reinterpret_cast<const u32 *>(view.bytes + AT_METADATA_CHECKSUM)))
    {
        report(to, 0, FAULT_METADATA);
    }
}

} // namespace fsz
