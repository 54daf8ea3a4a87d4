// Streams back to fields: a chunk, a thread block. No thread block waits for another: the index of
// the stream says where each chunk lies.
#pragma once

#include "emit.cuh"
#include "place.cuh"
#include "scatter.cuh"

namespace fsz
{

// Most warps of a thread block: a group for each.
constexpr u32 DECODE_WARPS_MOST = CHUNK_TILES / WARP_TILES;

// Any four tiles, of any rates and payload, read where it lies. Returns this thread's share of its
// tile's checksum, without the rate bytes.
template <class T, class Place>
FSZ_DEVICE u32 any_tiles(const StreamView &s, u64 chunk, u32 group, u32 wanted, Stage &stage,
                         const Place &place, u64 *status)
{
    const u32 lane = threadIdx.x & 31;
    const Tiles t = tiles_of(stage.index, group);
    const u32 *payload = payload_of(s, stage.index), *tile = payload + t.at;
    const u32 mu = t.centered() ? tile[0] : 0;
    u32 checksum = (lane & 7) == 0 ? mu * weight(2) : 0;
    __syncwarp();
    if (wanted && __any_sync(WARP_ALL, t.count > 0 && t.has_chain()))
        checksum += stage_any_codes(tile + t.block_at, t.rate, 2 + t.block_at, t.order2(), (int)mu,
                                    stage.rows + lane * ROW);
    else
        checksum += block_checksum(tile + t.block_at, t.rate, 2 + t.block_at);
    __syncwarp();
    payload += stage.index.at[group * WARP_TILES];
    return checksum + place_group<T>(s, chunk, group, wanted, stage, payload, place, status);
}

// Brings the codes of a staged group to its rows. Returns this thread's share of its tile's
// checksum.
template <class Residuals>
__device__ __noinline__ u32 staged_codes(u32 block, const u32 *payload, u32 *rows)
{
    Group g;
    g.block = block;
    u32 share = 0;
    int mu;
    const Residuals l = load_staged<Residuals>(g, payload, mu, share);
    const Start start = block_start(block_sums(l), g.order2(), mu);
    stage_codes(l, start, g.order2(), rows + (threadIdx.x & 31) * ROW);
    return share;
}

// The same for whatever rate of 15 at most.
FSZ_DEVICE u32 staged_codes(const Group &g, const u32 *payload, u32 *rows)
{
    const u32 share = __any_sync(WARP_ALL, g.rate() > 7)
                          ? staged_codes<Medium>(g.block, payload, rows)
                          : staged_codes<Narrow>(g.block, payload, rows);
    __syncwarp();
    return share;
}

// A staged group of full tiles, some with escapes. Returns this thread's share of its tile's
// checksum, without the rate bytes.
template <class T>
FSZ_DEVICE u32 escaped_tiles(const StreamView &s, u64 chunk, u32 number, const Group &g,
                             Stage &stage, const u32 *payload, T *out, u64 *status)
{
    const u32 share = g.chains ? staged_codes(g, payload, stage.rows) : 0;
    const u32 tile = number * WARP_TILES + (threadIdx.x >> 3 & 3);
    const ChunkIndex &index = stage.index;
    return share + scatter_tiles<T>(s, index.rates[tile].x, index.rates[tile].y,
                                    payload + g.tile_at(), index.at[tile + 1] - index.at[tile],
                                    index.step, stage.rows, out, chunk, status);
}

// A staged group whose tiles go to their places one by one. Returns this thread's share of its
// tile's checksum, without the rate bytes.
template <class T, class Place>
FSZ_DEVICE u32 staged_tiles(const StreamView &s, u64 chunk, u32 number, const Group &g,
                            Stage &stage, const u32 *payload, const Place &place, u64 *status)
{
    const u32 wanted = place.wanted(chunk * CHUNK + number * WARP_ELEMENTS);
    u32 share;
    if (g.chains && wanted)
    {
        share = staged_codes(g, payload, stage.rows);
    }
    else
    {
        share = block_checksum(payload + g.block_at(), g.rate(), 2 + g.block_at() - g.tile_at());
        if (g.centered() && (threadIdx.x & 7) == 0)
            share += payload[g.tile_at()] * weight(2);
    }
    __syncwarp();
    payload += __shfl_sync(WARP_ALL, g.tile_at(), 0);
    return share + place_group<T>(s, chunk, number, wanted, stage, payload, place, status);
}

// Any group that `plain_tiles` is not for, or has given up (then not staged). Returns this thread's
// share of its tile's checksum, without the rate bytes.
template <class T, class Place>
FSZ_DEVICE u32 other_tiles(const StreamView &s, u64 chunk, u32 number, const Group &g, Stage &stage,
                           const u32 *payload, const Place &place, u64 *status)
{
    const u64 first = chunk * CHUNK + number * WARP_ELEMENTS;
    if (!g.staged)
        return any_tiles<T>(s, chunk, number, place.wanted(first), stage, place, status);
    if (g.full)
        return escaped_tiles(s, chunk, number, g, stage, payload, place.group(first), status);
    return staged_tiles<T>(s, chunk, number, g, stage, payload, place, status);
}

// A group's share of its chunk's checksum, in its tiles' first threads, from those of the tiles'
// threads.
FSZ_DEVICE u32 group_share(u32 checksum, u32 number, u32 tiles)
{
#pragma unroll
    for (u32 o = 1; o < 8; o <<= 1)
        checksum += __shfl_xor_sync(WARP_ALL, checksum, o);
    const u32 lane = threadIdx.x & 31, tile = number * WARP_TILES + (lane >> 3);
    return (lane & 7) == 0 && tile < tiles ? tile_share(checksum, tile) : 0;
}

// Decodes one chunk, by the warps of a thread block: each takes every so manyth group of four
// tiles.
template <class T, class Place>
FSZ_DEVICE void decode_chunk(const StreamView &s, u64 chunk, const Place &place, u64 *status,
                             Stage *stages)
{
    __shared__ u32 sums[DECODE_WARPS_MOST];
    const u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31, warps = blockDim.x >> 5;
    Stage &stage = stages[warp];
    const ChunkIndex &index = stage.index;
    if (!locate<Element<T>::WORDS>(s, chunk, status, stage.index))
        return; // All warps of the thread block find the same.
    const u32 tiles = (index.elements + TILE - 1) / TILE;
    u32 sum = 0;
    // The groups of this warp, bit 2g for group g; those with escapes are for the second pass.
    u32 plain = 0;
    for (u32 number = warp; number * WARP_TILES < tiles; number += warps)
    {
        plain |= 1u << 2 * number;
    }
    u32 left = plain & index.escapes;
    plain &= ~left;
    const auto first_of = [](u32 groups) { return (__ffs(groups) - 1) / 2; };

    // First the plain groups, each sent for while the one before it is at work. What else there is
    // would cost this loop registers that it needs.
    Group next;
    if (plain != 0)
    {
        next = begin_group<true>(s, chunk, first_of(plain), place, index, stage.payload);
    }
    while (plain != 0)
    {
        const Group now = next;
        const u32 number = first_of(plain);
        plain &= plain - 1;
        const auto begin_next = [&] {
            if (plain != 0)
            {
                next = begin_group<true>(s, chunk, first_of(plain), place, index, stage.payload);
            }
        };
        end_copy();
        u32 checksum = now.checksum;
        bool done = false;
        if (now.plain)
        {
            T *out = place.group(chunk * CHUNK + number * WARP_ELEMENTS);
            if (__any_sync(WARP_ALL, now.rate() > 7))
            {
                done = plain_tiles<Medium>(now, stage.payload, index.step, stage.rows, out,
                                           checksum, begin_next);
            }
            else
            {
                done = plain_tiles<Narrow>(now, stage.payload, index.step, stage.rows, out,
                                           checksum, begin_next);
            }
        }
        else
        {
            begin_next();
        }
        if (done)
        {
            sum += group_share(checksum, number, tiles);
        }
        else
        {
            left |= 1u << 2 * number;
        }
    }

    for (; left != 0; left &= left - 1)
    {
        const u32 number = first_of(left);
        Group g = begin_group<false>(s, chunk, number, place, index, stage.payload);
        end_copy();
        g.staged = g.staged && !g.plain; // Plain tiles that were given up need more than the stage.
        const u32 share = other_tiles<T>(s, chunk, number, g, stage, stage.payload, place, status);
        sum += group_share(g.checksum + share, number, tiles);
    }

    sum = __reduce_add_sync(WARP_ALL, sum);
    if (lane == 0)
        sums[warp] = sum;
    __syncthreads();
    if (warp == 0)
    {
        const u32 all = __reduce_add_sync(WARP_ALL, lane < warps ? sums[lane] : 0);
        const u32 *stored = reinterpret_cast<const u32 *>(s.bytes + s.layout.sums) + chunk;
        if (lane == 0 && all != __ldg(stored))
            report(status, chunk, FAULT_CHECKSUM);
    }
}

} // namespace fsz
