// Boxes of which some elements are masked or listed, and all others have targets that are known to
// fit: to targets, with what is left out marked (FORMAT.md, Dense: escapes).
#pragma once

#include "encode/value_range.cuh"
#include "profile/dense/encode/box/each_element.cuh"
#include "profile/dense/encode/box/points.cuh"
#include "profile/dense/encode/plain/targets.cuh"

namespace fsz
{

/// Which elements of a box are masked: those that have some bits, or, where it is not known which,
/// those that are no numbers or missing.
template <class Bits> struct MaskOf
{
    bool known;
    Bits bits;
};

/// What a box with masked or listed elements is.
template <class Bits> struct MaskedBox
{
    /// Whether all other elements are numbers, and have targets that are known to fit or none.
    bool plain;
    /// Whether all masked ones have the same bits.
    bool alike;
    /// Whether a single one is masked, and is listed instead: it is counted among both.
    bool single;
    u32 masked;
    /// Those that are listed, and how often one has other bits than the lane's before.
    u32 listed;
    u32 changes;
    Bits pattern;

    /// Whether more than so many stay listed, whatever is masked of them: those of one pattern.
    /// Each of the others makes two changes at most, and those of the pattern one more for each
    /// lane.
    FSZ_DEVICE bool lists_more(u32 count) const { return changes > 2 * count + 32; }
};

/// What a lane has found of the elements of a box of which at most one value is named as missing.
struct LeftOutOfLane
{
    /// Whether what is masked is known; otherwise it is what is no number.
    const bool known;
    /// The missing value; a NaN where none is named.
    const u32 missing;
    /// The bits of those that are masked, as far as they are alike.
    u32 pattern;
    bool alike = true;
    bool plain = true;
    u32 masked = 0;
    u32 listed = 0;
    u32 changes = 0;
    u32 last = 0;

    FSZ_DEVICE LeftOutOfLane(u32 missing, MaskOf<u32> mask)
        : known(mask.known), missing(missing), pattern(mask.known ? mask.bits : missing)
    {
    }

    /// The target of an element that has no target known to fit and not the pattern's bits.
    FSZ_DEVICE u32 take_odd(float d, double part)
    {
        const u32 bits = bits_of(d);
        const bool number = is_number(d) && bits != missing;
        if (!known && !number)
        {
            // The lane's first one tells which they are.
            pattern = masked == 0 ? bits : pattern;
            alike = alike && bits == pattern;
            ++masked;
            return MASKED_TARGET;
        }
        // No integer near the part is a target.
        const bool far = !number || !(fabs(part) < TARGET_MOST + 1);
        plain = plain && far && number;
        listed += far;
        changes += far && bits != last;
        last = bits;
        return LISTED_TARGET;
    }

    /// Called by a warp.
    FSZ_DEVICE MaskedBox<u32> of_box() const
    {
        const u32 least = __reduce_min_sync(WARP_ALL, masked > 0 ? pattern : ~0u);
        const u32 most = __reduce_max_sync(WARP_ALL, masked > 0 ? pattern : 0);
        const u32 all = __reduce_add_sync(WARP_ALL, masked);
        return {__all_sync(WARP_ALL, plain) != 0,
                __all_sync(WARP_ALL, alike) != 0 && (all == 0 || least == most),
                false,
                all,
                __reduce_add_sync(WARP_ALL, listed),
                __reduce_add_sync(WARP_ALL, changes),
                all > 0 ? least : Element<float>::QUIET_NAN};
    }
};

/// `quantize_masked` where all of a box comes to `stage` at once, and one missing value is named at
/// most, which has no target that is known to fit.
template <u32 LAYOUT, u32 WIDTH, class Numbers>
FSZ_DEVICE MaskedBox<u32> quantize_masked_landed(const BoxSpan<float> &span, u32 stage,
                                                 const Numbers &numbers, u32 missing,
                                                 MaskOf<u32> mask)
{
    LeftOutOfLane found(missing, mask);
    const auto take = [&](u32 place, const float(&d)[WIDTH], bool there) {
        u32 words[WIDTH];
        double part[WIDTH];
        bool odd = false;
#pragma unroll
        for (u32 k = 0; k < WIDTH; ++k)
        {
            const bool masked = there & (bits_of(d[k]) == found.pattern);
            part[k] = numbers.part(d[k]);
            // False for what is no number.
            const bool fits = !there | (fabs(part[k]) <= numbers.limit);
            const u32 target = static_cast<u32>(__double2loint(__dadd_rn(part[k], numbers.magic)));
            words[k] = masked ? MASKED_TARGET : fits ? target : LISTED_TARGET;
            found.masked += masked;
            odd |= !masked & !fits;
        }
        if (odd)
        {
#pragma unroll
            for (u32 k = 0; k < WIDTH; ++k)
            {
                words[k] = words[k] == LISTED_TARGET ? found.take_odd(d[k], part[k]) : words[k];
            }
        }
        if (there)
        {
            store_targets<LAYOUT, WIDTH>(stage + place, words);
        }
    };
    each_landed<LAYOUT, WIDTH, false>(span, stage, take);
    return found.of_box();
}

/// Turns the elements of a box into targets at `stage`, those of the mask into masked ones, and
/// other ones without targets into listed ones.
template <u32 LAYOUT, u32 WIDTH, class Numbers, class T>
FSZ_DEVICE MaskedBox<typename Element<T>::Bits>
quantize_masked(const BoxSpan<T> &span, u32 stage, const Numbers &numbers,
                const Missing<T> *missing, MaskOf<typename Element<T>::Bits> mask)
{
    using Bits = typename Element<T>::Bits;
    if constexpr (LANDS<LAYOUT, Numbers, T>)
    {
        const u32 named = missing->count == 0 ? Element<T>::QUIET_NAN : missing->bits[0];
        if (missing->count <= 1 && !(fabs(numbers.part(value_of(named))) <= numbers.limit))
        {
            return Apart<true, LAYOUT>::call([span, stage, numbers, named, mask]() {
                return quantize_masked_landed<LAYOUT, WIDTH>(span, stage, numbers, named, mask);
            });
        }
    }
    bool plain = true, alike = true;
    u32 masked = 0, listed = 0, changes = 0;
    Bits pattern = 0, last = 0;
    const MissingAtHand<T> at_hand(*missing);
    const auto target = [&](T d, u32) {
        const Bits bits = bits_of(d);
        const bool number = is_number(d) && !at_hand.is(bits);
        if (mask.known ? bits == mask.bits : !number)
        {
            pattern = masked == 0 ? bits : pattern;
            ++masked;
            alike = alike && bits == pattern;
            return MASKED_TARGET;
        }
        const double part = number ? numbers.part(d) : value_of(Element<double>::QUIET_NAN);
        if (!(fabs(part) <= numbers.limit))
        {
            // No integer near the part is a target; true for NaN.
            const bool far = !(fabs(part) < TARGET_MOST + 1);
            plain = plain && far && number;
            listed += far;
            // Where codes take few instructions they are looked at instead.
            if constexpr (!Numbers::SHORT)
            {
                changes += far && bits != last;
                last = bits;
            }
            return LISTED_TARGET;
        }
        return static_cast<u32>(__double2loint(__dadd_rn(part, numbers.magic)));
    };
    each_element<LAYOUT, WIDTH>(span, [&](u32 place, const T(&d)[WIDTH]) {
        u32 words[WIDTH] = {};
        each_word(d, words, target);
        store_targets<LAYOUT, WIDTH>(stage + place, words);
    });
    const u32 votes = __ballot_sync(WARP_ALL, masked > 0);
    const Bits all = __shfl_sync(WARP_ALL, pattern, votes ? __ffs(votes) - 1 : 0);
    alike = alike && (masked == 0 || pattern == all);
    // Nothing that is a number is left out where nothing is masked.
    return {__all_sync(WARP_ALL, plain) != 0,
            __all_sync(WARP_ALL, alike) != 0,
            false,
            __reduce_add_sync(WARP_ALL, masked),
            __reduce_add_sync(WARP_ALL, listed),
            __reduce_add_sync(WARP_ALL, changes),
            votes ? all : Element<T>::QUIET_NAN};
}

/// The elements of a box that have neither a code nor a target.
template <class Bits> struct Codeless
{
    /// How many they are.
    u32 count;
    /// The bits of the first one; that of a NaN if there is none.
    Bits first;
};

/// Finds them among what is masked or listed of the targets at `stage`. Unless `all` are asked for
/// it ends when it has found one.
template <u32 LAYOUT, class Points, class T>
FSZ_DEVICE Codeless<typename Element<T>::Bits> find_codeless(const BoxSpan<T> &span, u32 stage,
                                                             const Points &points, bool all)
{
    const SmallDivisor rows(span.n[2]), planes(span.n[1]);
    const u32 lane = lane_id(), len = span.len();
    const auto &codes = points.codes();
    Codeless<typename Element<T>::Bits> found{0, Element<T>::QUIET_NAN};
#pragma unroll 1
    for (u32 from = 0; from < len && (all || found.count == 0); from += 32)
    {
        const SpanPoint point(rows, planes, min(from + lane, len - 1));
        const i32 target = load_value(stage + point.template place<LAYOUT>());
        const bool left_out = target <= static_cast<i32>(LISTED_TARGET) && from + lane < len;
        if (!__any_sync(WARP_ALL, left_out))
        {
            continue;
        }
        const T d = __ldg(span.at(point));
        i32 code;
        const u32 votes =
            __ballot_sync(WARP_ALL, left_out && (target == static_cast<i32>(MASKED_TARGET) ||
                                                 !codes.code_of(d, code)));
        if (votes != 0 && found.count == 0)
        {
            found.first = __shfl_sync(WARP_ALL, bits_of(d), __ffs(votes) - 1);
        }
        found.count += __popc(votes);
    }
    return found;
}

/// That a box is not fit for interpolation at all: whether it is known, if so many of its elements
/// have no code. Where targets are guessed, more of them may have none.
struct Misfit
{
    static constexpr u32 ANY = ~0u;
    bool known;
    u32 without;

    FSZ_DEVICE bool holds(u32 codeless) const { return without == ANY || without == codeless; }
};

/// Targets of a box and whether it is a misfit.
template <class Bits> struct QuantizedByMask
{
    MaskedBox<Bits> box;
    Misfit misfit;
};

/// Lists what is masked of a box, whose targets are at `stage`, if it is a single element and any
/// may be listed.
template <u32 LAYOUT, class T, class Bits>
FSZ_DEVICE void list_single(const BoxSpan<T> &span, u32 stage, MaskedBox<Bits> &box)
{
    const u32 len = span.len();
    if (box.masked != 1 || len < DENSE_LISTED_SHARE)
    {
        return;
    }
    box.single = true;
    ++box.listed;
    const SmallDivisor rows(span.n[2]), planes(span.n[1]);
    bool found = false;
    __syncwarp();
#pragma unroll 1
    for (u32 from = lane_id(); !__any_sync(WARP_ALL, found); from += 32)
    {
        const SpanPoint point(rows, planes, min(from, len - 1));
        const u32 at = stage + point.template place<LAYOUT>();
        if (from < len && load_word(at) == MASKED_TARGET)
        {
            store_word(at, LISTED_TARGET);
            found = true;
        }
    }
    __syncwarp();
}

/// Turns the elements of a box with masked or listed ones into targets at `stage`. Unless too many
/// are listed anyway, the right ones are masked: the first element without a code tells which.
/// `guessed`: whether elements with targets may have no code.
template <u32 LAYOUT, u32 WIDTH, class Numbers, class Points, class T>
FSZ_DEVICE QuantizedByMask<typename Element<T>::Bits>
quantize_by_mask(const BoxSpan<T> &span, u32 stage, const Numbers &numbers, const Points &points,
                 const Missing<T> *missing, bool guessed)
{
    using Bits = typename Element<T>::Bits;
    const u32 most = span.len() / DENSE_LISTED_SHARE;
    MaskOf<Bits> mask{};
    Misfit misfit{false, Misfit::ANY};
#pragma unroll 1
    for (;;)
    {
        auto box = quantize_masked<LAYOUT, WIDTH>(span, stage, numbers, missing, mask);
        if (mask.known)
        {
            list_single<LAYOUT>(span, stage, box);
            misfit.known = box.listed > most;
            return {box, misfit};
        }
        if (box.lists_more(most))
        {
            return {box, {true, Misfit::ANY}};
        }
        Codeless<Bits> codeless{box.masked, box.pattern};
        if (box.plain && !(box.alike && box.listed == 0))
        {
            codeless = Apart<true, LAYOUT>::call([&span, stage, &points, guessed]() {
                return find_codeless<LAYOUT>(span, stage, points, guessed);
            });
            __syncwarp();
        }
        misfit.without = guessed ? codeless.count : Misfit::ANY;
        if (!box.plain || (box.alike && codeless.first == box.pattern))
        {
            if (box.plain)
            {
                list_single<LAYOUT>(span, stage, box);
            }
            misfit.known = box.plain && box.listed > most;
            return {box, misfit};
        }
        mask = {true, codeless.first};
    }
}

} // namespace fsz
