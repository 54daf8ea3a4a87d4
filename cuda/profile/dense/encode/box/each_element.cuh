// The elements of a box, as the lanes of a warp take them. What is done with each stands once, so
// that its instructions stay at hand.
#pragma once

#include "profile/dense/encode/box/each_turn.cuh"
#include "profile/dense/encode/plain/walk.cuh"

namespace fsz
{

/// How the elements of a row are spread over lanes.
template <u32 LAYOUT> struct RowLanes
{
    static constexpr bool BRICK = LAYOUT == LAYOUT_BRICK;
    /// Lanes that take a row together, how often, and rows that a warp takes at once.
    static constexpr u32 LANES = BRICK ? 16 : 32, PARTS = BRICK ? 1 : 2, ROWS = 32 / LANES;
};

/// The elements of a box one by one, a row in so many lanes that no place is reckoned by a
/// division, for what takes many instructions. `take` gets where in shared memory they are, and the
/// elements.
template <u32 LAYOUT, class T, class Take>
FSZ_DEVICE void each_in_rows_compactly(const BoxSpan<T> &span, const Take &take)
{
    using Places = StagePlaces<LAYOUT>;
    using Lanes = RowLanes<LAYOUT>;
    constexpr bool BRICK = Lanes::BRICK;
    constexpr u32 LANES = Lanes::LANES, PARTS = Lanes::PARTS, ROWS = Lanes::ROWS;
    constexpr u32 BATCH = 4, STEPS = BATCH / PARTS;
    static_assert(STEPS <= 2 || BRICK, "rows of a batch that begins at an even one");
    const u32 first = lane_id() / LANES, x = lane_id() % LANES;
    const u32 n_z = same(span.n[0]), n_y = same(span.n[1]), n_x = span.n[2];
    const auto there = [&](u32 y, u32 n) {
        return y + first + n / PARTS * ROWS < n_y && x + n % PARTS * LANES < n_x;
    };
    const auto load = [&](u32 z, u32 y, T(&to)[BATCH]) {
        const T *from = span.field + z * span.plane + (y + first) * span.row + x;
#pragma unroll
        for (u32 n = 0; n < BATCH; ++n)
        {
            T own[1] = {};
            if (z < n_z && there(y, n))
            {
                load_elements(from + n / PARTS * ROWS * span.row + n % PARTS * LANES, own);
            }
            to[n] = own[0];
        }
    };
    T next[BATCH];
    load(0, 0, next);
    u32 z = 0, y = 0;
#pragma unroll 1
    while (z < n_z)
    {
        T d[BATCH];
#pragma unroll
        for (u32 n = 0; n < BATCH; ++n)
        {
            d[n] = next[n];
        }
        const u32 place = Places::place(z, y + first, x);
        const u32 now = y;
        y += STEPS * ROWS;
        if (y >= n_y)
        {
            y = 0;
            ++z;
        }
        load(z, y, next);
#pragma unroll 1
        for (u32 n = 0; n < BATCH; ++n)
        {
            if (there(now, n))
            {
                const u32 row = BRICK ? n * Places::two(1) : n / PARTS * Places::place(1, 1);
                const T own[1] = {d[0]};
                take(place + row + n % PARTS * Places::place(2, LANES), own);
            }
#pragma unroll
            for (u32 k = 1; k < BATCH; ++k)
            {
                d[k - 1] = d[k];
            }
        }
    }
}

/// Loads the elements of a box by WIDTH, with their places in shared memory, as `Place` tells by z,
/// y, x and how many are before them in the box.
template <u32 LAYOUT, u32 WIDTH, class T, class Place> struct SpanLoads
{
    const BoxSpan<T> &span;
    const Place &place_of;
    const SmallDivisor per_row;
    const SmallDivisor rows;
    const u32 count;

    FSZ_DEVICE SpanLoads(const BoxSpan<T> &span, const Place &place_of)
        : span(span), place_of(place_of), per_row(span.n[2] / WIDTH), rows(span.n[1]),
          count(span.n[0] * span.n[1] * per_row.divisor)
    {
    }

    /// Those of a number; behind the end the last ones once more: loads that depend on nothing are
    /// under way together.
    FSZ_DEVICE void operator()(u32 number, u32 &place, T (&to)[WIDTH]) const
    {
        const u32 at = min(number, count - 1);
        const u32 row = LAYOUT == LAYOUT_LINE ? 0 : per_row.quotient(at);
        const u32 x = (at - row * per_row.divisor) * WIDTH;
        const u32 z = LAYOUT == LAYOUT_BRICK ? rows.quotient(row) : 0;
        const u32 y = row - z * rows.divisor;
        place = place_of(z, y, x, at * WIDTH);
        load_elements(span.field + z * span.plane + y * span.row + x, to);
    }
};

/// Gives `take` the elements of a box by WIDTH, with their places.
template <u32 LAYOUT, u32 WIDTH, class T, class Place, class Take>
FSZ_DEVICE void each_element_at(const BoxSpan<T> &span, const Place &place_of, const Take &take)
{
    const SpanLoads<LAYOUT, WIDTH, T, Place> load(span, place_of);
    // Those that come next are on their way while some are worked on.
    constexpr u32 AHEAD = WIDTH == 4 ? 1 : 3;
    T d[AHEAD + 1][WIDTH];
    u32 place[AHEAD + 1];
#pragma unroll
    for (u32 k = 0; k < AHEAD; ++k)
    {
        load(lane_id() + 32 * k, place[k], d[k]);
    }
#pragma unroll 1
    for (u32 from = lane_id(); from < load.count; from += 32)
    {
        load(from + 32 * AHEAD, place[AHEAD], d[AHEAD]);
        take(place[0], d[0]);
#pragma unroll
        for (u32 k = 0; k < AHEAD; ++k)
        {
            place[k] = place[k + 1];
#pragma unroll
            for (u32 e = 0; e < WIDTH; ++e)
            {
                d[k][e] = d[k + 1][e];
            }
        }
    }
}

/// Where boxes that are interpolated have their elements in shared memory.
template <u32 LAYOUT> FSZ_DEVICE u32 stage_place(u32 z, u32 y, u32 x, u32)
{
    return StagePlaces<LAYOUT>::place(z, y, x);
}

/// The elements of a box by WIDTH, with these places, for what takes many instructions.
template <u32 LAYOUT, u32 WIDTH, class T, class Take>
FSZ_DEVICE void each_element(const BoxSpan<T> &span, const Take &take)
{
    if constexpr (WIDTH > 1 || LAYOUT == LAYOUT_LINE)
    {
        each_element_at<LAYOUT, WIDTH>(span, stage_place<LAYOUT>, take);
    }
    else
    {
        each_in_rows_compactly<LAYOUT>(span, take);
    }
}

/// Gives `use` elements and words of theirs, and takes the words that it gives.
template <u32 WIDTH, class T, class Use>
FSZ_DEVICE void each_word(const T (&elements)[WIDTH], u32 (&words)[WIDTH], const Use &use)
{
    if constexpr (WIDTH == 1)
    {
        words[0] = use(elements[0], words[0]);
    }
    else
    {
        T d[WIDTH];
#pragma unroll
        for (u32 k = 0; k < WIDTH; ++k)
        {
            d[k] = elements[k];
        }
#pragma unroll 1
        for (u32 left = WIDTH; left > 0; --left)
        {
            const u32 word = use(d[0], words[0]);
#pragma unroll
            for (u32 k = 1; k < WIDTH; ++k)
            {
                d[k - 1] = d[k];
                words[k - 1] = words[k];
            }
            words[WIDTH - 1] = word;
        }
    }
}

/// Whether words of two elements of the same parity may be loaded and stored at once.
template <u32 LAYOUT> constexpr bool IN_PAIRS = StagePlaces<LAYOUT>::TWO_Y % 8 == 0;

/// Words of elements that lie side by side.
template <u32 LAYOUT, u32 WIDTH> FSZ_DEVICE void load_words(u32 at, u32 (&words)[WIDTH])
{
    constexpr u32 ODD = StagePlaces<LAYOUT>::ODD_X;
    if constexpr (WIDTH == 4 && IN_PAIRS<LAYOUT>)
    {
        load_pair(at, words[0], words[2]);
        load_pair(at + ODD, words[1], words[3]);
    }
    else
    {
#pragma unroll
        for (u32 k = 0; k < WIDTH; ++k)
        {
            words[k] = load_word(at + k / 2 * StagePlaces<LAYOUT>::TWO_X + k % 2 * ODD);
        }
    }
}

/// Leaves the targets of elements that lie side by side at `at`.
template <u32 LAYOUT, u32 WIDTH> FSZ_DEVICE void store_targets(u32 at, const u32 (&words)[WIDTH])
{
    constexpr u32 ODD = StagePlaces<LAYOUT>::ODD_X;
    if constexpr (WIDTH == 4 && IN_PAIRS<LAYOUT>)
    {
        store_pair(at, words[0], words[2]);
        store_pair(at + ODD, words[1], words[3]);
    }
    else
    {
#pragma unroll
        for (u32 k = 0; k < WIDTH; ++k)
        {
            store_word(at + k / 2 * StagePlaces<LAYOUT>::TWO_X + k % 2 * ODD, words[k]);
        }
    }
}

} // namespace fsz
