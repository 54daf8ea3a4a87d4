// What a block of one sign is within, by the bits of its elements.
#pragma once

#include "profile/paper/encode/relative/one_sign.cuh"

namespace fsz
{

/// The element of a top word whose magnitude is smallest or largest: of f32, both are the same.
template <class T> FSZ_DEVICE T least_of(u32 top)
{
    return value_of(static_cast<typename Element<T>::Bits>(top) << RelativeShortWay<T>::TOP);
}

template <class T> FSZ_DEVICE T most_of(u32 top)
{
    using Bits = typename Element<T>::Bits;
    return value_of(bits_of(least_of<T>(top)) | ((Bits{1} << RelativeShortWay<T>::TOP) - 1));
}

/// What elements are within, given the top words of the smallest and of the largest.
template <class T> FSZ_DEVICE Extremes<T> extremes_of(u32 low, u32 high)
{
    const bool is_below = static_cast<i32>(low) < 0, is_above = static_cast<i32>(high) >= 0;
    return {is_below ? most_of<T>(low) : least_of<T>(low),
            is_above ? most_of<T>(high) : least_of<T>(high)};
}

/// The smallest and the largest top words of a lane's block.
struct BitsRange
{
    u32 least;
    u32 most;

    template <class T> FSZ_DEVICE explicit BitsRange(const SharedRow<T> &row)
    {
        constexpr u32 PIECE = SharedRow<T>::PIECE;
        // Chains that do not wait for each other.
        u32 low[2] = {~0u, ~0u}, high[2] = {0, 0};
#pragma unroll
        for (u32 piece = 0; piece < BLOCK / PIECE; ++piece)
        {
            T d[PIECE];
            row.load(piece, d);
            // Pairs: the device has minima and maxima of three numbers.
#pragma unroll
            for (u32 k = 0; k < PIECE; k += 2)
            {
                const u32 chain = (piece * PIECE + k) / 2 % 2;
                const u32 a = top_word(d[k]), b = top_word(d[k + 1]);
                low[chain] = min(min(a, b), low[chain]);
                high[chain] = max(max(a, b), high[chain]);
            }
        }
        least = min(low[0], low[1]);
        most = max(high[0], high[1]);
    }

    FSZ_DEVICE u32 sign() const { return most & Element<float>::SIGN; }

    /// Whether the block may go the way of one sign.
    template <class T> FSZ_DEVICE bool fits(const OneSign<T> &way) const
    {
        // Of two signs, the smallest bits would be beyond all magnitudes.
        return (least ^ sign()) - way.least < way.end - way.least && (most ^ sign()) < way.end;
    }

    /// What the elements are within.
    template <class T> FSZ_DEVICE Extremes<T> extremes() const
    {
        // Of negative elements alone, the smallest bits are the highest.
        return sign() != 0 ? extremes_of<T>(most, least) : extremes_of<T>(least, most);
    }
};

} // namespace fsz
