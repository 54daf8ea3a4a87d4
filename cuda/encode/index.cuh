// What compress kernels write beside payload and rates: the index, the chunks' checksums, and the
// field's statistics.
#pragma once

#include "encode/arguments.cuh"

namespace fsz
{

/// Writes what the index says of a chunk. Called by one thread.
FSZ_DEVICE void write_index(u8 *stream, const Sections &sections, u64 chunk, u32 total, u64 before)
{
    reinterpret_cast<u16 *>(stream + sections.sizes)[chunk] = static_cast<u16>(total);
    if (chunk % GROUP_CHUNKS == 0)
    {
        reinterpret_cast<u64 *>(stream + sections.offsets)[chunk / GROUP_CHUNKS] = before;
    }
}

/// Payload words of all chunks before `chunk`, by what the index says of them. Called by a warp.
FSZ_DEVICE u64 words_before(const u8 *stream, const Sections &sections, u64 chunk, u32 lane)
{
    if (chunk == 0)
    {
        return 0;
    }
    const u64 group = (chunk - 1) / GROUP_CHUNKS;
    const u16 *const sizes = reinterpret_cast<const u16 *>(stream + sections.sizes);
    u32 words = 0;
    for (u64 k = group * GROUP_CHUNKS + lane; k < chunk; k += 32)
    {
        words += sizes[k];
    }
    const u64 before = reinterpret_cast<const u64 *>(stream + sections.offsets)[group];
    return before + __reduce_add_sync(WARP_ALL, words);
}

/// Writes the rate bytes of a warp's part of a chunk, whose first element is `first`.
FSZ_DEVICE void write_rates(u8 *stream, const Sections &sections, u64 first, const Encoded &part,
                            u32 lane)
{
    if (part.exists)
    {
        (stream + sections.rates)[first / BLOCK + lane] = static_cast<u8>(part.rate_byte);
    }
}

/// Writes the checksum of a chunk. Called by one thread.
FSZ_DEVICE void write_sum(u8 *stream, const Sections &sections, u64 chunk, u32 sum)
{
    reinterpret_cast<u32 *>(stream + sections.sums)[chunk] = sum;
}

/// Zeros from the end of a section to the next multiple of 16.
FSZ_DEVICE void clear_padding(u8 *stream, u64 end, u32 lane)
{
    const u64 next = (end + 15) & ~15ull;
    if (end + lane < next)
    {
        stream[end + lane] = 0;
    }
}

/// Clears what is between the sections, which nobody else writes. Called by one warp.
FSZ_DEVICE void clear_paddings(u8 *stream, const Sections &sections, u32 lane)
{
    const u64 groups = (sections.chunks + GROUP_CHUNKS - 1) / GROUP_CHUNKS;
    clear_padding(stream, sections.rates + TILE_BLOCKS * sections.tiles, lane);
    clear_padding(stream, sections.sizes + 2 * sections.chunks, lane);
    clear_padding(stream, sections.offsets + 8 * groups, lane);
    clear_padding(stream, sections.sums + 4 * sections.chunks, lane);
}

/// Adds the statistics of a thread block's warps to the field's, a lane each of them. Called by one
/// warp.
FSZ_DEVICE void merge_statistics(const Statistics *from, u32 count, bool range_known,
                                 Control *control, u32 lane)
{
    constexpr u32 FIELDS = sizeof(Statistics) / sizeof(u64);
    // Those before `nan` are maxima; the range is not asked for where it is known.
    constexpr u32 MAXIMA = FSZ_AT(Statistics, nan) / sizeof(u64);
    constexpr u32 MAX_ERROR = FSZ_AT(Statistics, max_error) / sizeof(u64);
    constexpr u32 ESCAPED = FSZ_AT(Statistics, escaped) / sizeof(u64);
    if (lane >= FIELDS || (range_known && lane != MAX_ERROR && lane != ESCAPED))
    {
        return;
    }
    u64 *const to = reinterpret_cast<u64 *>(&control->statistics) + lane;
    u64 most = 0, sum = 0;
    for (u32 k = 0; k < count; ++k)
    {
        const u64 value = reinterpret_cast<const u64 *>(from + k)[lane];
        most = max(most, value);
        sum += value;
    }
    if (lane < MAXIMA)
    {
        atomicMax(to, most);
    }
    else if (sum > 0)
    {
        atomicAdd(to, sum);
    }
}

/// Does nothing.
struct Nothing
{
    FSZ_DEVICE void operator()() const {}
};

/// Counts this thread block as done; true for all of its threads when it is the last one, which
/// then sees what all others wrote. All warps but the first call `meanwhile`, once all threads are
/// here.
template <class Meanwhile = Nothing>
FSZ_DEVICE bool is_last(u32 *counter, u32 of, const Meanwhile &meanwhile = {})
{
    __shared__ bool last;
    // One thread's fences are enough: the barriers hand them what the others wrote, and back.
    __syncthreads();
    if (threadIdx.x == 0)
    {
        __threadfence();
        last = atomicAdd(counter, 1) == of - 1;
        __threadfence();
    }
    if (threadIdx.x >= 32)
    {
        meanwhile();
    }
    __syncthreads();
    return last;
}

} // namespace fsz
