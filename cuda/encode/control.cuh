// What a compression's launches and thread blocks tell each other, in the caller's scratch.
#pragma once

#include "encode/quantizer.cuh"
#include "format/format.cuh"

namespace fsz
{

/// What the encoder gathers beside the bytes (FORMAT.md, Certificate). All zero at first.
struct Statistics
{
    /// `order_key`s: of the largest element, and the complement of that of the smallest.
    u64 max_key;
    u64 min_key;
    /// The bits of the largest error.
    u64 max_error;
    /// Of a pointwise-relative bound: those of the largest relative error of logarithmic codes.
    u64 max_relative_error;
    u64 nan;
    u64 inf;
    u64 missing;
    u64 escaped;
};

/// The beginning of the scratch: the driver sets it, and what follows it for the scan, to zero
/// before the first launch of a compression. The stream's length and the status are for the driver
/// to read.
struct Control
{
    /// Bytes of the whole stream, once it is done.
    u64 stream_len;
    /// 0, or 1: the stream is longer than the output buffer.
    u32 status;
    /// Whether the range is that of the survey.
    u32 range_known;
    /// Whether everything that is finite and not missing is within FUSED_REACH before its error is
    /// looked at.
    u32 near;
    /// Whether elements may be equal to a named missing value.
    u32 named;
    /// Thread blocks that have finished the survey, that have begun and that have finished
    /// encoding.
    u32 bound_done;
    u32 begun;
    u32 encoded;
    /// What the rates add to the metadata checksum, so far.
    u32 metadata_sum;
    double absolute_bound;
    /// The quantizer; the values are of the element type.
    double step;
    double inverse;
    double limit;
    /// Of the chunks that are encoded so far, where chunks are encoded by several launches.
    u64 payload_words;
    Statistics statistics;
    /// Of a pointwise-relative bound: the lowest pattern of the first logarithmic code.
    u64 origin;
};

template <class T> FSZ_DEVICE Quantizer<T> quantizer_of(const Control &control)
{
    return {static_cast<T>(control.step), static_cast<T>(control.inverse),
            static_cast<T>(control.limit)};
}

/// Missing values by their bits.
template <class T> struct Missing
{
    typename Element<T>::Bits bits[MISSING_MAX];
    u32 count;

    FSZ_DEVICE bool is(typename Element<T>::Bits d) const
    {
        bool found = false;
        if (count > 0)
        {
#pragma unroll
            for (u32 m = 0; m < MISSING_MAX; ++m)
            {
                found |= m < count && d == bits[m];
            }
        }
        return found;
    }
};

} // namespace fsz
