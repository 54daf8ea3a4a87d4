// A tile's head, its eight rate bytes, and what follows from it alone (FORMAT.md, Choose and
// Escapes).
#pragma once

#include "format/format.cuh"

namespace fsz
{

/// Words of a mask.
FSZ_DEVICE u32 mask_words(u32 run_ends)
{
    return run_ends == MASK_BITMAP ? BITMAP_WORDS : (run_ends + 3) / 4;
}

/// Words of positions of listed exceptions.
FSZ_DEVICE u32 position_words(u32 listed) { return (listed + 3) / 4; }

/// What the escape field of a tile with escapes adds to a block's rate byte.
FSZ_DEVICE u32 escape_part(u32 field, u32 block)
{
    return block == 0 ? RATE_ESCAPES : (field >> 3 * (block - 1) & 7) << 5;
}

/// The 21 bits of a tile's escape field, from its rate bytes.
FSZ_DEVICE u32 escape_bits(u32 lo, u32 hi)
{
    return (lo >> 13 & 7) | (lo >> 21 & 7) << 3 | (lo >> 29 & 7) << 6 | (hi >> 5 & 7) << 9 |
           (hi >> 13 & 7) << 12 | (hi >> 21 & 7) << 15 | (hi >> 29 & 7) << 18;
}

/// The kind of an escaped tile.
FSZ_DEVICE u32 escape_kind(u32 lo) { return lo >> 13 & 3; }

struct EscapeField
{
    u32 kind, pattern, run_ends, listed;

    FSZ_DEVICE explicit EscapeField(u32 bits)
        : kind(bits & 3), pattern(bits >> 2 & 3), run_ends(bits >> 4 & 63), listed(bits >> 10 & 255)
    {
    }

    /// Words of the pattern, when the payload gives it; W words per element.
    FSZ_DEVICE u32 pattern_words(u32 W) const { return pattern == PATTERN_IN_PAYLOAD ? W : 0; }
};

/// Words of µ and blocks of a tile with these rate bytes.
FSZ_DEVICE u32 coded_words(u32 lo, u32 hi)
{
    const u32 a = lo & 0x1F1F1F1F, b = hi & 0x1F1F1F1F;
    return __dp4a(a, 0x01010101u, __dp4a(b, 0x01010101u, 0u)) +
           __popc((a + 0x7F7F7F7F) & 0x80808080) + __popc((b + 0x7F7F7F7F) & 0x80808080) +
           (lo >> 6 & 1);
}

/// Whether an escape field does not contradict itself, the other bits of the rate bytes, or a
/// header without missing values.
FSZ_DEVICE bool is_sound(u32 lo, u32 hi, bool has_missing)
{
    const u32 bits = escape_bits(lo, hi);
    const EscapeField f(bits);
    const bool exceptions = f.kind == KIND_EXCEPTIONS;
    return f.kind != 3 && bits >> 18 == 0 &&
           (exceptions || (f.run_ends == 0 && f.listed == 0 && (lo & 0x1F1F1FDF) == 0 &&
                           (hi & 0x1F1F1F1F) == 0)) &&
           (f.kind != KIND_VERBATIM || f.pattern == 0) &&
           (!exceptions || f.run_ends > 0 || f.listed > 0) &&
           (!exceptions || f.run_ends > 0 || f.pattern == 0) &&
           (f.pattern != PATTERN_FIRST_MISSING || has_missing);
}

/// Words behind the blocks (or in place of them) of an escaped tile of `count` elements of W words.
FSZ_DEVICE u32 escape_words(u32 lo, u32 hi, u32 count, u32 W)
{
    const EscapeField f(escape_bits(lo, hi));
    if (f.kind == KIND_VERBATIM)
    {
        return count * W;
    }
    if (f.kind == KIND_CONSTANT)
    {
        return f.pattern_words(W);
    }
    return (f.run_ends > 0 ? f.pattern_words(W) : 0) + mask_words(f.run_ends) +
           position_words(f.listed) + f.listed * W;
}

/// Words of a tile of `count` elements. `sound` turns false when its rate bytes contradict.
FSZ_DEVICE u32 tile_words(u32 lo, u32 hi, u32 count, u32 W, bool has_missing, bool &sound)
{
    u32 words = coded_words(lo, hi);
    if (lo & RATE_ESCAPES)
    {
        sound = sound && is_sound(lo, hi, has_missing);
        words += escape_words(lo, hi, count, W);
    }
    else
    {
        sound = sound && ((lo & 0xE0E0E000) | (hi & 0xE0E0E0E0)) == 0;
    }
    return words;
}

} // namespace fsz
