// The frequencies of symbols, as a stream carries them and as coders use them (FORMAT.md, Dense:
// tables).
#pragma once

#include "device/warp.cuh"

namespace fsz
{

/// Contexts of all alphabets: residuals, differences, flags.
constexpr u32 RESIDUAL_CONTEXTS = DENSE_FINE_CONTEXTS + DENSE_COARSE_CONTEXTS;
constexpr u32 DIFFERENCE_CONTEXTS = DENSE_LORENZO_CONTEXTS + 1;
constexpr u32 FIRST_DIFFERENCE = RESIDUAL_CONTEXTS;
constexpr u32 FIRST_FLAG = FIRST_DIFFERENCE + DIFFERENCE_CONTEXTS;
constexpr u32 DENSE_CONTEXTS = FIRST_FLAG + DENSE_FLAG_CONTEXTS;
constexpr u32 ALPHABETS = 3;
constexpr u32 FLAG_SYMBOLS = 2;
constexpr u32 SYMBOLS_MOST = DENSE_DIFFERENCE_SYMBOLS;

/// A frequency of each symbol, one context after another.
using Frequencies = u16[DENSE_CONTEXTS][SYMBOLS_MOST];

/// An alphabet: its symbols, contexts, and the first of these among all.
struct Alphabet
{
    u32 symbols;
    u32 contexts;
    u32 first;
};

FSZ_DEVICE Alphabet alphabet_of(u32 k)
{
    return k == 0   ? Alphabet{DENSE_RESIDUAL_SYMBOLS, RESIDUAL_CONTEXTS, 0}
           : k == 1 ? Alphabet{DENSE_DIFFERENCE_SYMBOLS, DIFFERENCE_CONTEXTS, FIRST_DIFFERENCE}
                    : Alphabet{FLAG_SYMBOLS, DENSE_FLAG_CONTEXTS, FIRST_FLAG};
}

/// The i-th symbol of an alphabet in the order in which they are carried.
FSZ_DEVICE u32 carried_symbol(u32 alphabet, u32 i)
{
    if (alphabet == 0 && i <= 2 * DENSE_DIRECT)
    {
        return i % 2 ? DENSE_DIRECT + (i + 1) / 2 : DENSE_DIRECT - i / 2;
    }
    return i;
}

/// Makes frequencies add up to the slots, at the cost or to the good of the largest.
FSZ_DEVICE void fill_frequencies(u16 *frequencies, u32 symbols)
{
    for (;;)
    {
        u32 sum = 0, largest = 0;
        for (u32 k = 0; k < symbols; ++k)
        {
            sum += frequencies[k];
            largest = frequencies[k] > frequencies[largest] ? k : largest;
        }
        if (sum <= DENSE_SLOTS)
        {
            frequencies[largest] = static_cast<u16>(frequencies[largest] + (DENSE_SLOTS - sum));
            return;
        }
        --frequencies[largest];
    }
}

/// What stands before the first context of an alphabet.
FSZ_DEVICE void default_frequencies(u32 alphabet, u16 *frequencies)
{
    const u32 symbols = alphabet_of(alphabet).symbols;
    for (u32 i = 0; i + 1 < symbols; ++i)
    {
        const u32 f = i / 2 < 8 ? DENSE_SLOTS / 4 >> i / 2 : 0;
        frequencies[carried_symbol(alphabet, i)] = static_cast<u16>(max(f, 1u));
    }
    frequencies[symbols - 1] = 1;
    if (symbols == FLAG_SYMBOLS)
    {
        frequencies[0] = frequencies[1] = DENSE_SLOTS / 2;
    }
    fill_frequencies(frequencies, symbols);
}

/// Bits one after another in words, the lowest first; a zero word stands behind them.
struct TableBits
{
    const u32 *words;
    u32 count;
    u32 at;
    bool sound;

    /// The next 32 bits.
    FSZ_DEVICE u32 ahead() const
    {
        const u32 word = at / 32;
        return sound && word < count ? __funnelshift_r(words[word], words[word + 1], at % 32) : 0;
    }

    FSZ_DEVICE void skip(u32 bits)
    {
        at += bits;
        sound = sound && at <= 32 * count;
    }

    FSZ_DEVICE u32 take(u32 bits)
    {
        const u32 value = ahead() & ((1u << bits) - 1);
        skip(bits);
        return value;
    }

    FSZ_DEVICE u32 gamma()
    {
        const u32 bits = ahead();
        const u32 zeros = bits ? __ffs(bits) - 1 : 32;
        if (zeros > 15)
        {
            sound = false;
            return 1;
        }
        skip(2 * zeros + 1);
        return __brev(bits >> zeros) >> (31 - zeros);
    }
};

/// Reads the tables of a stream. Called by one thread; `defaults` are those of the alphabets.
FSZ_DEVICE bool read_tables(const u32 *words, u32 count, const u16 (&defaults)[3][SYMBOLS_MOST],
                            Frequencies &out)
{
    TableBits bits{words, count, 0, true};
    for (u32 k = 0; k < ALPHABETS; ++k)
    {
        const Alphabet alphabet = alphabet_of(k);
        const u32 escape = alphabet.symbols - 1;
        const u16 *last = defaults[k];
        const bool own = bits.take(1) == 1;
        for (u32 c = alphabet.first; c < alphabet.first + alphabet.contexts && bits.sound; ++c)
        {
            u16 *const now = out[c];
            if (own && bits.take(1) == 1)
            {
                const u32 n = bits.take(6);
                if (n > escape)
                {
                    return false;
                }
                for (u32 s = 0; s < SYMBOLS_MOST; ++s)
                {
                    now[s] = 0;
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
                    now[carried_symbol(k, i)] = static_cast<u16>(f);
                }
                now[escape] = static_cast<u16>(left);
            }
            else
            {
                for (u32 s = 0; s < SYMBOLS_MOST; ++s)
                {
                    now[s] = last[s];
                }
            }
            last = now;
        }
    }
    return bits.sound && (bits.at + 31) / 32 == count && bits.ahead() == 0;
}

/// What a decoder knows of a slot: the frequency of its symbol, the symbol, and the slot's place
/// among those of the symbol.
constexpr u32 SLOT_FREQUENCY = 0xFFF;
constexpr u32 SLOT_SYMBOL_SHIFT = 12;
constexpr u32 SLOT_PLACE_SHIFT = 20;

/// Writes what a decoder knows of the slots of a context. Called by a warp.
FSZ_DEVICE void expand_slots(const u16 *frequencies, u32 *slots, u32 lane)
{
    const u32 second = lane + 32 < SYMBOLS_MOST ? frequencies[lane + 32] : 0;
    const u32 first = frequencies[lane];
    const u32 first_end = warp_inclusive(first, lane);
    const u32 half = __shfl_sync(WARP_ALL, first_end, 31);
    const u32 second_end = half + warp_inclusive(second, lane);
    for (u32 slot = lane; slot < DENSE_SLOTS; slot += 32)
    {
        // The number of symbols that end at or before the slot is its symbol.
        u32 symbol = 0, begin = 0;
        for (u32 s = 0; s + 1 < SYMBOLS_MOST; ++s)
        {
            const u32 end = __shfl_sync(WARP_ALL, s < 32 ? first_end : second_end, s % 32);
            const bool before = end <= slot;
            symbol = before ? s + 1 : symbol;
            begin = before ? end : begin;
        }
        slots[slot] =
            (slot - begin) << SLOT_PLACE_SHIFT | symbol << SLOT_SYMBOL_SHIFT | frequencies[symbol];
    }
}

} // namespace fsz
