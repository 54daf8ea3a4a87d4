// The elements of a plain box beside what they are decoded to.
#pragma once

#include "profile/dense/encode/box/each_element.cuh"
#include "profile/dense/encode/box/points.cuh"

namespace fsz
{

/// The largest error of a lane, and its smallest and largest element, in the order 1, −1 where it
/// has none.
template <class Error, class T> struct Decoded
{
    Error error;
    T low;
    T high;

    FSZ_DEVICE void take_range(T d)
    {
        const bool first = low > high;
        low = first || d < low ? d : low;
        high = first || d > high ? d : high;
    }
};

/// Elements that do not count in a comparison: none, or those that have the bits of the box's
/// masked ones.
template <class T, bool MASKED> struct LeftOut
{
    typename Element<T>::Bits pattern;
    /// Whether there is a single one, which is listed.
    bool listed;

    FSZ_DEVICE bool has(T d) const { return MASKED && bits_of(d) == pattern; }
};

/// Compares the elements of a box with what they are decoded to. RANGE: takes their range.
template <class T, u32 LAYOUT, u32 WIDTH, bool MASKED, bool RANGE>
FSZ_DEVICE Decoded<T, T> compare_box(BoxSpan<T> span, u32 stage, i32 base, T lattice,
                                     Decoded<T, T> found, LeftOut<T, MASKED> out)
{
    each_in_turns<LAYOUT, WIDTH>(span, [&](u32 place, const T(&d)[WIDTH], bool there) {
        u32 words[WIDTH];
        load_words<LAYOUT>(stage + place, words);
        T most = found.error;
#pragma unroll
        for (u32 k = 0; k < WIDTH; ++k)
        {
            const i32 value = static_cast<i32>(words[k]);
            const T decoded = product(from_code(base + value, T(0)), lattice);
            const T error = magnitude_of(difference_of(d[k], decoded));
            most = out.has(d[k]) ? most : larger(most, error);
            if (RANGE && there && !out.has(d[k]))
            {
                found.take_range(d[k]);
            }
        }
        found.error = there ? most : found.error;
    });
    return found;
}

} // namespace fsz
