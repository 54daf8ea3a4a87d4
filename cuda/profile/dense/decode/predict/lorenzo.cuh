// Codes by Lorenzo prediction, one lane's run of a box each (FORMAT.md, Dense: Lorenzo).
#pragma once

#include "profile/dense/decode/code/rans_decoder.cuh"
#include "profile/dense/decode/out/write_box.cuh"

namespace fsz
{

/// Steps after which what lanes have decoded is written out, and room between two lanes in memory.
constexpr u32 LORENZO_STEPS = 32;
constexpr u32 LORENZO_PITCH = LORENZO_STEPS + 1;
static_assert(32 * LORENZO_PITCH * sizeof(double) <= BOX_BYTES, "room for elements of all lanes");

/// Where the slots of differences are: those of bases in shared memory, those of Lorenzo prediction
/// there or not.
struct DifferenceSlots
{
    u32 bases;
    u32 shared;
    const u32 *global;
};

/// Decodes a box of Lorenzo prediction. `make` turns a code into what is kept of it for `write`,
/// which is called after each LORENZO_STEPS steps, with the first of them and how many they are.
/// SHARED: the slots are in shared memory.
template <class V, bool SHARED, class Make, class Write>
FSZ_DEVICE void decode_lorenzo(RansDecoder &rans, u32 len, u32 memory, const DifferenceSlots &slots,
                               i32 base, u32 order, const Make &make, const Write &write)
{
    together();
    const u32 steps = same(lorenzo_lane_len(len)), own_steps = lorenzo_own(len);
    const u32 row = memory + lane_id() * LORENZO_PITCH * sizeof(V);
    const u32 shared = slots.shared;
    const u32 *const global = slots.global;
    LorenzoLane own(order);
    u32 step = 1;
    {
        const i32 more = difference(rans, word_at(slots.bases + rans.slot()), own_steps > 0);
        const u32 from_base = warp_inclusive(own_steps > 0 ? static_cast<u32>(more) : 0, lane_id());
        own.begin(static_cast<u32>(base) + from_base);
        shared_at<V>(row) = make(static_cast<i32>(own.last));
    }
    for (u32 first = 0; first < steps; first += LORENZO_STEPS)
    {
        const u32 end = min(first + LORENZO_STEPS, steps);
        u32 to = row + (step - first) * sizeof(V);
#pragma unroll 1
        for (; step < end; ++step, to += sizeof(V))
        {
            const u32 slot = own.context() * SLOTS_BYTES + rans.slot();
            const u32 word = SHARED ? word_at(shared + slot) : __ldg(global + slot / 4);
            const i32 more = difference(rans, word, step < own_steps);
            const u32 code = own.expected + static_cast<u32>(more);
            own.take(code, more);
            shared_at<V>(to) = make(static_cast<i32>(code));
        }
        write(first, end - first);
        together();
    }
}

/// Calls `put` with the position in a box of `len` elements, and what was kept of it, of `count`
/// steps from `first` on.
template <class V, class Put>
FSZ_DEVICE void put_lorenzo(u32 memory, u32 len, u32 first, u32 count, const Put &put)
{
    const u32 lane = lane_id(), steps = lorenzo_lane_len(len);
    __syncwarp();
    for (u32 from = 0; from < 32; ++from)
    {
        const u32 position = from * steps + first + lane;
        if (lane < count && position < len)
        {
            put(position, shared_at<V>(memory + (from * LORENZO_PITCH + lane) * sizeof(V)));
        }
    }
    __syncwarp();
}

/// The same of a whole box, whose first element goes to `out`: a lane's run of codes is rows of a
/// plane or of a brick, or a part of a line.
template <class V>
FSZ_DEVICE void put_whole_lorenzo(u32 memory, u32 layout, u64 row, u64 plane, u32 first, V *out)
{
    constexpr u32 RUN = DENSE_BOX / 32, PLANE = 64, BRICK = 16;
    static_assert(RUN == 2 * PLANE && 2 * RUN == BRICK * BRICK, "what two runs are");
    const u32 lane = lane_id(), at = first + lane;
    // From a run to the next one, and to the one behind that.
    const u64 next = layout == LAYOUT_LINE    ? RUN
                     : layout == LAYOUT_PLANE ? 2 * row
                                              : BRICK / 2 * row;
    const u64 pair = layout == LAYOUT_BRICK ? plane : 2 * next;
    V *to = out + (layout == LAYOUT_LINE    ? at
                   : layout == LAYOUT_PLANE ? at / PLANE * row + at % PLANE
                                            : at / BRICK * row + at % BRICK);
    u32 from = memory + lane * sizeof(V);
    constexpr u32 PITCH = LORENZO_PITCH * sizeof(V);
    __syncwarp();
#pragma unroll 4
    for (u32 k = 0; k < 16; ++k)
    {
        __stcs(to, shared_at<V>(from));
        __stcs(to + next, shared_at<V>(from + PITCH));
        to += pair;
        from += 2 * PITCH;
    }
    __syncwarp();
}

} // namespace fsz
