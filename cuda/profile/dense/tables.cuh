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

} // namespace fsz
