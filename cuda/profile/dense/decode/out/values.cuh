// What makes elements of the codes of boxes, and of the points between them (FORMAT.md, Dense:
// quantize).
#pragma once

#include "profile/dense/finer.cuh"

namespace fsz
{

/// The numbers of a stream that make elements, as a decoder keeps them.
template <class Values> struct DenseValues;

/// Of an absolute bound: the bits of the step, in which there are 2^fine points.
template <class T> struct DenseValues<Multiples<T>>
{
    const T step;
    const T lattice;

    FSZ_DEVICE DenseValues(const StreamView &, u64 step, u32 fine)
        : step(static_cast<T>(value_of(step))),
          lattice(product(this->step, static_cast<T>(1.0 / (1u << fine))))
    {
    }

    FSZ_DEVICE Multiples<T> codes() const { return {step}; }
    FSZ_DEVICE Multiples<T> points() const { return {lattice}; }
};

/// Of a pointwise-relative bound: read from the header for each box, for registers are scarce.
template <class T> struct DenseValues<CurveValues<T>>
{
    const u64 *const numbers;
    const u32 fine;

    FSZ_DEVICE DenseValues(const StreamView &view, u64, u32 fine)
        : numbers(reinterpret_cast<const u64 *>(view.bytes + view.relative_at)), fine(fine)
    {
    }

    FSZ_DEVICE CurveValues<T> codes() const
    {
        CurveValues<T> values;
        values.set([&](u32 k) { return __ldg(numbers + k); });
        return values;
    }

    FSZ_DEVICE CurveValues<T> points() const { return finer(codes(), fine); }
};

} // namespace fsz
