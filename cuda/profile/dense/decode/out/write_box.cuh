// The elements of a box from its values in shared memory to where they belong.
#pragma once

#include "profile/dense/chunk.cuh"
#include "profile/dense/decode/box_memory.cuh"
#include "profile/dense/decode/out/output.cuh"

namespace fsz
{

/// Which elements of a box are masked: of each lane those that it writes, in the order in which it
/// does.
struct MaskBits
{
    static constexpr u32 WORDS = DENSE_BOX / 32 / 32;
    u32 words[WORDS];

    FSZ_DEVICE void begin()
    {
#pragma unroll
        for (u32 k = 0; k < WORDS; ++k)
        {
            words[k] = 0;
        }
    }

    /// Number `k` of the lane's elements.
    FSZ_DEVICE void put(u32 k, bool masked) { words[k / 32] |= (masked ? 1u : 0u) << k % 32; }

    FSZ_DEVICE bool get(u32 k) const { return words[k / 32] >> k % 32 & 1; }
};

/// A point of a box.
struct BoxPoint
{
    u32 z, y, x;

    FSZ_DEVICE BoxPoint(const Box &box, u32 position)
    {
        x = position % box.n[2];
        const u32 row = position / box.n[2];
        y = row % box.n[1];
        z = row / box.n[1];
    }

    FSZ_DEVICE void skip_rows(const Box &box, u32 rows)
    {
        for (y += rows; y >= box.n[1]; y -= box.n[1])
        {
            ++z;
        }
    }

    /// Goes on by one element.
    FSZ_DEVICE void step(const Box &box)
    {
        if (++x == box.n[2])
        {
            x = 0;
            skip_rows(box, 1);
        }
    }

    FSZ_DEVICE u32 place(u32 layout) const { return place_in_box(layout, z, y, x); }

    FSZ_DEVICE u64 element(const BoxGrid &grid, const Box &box) const
    {
        return box.first + (z * grid.shape[2] + y) * grid.shape[3] + x;
    }
};

/// How the values of elements lie that are side by side in a box of a layout; the first one has an
/// even index.
template <u32 LAYOUT> struct SideBySide
{
    /// Bytes to the one that is so many further.
    FSZ_DEVICE static constexpr u32 further(u32 j)
    {
        if constexpr (LAYOUT == LAYOUT_LINE)
        {
            return 2 * j;
        }
        else
        {
            return ValuePlaces<LAYOUT>::place(2, j);
        }
    }

    /// Four of them, two in a word.
    FSZ_DEVICE static void four(u32 at, i32 (&to)[4])
    {
        // The one in the first one's word, and the first one of the other word.
        constexpr u32 WITH = further(1) == 2 ? 1 : 2, OTHER = 3 - WITH;
        const u32 first = word_at(at), second = word_at(at + further(OTHER));
        to[0] = static_cast<short>(first);
        to[WITH] = static_cast<i32>(first) >> 16;
        to[OTHER] = static_cast<short>(second);
        to[3] = static_cast<i32>(second) >> 16;
    }
};

/// The elements that a lane writes of a box that goes to the whole field: groups of WIDTH elements
/// of a row. Calls `visit` with how its values lie, the group's number, its place in the box and
/// where it goes.
template <u32 LAYOUT, u32 WIDTH, class T, class Visit>
FSZ_DEVICE void visit_groups(const Box &box, T *out, u64 row, u64 plane, const Visit &visit)
{
    const u32 lane = lane_id();
    constexpr SideBySide<LAYOUT> lie;
    if constexpr (LAYOUT == LAYOUT_LINE)
    {
        u32 k = 0;
        for (u32 x = WIDTH * lane; x < box.len; x += WIDTH * 32, ++k)
        {
            visit(lie, k, line_place(x), out + x);
        }
    }
    else if constexpr (LAYOUT == LAYOUT_PLANE)
    {
        // Lanes that take a row together, and how often.
        constexpr u32 LANES = WIDTH == 4 ? 16 : 32, TIMES = WIDTH == 4 ? 1 : 2;
        constexpr u32 ROWS = 32 / LANES;
        const u32 x = WIDTH * (lane % LANES);
        T *to = out + lane / LANES * row + x;
        using Places = ValuePlaces<LAYOUT>;
        static_assert(Places::TWO_Y == 2 * Places::ODD_Y, "rows of a plane in their order");
        u32 place = Places::place(0, lane / LANES, x);
        u32 k = 0;
        for (u32 y = lane / LANES; y < box.n[1]; y += ROWS)
        {
#pragma unroll
            for (u32 j = 0; j < TIMES; ++j, ++k)
            {
                if (x + 32 * j < box.n[2])
                {
                    visit(lie, k, place + Places::place(2, 32) * j, to + 32 * j);
                }
            }
            place += ROWS * Places::ODD_Y;
            to += ROWS * row;
        }
    }
    else
    {
        constexpr u32 LANES = 16 / WIDTH, ROWS = 32 / LANES;
        static_assert(ROWS % 2 == 0, "rows of a lane follow each other in memory");
        const u32 x = WIDTH * (lane % LANES), first = lane / LANES;
        const u32 rows = x < box.n[2] ? box.n[1] : 0;
        using Places = ValuePlaces<LAYOUT>;
        static_assert(Places::TWO_Z == 2 * Places::ODD_Z, "planes of a brick in their order");
        u32 place = Places::place(0, first, x);
        T *line = out + first * row + x;
        u32 k = 0;
        for (u32 z = 0; z < box.n[0]; ++z)
        {
            T *to = line;
#pragma unroll
            for (u32 j = 0; j < 16 / ROWS; ++j, ++k)
            {
                if (first + ROWS * j < rows)
                {
                    visit(lie, k, place + Places::place(1, ROWS) * j, to);
                }
                to += ROWS * row;
            }
            place += Places::ODD_Z;
            line += plane;
        }
    }
}

/// Where a box's elements go.
template <class T, class Output> struct BoxTarget
{
    const BoxGrid &grid;
    const Output &output;
    Box box;
    u32 layout;
    u64 begin;
    bool wanted;

    FSZ_DEVICE T *place(const BoxPoint &point, u32 position) const
    {
        return wanted ? output.place(begin, point.element(grid, box), position) : nullptr;
    }

    /// Whether elements can be written four at a time.
    FSZ_DEVICE bool in_fours() const
    {
        if constexpr (Output::WHOLE)
        {
            return box.n[2] % 4 == 0 && grid.shape[3] % 4 == 0 &&
                   reinterpret_cast<u64>(output.out) % 16 == 0;
        }
        return false;
    }

    /// Calls `visit` with groups of elements.
    template <u32 WIDTH, class Visit> FSZ_DEVICE void visit(const Visit &visit) const
    {
        if constexpr (Output::WHOLE)
        {
            T *const out = output.out + box.first;
            const u64 row = grid.shape[3], plane = row * grid.shape[2];
            if (layout == LAYOUT_LINE)
            {
                visit_groups<LAYOUT_LINE, WIDTH>(box, out, row, plane, visit);
            }
            else if (layout == LAYOUT_PLANE)
            {
                visit_groups<LAYOUT_PLANE, WIDTH>(box, out, row, plane, visit);
            }
            else
            {
                visit_groups<LAYOUT_BRICK, WIDTH>(box, out, row, plane, visit);
            }
        }
        else
        {
            u32 k = 0;
            for (u32 at = lane_id(); at < box.len; at += 32, ++k)
            {
                const BoxPoint point(box, at);
                visit(SideBySide<LAYOUT_LINE>{}, k, point.place(layout), place(point, at));
            }
        }
    }

    /// Takes down the mask whose flags are in the memory of the box, in the order of `write`.
    FSZ_DEVICE void keep_mask(u32 memory, MaskBits &mask) const
    {
        mask.begin();
        if (in_fours())
        {
            visit<4>([&](auto lie, u32 k, u32 at, T *) {
#pragma unroll
                for (u32 j = 0; j < 4; ++j)
                {
                    mask.put(4 * k + j, value_at(memory + at + lie.further(j)) != 0);
                }
            });
        }
        else
        {
            visit<1>([&](auto, u32 k, u32 at, T *) { mask.put(k, value_at(memory + at) != 0); });
        }
        __syncwarp();
    }

    /// Writes what `decoded` makes of values; masked ones are `pattern`.
    template <bool MASKED, class Decode>
    FSZ_DEVICE void write(u32 memory, const Decode &decoded, MaskBits &mask, T pattern) const
    {
        if (!wanted)
        {
            return;
        }
        if (in_fours())
        {
            visit<4>([&](auto lie, u32 k, u32 at, T *to) {
                i32 value[4];
                lie.four(memory + at, value);
                T v[4] = {decoded(value[0]), decoded(value[1]), decoded(value[2]),
                          decoded(value[3])};
                if constexpr (MASKED)
                {
#pragma unroll
                    for (u32 j = 0; j < 4; ++j)
                    {
                        v[j] = mask.get(4 * k + j) ? pattern : v[j];
                    }
                }
                store_four(to, v);
            });
        }
        else
        {
            visit<1>([&](auto, u32 k, u32 at, T *to) {
                const T own = decoded(value_at(memory + at));
                const bool masked = MASKED && mask.get(k);
                if (Output::WHOLE || to)
                {
                    __stcs(to, masked ? pattern : own);
                }
            });
        }
    }
};

} // namespace fsz
