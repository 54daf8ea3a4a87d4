// How the elements of boxes are turned into codes and targets, and how near they come to what they
// are decoded to: with an absolute bound (FORMAT.md, Dense: quantize).
#pragma once

#include "encode/arguments.cuh"
#include "profile/dense/chunk.cuh"
#include "profile/dense/encode/missing.cuh"

namespace fsz
{

FSZ_DEVICE float difference_of(float a, float b) { return __fsub_rn(a, b); }
FSZ_DEVICE double difference_of(double a, double b) { return __dsub_rn(a, b); }

/// Values that a box can have.
constexpr i32 VALUE_MOST = static_cast<i32>(DENSE_MOST_VALUE);
/// The parts of a point that a target is away from the first point of its box, at most.
constexpr double TARGET_MOST = static_cast<double>(DENSE_MOST_VALUE << DENSE_PART_BITS);

/// The points of a quantizer, 2^fine of them for each code.
template <class Z> struct Points;

template <class T> struct Points<Quantizer<T>>
{
    using Error = T;

    const Quantizer<T> z;
    const Missing<T> &missing;
    const u32 fine;
    /// Parts of points in a unit, and the distance of points.
    const double parts;
    const T lattice;

    FSZ_DEVICE Points(const CompressArgs<T> &args, u32 fine)
        : z(quantizer_of<T>(*args.control)), missing(args.missing), fine(fine),
          parts(static_cast<double>(1u << (DENSE_PART_BITS + fine)) / static_cast<double>(z.step)),
          lattice(product(z.step, static_cast<T>(1.0 / (1u << fine))))
    {
    }

    /// What gives a loop's elements their codes.
    FSZ_DEVICE const Points &codes() const { return *this; }

    /// Whether an element has a code, and the code.
    FSZ_DEVICE bool code_of(T d, i32 &code) const
    {
        const double scaled = __dmul_rn(static_cast<double>(d), static_cast<double>(z.inverse));
        const double rounded = __dsub_rn(__dadd_rn(scaled, ROUND_WIDE), ROUND_WIDE);
        // The first comparison is false for NaN.
        const bool has = fabs(scaled) <= CODE_MAX + 0.5 && fabs(rounded) <= CODE_MAX &&
                         z.step != 0 && !missing.is(bits_of(d));
        code = has ? static_cast<i32>(rounded) : 0;
        return has;
    }

    /// The same of an element whose code must keep the bound.
    FSZ_DEVICE bool strict_code_of(T d, i32 &code, T &error) const
    {
        return code_of(d, code) && near(d, code, z.step, error);
    }

    /// What makes targets of the elements of a box whose first code is `own`.
    struct Targets
    {
        double parts;
        double zero;

        /// The target of an element, false where it has none.
        FSZ_DEVICE bool operator()(T d, i32 &target) const
        {
            const double part = rint(__dsub_rn(__dmul_rn(static_cast<double>(d), parts), zero));
            target = static_cast<i32>(part);
            return fabs(part) <= TARGET_MOST;
        }
    };

    FSZ_DEVICE Targets targets(i32 own) const
    {
        return {parts,
                static_cast<double>(own) * static_cast<double>(1u << (DENSE_PART_BITS + fine))};
    }

    /// Whether an element without a code may have one of some targets.
    FSZ_DEVICE bool between_codes(T, const Targets &) const { return false; }

    /// Tells whether elements keep the bound that are decoded to a point, and their errors.
    struct Nearness
    {
        const Points &points;

        FSZ_DEVICE bool operator()(T d, i32 point, T &error) const
        {
            return points.near(d, point, points.lattice, error);
        }

        /// The same, and takes the error of one that keeps the bound into the largest.
        FSZ_DEVICE bool takes(T d, i32 point, T &largest) const
        {
            T error;
            const bool is_near = (*this)(d, point, error);
            largest = is_near ? larger(largest, error) : largest;
            return is_near;
        }
    };

    FSZ_DEVICE Nearness nearness() const { return {*this}; }

    FSZ_DEVICE bool near(T d, i32 code, T unit, T &error) const
    {
        error = difference_of(d, product(from_code(code, T(0)), unit));
        error = error < 0 ? -error : error;
        return error < z.limit;
    }
};

/// The largest error of a warp.
template <class T> FSZ_DEVICE T warp_larger(T error)
{
    return value_of(
        static_cast<typename Element<T>::Bits>(warp_max(static_cast<u64>(bits_of(error)))));
}

/// Takes an error into a lane's statistics.
template <class T> FSZ_DEVICE void take_error(T error, Statistics &statistics)
{
    const u64 bits = bits_of(error);
    statistics.max_error = max(statistics.max_error, bits);
}

} // namespace fsz
