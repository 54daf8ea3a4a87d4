// Where chunks go in the stream, and its index, while chunks are still encoded.
#pragma once

#include "device/lookback.cuh"
#include "encode/finish.cuh"
#include "encode/index.cuh"
#include "profile/dense/encode/memory.cuh"

namespace fsz
{

FSZ_DEVICE void write_entry(u8 *stream, const Sections &sections, u64 entry, u32 words, u64 before)
{
    reinterpret_cast<u32 *>(stream + sections.sizes)[entry] = words;
    if (entry % GROUP_CHUNKS == 0)
    {
        reinterpret_cast<u64 *>(stream + sections.offsets)[entry / GROUP_CHUNKS] = before;
    }
}

/// Adds up the words of chunks as they are told, in rising order: writes the index, and tells each
/// chunk its place as soon as all before it are known. A warp may wait for that place before it
/// takes its next chunk, so no chunk's place may depend on a later chunk. Called by one warp.
template <class T>
FSZ_DEVICE void place_chunks(const CompressArgs<T> &args, const DenseWork &work, u32 lane)
{
    constexpr u32 OWN = 8;
    const u64 chunks = args.sections.chunks;
    const u64 first = work.first_chunk;
    u64 before = first > 0 ? args.control->payload_words - work.table_words : 0;
    for (u64 from = first + OWN * lane; from - OWN * lane < chunks; from += 32 * OWN)
    {
        const u32 own =
            from < chunks ? static_cast<u32>(min(chunks - from, static_cast<u64>(OWN))) : 0;
        u32 words[OWN];
        // Chunks from the first one on whose words are known, their words, and those of them that
        // have been told.
        u32 known = 0, sum = 0, told = 0;
        for (;;)
        {
            u64 entries[OWN];
#pragma unroll
            for (u32 k = 0; k < OWN; ++k)
            {
                entries[k] = k >= known && k < own ? load_relaxed(args.entries + from + k) : 0;
            }
#pragma unroll
            for (u32 k = 0; k < OWN; ++k)
            {
                if (k == known && entries[k] != 0)
                {
                    words[k] = static_cast<u32>(entries[k]);
                    sum += words[k];
                    ++known;
                }
            }
            const u32 waiting = __ballot_sync(WARP_ALL, known < own);
            const u32 last = waiting ? __ffs(waiting) - 1 : 31;
            const u32 end = warp_inclusive(sum, lane);
            if (lane <= last)
            {
                u64 place = before + end - sum;
#pragma unroll
                for (u32 k = 0; k < OWN; ++k)
                {
                    if (k < known)
                    {
                        if (k >= told)
                        {
                            store_relaxed(args.entries + from + k, SUM_SO_FAR | place);
                            write_entry(args.stream, args.sections, from + k, words[k], place);
                        }
                        place += words[k];
                    }
                }
                told = known;
            }
            if (!waiting)
            {
                before += __shfl_sync(WARP_ALL, end, 31);
                break;
            }
        }
    }
    if (chunks == 0)
    {
        return;
    }
    const u64 end = before + work.table_words;
    const bool room = args.sections.payload + 4 * end <= args.stream_capacity;
    const u32 tables = hash_rows<32>(work.tables, work.table_words, 0, lane);
    const u32 sum = __reduce_add_sync(WARP_ALL, tables);
    if (lane == 0)
    {
        args.control->payload_words = end;
        write_entry(args.stream, args.sections, chunks, work.table_words, before);
        reinterpret_cast<u32 *>(args.stream + args.sections.sums)[chunks] = sum;
        if (!room)
        {
            args.control->status = 1;
        }
    }
    u32 *const to = reinterpret_cast<u32 *>(args.stream + args.sections.payload) + before;
    for (u32 k = lane; room && k < work.table_words; k += 32)
    {
        to[k] = work.tables[k];
    }
}

} // namespace fsz
