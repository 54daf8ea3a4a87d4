// What a warp needs again behind the functions that predict its box. Those take the registers, and
// what a compiler puts into local memory meanwhile has left the first cache when it is wanted: a
// predictor waited ten times a box for it, half a microsecond each.
#pragma once

#include "device/shared.cuh"
#include "profile/dense/grid.cuh"

namespace fsz
{

/// What is kept, by the number of its first word.
enum class Note : u32
{
    /// Of a box: its first element (two words), the elements along each axis (three), its shape,
    /// the code that its chunk begins with, and that of its own first element.
    FIRST = 0,
    EXTENT = 2,
    SHAPE = 5,
    BASE = 6,
    OWN = 7,
    /// Its mail's number, and the warp's round in the meeting.
    MAIL = 8,
    ROUND = 9,
    /// Whether the field's range is known.
    RANGE_KNOWN = 10
};
constexpr u32 NOTES = 12;
static_assert(NOTES % 4 == 0, "what lies behind them begins at a multiple of 16 bytes");

/// The notes of a warp, at an address in shared memory. Each look loads anew.
struct Notes
{
    u32 at;

    /// Called by a warp, with the same word in all lanes.
    FSZ_DEVICE void keep(Note what, u32 word) const
    {
        __syncwarp();
        if (lane_id() == 0)
        {
            store_word(place_of(what), word);
        }
        __syncwarp();
    }

    FSZ_DEVICE u32 of(Note what) const { return load_word(place_of(what)); }

    /// Keeps a box of a chunk that begins with the code `base`. Called by a warp.
    FSZ_DEVICE void keep_box(const Box &box, i32 base) const
    {
        __syncwarp();
        if (lane_id() == 0)
        {
            const u32 first = place_of(Note::FIRST), extent = place_of(Note::EXTENT);
            store_word(first, static_cast<u32>(box.first));
            store_word(first + 4, static_cast<u32>(box.first >> 32));
            store_word(extent, box.n[0]);
            store_word(extent + 4, box.n[1]);
            store_word(extent + 8, box.n[2]);
            store_word(place_of(Note::SHAPE), box.shape);
            store_word(place_of(Note::BASE), static_cast<u32>(base));
        }
        __syncwarp();
    }

    FSZ_DEVICE Box box() const
    {
        const u32 first = place_of(Note::FIRST), extent = place_of(Note::EXTENT);
        const u32 low = load_word(first), high = load_word(first + 4);
        const u32 z = load_word(extent), y = load_word(extent + 4), x = load_word(extent + 8);
        return {{}, {z, y, x}, z * y * x, of(Note::SHAPE), static_cast<u64>(high) << 32 | low};
    }

    FSZ_DEVICE i32 base() const { return static_cast<i32>(of(Note::BASE)); }
    FSZ_DEVICE i32 own() const { return static_cast<i32>(of(Note::OWN)); }

private:
    FSZ_DEVICE u32 place_of(Note what) const { return at + 4 * static_cast<u32>(what); }
};

} // namespace fsz
