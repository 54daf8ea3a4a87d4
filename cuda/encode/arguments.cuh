// What every compress kernel is told, and what a profile's encoder tells of the elements that it
// has encoded.
#pragma once

#include "encode/finish.cuh"

namespace fsz
{

/// Pointers are to device memory.
template <class T> struct CompressArgs
{
    const T *field;
    /// 16-aligned; sections up to the payload always fit.
    u8 *stream;
    u64 stream_capacity;
    Control *control;
    /// An entry per chunk.
    u64 *entries;
    Sections sections;
    Missing<T> missing;
};

/// The arguments of kernels of a quantizer, which is made of them.
template <class Z> struct ArgsOf
{
    using Args = typename Z::Args;
};

template <class T> struct ArgsOf<Quantizer<T>>
{
    using Args = CompressArgs<T>;
};

template <class T>
FSZ_DEVICE Quantizer<T> make_quantizer(const CompressArgs<T> &, const Control &control)
{
    return quantizer_of<T>(control);
}

/// What the header tells of a bound beside what it does of every one.
template <class T> FSZ_DEVICE NoFields own_fields(const CompressArgs<T> &) { return {}; }

/// A part of a chunk, which a warp encodes.
template <class T> struct Part
{
    const T *field;
    /// Elements of the field, and the part's first one.
    u64 elements;
    u64 first;
    /// Number of the part in its chunk.
    u32 number;
    /// Shared memory of the part's size in codes: where its elements are, if they are there.
    u32 *codes;

    /// How many elements of the lane's block exist.
    FSZ_DEVICE u32 existing(u32 lane) const
    {
        const u64 mine = first + lane * BLOCK;
        return mine < elements ? static_cast<u32>(min(elements - mine, static_cast<u64>(BLOCK)))
                               : 0;
    }
};

/// What became of a part of a chunk, as each lane of its warp knows it.
struct Encoded
{
    /// The lane's rate byte, if its tile exists.
    u32 rate_byte;
    bool exists;
    /// Words of the part's payload.
    u32 length;
    /// What its payload adds to the checksum of its chunk; the same in all lanes.
    u32 share;
};

} // namespace fsz
