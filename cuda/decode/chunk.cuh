// Streams back to fields: a chunk, a thread block. No thread block waits for another: the index of
// the stream says where each chunk lies.
#pragma once

#include "decode/output.cuh"
#include "decode/verify.cuh"

namespace fsz
{

/// Decodes one chunk, by the warps of a thread block. Verifies the checksums of the chunk and the
/// header, and, if all chunks are decoded, that of the metadata.
template <class Decoder>
FSZ_DEVICE void decode_chunk(const StreamView &view, u64 chunk,
                             const typename Decoder::Output &output, bool all_chunks, Report *to,
                             typename Decoder::Stage *stages)
{
    __shared__ u32 sums[Decoder::WARPS_MOST];
    __shared__ u32 metadata; // The first thread's: registers are scarce in the loop below.
    const u32 warp = threadIdx.x / 32, lane = lane_id(), warps = blockDim.x / 32;
    Decoder decoder{view, chunk, output, to, stages[warp]};
    const bool found = decoder.locate();
    if (found)
    {
        decoder.begin(warp, warps);
    }
    // While the first payload is on its way.
    u32 sum = 0;
    // Once a call: its code would drive that of the loop below from the instruction cache.
    if (blockIdx.x == 0 && warp == warps - 1)
    {
        verify_header<Decoder::Values::RELATIVE>(view, to);
    }
    if (warp == 0)
    {
        const HeadSums heads = Decoder::hash_heads(rates_of(view.bytes, view.sections, chunk),
                                                   view.sections, chunk, lane);
        sum = heads.chunk;
        if (all_chunks)
        {
            const u32 share = hash_index(view, chunk, heads.metadata);
            if (lane == 0)
            {
                metadata = share;
            }
        }
    }
    if (!found)
    {
        if (all_chunks && threadIdx.x == 0)
        {
            check_metadata(view, add_metadata(metadata, to), metadata, to);
        }
        return; // All warps of the thread block find the same.
    }
    sum = __reduce_add_sync(WARP_ALL, sum + decoder.decode());
    // The first thread asks memory before it waits for the other warps.
    u32 stored = 0;
    u64 before = 0;
    if (threadIdx.x == 0)
    {
        stored = __ldg(reinterpret_cast<const u32 *>(view.bytes + view.sections.sums) + chunk);
        if (all_chunks)
        {
            before = add_metadata(metadata, to);
        }
    }
    if (lane == 0)
    {
        sums[warp] = sum;
    }
    __syncthreads();
    if (warp == 0)
    {
        const u32 all = __reduce_add_sync(WARP_ALL, lane < warps ? sums[lane] : 0);
        if (lane == 0 && all != stored)
        {
            report(to, chunk, FAULT_CHECKSUM);
        }
        if (lane == 0 && all_chunks)
        {
            check_metadata(view, before, metadata, to);
        }
    }
}

/// Decodes what a chunk holds of a box.
template <class Decoder>
FSZ_DEVICE void decode_box(const StreamView &view, u64 chunk, const typename Decoder::Output &box,
                           Report *to, typename Decoder::Stage *stages)
{
    if (box.next(chunk * CHUNK) < (chunk + 1) * CHUNK)
    {
        decode_chunk<Decoder>(view, chunk, box, false, to, stages);
    }
}

} // namespace fsz
