// Where the elements of a box are.
#pragma once

#include "device/copies.cuh"
#include "device/past_first.cuh"
#include "profile/dense/encode/box/stage.cuh"

namespace fsz
{

/// Quotients of numbers up to 4096.
struct SmallDivisor
{
    u32 divisor;
    u32 reciprocal;

    /// The reciprocal is that of few bits, which is at most 2^-23 off, and 2^-21 more: too large,
    /// but by less than 2^-12 of a part of 4096. A division takes ten times as many instructions.
    FSZ_DEVICE explicit SmallDivisor(u32 divisor) : divisor(divisor), reciprocal(0)
    {
        static_assert(DENSE_BOX <= 4096, "numbers of elements are small");
        if (divisor > 1)
        {
            float part;
            asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(part) : "f"(static_cast<float>(divisor)));
            reciprocal = __float2uint_ru(__fmul_rn(part, 0x1.000008p32f));
        }
    }

    FSZ_DEVICE u32 quotient(u32 n) const { return reciprocal ? __umulhi(n, reciprocal) : n; }
};

/// A point of a box, by how many are before it.
struct SpanPoint
{
    u32 z, y, x;

    /// `rows` divides by the elements of a row, `planes` by the rows of a plane.
    FSZ_DEVICE SpanPoint(const SmallDivisor &rows, const SmallDivisor &planes, u32 at)
    {
        const u32 row = rows.quotient(at);
        z = planes.quotient(row);
        y = row - z * planes.divisor;
        x = at - row * rows.divisor;
    }

    /// Where its word is in shared memory.
    template <u32 LAYOUT> FSZ_DEVICE u32 place() const
    {
        return StagePlaces<LAYOUT>::place(z, y, x);
    }

    FSZ_DEVICE u32 place(u32 layout) const
    {
        return layout == LAYOUT_LINE    ? place<LAYOUT_LINE>()
               : layout == LAYOUT_PLANE ? place<LAYOUT_PLANE>()
                                        : place<LAYOUT_BRICK>();
    }
};

/// The first element, elements of a row and of a plane of the field, and those of the box along its
/// axes.
template <class T> struct BoxSpan
{
    const T *field;
    u64 row;
    u64 plane;
    u32 n[3];

    FSZ_DEVICE u32 len() const { return n[0] * n[1] * n[2]; }
    FSZ_DEVICE const T *at(const SpanPoint &point) const
    {
        return field + point.z * plane + point.y * row + point.x;
    }
};

/// Elements that lie side by side.
template <class T, u32 WIDTH> FSZ_DEVICE void load_elements(const T *from, T (&to)[WIDTH])
{
    if constexpr (WIDTH == 1)
    {
        to[0] = load_past_first(from);
    }
    else
    {
        constexpr u32 WORDS = WIDTH * sizeof(T) / sizeof(uint4);
        union
        {
            uint4 words[WORDS];
            T elements[WIDTH];
        } all;
#pragma unroll
        for (u32 k = 0; k < WORDS; ++k)
        {
            all.words[k] = load_past_first(reinterpret_cast<const uint4 *>(from) + k);
        }
#pragma unroll
        for (u32 e = 0; e < WIDTH; ++e)
        {
            to[e] = all.elements[e];
        }
    }
}

/// Brings the elements of a box near. Called by a warp.
template <class T> FSZ_DEVICE void bring_box_near(const BoxSpan<T> &span)
{
    constexpr u32 APART = 128 / sizeof(T);
    const SmallDivisor rows(span.n[2]), planes(span.n[1]);
    const u32 len = span.len();
#pragma unroll 1
    for (u32 row = lane_id() * span.n[2]; row < len; row += 32 * span.n[2])
    {
        const T *const from = span.at(SpanPoint(rows, planes, row));
#pragma unroll 1
        for (u32 x = 0; x < span.n[2]; x += APART)
        {
            bring_near(from + x);
        }
        bring_near(from + span.n[2] - 1);
    }
}

/// Whether some element of a box is one that `test` tells. Called by a warp.
template <class T, class Test> FSZ_DEVICE bool any_element(const BoxSpan<T> &span, const Test &test)
{
    // Loads that are under way together.
    constexpr u32 BATCH = 8;
    const SmallDivisor rows(span.n[2]), planes(span.n[1]);
    const u32 len = span.len();
    bool any = false;
#pragma unroll 1
    for (u32 from = lane_id(); !any && from - lane_id() < len; from += 32 * BATCH)
    {
        T d[BATCH];
#pragma unroll
        for (u32 k = 0; k < BATCH; ++k)
        {
            d[k] = __ldg(span.at(SpanPoint(rows, planes, min(from + 32 * k, len - 1))));
        }
        bool own = false;
#pragma unroll
        for (u32 k = 0; k < BATCH; ++k)
        {
            own = own || test(d[k]);
        }
        any = __any_sync(WARP_ALL, own);
    }
    return any;
}

} // namespace fsz
