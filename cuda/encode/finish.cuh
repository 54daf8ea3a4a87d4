// The header, once everything else is known (FORMAT.md, Header).
#pragma once

#include "device/warp.cuh"
#include "encode/control.cuh"

namespace fsz
{

/// A header whose fields are all set but for those that only encoding tells, which are zero.
struct HeaderImage
{
    u32 words[HEADER_MOST / 4];
    /// Length in bytes, a multiple of 16.
    u32 len;
};

FSZ_DEVICE void set_u64(u32 *words, u32 at, u64 value)
{
    words[at / 4] = static_cast<u32>(value);
    words[at / 4 + 1] = static_cast<u32>(value >> 32);
}

FSZ_DEVICE void set_f64(u32 *words, u32 at, double value) { set_u64(words, at, bits_of(value)); }

/// Zeros from the end of a section to the next multiple of 16.
FSZ_DEVICE void clear_padding(u8 *stream, u64 end, u32 lane)
{
    const u64 next = (end + 15) & ~15ull;
    if (end + lane < next)
    {
        stream[end + lane] = 0;
    }
}

/// Completes the stream at `stream`. Called by one warp when all else is written and visible to it.
template <class T>
FSZ_DEVICE void finish(const HeaderImage &image, const Sections &sections, Control *control,
                       u8 *stream, u32 *words)
{
    using Bits = typename Element<T>::Bits;
    const u32 lane = lane_id();
    for (u32 k = lane; k < image.len / 4; k += 32)
    {
        words[k] = image.words[k];
    }
    __syncwarp();
    const u64 payload_len = 4 * control->payload_words;
    const u64 stream_len = sections.payload + payload_len;
    if (lane == 0)
    {
        const Statistics &statistics = control->statistics;
        set_u64(words, AT_STREAM_LEN, stream_len);
        set_f64(words, AT_BOUND, control->absolute_bound);
        set_f64(words, AT_STEP, control->step);
        words[AT_METADATA_SUM / 4] = mix(control->metadata_sum);
        set_u64(words, AT_PAYLOAD_LEN, payload_len);
        set_f64(words, AT_MAX_ERROR, value_of(static_cast<Bits>(statistics.max_error)));
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
        words[AT_HEADER_SUM / 4] = 0;
    }
    __syncwarp();
    u32 sum = 0;
    for (u32 k = lane; k < image.len / 4; k += 32)
    {
        sum += words[k] * weight(k);
    }
    sum = mix(__reduce_add_sync(WARP_ALL, sum));
    for (u32 k = lane; k < image.len / 4; k += 32)
    {
        reinterpret_cast<u32 *>(stream)[k] = k == AT_HEADER_SUM / 4 ? sum : words[k];
    }
    const u64 groups = (sections.chunks + GROUP_CHUNKS - 1) / GROUP_CHUNKS;
    clear_padding(stream, sections.rates + TILE_BLOCKS * sections.tiles, lane);
    clear_padding(stream, sections.sizes + 2 * sections.chunks, lane);
    clear_padding(stream, sections.offsets + 8 * groups, lane);
    clear_padding(stream, sections.sums + 4 * sections.chunks, lane);
    if (lane == 0)
    {
        control->stream_len = stream_len;
    }
}

} // namespace fsz
