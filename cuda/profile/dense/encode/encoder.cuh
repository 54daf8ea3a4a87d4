// Chunks of boxes to payload: some warps of a thread block code chunks, each one its own, from the
// last box to the first, and the others predict boxes for all of them. Chunks are put together in
// the coder's memory; when their place in the stream is known, they are copied there, and until
// then the coder goes on.
#pragma once

#include "device/lookback.cuh"
#include "encode/finish.cuh"
#include "encode/index.cuh"
#include "profile/dense/encode/ahead.cuh"
#include "profile/dense/encode/place_chunks.cuh"
#include "profile/dense/encode/predict_boxes.cuh"

namespace fsz
{

/// Warps of a thread block at most, and those of them that predict: as many as have their boxes in
/// shared memory, on a multiprocessor of compute capability 9.0.
constexpr u32 DENSE_ENCODE_WARPS = 20;
constexpr u32 DENSE_ENCODE_STAGES = 12;

/// Words that a chunk takes at most while it is put together: the half words of a box may be twice
/// its elements before they are given up.
template <class T> FSZ_DEVICE u32 chunk_room(u32 boxes)
{
    return (boxes + 2) * DENSE_BOX * Element<T>::WORDS + boxes * PredictorSlot<T>::RECORD;
}

/// A lane's share of the checksum of a chunk. Apart, since what calls it has much else to keep.
__device__ __noinline__ u32 hash_payload(const u32 *words, u32 count)
{
    return hash_rounds(words, count, lane_id());
}

/// Codes the chunks that a warp takes.
template <class Z> struct DenseChunks
{
    using T = typename Z::Value;
    using Error = typename Z::Error;
    using Args = typename ArgsOf<Z>::Args;
    static constexpr u32 WORDS = Element<T>::WORDS;

    const CompressArgs<T> &args;
    const BoxGrid &grid;
    const DenseWork &work;
    const u32 lane;
    /// The slot of the thread block's first mail.
    const u32 first_slot;
    u32 *const room;
    BoxesAhead<Z> ahead;
    BoxCoder<T, Error, RansEncoder> boxes;
    u64 escaped;
    /// Chunks that wait for their place: lane i keeps those that are i modulo 32, with where in the
    /// coder's memory they begin, and their words.
    u32 waiting_number;
    u32 waiting_begin;
    u32 waiting_words;
    u32 first_waiting;
    u32 next_waiting;
    /// Where what waits begins, in words.
    u32 free_end;

    /// `coder`: the number of this one in the thread block, `number` among all.
    FSZ_DEVICE DenseChunks(const Args &args, const BoxGrid &grid, const DenseWork &work,
                           Asked &asked, Mail<Error> *mails, u32 packed_rows, u32 ring, u32 coder,
                           u32 number)
        : args(args), grid(grid), work(work), lane(lane_id()),
          first_slot((number - coder) * work.ahead),
          room(work.rooms + static_cast<u64>(number) * (work.half_words / 2)),
          ahead(args, grid, work, asked, mails, coder),
          boxes(work.programs, RansEncoder{work.rows, DENSE_LOW, 0, reinterpret_cast<u16 *>(room),
                                           ~0u << lane_id(), packed_rows, ring}),
          escaped(0), waiting_number(0), waiting_begin(0), waiting_words(0), first_waiting(0),
          next_waiting(0), free_end(work.half_words / 2)
    {
    }

    /// Copies the chunk that has waited longest, if its place is known, or, if `wait`, when it is;
    /// whether it did.
    FSZ_DEVICE bool place_one(bool wait)
    {
        const u32 number = __shfl_sync(WARP_ALL, waiting_number, first_waiting % 32);
        const u32 begin = __shfl_sync(WARP_ALL, waiting_begin, first_waiting % 32);
        const u32 words = __shfl_sync(WARP_ALL, waiting_words, first_waiting % 32);
        u64 entry = load_relaxed(args.entries + number);
        while (!__all_sync(WARP_ALL, entry >= SUM_SO_FAR))
        {
            if (!wait)
            {
                return false;
            }
            __nanosleep(200);
            entry = load_relaxed(args.entries + number);
        }
        ++first_waiting;
        const u64 place = entry & ENTRY_VALUE;
        if (args.sections.payload + 4 * (place + words) > args.stream_capacity)
        {
            args.control->status = 1;
            return true;
        }
        u32 *const to = reinterpret_cast<u32 *>(args.stream + args.sections.payload) + place;
        const u32 *const from = room + begin;
        constexpr u32 BATCH = 8;
        for (u32 at = lane; at < words; at += 32 * BATCH)
        {
            u32 word[BATCH];
#pragma unroll
            for (u32 k = 0; k < BATCH; ++k)
            {
                word[k] = at + 32 * k < words ? __ldcg(from + at + 32 * k) : 0;
            }
#pragma unroll
            for (u32 k = 0; k < BATCH; ++k)
            {
                if (at + 32 * k < words)
                {
                    __stcs(to + at + 32 * k, word[k]);
                }
            }
        }
        return true;
    }

    /// Copies chunks until there is room for one more.
    FSZ_DEVICE void make_room()
    {
        while (first_waiting != next_waiting)
        {
            const bool room =
                next_waiting - first_waiting < 32 && free_end >= chunk_room<T>(grid.chunk_tiles);
            if (!place_one(!room) && room)
            {
                break;
            }
        }
        if (first_waiting == next_waiting)
        {
            free_end = work.half_words / 2;
        }
        __syncwarp();
    }

    /// Copies what waits.
    FSZ_DEVICE void drain()
    {
        while (first_waiting != next_waiting)
        {
            place_one(true);
        }
    }

    /// Codes the next box of a chunk before those that are made; its record goes to `record_to`.
    FSZ_DEVICE CodedBox next_box(i32 base, u32 *record_to)
    {
        // The same in all lanes, and the compiler is to know it: what codes would else be longer.
        const u32 mail = same(ahead.take());
        const PredictorSlot<T> slot(work, first_slot + mail);
        const CodedBox coded = boxes.code(base, ahead.mails[mail].box, slot);
        for (u32 k = lane; k < coded.record; k += 32)
        {
            record_to[k] = slot.record()[k];
        }
        ahead.ask_again(boxes.max_error);
        return coded;
    }

    /// Encodes all chunks that the warp takes.
    FSZ_DEVICE void all()
    {
        ahead.begin(boxes.max_error);
        for (u32 k = 0; ahead.waiting > 0; ++k)
        {
            chunk(ahead.chunk_of(k));
        }
        if (lane == 0)
        {
            ahead.asked.end();
        }
        drain();
        // What is on its way of the last box comes to shared memory that others will use.
        wait_for_groups<0>();
    }

    /// Encodes a chunk.
    FSZ_DEVICE void chunk(const typename BoxesAhead<Z>::Chunk &own)
    {
        RansEncoder &coder = boxes.coder;
        const u32 number = own.number;
        const i32 base = own.base;
        const u32 first_tile = ahead.first_tile(number);
        const u32 count = ahead.count(number);
        coder.state = DENSE_LOW;
        coder.at = 2 * free_end;
        // Lane i keeps what became of box i.
        CodedBox mine{MODE_FLAT, 0, 0, 0, false};
        u32 records = 0;
        for (u32 i = count; i-- > 0;)
        {
            const CodedBox coded = next_box(base, room + records);
            records += coded.record;
            if (lane == i)
            {
                mine = coded;
            }
            escaped += lane == 0 ? coded.escaped : 0;
        }
        __syncwarp();
        const bool odd = coder.at & 1;
        if (odd)
        {
            --coder.at;
            if (lane == 0)
            {
                coder.halves[coder.at] = 0;
            }
        }
        // What stands before the half words, the last first.
        u32 at = coder.at / 2;
        if (__any_sync(WARP_ALL, mine.symbols))
        {
            at -= 32;
            room[at + lane] = coder.state;
        }
        for (u32 i = count; i-- > 0;)
        {
            if (__shfl_sync(WARP_ALL, mine.mode, i) == MODE_VERBATIM)
            {
                const Box own = box_of(grid, first_tile + i);
                at -= own.len * WORDS;
                for (u32 k = lane; k < own.len; k += 32)
                {
                    put_words(room + at + k * WORDS, bits_of(ahead.elements.element(own, k)));
                }
            }
        }
        u32 from = 0;
        for (u32 i = count; i-- > 0;)
        {
            const u32 words = __shfl_sync(WARP_ALL, mine.record, i);
            at -= words;
            for (u32 k = lane; k < words; k += 32)
            {
                room[at + k] = room[from + k];
            }
            from += words;
        }
        u32 modes = lane < count ? (mine.mode | (mine.record > 0 ? HEAD_ESCAPES : 0))
                                       << lane % HEAD_WORD_BOXES * HEAD_BOX_BITS
                                 : 0;
#pragma unroll
        for (u32 step = 1; step < HEAD_WORD_BOXES; step *= 2)
        {
            modes |= __shfl_xor_sync(WARP_ALL, modes, step);
        }
        const u32 head = head_words(count);
        at -= head;
        if (lane % HEAD_WORD_BOXES == 0 && lane < count)
        {
            room[at + lane / HEAD_WORD_BOXES] = modes;
        }
        if (lane == 0)
        {
            room[at + head - 1] = static_cast<u32>(base) << 1 | (odd ? 1 : 0);
        }
        __syncwarp();
        const u32 words = free_end - at;
        if (lane == 0)
        {
            store_relaxed(args.entries + number, OWN_TOTAL | words);
        }
        if (lane == next_waiting % 32)
        {
            waiting_number = number;
            waiting_begin = at;
            waiting_words = words;
        }
        ++next_waiting;
        free_end = at;
        const u32 share = hash_payload(room + at, words);
        const u32 sum = __reduce_add_sync(WARP_ALL, share);
        if (lane == 0)
        {
            reinterpret_cast<u32 *>(args.stream + args.sections.sums)[number] = sum;
        }
        make_room();
    }
};

/// Adds up what the lanes of a warp know of the field.
template <bool RELATIVE> FSZ_DEVICE Statistics gather_statistics(const Statistics &own)
{
    Statistics all{};
    all.max_key = warp_max(own.max_key);
    all.min_key = warp_max(own.min_key);
    all.max_error = warp_max(own.max_error);
    all.max_relative_error = RELATIVE ? warp_max(own.max_relative_error) : 0;
    all.nan = warp_sum(own.nan);
    all.inf = warp_sum(own.inf);
    all.missing = warp_sum(own.missing);
    all.escaped = warp_sum(own.escaped);
    return all;
}

/// Zeros between the sections. Called by one warp.
FSZ_DEVICE void clear_box_paddings(u8 *stream, const Sections &sections, u32 lane)
{
    const u64 entries = sections.chunks + min(sections.chunks, static_cast<u64>(1));
    clear_padding(stream, sections.sizes + 4 * entries, lane);
    clear_padding(stream, sections.offsets + 8 * ((entries + GROUP_CHUNKS - 1) / GROUP_CHUNKS),
                  lane);
    clear_padding(stream, sections.sums + 4 * entries, lane);
}

/// What a thread block has in shared memory beside boxes and what its coders have.
template <class Z> struct EncodeShared
{
    Statistics statistics[DENSE_ENCODE_WARPS];
    Mail<typename Z::Error> mails[MAILS_MOST];
    Asked asked;
    OtherBoxes others;
    Meeting meeting;
};

/// Where boxes begin in shared memory, at a multiple of so many bytes.
constexpr u32 BOXES_ALIGNMENT = 128;
/// Bytes before: of that, and of what says which thread block is the last one.
template <class Z>
constexpr u32 ENCODE_SHARED =
    (sizeof(EncodeShared<Z>) + 1 + BOXES_ALIGNMENT - 1) / BOXES_ALIGNMENT * BOXES_ALIGNMENT;

/// Compression by persistent thread blocks: the first coder of all finds the places of chunks, the
/// others take chunks in turn. The last warps of a thread block code: the others wait for them, and
/// a multiprocessor seems to prefer its last warps where several may go on.
template <class Z>
FSZ_DEVICE void encode_dense(const typename ArgsOf<Z>::Args &args, const BoxGrid &grid,
                             const DenseWork &work, const HeaderImage &image, u32 *shared)
{
    __shared__ EncodeShared<Z> of_block;
    auto &[statistics, mails, asked, others, meeting] = of_block;
    const u32 warp = same(threadIdx.x / 32), lane = lane_id(), warps = blockDim.x / 32;
    const u32 predictors = work.predictors, coders = warps - predictors;
    EncodeStage *const stages = reinterpret_cast<EncodeStage *>(shared);
    EventRing *const rings = reinterpret_cast<EventRing *>(stages + predictors);
    PackedRow *const rows = reinterpret_cast<PackedRow *>(rings + coders);
    if (threadIdx.x < coders * work.ahead)
    {
        mails[threadIdx.x].init();
    }
    if (threadIdx.x == 0)
    {
        others = {};
    }
    if (threadIdx.x < 32)
    {
        meeting.init();
        asked.init(coders - (blockIdx.x == 0 ? 1 : 0));
    }
    // For racecheck, which takes the initialization of a barrier for a write elsewhere.
    __syncthreads();
    if (grid.predictor == DENSE_LORENZO)
    {
        pack_differences(*work.rows, rows);
    }
    else
    {
        pack_rows(*work.rows, rows);
    }
    __syncthreads();
    Statistics own{};
    if (warp < predictors)
    {
        own = predict_boxes<Z>(args, grid, work, stages[warp], asked, mails,
                               blockIdx.x * coders * work.ahead, others, meeting);
    }
    else
    {
        const u32 coder = same(warps - 1 - warp), number = blockIdx.x * coders + coder;
        if (number == 0)
        {
            clear_box_paddings(args.stream, args.sections, lane);
            place_chunks(args, work, lane);
        }
        else
        {
            DenseChunks<Z> chunks(args, grid, work, asked, mails, shared_address(rows),
                                  shared_address(rings + coder), coder, number);
            chunks.all();
            take_error(chunks.boxes.max_error, own);
            own.escaped = chunks.escaped;
        }
    }
    const Statistics all = gather_statistics<Z::RELATIVE>(own);
    if (lane == 0)
    {
        statistics[warp] = all;
    }
    __syncthreads();
    if (warp == 0)
    {
        merge_statistics(statistics, warps, args.control->range_known != 0, args.control, lane);
    }
    const auto meanwhile = [&]() { bring_image(image, shared); };
    if (is_last(&args.control->encoded, gridDim.x, meanwhile))
    {
        finish<typename Z::Value>(image.len, args.sections, args.control, args.stream, shared,
                                  own_fields(args));
    }
}

} // namespace fsz
