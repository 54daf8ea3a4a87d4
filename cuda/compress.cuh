// Compression: field → bound → quantize → predict → choose → pack → place → stream, without a look
// at the host in between.
//
// The driver, per field: clears `scratch_clear_len` bytes of scratch, launches `survey`, then one
// of the compress kernels. Both write the same bytes, in every run.
#pragma once

#include "finish.cuh"
#include "lookback.cuh"
#include "payload.cuh"
#include "range.cuh"

namespace fsz
{

/// What every compress kernel is told. Pointers are to device memory.
template <class T> struct CompressArgs
{
    const T *field;
    /// 16-aligned; sections up to the payload always fit.
    u8 *stream;
    u64 stream_capacity;
    Control *control;
    /// An entry per chunk.
    u64 *entries;
    Layout layout;
    Missing<T> missing;
};

/// The running parts of the metadata checksum: every word between header and payload goes through
/// one of these, whoever writes it.
struct MetadataSum
{
    u32 sum = 0;

    /// `word` holds (some of) the bits of the word at byte `at` after the header.
    FSZ_DEVICE void word(u64 at, u32 word) { sum += word * weight(static_cast<u32>(at / 4)); }
};

/// Writes what the index says of a chunk. Called by one thread.
FSZ_DEVICE void write_index(u8 *stream, const Layout &layout, u64 chunk, u32 total, u64 before,
                            MetadataSum &metadata)
{
    reinterpret_cast<u16 *>(stream + layout.sizes)[chunk] = static_cast<u16>(total);
    const u64 header = layout.rates;
    metadata.word(layout.sizes - header + 2 * chunk, total << 16 * (chunk & 1));
    if (chunk % GROUP_CHUNKS == 0)
    {
        const u64 group = chunk / GROUP_CHUNKS;
        reinterpret_cast<u64 *>(stream + layout.offsets)[group] = before;
        metadata.word(layout.offsets - header + 8 * group, static_cast<u32>(before));
        metadata.word(layout.offsets - header + 8 * group + 4, static_cast<u32>(before >> 32));
    }
}

/// Writes the checksum of a chunk. Called by one thread.
FSZ_DEVICE void write_sum(u8 *stream, const Layout &layout, u64 chunk, u32 sum,
                          MetadataSum &metadata)
{
    reinterpret_cast<u32 *>(stream + layout.sums)[chunk] = sum;
    metadata.word(layout.sums - layout.rates + 4 * chunk, sum);
}

/// Adds the tallies of a thread block's warps to the field's. Called by one thread.
template <class T> FSZ_DEVICE void merge_tallies(const Tally *from, u32 count, Control *control)
{
    Tally sum{};
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
    Tally *const to = &control->tally;
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

/// The payload in device memory.
struct DeviceSink
{
    u32 *words;

    FSZ_DEVICE void put(u32 at, u32 word) const { words[at] = word; }

    FSZ_DEVICE void put_byte(u32 at, u32 k, u32 byte) const
    {
        reinterpret_cast<u8 *>(words + at)[k] = static_cast<u8>(byte);
    }

    /// Room for a block.
    FSZ_DEVICE u32 *block(u32 at) const { return words + at; }
};

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

constexpr u32 SIMPLE_WARPS = CHUNK / WARP_ELEMENTS;
constexpr u32 SIMPLE_SHARED = SIMPLE_WARPS * WARP_ELEMENTS * 4;

/// Compression for every device and every alignment: a thread block of 16 warps to a chunk, in the
/// order in which thread blocks begin, each scanning back for its place. As many thread blocks as
/// chunks, at least one.
template <class T>
FSZ_DEVICE void compress_simple(const CompressArgs<T> &args, const HeaderImage &image, u32 *codes)
{
    __shared__ u32 words[HEADER_MOST / 4];
    __shared__ u32 totals[SIMPLE_WARPS];
    __shared__ u64 chunk_taken;
    __shared__ u64 before;
    __shared__ u32 chunk_sum;
    __shared__ u32 metadata_sum;
    __shared__ Tally tallies[SIMPLE_WARPS];

    const u32 lane = lane_id();
    const u32 warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
    {
        chunk_taken = atomicAdd(&args.control->begun, 1);
        chunk_sum = 0;
        metadata_sum = 0;
    }
    if (lane == 0)
    {
        tallies[warp] = Tally{};
    }
    __syncthreads();
    const u64 chunk = chunk_taken;
    const Layout &layout = args.layout;
    if (chunk < layout.chunks)
    {
        const Quantizer<T> z = quantizer_of<T>(*args.control);
        const u64 first = chunk * CHUNK + warp * WARP_ELEMENTS;
        const u64 mine = first + lane * BLOCK;
        const u32 exists =
            mine < layout.elements
                ? static_cast<u32>(min(layout.elements - mine, static_cast<u64>(BLOCK)))
                : 0;
        u32 *const my_codes = codes + warp * WARP_ELEMENTS;
        const DeviceRow<T> row{args.field + mine, exists};
        const Findings<T> f = analyse(row, args.field + first, exists, my_codes, z, args.missing,
                                      &tallies[warp], args.control->range_known != 0);

        const u32 inclusive = warp_inclusive(f.words, lane);
        if (lane == 31)
        {
            totals[warp] = inclusive;
        }
        __syncthreads();
        if (warp == 0)
        {
            const u32 own = lane < SIMPLE_WARPS ? totals[lane] : 0;
            const u32 so_far = warp_inclusive(own, lane);
            const u32 total = __shfl_sync(WARP_ALL, so_far, 31);
            const u64 sum = look_back(args.entries, chunk, total, lane);
            if (lane < SIMPLE_WARPS)
            {
                totals[lane] = so_far - own;
            }
            if (lane == 0)
            {
                before = sum;
                MetadataSum metadata;
                write_index(args.stream, layout, chunk, total, sum, metadata);
                atomicAdd(&metadata_sum, metadata.sum);
                if (chunk == layout.chunks - 1)
                {
                    args.control->payload_words = sum + total;
                }
            }
        }
        __syncthreads();

        const u64 place = before + totals[warp];
        const u64 end = place + __shfl_sync(WARP_ALL, inclusive, 31);
        u32 sum = 0;
        if (layout.payload + 4 * end <= args.stream_capacity)
        {
            const DeviceSink sink{reinterpret_cast<u32 *>(args.stream + layout.payload) + place};
            sum = emit(sink, f, inclusive - f.words, my_codes, args.field + first, exists);
        }
        else
        {
            args.control->status = 1;
        }
        const u64 block = chunk * (CHUNK / BLOCK) + warp * 32 + lane;
        const bool tile_exists = block / TILE_BLOCKS < layout.tiles;
        MetadataSum metadata;
        if (tile_exists)
        {
            (args.stream + layout.rates)[block] = static_cast<u8>(f.rate_byte);
            metadata.word(block, f.rate_byte << 8 * (block & 3));
        }
        const u32 share = warp_share(sum, f.rate_byte, tile_exists, warp * WARP_TILES);
        const u32 metadata_share = __reduce_add_sync(WARP_ALL, metadata.sum);
        if (lane == 0)
        {
            atomicAdd(&chunk_sum, share);
            atomicAdd(&metadata_sum, metadata_share);
        }
        __syncthreads();
        if (threadIdx.x == 0)
        {
            MetadataSum sums;
            write_sum(args.stream, layout, chunk, chunk_sum, sums);
            atomicAdd(&args.control->metadata_sum, metadata_sum + sums.sum);
            merge_tallies<T>(tallies, SIMPLE_WARPS, args.control);
        }
    }
    if (is_last(&args.control->encoded, gridDim.x) && warp == 0)
    {
        finish<T>(image, layout, args.control, args.stream, words);
    }
}

} // namespace fsz
