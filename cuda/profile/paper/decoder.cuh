// The decoder of the paper's profile, as the decompression kernels of decode/ use it. A second
// profile has one with the same names.
#pragma once

#include "decode/output.cuh"
#include "profile/paper/decode_escaped.cuh"
#include "profile/paper/decode_plain.cuh"
#include "profile/paper/output_tile.cuh"

namespace fsz
{

/// Most warps of a thread block: a quad for each.
constexpr u32 DECODE_WARPS_MOST = CHUNK_QUADS;

/// Brings the codes of a staged quad to its rows. `block` is that of its `Quad`. Returns this
/// thread's share of its tile's checksum.
template <class Residuals>
__device__ __noinline__ u32 integrate_staged(u32 block, const u32 *payload, u32 *rows)
{
    Quad quad;
    quad.block = block;
    u32 share = 0;
    i32 mu;
    const Residuals l = unpack_staged<Residuals>(quad, payload, mu, share);
    const Start start = block_start(block_sums(l), quad.order2(), mu);
    integrate(l, start, quad.order2(), rows + lane_id() * ROW);
    return share;
}

/// The same for whatever rate of 15 at most.
FSZ_DEVICE u32 integrate_staged(const Quad &quad, const u32 *payload, u32 *rows)
{
    const u32 share = __any_sync(WARP_ALL, quad.rate() > 7)
                          ? integrate_staged<Medium>(quad.block, payload, rows)
                          : integrate_staged<Narrow>(quad.block, payload, rows);
    __syncwarp();
    return share;
}

/// A warp of a thread block that decodes a chunk: every so manyth quad of it.
template <class T, class OutputOf> struct PaperDecoder
{
    using Output = OutputOf;
    /// What a warp has in shared memory.
    using Stage = fsz::Stage;
    static constexpr u32 WARPS_MOST = DECODE_WARPS_MOST;

    const StreamView &view;
    u64 chunk;
    const Output &output;
    u64 *status;
    Stage &stage;

    /// Finds the chunk and its tiles. False, for all warps of the thread block, when the stream is
    /// damaged.
    FSZ_DEVICE bool locate()
    {
        return index_tiles<Element<T>::WORDS>(view, chunk, status, stage.index);
    }

    /// Decodes the quads of warp `warp` of `warps`. Returns the lane's share of the chunk's
    /// checksum.
    FSZ_DEVICE u32 decode(u32 warp, u32 warps) const
    {
        const TileIndex &index = stage.index;
        const u32 tiles = (index.elements + TILE - 1) / TILE;
        u32 sum = 0;
        // The quads of this warp, bit 2q for quad q; those with escapes are for the second pass.
        u32 plain = 0;
        for (u32 number = warp; number * QUAD_TILES < tiles; number += warps)
        {
            plain |= 1u << 2 * number;
        }
        u32 left = plain & index.escapes;
        plain &= ~left;
        const auto first_of = [](u32 quads) { return (__ffs(quads) - 1) / 2; };

        // First the plain quads, each sent for while the one before it is at work. What else there
        // is would cost this loop registers that it needs.
        Quad next;
        if (plain != 0)
        {
            next = begin<true>(first_of(plain));
        }
        while (plain != 0)
        {
            const Quad now = next;
            const u32 number = first_of(plain);
            plain &= plain - 1;
            const auto begin_next = [&] {
                if (plain != 0)
                {
                    next = begin<true>(first_of(plain));
                }
            };
            end_copy();
            u32 checksum = now.checksum;
            if (decode_plain_quad(number, now, checksum, begin_next))
            {
                sum += quad_share(checksum, number, tiles);
            }
            else
            {
                left |= 1u << 2 * number;
            }
        }

        for (; left != 0; left &= left - 1)
        {
            const u32 number = first_of(left);
            Quad quad = begin<false>(number);
            end_copy();
            // Plain tiles that were given up need more than the stage.
            quad.staged = quad.staged && !quad.plain;
            const u32 share = decode_other(number, quad);
            sum += quad_share(quad.checksum + share, number, tiles);
        }
        return sum;
    }

private:
    /// The first element of a quad in the field.
    FSZ_DEVICE u64 first_element(u32 number) const
    {
        return chunk * CHUNK + number * QUAD_ELEMENTS;
    }

    /// Begins the work on a quad; with PLAIN only if it is plain.
    template <bool PLAIN> FSZ_DEVICE Quad begin(u32 number) const
    {
        return begin_quad<PLAIN>(view, chunk, number, output, stage.index, stage.payload);
    }

    /// Decodes a quad if it is plain, and calls `begin_next` once the stage is free. False, and
    /// nothing is written, if it is for `decode_other`.
    template <class Begin>
    FSZ_DEVICE bool decode_plain_quad(u32 number, const Quad &quad, u32 &checksum,
                                      const Begin &begin_next) const
    {
        if (!quad.plain)
        {
            begin_next();
            return false;
        }
        T *const out = output.quad(first_element(number));
        return __any_sync(WARP_ALL, quad.rate() > 7)
                   ? decode_plain<Medium>(quad, stage, out, checksum, begin_next)
                   : decode_plain<Narrow>(quad, stage, out, checksum, begin_next);
    }

    /// Any quad that `decode_plain` is not for, or has given up (then not staged). Returns this
    /// thread's share of its tile's checksum, without the rate bytes; so do the next three.
    FSZ_DEVICE u32 decode_other(u32 number, const Quad &quad) const
    {
        return !quad.staged ? decode_any(number)
               : quad.full  ? decode_escaped(number, quad)
                            : decode_staged(number, quad);
    }

    /// Any quad, of any rates and payload, read where it lies.
    FSZ_DEVICE u32 decode_any(u32 number) const
    {
        const u32 lane = lane_id();
        const u32 wanted = output.wanted(first_element(number));
        const TileView t = tile_view(stage.index, number);
        const u32 *const payload = payload_of(view, stage.index), *const tile = payload + t.at;
        const u32 mu = t.centered() ? tile[0] : 0;
        u32 checksum = (lane & 7) == 0 ? mu * weight(2) : 0;
        __syncwarp();
        if (wanted && __any_sync(WARP_ALL, t.count > 0 && t.has_chain()))
        {
            checksum += integrate_any(tile + t.block_at, t.rate, 2 + t.block_at, t.order2(),
                                      static_cast<i32>(mu), stage.rows + lane * ROW);
        }
        else
        {
            checksum += block_checksum(tile + t.block_at, t.rate, 2 + t.block_at);
        }
        __syncwarp();
        return checksum + output_quad<T>({view, chunk, status}, number, wanted, stage,
                                         payload + stage.index.at[number * QUAD_TILES], output);
    }

    /// A staged quad of full tiles, some with escapes.
    FSZ_DEVICE u32 decode_escaped(u32 number, const Quad &quad) const
    {
        const u32 share = quad.chains ? integrate_staged(quad, stage.payload, stage.rows) : 0;
        const u32 tile = number * QUAD_TILES + lane_id() / TILE_BLOCKS;
        return share + output_escaped<T>({view, chunk, status}, tile, stage,
                                         stage.payload + quad.tile_at(),
                                         output.quad(first_element(number)));
    }

    /// A staged quad whose tiles go to their places one by one.
    FSZ_DEVICE u32 decode_staged(u32 number, const Quad &quad) const
    {
        const u32 wanted = output.wanted(first_element(number));
        const u32 *const payload = stage.payload;
        u32 share;
        if (quad.chains && wanted)
        {
            share = integrate_staged(quad, payload, stage.rows);
        }
        else
        {
            share = block_checksum(payload + quad.block_at(), quad.rate(),
                                   2 + quad.block_at() - quad.tile_at());
            if (quad.centered() && (lane_id() & 7) == 0)
            {
                share += payload[quad.tile_at()] * weight(2);
            }
        }
        __syncwarp();
        const u32 first = __shfl_sync(WARP_ALL, quad.tile_at(), 0);
        return share + output_quad<T>({view, chunk, status}, number, wanted, stage, payload + first,
                                      output);
    }

    /// A quad's share of its chunk's checksum, in its tiles' first lanes, from those of the tiles'
    /// lanes.
    static FSZ_DEVICE u32 quad_share(u32 checksum, u32 number, u32 tiles)
    {
        checksum = tile_sum(checksum);
        const u32 lane = lane_id(), tile = number * QUAD_TILES + lane / TILE_BLOCKS;
        return (lane & 7) == 0 && tile < tiles ? tile_share(checksum, tile) : 0;
    }
};

} // namespace fsz
