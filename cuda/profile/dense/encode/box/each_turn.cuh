// The elements of a box by lanes that go along its rows, some of each lane in a turn, for what
// takes few instructions: no place is reckoned by a division, and nothing waits for each load.
#pragma once

#include "device/copies.cuh"
#include "profile/dense/encode/box/span.cuh"

namespace fsz
{

/// Hides where an address comes from: of several that follow from each other by additions, the
/// compiler would multiply for each one.
template <class T> FSZ_DEVICE void opaque(const T *&at) { asm volatile("" : "+l"(at)); }

/// How the elements of a layout's boxes are spread over lanes, WIDTH side by side and STEPS of each
/// lane in a turn. A line is cut into rows of as many of each lane.
template <u32 LAYOUT, u32 WIDTH, u32 STEPS> struct Turns
{
    using Places = StagePlaces<LAYOUT>;
    static constexpr bool LINE = LAYOUT == LAYOUT_LINE, BRICK = LAYOUT == LAYOUT_BRICK;
    /// Lanes that take a row together, and rows that a warp takes at once.
    static constexpr u32 LANES = LINE ? 32 : BRICK ? 16 / WIDTH : WIDTH > 1 ? 64 / WIDTH : 32;
    static constexpr u32 ROWS = 32 / LANES;
    static constexpr u32 LINE_ROW = WIDTH * LANES;
    /// Elements of a row that are taken before those beside them.
    static constexpr u32 PART = BRICK || LINE || WIDTH > 1 ? DENSE_BOX : LANES;
    /// Steps in a plane of the turn, which has several planes of a brick alone.
    static constexpr u32 PLANE_STEPS = BRICK ? 16 / ROWS : STEPS;
    static constexpr u32 PLANES = STEPS / PLANE_STEPS;
    static constexpr u32 TURN_ROWS = STEPS * ROWS;
    static_assert(STEPS % PLANE_STEPS == 0, "whole planes of a brick");
    static_assert(PLANES == 1 || PLANES % 2 == 0, "a turn begins at a plane, or at an even one");
    /// Bytes in shared memory to the elements of the next turn, and to those of the second next.
    static constexpr u32 TURN_PLACE = LINE    ? TURN_ROWS * LINE_ROW / 2 * Places::TWO_X
                                      : BRICK ? Places::place(0, PLANES)
                                              : TURN_ROWS / 2 * Places::TWO_Y;
    static constexpr u32 TWO_TURNS = BRICK ? PLANES * Places::TWO_Z : 2 * TURN_PLACE;

    u32 turns;
    /// Rows from the lane's first one to the end of the box's, if it has any; of a brick those of a
    /// plane.
    i32 room;
    /// Planes of a brick.
    i32 planes;
    /// Elements from the box's first one to the lane's, to its next, to the next plane's and to the
    /// next turn's.
    u64 begin;
    u64 step;
    u64 plane;
    u64 turn;
    u32 place;
    /// Bytes to the next turn's, where they are not always the same.
    u32 further = TURN_PLACE;

    /// Of a part of each row that begins with the element `part`.
    template <class T> FSZ_DEVICE Turns(const BoxSpan<T> &span, u32 part)
    {
        // Rows of even indices first: half a warp's words fill all banks.
        const u32 row_lanes = lane_id() / LANES;
        const u32 first = BRICK ? row_lanes % (ROWS / 2) * 2 + row_lanes / (ROWS / 2) : row_lanes;
        const u32 x = part + lane_id() % LANES * WIDTH;
        const u32 n_x = span.n[2];
        const u64 row = LINE ? LINE_ROW : span.row;
        const u32 rows = LINE ? (n_x + LINE_ROW - 1) / LINE_ROW : span.n[1];
        const u32 own = LINE ? (n_x + LINE_ROW - 1 - x) / LINE_ROW : x < n_x ? rows : 0;
        room = static_cast<i32>(own) - static_cast<i32>(first);
        planes = BRICK ? static_cast<i32>(span.n[0]) : 1;
        turns =
            same(BRICK ? (span.n[0] + PLANES - 1) / PLANES : (rows + TURN_ROWS - 1) / TURN_ROWS);
        begin = first * row + x;
        step = ROWS * row;
        plane = span.plane;
        turn = BRICK ? PLANES * plane : TURN_ROWS * row;
        place = Places::place(0, first, x);
    }

    /// Whether the lane has step `k` of the turn.
    FSZ_DEVICE bool has(u32 k) const
    {
        const bool row = static_cast<i32>(k % PLANE_STEPS * ROWS) < room;
        return row && (!BRICK || static_cast<i32>(k / PLANE_STEPS) < planes);
    }

    /// Goes on to the next turn.
    FSZ_DEVICE void next()
    {
        room -= BRICK ? 0 : TURN_ROWS;
        planes -= BRICK ? PLANES : 0;
        if constexpr (TWO_TURNS == 2 * TURN_PLACE)
        {
            place += TURN_PLACE;
        }
        else
        {
            place += further;
            further = TWO_TURNS - further;
        }
    }

    /// Bytes in shared memory from the lane's first step to `k`.
    FSZ_DEVICE static constexpr u32 step_place(u32 k)
    {
        return LINE ? k * LINE_ROW / 2 * Places::TWO_X
                    : Places::place(k / PLANE_STEPS, k % PLANE_STEPS * ROWS, 0);
    }

    /// Gives `use` the steps that the lane has of a turn, and where their elements are: `from` on.
    template <class T, class Use> FSZ_DEVICE void each(const T *from, const Use &use) const
    {
        each_step(from, [&](u32 k, const T *at) {
            if (has(k))
            {
                use(k, at);
            }
        });
    }

    /// The same of all steps, whether the lane has them or not.
    template <class T, class Use> FSZ_DEVICE void each_step(const T *from, const Use &use) const
    {
#pragma unroll
        for (u32 p = 0; p < PLANES; ++p)
        {
            const T *own = from + p * plane;
#pragma unroll
            for (u32 k = p * PLANE_STEPS; k < (p + 1) * PLANE_STEPS; ++k)
            {
                use(k, own);
                own += step;
                opaque(own);
            }
        }
    }
};

/// Gives `take` a place in shared memory, WIDTH elements, and whether the lane has them. Those of
/// the next turn come to the registers of a turn's as soon as these have been worked on: others for
/// them would be taken from what a warp keeps meanwhile. BYTES of each lane in a turn.
template <u32 LAYOUT, u32 WIDTH, u32 BYTES = 64, class T, class Take>
FSZ_DEVICE void each_in_turns(const BoxSpan<T> &span, const Take &take)
{
    constexpr u32 STEPS = BYTES / sizeof(T) / WIDTH;
    using Lane = Turns<LAYOUT, WIDTH, STEPS>;
#pragma unroll 1
    for (u32 part = 0; part < span.n[2]; part += Lane::PART)
    {
        Lane lane(span, part), then(lane);
        const T *from = span.field + lane.begin;
        T own[STEPS][WIDTH] = {};
        lane.each(from, [&](u32 k, const T *at) { load_elements(at, own[k]); });
#pragma unroll 1
        for (u32 left = lane.turns; left > 0; --left)
        {
            from += lane.turn;
            then.next();
            lane.each_step(from, [&](u32 k, const T *at) {
                take(lane.place + Lane::step_place(k), own[k], lane.has(k));
                // That of the next turn, as soon as its registers are free.
                if (then.has(k))
                {
                    load_elements(at, own[k]);
                }
            });
            lane.next();
        }
    }
}

FSZ_DEVICE void load_landed(u32 at, float (&to)[4])
{
    asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                 : "=f"(to[0]), "=f"(to[1]), "=f"(to[2]), "=f"(to[3])
                 : "r"(at)
                 : "memory");
}

FSZ_DEVICE void load_landed(u32 at, float (&to)[1])
{
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(to[0]) : "r"(at) : "memory");
}

/// Where the elements of a lane land in shared memory, by fours side by side: in the places that
/// words of the same turn's elements will have, those of even and of odd indices, from the first
/// one on that is a multiple of 16 bytes.
template <u32 LAYOUT, u32 WIDTH> struct Landing
{
    using Places = StagePlaces<LAYOUT>;
    static constexpr u32 LANES = LAYOUT == LAYOUT_LINE ? 16 : 8;
    static constexpr u32 STEP = WIDTH == 4 ? 16 * LANES : 0;
    static_assert(Places::ODD_X % 16 == 0 && Places::ODD_Y % 16 == 0, "copies of 16 bytes");
    static_assert(LAYOUT != LAYOUT_PLANE || WIDTH == 1 ||
                      (2 * Places::TWO_Y % 8 == 0 && 2 * STEP + 8 <= 2 * Places::TWO_Y),
                  "a turn's two rows have room behind a multiple of 16 bytes");
    u32 own;

    FSZ_DEVICE explicit Landing(u32 lane) : own(0)
    {
        const u32 part = lane / LANES;
        own = part % 2 * Places::ODD_X + part / 2 * Places::ODD_Y + lane % LANES * 16;
    }

    /// The place of a step of the turn whose words begin at `turn`, and the lane's at `words`.
    FSZ_DEVICE u32 of(u32 k, u32 turn, u32 words) const
    {
        return WIDTH == 4 ? own + ((turn + 15) & ~15u) + k * STEP : words;
    }
};

/// The same of elements whose words replace them: all of a box come to `stage` at once before any
/// is worked on. A turn's elements land in places of the same turn's words. Unless it is SHORT,
/// what is done with the elements of a step stands once.
template <u32 LAYOUT, u32 WIDTH, bool SHORT, class Take>
FSZ_DEVICE void each_landed(const BoxSpan<float> &span, u32 stage, const Take &take)
{
    constexpr u32 STEPS = 8 / WIDTH;
    using Lane = Turns<LAYOUT, WIDTH, STEPS>;
    const Landing<LAYOUT, WIDTH> landing(lane_id());
#pragma unroll 1
    for (u32 part = 0; part < span.n[2]; part += Lane::PART)
    {
        Lane lane(span, part);
        const float *from = span.field + lane.begin;
        const u32 first = lane.place;
#pragma unroll 1
        for (u32 left = lane.turns; left > 0; --left)
        {
            lane.each(from, [&](u32 k, const float *at) {
                const u32 words = lane.place + Lane::step_place(k);
                begin_copy<4 * WIDTH>(stage + landing.of(k, lane.place - first, words), at);
            });
            from += lane.turn;
            lane.next();
        }
    }
    wait_for_copies();
#pragma unroll 1
    for (u32 part = 0; part < span.n[2]; part += Lane::PART)
    {
        Lane lane(span, part);
        const u32 first = lane.place;
#pragma unroll 1
        for (u32 left = lane.turns; left > 0; --left)
        {
            float d[STEPS][WIDTH];
#pragma unroll
            for (u32 k = 0; k < STEPS; ++k)
            {
                const u32 words = lane.place + Lane::step_place(k);
                load_landed(stage + landing.of(k, lane.place - first, words), d[k]);
            }
            // Where others' elements are a lane writes words.
            __syncwarp();
            if constexpr (SHORT)
            {
#pragma unroll
                for (u32 k = 0; k < STEPS; ++k)
                {
                    take(lane.place + Lane::step_place(k), d[k], lane.has(k));
                }
            }
            else
            {
#pragma unroll 1
                for (u32 k = 0; k < STEPS; ++k)
                {
                    take(lane.place + Lane::step_place(k), d[0], lane.has(k));
#pragma unroll
                    for (u32 i = 1; i < STEPS; ++i)
                    {
#pragma unroll
                        for (u32 e = 0; e < WIDTH; ++e)
                        {
                            d[i - 1][e] = d[i][e];
                        }
                    }
                }
            }
            lane.next();
        }
    }
}

} // namespace fsz
