// Chunks of boxes back to elements, a warp to each chunk.
#pragma once

#include "device/shared.cuh"
#include "profile/dense/decode/out/values.cuh"
#include "profile/dense/decode/predict/interpolate.cuh"
#include "profile/dense/decode/predict/lorenzo.cuh"
#include "profile/dense/decode/predict/mask.cuh"
#include "profile/dense/decode/prepare.cuh"
#include "profile/dense/decode/records.cuh"

namespace fsz
{

/// What a lane knows of the box of its number in a chunk.
struct BoxOfLane
{
    u64 first;
    u64 begin;
    u32 len;
    u32 shape;
    u32 n[3];
    u32 mode;
    u32 record_at;
    u32 exact_at;
    u32 mask;
};

/// Decodes chunks. `Values` make elements of codes; `Output` tells where elements go.
template <class Values, class Output> struct DenseDecoder
{
    using T = typename Values::Value;
    using Bits = typename Element<T>::Bits;
    static constexpr u32 WORDS = Element<T>::WORDS;

    const StreamView &view;
    const BoxGrid &grid;
    DenseDecoding *const work;
    const Output &output;
    const u32 lane;
    const FieldTaps taps;
    const DenseValues<Values> values;
    /// Where in shared memory the box is.
    const u32 memory;
    const DifferenceSlots differences;
    Meeting &meeting;
    RansDecoder rans;

    FSZ_DEVICE DenseDecoder(const StreamView &view, const BoxGrid &grid, DenseDecoding *work,
                            const Output &output, u32 slots, u32 warp, u32 warps)
        : view(view), grid(grid), work(work), output(output), lane(lane_id()),
          taps{layout_of(grid), grid.predictor, grid.fine, slots, slots - FLAGS_BYTES},
          values(view, work->step, grid.fine),
          memory(slots + slots_bytes() + RING_BYTES * warps + BOX_BYTES * warp),
          differences{slots + slots_bytes() - SLOTS_BYTES, slots,
                      work->slots + (FIRST_DIFFERENCE << DENSE_SLOT_BITS)},
          meeting(shared_at<Meeting>(slots - FLAGS_BYTES + MEETING_AT)), rans{}
    {
        rans.words.ring = slots + slots_bytes() + RING_BYTES * warp;
    }

    FSZ_DEVICE EscapeRecords<T> records() const { return {view, lane}; }
    FSZ_DEVICE bool by_lorenzo() const { return grid.predictor == DENSE_LORENZO; }
    FSZ_DEVICE u32 slots_bytes() const { return shared_slots(by_lorenzo()) * SLOTS_BYTES; }

    FSZ_DEVICE void fail(u64 chunk, Fault fault) const
    {
        if (lane == 0)
        {
            report(&work->report, chunk, fault);
        }
    }

    /// The lane's share of a chunk's checksum.
    __device__ __noinline__ static u32 hash_payload(const u32 *words, u32 count)
    {
        return hash_rounds(ConstantWords{words}, count, lane_id());
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
        if (!find_entry(view, number, work->payload_words, lane, place) || place.words >> 28)
        {
            return fail(number, FAULT_INDEX);
        }
        const u32 *const words = entry_words(view, place);
        const u32 sum = __reduce_add_sync(WARP_ALL, hash_payload(words, place.words));
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
            if (!records().is_sound(words + at, place.words - at, __shfl_sync(WARP_ALL, box.len, i),
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
        if (any)
        {
            if (place.words - at < 32)
            {
                return fail(number, FAULT_SYMBOLS);
            }
            rans.state = __ldg(words + at + lane);
            at += 32;
            // What follows counts on it.
            if (__any_sync(WARP_ALL, rans.state < DENSE_LOW))
            {
                return fail(number, FAULT_SYMBOLS);
            }
        }
        const bool odd = last & 1;
        if ((!any && place.words != at) ||
            (odd && (!any || place.words == at || __ldg(words + at) % (1 << 16) != 0)))
        {
            return fail(number, FAULT_SYMBOLS);
        }
        rans.words.open(reinterpret_cast<const u8 *>(words + at), 4 * (place.words - at));
        rans.words.at += odd ? 2 : 0;

        // Not in registers, which are scarce while a box is decoded.
        volatile BoxOfLane kept = {
            box.first, begin,     box.len,  box.shape, {box.n[0], box.n[1], box.n[2]},
            mode,      record_at, exact_at, mask};
        volatile u32 round = 0;
        // Chunks without masks go by themselves, and so do lines and all of Lorenzo prediction:
        // their way is shorter, and the times that boxes take differ more.
        const bool meets = !by_lorenzo() && taps.layout != LAYOUT_LINE &&
                           __any_sync(WARP_ALL, exists && mask == MASK_CODED);
        for (u32 i = 0; i < boxes; ++i)
        {
            if (meets)
            {
                round = meeting.join(round + 1);
                if (meeting.worth())
                {
                    meeting.wait(round);
                }
            }
            Box own;
            own.first = __shfl_sync(WARP_ALL, kept.first, i);
            own.len = __shfl_sync(WARP_ALL, kept.len, i);
            own.shape = __shfl_sync(WARP_ALL, kept.shape, i);
#pragma unroll
            for (u32 a = 0; a < 3; ++a)
            {
                own.n[a] = __shfl_sync(WARP_ALL, kept.n[a], i);
            }
            const BoxTarget<T, Output> target{grid,
                                              output,
                                              own,
                                              taps.layout,
                                              __shfl_sync(WARP_ALL, kept.begin, i),
                                              (wanted >> i & 1) != 0};
            const u32 own_mode = __shfl_sync(WARP_ALL, kept.mode, i);
            if (own_mode == MODE_VERBATIM)
            {
                copy_exact(target, words + __shfl_sync(WARP_ALL, kept.exact_at, i));
            }
            else if (own_mode == MODE_EXACT)
            {
                aside(target, [](DenseDecoder &copy, const BoxTarget<T, Output> &of) {
                    copy.read_exact(of);
                });
            }
            else
            {
                const u32 record = __shfl_sync(WARP_ALL, kept.record_at, i);
                const u32 kind = __shfl_sync(WARP_ALL, kept.mask, i);
                if (!coded_box(target, own_mode, base, kind, record > 0, words + record))
                {
                    if (meets)
                    {
                        meeting.leave(true);
                    }
                    return fail(number, FAULT_PLACES);
                }
            }
            __syncwarp();
            if (meets)
            {
                meeting.leave(__shfl_sync(WARP_ALL, kept.mask, i) == MASK_CODED);
            }
        }
        if (!rans.ended())
        {
            fail(number, FAULT_SYMBOLS);
        }
    }

    FSZ_DEVICE void copy_exact(const BoxTarget<T, Output> &target, const u32 *from) const
    {
        for (u32 at = lane; at < target.box.len; at += 32)
        {
            if (T *const to = target.place(BoxPoint(target.box, at), at))
            {
                *to = value_of(records().element_at(from + at * WORDS));
            }
        }
    }

    /// Calls `part` with copies, so that what is not inlined does not drive the states of this
    /// decoder from registers.
    template <class Part>
    FSZ_DEVICE void aside(const BoxTarget<T, Output> &target, const Part &part)
    {
        DenseDecoder copy = *this;
        const BoxTarget<T, Output> of = target;
        part(copy, of);
        rans = copy.rans;
    }

    __device__ __noinline__ void read_exact(const BoxTarget<T, Output> &target)
    {
        RansDecoder own = rans;
        const u32 len = target.box.len;
        for (u32 word = 0; word < WORDS; ++word)
        {
            const auto write = [&](u32 first, u32 count) {
                put_lorenzo<u32>(memory, len, first, count, [&](u32 position, u32 value) {
                    if (T *const to = target.place(BoxPoint(target.box, position), position))
                    {
                        reinterpret_cast<u32 *>(to)[word] = value;
                    }
                });
            };
            decode_lorenzo<u32, false>(
                own, len, memory, differences, 0, 1,
                [](i32 code) { return static_cast<u32>(code); }, write);
        }
        rans = own;
    }

    /// Which elements of the lane are masked, in their order.
    FSZ_DEVICE MaskBits lorenzo_mask(const Box &box) const
    {
        MaskBits mask;
        mask.begin();
        BoxPoint point(box, min(lane * lorenzo_lane_len(box.len), box.len - 1));
        const u32 own = lorenzo_own(box.len);
        for (u32 k = 0; k < own; ++k)
        {
            mask.put(k, value_at(memory + point.place(taps.layout)) != 0);
            point.step(box);
        }
        __syncwarp();
        return mask;
    }

    __device__ __noinline__ void read_lorenzo(const BoxTarget<T, Output> &target, i32 base,
                                              u32 order, bool masked, Bits pattern)
    {
        RansDecoder own = rans;
        const Box &box = target.box;
        MaskBits mask;
        if (masked)
        {
            mask = lorenzo_mask(box);
        }
        const Values codes = values.codes();
        const auto make = [&](i32 code) { return codes.of(code); };
        const auto write = [&](u32 first, u32 count) {
            if (masked)
            {
                const u32 to = memory + lane * LORENZO_PITCH * sizeof(T);
                for (u32 left = mask.words[first / 32]; left; left &= left - 1)
                {
                    shared_at<T>(to + (__ffs(left) - 1) * sizeof(T)) = value_of(pattern);
                }
            }
            if constexpr (Output::WHOLE)
            {
                if (box.len == DENSE_BOX)
                {
                    const u64 row = grid.shape[3], plane = row * grid.shape[2];
                    return put_whole_lorenzo(memory, taps.layout, row, plane, first,
                                             output.out + box.first);
                }
            }
            put_lorenzo<T>(memory, box.len, first, count, [&](u32 position, T value) {
                if (T *const to = target.place(BoxPoint(box, position), position))
                {
                    *to = value;
                }
            });
        };
        if (by_lorenzo())
        {
            decode_lorenzo<T, true>(own, box.len, memory, differences, base, order, make, write);
        }
        else
        {
            decode_lorenzo<T, false>(own, box.len, memory, differences, base, order, make, write);
        }
        rans = own;
    }

    /// Writes the elements of values; masked ones are the pattern.
    template <class Decode>
    FSZ_DEVICE void write(const BoxTarget<T, Output> &target, const Decode &decoded, bool masked,
                          MaskBits &mask, Bits pattern) const
    {
        if (masked)
        {
            target.template write<true>(memory, decoded, mask, value_of(pattern));
        }
        else
        {
            target.template write<false>(memory, decoded, mask, value_of(pattern));
        }
    }

    /// A flat, interpolated or Lorenzo box; false where an element is listed and masked. (A null
    /// pointer in the place of `has_record` makes the compiler of CUDA 13.0 read `record_words`
    /// even so, in the kernels of `double`.)
    FSZ_DEVICE bool coded_box(const BoxTarget<T, Output> &target, u32 mode, i32 base, u32 mask,
                              bool has_record, const u32 *record_words)
    {
        const Box &box = target.box;
        const DecodeProgram *const program = work->programs + box.shape;
        Bits pattern = 0;
        EscapeRecord<WORDS> record(0);
        if (has_record)
        {
            record = EscapeRecord<WORDS>(__ldg(record_words));
            pattern = mask != MASK_NONE ? records().pattern_of(record, record_words) : 0;
        }
        bool sound = true;
        if (mask == MASK_ALL)
        {
            mask_all(memory);
        }
        else if (mask == MASK_CODED)
        {
            RansDecoder copy = rans;
            read_coded_mask(copy, memory, program, taps.flag_zeros, taps.layout == LAYOUT_LINE);
            rans = copy;
        }
        if (mask != MASK_NONE)
        {
            for (u32 k = lane; k < record.listed; k += 32)
            {
                const u32 at = listed_position(record_words + record.positions(), k);
                sound &= value_at(memory + BoxPoint(box, at).place(taps.layout)) == 0;
            }
        }
        i32 own = base;
        if (mode != MODE_FLAT)
        {
            rans.prepare();
            const u32 word = word_at(differences.bases + rans.slot());
            const i32 more = difference(rans, word, lane == 0);
            own = static_cast<i32>(static_cast<u32>(base) +
                                   static_cast<u32>(__shfl_sync(WARP_ALL, more, 0)));
        }
        if (mode == MODE_LORENZO_1 || mode == MODE_LORENZO_2)
        {
            const u32 order = mode == MODE_LORENZO_1 ? 1 : 2;
            const bool masked = mask != MASK_NONE;
            aside(target, [=](DenseDecoder &copy, const BoxTarget<T, Output> &of) {
                copy.read_lorenzo(of, own, order, masked, pattern);
            });
        }
        else
        {
            const bool masked = mask != MASK_NONE;
            MaskBits bits;
            if (masked)
            {
                target.keep_mask(memory, bits);
            }
            if (mode == MODE_FLAT)
            {
                const T value = values.codes().of(own);
                write(target, [&](i32) { return value; }, masked, bits, pattern);
            }
            else
            {
                interpolate<Output::WHOLE>(rans, memory, program, taps, masked);
                const u32 zero = static_cast<u32>(own) << grid.fine;
                const Values points = values.points();
                const auto decoded = [&](i32 value) {
                    return points.of(static_cast<i32>(zero + static_cast<u32>(value)));
                };
                write(target, decoded, masked, bits, pattern);
            }
        }
        // Behind the elements' other values.
        __syncwarp();
        for (u32 k = lane; k < record.listed; k += 32)
        {
            const u32 at = listed_position(record_words + record.positions(), k);
            if (T *const to = target.place(BoxPoint(box, at), at))
            {
                *to = value_of(records().element_at(record_words + record.bits() + k * WORDS));
            }
        }
        return __all_sync(WARP_ALL, sound);
    }
};

} // namespace fsz
