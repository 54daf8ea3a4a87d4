// The fast compress kernel: each element is read once, and no thread waits for a chunk's place
// before the next chunks are under way.
//
// One thread block per multiprocessor, all resident at once (a cooperative launch), takes every
// G-th chunk. Its compute warps each keep two rounds of input coming (by the tensor copy engine)
// and put payload into a ring of their own in shared memory. A chunk's length is published before
// its payload is packed; one more warp publishes, another finds the places; rings drain some rounds
// later, when those are long known.
#pragma once

#include "compress.cuh"
#include "hopper.cuh"
#include "plain.cuh"

namespace fsz
{

/// Most thread blocks of a launch: what the warp that finds places reads in one go.
constexpr u32 WINDOW_LOADS = 6;
constexpr u32 PERSISTENT_GRID_MOST = 32 * WINDOW_LOADS;

/// How a thread block of the fast kernel is made up.
template <class T> struct Persistent
{
    /// Warps that compress; two more serve them. As many as leave a lane the registers that it
    /// needs.
    static constexpr u32 WARPS = sizeof(T) == 4 ? 16 : 9;
    static constexpr u32 THREADS = 32 * (WARPS + 2);
    static constexpr u32 BUFFER_BYTES = WARP_ELEMENTS * sizeof(T);
    /// Words of a warp's ring, and behind it: a block may begin at its last word.
    static constexpr u32 RING = sizeof(T) == 4 ? 1472 : 2208;
    static constexpr u32 RING_PADDING = 32;
    /// Chunks in flight in a thread block, and rounds after which payload leaves the ring.
    static constexpr u32 SLOTS = 8;
    static constexpr u32 LAG = 6;
    static constexpr u32 SHARED = WARPS * (2 * BUFFER_BYTES + 4 * (RING + RING_PADDING));
    static_assert(WARPS >= 8 && WARPS <= 16 && (LAG + 1) * WARPS + 16 <= SLOTS * 16,
                  "a slot must be free again when its turn comes");
    static_assert(RING >= WARP_ELEMENTS * sizeof(T) / 4, "a round must fit into the ring");
};

/// A chunk is worked on in parts of 1024 elements, which a thread block's warps take in turn.
constexpr u32 PARTS = CHUNK / WARP_ELEMENTS;

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

/// What the warps of a thread block share, beside buffers and rings. A slot belongs to a chunk from
/// its first part's length to the time when the last warp has let its payload go.
template <class T> struct Exchange
{
    using Shape = Persistent<T>;
    /// Where each part's payload begins, in words, above its length in the low 16 bits.
    u64 place[Shape::SLOTS][PARTS];
    /// Its length, for who finds places alone: the slot may have a new owner when the payload
    /// leaves. And its share of the chunk's checksum.
    u32 length[Shape::SLOTS][PARTS];
    u32 share[Shape::SLOTS][PARTS];
    /// All lengths of a slot are there; all places are.
    u64 measured[Shape::SLOTS];
    u64 placed[Shape::SLOTS];
    /// A warp's buffer is full.
    u64 loaded[Shape::WARPS][2];
    u32 metadata_sum;
    Missing<T> missing;
    Tally tallies[Shape::WARPS];
};

/// A warp's payload on its way out.
template <class T> struct RingSink
{
    u32 *ring;
    u32 head;

    FSZ_DEVICE u32 wrapped(u32 at) const
    {
        at += head;
        return at >= Persistent<T>::RING ? at - Persistent<T>::RING : at;
    }

    FSZ_DEVICE void put(u32 at, u32 word) const { ring[wrapped(at)] = word; }

    FSZ_DEVICE void put_byte(u32 at, u32 k, u32 byte) const
    {
        reinterpret_cast<u8 *>(ring + wrapped(at))[k] = static_cast<u8>(byte);
    }

    /// Room for a block: the words behind the end of the ring are there for it.
    FSZ_DEVICE u32 *block(u32 at) const { return ring + wrapped(at); }

    /// The block has been written: what went beyond the end of the ring belongs to its beginning.
    FSZ_DEVICE void block_done(u32 at, u32 words) const
    {
        const u32 end = wrapped(at) + words;
#pragma unroll 1
        for (u32 k = Persistent<T>::RING; k < end; ++k)
        {
            ring[k - Persistent<T>::RING] = ring[k];
        }
    }
};

/// The warp that publishes lengths, and writes checksums of chunks that all warps have packed.
template <class T>
FSZ_DEVICE void publish_lengths(const CompressArgs<T> &args, Exchange<T> &exchange, u32 lane)
{
    using Shape = Persistent<T>;
    u32 *const totals = reinterpret_cast<u32 *>(args.entries);
    MetadataSum metadata;
    u32 turn = 0;
    for (u64 chunk = blockIdx.x;; chunk += gridDim.x, ++turn)
    {
        const u32 slot = turn % Shape::SLOTS;
        // The warps also arrive once after their last chunk.
        barrier_wait(&exchange.measured[slot], turn / Shape::SLOTS & 1);
        if (chunk < args.layout.chunks)
        {
            const u32 total =
                __reduce_add_sync(WARP_ALL, lane < PARTS ? exchange.length[slot][lane] : 0);
            if (lane == 0)
            {
                store_relaxed(totals + chunk, PUBLISHED | total);
            }
        }
        if (turn > 0)
        {
            const u32 last = (turn - 1) % Shape::SLOTS;
            const u32 sum =
                __reduce_add_sync(WARP_ALL, lane < PARTS ? exchange.share[last][lane] : 0);
            if (lane == 0)
            {
                write_sum(args.stream, args.layout, chunk - gridDim.x, sum, metadata);
            }
        }
        if (chunk >= args.layout.chunks)
        {
            break;
        }
    }
    if (lane == 0)
    {
        atomicAdd(&exchange.metadata_sum, metadata.sum);
    }
}

/// The warp that finds the places of chunks and writes them to the index.
template <class T>
FSZ_DEVICE void find_places(const CompressArgs<T> &args, Exchange<T> &exchange, u32 lane)
{
    using Shape = Persistent<T>;
    const u32 *const totals = reinterpret_cast<const u32 *>(args.entries);
    MetadataSum metadata;
    u64 before = 0;
    u32 turn = 0;
    for (u64 chunk = blockIdx.x; chunk < args.layout.chunks; chunk += gridDim.x, ++turn)
    {
        const u32 slot = turn % Shape::SLOTS;
        barrier_wait(&exchange.measured[slot], turn / Shape::SLOTS & 1);
        const u32 length = lane < PARTS ? exchange.length[slot][lane] : 0;
        const u32 inclusive = warp_inclusive(length, lane);
        const u32 window = static_cast<u32>(min(chunk, static_cast<u64>(gridDim.x)));
        before += window_sum(totals, chunk, window, lane);
        if (lane < PARTS)
        {
            exchange.place[slot][lane] = (before + inclusive - length) << 16 | length;
        }
        // All lanes that wrote places arrive.
        barrier_arrive(&exchange.placed[slot]);
        if (lane == 31)
        {
            write_index(args.stream, args.layout, chunk, inclusive, before, metadata);
            if (chunk == args.layout.chunks - 1)
            {
                args.control->payload_words = before + inclusive;
            }
        }
    }
    if (lane == 31)
    {
        atomicAdd(&exchange.metadata_sum, metadata.sum);
    }
}

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
    u32 *const ring = shared + Shape::WARPS * 2 * Shape::BUFFER_BYTES / 4 +
                      warp * (Shape::RING + Shape::RING_PADDING);
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

    u32 head = 0, tail = 0, used = 0;
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
            u32 *const to = reinterpret_cast<u32 *>(args.stream + layout.payload) + place;
            u32 from = tail + lane;
#pragma unroll 1
            for (u32 i = lane; i < length; i += 128, from += 128)
            {
                u32 word[4];
#pragma unroll
                for (u32 k = 0; k < 4; ++k)
                {
                    const u32 at = from + 32 * k;
                    word[k] = ring[at >= Shape::RING ? at - Shape::RING : at];
                }
#pragma unroll
                for (u32 k = 0; k < 4; ++k)
                {
                    if (i + 32 * k < length)
                    {
                        __stcs(to + i + 32 * k, word[k]);
                    }
                }
            }
        }
        else
        {
            args.control->status = 1;
        }
        tail += length;
        tail = tail >= Shape::RING ? tail - Shape::RING : tail;
        used -= length;
        oldest += Shape::WARPS;
        __syncwarp();
    };

    load(warp, 0);
    load(warp + Shape::WARPS, 1);

    T max_error = 0;
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
            bool mine = true;
            if (!simple)
            {
                mine = look_closer(row, exchange.missing, *args.control, tally);
            }
            error = quantize_plain(row, z, l);
            plain = __all_sync(WARP_ALL, mine && error <= z.limit);
        }
        if (plain)
        {
            choice = choose_plain(l, block);
            plain = __all_sync(WARP_ALL, choice.rate <= PLAIN_RATE);
        }

        const auto announce = [&](u32 length) {
            if (lane == 0)
            {
                exchange.length[slot][entry] = length;
                barrier_arrive(&exchange.measured[slot]);
            }
            while (used + length > Shape::RING)
            {
                let_go();
            }
        };
        u32 rate_byte = 0, length = 0, sum = 0;
        bool tile_exists = true;
        if (plain)
        {
            const bool has_mu = choice.centered && block == 0;
            const u32 words = block_words(choice.rate) + has_mu;
            const u32 inclusive = warp_inclusive(words, lane);
            length = __shfl_sync(WARP_ALL, inclusive, 31);
            announce(length);
            load(part + 2 * Shape::WARPS, buffer);
            rate_byte = choice.rate;
            if (block == 0)
            {
                rate_byte |= (choice.order2 ? ORDER2 : 0) | (choice.centered ? CENTERED : 0);
            }
            max_error = error > max_error ? error : max_error;
            const u32 place = inclusive - words;
            // Word k of a tile's payload has the weight of word k + 2: two rate words come first.
            u32 first_weight = weight(place - tile_broadcast(place) + 2);
            const RingSink<T> sink{ring, head};
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
            sink.block_done(place + has_mu, block_words(choice.rate));
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
            const Findings<T> f =
                whole
                    ? analyse(row, elements, exists, codes, z, exchange.missing, tally, range_known)
                    : analyse(DeviceRow<T>{args.field + mine, exists}, elements, exists, codes, z,
                              exchange.missing, tally, range_known);
            const u32 inclusive = warp_inclusive(f.words, lane);
            length = __shfl_sync(WARP_ALL, inclusive, 31);
            announce(length);
            rate_byte = f.rate_byte;
            sum = emit(RingSink<T>{ring, head}, f, inclusive - f.words, codes, elements, exists);
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
        used += length;
        head += length;
        head = head >= Shape::RING ? head - Shape::RING : head;
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
    while (used > 0)
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
