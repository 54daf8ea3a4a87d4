// The elements of a plain box beside what they are decoded to, with a pointwise-relative bound.
#pragma once

#include "profile/dense/encode/plain/compare.cuh"
#include "profile/dense/finer.cuh"

namespace fsz
{

/// A product that is rounded down.
FSZ_DEVICE float product_below(float a, float b) { return __fmul_rd(a, b); }
FSZ_DEVICE double product_below(double a, double b) { return __dmul_rd(a, b); }

/// What elements are compared with in a plain box.
template <class T> struct CurveComparison
{
    CurveValues<T> values;
    typename Element<T>::Bits edge;
    /// What errors of linear codes are below.
    T above;
    /// The code of the box's first element, in points.
    u32 zero;
    /// Whether the range is to be taken.
    bool range;
};

/// What a comparison comes to.
template <class T> struct CurveCompared
{
    Decoded<RelativeError<T>, T> found;
    /// Whether no element of linear codes is too far.
    bool near;
    /// Whether some relative error may be larger than the largest known.
    bool larger;
};

/// Compares the elements of a box with what they are decoded to. `found.error.relative` begins as
/// the largest known. QUOTIENTS: it ends as the largest; otherwise it is only told whether one may
/// be larger, which is seldom so.
template <class T, u32 LAYOUT, u32 WIDTH, bool MASKED, bool QUOTIENTS>
FSZ_DEVICE CurveCompared<T> compare_on_curve(BoxSpan<T> span, u32 stage, CurveComparison<T> with,
                                             Decoded<RelativeError<T>, T> found,
                                             LeftOut<T, MASKED> out)
{
    bool larger_one = false;
    /// The largest error of linear codes; no error is a NaN, since elements are finite.
    T linear = 0;
    const bool none = found.low > found.high;
    T low = none ? value_of(Element<T>::INFINITE) : found.low;
    T high = none ? value_of(Element<T>::INFINITE | Element<T>::SIGN) : found.high;
    const auto compare = [&](T d, u32 word) {
        if (out.has(d))
        {
            return word;
        }
        const T decoded = with.values.of(static_cast<i32>(with.zero + word));
        const T size = magnitude_of(d);
        const T error = magnitude_of(difference_of(d, decoded));
        found.error.absolute = larger(found.error.absolute, error);
        const bool is_linear = bits_of(size) < with.edge;
        linear = larger(linear, is_linear ? error : T(0));
        // As long as the error is not above the product, the quotient is not above the largest.
        if (!is_linear && error > product_below(found.error.relative, size))
        {
            larger_one = true;
            if constexpr (QUOTIENTS)
            {
                found.error.relative = larger(found.error.relative, quotient(error, size));
            }
        }
        low = smaller(low, d);
        high = larger(high, d);
        return word;
    };
    each_element<LAYOUT, WIDTH>(span, [&](u32 place, const T(&d)[WIDTH]) {
        u32 words[WIDTH];
        load_words<LAYOUT>(stage + place, words);
        each_word(d, words, compare);
    });
    if (with.range && low <= high)
    {
        found.low = low;
        found.high = high;
    }
    return {found, linear < with.above, larger_one};
}

} // namespace fsz
