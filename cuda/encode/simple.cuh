// Compression for every device and every alignment: a thread block to a chunk.
#pragma once

#include "device/lookback.cuh"
#include "encode/finish.cuh"
#include "encode/index.cuh"

namespace fsz
{

/// The payload in device memory.
struct DeviceSink
{
    u32 *words;

    FSZ_DEVICE void put(u32 at, u32 word) const { words[at] = word; }

    FSZ_DEVICE void put_byte(u32 at, u32 k, u32 byte) const
    {
        reinterpret_cast<u8 *>(words + at)[k] = static_cast<u8>(byte);
    }

    /// False where the output ends before the payload.
    FSZ_DEVICE bool has_room() const { return words != nullptr; }

    /// The words from `at` on.
    FSZ_DEVICE const u32 *from(u32 at) const { return words + at; }

    /// Room for a block.
    FSZ_DEVICE u32 *block(u32 at) const { return words + at; }
};

/// How a thread block of the simple kernel is made up: a warp to each part of its chunk.
template <class Encoder> struct SimpleConfig
{
    static constexpr u32 WARPS = Encoder::PARTS;
    static constexpr u32 SHARED = WARPS * Encoder::PART * 4;
};

/// What the warps of a thread block share.
template <u32 WARPS> struct SimpleExchange
{
    u64 chunk;
    /// Payload words before the chunk, and before each of its parts.
    u64 before;
    u32 parts[WARPS];
    /// The rate bytes of the chunk.
    __align__(16) u8 rates[CHUNK / BLOCK];
    u32 chunk_sum;
    Statistics statistics[WARPS];
};

/// Finds the place of a chunk from the lengths of its parts, and writes it to the index. Called by
/// one warp.
template <class T, u32 WARPS>
FSZ_DEVICE void place_chunk(const CompressArgs<T> &args, SimpleExchange<WARPS> &exchange, u32 lane)
{
    const u64 chunk = exchange.chunk;
    const u32 own = lane < WARPS ? exchange.parts[lane] : 0;
    const u32 so_far = warp_inclusive(own, lane);
    const u32 total = __shfl_sync(WARP_ALL, so_far, 31);
    const u64 before = look_back(args.entries, chunk, total, lane);
    if (lane < WARPS)
    {
        exchange.parts[lane] = so_far - own;
    }
    if (lane == 0)
    {
        exchange.before = before;
        write_index(args.stream, args.sections, chunk, total, before);
        if (chunk == args.sections.chunks - 1)
        {
            args.control->payload_words = before + total;
        }
    }
}

/// Adds what the rate bytes of a chunk say to its checksum and to the metadata's. Called by one
/// warp, while another waits for the chunk's place.
template <class Encoder, class T, u32 WARPS>
FSZ_DEVICE void hash_heads(const CompressArgs<T> &args, SimpleExchange<WARPS> &exchange, u32 lane)
{
    const HeadSums heads = Encoder::hash_heads(exchange.rates, args.sections, exchange.chunk, lane);
    const u32 own = __reduce_add_sync(WARP_ALL, heads.chunk);
    const u32 metadata = __reduce_add_sync(WARP_ALL, heads.metadata);
    if (lane == 0)
    {
        atomicAdd(&exchange.chunk_sum, own);
        atomicAdd(&args.control->metadata_sum, metadata);
    }
}

/// Encodes the warp's part of the thread block's chunk.
template <class Encoder, u32 WARPS>
FSZ_DEVICE void encode_part(const typename Encoder::Args &args, SimpleExchange<WARPS> &exchange,
                            u32 *codes, u32 warp, u32 lane)
{
    const Sections &sections = args.sections;
    const u64 chunk = exchange.chunk;
    const u64 first = chunk * CHUNK + warp * Encoder::PART;
    const auto place = [&](const Encoded &part) {
        exchange.rates[warp * 32 + lane] = static_cast<u8>(part.rate_byte);
        write_rates(args.stream, sections, first, part, lane);
        if (lane == 0)
        {
            exchange.parts[warp] = part.length;
        }
        __syncthreads();
        if (warp == 0)
        {
            place_chunk<typename Encoder::Value>(args, exchange, lane);
        }
        else if (warp == 1)
        {
            hash_heads<Encoder, typename Encoder::Value>(args, exchange, lane);
        }
        __syncthreads();
        const u64 at = exchange.before + exchange.parts[warp];
        if (sections.payload + 4 * (at + part.length) <= args.stream_capacity)
        {
            return DeviceSink{reinterpret_cast<u32 *>(args.stream + sections.payload) + at};
        }
        args.control->status = 1;
        return DeviceSink{nullptr};
    };
    Encoder encoder(args, *args.control, args.missing, &exchange.statistics[warp], nullptr,
                    nullptr);
    const Encoded part = encoder.encode_any(
        {args.field, sections.elements, first, warp, codes + warp * Encoder::PART}, place);
    if (lane == 0)
    {
        atomicAdd(&exchange.chunk_sum, part.share);
    }
    __syncthreads();
    if (warp == 0)
    {
        if (lane == 0)
        {
            write_sum(args.stream, sections, chunk, exchange.chunk_sum);
        }
        merge_statistics(exchange.statistics, WARPS, args.control->range_known != 0, args.control,
                         lane);
    }
}

/// Compression of a chunk by each thread block, in the order in which thread blocks begin, each
/// scanning back for its place. As many thread blocks as chunks, at least one.
template <class Encoder>
FSZ_DEVICE void compress_simple(const typename Encoder::Args &args, const HeaderImage &image,
                                u32 *codes)
{
    constexpr u32 WARPS = SimpleConfig<Encoder>::WARPS;
    __shared__ SimpleExchange<WARPS> exchange;
    const u32 lane = lane_id();
    const u32 warp = threadIdx.x / 32;
    if (threadIdx.x == 0)
    {
        exchange.chunk = atomicAdd(&args.control->begun, 1);
        exchange.chunk_sum = 0;
    }
    if (lane == 0)
    {
        exchange.statistics[warp] = Statistics{};
    }
    if (blockIdx.x == 0 && warp == 0)
    {
        clear_paddings(args.stream, args.sections, lane);
    }
    __syncthreads();
    if (exchange.chunk < args.sections.chunks)
    {
        encode_part<Encoder>(args, exchange, codes, warp, lane);
    }
    const auto meanwhile = [&]() { bring_image(image, codes); };
    if (is_last(&args.control->encoded, gridDim.x, meanwhile))
    {
        finish<typename Encoder::Value>(image.len, args.sections, args.control, args.stream, codes,
                                        own_fields(args));
    }
}

} // namespace fsz
