// The half words of a chunk on their way to a warp: a ring in shared memory that is filled ahead.
#pragma once

#include "device/copies.cuh"
#include "device/warp.cuh"

namespace fsz
{

/// Bytes of a warp's ring, and those that are asked for at a time: one such piece is on its way
/// while three are read.
constexpr u32 RING_BYTES = 512;
constexpr u32 RING_PIECE = RING_BYTES / 4;

/// A 16-bit word of shared memory.
FSZ_DEVICE u32 load_half(u32 address)
{
    u16 half;
    asm volatile("ld.shared.u16 %0, [%1];" : "=h"(half) : "r"(address));
    return half;
}

/// Where a warp reads: behind the end it reads zeros.
struct HalfWords
{
    /// The ring's address, a multiple of its size.
    u32 ring;
    /// The byte that is read next; up to `mark` there are two pieces behind it that have arrived.
    u32 at;
    u32 mark;
    /// At a multiple of 16; bytes that there are.
    const u8 *source;
    u32 end;

    /// Asks for the piece from byte `first` on.
    FSZ_DEVICE void ask(u32 first) const
    {
        const u32 lane = lane_id();
        if (lane < RING_PIECE / 16)
        {
            const u32 from = first + 16 * lane;
            const u32 len = from < end ? min(end - from, 16u) : 0;
            begin_copy_16(ring | (from & (RING_BYTES - 1)), source + (len > 0 ? from : 0), len);
        }
        group_copies();
    }

    /// Waits for all but the last piece.
    FSZ_DEVICE static void arrive()
    {
        wait_for_groups<1>();
        __syncwarp();
    }

    /// Begins at `begin`, a multiple of 4, with `len` bytes to read.
    FSZ_DEVICE void open(const u8 *begin, u32 len)
    {
        at = static_cast<u32>(reinterpret_cast<u64>(begin)) % 16;
        source = begin - at;
        end = at + len;
#pragma unroll
        for (u32 piece = 0; piece < RING_BYTES; piece += RING_PIECE)
        {
            ask(piece);
        }
        arrive();
        mark = RING_PIECE;
    }

    FSZ_DEVICE bool low() const { return at > mark; }

    /// Asks for a piece in the place of one that was read.
    FSZ_DEVICE void fill()
    {
        ask(mark + RING_BYTES - RING_PIECE);
        arrive();
        mark += RING_PIECE;
    }

    FSZ_DEVICE u32 half(u32 from) const { return load_half(ring | (from & (RING_BYTES - 1))); }
};

} // namespace fsz
