// The elements of a plain box to targets: all of them have one that is known to fit.
#pragma once

#include "encode/arguments.cuh"
#include "encode/value_range.cuh"
#include "profile/dense/encode/box/each_element.cuh"

namespace fsz
{

/// Which targets are known to fit, and what makes integers of them.
struct TargetLimits
{
    /// By how many parts targets may be away from the first one.
    double limit;
    /// The integer that a sum with it is rounded to stands in its low word, and half a point above,
    /// so that a shift rounds a residual.
    double magic;

    FSZ_DEVICE explicit TargetLimits(u32 fine)
    {
        // A value is at most half a residual's step away.
        limit = static_cast<double>((DENSE_MOST_VALUE - (1u << fine) - 1) << DENSE_PART_BITS);
        magic = 0x1.8p52 + static_cast<double>(1u << (DENSE_PART_BITS + fine - 1));
    }
};

/// The numbers that turn elements into targets.
template <class T> struct TargetNumbers
{
    /// Whether a target takes few instructions.
    static constexpr bool SHORT = true;
    double parts;
    double zero;
    double limit;
    double magic;

    /// The target of an element before it is rounded; NaN where it has none.
    FSZ_DEVICE double part(T d) const
    {
        return __dsub_rn(__dmul_rn(static_cast<double>(d), parts), zero);
    }
};

/// Whether a word of a box at `stage` is this one; those beside the box's may be, too. Called by a
/// warp.
FSZ_DEVICE bool any_word(u32 stage, u32 word)
{
    bool any = false;
#pragma unroll 1
    for (u32 at = 8 * lane_id(); at < 4 * STAGE_WORDS; at += 8 * 32)
    {
        u32 first, second;
        load_pair(stage + at, first, second);
        any = any || first == word || second == word;
    }
    return __any_sync(WARP_ALL, any);
}

/// Whether one of a box's elements, whose targets are at `stage`, is a missing value that has a
/// target known to fit. Apart, since missing values are seldom near. Called by a warp.
template <class Numbers, class T>
__device__ __noinline__ bool any_missing_near(BoxSpan<T> span, u32 stage, Numbers numbers,
                                              const Missing<T> *missing)
{
    bool any = false;
    __syncwarp();
#pragma unroll 1
    for (u32 m = 0; m < missing->count; ++m)
    {
        const double part = numbers.part(value_of(missing->bits[m]));
        const i32 word = __double2loint(__dadd_rn(part, numbers.magic));
        // Few boxes have its target, and of those not all have it.
        any = any || (fabs(part) <= numbers.limit && any_word(stage, static_cast<u32>(word)));
    }
    return any && any_element(span, [&](T d) { return missing->is(bits_of(d)); });
}

/// The largest of some parts and others, by what their bits tell of their magnitudes.
FSZ_DEVICE u32 larger_part(u32 top, double part)
{
    const u32 high = static_cast<u32>(__double2hiint(part));
    return max(top, high + high);
}

/// Whether all elements of a box come to shared memory at once, and some are worked on side by
/// side: where that takes code that is short enough, since the walk through bricks is the longest.
template <u32 LAYOUT, class Numbers, class T>
constexpr bool LANDS = sizeof(T) == sizeof(u32) && (Numbers::SHORT || LAYOUT != LAYOUT_BRICK);

/// Turns the elements of a box into targets at `stage`; whether all of them have one and are known
/// to fit. `missing` is null where none is named.
template <u32 LAYOUT, u32 WIDTH, class Numbers, class T>
FSZ_DEVICE bool quantize_box(BoxSpan<T> span, u32 stage, Numbers numbers, const Missing<T> *missing)
{
    u32 top = 0;
    const auto target = [&](T d, u32 &most) {
        const double part = numbers.part(d);
        most = larger_part(most, part);
        return static_cast<u32>(__double2loint(__dadd_rn(part, numbers.magic)));
    };
    if constexpr (Numbers::SHORT || LANDS<LAYOUT, Numbers, T>)
    {
        const auto take = [&](u32 place, const T(&d)[WIDTH], bool there) {
            u32 words[WIDTH], most = top;
#pragma unroll
            for (u32 k = 0; k < WIDTH; ++k)
            {
                words[k] = target(d[k], most);
            }
            if (there)
            {
                top = most;
                store_targets<LAYOUT, WIDTH>(stage + place, words);
            }
        };
        if constexpr (LANDS<LAYOUT, Numbers, T>)
        {
            each_landed<LAYOUT, WIDTH, Numbers::SHORT>(span, stage, take);
        }
        else
        {
            each_in_turns<LAYOUT, WIDTH>(span, take);
        }
    }
    else
    {
        each_element<LAYOUT, WIDTH>(span, [&](u32 place, const T(&d)[WIDTH]) {
            u32 words[WIDTH] = {};
            each_word(d, words, [&](T own, u32) { return target(own, top); });
            store_targets<LAYOUT, WIDTH>(stage + place, words);
        });
    }
    // Those of the limit's own high word are not known to fit, nor are NaNs.
    const bool plain = __all_sync(WARP_ALL, top < larger_part(0, numbers.limit));
    // An element that is a missing value far away makes the box other than plain by itself.
    return plain && (missing == nullptr || !any_missing_near(span, stage, numbers, missing));
}

} // namespace fsz
