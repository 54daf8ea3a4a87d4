// The tables of a stream from their bits (FORMAT.md, Dense: tables). A context's codes can be read
// by many threads once it is known where they begin, which one warp finds out by leaps over many
// codes: all threads find before how long a leap from each bit is.
#pragma once

#include "profile/dense/tables.cuh"

namespace fsz
{

/// The number of a context that is like the alphabet's defaults.
constexpr u32 LIKE_DEFAULTS = DENSE_CONTEXTS;

/// The tables of a stream while a thread block reads them.
struct TableBits
{
    static constexpr u32 WORDS_MOST = DENSE_MOST_TABLES / 4;
    static constexpr u32 BITS_MOST = 32 * WORDS_MOST;
    /// Leaps are over 2^level codes. The longest are always known, shorter ones where there is
    /// room.
    static constexpr u32 LEVELS = 4;
    static constexpr u32 LONGEST = 1u << (LEVELS - 1);
    /// The most bits of a code.
    static constexpr u32 CODE_BITS = 2 * 15 + 1;
    static_assert(LONGEST * CODE_BITS <= 0xFF, "a leap is a byte");
    static_assert(BITS_MOST <= 0x10000, "a position of a code is a half word");

    /// So many words with two of zeros behind.
    u32 words[WORDS_MOST + 2];
    u32 count;
    /// The carried context that each one is like, itself if it is carried; and where the codes of
    /// that begin, and how many it has.
    u8 like[DENSE_CONTEXTS];
    u8 codes[DENSE_CONTEXTS];
    u16 first[DENSE_CONTEXTS];
    /// The bits of a leap of each level that begins at each bit, 0 where one of its codes is none:
    /// the highest level first, in room of its own.
    u8 leaps[BITS_MOST];

    FSZ_DEVICE u32 end() const { return 32 * count; }

    /// The lowest level of which leaps are known.
    FSZ_DEVICE u32 lowest() const { return LEVELS * end() <= BITS_MOST ? 0 : LEVELS - 1; }

    FSZ_DEVICE u8 &leap_from(u32 level, u32 at) { return leaps[(LEVELS - 1 - level) * end() + at]; }

    /// The bits of a leap, 0 where one of its codes is none.
    FSZ_DEVICE u32 leap_bits(u32 level, u32 at) const
    {
        return at < end() ? leaps[(LEVELS - 1 - level) * end() + at] : 0;
    }

    /// The 32 bits from one on that is not behind the end.
    FSZ_DEVICE u32 ahead(u32 at) const
    {
        return __funnelshift_r(words[at / 32], words[at / 32 + 1], at);
    }

    /// The bits of the Elias gamma code that some bits begin with; 0 where that is none.
    FSZ_DEVICE static u32 code_bits(u32 ahead)
    {
        const u32 zeros = __ffs(ahead) - 1;
        return zeros <= 15 ? 2 * zeros + 1 : 0;
    }

    FSZ_DEVICE static u32 code_value(u32 ahead, u32 bits)
    {
        return __brev(ahead >> bits / 2) >> (31 - bits / 2);
    }

    /// Goes on by so many codes; false where one is none.
    FSZ_DEVICE bool step(u32 &at, u32 number) const
    {
        for (; number > 0; --number)
        {
            const u32 bits = code_bits(ahead(at));
            at += bits;
            if (bits == 0 || at > end())
            {
                return false;
            }
        }
        return true;
    }

    /// The same by leaps.
    FSZ_DEVICE bool leap(u32 &at, u32 number) const
    {
        bool all = true;
        const auto go = [&](u32 level) {
            const u32 bits = leap_bits(level, at);
            at += bits;
            all &= bits > 0;
        };
        for (; number >= LONGEST; number -= LONGEST)
        {
            go(LEVELS - 1);
        }
        if (lowest() > 0)
        {
            return all && step(at, number);
        }
#pragma unroll
        for (u32 level = LEVELS - 1; level-- > 0;)
        {
            if (number >> level & 1)
            {
                go(level);
            }
        }
        return all;
    }

    /// Finds the leaps. Called by a thread block of so many threads, which all have come there.
    FSZ_DEVICE void find_leaps(u32 threads)
    {
        const u32 first = lowest();
        for (u32 from = threadIdx.x; from < end(); from += threads)
        {
            u32 at = from;
            leap_from(first, from) = static_cast<u8>(step(at, 1u << first) ? at - from : 0);
        }
        for (u32 level = first + 1; level < LEVELS; ++level)
        {
            __syncthreads();
            for (u32 from = threadIdx.x; from < end(); from += threads)
            {
                const u32 half = leap_bits(level - 1, from);
                const u32 other = leap_bits(level - 1, from + half);
                leap_from(level, from) = static_cast<u8>(half > 0 && other > 0 ? half + other : 0);
            }
        }
    }

    /// Finds the codes of each context; false where there is something wrong with one, or with what
    /// is behind the last. Called by a warp, of which all lanes do the same but for what is put.
    FSZ_DEVICE bool find_contexts(u32 lane)
    {
        u32 at = 0;
        // Bits of zeros are behind the end.
        u32 bits = ahead(at);
        const auto go_to = [&](u32 next) {
            at = next;
            bits = at < end() ? ahead(at) : 0;
        };
        for (u32 k = 0; k < ALPHABETS; ++k)
        {
            const Alphabet alphabet = alphabet_of(k);
            const bool own = bits & 1;
            go_to(at + 1);
            u32 last = LIKE_DEFAULTS;
            for (u32 c = alphabet.first; c < alphabet.first + alphabet.contexts; ++c)
            {
                if (own && (bits & 1))
                {
                    const u32 number = bits >> 1 & 63;
                    last = c;
                    at += 7;
                    if (lane == 0)
                    {
                        codes[c] = static_cast<u8>(number);
                        first[c] = static_cast<u16>(at);
                    }
                    if (number >= alphabet.symbols || at > end() || !leap(at, number))
                    {
                        return false;
                    }
                    go_to(at);
                }
                else if (own)
                {
                    go_to(at + 1);
                }
                if (lane == 0)
                {
                    like[c] = static_cast<u8>(last);
                }
            }
        }
        return at <= end() && (at + 31) / 32 == count && ahead(at) == 0;
    }

    /// Puts the frequencies of a context of an alphabet; false where they are too large. Called by
    /// a warp.
    FSZ_DEVICE bool read(u32 k, u32 context, u16 (&to)[SYMBOLS_MOST], u32 lane) const
    {
        const u32 from = like[context];
        for (u32 s = lane; s < SYMBOLS_MOST; s += 32)
        {
            to[s] = from == LIKE_DEFAULTS ? DEFAULT_FREQUENCIES.of[k][s] : 0;
        }
        if (from == LIKE_DEFAULTS)
        {
            return true;
        }
        __syncwarp();
        u32 sum = 0;
        for (u32 i = lane; i < codes[from]; i += 32)
        {
            u32 at = first[from];
            leap(at, i);
            const u32 own = ahead(at);
            const u32 f = code_value(own, code_bits(own)) - 1;
            to[carried_symbol(k, i)] = static_cast<u16>(f);
            sum += f;
        }
        sum = __reduce_add_sync(WARP_ALL, sum);
        // The last symbol has what is left, at least 1.
        if (lane == 0)
        {
            to[alphabet_of(k).symbols - 1] = static_cast<u16>(DENSE_SLOTS - sum);
        }
        return sum < DENSE_SLOTS;
    }
};

} // namespace fsz
