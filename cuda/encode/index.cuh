// What compress kernels write beside payload and rates: the index, the chunks' checksums, and the
// field's statistics.
#pragma once

#include "encode/arguments.cuh"

namespace fsz
{

/// The running parts of the metadata checksum: every word between header and payload goes through
/// one of these, whoever writes it.
struct MetadataSum
{
    u32 sum = 0;

    /// `word` holds (some of) the bits of the word at byte `at` after the header.
    FSZ_DEVICE void word(u64 at, u32 word) { sum += word * weight(static_cast<u32>(at / 4)); }
};

/// Writes what the index says of a chunk. Called by one thread.
FSZ_DEVICE void write_index(u8 *stream, const Sections &sections, u64 chunk, u32 total, u64 before,
                            MetadataSum &metadata)
{
    reinterpret_cast<u16 *>(stream + sections.sizes)[chunk] = static_cast<u16>(total);
    const u64 header = sections.rates;
    metadata.word(sections.sizes - header + 2 * chunk, total << 16 * (chunk & 1));
    if (chunk % GROUP_CHUNKS == 0)
    {
        const u64 group = chunk / GROUP_CHUNKS;
        reinterpret_cast<u64 *>(stream + sections.offsets)[group] = before;
        metadata.word(sections.offsets - header + 8 * group, static_cast<u32>(before));
        metadata.word(sections.offsets - header + 8 * group + 4, static_cast<u32>(before >> 32));
    }
}

/// Writes the rate bytes of a warp's part of a chunk, whose first element is `first`.
FSZ_DEVICE void write_rates(u8 *stream, const Sections &sections, u64 first, const Encoded &part,
                            u32 lane, MetadataSum &metadata)
{
    if (part.exists)
    {
        const u64 at = first / BLOCK + lane;
        (stream + sections.rates)[at] = static_cast<u8>(part.rate_byte);
        metadata.word(at, part.rate_byte << 8 * (lane & 3));
    }
}

/// Writes the checksum of a chunk. Called by one thread.
FSZ_DEVICE void write_sum(u8 *stream, const Sections &sections, u64 chunk, u32 sum,
                          MetadataSum &metadata)
{
    reinterpret_cast<u32 *>(stream + sections.sums)[chunk] = sum;
    metadata.word(sections.sums - sections.rates + 4 * chunk, sum);
}

/// Adds the warp_statistics of a thread block's warps to the field's. Called by one thread.
template <class T>
FSZ_DEVICE void merge_statistics(const Statistics *from, u32 count, Control *control)
{
    Statistics sum{};
    for (u32 k = 0; k < count; ++k)
    {
        sum.max_error = max(sum.max_error, from[k].max_error);
        sum.max_key = max(sum.max_key, from[k].max_key);
        sum.min_key = max(sum.min_key, from[k].min_key);
        sum.nan += from[k].nan;
        sum.inf += from[k].inf;
        sum.missing += from[k].missing;
        sum.escaped += from[k].escaped;
    }
    Statistics *const to = &control->statistics;
    atomicMax(&to->max_error, sum.max_error);
    if (sum.escaped > 0)
    {
        atomicAdd(&to->escaped, sum.escaped);
    }
    if (!control->range_known)
    {
        atomicMax(&to->max_key, sum.max_key);
        atomicMax(&to->min_key, sum.min_key);
        if (sum.nan + sum.inf + sum.missing > 0)
        {
            atomicAdd(&to->nan, sum.nan);
            atomicAdd(&to->inf, sum.inf);
            atomicAdd(&to->missing, sum.missing);
        }
    }
}

/// Counts this thread block as done; true for all of its threads when it is the last one, which
/// then sees what all others wrote.
FSZ_DEVICE bool is_last(u32 *counter, u32 of)
{
    __shared__ bool last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0)
    {
        last = atomicAdd(counter, 1) == of - 1;
    }
    __syncthreads();
    if (last)
    {
        __threadfence();
    }
    return last;
}

} // namespace fsz
