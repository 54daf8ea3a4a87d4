// How the warps of a thread block of the fast compress kernel work together: what they share, and
// the two that serve the others.
#pragma once

#include "device/lookback.cuh"
#include "device/ring.cuh"
#include "encode/index.cuh"

namespace fsz
{

/// How a thread block of the fast kernel is made up.
template <class Encoder> struct PersistentConfig
{
    using T = typename Encoder::Value;
    /// Warps that compress; two more serve them. As many as leave a lane the registers that it
    /// needs.
    static constexpr u32 WARPS = sizeof(T) == 4 ? 16 : Encoder::AHEAD == 2 ? 9 : 13;
    static constexpr u32 THREADS = 32 * (WARPS + 2);
    /// Buffers of a warp.
    static constexpr u32 BUFFERS = Encoder::AHEAD;
    static constexpr u32 BUFFER_BYTES = Encoder::PART * sizeof(T);
    /// Words of a warp's ring.
    static constexpr u32 RING = sizeof(T) == 8 ? 2240 : Encoder::AHEAD == 2 ? 1504 : 2464;
    /// Chunks in flight in a thread block, and rounds after which payload leaves the ring.
    static constexpr u32 SLOTS = 8;
    static constexpr u32 LAG = 6;
    /// Chunks whose checksums are not yet added up, and those that overwrite none of them.
    static constexpr u32 SHARE_SLOTS = 2 * SLOTS;
    static constexpr u32 SHARED = WARPS * (BUFFERS * BUFFER_BYTES + 4 * RING);
    static_assert(WARPS >= 8 && WARPS <= 16 && (LAG + 1) * WARPS + 16 <= SLOTS * 16,
                  "a slot must be free again when its turn comes");
    static_assert(RING >= Encoder::PART * sizeof(T) / 4, "a round must fit into the ring");
    /// Parts of a chunk, which the compute warps take in turn.
    static constexpr u32 PARTS = Encoder::PARTS;
};

/// The chunks that a launch encodes: all of them.
struct AllChunks
{
    FSZ_DEVICE u64 first() const { return 0; }

    FSZ_DEVICE u64 end(const Sections &sections) const { return sections.chunks; }

    /// Elements of the field up to the end.
    FSZ_DEVICE u64 elements(const Sections &sections) const { return sections.elements; }
};

/// The chunks that a launch encodes: some. Those before them are encoded.
struct SomeChunks
{
    u64 from;
    u64 to;

    FSZ_DEVICE u64 first() const { return from; }

    FSZ_DEVICE u64 end(const Sections &) const { return to; }

    FSZ_DEVICE u64 elements(const Sections &sections) const
    {
        return min(sections.elements, to * CHUNK);
    }
};

/// What the warps of a thread block share, beside buffers and rings. A slot belongs to a chunk from
/// its first part's length to the time when the last warp has let its payload go.
template <class Encoder> struct Exchange
{
    using T = typename Encoder::Value;
    using Config = PersistentConfig<Encoder>;
    /// Where each part's payload begins, in words, above its length in the low 16 bits.
    u64 place[Config::SLOTS][Config::PARTS];
    /// Its length, for who finds places alone: the slot may have a new owner when the payload
    /// leaves.
    u32 length[Config::SLOTS][Config::PARTS];
    /// Its share of the chunk's checksum. The warp that adds them up runs behind: a warp may be
    /// SLOTS chunks further by then.
    u32 share[Config::SHARE_SLOTS][Config::PARTS];
    /// All lengths of a slot are there; all places are.
    u64 measured[Config::SLOTS];
    u64 placed[Config::SLOTS];
    /// A warp's buffer is full.
    u64 loaded[Config::WARPS][Config::BUFFERS];
    /// The bound, resolved.
    Control control;
    Missing<T> missing;
    /// The bits that each warp expects its masked elements to have.
    typename Element<T>::Bits mask[Config::WARPS];
    Statistics statistics[Config::WARPS];
    /// What the encoders of all warps share.
    typename Encoder::Common common;
};

/// The warp that publishes lengths, and writes checksums of chunks that all warps have packed.
template <class Encoder, class T, class Chunks>
FSZ_DEVICE void publish_lengths(const CompressArgs<T> &args, const Chunks &chunks,
                                Exchange<Encoder> &exchange, u32 lane)
{
    using Config = PersistentConfig<Encoder>;
    u32 *const totals = reinterpret_cast<u32 *>(args.entries);
    u32 metadata = 0;
    u32 turn = 0;
    for (u64 chunk = chunks.first() + blockIdx.x;; chunk += gridDim.x, ++turn)
    {
        const u32 slot = turn % Config::SLOTS;
        // The warps also arrive once after their last chunk.
        barrier_wait(&exchange.measured[slot], turn / Config::SLOTS & 1);
        if (chunk < chunks.end(args.sections))
        {
            const u32 total =
                __reduce_add_sync(WARP_ALL, lane < Config::PARTS ? exchange.length[slot][lane] : 0);
            if (lane == 0)
            {
                store_relaxed(totals + chunk, PUBLISHED | total);
            }
        }
        if (turn > 0)
        {
            const u64 done = chunk - gridDim.x;
            const u32 last = (turn - 1) % Config::SHARE_SLOTS;
            const HeadSums heads = Encoder::hash_heads(rates_of(args.stream, args.sections, done),
                                                       args.sections, done, lane);
            metadata += heads.metadata;
            const u32 share = lane < Config::PARTS ? exchange.share[last][lane] : 0;
            const u32 sum = __reduce_add_sync(WARP_ALL, heads.chunk + share);
            if (lane == 0)
            {
                write_sum(args.stream, args.sections, done, sum);
            }
        }
        if (chunk >= chunks.end(args.sections))
        {
            break;
        }
    }
    metadata = __reduce_add_sync(WARP_ALL, metadata);
    if (lane == 0)
    {
        atomicAdd(&args.control->metadata_sum, metadata);
    }
}

/// The warp that finds the places of chunks and writes them to the index.
template <class Encoder, class T, class Chunks>
FSZ_DEVICE void find_places(const CompressArgs<T> &args, const Chunks &chunks,
                            Exchange<Encoder> &exchange, u32 lane)
{
    using Config = PersistentConfig<Encoder>;
    const u32 *const totals = reinterpret_cast<const u32 *>(args.entries);
    u64 before = words_before(args.stream, args.sections, chunks.first(), lane);
    u32 turn = 0;
    for (u64 chunk = chunks.first() + blockIdx.x; chunk < chunks.end(args.sections);
         chunk += gridDim.x, ++turn)
    {
        const u32 slot = turn % Config::SLOTS;
        barrier_wait(&exchange.measured[slot], turn / Config::SLOTS & 1);
        const u32 length = lane < Config::PARTS ? exchange.length[slot][lane] : 0;
        const u32 inclusive = warp_inclusive(length, lane);
        const u32 window =
            static_cast<u32>(min(chunk - chunks.first(), static_cast<u64>(gridDim.x)));
        before += window_sum(totals, chunk, window, lane);
        if (lane < Config::PARTS)
        {
            exchange.place[slot][lane] = (before + inclusive - length) << 16 | length;
        }
        // All lanes that wrote places arrive.
        barrier_arrive(&exchange.placed[slot]);
        if (lane == 31)
        {
            write_index(args.stream, args.sections, chunk, inclusive, before);
            if (chunk == chunks.end(args.sections) - 1)
            {
                args.control->payload_words = before + inclusive;
            }
        }
    }
}

} // namespace fsz
