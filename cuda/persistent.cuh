// The fast compress kernel: each element is read once, and no thread waits for a chunk's place
// before the next chunks are under way.
//
// One thread block per multiprocessor, all resident at once (a cooperative launch), takes every
// G-th chunk. Its compute warps each keep two rounds of input coming (by the tensor copy engine)
// and put payload into a ring of their own in shared memory. A chunk's length is published before
// its payload is packed; one more warp publishes, another finds the places; rings drain some rounds
// later, when those are long known.
#pragma once

#include "exchange.cuh"
#include "masked.cuh"

namespace fsz
{

/// The compute warps.
template <class T>
FSZ_DEVICE void compress_parts(const CompressArgs<T> &args, const TensorMap *map,
                               Exchange<T> &exchange, u32 *shared, u32 warp, u32 lane)
{
    using Shape = Persistent<T>;
    const Layout &layout = args.layout;
    const u32 chunks = static_cast<u32>(layout.chunks);
    const u32 block = lane & 7;
    u8 *const buffers = reinterpret_cast<u8 *>(shared) + warp * 2 * Shape::BUFFER_BYTES;
    u32 *const words = shared + Shape::WARPS * 2 * Shape::BUFFER_BYTES / 4 + warp * Shape::RING;
    u64 *const loaded = exchange.loaded[warp];
    Tally *const tally = &exchange.tallies[warp];
    const Quantizer<T> z = quantizer_of<T>(*args.control);
    // Otherwise a short look goes ahead of the short way.
    const bool simple = args.control->near && !args.control->named;

    // Parts are numbered over all chunks of this thread block; this warp takes every WARPS-th.
    const auto chunk_of = [&](u32 part) { return blockIdx.x + part / PARTS * gridDim.x; };
    const auto first_of = [&](u32 part) {
        return static_cast<u64>(chunk_of(part)) * CHUNK + part % PARTS * WARP_ELEMENTS;
    };
    const auto load = [&](u32 part, u32 buffer) {
        const u64 first = first_of(part);
        if (lane == 0 && first + WARP_ELEMENTS <= layout.elements)
        {
            barrier_expect(&loaded[buffer], Shape::BUFFER_BYTES);
            const u32 to = shared_address(buffers) + buffer * Shape::BUFFER_BYTES;
#pragma unroll
            for (u32 plane = 0; plane < SharedRow<T>::PLANES; ++plane)
            {
                copy_box(to + plane * SharedRow<T>::PLANE_BYTES, map,
                         plane * (BLOCK / SharedRow<T>::PLANES), static_cast<i32>(first / BLOCK),
                         &loaded[buffer]);
            }
        }
    };

    Ring<Shape::RING> ring;
    // The oldest part whose payload is in the ring.
    u32 oldest = warp;
    const auto let_go = [&]() {
        const u32 turn = oldest / PARTS, slot = turn % Shape::SLOTS, entry = oldest % PARTS;
        barrier_wait(&exchange.placed[slot], turn / Shape::SLOTS & 1);
        const u64 placed = exchange.place[slot][entry];
        const u32 length = static_cast<u32>(placed & 0xFFFF);
        const u64 place = placed >> 16;
        if (layout.payload + 4 * (place + length) <= args.stream_capacity)
        {
            copy_out(words + ring.begin(ring.tail, length),
                     reinterpret_cast<u32 *>(args.stream + layout.payload) + place, length, lane);
        }
        else
        {
            args.control->status = 1;
        }
        ring.pop(length);
        oldest += Shape::WARPS;
        __syncwarp();
    };

    load(warp, 0);
    load(warp + Shape::WARPS, 1);

    T max_error = 0;
    // Whether the warp's last tiles had masked elements: these will, too.
    bool masked = false;
    u32 metadata = 0;
    u32 phases = 0;
    u32 part = warp;
#pragma unroll 1
    for (; chunk_of(part) < chunks; part += Shape::WARPS, phases = (phases + 1) & 3)
    {
        // Bit 0 of `phases` is the buffer, bit 1 the parity of its barrier.
        const u32 buffer = phases & 1;
        const u64 first = first_of(part);
        const u32 slot = part / PARTS % Shape::SLOTS, entry = part % PARTS;
        const SharedRow<T> row(shared_address(buffers) + buffer * Shape::BUFFER_BYTES, lane);
        const bool whole = first + WARP_ELEMENTS <= layout.elements;
        float l[BLOCK];
        PlainChoice choice;
        T error = 0;
        bool plain = whole;
        if (whole)
        {
            barrier_wait(&loaded[buffer], phases >> 1);
            plain = !masked && (simple || look_closer(row, exchange.missing, *args.control, tally));
        }
        if (plain)
        {
            error = quantize_plain(row, z, l);
            choice = choose_plain(l, block);
            plain = __all_sync(WARP_ALL, error <= z.limit && choice.rate <= PLAIN_RATE);
        }

        const auto announce = [&](u32 length) {
            if (lane == 0)
            {
                exchange.length[slot][entry] = length;
                barrier_arrive(&exchange.measured[slot]);
            }
            while (!ring.has_room(length))
            {
                let_go();
            }
            return SharedSink{shared_address(words + ring.begin(ring.head, length))};
        };
        u32 rate_byte = 0, length = 0, sum = 0;
        bool tile_exists = true;
        if (plain)
        {
            const bool has_mu = choice.centered && block == 0;
            const u32 own = block_words(choice.rate) + has_mu;
            const u32 inclusive = warp_inclusive(own, lane);
            length = __shfl_sync(WARP_ALL, inclusive, 31);
            const SharedSink sink = announce(length);
            load(part + 2 * Shape::WARPS, buffer);
            rate_byte = choice.rate;
            if (block == 0)
            {
                rate_byte |= (choice.order2 ? ORDER2 : 0) | (choice.centered ? CENTERED : 0);
            }
            max_error = error > max_error ? error : max_error;
            const u32 place = inclusive - own;
            // Word k of a tile's payload has the weight of word k + 2: two rate words come first.
            u32 first_weight = weight(place - tile_broadcast(place) + 2);
            if (has_mu)
            {
                const u32 mu = static_cast<u32>(static_cast<i32>(choice.mu));
                sink.put(place, mu);
                sum = mu * first_weight;
                first_weight += 2;
            }
            residuals_plain(l, choice, block);
            const bool wide = __any_sync(WARP_ALL, choice.rate > 7);
            sum += pack_plain(l, sink.block(place + has_mu), choice.rate, wide, first_weight);
        }
        else
        {
            const u64 mine = first + lane * BLOCK;
            const u32 exists =
                mine < layout.elements
                    ? static_cast<u32>(min(layout.elements - mine, static_cast<u64>(BLOCK)))
                    : 0;
            tile_exists = tile_sum(exists) > 0;
            u32 *const codes = reinterpret_cast<u32 *>(buffers + buffer * Shape::BUFFER_BYTES);
            const T *const elements = args.field + first;
            const bool range_known = args.control->range_known;
            const bool maskable = whole && args.control->near && one_name(exchange.missing);
            // Votes let the compiler see that branches are the same for all lanes.
            const bool tried =
                maskable && (masked || args.control->named || __any_sync(WARP_ALL, is_nan(error)));
            Findings<T> f;
            bool short_way = false;
            if (tried)
            {
                f = analyse_masked(row, codes, z, exchange.mask[warp], exchange.missing, tally);
                short_way = f.kind != NOT_MASKED;
            }
            if (!__any_sync(WARP_ALL, short_way))
            {
                // What was tried may have overwritten the row.
                f = whole && !tried
                        ? analyse(row, elements, exists, codes, z, exchange.missing, tally,
                                  range_known)
                        : analyse(DeviceRow<T>{args.field + mine, exists}, elements, exists, codes,
                                  z, exchange.missing, tally, range_known);
                expect_mask(f, exchange.mask[warp], *args.control);
            }
            masked = maskable && __any_sync(WARP_ALL, f.masked != 0);
            const u32 inclusive = warp_inclusive(f.words, lane);
            length = __shfl_sync(WARP_ALL, inclusive, 31);
            const SharedSink sink = announce(length);
            rate_byte = f.rate_byte;
            sum = __any_sync(WARP_ALL, short_way)
                      ? emit_masked(sink, f, inclusive - f.words, codes)
                      : emit(sink, f, inclusive - f.words, codes, elements, exists);
            fence_copy_engine();
            __syncwarp();
            load(part + 2 * Shape::WARPS, buffer);
        }

        const u32 share = warp_share(sum, rate_byte, tile_exists, entry * WARP_TILES);
        if (lane == 0)
        {
            exchange.share[slot][entry] = share;
        }
        if (tile_exists)
        {
            const u64 at = first / BLOCK + lane;
            (args.stream + layout.rates)[at] = static_cast<u8>(rate_byte);
            metadata += (rate_byte << 8 * (lane & 3)) * weight(static_cast<u32>(at / 4));
        }
        __syncwarp();
        ring.push(length);
        if (part - oldest >= Shape::LAG * Shape::WARPS)
        {
            let_go();
        }
    }
    // One more chunk that does not exist lets the publishing warp write the last one's checksum.
    for (const u32 end = part / PARTS * PARTS + PARTS; part < end; part += Shape::WARPS)
    {
        if (lane == 0)
        {
            barrier_arrive(&exchange.measured[part / PARTS % Shape::SLOTS]);
        }
    }
    while (ring.used > 0)
    {
        let_go();
    }

    metadata = __reduce_add_sync(WARP_ALL, metadata);
    const typename Element<T>::Bits worst = warp_max(bits_of(max_error));
    if (lane == 0)
    {
        atomicAdd(&exchange.metadata_sum, metadata);
        tally->max_error = max(tally->max_error, static_cast<u64>(worst));
    }
}

/// Compression by all thread blocks of a cooperative launch: at most one per multiprocessor, per
/// chunk, and PERSISTENT_GRID_MOST. `map` describes the whole rows of 32 elements of the field, in
/// boxes of 32 rows of 128 bytes, swizzled; the field is 16-aligned and has fewer than 2^36
/// elements.
template <class T>
FSZ_DEVICE void compress_persistent(const CompressArgs<T> &args, const HeaderImage &image,
                                    const TensorMap *map, u32 *shared)
{
    using Shape = Persistent<T>;
    __shared__ Exchange<T> exchange;
    const u32 lane = lane_id();
    // The same for all lanes, which the compiler cannot see.
    const u32 warp = __shfl_sync(WARP_ALL, threadIdx.x / 32, 0);
    if (threadIdx.x == 0)
    {
        for (u32 k = 0; k < Shape::SLOTS; ++k)
        {
            barrier_init(&exchange.measured[k], PARTS);
            barrier_init(&exchange.placed[k], 32);
        }
        for (u32 k = 0; k < Shape::WARPS; ++k)
        {
            barrier_init(&exchange.loaded[k][0], 1);
            barrier_init(&exchange.loaded[k][1], 1);
        }
        exchange.metadata_sum = 0;
        exchange.missing = args.missing;
        barrier_init_done();
    }
    if (threadIdx.x < Shape::WARPS)
    {
        exchange.tallies[threadIdx.x] = Tally{};
        exchange.mask[threadIdx.x] =
            args.control->named ? args.missing.bits[0] : Element<T>::QUIET_NAN;
    }
    __syncthreads();
    if (warp < Shape::WARPS)
    {
        compress_parts(args, map, exchange, shared, warp, lane);
    }
    else if (warp == Shape::WARPS)
    {
        publish_lengths(args, exchange, lane);
    }
    else
    {
        find_places(args, exchange, lane);
    }
    __syncthreads();
    if (threadIdx.x == 0)
    {
        atomicAdd(&args.control->metadata_sum, exchange.metadata_sum);
        merge_tallies<T>(exchange.tallies, Shape::WARPS, args.control);
    }
    if (is_last(&args.control->encoded, gridDim.x) && warp == 0)
    {
        finish<T>(image, args.layout, args.control, args.stream, shared);
    }
}

} // namespace fsz
