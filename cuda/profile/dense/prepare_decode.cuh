// What all chunks of a stream share, made ready before they are decoded: tables, programs, and a
// look at header and index.
#pragma once

#include "decode/verify.cuh"
#include "profile/dense/decode_program.cuh"
#include "profile/dense/finer.cuh"
#include "profile/dense/index.cuh"
#include "profile/dense/read_tables.cuh"
#include "profile/dense/slots.cuh"

namespace fsz
{

/// The memory that a decompression works in. It begins with the report, of which all bits are set.
struct DenseDecoding
{
    Report report;
    /// Whether header, tables and index entry of the tables are sound.
    u32 sound;
    /// Chunks that warps have taken.
    u32 taken;
    u64 payload_words;
    /// The bits of the quantization step.
    u64 step;
    /// Slots of residuals and differences, and how many a flag of 0 has in each of its contexts.
    alignas(16) u32 slots[FIRST_FLAG << DENSE_SLOT_BITS];
    u32 flag_zeros[DENSE_FLAG_CONTEXTS];
    DecodeProgram programs[BOX_SHAPES];
};

/// Thread blocks that make the programs, and the one that reads tables; others read the index.
constexpr u32 SHAPES_BLOCKS = BOX_SHAPES * PROGRAM_BLOCKS;
constexpr u32 PREPARE_BLOCKS = SHAPES_BLOCKS + 1;

/// Reads header and tables. Called by a thread block of PROGRAM_THREADS.
template <bool RELATIVE>
__device__ inline void prepare_tables(const StreamView &view, u32 fine, DenseDecoding *to)
{
    constexpr u32 WORDS_MOST = DENSE_MOST_TABLES / 4;
    __shared__ Frequencies frequencies;
    __shared__ u16 defaults[ALPHABETS][SYMBOLS_MOST];
    __shared__ u32 words[WORDS_MOST + 2];
    __shared__ u32 count;
    __shared__ bool sound;
    __shared__ SlotExpansion expansions[PROGRAM_THREADS / 32];
    const u32 warp = threadIdx.x / 32, lane = lane_id();
    if (warp == 0)
    {
        verify_header<RELATIVE>(view, &to->report);
        const u64 *const header = reinterpret_cast<const u64 *>(view.bytes);
        if (RELATIVE && lane == 0 && !can_be_finer(header + view.relative_at / 8, fine))
        {
            report(&to->report, 0, FAULT_CONTRADICTION);
        }
        const bool same =
            __ldg(header) == MAGIC && (__ldg(header + 1) & 0xFFFFFFFF) == view.header_first &&
            __ldg(header + 3) == view.header_kind && __ldg(header + 9) == view.sections.elements;
        const u64 payload_words = __ldg(header + AT_PAYLOAD_LEN / 8) / 4;
        EntryPlace place{0, 0};
        const bool found =
            same && find_entry(view, view.sections.chunks, payload_words, lane, place);
        const bool fits = found && place.words <= WORDS_MOST;
        const u32 own = fits ? place.words : 0;
        const u32 *const from = entry_words(view, place);
        for (u32 k = lane; k < own + 2; k += 32)
        {
            words[k] = k < own ? __ldg(from + k) : 0;
        }
        __syncwarp();
        const u32 sum = __reduce_add_sync(WARP_ALL, hash_rows<32>(words, own, 0, lane));
        if (lane == 0)
        {
            const u32 *const sums = reinterpret_cast<const u32 *>(view.bytes + view.sections.sums);
            const bool whole = fits && sum == __ldg(sums + view.sections.chunks);
            if (!whole)
            {
                report(&to->report, same ? view.sections.chunks : 0,
                       !same    ? FAULT_HEADER
                       : !found ? FAULT_INDEX
                                : FAULT_TABLES);
            }
            count = own;
            sound = whole;
            to->payload_words = payload_words;
            to->step = __ldg(header + AT_QUANTIZATION_STEP / 8);
            to->taken = 0;
        }
    }
    else if (warp <= ALPHABETS && lane == 0)
    {
        default_frequencies(warp - 1, defaults[warp - 1]);
        for (u32 k = alphabet_of(warp - 1).symbols; k < SYMBOLS_MOST; ++k)
        {
            defaults[warp - 1][k] = 0;
        }
    }
    __syncthreads();
    if (warp == 0)
    {
        const bool read = sound && read_tables(words, count, defaults, frequencies, lane);
        __syncwarp();
        if (lane == 0)
        {
            if (sound && !read)
            {
                report(&to->report, view.sections.chunks, FAULT_TABLES);
            }
            sound = read;
            to->sound = read;
        }
    }
    __syncthreads();
    for (u32 context = warp; sound && context < FIRST_FLAG; context += PROGRAM_THREADS / 32)
    {
        expand_slots(frequencies[context], context, to->slots + (context << DENSE_SLOT_BITS),
                     expansions[warp], lane);
    }
    if (threadIdx.x < DENSE_FLAG_CONTEXTS)
    {
        to->flag_zeros[threadIdx.x] = frequencies[FIRST_FLAG + threadIdx.x][0];
    }
}

/// Verifies the metadata checksum, together with the other thread blocks from PREPARE_BLOCKS on.
__device__ inline void prepare_index(const StreamView &view, Report *to)
{
    __shared__ u32 share;
    if (threadIdx.x == 0)
    {
        share = 0;
    }
    __syncthreads();
    const u32 blocks = gridDim.x - PREPARE_BLOCKS;
    const u64 rows = (view.sections.payload - view.sections.rates) / ROW_BYTES;
    const uint4 *const words = reinterpret_cast<const uint4 *>(view.bytes + view.sections.rates);
    u32 sum = 0;
    for (u64 row = (blockIdx.x - PREPARE_BLOCKS) * blockDim.x + threadIdx.x; row < rows;
         row += blocks * blockDim.x)
    {
        sum += row_of(static_cast<u32>(row), products_of_four(__ldg(words + row)));
    }
    atomicAdd(&share, sum);
    __syncthreads();
    if (threadIdx.x == 0)
    {
        const u64 own = static_cast<u64>(share) << 32 | 1;
        // The sum began at all ones.
        const u64 all = atomicAdd(&to->metadata, own) + 1 + own;
        if (static_cast<u32>(all) == blocks &&
            static_cast<u32>(all >> 32) !=
                __ldg(reinterpret_cast<const u32 *>(view.bytes + AT_METADATA_CHECKSUM)))
        {
            report(to, 0, FAULT_METADATA);
        }
    }
}

/// RELATIVE: the bound is pointwise-relative.
template <bool RELATIVE>
__device__ inline void prepare_decoding(const StreamView &view, const BoxGrid &grid,
                                        DenseDecoding *to)
{
    if (blockIdx.x == 0)
    {
        prepare_tables<RELATIVE>(view, grid.fine, to);
    }
    else if (blockIdx.x < PREPARE_BLOCKS)
    {
        const u32 shape = (blockIdx.x - 1) / PROGRAM_BLOCKS;
        make_decode_program(grid, shape, (blockIdx.x - 1) % PROGRAM_BLOCKS, to->programs + shape);
    }
    else
    {
        prepare_index(view, &to->report);
    }
}

} // namespace fsz
