// The header, once everything else is known (FORMAT.md, Header).
#pragma once

#include "device/warp.cuh"
#include "encode/control.cuh"
#include "format/checksum.cuh"

namespace fsz
{

/// A header whose fields are all set but for those that only encoding tells, which are zero.
struct HeaderImage
{
    u32 words[HEADER_MAX / 4];
    /// Length in bytes, a multiple of 16.
    u32 len;
};

/// Brings it to shared memory, all warps but the first of the thread block taking part.
FSZ_DEVICE void bring_image(const HeaderImage &image, u32 *words)
{
    for (u32 k = threadIdx.x - 32; k < image.len / 4; k += blockDim.x - 32)
    {
        words[k] = image.words[k];
    }
}

FSZ_DEVICE void set_u64(u32 *words, u32 at, u64 value)
{
    words[at / 4] = static_cast<u32>(value);
    words[at / 4 + 1] = static_cast<u32>(value >> 32);
}

FSZ_DEVICE void set_f64(u32 *words, u32 at, double value) { set_u64(words, at, bits_of(value)); }

/// The lane's share of what sizes, offsets and sums add to the metadata checksum, all warps but the
/// first of the thread block taking part.
FSZ_DEVICE u32 hash_index(const u8 *stream, const Sections &sections)
{
    constexpr u32 BATCH = 4;
    const uint4 *const rows = reinterpret_cast<const uint4 *>(stream + sections.rates);
    const u64 end = (sections.payload - sections.rates) / ROW_BYTES;
    const u64 stride = blockDim.x - 32;
    u32 sum = 0;
    for (u64 row = (sections.sizes - sections.rates) / ROW_BYTES + (threadIdx.x - 32); row < end;
         row += BATCH * stride)
    {
        uint4 words[BATCH];
#pragma unroll
        for (u32 k = 0; k < BATCH; ++k)
        {
            words[k] = row + k * stride < end ? __ldcg(rows + row + k * stride) : uint4{};
        }
#pragma unroll
        for (u32 k = 0; k < BATCH; ++k)
        {
            const u32 number = static_cast<u32>(row + k * stride);
            sum += row + k * stride < end ? row_of(number, products_of_four(words[k])) : 0;
        }
    }
    return sum;
}

/// Sets what only encoding tells in a header but for its checksums. Called by one thread.
template <class T> FSZ_DEVICE void set_fields(u32 *words, u64 stream_len, const Control &control)
{
    using Bits = typename Element<T>::Bits;
    const Statistics &statistics = control.statistics;
    set_u64(words, AT_STREAM_LEN, stream_len);
    set_f64(words, AT_ABSOLUTE_BOUND, control.absolute_bound);
    set_f64(words, AT_QUANTIZATION_STEP, control.step);
    set_u64(words, AT_PAYLOAD_LEN, 4 * control.payload_words);
    set_f64(words, AT_MAX_ABS_ERROR, value_of(static_cast<Bits>(statistics.max_error)));
    if (statistics.max_key == 0)
    {
        set_u64(words, AT_MIN, Element<double>::QUIET_NAN);
        set_u64(words, AT_MAX, Element<double>::QUIET_NAN);
    }
    else
    {
        // −0 counts as +0.
        set_f64(words, AT_MIN,
                __dadd_rn(value_of_key<T>(~static_cast<Bits>(statistics.min_key)), 0.0));
        set_f64(words, AT_MAX,
                __dadd_rn(value_of_key<T>(static_cast<Bits>(statistics.max_key)), 0.0));
    }
    set_u64(words, AT_NAN, statistics.nan);
    set_u64(words, AT_INF, statistics.inf);
    set_u64(words, AT_MISSING, statistics.missing);
    set_u64(words, AT_ESCAPED, statistics.escaped);
    words[AT_HEADER_CHECKSUM / 4] = 0;
}

/// Sets nothing more in a header.
struct NoFields
{
    FSZ_DEVICE void operator()(u32 *) const {}
};

/// Leaves what the scratch says of a compression as it is.
struct NothingMore
{
    FSZ_DEVICE void operator()(Control &) const {}
};

/// Completes the stream at `stream`, by the metadata checksum and the header. Called by a whole
/// thread block of two warps at least, when all else is written and visible to it. `words` is
/// shared memory for a header and a `Control`, 8-aligned, and begins with the header's image of so
/// many bytes; `set_own` sets in the header what depends on the kind of bound, and `amend` adds
/// what the thread block alone knows to its copy of the control.
template <class T, class SetOwn = NoFields, class Amend = NothingMore>
FSZ_DEVICE void finish(u32 image_len, const Sections &sections, Control *control, u8 *stream,
                       u32 *words, const SetOwn &set_own = {}, const Amend &amend = {})
{
    constexpr u32 CONTROL_WORDS = sizeof(Control) / sizeof(u64);
    static_assert(HEADER_MAX % 8 == 0 && CONTROL_WORDS <= 64, "it lies behind the header");
    const u32 lane = lane_id();
    // All of it at once: one thread's reads would come one after another.
    Control &found = *reinterpret_cast<Control *>(words + HEADER_MAX / 4);
    if (threadIdx.x < CONTROL_WORDS)
    {
        reinterpret_cast<u64 *>(&found)[threadIdx.x] =
            __ldcg(reinterpret_cast<const u64 *>(control) + threadIdx.x);
    }
    // What is read for it is on its way with what was asked for above.
    const u32 index_sum =
        threadIdx.x >= 32 ? __reduce_add_sync(WARP_ALL, hash_index(stream, sections)) : 0;
    __syncthreads();
    const u64 stream_len = sections.payload + 4 * found.payload_words;
    if (threadIdx.x == 0)
    {
        // Read at once, too.
        Control known = found;
        amend(known);
        set_fields<T>(words, stream_len, known);
        set_own(words);
    }
    if (threadIdx.x >= 32 && lane == 0)
    {
        atomicAdd(&found.metadata_sum, index_sum);
    }
    __syncthreads();
    if (threadIdx.x >= 32)
    {
        return;
    }
    if (lane == 0)
    {
        words[AT_METADATA_CHECKSUM / 4] = found.metadata_sum;
        control->stream_len = stream_len;
    }
    __syncwarp();
    const u32 share = hash_rows<32>(words, image_len / 4, 0, lane);
    const u32 header_sum = __reduce_add_sync(WARP_ALL, share);
    for (u32 k = lane; k < image_len / 4; k += 32)
    {
        reinterpret_cast<u32 *>(stream)[k] = k == AT_HEADER_CHECKSUM / 4 ? header_sum : words[k];
    }
}

} // namespace fsz
