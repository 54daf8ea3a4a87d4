// The points of an interpolated box from their predictions and symbols.
#pragma once

#include "device/bits.cuh"
#include "profile/dense/decode/code/rans_decoder.cuh"
#include "profile/dense/decode/predict/program.cuh"

namespace fsz
{

/// 1.5 · 2^23 as a float: added to a whole number it shows that number in its low bits.
constexpr u32 WHOLE_BITS = 0x4B400000u;
constexpr float WHOLE = 12582912.0f;

/// The size of a whole number that fits in 22 bits.
FSZ_DEVICE float size_of(i32 number)
{
    return fabsf(__fadd_rn(__uint_as_float(WHOLE_BITS + static_cast<u32>(number)), -WHOLE));
}

/// What a step says of its residual.
struct Residual
{
    /// In the low half: the residual in lattice points.
    u32 points;
    /// What it tells of others.
    float size;
};

/// How a step ended. It is `rare` if there is more to do, by what else this tells.
struct StepEnd
{
    bool rare;
    u32 at;
    u32 entry;
    u32 prediction;
    u32 word;
};

/// A box as a warp decodes it.
struct BoxDecoder
{
    RansDecoder rans;
    /// 16 times the size of the lane's last residual, and SIZE_LEAST; that alone where residuals do
    /// not tell of those around them.
    float last;
    /// That of the lanes before and behind.
    float low;
    float high;
    /// Where in shared memory the box and the rows of slots begin.
    u32 box;
    u32 slots;
    /// What a lattice point of the spread counts in a context.
    float spread_unit;
    /// Lattice points of a step by 16, and what makes a slot's residual a number of them.
    float points_unit;
    float points_origin;
    /// What makes a slot's residual one that tells of others.
    float last_unit;
    float last_origin;

    /// A number of the slots: 2^15 + 16 (residual + RESIDUAL_BIAS).
    static constexpr u32 SCALED_BITS = 0x47000000u;
    static constexpr u32 SLOT_DIRECT = FIRST_LONG - 1;
    static constexpr float SCALED_ORIGIN = 32768.0f + 16 * RESIDUAL_BIAS;
    static_assert(SLOT_NUMBER_SHIFT == 12, "a symbol counts 16 in a float of 2^15");
    static_assert(SLOTS_BYTES == 1 << 11, "bytes of a context's slots");
    /// A size counts the lane's own last residual twice and one of each side, which together begin
    /// with the 16 that are the smallest.
    static constexpr float SIZE_LEAST = 16 / 4;
    /// Exponent and top bit of the mantissa of a size tell the context of a point of the finest
    /// grid, the exponent that of others: bytes from the slots to the rows of 0.
    static constexpr u32 FINE_ROWS = 0u - (127 + 4) * 2 * SLOTS_BYTES;
    static constexpr u32 COARSE_ROWS = (DENSE_FINE_CONTEXTS - (127 + 4)) * SLOTS_BYTES;
    static constexpr u32 CORNER_ROW = DENSE_CORNERS * SLOTS_BYTES;

    FSZ_DEVICE BoxDecoder(const RansDecoder &rans, u32 box, u32 slots, u32 fine, bool around)
        : rans(rans), last(SIZE_LEAST), low(last), high(last), box(box), slots(slots),
          spread_unit(static_cast<float>((1u << DENSE_SPREAD_BITS) >> fine)),
          points_unit(static_cast<float>(1u << fine) / 16),
          points_origin(in_register(WHOLE - SCALED_ORIGIN * points_unit)),
          last_unit(around ? 1 : 0), last_origin(in_register(around ? -SCALED_ORIGIN : 0))
    {
    }

    /// Whether the word of any lane, be it active or not, has raw bits behind, or half words are
    /// low. (What a compiler makes of the expression are twice as many instructions.)
    FSZ_DEVICE bool any_long_or_low(u32 word) const
    {
        u32 any;
        asm volatile("{\n.reg .pred rare;\n.reg .b32 t;\n"
                     "and.b32 t, %1, %4;\n"
                     "setp.ne.b32 rare, t, 0;\n"
                     "setp.gt.or.u32 rare, %2, %3, rare;\n"
                     "vote.sync.any.pred rare, rare, -1;\n"
                     "selp.u32 %0, 1, 0, rare;\n}"
                     : "=r"(any)
                     : "r"(word), "r"(rans.words.at), "r"(rans.words.mark), "n"(SLOT_LONG));
        return any != 0;
    }

    /// The residual of a slot's number.
    FSZ_DEVICE Residual residual_of(float scaled) const
    {
        const float sixteenfold = __fmaf_rn(scaled, last_unit, last_origin);
        return {__float_as_uint(__fmaf_rn(scaled, points_unit, points_origin)),
                __fadd_rn(fabsf(sixteenfold), SIZE_LEAST)};
    }

    /// The value of a point from its prediction and its residual by a slot's word, for the lanes
    /// whose `entry` is not negative; of those that are `masked` the prediction, without a symbol.
    /// What the next step needs of other lanes, and half words, are on their way then.
    template <bool AROUND, bool MASKED = false>
    FSZ_DEVICE StepEnd residual(u32 at, u32 entry, u32 prediction, u32 word, bool masked = false)
    {
        const u32 coded = MASKED && masked ? ENTRY_IDLE : entry;
        const bool rare = any_long_or_low(MASKED && masked ? 0 : word);
        rans.take(static_cast<i32>(coded) >= 0, word);
        rans.ask();
        const Residual own = residual_of(
            __uint_as_float(select(SLOT_DIRECT << SLOT_NUMBER_SHIFT, word, SCALED_BITS)));
        put(at, prediction + (MASKED && masked ? 0 : own.points),
            MASKED && masked ? SIZE_LEAST : own.size, entry);
        if constexpr (AROUND)
        {
            look_around();
        }
        return {rare, at, coded, prediction, word};
    }

    /// What is left of a step with raw bits or few half words.
    template <bool AROUND> FSZ_DEVICE void rest(const StepEnd &of)
    {
        rans.settle();
        const bool longer = static_cast<i32>(of.entry) >= 0 && (of.word & SLOT_LONG) != 0;
        if (__any_sync(WARP_ALL, longer))
        {
            const i32 more = 16 * long_residual(rans, of.word, longer);
            const Residual own = residual_of(__fadd_rn(static_cast<float>(more), SCALED_ORIGIN));
            put(of.at, of.prediction + own.points, own.size, longer ? 0 : ENTRY_IDLE);
            if constexpr (AROUND)
            {
                look_around();
            }
        }
        rans.prepare();
    }

    /// So many steps, one at least, each of which `step` begins. What is rare is left out of the
    /// loop, so that a step has one branch.
    template <bool AROUND = true, class Step> FSZ_DEVICE void run(u32 steps, const Step &step)
    {
        for (;;)
        {
            StepEnd end;
#pragma unroll 1
            do
            {
                end = step();
                --steps;
            } while (!end.rare && steps > 0);
            if (end.rare)
            {
                rest<AROUND>(end);
            }
            if (steps == 0)
            {
                return;
            }
        }
    }

    /// Keeps the value and the size of the residual of a point of an entry, if it is one.
    FSZ_DEVICE void put(u32 at, u32 value, float size, u32 entry)
    {
        asm volatile("{\n.reg .pred point;\nsetp.gt.s32 point, %4, -1;\n"
                     "@point mov.b32 %0, %3;\n"
                     "@point st.shared.u16 [%1], %2;\n}"
                     : "+f"(last)
                     : "r"(at), "h"(static_cast<u16>(value)), "f"(size), "r"(entry)
                     : "memory");
    }

    /// The corners, which tell nothing of others.
    template <bool MASKED> FSZ_DEVICE void corners(u32 at, u32 entry)
    {
        const u32 coded = MASKED && value_of_point(at, entry) != 0 ? ENTRY_IDLE : entry;
        put_value(at, 0, entry);
        run<false>(1, [&] {
            return residual<false>(at, coded, 0, word_at<CORNER_ROW>(slots + rans.slot()));
        });
        rans.settle();
        last = SIZE_LEAST;
        rans.prepare();
    }

    /// Asks for the sizes of the lanes beside this one.
    FSZ_DEVICE void look_around()
    {
        low = __shfl_up_sync(WARP_ALL, last, 1);
        high = __shfl_down_sync(WARP_ALL, last, 1);
    }

    /// Before steps and behind them, which may not go on in between.
    FSZ_DEVICE void begin_steps() { look_around(); }
    FSZ_DEVICE void end_steps() { rans.settle(); }

    /// The value of a point from its prediction and, if the pass has residuals, its own. A lane
    /// whose `entry` is negative has no point. AROUND: boxes may be longer than 1 along several
    /// axes.
    template <bool FINE, bool MASKED, bool AROUND = true>
    FSZ_DEVICE StepEnd step(u32 at, u32 entry, i32 prediction, float spread, bool coded_pass = true)
    {
        if (!coded_pass)
        {
            put(at, static_cast<u32>(prediction), SIZE_LEAST, entry);
            return {};
        }
        // A mask's flag stands where the value will.
        const bool masked = MASKED && value_of_point(at, entry) != 0;
        rans.settle();
        const float around = AROUND ? __fmaf_rn(last, 2, __fadd_rn(low, high)) : 4 * SIZE_LEAST;
        const float size = fminf(__fmaf_rn(spread, spread_unit, around), 4095);
        const u32 row = (__float_as_uint(size) >> (FINE ? 22 - 11 : 23 - 11)) + slots;
        const u32 slot = select(SLOTS_BYTES - 1, rans.state << 2, row);
        constexpr u32 ROWS = FINE ? FINE_ROWS : COARSE_ROWS;
        const u32 word = word_at<ROWS>(slot);
        return residual<AROUND, MASKED>(at, entry, static_cast<u32>(prediction), word, masked);
    }
};

} // namespace fsz
