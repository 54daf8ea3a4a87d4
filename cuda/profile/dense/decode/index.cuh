// Where the parts of a payload lie, by the index (FORMAT.md, Sections).
#pragma once

#include "decode/stream_view.cuh"
#include "device/warp.cuh"

namespace fsz
{

/// Words of an entry in the payload.
struct EntryPlace
{
    u64 base;
    u32 words;
};

/// Finds an entry of the index; the whole warp takes part and gets the same answer, false when it
/// points behind the payload.
FSZ_DEVICE bool find_entry(const StreamView &view, u64 entry, u64 payload_words, u32 lane,
                           EntryPlace &place)
{
    const u64 group = entry / GROUP_CHUNKS;
    const u32 within = static_cast<u32>(entry % GROUP_CHUNKS);
    const u32 *const sizes =
        reinterpret_cast<const u32 *>(view.bytes + view.sections.sizes) + group * GROUP_CHUNKS;
    const u64 offset =
        __ldg(reinterpret_cast<const u64 *>(view.bytes + view.sections.offsets) + group);
    const u32 low = lane <= within ? __ldg(sizes + lane) : 0;
    const u32 high = lane + 32 <= within ? __ldg(sizes + lane + 32) : 0;
    place.words = __shfl_sync(WARP_ALL, within < 32 ? low : high, within % 32);
    const u64 before = (lane < within ? low : 0) + static_cast<u64>(lane + 32 < within ? high : 0);
    place.base = offset + warp_sum(before);
    const u64 room = (view.capacity - view.sections.payload) / 4;
    // The offset is any number: once it is known to be small, no sum can wrap.
    return offset <= payload_words && payload_words <= room &&
           place.base + place.words <= payload_words;
}

/// The words of an entry.
FSZ_DEVICE const u32 *entry_words(const StreamView &view, const EntryPlace &place)
{
    return reinterpret_cast<const u32 *>(view.bytes + view.sections.payload) + place.base;
}

} // namespace fsz
