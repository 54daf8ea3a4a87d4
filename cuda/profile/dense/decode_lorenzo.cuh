// Codes by Lorenzo prediction, one lane's run of a box each (FORMAT.md, Dense: Lorenzo).
#pragma once

#include "profile/dense/rans_decoder.cuh"
#include "profile/dense/write_box.cuh"

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

/// Decodes a box of Lorenzo prediction. `make` turns a code into what is kept until `put` writes it
/// to a position of the box. SHARED: the slots are in shared memory.
template <class V, bool SHARED, class Make, class Put>
FSZ_DEVICE void decode_lorenzo(RansDecoder &rans, u32 len, u32 memory,
                               const DifferenceSlots &from_slots, i32 base, u32 order,
                               const Make &make, const Put &put)
{
    const u32 bases = from_slots.bases, shared_slots = from_slots.shared;
    const u32 *const slots = from_slots.global;
    together();
    const u32 lane = lane_id();
    const u32 steps = same(lorenzo_lane_len(len));
    const u32 begin = lane * steps;
    LorenzoLane own(0);
    for (u32 block = 0; block < steps; block += LORENZO_STEPS)
    {
        const u32 end = min(block + LORENZO_STEPS, steps);
#pragma unroll 1
        for (u32 step = block; step < end; ++step)
        {
            const bool active = begin + step < len;
            const u32 row = (step == 0 ? 0 : own.context()) * SLOTS_BYTES + rans.slot();
            const u32 word = step == 0 ? word_at(bases + rans.slot())
                             : SHARED  ? word_at(shared_slots + row)
                                       : __ldg(slots + row / 4);
            const i32 more = difference(rans, word, active);
            i32 code;
            if (step == 0)
            {
                code = static_cast<i32>(static_cast<u32>(base) +
                                        warp_inclusive(static_cast<u32>(more), lane));
                own = LorenzoLane(code);
            }
            else
            {
                code = static_cast<i32>(static_cast<u32>(own.prediction(order, step)) +
                                        static_cast<u32>(more));
                own.take(code, more);
            }
            shared_at<V>(memory + (lane * LORENZO_PITCH + step - block) * sizeof(V)) =
                make(code, step);
        }
        __syncwarp();
        if (block + lane < end)
        {
            for (u32 from = 0; from < 32; ++from)
            {
                const u32 position = from * steps + block + lane;
                if (position < len)
                {
                    put(position, shared_at<V>(memory + (from * LORENZO_PITCH + lane) * sizeof(V)));
                }
            }
        }
        __syncwarp();
    }
}

} // namespace fsz
