// Points between the codes of a pointwise-relative bound, on the same curve (FORMAT.md, Dense:
// quantize).
#pragma once

#include "decode/values.cuh"
#include "profile/dense/chunk.cuh"

namespace fsz
{

/// Whether there can be 2^fine points for each code of a bound whose numbers are in a header.
FSZ_DEVICE bool can_be_finer(const u64 *numbers, u32 fine)
{
    const u64 stride = __ldg(numbers + RELATIVE_STRIDE), own = stride >> fine;
    const u32 knee = static_cast<u32>(__ldg(numbers + RELATIVE_KNEE));
    const bool even = own << fine == stride && own >= DENSE_LEAST_STRIDE;
    return fine == 0 || (even && knee <= DENSE_MOST_FINE_KNEE);
}

/// What makes elements of points, 2^fine of them for each code. The pattern of a point of 0 is that
/// of a code of 0: the bases differ by so much.
template <class T> FSZ_DEVICE CurveValues<T> finer(const CurveValues<T> &codes, u32 fine)
{
    CurveValues<T> points = codes;
    points.linear_step = product(codes.linear_step, static_cast<T>(1.0 / (1u << fine)));
    points.knee = (codes.knee << fine) + (1u << fine >> 1);
    points.stride = codes.stride >> fine;
    return points;
}

} // namespace fsz
