// What the lanes of a warp find out together: sums and scans over the warp, and over the eight
// lanes of a tile.
#pragma once

#include "format/format.cuh"

namespace fsz
{

FSZ_DEVICE u32 lane_id() { return threadIdx.x & 31; }

/// Tells the compiler that all lanes are here together. In a function it cannot know, and before
/// each vote or shuffle looks for lanes that are apart, and moves nothing across: what the lanes of
/// a warp have to do at once (`.aligned`) tells it, and comes to no instruction, as nothing uses
/// it. Lanes that were apart are together behind the wait before.
FSZ_DEVICE void together()
{
    __syncwarp();
    asm volatile("{\n.reg .b32 none;\nmovmatrix.sync.aligned.m8n8.trans.b16 none, %0;\n}" ::"r"(0));
}

/// A number that is the same in all lanes: behind a branch on it they are still together.
FSZ_DEVICE u32 same(u32 number) { return __reduce_max_sync(WARP_ALL, number); }

/// A number that lane `lane` has.
FSZ_DEVICE u32 number_of(u32 lane, u32 number) { return same(lane_id() == lane ? number : 0); }

/// A number that is the same in all lanes, in a register of each: of what is kept once for a warp
/// an instruction takes but one operand.
template <class V> FSZ_DEVICE V in_register(V number) { return __shfl_sync(WARP_ALL, number, 0); }

/// Sum over the eight lanes of a tile.
FSZ_DEVICE u32 tile_sum(u32 value)
{
#pragma unroll
    for (u32 step = 1; step < TILE_BLOCKS; step *= 2)
    {
        value += __shfl_xor_sync(WARP_ALL, value, step);
    }
    return value;
}

/// Sum over the lanes of a tile before this one.
FSZ_DEVICE u32 tile_before(u32 value, u32 block)
{
    u32 inclusive = value;
#pragma unroll
    for (u32 step = 1; step < TILE_BLOCKS; step *= 2)
    {
        const u32 other = __shfl_up_sync(WARP_ALL, inclusive, step, TILE_BLOCKS);
        inclusive += block >= step ? other : 0;
    }
    return inclusive - value;
}

/// The bits of a ballot that belong to the tile of this lane, in the low eight bits.
FSZ_DEVICE u32 tile_ballot(bool predicate, u32 lane)
{
    return (__ballot_sync(WARP_ALL, predicate) >> (lane & 24)) & 0xFF;
}

/// The value of the first lane of this lane's tile, or of lane `block` of it.
template <class V> FSZ_DEVICE V tile_broadcast(V value, u32 block = 0)
{
    return __shfl_sync(WARP_ALL, value, block, TILE_BLOCKS);
}

/// Sum over the lanes up to and with this one.
FSZ_DEVICE u32 warp_inclusive(u32 value, u32 lane)
{
#pragma unroll
    for (u32 step = 1; step < 32; step *= 2)
    {
        const u32 other = __shfl_up_sync(WARP_ALL, value, step);
        value += lane >= step ? other : 0;
    }
    return value;
}

FSZ_DEVICE u32 warp_max(u32 value) { return __reduce_max_sync(WARP_ALL, value); }

FSZ_DEVICE u64 warp_max(u64 value)
{
#pragma unroll
    for (u32 step = 1; step < 32; step *= 2)
    {
        const u64 other = __shfl_xor_sync(WARP_ALL, value, step);
        value = other > value ? other : value;
    }
    return value;
}

FSZ_DEVICE u64 warp_sum(u64 value)
{
#pragma unroll
    for (u32 step = 1; step < 32; step *= 2)
    {
        value += __shfl_xor_sync(WARP_ALL, value, step);
    }
    return value;
}

} // namespace fsz
