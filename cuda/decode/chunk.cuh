// Streams back to fields: a chunk, a thread block. No thread block waits for another: the index of
// the stream says where each chunk lies.
#pragma once

#include "decode/output.cuh"
#include "decode/stream_view.cuh"
#include "device/warp.cuh"

namespace fsz
{

/// Decodes one chunk, by the warps of a thread block.
template <class Decoder>
FSZ_DEVICE void decode_chunk(const StreamView &view, u64 chunk,
                             const typename Decoder::Output &output, u64 *status,
                             typename Decoder::Stage *stages)
{
    __shared__ u32 sums[Decoder::WARPS_MOST];
    const u32 warp = threadIdx.x / 32, lane = lane_id(), warps = blockDim.x / 32;
    Decoder decoder{view, chunk, output, status, stages[warp]};
    if (!decoder.locate())
    {
        return; // All warps of the thread block find the same.
    }
    const u32 sum = __reduce_add_sync(WARP_ALL, decoder.decode(warp, warps));
    if (lane == 0)
    {
        sums[warp] = sum;
    }
    __syncthreads();
    if (warp == 0)
    {
        const u32 all = __reduce_add_sync(WARP_ALL, lane < warps ? sums[lane] : 0);
        const u32 *stored = reinterpret_cast<const u32 *>(view.bytes + view.sections.sums) + chunk;
        if (lane == 0 && all != __ldg(stored))
        {
            report(status, chunk, FAULT_CHECKSUM);
        }
    }
}

/// Decodes what a chunk holds of a box.
template <class Decoder>
FSZ_DEVICE void decode_box(const StreamView &view, u64 chunk, const typename Decoder::Output &box,
                           u64 *status, typename Decoder::Stage *stages)
{
    if (box.next(chunk * CHUNK) < (chunk + 1) * CHUNK)
    {
        decode_chunk<Decoder>(view, chunk, box, status, stages);
    }
}

} // namespace fsz
