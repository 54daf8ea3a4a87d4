// A point of an interpolated box from its prediction and its symbol.
#pragma once

#include "device/bits.cuh"
#include "profile/dense/decode_program.cuh"
#include "profile/dense/rans_decoder.cuh"

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
    /// 16 times the residual.
    float sixteenfold;
};

/// A box as a warp decodes it.
struct BoxDecoder
{
    RansDecoder rans;
    /// 16 times the lane's last residual; 0 where residuals do not tell of those around them.
    float last;
    /// Where the box begins in shared memory, and where the rows of slots begin for the exponents
    /// of floats in the finest grid and in coarse ones.
    u32 box;
    u32 fine_rows;
    u32 coarse_rows;
    u32 corner_row;
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
    /// Exponent and top bit of the mantissa of a size tell the context: 16 is the smallest.
    static constexpr u32 FINE_FIRST = (127 + 4) * 2;
    static constexpr u32 COARSE_FIRST = 127 + 4;

    FSZ_DEVICE BoxDecoder(const RansDecoder &rans, u32 box, u32 slots, u32 fine, bool around)
        : rans(rans), last(0), box(box), fine_rows(slots - FINE_FIRST * SLOTS_BYTES),
          coarse_rows(slots + (DENSE_FINE_CONTEXTS - COARSE_FIRST) * SLOTS_BYTES),
          corner_row(slots + DENSE_CORNERS * SLOTS_BYTES),
          spread_unit(static_cast<float>((1u << DENSE_SPREAD_BITS) >> fine)),
          points_unit(static_cast<float>(1u << fine) / 16),
          points_origin(WHOLE - SCALED_ORIGIN * points_unit), last_unit(around ? 1 : 0),
          last_origin(around ? -SCALED_ORIGIN : 0)
    {
    }

    /// The residual by the slot at an address, for the lanes whose `entry` is not negative.
    FSZ_DEVICE Residual residual(u32 at, u32 entry)
    {
        const u32 word = word_at(at);
        const bool longer = (word & SLOT_LONG) != 0 && static_cast<i32>(entry) >= 0;
        bool any_longer = false;
        if (__builtin_expect(__any_sync(WARP_ALL, longer || rans.words.low()), 0))
        {
            rans.prepare();
            any_longer = __any_sync(WARP_ALL, longer);
        }
        rans.advance_points(entry, word);
        float scaled = __uint_as_float(select(SLOT_DIRECT << SLOT_NUMBER_SHIFT, word, SCALED_BITS));
        if (__builtin_expect(any_longer, 0))
        {
            const i32 own = 16 * long_residual(rans, word, longer);
            scaled = longer ? __fadd_rn(static_cast<float>(own), SCALED_ORIGIN) : scaled;
        }
        return {__float_as_uint(__fmaf_rn(scaled, points_unit, points_origin)),
                __fmaf_rn(scaled, last_unit, last_origin)};
    }

    /// What the residuals around a lane add to the size of its next one; asked for early, for it
    /// takes its time.
    FSZ_DEVICE float size_around() const
    {
        const float low = __shfl_up_sync(WARP_ALL, last, 1);
        const float high = __shfl_down_sync(WARP_ALL, last, 1);
        return __fadd_rn(__fmaf_rn(fabsf(last), 2, 16), __fadd_rn(fabsf(low), fabsf(high)));
    }

    /// The value of a point from its prediction and, if the pass has residuals, its own. A lane
    /// whose `entry` is negative has no point.
    template <bool FINE, bool MASKED>
    FSZ_DEVICE void step(u32 at, u32 entry, i32 prediction, float spread, float around,
                         bool coded_pass = true)
    {
        if (!coded_pass)
        {
            put_value(at, static_cast<u32>(prediction), entry);
            last = static_cast<i32>(entry) >= 0 ? 0 : last;
            return;
        }
        const float size = fminf(__fmaf_rn(spread, spread_unit, around), 4095);
        const u32 row = (__float_as_uint(size) >> (FINE ? 22 - 11 : 23 - 11)) +
                        (FINE ? fine_rows : coarse_rows);
        const u32 slot = select(SLOTS_BYTES - 1, rans.state << 2, row);
        // A mask's flag stands where the value will.
        const u32 coded = MASKED && value_of_point(at, entry) != 0 ? ENTRY_IDLE : entry;
        Residual r = residual(slot, coded);
        if (MASKED && static_cast<i32>(coded) < 0)
        {
            r = Residual{0, 0};
        }
        put_value(at, static_cast<u32>(prediction) + r.points, entry);
        last = static_cast<i32>(entry) >= 0 ? r.sixteenfold : last;
    }
};

} // namespace fsz
