// The codes of a box in shared memory, to be predicted by Lorenzo prediction, and then its
// differences in their places (FORMAT.md, Dense: Lorenzo). A lane's elements follow one another;
// they lie step by step, so that those of all lanes meet different banks.
#pragma once

#include "device/warp.cuh"
#include "profile/dense/chunk.cuh"
#include "profile/dense/rans_encoder.cuh"
#include "profile/dense/stage_memory.cuh"

namespace fsz
{

/// In the place of the code of an element that has none.
constexpr i32 NO_CODE = static_cast<i32>(0x80000000);

/// What an order comes to.
struct LorenzoCost
{
    /// Bits of all differences, and bits that any of them has.
    u64 bits;
    u32 any;
};

struct LorenzoStage
{
    u32 stage;
    u32 len;
    u32 lane_len;
    u32 log;

    /// Of a box of so many elements.
    FSZ_DEVICE LorenzoStage(u32 stage, u32 len)
        : stage(stage), len(len), lane_len(lorenzo_lane_len(len)), log(log_of(lane_len))
    {
    }

    /// Where the word of an element is.
    FSZ_DEVICE u32 place(u32 at) const
    {
        const u32 lane = quotient(at, lane_len, log);
        return stage + 4 * (32 * (at - lane * lane_len) + lane);
    }

    FSZ_DEVICE void put(u32 at, i32 code) const { store_word(place(at), static_cast<u32>(code)); }

    /// The code of an element; false where it has none.
    FSZ_DEVICE bool get(u32 at, i32 &code) const
    {
        code = static_cast<i32>(load_word(place(at)));
        return code != NO_CODE;
    }

    /// Where the lane's first word is, and how many it has.
    FSZ_DEVICE u32 own() const { return stage + 4 * lane_id(); }
    FSZ_DEVICE u32 own_len() const
    {
        const i32 left = static_cast<i32>(len - lane_id() * lane_len);
        return static_cast<u32>(min(max(left, 0), static_cast<i32>(lane_len)));
    }

    /// The code of the lane's first element, which is that of the last one before it that a lane
    /// begins with where it has none, and the difference from that of the lane before.
    FSZ_DEVICE i32 first(i32 base, i32 &difference) const
    {
        const u32 lane = lane_id();
        i32 code = static_cast<i32>(load_word(own()));
        const bool has = own_len() > 0 && code != NO_CODE;
        const u32 votes = __ballot_sync(WARP_ALL, has) & (0xFFFFFFFFu >> (31 - lane));
        const i32 found = __shfl_sync(WARP_ALL, code, votes ? 31 - __clz(votes) : 0);
        code = votes ? found : base;
        const i32 up = __shfl_up_sync(WARP_ALL, code, 1);
        difference =
            static_cast<i32>(static_cast<u32>(code) - static_cast<u32>(lane == 0 ? base : up));
        return code;
    }

    static FSZ_DEVICE u32 size_of(i32 difference)
    {
        return difference < 0 ? 0u - static_cast<u32>(difference) : static_cast<u32>(difference);
    }

    /// What prediction by both orders comes to, of a box whose first code is `base`.
    FSZ_DEVICE void costs(i32 base, LorenzoCost (&costs)[2]) const
    {
        const u32 count = own_len();
        i32 difference;
        const i32 code = first(base, difference);
        u32 bits[2], any[2];
        i32 last[2], before[2];
#pragma unroll
        for (u32 o = 0; o < 2; ++o)
        {
            const u32 size = count > 0 ? size_of(difference) : 0;
            bits[o] = 32 - __clz(size);
            any[o] = size;
            last[o] = before[o] = code;
        }
        u32 at = own() + 128;
        u32 word = load_word(at);
#pragma unroll 1
        for (u32 step = 1; step < lane_len; ++step)
        {
            // What comes behind the last word is not used.
            at += 128;
            const u32 next = step + 1 < lane_len ? load_word(at) : 0;
            const i32 own = static_cast<i32>(word);
#pragma unroll
            for (u32 o = 0; o < 2; ++o)
            {
                const u32 slope = static_cast<u32>(last[o]) - static_cast<u32>(before[o]);
                const u32 ahead = o == 1 ? static_cast<u32>(last[o]) + slope : last[o];
                const i32 prediction = static_cast<i32>(ahead);
                const bool has = own != NO_CODE && step < count;
                const i32 taken = has ? own : prediction;
                const u32 size = size_of(
                    static_cast<i32>(static_cast<u32>(taken) - static_cast<u32>(prediction)));
                bits[o] += 32 - __clz(size);
                any[o] |= size;
                before[o] = last[o];
                last[o] = taken;
            }
            word = next;
        }
#pragma unroll
        for (u32 o = 0; o < 2; ++o)
        {
            costs[o] = {warp_sum(static_cast<u64>(bits[o])), __reduce_or_sync(WARP_ALL, any[o])};
        }
    }
};

/// A difference and its context in a word.
struct LorenzoEvent
{
    static constexpr u32 BITS = 26;
    /// Bits of differences that a word tells.
    static constexpr u32 MOST = (1u << (BITS - 1)) - 1;
    static constexpr u32 NONE = ~0u;
    static_assert(DENSE_LORENZO_CONTEXTS < NONE >> BITS, "contexts have room");

    static FSZ_DEVICE u32 of(u32 context, i32 difference)
    {
        return context << BITS | folded(difference);
    }
    static FSZ_DEVICE u32 context(u32 event) { return event >> BITS; }
    /// The difference as symbols have it.
    static FSZ_DEVICE u32 difference(u32 event) { return event & ((1u << BITS) - 1); }
};

/// Turns the codes of a box into events of prediction by order `order`.
FSZ_DEVICE void write_lorenzo(const LorenzoStage &codes, i32 base, u32 order)
{
    const u32 count = codes.own_len();
    i32 difference;
    const i32 code = codes.first(base, difference);
    LorenzoLane own(code);
    u32 at = codes.own();
    __syncwarp();
    store_word(at, count > 0 ? LorenzoEvent::of(DENSE_LORENZO_CONTEXTS, difference)
                             : LorenzoEvent::NONE);
    u32 word = codes.lane_len > 1 ? load_word(at + 128) : 0;
#pragma unroll 1
    for (u32 step = 1; step < codes.lane_len; ++step)
    {
        at += 128;
        const u32 next = step + 1 < codes.lane_len ? load_word(at + 128) : 0;
        const i32 prediction = own.prediction(order, step);
        const u32 context = own.context();
        const bool in = step < count;
        const bool has = in && static_cast<i32>(word) != NO_CODE;
        const i32 taken = has ? static_cast<i32>(word) : prediction;
        difference = static_cast<i32>(static_cast<u32>(taken) - static_cast<u32>(prediction));
        own.take(taken, difference);
        store_word(at, in ? LorenzoEvent::of(context, difference) : LorenzoEvent::NONE);
        word = next;
    }
}

} // namespace fsz
