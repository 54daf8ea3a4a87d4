// All chunks of a stream, or those that a part of it needs, by thread blocks that stay.
#pragma once

#include "profile/dense/decode/decoder.cuh"

namespace fsz
{

/// Warps of a thread block at most.
constexpr u32 DENSE_DECODE_WARPS = 20;

/// Decodes chunks of a stream, by persistent thread blocks whose warps take them in turn:
/// `view.sections.chunks` of them, which are the first ones, or those that were ordered.
template <class Values, class Output>
FSZ_DEVICE void decode_dense(const StreamView &view, const BoxGrid &grid, DenseDecoding *work,
                             const Output &output)
{
    if (!work->sound)
    {
        return;
    }
    const bool lorenzo = grid.predictor == DENSE_LORENZO;
    const u32 rows = shared_slots(lorenzo);
    // A row of slots begins at a multiple of its size.
    const u32 memory = shared_address(fsz_boxes);
    const u32 shared = (memory + FLAGS_BYTES + SLOTS_BYTES - 1) & ~(SLOTS_BYTES - 1);
    const uint4 *const slots = reinterpret_cast<const uint4 *>(
        work->slots + ((lorenzo ? FIRST_DIFFERENCE : 0) << DENSE_SLOT_BITS));
    const uint4 *const bases =
        reinterpret_cast<const uint4 *>(work->slots + ((FIRST_FLAG - 1) << DENSE_SLOT_BITS));
    constexpr u32 ROW = SLOTS_BYTES / 16;
    for (u32 k = threadIdx.x; k < rows * ROW; k += blockDim.x)
    {
        const u32 last = (rows - 1) * ROW;
        shared_at<uint4>(shared + 16 * k) = k < last ? __ldg(slots + k) : __ldg(bases + (k - last));
    }
    if (threadIdx.x < DENSE_FLAG_CONTEXTS)
    {
        shared_at<u32>(shared - FLAGS_BYTES + 4 * threadIdx.x) =
            __ldg(work->flag_zeros + threadIdx.x);
    }
    // Chunks that the thread block's warps have taken, with those that are dealt to them.
    u32 *const own_taken = &shared_at<u32>(shared - FLAGS_BYTES + TAKEN_AT);
    if (threadIdx.x == 0)
    {
        *own_taken = blockDim.x / 32;
    }
    if (threadIdx.x < 32)
    {
        shared_at<Meeting>(shared - FLAGS_BYTES + MEETING_AT).init();
    }
    __syncthreads();
    DenseDecoder<Values, Output> decoder(view, grid, work, output, shared, threadIdx.x / 32,
                                         blockDim.x / 32);
    // The longest chunks are dealt to the multiprocessors there and back.
    const u32 warp = threadIdx.x / 32, chunks = static_cast<u32>(view.sections.chunks);
    // Chunks that are alike end together: those that the last round has for a part of the warps
    // would all go to the multiprocessors whose warps are the first to end.
    const u32 share = work->alike ? (chunks + gridDim.x - 1) / gridDim.x : chunks;
    u32 rank = warp * gridDim.x + (warp % 2 == 0 ? blockIdx.x : gridDim.x - 1 - blockIdx.x);
    for (;;)
    {
        if (rank >= chunks)
        {
            return;
        }
        decoder.chunk(chunks <= ORDERED_MOST ? __ldg(work->order + rank) : rank);
        if (decoder.lane == 0)
        {
            rank = atomicAdd(own_taken, 1) < share
                       ? atomicAdd(&work->taken, 1) + gridDim.x * (blockDim.x / 32)
                       : chunks;
        }
        rank = __shfl_sync(WARP_ALL, rank, 0);
    }
}

} // namespace fsz
