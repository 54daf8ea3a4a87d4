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

FSZ_DEVICE constexpr Alphabet alphabet_of(u32 k)
{
    return k == 0   ? Alphabet{DENSE_RESIDUAL_SYMBOLS, RESIDUAL_CONTEXTS, 0}
           : k == 1 ? Alphabet{DENSE_DIFFERENCE_SYMBOLS, DIFFERENCE_CONTEXTS, FIRST_DIFFERENCE}
                    : Alphabet{FLAG_SYMBOLS, DENSE_FLAG_CONTEXTS, FIRST_FLAG};
}

/// The i-th symbol of an alphabet in the order in which they are carried.
FSZ_DEVICE constexpr u32 carried_symbol(u32 alphabet, u32 i)
{
    if (alphabet == 0 && i <= 2 * DENSE_DIRECT)
    {
        return i % 2 ? DENSE_DIRECT + (i + 1) / 2 : DENSE_DIRECT - i / 2;
    }
    return i;
}

/// What stands before the first context of each alphabet.
struct DefaultFrequencies
{
    u16 of[ALPHABETS][SYMBOLS_MOST];

    FSZ_DEVICE constexpr DefaultFrequencies() : of{}
    {
        for (u32 k = 0; k < ALPHABETS; ++k)
        {
            const u32 symbols = alphabet_of(k).symbols;
            for (u32 i = 0; i + 1 < symbols; ++i)
            {
                const u32 f = i / 2 < 8 ? DENSE_SLOTS / 4 >> i / 2 : 0;
                of[k][carried_symbol(k, i)] = static_cast<u16>(f > 1 ? f : 1);
            }
            of[k][symbols - 1] = 1;
            if (symbols == FLAG_SYMBOLS)
            {
                of[k][0] = of[k][1] = DENSE_SLOTS / 2;
            }
            fill(of[k], symbols);
        }
    }

    /// Makes frequencies add up to the slots, at the cost or to the good of the largest.
    FSZ_DEVICE static constexpr void fill(u16 (&frequencies)[SYMBOLS_MOST], u32 symbols)
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
};

/// They are known when this is compiled.
__device__ constexpr DefaultFrequencies DEFAULT_FREQUENCIES{};

} // namespace fsz
