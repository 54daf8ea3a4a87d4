// What all chunks of a stream share, made ready before they are decoded: tables, programs, and a
// look at header and index.
#pragma once

#include "decode/verify.cuh"
#include "profile/dense/decode/code/read_tables.cuh"
#include "profile/dense/decode/code/slots.cuh"
#include "profile/dense/decode/index.cuh"
#include "profile/dense/decode/predict/program.cuh"
#include "profile/dense/finer.cuh"

namespace fsz
{

/// Chunks whose order is chosen. More of them are many for each warp, and even out.
constexpr u32 ORDERED_MOST = 12288;

/// The memory that a decompression works in. It begins with the report, of which all bits are set.
struct DenseDecoding
{
    Report report;
    /// Whether tables and their index entry are sound, and the header is the one described.
    u32 sound;
    /// Chunks that warps have taken.
    u32 taken;
    /// Whether chunks take about as long as each other.
    u32 alike;
    u64 payload_words;
    /// The bits of the quantization step.
    u64 step;
    /// Slots of residuals and differences, and how many a flag of 0 has in each of its contexts.
    alignas(16) u32 slots[FIRST_FLAG << DENSE_SLOT_BITS];
    u32 flag_zeros[DENSE_FLAG_CONTEXTS];
    DecodeProgram programs[BOX_SHAPES];
    /// The chunks in the order in which warps take them, where there are not more of them.
    u32 order[ORDERED_MOST];
};

/// Thread blocks: those that read the tables, which takes longest; one that verifies the header,
/// and one that orders chunks; those that make the programs; others read the index.
constexpr u32 TABLE_BLOCKS = 4;
constexpr u32 HEADER_BLOCK = TABLE_BLOCKS;
constexpr u32 ORDER_BLOCK = HEADER_BLOCK + 1;
constexpr u32 FIRST_PROGRAM_BLOCK = ORDER_BLOCK + 1;
constexpr u32 PREPARE_BLOCKS = FIRST_PROGRAM_BLOCK + BOX_SHAPES * PROGRAM_BLOCKS;

/// What a thread block reads tables in.
struct TableReading
{
    Frequencies frequencies;
    /// Whether the bits are those that the stream was written with, the codes of each context were
    /// found, and one of these is wrong.
    bool whole;
    bool found;
    bool wrong;
    /// The bits are no longer needed when slots are made.
    union
    {
        TableBits bits;
        SlotExpansion expansions[PROGRAM_THREADS / 32];
    };
};

/// Verifies the header. Called by a warp.
template <bool RELATIVE>
__device__ inline void prepare_header(const StreamView &view, u32 fine, Report *to)
{
    verify_header<RELATIVE>(view, to);
    const u64 *const header = reinterpret_cast<const u64 *>(view.bytes);
    if (RELATIVE && lane_id() == 0 && !can_be_finer(header + view.relative_at / 8, fine))
    {
        report(to, 0, FAULT_CONTRADICTION);
    }
}

/// Reads the bits of tables, which are then sound or not; the first thread block reports, and tells
/// what else decoders have to know. Called by a warp.
__device__ inline void prepare_bits(const StreamView &view, TableReading &reading,
                                    DenseDecoding *to)
{
    const u32 lane = lane_id();
    TableBits &bits = reading.bits;
    const u64 *const header = reinterpret_cast<const u64 *>(view.bytes);
    const bool same =
        __ldg(header) == MAGIC && (__ldg(header + 1) & 0xFFFFFFFF) == view.header_first &&
        __ldg(header + 3) == view.header_kind && __ldg(header + 9) == view.sections.elements;
    const u64 payload_words = __ldg(header + AT_PAYLOAD_LEN / 8) / 4;
    const u32 *const sums = reinterpret_cast<const u32 *>(view.bytes + view.sections.sums);
    const u32 expected = __ldg(sums + view.sections.chunks);
    EntryPlace place{0, 0};
    // What is loaded does not wait for the header.
    const bool in = find_entry(view, view.sections.chunks, payload_words, lane, place);
    const bool found = same && in;
    const bool fits = found && place.words <= TableBits::WORDS_MOST;
    const u32 own = fits ? place.words : 0;
    const u32 *const from = entry_words(view, place);
    for (u32 k = lane; k < own + 2; k += 32)
    {
        bits.words[k] = k < own ? __ldg(from + k) : 0;
    }
    __syncwarp();
    const u32 sum = __reduce_add_sync(WARP_ALL, hash_rows<32>(bits.words, own, 0, lane));
    if (lane == 0)
    {
        const bool whole = fits && sum == expected;
        bits.count = own;
        reading.whole = whole;
    }
    if (lane == 0 && blockIdx.x == 0)
    {
        if (!reading.whole)
        {
            report(&to->report, same ? view.sections.chunks : 0,
                   !same    ? FAULT_HEADER
                   : !found ? FAULT_INDEX
                            : FAULT_TABLES);
        }
        to->payload_words = payload_words;
        to->step = __ldg(header + AT_QUANTIZATION_STEP / 8);
        to->taken = 0;
    }
}

/// Reads the tables: each of TABLE_BLOCKS thread blocks of PROGRAM_THREADS all of them, and makes
/// the slots of a part of the contexts.
__device__ inline void prepare_tables(const StreamView &view, DenseDecoding *to)
{
    constexpr u32 WARPS = PROGRAM_THREADS / 32;
    __shared__ TableReading reading;
    const u32 warp = threadIdx.x / 32, lane = lane_id();
    if (warp == 0)
    {
        prepare_bits(view, reading, to);
    }
    __syncthreads();
    const bool whole = reading.whole;
    if (whole)
    {
        reading.bits.find_leaps(PROGRAM_THREADS);
    }
    __syncthreads();
    if (warp == 0)
    {
        const bool found = whole && reading.bits.find_contexts(lane);
        if (lane == 0)
        {
            reading.found = found;
            reading.wrong = !found;
        }
    }
    __syncthreads();
    for (u32 context = warp; reading.found && context < DENSE_CONTEXTS; context += WARPS)
    {
        const u32 alphabet = context < FIRST_DIFFERENCE ? 0 : context < FIRST_FLAG ? 1 : 2;
        if (!reading.bits.read(alphabet, context, reading.frequencies[context], lane))
        {
            reading.wrong = true;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0 && blockIdx.x == 0)
    {
        if (whole && reading.wrong)
        {
            report(&to->report, view.sections.chunks, FAULT_TABLES);
        }
        to->sound = !reading.wrong;
    }
    for (u32 context = blockIdx.x * WARPS + warp; !reading.wrong && context < FIRST_FLAG;
         context += TABLE_BLOCKS * WARPS)
    {
        expand_slots(reading.frequencies[context], context,
                     to->slots + (context << DENSE_SLOT_BITS), reading.expansions[warp], lane);
    }
    if (threadIdx.x < DENSE_FLAG_CONTEXTS && blockIdx.x == 0)
    {
        to->flag_zeros[threadIdx.x] = reading.frequencies[FIRST_FLAG + threadIdx.x][0];
    }
}

/// Orders the chunks from `first_chunk` to `end_chunk` by their words, the longest first, in
/// classes: within a class they stay in their order, as neighbours share sectors and pages of the
/// output. Gives to the first thread whether the longest are not much longer than the mean. Called
/// by a thread block of PROGRAM_THREADS.
__device__ inline bool order_chunks(const StreamView &view, u32 first_chunk, u32 end_chunk,
                                    u32 *order)
{
    constexpr u32 WARPS = PROGRAM_THREADS / 32;
    constexpr u32 CLASSES = 16, OF_MEAN = 4, MOST_ALIKE = 6;
    // Where the chunks of each class begin that each warp orders, the class of the longest first.
    __shared__ u32 places[CLASSES * WARPS];
    const u32 warp = threadIdx.x / 32, lane = lane_id();
    const u32 chunks = static_cast<u32>(view.sections.chunks);
    const u32 *const sizes = reinterpret_cast<const u32 *>(view.bytes + view.sections.sizes);
    const u64 words = __ldg(reinterpret_cast<const u64 *>(view.bytes) + AT_PAYLOAD_LEN / 8) / 4;
    const float scale = static_cast<float>(OF_MEAN * chunks) / static_cast<float>(words);
    const u32 own = (end_chunk - first_chunk + 32 * WARPS - 1) / (32 * WARPS) * 32;
    const u32 begin = first_chunk + warp * own, end = min(end_chunk, begin + own);
    const auto class_of = [&](u32 chunk) {
        const float share = static_cast<float>(__ldg(sizes + chunk)) * scale;
        return CLASSES - 1 - min(CLASSES - 1, __float2uint_rn(share));
    };
    for (u32 k = threadIdx.x; k < CLASSES * WARPS; k += PROGRAM_THREADS)
    {
        places[k] = 0;
    }
    __syncthreads();
    for (u32 chunk = begin + lane; chunk < end; chunk += 32)
    {
        atomicAdd(&places[class_of(chunk) * WARPS + warp], 1);
    }
    __syncthreads();
    if (warp == 0)
    {
        u32 before = 0;
        for (u32 k = lane; k < CLASSES * WARPS; k += 32)
        {
            const u32 count = places[k];
            const u32 last = before + warp_inclusive(count, lane);
            places[k] = last - count;
            before = __shfl_sync(WARP_ALL, last, 31);
        }
    }
    __syncthreads();
    // None is in a class of longer ones.
    const bool alike = places[(CLASSES - 1 - MOST_ALIKE) * WARPS] == 0;
    __syncthreads();
    for (u32 first = begin; first < end; first += 32)
    {
        const u32 chunk = first + lane;
        const u32 active = __ballot_sync(WARP_ALL, chunk < end);
        if (chunk < end)
        {
            const u32 own_class = class_of(chunk);
            u32 *const place = &places[own_class * WARPS + warp];
            const u32 like = __match_any_sync(active, own_class);
            const u32 before = *place;
            order[before + __popc(like & ((1u << lane) - 1))] = chunk;
            __syncwarp(active);
            if (lane == 31 - __clz(like))
            {
                *place = before + __popc(like);
            }
        }
        __syncwarp();
    }
    return alike;
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

/// For a launch that decodes the chunks from `first_chunk` to `end_chunk`. RELATIVE: the bound is
/// pointwise-relative.
template <bool RELATIVE>
__device__ inline void prepare_decoding(const StreamView &view, const BoxGrid &grid,
                                        u32 first_chunk, u32 end_chunk, DenseDecoding *to)
{
    if (blockIdx.x < TABLE_BLOCKS)
    {
        prepare_tables(view, to);
    }
    else if (blockIdx.x == HEADER_BLOCK)
    {
        if (threadIdx.x < 32)
        {
            prepare_header<RELATIVE>(view, grid.fine, &to->report);
        }
    }
    else if (blockIdx.x == ORDER_BLOCK)
    {
        const bool alike = end_chunk - first_chunk <= ORDERED_MOST &&
                           order_chunks(view, first_chunk, end_chunk, to->order);
        if (threadIdx.x == 0)
        {
            to->alike = alike;
        }
    }
    else if (blockIdx.x < PREPARE_BLOCKS)
    {
        const u32 number = blockIdx.x - FIRST_PROGRAM_BLOCK;
        const u32 shape = number / PROGRAM_BLOCKS;
        make_decode_program(grid, shape, number % PROGRAM_BLOCKS, to->programs + shape);
    }
    else
    {
        prepare_index(view, &to->report);
    }
}

} // namespace fsz
