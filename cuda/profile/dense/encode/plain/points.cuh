// What a quantizer does with the elements of a plain box.
#pragma once

#include "profile/dense/encode/apart.cuh"
#include "profile/dense/encode/plain/compare.cuh"
#include "profile/dense/encode/plain/targets.cuh"

namespace fsz
{

/// The points of plain boxes, by a quantizer.
template <class Z> struct PlainPoints;

template <class T> struct PlainPoints<Quantizer<T>> : Points<Quantizer<T>>
{
    using Points<Quantizer<T>>::z;
    using Points<Quantizer<T>>::fine;
    using Points<Quantizer<T>>::parts;
    using Points<Quantizer<T>>::lattice;

    TargetLimits limits;

    FSZ_DEVICE PlainPoints(const CompressArgs<T> &args, u32 fine)
        : Points<Quantizer<T>>(args, fine), limits(fine)
    {
    }

    /// Whether elements have targets at all.
    FSZ_DEVICE bool any() const { return z.step != 0; }

    /// Takes note of the error of a box.
    FSZ_DEVICE void keep_error(T) {}

    /// An error of the boxes so far, from which the largest of a box may begin.
    FSZ_DEVICE T known_error() const { return 0; }

    /// Gives `use` the numbers that make targets of the elements of a box whose first code is
    /// `own`.
    template <class Use> FSZ_DEVICE auto with_numbers(i32 own, const Use &use) const
    {
        const double zero =
            static_cast<double>(own) * static_cast<double>(1u << (DENSE_PART_BITS + fine));
        return use(TargetNumbers<T>{parts, zero, limits.limit, limits.magic});
    }

    template <u32 LAYOUT, u32 WIDTH, bool MASKED, bool RANGE>
    FSZ_DEVICE Decoded<T, T> compared(const BoxSpan<T> &span, u32 stage, i32 base,
                                      const Decoded<T, T> &found, LeftOut<T, MASKED> out) const
    {
        return Apart<MASKED, LAYOUT>::call([=, lattice = lattice]() {
            return compare_box<T, LAYOUT, WIDTH, MASKED, RANGE>(span, stage, base, lattice, found,
                                                                out);
        });
    }

    /// Whether all elements of a box but those left out keep the bound; `found` has the largest
    /// error of the lane.
    template <u32 LAYOUT, u32 WIDTH, bool MASKED>
    FSZ_DEVICE bool strict(const BoxSpan<T> &span, u32 stage, i32 own, Decoded<T, T> &found,
                           bool range, LeftOut<T, MASKED> out) const
    {
        const i32 shifted = static_cast<i32>(static_cast<u32>(own) << fine);
        const T low = found.low, high = found.high;
        // Few boxes are masked: another function for them would drive others from the cache.
        found = range || MASKED
                    ? compared<LAYOUT, WIDTH, MASKED, true>(span, stage, shifted, found, out)
                    : compared<LAYOUT, WIDTH, MASKED, false>(span, stage, shifted, found, out);
        found.low = range ? found.low : low;
        found.high = range ? found.high : high;
        return __all_sync(WARP_ALL, found.error < z.limit);
    }
};

} // namespace fsz
