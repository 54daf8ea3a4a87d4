// The header, once everything else is known (FORMAT.md, Header).
#pragma once

#include "control.cuh"
#include "warp.cuh"

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
FSZ_DEVICE void finish(const HeaderImage &image, const Layout &layout, Control *control, u8 *stream,
                       u32 *words)
{
    using Bits = typename Element<T>::Bits;
    const u32 lane = lane_id();
    for (u32 k = lane; k < image.len / 4; k += 32)
    {
        words[k] = image.words[k];
    }
    __syncwarp();
    const u64 payload_len = 4 * control->payload_words;
    const u64 stream_len = layout.payload + payload_len;
    if (lane == 0)
    {
        const Tally &tally = control->tally;
        set_u64(words, AT_STREAM_LEN, stream_len);
        set_f64(words, AT_BOUND, control->absolute_bound);
        set_f64(words, AT_STEP, control->step);
        words[AT_METADATA_SUM / 4] = mix(control->metadata_sum);
        set_u64(words, AT_PAYLOAD_LEN, payload_len);
        set_f64(words, AT_MAX_ERROR, value_of(static_cast<Bits>(tally.max_error)));
        if (tally.max_key == 0)
        {
            set_u64(words, AT_MIN, Element<double>::QUIET_NAN);
            set_u64(words, AT_MAX, Element<double>::QUIET_NAN);
        }
        else
        {
            // −0 counts as +0.
            set_f64(words, AT_MIN,
                    __dadd_rn(value_of_key<T>(~static_cast<Bits>(tally.min_key)), 0.0));
            set_f64(words, AT_MAX,
                    __dadd_rn(value_of_key<T>(static_cast<Bits>(tally.max_key)), 0.0));
        }
        set_u64(words, AT_NAN, tally.nan);
        set_u64(words, AT_INF, tally.inf);
        set_u64(words, AT_MISSING, tally.missing);
        set_u64(words, AT_ESCAPED, tally.escaped);
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
    const u64 groups = (layout.chunks + GROUP_CHUNKS - 1) / GROUP_CHUNKS;
    clear_padding(stream, layout.rates + TILE_BLOCKS * layout.tiles, lane);
    clear_padding(stream, layout.sizes + 2 * layout.chunks, lane);
    clear_padding(stream, layout.offsets + 8 * groups, lane);
    clear_padding(stream, layout.sums + 4 * layout.chunks, lane);
    if (lane == 0)
    {
        control->stream_len = stream_len;
    }
}

} // namespace fsz
