// Chunks of boxes back to elements, a warp to each chunk.
#pragma once

#include "profile/dense/chunk.cuh"
#include "profile/dense/output.cuh"
#include "profile/dense/prepare_decode.cuh"
#include "profile/dense/rans_decoder.cuh"
#include "profile/dense/walk.cuh"

namespace fsz
{

/// The shared memory of a warp: values of a box, counted from its base, and which elements are
/// masked.
struct DenseStage
{
    alignas(16) short values[DENSE_BOX];
    u32 mask[DENSE_BOX / 32];
};

/// What stands in shared memory before the stages: the slots of residuals.
constexpr u32 DENSE_SHARED_SLOTS = RESIDUAL_CONTEXTS << DENSE_SLOT_BITS;
/// Warps of a thread block at most: what shared memory holds.
constexpr u32 DENSE_DECODE_WARPS = 20;

/// Decodes chunks. `Output` tells where elements go.
template <class T, class Output> struct DenseDecoder
{
    using Bits = typename Element<T>::Bits;
    static constexpr u32 WORDS = Element<T>::WORDS;

    const StreamView &view;
    const BoxGrid &grid;
    DenseDecoding *const work;
    const Output &output;
    DenseStage &stage;
    /// Slots of residuals, in shared memory.
    const u32 *const slots;
    const u32 lane;
    const Interpolation how;
    const T step;
    const T lattice;
    RansDecoder rans;

    FSZ_DEVICE DenseDecoder(const StreamView &view, const BoxGrid &grid, DenseDecoding *work,
                            const Output &output, DenseStage &stage, const u32 *slots)
        : view(view), grid(grid), work(work), output(output), stage(stage), slots(slots),
          lane(lane_id()), how(grid), step(static_cast<T>(value_of(work->step))),
          lattice(product(step, static_cast<T>(1.0 / (1u << grid.fine)))),
          rans{0, 0, 0, nullptr, (1u << lane_id()) - 1}
    {
    }

    FSZ_DEVICE bool masked(u32 at) const { return stage.mask[at / 32] >> at % 32 & 1; }

    FSZ_DEVICE void fail(u64 chunk, Fault fault) const
    {
        if (lane == 0)
        {
            report(&work->report, chunk, fault);
        }
    }

    /// The bits of a record's masked elements. The header names a missing value where it is asked.
    FSZ_DEVICE Bits pattern_of(const EscapeRecord<WORDS> &record, const u32 *words) const
    {
        if (record.pattern == PATTERN_NAN || record.pattern == PATTERN_NEGATIVE_NAN)
        {
            return record.pattern == PATTERN_NAN ? Element<T>::QUIET_NAN : Element<T>::NEGATIVE_NAN;
        }
        const u32 *const from = record.pattern == PATTERN_FIRST_MISSING
                                    ? reinterpret_cast<const u32 *>(view.bytes + view.missing_at)
                                    : words + 1;
        return element_at(from);
    }

    FSZ_DEVICE static Bits element_at(const u32 *from)
    {
        if constexpr (WORDS == 1)
        {
            return __ldg(from);
        }
        else
        {
            return static_cast<u64>(__ldg(from + 1)) << 32 | __ldg(from);
        }
    }

    /// Whether a record is sound. Called by the warp.
    FSZ_DEVICE bool record_is_sound(const u32 *words, u32 room, u32 len, u32 &size) const
    {
        if (room == 0)
        {
            return false;
        }
        const u32 head = __ldg(words);
        const EscapeRecord<WORDS> record(head);
        const bool none = record.mask == MASK_NONE;
        if (record.mask > MASK_CODED || (head >> 4 & 0xFFF) != 0 || record.listed > len ||
            (record.mask == MASK_ALL && record.listed > 0) ||
            (none && (record.pattern != 0 || record.listed == 0)) ||
            (record.pattern == PATTERN_FIRST_MISSING && view.missing_at == 0))
        {
            return false;
        }
        size = record.words();
        if (size > room)
        {
            return false;
        }
        const u32 *const positions = words + record.positions();
        bool sound = true;
        for (u32 k = lane; k < record.listed; k += 32)
        {
            const u32 at = listed_position(positions, k);
            sound &= at < len && (k == 0 || listed_position(positions, k - 1) < at);
        }
        if (record.listed % 2 == 1)
        {
            sound &= positions[record.listed / 2] >> 16 == 0;
        }
        return __all_sync(WARP_ALL, sound);
    }

    /// Decodes a chunk.
    FSZ_DEVICE void chunk(u64 number)
    {
        const u32 first_tile = static_cast<u32>(number) * grid.chunk_tiles;
        const u32 boxes = min(grid.chunk_tiles, grid.tiles - first_tile);
        // Lane i knows box i.
        const bool exists = lane < boxes;
        const Box box = box_of(grid, first_tile + (exists ? lane : 0));
        const u32 wanted =
            __ballot_sync(WARP_ALL, exists && output.wanted(grid, box, first_tile + lane));
        if (wanted == 0)
        {
            return;
        }
        const u64 begin = output.begin(grid, box);
        EntryPlace place;
        if (!find_entry(view, number, work->payload_words, lane, place) || place.words >> 30)
        {
            return fail(number, FAULT_INDEX);
        }
        const u32 *const words = entry_words(view, place);
        const u32 sum = __reduce_add_sync(WARP_ALL, hash_rows<32>(words, place.words, 0, lane));
        if (sum != __ldg(reinterpret_cast<const u32 *>(view.bytes + view.sections.sums) + number))
        {
            return fail(number, FAULT_CHECKSUM);
        }

        u32 at = head_words(boxes);
        if (place.words < at)
        {
            return fail(number, FAULT_HEAD);
        }
        const u32 told =
            lane < (at - 1) * HEAD_WORD_BOXES
                ? __ldg(words + lane / HEAD_WORD_BOXES) >> lane % HEAD_WORD_BOXES * HEAD_BOX_BITS &
                      15
                : 0;
        const u32 mode = told & 7;
        const bool has_record = (told & HEAD_ESCAPES) != 0;
        const bool wrong = exists
                               ? mode > MODE_VERBATIM || (has_record && mode >= MODE_EXACT) ||
                                     (mode == MODE_INTERPOLATED && grid.predictor == DENSE_LORENZO)
                               : told != 0;
        if (__any_sync(WARP_ALL, wrong))
        {
            return fail(number, FAULT_HEAD);
        }
        const u32 last = __ldg(words + at - 1);
        const i32 base = static_cast<i32>(last) >> 1;

        // Where a box's record is, and its kind of mask.
        u32 record_at = 0, mask = MASK_NONE;
        for (u32 left = __ballot_sync(WARP_ALL, has_record); left; left &= left - 1)
        {
            const u32 i = __ffs(left) - 1;
            u32 size;
            if (!record_is_sound(words + at, place.words - at, __shfl_sync(WARP_ALL, box.len, i),
                                 size))
            {
                return fail(number, FAULT_ESCAPES);
            }
            if (lane == i)
            {
                record_at = at;
                mask = EscapeRecord<WORDS>(__ldg(words + at)).mask;
            }
            at += size;
        }
        const u32 exact = exists && mode == MODE_VERBATIM ? box.len * WORDS : 0;
        const u32 exact_end = warp_inclusive(exact, lane);
        const u32 exact_at = at + exact_end - exact;
        const u32 exact_all = __shfl_sync(WARP_ALL, exact_end, 31);
        if (place.words - at < exact_all)
        {
            return fail(number, FAULT_TILES);
        }
        at += exact_all;
        const bool symbols =
            exists && (mask == MASK_CODED || (mode != MODE_FLAT && mode != MODE_VERBATIM));
        const bool any = __any_sync(WARP_ALL, symbols);
        rans.state = DENSE_LOW;
        rans.taken = 0;
        if (any)
        {
            if (place.words - at < 32)
            {
                return fail(number, FAULT_SYMBOLS);
            }
            rans.state = __ldg(words + at + lane);
            at += 32;
        }
        rans.halves = reinterpret_cast<const u16 *>(words + at);
        rans.count = any ? 2 * (place.words - at) : 0;
        const bool odd = last & 1;
        if ((!any && place.words != at) || (odd && (rans.count == 0 || __ldg(rans.halves) != 0)))
        {
            return fail(number, FAULT_SYMBOLS);
        }
        rans.halves += odd;
        rans.count -= odd;

        for (u32 i = 0; i < boxes; ++i)
        {
            Box own;
            own.first = __shfl_sync(WARP_ALL, box.first, i);
            own.len = __shfl_sync(WARP_ALL, box.len, i);
            own.shape = __shfl_sync(WARP_ALL, box.shape, i);
#pragma unroll
            for (u32 a = 0; a < 3; ++a)
            {
                own.n[a] = __shfl_sync(WARP_ALL, box.n[a], i);
            }
            const Task task{__shfl_sync(WARP_ALL, begin, i), (wanted >> i & 1) != 0};
            const u32 own_mode = __shfl_sync(WARP_ALL, mode, i);
            if (own_mode == MODE_VERBATIM)
            {
                copy_exact(own, task, words + __shfl_sync(WARP_ALL, exact_at, i));
            }
            else if (own_mode == MODE_EXACT)
            {
                for (u32 word = 0; word < WORDS; ++word)
                {
                    aside([&](DenseDecoder &copy) {
                        copy.template lorenzo<true>(own, task, 0, 1, word, false, 0);
                    });
                }
            }
            else
            {
                const u32 record = __shfl_sync(WARP_ALL, record_at, i);
                const u32 kind = __shfl_sync(WARP_ALL, mask, i);
                if (!coded_box(own, task, own_mode, base, kind,
                               record > 0 ? words + record : nullptr))
                {
                    return fail(number, FAULT_PLACES);
                }
            }
            __syncwarp();
        }
        if (!rans.ended())
        {
            fail(number, FAULT_SYMBOLS);
        }
    }

    /// Calls `part` of a copy, so that what is not inlined does not drive the states of this one
    /// from registers.
    template <class Part> FSZ_DEVICE void aside(const Part &part)
    {
        DenseDecoder copy = *this;
        part(copy);
        rans = copy.rans;
    }

    /// Where a box's elements go.
    struct Task
    {
        u64 begin;
        bool wanted;
    };

    FSZ_DEVICE T *place(const Box &box, const Task &task, u32 position) const
    {
        if (!task.wanted)
        {
            return nullptr;
        }
        return output.place(task.begin, BoxCursor(grid, box, position).element, position);
    }

    FSZ_DEVICE void copy_exact(const Box &box, const Task &task, const u32 *from) const
    {
        for (u32 at = lane; at < box.len; at += 32)
        {
            if (T *const to = place(box, task, at))
            {
                *to = value_of(element_at(from + at * WORDS));
            }
        }
    }

    /// A flat, interpolated or Lorenzo box; false where an element is listed and masked.
    FSZ_DEVICE bool coded_box(const Box &box, const Task &task, u32 mode, i32 base, u32 mask,
                              const u32 *record_words)
    {
        const Program &program = work->programs[box.shape];
        if (mask != MASK_NONE)
        {
            aside([&](DenseDecoder &copy) { copy.read_mask(program, mask); });
        }
        Bits pattern = 0;
        EscapeRecord<WORDS> record(0);
        if (record_words)
        {
            record = EscapeRecord<WORDS>(__ldg(record_words));
            pattern = mask != MASK_NONE ? pattern_of(record, record_words) : 0;
        }
        const bool has_mask = mask != MASK_NONE;
        i32 own = base;
        if (mode != MODE_FLAT)
        {
            const i32 more = difference(rans, work->slots, DENSE_LORENZO_CONTEXTS, lane == 0);
            own = static_cast<i32>(static_cast<u32>(base) +
                                   static_cast<u32>(__shfl_sync(WARP_ALL, more, 0)));
        }
        if (mode == MODE_LORENZO_1 || mode == MODE_LORENZO_2)
        {
            const u32 order = mode == MODE_LORENZO_1 ? 1 : 2;
            aside([&](DenseDecoder &copy) {
                copy.template lorenzo<false>(box, task, own, order, 0, has_mask, pattern);
            });
        }
        else
        {
            if (mode == MODE_FLAT)
            {
                uint4 *const all = reinterpret_cast<uint4 *>(stage.values);
                for (u32 k = lane; k < DENSE_BOX / 8; k += 32)
                {
                    all[k] = uint4{0, 0, 0, 0};
                }
            }
            else
            {
                interpolate(program, has_mask);
            }
            __syncwarp();
            // The elements of a flat box are codes, not lattice points.
            const bool flat = mode == MODE_FLAT;
            const i32 zero = static_cast<i32>(static_cast<u32>(own) << (flat ? 0 : grid.fine));
            write_values(box, task, zero, flat ? step : lattice, has_mask, pattern);
        }
        // Behind the elements' other values.
        __syncwarp();
        bool sound = true;
        for (u32 k = lane; k < record.listed; k += 32)
        {
            const u32 at = listed_position(record_words + record.positions(), k);
            sound &= !(has_mask && masked(at));
            if (T *const to = place(box, task, at))
            {
                *to = value_of(element_at(record_words + record.bits() + k * WORDS));
            }
        }
        return __all_sync(WARP_ALL, sound);
    }

    /// The mask of a box, from symbols if it is coded.
    __device__ __noinline__ void read_mask(const Program &program, u32 mask)
    {
        if (mask == MASK_ALL)
        {
            for (u32 k = lane; k < DENSE_BOX / 32; k += 32)
            {
                stage.mask[k] = ~0u;
            }
            __syncwarp();
            return;
        }
        short *const values = stage.values;
        const auto known = [&](u32 at) { return static_cast<u32>(values[at]); };
        const u32 first = flag(rans, work->slots, 0, lane == 0);
        if (lane == 0)
        {
            values[0] = static_cast<short>(first);
        }
        __syncwarp();
        if (program.corners > 0)
        {
            const u32 entry = __ldg(&program.entries[0][lane]);
            put_mask(entry, 1 + known(0));
        }
        for (u32 p = 0; p < program.passes; ++p)
        {
            const Pass &pass = program.pass[p];
            for (u32 s = 0; s < pass.steps; ++s)
            {
                const u32 entry = __ldg(&program.entries[pass.first + s][lane]);
                put_mask(entry, mask_context(pass, entry, known));
            }
        }
        for (u32 word = 0; word * 32 < program.len; ++word)
        {
            const u32 at = word * 32 + lane;
            const u32 bits = __ballot_sync(WARP_ALL, at < program.len && values[at] != 0);
            if (lane == 0)
            {
                stage.mask[word] = bits;
            }
        }
        __syncwarp();
    }

    FSZ_DEVICE void put_mask(u32 entry, u32 context)
    {
        const bool active = !(entry & ENTRY_IDLE);
        const u32 own = flag(rans, work->slots, context, active);
        __syncwarp();
        if (active)
        {
            stage.values[entry & ENTRY_POSITION] = static_cast<short>(own);
        }
        __syncwarp();
    }

    /// The residual of the lane, if it is active, in a context of residuals.
    FSZ_DEVICE i32 residual(u32 context, bool active)
    {
        const u32 slot = slots[context << DENSE_SLOT_BITS | rans.slot()];
        const u32 symbol = rans.symbol(active, slot);
        i32 r = static_cast<i32>(symbol) - static_cast<i32>(DENSE_DIRECT);
        if (__any_sync(WARP_ALL, active && symbol >= RESIDUAL_FIRST_CLASS))
        {
            const LongValue read = read_long_residual(rans, symbol, active);
            rans.state = read.state;
            rans.taken = read.taken;
            r = read.value;
        }
        return active ? r : 0;
    }

    /// The values of an interpolated box.
    FSZ_DEVICE void interpolate(const Program &program, bool has_mask)
    {
        short *const values = stage.values;
        if (lane == 0)
        {
            values[0] = 0;
        }
        if (program.corners > 0)
        {
            const u32 entry = __ldg(&program.entries[0][lane]);
            const u32 at = entry & ENTRY_POSITION;
            const bool point = !(entry & ENTRY_IDLE);
            const i32 r = residual(DENSE_CORNERS, point && !(has_mask && masked(at)));
            if (point)
            {
                values[at] = static_cast<short>(r << how.fine);
            }
        }
        const u32 passes = program.passes;
        const bool fine = lane < passes && program.pass[lane].fine;
        const u32 flags =
            __ballot_sync(WARP_ALL, flag(rans, work->slots, DENSE_PASS_FLAGS + (fine ? 0 : 1),
                                         lane < passes) != 0);
        __syncwarp();
        const bool near_count = program.around != 0;
        i32 last = 0;
        const auto known = [&](u32 at) { return static_cast<i32>(values[at]); };
        for (u32 p = 0; p < passes; ++p)
        {
            const Pass &pass = program.pass[p];
            if (flags >> p & 1)
            {
                const bool pass_fine = pass.fine != 0;
                auto take = [&](u32 entry, i32 prediction, i32 spread) {
                    const u32 at = entry & ENTRY_POSITION;
                    const bool point = !(entry & ENTRY_IDLE);
                    const u32 context = residual_context(spread, near_count ? around(last) : 0,
                                                         how.fine, pass_fine);
                    const i32 r = residual(context, point && !(has_mask && masked(at)));
                    if (point)
                    {
                        values[at] = static_cast<short>(prediction + (r << how.fine));
                        last = abs(r);
                    }
                };
                walk_pass(pass, program.entries[0] + lane, how, known, take);
            }
            else
            {
                auto take = [&](u32 entry, i32 prediction, i32) {
                    if (!(entry & ENTRY_IDLE))
                    {
                        values[entry & ENTRY_POSITION] = static_cast<short>(prediction);
                        last = 0;
                    }
                };
                walk_pass(pass, program.entries[0] + lane, how, known, take);
            }
        }
    }

    /// The elements of values, `unit` apart.
    FSZ_DEVICE void write_values(const Box &box, const Task &task, i32 zero, T unit, bool has_mask,
                                 Bits pattern) const
    {
        if (!task.wanted)
        {
            return;
        }
        const auto decoded = [&](i32 value) {
            const i32 point = static_cast<i32>(static_cast<u32>(zero) + static_cast<u32>(value));
            return product(from_code(point, T(0)), unit);
        };
        if constexpr (Output::WHOLE)
        {
            const bool aligned = box.n[2] % 4 == 0 && grid.shape[3] % 4 == 0 &&
                                 reinterpret_cast<u64>(output.out) % 16 == 0;
            if (aligned && !has_mask)
            {
                const u32 width = box.n[2] / 4;
                const u32 width_log = log_of(width), rows_log = log_of(box.n[1]);
                T *const out = output.out + box.first;
                for (u32 q = lane; q < box.len / 4; q += 32)
                {
                    const u32 row = quotient(q, width, width_log);
                    const u32 z = quotient(row, box.n[1], rows_log);
                    const u64 at = (z * grid.shape[2] + (row - z * box.n[1])) * grid.shape[3] +
                                   4 * (q - row * width);
                    const uint2 four = reinterpret_cast<const uint2 *>(stage.values)[q];
                    const T v[4] = {decoded(static_cast<short>(four.x)),
                                    decoded(static_cast<i32>(four.x) >> 16),
                                    decoded(static_cast<short>(four.y)),
                                    decoded(static_cast<i32>(four.y) >> 16)};
                    store_four(out + at, v);
                }
                return;
            }
        }
        for (u32 at = lane; at < box.len; at += 32)
        {
            if (T *const to = place(box, task, at))
            {
                *to = has_mask && masked(at) ? value_of(pattern) : decoded(stage.values[at]);
            }
        }
    }

    /// Codes by Lorenzo prediction, and their elements; with EXACT the codes are word `word` of
    /// elements.
    template <bool EXACT>
    __device__ __noinline__ void lorenzo(const Box &box, const Task &task, i32 base, u32 order,
                                         u32 word, bool has_mask, Bits pattern)
    {
        const u32 len = lorenzo_lane_len(box.len);
        const u32 begin = lane * len;
        BoxCursor cursor(grid, box, min(begin, box.len - 1));
        LorenzoLane own(0);
        for (u32 step = 0; step < len; ++step)
        {
            const u32 at = begin + step;
            const bool active = at < box.len;
            i32 code;
            if (step == 0)
            {
                const i32 more = difference(rans, work->slots, DENSE_LORENZO_CONTEXTS, active);
                code = static_cast<i32>(static_cast<u32>(base) +
                                        warp_inclusive(static_cast<u32>(more), lane));
                own = LorenzoLane(code);
            }
            else
            {
                const i32 more = difference(rans, work->slots, own.context(), active);
                code = static_cast<i32>(static_cast<u32>(own.prediction(order, step)) +
                                        static_cast<u32>(more));
                own.take(code, more);
            }
            if (active && task.wanted)
            {
                if (T *const to = output.place(task.begin, cursor.element, at))
                {
                    if constexpr (EXACT)
                    {
                        reinterpret_cast<u32 *>(to)[word] = static_cast<u32>(code);
                    }
                    else
                    {
                        *to = has_mask && masked(at) ? value_of(pattern)
                                                     : product(from_code(code, T(0)), this->step);
                    }
                }
                cursor.step(grid, box);
            }
        }
    }
};

/// Decodes the chunks of a stream, by persistent thread blocks whose warps take them in turn.
template <class T, class Output>
FSZ_DEVICE void decode_dense(const StreamView &view, const BoxGrid &grid, DenseDecoding *work,
                             const Output &output, u32 *shared)
{
    if (!work->sound)
    {
        return;
    }
    for (u32 k = threadIdx.x; k < DENSE_SHARED_SLOTS; k += blockDim.x)
    {
        shared[k] = __ldg(work->slots + k);
    }
    __syncthreads();
    DenseStage *const stages = reinterpret_cast<DenseStage *>(shared + DENSE_SHARED_SLOTS);
    DenseDecoder<T, Output> decoder(view, grid, work, output, stages[threadIdx.x / 32], shared);
    for (;;)
    {
        u32 chunk = 0;
        if (decoder.lane == 0)
        {
            chunk = atomicAdd(&work->taken, 1);
        }
        chunk = __shfl_sync(WARP_ALL, chunk, 0);
        if (chunk >= view.sections.chunks)
        {
            return;
        }
        decoder.chunk(chunk);
    }
}

} // namespace fsz
