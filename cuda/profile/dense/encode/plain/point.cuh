// The points of a plain box on a walk through it: each word in shared memory turns from a target
// into a value, and an event, which tells residual and context, goes to device memory (FORMAT.md,
// Dense: predict).
#pragma once

#include "device/copies.cuh"
#include "device/hopper.cuh"
#include "device/past_first.cuh"
#include "device/shared.cuh"
#include "profile/dense/encode/apart.cuh"
#include "profile/dense/encode/code/events.cuh"
#include "profile/dense/encode/plain/program.cuh"

namespace fsz
{

/// The targets of an element that is masked, and of one that is listed: they may come out as
/// anything, and are below all others. What is listed has a residual of 0.
constexpr u32 MASKED_TARGET = 0x80000000u;
constexpr u32 LISTED_TARGET = 0x80000001u;

/// The size of a whole number, rounded where it has more than 24 bits.
FSZ_DEVICE float rounded_size(i32 number) { return fabsf(__int2float_rn(number)); }

/// A point after the other of a lane, with what is known of those before. MASKED: some targets are
/// `MASKED_TARGET` or `LISTED_TARGET`.
template <u32 LAYOUT, bool MASKED> struct PlainPoint
{
    using Places = StagePlaces<LAYOUT>;
    /// Whether residuals tell of those around them.
    static constexpr bool AROUND = LAYOUT != LAYOUT_LINE;
    /// Sizes are in floats, whose exponent tells the octave: of the smallest one, 16, it is 1.
    static constexpr float SIZE_UNIT = 0x1p-130f;

    u32 stage;
    /// The bits of a target behind a residual, and how many values a residual of 1 is.
    u32 part_bits;
    i32 unit;
    /// What a spread counts in a context, and residuals around, if they do.
    float spread_unit;
    float weight;
    /// The weighted size of the lane's last residual and a part of what all contexts have.
    float size;
    /// The largest residual of the lane in a pass, or of the corners.
    float most;
    /// The largest magnitude of a value: one that follows from values of masked points alone may
    /// be too large.
    u32 farthest;
    /// The lane's entries from the second next one on, which is on its way; the next one is there.
    const u32 *entries;
    u32 next_entry;
    u32 later_entry;
    /// 0, which no compiler can tell.
    u32 nothing;
    /// Where the lane's first event goes, and the next one.
    const u32 *first_event;
    u32 *events;
    /// The words of the last point, and of the second one of two.
    u32 word;
    u32 later_word;
    /// DENSE_DIRECT, which a compiler would else bring to a register for each point.
    i32 direct;

    FSZ_DEVICE PlainPoint(u32 stage, u32 fine_bits, bool around, u32 nothing, const u32 *entries,
                          u32 *events)
        : stage(stage), part_bits(DENSE_PART_BITS + fine_bits), unit(1 << fine_bits),
          spread_unit(static_cast<float>((1u << DENSE_SPREAD_BITS) >> fine_bits) * SIZE_UNIT),
          weight(around ? 16 * SIZE_UNIT : 0), size(4 * SIZE_UNIT), most(0), farthest(0),
          entries(entries + 32), next_entry(__ldg(entries)), later_entry(__ldg(entries + 32)),
          nothing(nothing), first_event(events), events(events), word(0), later_word(0),
          direct(static_cast<i32>(DENSE_DIRECT | nothing))
    {
    }

    /// Loads the word of a lane's point. A lane without one stands where another has its own, and
    /// keeps the word that it has.
    FSZ_DEVICE static void load_own(u32 at, u32 entry, u32 &word)
    {
        asm volatile("{\n.reg .pred there;\nsetp.ge.s32 there, %2, 0;\n"
                     "@there ld.shared.u32 %0, [%1];\n}"
                     : "+r"(word)
                     : "r"(at), "r"(entry));
    }

    /// The same of two points of one step after the other.
    FSZ_DEVICE void load_two(u32 at, u32 entry)
    {
        // Of two by themselves the compiler would make a branch.
        asm volatile("{\n.reg .pred there;\nsetp.ge.s32 there, %3, 0;\n"
                     "@there ld.shared.u32 %0, [%2];\n"
                     "@there ld.shared.u32 %1, [%2 + %4];\n}"
                     : "+r"(word), "+r"(later_word)
                     : "r"(at), "r"(entry), "n"(Places::NEXT));
    }

    /// What is found of a point: its residual, with the size of that, and its value.
    struct Found
    {
        i32 r;
        float own;
        i32 value;
        bool masked;
    };

    FSZ_DEVICE Found find(u32 word, i32 prediction) const
    {
        const i32 target = static_cast<i32>(word);
        const bool masked = MASKED && target == static_cast<i32>(MASKED_TARGET);
        const bool left_out = MASKED && target <= static_cast<i32>(LISTED_TARGET);
        const i32 r = left_out ? 0 : (target - prediction * (1 << DENSE_PART_BITS)) >> part_bits;
        return {r, rounded_size(r), prediction + r * unit, masked};
    }

    /// What a point's context counts: the residuals of the last step, and a spread, of which it
    /// counts 2^BITS a step. Then the point's own residual is that of the last step.
    template <u32 BITS> FSZ_DEVICE float mean(u32 entry, float own, float spread)
    {
        constexpr float PART = 1.f / (1u << (DENSE_SPREAD_BITS - BITS));
        if constexpr (AROUND)
        {
            const float sides =
                __fadd_rn(__shfl_up_sync(WARP_ALL, size, 1), __shfl_down_sync(WARP_ALL, size, 1));
            const float m = __fmaf_rn(size, 2, __fmaf_rn(spread, spread_unit * PART, sides));
            // The compiler would take two registers and move them.
            asm("{\n.reg .pred there;\nsetp.ge.s32 there, %1, 0;\n"
                "@there fma.rn.f32 %0, %2, %3, %4;\n}"
                : "+f"(size)
                : "r"(entry), "f"(own), "f"(weight), "f"(4 * SIZE_UNIT));
            return m;
        }
        else
        {
            return __fmaf_rn(spread, spread_unit * PART, 16 * SIZE_UNIT);
        }
    }

    /// The event of a point. The exponent of what its context counts is the octave, and the digits
    /// behind it are those of a context.
    FSZ_DEVICE u32 event(bool there, const Found &found, float mean, bool fine) const
    {
        const u32 digits = __float_as_uint(fminf(mean, 4095 * SIZE_UNIT));
        const u32 own = fine ? PlainEvent<true>::of(found.r, direct, (digits >> 22) - 2)
                             : PlainEvent<false>::of(found.r, direct, (digits >> 23) - 1);
        return there && !found.masked ? own : NO_RESIDUAL;
    }

    /// Leaves the value of a point that is there.
    FSZ_DEVICE void leave(u32 at, const Found &found)
    {
        most = fmaxf(most, found.own);
        if constexpr (MASKED)
        {
            farthest = max(farthest, static_cast<u32>(abs(found.value)));
        }
        store_word(at, static_cast<u32>(found.value));
    }

    /// Takes the point at `at`, in whose context the spread counts 2^BITS a step. The entry tells
    /// whether the lane has one: a number, which takes fewer instructions than a truth value that
    /// is kept.
    template <u32 BITS>
    FSZ_DEVICE void point(u32 at, i32 prediction, float spread, u32 entry, bool fine)
    {
        const bool there = static_cast<i32>(entry) >= 0;
        load_own(at, entry, word);
        const Found found = find(word, prediction);
        give(event(there, found, mean<BITS>(entry, found.own, spread), fine));
        if (there)
        {
            leave(at, found);
        }
    }

    /// Takes two points of one step after the other, whose words are loaded.
    template <u32 BITS = DENSE_SPREAD_BITS>
    FSZ_DEVICE void two_points(u32 at, const i32 (&prediction)[2], const float (&spread)[2],
                               u32 entry)
    {
        const bool there = static_cast<i32>(entry) >= 0;
        const Found first = find(word, prediction[0]), second = find(later_word, prediction[1]);
        const float mean0 = mean<BITS>(entry, first.own, spread[0]);
        const float mean1 = mean<BITS>(entry, second.own, spread[1]);
        store_past_first<0>(events, event(there, first, mean0, true));
        store_past_first<32>(events, event(there, second, mean1, true));
        events += 64;
        if (there)
        {
            leave(at, first);
            leave(at + Places::NEXT, second);
        }
    }

    /// Leaves the event of a step.
    FSZ_DEVICE void give(u32 event)
    {
        store_past_first(events, event);
        events += 32;
    }

    /// Fills up the last group of steps; gives how many groups there are.
    FSZ_DEVICE u32 end_group()
    {
        while ((events - first_event) % (32 * GROUP_STEPS) != 0)
        {
            give(NO_RESIDUAL);
        }
        return same(static_cast<u32>((events - first_event) / (32 * GROUP_STEPS)));
    }

    /// Corners, which have a group of steps of their own; whether they have residuals.
    FSZ_DEVICE bool corners(u32 entry)
    {
        using Event = PlainEvent<false>;
        const bool there = static_cast<i32>(entry) >= 0;
        const u32 at = stage + (entry & ENTRY_POSITION);
        const i32 target = load_value(at);
        const bool masked = MASKED && target == static_cast<i32>(MASKED_TARGET);
        const bool left_out = MASKED && target <= static_cast<i32>(LISTED_TARGET);
        const i32 r = left_out ? 0 : target >> part_bits;
        const i32 value = r * unit;
        const float own = there ? rounded_size(r) : 0;
        give(there && !masked ? Event::of(r, direct, Event::CONTEXTS - 1) : NO_RESIDUAL);
        __syncwarp();
        if (there)
        {
            store_word(at, static_cast<u32>(value));
        }
        __syncwarp();
        most = own;
        // The rest of the group is not looked at.
        end_group();
        return __any_sync(WARP_ALL, own > 0);
    }
};

} // namespace fsz
