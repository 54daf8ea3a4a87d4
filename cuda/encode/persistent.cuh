// The fast compress kernel: each element is read once, and no thread waits for a chunk's place
// before the next chunks are under way.
//
// One thread block per multiprocessor, all resident at once (a cooperative launch), takes every
// G-th chunk. Its compute warps each keep rounds of input coming (by the tensor copy engine)
// and put payload into a ring of their own in shared memory. A chunk's length is published before
// its payload is packed; one more warp publishes, another finds the places; rings drain some rounds
// later, when those are long known.
#pragma once

#include "encode/block_io.cuh"
#include "encode/exchange.cuh"
#include "encode/finish.cuh"
#include "encode/survey.cuh"

namespace fsz
{

/// Brings a warp's parts to its buffers. Parts are numbered over all chunks of the thread
/// block; a warp takes every WARPS-th.
template <class Encoder> struct PartLoader
{
    using T = typename Encoder::Value;
    using Config = PersistentConfig<Encoder>;

    const TensorMap *map;
    u8 *buffers;
    /// A barrier for each buffer.
    u64 *loaded;
    /// Elements up to the end of the launch's chunks.
    u64 elements;
    /// The thread block's first chunk.
    u32 first_chunk;
    u32 lane;

    FSZ_DEVICE u32 chunk_of(u32 part) const
    {
        return first_chunk + part / Config::PARTS * gridDim.x;
    }

    /// The first element of a part.
    FSZ_DEVICE u64 first_of(u32 part) const
    {
        return static_cast<u64>(chunk_of(part)) * CHUNK + part % Config::PARTS * Encoder::PART;
    }

    FSZ_DEVICE bool is_whole(u64 first) const { return first + Encoder::PART <= elements; }

    /// Sends for a part, if it is whole.
    FSZ_DEVICE void load(u32 part, u32 buffer) const
    {
        const u64 first = first_of(part);
        if (lane == 0 && is_whole(first))
        {
            barrier_expect(&loaded[buffer], Config::BUFFER_BYTES);
            const u32 to = shared_address(buffers) + buffer * Config::BUFFER_BYTES;
#pragma unroll
            for (u32 plane = 0; plane < SharedRow<T>::PLANES; ++plane)
            {
                copy_box(to + plane * SharedRow<T>::PLANE_BYTES, map,
                         plane * (BLOCK / SharedRow<T>::PLANES), static_cast<i32>(first / BLOCK),
                         &loaded[buffer]);
            }
        }
    }
};

/// Where the rings of a thread block begin in its shared memory.
template <class Encoder> FSZ_DEVICE u32 *rings_of(u32 *shared)
{
    using Config = PersistentConfig<Encoder>;
    return shared + Config::WARPS * Config::BUFFERS * Config::BUFFER_BYTES / 4;
}

/// The loader of a warp.
template <class Encoder, class Chunks>
FSZ_DEVICE PartLoader<Encoder> loader_of(const typename Encoder::Args &args, const Chunks &range,
                                         const TensorMap *map, Exchange<Encoder> &exchange,
                                         u32 *shared, u32 warp, u32 lane)
{
    using Config = PersistentConfig<Encoder>;
    return {map,
            reinterpret_cast<u8 *>(shared) + warp * Config::BUFFERS * Config::BUFFER_BYTES,
            exchange.loaded[warp],
            range.elements(args.sections),
            static_cast<u32>(range.first()) + blockIdx.x,
            lane};
}

/// The payload of a warp's parts on its way: into the warp's ring, and out once its place is known.
template <class Encoder> struct PayloadQueue
{
    using T = typename Encoder::Value;
    using Config = PersistentConfig<Encoder>;

    const CompressArgs<T> &args;
    Exchange<Encoder> &exchange;
    u32 *words;
    /// The oldest part whose payload is in the ring.
    u32 oldest;
    u32 lane;
    Ring<Config::RING> ring;

    /// Waits for the place of the oldest part, and copies it there.
    FSZ_DEVICE void pop()
    {
        const u32 turn = oldest / Config::PARTS, slot = turn % Config::SLOTS;
        barrier_wait(&exchange.placed[slot], turn / Config::SLOTS & 1);
        const u64 placed = exchange.place[slot][oldest % Config::PARTS];
        const u32 length = static_cast<u32>(placed & 0xFFFF);
        const u64 place = placed >> 16;
        if (args.sections.payload + 4 * (place + length) <= args.stream_capacity)
        {
            copy_out(words + ring.begin(ring.tail, length),
                     reinterpret_cast<u32 *>(args.stream + args.sections.payload) + place, length,
                     lane);
        }
        else
        {
            args.control->status = 1;
        }
        ring.pop(length);
        oldest += Config::WARPS;
        __syncwarp();
    }

    /// Tells the length of a part, and makes room for it.
    FSZ_DEVICE SharedSink announce(u32 part, u32 length)
    {
        if (lane == 0)
        {
            const u32 slot = part / Config::PARTS % Config::SLOTS;
            exchange.length[slot][part % Config::PARTS] = length;
            barrier_arrive(&exchange.measured[slot]);
        }
        while (!ring.has_room(length))
        {
            pop();
        }
        return SharedSink{shared_address(words + ring.begin(ring.head, length))};
    }

    /// Counts a part's payload in, which has been written.
    FSZ_DEVICE void push(u32 part, u32 length)
    {
        ring.push(length);
        if (part - oldest >= Config::LAG * Config::WARPS)
        {
            pop();
        }
    }

    FSZ_DEVICE void drain()
    {
        while (ring.used > 0)
        {
            pop();
        }
    }
};

/// The compute warps, whose first rounds are on their way.
template <class Encoder, class Chunks>
FSZ_DEVICE void compress_parts(const typename Encoder::Args &args, const Chunks &range,
                               const TensorMap *map, Exchange<Encoder> &exchange, u32 *shared,
                               u32 warp, u32 lane)
{
    using T = typename Encoder::Value;
    using Config = PersistentConfig<Encoder>;
    const u32 chunks = static_cast<u32>(range.end(args.sections));
    const PartLoader<Encoder> loader =
        loader_of<Encoder>(args, range, map, exchange, shared, warp, lane);
    u8 *const buffers = loader.buffers;
    u32 *const words = rings_of<Encoder>(shared) + warp * Config::RING;
    PayloadQueue<Encoder> queue{args, exchange, words, warp, lane, {}};
    Encoder encoder(args, exchange.control, exchange.missing, &exchange.statistics[warp],
                    &exchange.mask[warp], &exchange.common);

    u32 phases = 0;
    u32 part = warp;
#pragma unroll 1
    for (; loader.chunk_of(part) < chunks;
         part += Config::WARPS, phases = (phases + 1) % (2 * Config::BUFFERS))
    {
        // The buffer, and the parity of its barrier.
        const u32 buffer = phases % Config::BUFFERS, parity = phases / Config::BUFFERS;
        const u64 first = loader.first_of(part);
        u8 *const elements = buffers + buffer * Config::BUFFER_BYTES;
        const SharedRow<T> row(shared_address(elements), lane);
        const bool whole = loader.is_whole(first);
        if (whole)
        {
            barrier_wait(&exchange.loaded[warp][buffer], parity);
        }
        const u32 number = part % Config::PARTS;
        const auto place = [&](u32 length) { return queue.announce(part, length); };
        const auto refill = [&]() { loader.load(part + Config::BUFFERS * Config::WARPS, buffer); };
        typename Encoder::ShortWay way;
        way.error = {};
        bool is_short = whole && encoder.may_be_short(row);
        if (is_short)
        {
            encoder.quantize(row, way);
            encoder.choose(way);
            is_short = encoder.is_short(way, row);
        }
        Encoded done;
        if (is_short)
        {
            done = encoder.pack_short(way, row, number, place, refill);
        }
        else
        {
            done = encoder.encode_long({args.field, args.sections.elements, first, number,
                                        reinterpret_cast<u32 *>(elements)},
                                       row, whole, way, place, refill);
        }
        if (lane == 0)
        {
            exchange.share[part / Config::PARTS % Config::SHARE_SLOTS][number] = done.share;
        }
        write_rates(args.stream, args.sections, first, done, lane);
        __syncwarp();
        queue.push(part, done.length);
    }
    // One more chunk that does not exist lets the publishing warp write the last one's checksum.
    for (const u32 end = part / Config::PARTS * Config::PARTS + Config::PARTS; part < end;
         part += Config::WARPS)
    {
        if (lane == 0)
        {
            barrier_arrive(&exchange.measured[part / Config::PARTS % Config::SLOTS]);
        }
    }
    queue.drain();

    encoder.finish();
}

/// Makes the barriers, and what the warps share but for the bound. Called by all threads of the
/// thread block.
template <class Encoder>
FSZ_DEVICE void begin_exchange(const typename Encoder::Args &args, Exchange<Encoder> &exchange)
{
    using Config = PersistentConfig<Encoder>;
    if (threadIdx.x == 0)
    {
        for (u32 k = 0; k < Config::SLOTS; ++k)
        {
            barrier_init(&exchange.measured[k], Config::PARTS);
            barrier_init(&exchange.placed[k], 32);
        }
        for (u32 k = 0; k < Config::WARPS; ++k)
        {
            for (u32 buffer = 0; buffer < Config::BUFFERS; ++buffer)
            {
                barrier_init(&exchange.loaded[k][buffer], 1);
            }
        }
        exchange.missing = args.missing;
        barrier_init_done();
    }
    if (threadIdx.x < Config::WARPS)
    {
        exchange.statistics[threadIdx.x] = Statistics{};
    }
    __syncthreads();
}

/// Resolves the bound, once the kernel before is done. Called by all threads of the thread block.
template <class Encoder, class Bound>
FSZ_DEVICE void settle_bound(const typename Encoder::Args &args, const Bound &bound,
                             Exchange<Encoder> &exchange, u32 *shared)
{
    using Config = PersistentConfig<Encoder>;
    // The rings are empty yet.
    using Room = BoundExchange<Config::THREADS>;
    static_assert(sizeof(Room) <= 4 * Config::RING, "it must fit into a ring");
    wait_for_dependency();
    bound.settle(args, exchange.control, *reinterpret_cast<Room *>(rings_of<Encoder>(shared)));
    __syncthreads();
    const u32 warp = threadIdx.x / 32;
    if (warp < Config::WARPS && lane_id() == 0)
    {
        exchange.mask[warp] = Encoder::first_mask(exchange.control, exchange.missing);
    }
    if (threadIdx.x == 0)
    {
        exchange.common = Encoder::first_common(args, exchange.control);
    }
    __syncthreads();
}

/// Compression of some chunks by all thread blocks of a cooperative launch: at most one per
/// multiprocessor, per chunk, and PERSISTENT_GRID_MOST. The launch of the last chunks completes the
/// stream, and none of them runs beside another. `map` describes the whole rows of 32 elements of
/// the field, in boxes of 32 rows of 128 bytes, swizzled; the field is 16-aligned and has fewer
/// than 2^36 elements. The launch may begin before the kernel that looks at the field, or resolves
/// the bound, has ended: that one writes neither field nor stream.
template <class Encoder, class Bound, class Chunks>
FSZ_DEVICE void compress_persistent(const typename Encoder::Args &args, const HeaderImage &image,
                                    const Bound &bound, const Chunks &chunks, const TensorMap *map,
                                    u32 *shared)
{
    using T = typename Encoder::Value;
    using Config = PersistentConfig<Encoder>;
    __shared__ Exchange<Encoder> exchange;
    const u32 lane = lane_id();
    // The same for all lanes, which the compiler cannot see.
    const u32 warp = __shfl_sync(WARP_ALL, threadIdx.x / 32, 0);
    if (blockIdx.x == 0 && warp == Config::WARPS)
    {
        clear_paddings(args.stream, args.sections, lane);
    }
    begin_exchange(args, exchange);
    if (warp < Config::WARPS)
    {
        const PartLoader<Encoder> loader =
            loader_of<Encoder>(args, chunks, map, exchange, shared, warp, lane);
        for (u32 buffer = 0; buffer < Config::BUFFERS; ++buffer)
        {
            loader.load(warp + buffer * Config::WARPS, buffer);
        }
    }
    settle_bound(args, bound, exchange, shared);
    if (warp < Config::WARPS)
    {
        compress_parts(args, chunks, map, exchange, shared, warp, lane);
    }
    else if (warp == Config::WARPS)
    {
        publish_lengths<Encoder, T>(args, chunks, exchange, lane);
    }
    else
    {
        find_places<Encoder, T>(args, chunks, exchange, lane);
    }
    __syncthreads();
    if (warp == 0)
    {
        merge_statistics(exchange.statistics, Config::WARPS, exchange.control.range_known,
                         args.control, lane);
    }
    const auto meanwhile = [&]() { bring_image(image, shared); };
    if (is_last(&args.control->encoded, gridDim.x, meanwhile))
    {
        if (chunks.end(args.sections) < args.sections.chunks)
        {
            // The next launch counts anew.
            if (threadIdx.x == 0)
            {
                args.control->encoded = 0;
            }
            return;
        }
        finish<T>(image.len, args.sections, args.control, args.stream, shared, own_fields(args),
                  [&](Control &control) { bound.conclude(exchange.control, control); });
    }
}

} // namespace fsz
