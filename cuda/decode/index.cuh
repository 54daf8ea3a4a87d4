// Where chunks lie in a stream (FORMAT.md, Sections), checked on the way: nothing that a stream
// says is believed before it is known to lie inside the stream.
#pragma once

#include "decode/stream_view.cuh"
#include "device/warp.cuh"

namespace fsz
{

/// Lanes that hold the beginning of the header.
constexpr u32 HEADER_LANES = 10;

/// What a warp reads of a stream to find a chunk.
struct IndexWords
{
    /// Header bytes 8 · lane to 8 · lane + 7, in the first HEADER_LANES lanes; in those behind them
    /// the numbers of a pointwise-relative bound.
    u64 header;
    /// Payload words of the chunks 2 · lane and 2 · lane + 1 of the group, as far as they are
    /// needed.
    u32 sizes;
    /// Payload words before the group.
    u64 offset;
};

/// Where a chunk's payload is.
struct ChunkPlace
{
    /// Its first word in the payload, and how many it has.
    u64 base;
    u32 words;
};

/// Elements of a chunk.
FSZ_DEVICE u32 chunk_elements(const StreamView &view, u64 chunk)
{
    return static_cast<u32>(min(view.sections.elements - chunk * CHUNK, static_cast<u64>(CHUNK)));
}

/// Reads what `find_chunk` checks. The two are apart so that more can be read in between: none of
/// it waits for the other. NUMBERS: of a pointwise-relative bound.
template <u32 NUMBERS> FSZ_DEVICE IndexWords read_index(const StreamView &view, u64 chunk, u32 lane)
{
    const u64 group = chunk / GROUP_CHUNKS;
    const u32 within = static_cast<u32>(chunk % GROUP_CHUNKS);
    IndexWords read;
    const u64 *const header = reinterpret_cast<const u64 *>(view.bytes);
    read.header = lane < HEADER_LANES ? __ldg(header + lane) : 0;
    if (NUMBERS > 0 && lane >= HEADER_LANES && lane < HEADER_LANES + NUMBERS)
    {
        read.header = __ldg(header + view.relative_at / 8 + (lane - HEADER_LANES));
    }
    read.sizes = 0;
    if (2 * lane <= within)
    {
        const u8 *const sizes = view.bytes + view.sections.sizes + group * (2 * GROUP_CHUNKS);
        read.sizes = __ldg(reinterpret_cast<const u32 *>(sizes) + lane);
    }
    read.offset = __ldg(reinterpret_cast<const u64 *>(view.bytes + view.sections.offsets) + group);
    return read;
}

/// Finds a chunk; the whole warp takes part and gets the same answer, false when the stream is
/// damaged.
FSZ_DEVICE bool find_chunk(const StreamView &view, u64 chunk, const IndexWords &read, Report *to,
                           u32 lane, ChunkPlace &place)
{
    const u64 header = read.header;
    const bool foreign = (lane == 0 && header != MAGIC) ||
                         (lane == 1 && (header & 0xFFFFFFFF) != view.header_first) ||
                         (lane == 3 && header != view.header_kind) ||
                         (lane == 9 && header != view.sections.elements);
    if (__any_sync(WARP_ALL, foreign))
    {
        if (lane == 0)
        {
            report(to, 0, FAULT_HEADER);
        }
        return false;
    }
    const u32 within = static_cast<u32>(chunk % GROUP_CHUNKS);
    const u64 payload_words = __shfl_sync(WARP_ALL, header, AT_PAYLOAD_LEN / 8) / 4;
    place.words = __shfl_sync(WARP_ALL, read.sizes, within >> 1) >> (within & 1 ? 16 : 0) & 0xFFFF;
    const u32 before = (2 * lane < within ? read.sizes & 0xFFFF : 0) +
                       (2 * lane + 1 < within ? read.sizes >> 16 : 0);
    place.base = read.offset + __reduce_add_sync(WARP_ALL, before);
    const u64 room = (view.capacity - view.sections.payload) / 4;
    // The offset is any number: once it is known to be small, no sum can wrap.
    if (read.offset > payload_words || payload_words > room ||
        place.base + place.words > payload_words)
    {
        if (lane == 0)
        {
            report(to, chunk, FAULT_INDEX);
        }
        return false;
    }
    return true;
}

} // namespace fsz
