// The records of what is escaped in boxes (FORMAT.md, Dense: escapes), which may be damaged.
#pragma once

#include "decode/stream_view.cuh"
#include "profile/dense/chunk.cuh"

namespace fsz
{

/// Reads the records of a stream. Called by a warp.
template <class T> struct EscapeRecords
{
    using Bits = typename Element<T>::Bits;
    static constexpr u32 WORDS = Element<T>::WORDS;

    const StreamView &view;
    const u32 lane;

    /// The bits of a record's masked elements. The header names a missing value where it is asked.
    FSZ_DEVICE Bits pattern_of(const EscapeRecord<WORDS> &record, const u32 *words) const
    {
        if (record.pattern == PATTERN_NAN || record.pattern == PATTERN_NEGATIVE_NAN)
        {
            return record.pattern == PATTERN_NAN ? Element<T>::QUIET_NAN : Element<T>::NEGATIVE_NAN;
        }
        const u32 *const from = record.pattern == PATTERN_FIRST_MISSING
                                    ? reinterpret_cast<const u32 *>(view.bytes + view.missing_at)
                                    : words + 1;
        return element_at(from);
    }

    FSZ_DEVICE static Bits element_at(const u32 *from)
    {
        if constexpr (WORDS == 1)
        {
            return __ldg(from);
        }
        else
        {
            return static_cast<u64>(__ldg(from + 1)) << 32 | __ldg(from);
        }
    }

    /// Whether a record is sound; gives its words.
    FSZ_DEVICE bool is_sound(const u32 *words, u32 room, u32 len, u32 &size) const
    {
        if (room == 0)
        {
            return false;
        }
        const u32 head = __ldg(words);
        const EscapeRecord<WORDS> record(head);
        const bool none = record.mask == MASK_NONE;
        if (record.mask > MASK_CODED || (head >> 4 & 0xFFF) != 0 || record.listed > len ||
            (record.mask == MASK_ALL && record.listed > 0) ||
            (none && (record.pattern != 0 || record.listed == 0)) ||
            (record.pattern == PATTERN_FIRST_MISSING && view.missing_at == 0))
        {
            return false;
        }
        size = record.words();
        if (size > room)
        {
            return false;
        }
        const u32 *const positions = words + record.positions();
        bool sound = true;
        for (u32 k = lane; k < record.listed; k += 32)
        {
            const u32 at = listed_position(positions, k);
            sound &= at < len && (k == 0 || listed_position(positions, k - 1) < at);
        }
        if (record.listed % 2 == 1)
        {
            sound &= positions[record.listed / 2] >> 16 == 0;
        }
        return __all_sync(WARP_ALL, sound);
    }
};

} // namespace fsz
