// The tables of a stream from their bits (FORMAT.md, Dense: tables).
#pragma once

#include "profile/dense/tables.cuh"

namespace fsz
{

/// Bits one after another in words, the lowest first; two zero words stand behind them. All lanes
/// of a warp read the same ones.
struct TableBits
{
    const u32 *words;
    u32 count;
    bool sound;
    /// The bits ahead, 32 at least, how many of them are there, and the number of the word behind.
    u64 bits;
    u32 ready;
    u32 next;

    FSZ_DEVICE TableBits(const u32 *words, u32 count)
        : words(words), count(count), sound(true),
          bits(words[0] | static_cast<u64>(count > 0 ? words[1] : 0) << 32), ready(64), next(2)
    {
    }

    FSZ_DEVICE u32 read() const { return 32 * next - ready; }

    FSZ_DEVICE void skip(u32 n)
    {
        bits >>= n;
        ready -= n;
        if (ready <= 32)
        {
            bits |= static_cast<u64>(next < count ? words[next] : 0) << ready;
            ready += 32;
            ++next;
        }
        sound = sound && read() <= 32 * count;
    }

    FSZ_DEVICE u32 take(u32 n)
    {
        const u32 value = static_cast<u32>(bits) & ((1u << n) - 1);
        skip(n);
        return value;
    }

    FSZ_DEVICE u32 gamma()
    {
        const u32 ahead = static_cast<u32>(bits);
        const u32 zeros = ahead ? __ffs(ahead) - 1 : 32;
        if (zeros > 15)
        {
            sound = false;
            return 1;
        }
        skip(2 * zeros + 1);
        return __brev(ahead >> zeros) >> (31 - zeros);
    }
};

/// Reads the tables of a stream. Called by a warp; `defaults` are those of the alphabets.
FSZ_DEVICE bool read_tables(const u32 *words, u32 count, const u16 (&defaults)[3][SYMBOLS_MOST],
                            Frequencies &out, u32 lane)
{
    TableBits bits(words, count);
    for (u32 k = 0; k < ALPHABETS; ++k)
    {
        const Alphabet alphabet = alphabet_of(k);
        const u32 escape = alphabet.symbols - 1;
        const u16 *last = defaults[k];
        const bool own = bits.take(1) == 1;
        for (u32 c = alphabet.first; c < alphabet.first + alphabet.contexts && bits.sound; ++c)
        {
            u16 *const now = out[c];
            const bool carried = own && bits.take(1) == 1;
            for (u32 s = lane; s < SYMBOLS_MOST; s += 32)
            {
                now[s] = carried ? 0 : last[s];
            }
            __syncwarp();
            if (carried)
            {
                const u32 n = bits.take(6);
                if (n > escape)
                {
                    return false;
                }
                u32 left = DENSE_SLOTS;
                for (u32 i = 0; i < n && bits.sound; ++i)
                {
                    const u32 f = bits.gamma() - 1;
                    if (f >= left)
                    {
                        return false; // The last symbol has what is left, at least 1.
                    }
                    left -= f;
                    if (lane == 0)
                    {
                        now[carried_symbol(k, i)] = static_cast<u16>(f);
                    }
                }
                if (lane == 0)
                {
                    now[escape] = static_cast<u16>(left);
                }
                __syncwarp();
            }
            last = now;
        }
    }
    return bits.sound && (bits.read() + 31) / 32 == count && static_cast<u32>(bits.bits) == 0;
}

} // namespace fsz
