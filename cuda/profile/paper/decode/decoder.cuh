// The decoder of the paper's profile, as the decompression kernels of decode/ use it. A second
// profile has one with the same names.
#pragma once

#include "decode/output.cuh"
#include "profile/paper/decode/escaped.cuh"
#include "profile/paper/decode/output_tile.cuh"
#include "profile/paper/decode/plain.cuh"
#include "profile/paper/hash_rates.cuh"

namespace fsz
{

/// Most warps of a thread block: a quad for each.
constexpr u32 DECODE_WARPS_MOST = CHUNK_QUADS;

/// A thread's share of its chunk's checksum, of a quad.
struct Hashed
{
    /// The products of the words of its block.
    u64 block;
    /// Whole rows of words of escapes.
    u32 rows;
};

/// Brings the codes of a staged quad to its rows. `block` is that of its `Quad`. Returns the
/// products of the thread's block.
template <class Residuals>
__device__ __noinline__ u64 integrate_staged(u32 block, const u32 *payload, u32 *rows)
{
    Quad quad;
    quad.block = block;
    StagedBlock staged;
    staged.load(quad, payload, Residuals::PLANES > Narrow::PLANES);
    const Residuals l = staged.residuals<Residuals>();
    const Start start = block_start(block_sums(l), quad.order2(), staged.mu);
    integrate(l, start, quad.order2(), rows + lane_id() * ROW);
    return staged.products;
}

/// The same for whatever rate of 15 at most.
FSZ_DEVICE u64 integrate_staged(const Quad &quad, const u32 *payload, u32 *rows)
{
    const u64 products = __any_sync(WARP_ALL, quad.rate() > 7)
                             ? integrate_staged<Medium>(quad.block, payload, rows)
                             : integrate_staged<Narrow>(quad.block, payload, rows);
    __syncwarp();
    return products;
}

/// The same for any rate.
FSZ_DEVICE u64 integrate_staged_tall(const Quad &quad, const u32 *payload, u32 *rows)
{
    const u32 mu = quad.centered() ? payload[quad.tile_at()] : 0;
    return integrate_any(payload + quad.block_at(), quad.rate(), quad.order2(),
                         static_cast<i32>(mu), rows + lane_id() * ROW) +
           product_of_mu(mu);
}

/// A warp of a thread block that decodes a chunk: every so manyth quad of it. `locate`, `begin` and
/// `decode` are called in this order.
template <class ValuesOf, class OutputOf> struct PaperDecoder
{
    using Values = ValuesOf;
    using T = typename Values::Value;
    using Output = OutputOf;
    /// What a warp has in shared memory.
    using Stage = fsz::Stage<Values>;
    static constexpr u32 WARPS_MOST = DECODE_WARPS_MOST;

    const StreamView &view;
    u64 chunk;
    const Output &output;
    Report *to;
    Stage &stage;
    /// The quads of this warp, bit q for quad q: those that may be plain, and those that are for
    /// the second pass.
    u32 plain = 0;
    u32 left = 0;
    /// The first of `plain`, whose payload is on its way.
    Quad next;

    /// What the rate bytes of a chunk add to checksums. Called by a warp.
    static FSZ_DEVICE HeadSums hash_heads(const u8 *rates, const Sections &sections, u64 chunk,
                                          u32 lane)
    {
        return hash_rates<true>(rates, sections, chunk, lane);
    }

    /// Finds the chunk and its tiles. False, for all warps of the thread block, when the stream is
    /// damaged.
    FSZ_DEVICE bool locate() const
    {
        return index_tiles(view, chunk, to, stage.index, stage.values);
    }

    /// Finds the quads of warp `warp` of `warps`, and sends for the first payload.
    FSZ_DEVICE void begin(u32 warp, u32 warps)
    {
        for (u32 number = warp; number * QUAD_ELEMENTS < stage.index.elements; number += warps)
        {
            plain |= 1u << number;
        }
        begin_next();
    }

    /// Decodes the quads. Returns the lane's share of the chunk's checksum.
    FSZ_DEVICE u32 decode()
    {
        u32 sum = 0;
        // First the plain quads, each sent for while the one before it is at work. What else there
        // is would cost this loop registers that it needs.
        while (plain != 0)
        {
            const Quad now = next;
            const u32 number = first_of(plain);
            plain &= plain - 1;
            end_copy();
            Hashed hashed{0, 0};
            if (decode_plain_quad(number, now, hashed))
            {
                sum += hashed.rows + block_row(number, hashed.block);
            }
            else
            {
                left |= 1u << number;
            }
        }
        for (; left != 0; left &= left - 1)
        {
            const u32 number = first_of(left);
            Quad quad = begin_quad<false>(view, chunk, number, output, stage);
            end_copy();
            // Plain tiles that were given up need more than the stage.
            const bool staged = quad.staged && !quad.plain;
            const Hashed hashed = staged ? decode_staged(number, quad) : decode_any(number);
            const bool exists =
                (number * QUAD_TILES + lane_id() / TILE_BLOCKS) * TILE < stage.index.elements;
            sum += hashed.rows + (exists ? block_row(number, hashed.block) : 0);
        }
        return sum;
    }

private:
    static FSZ_DEVICE u32 first_of(u32 quads) { return __ffs(quads) - 1; }

    /// What the thread's block adds to the chunk's checksum.
    static FSZ_DEVICE u32 block_row(u32 number, u64 products)
    {
        return row_of(number * 32 + lane_id(), products);
    }

    /// The first element of a quad in the field.
    FSZ_DEVICE u64 first_element(u32 number) const
    {
        return chunk * CHUNK + number * QUAD_ELEMENTS;
    }

    /// Begins the work on the next quad of `plain`.
    FSZ_DEVICE void begin_next()
    {
        if (plain != 0)
        {
            next = begin_quad<true>(view, chunk, first_of(plain), output, stage);
        }
    }

    /// Decodes a quad if it is plain, and begins the next one once the stage is free. False, and
    /// nothing is written, if it is for the second pass. All quads go one way as far as possible:
    /// the code of several would not fit in the instruction cache.
    FSZ_DEVICE bool decode_plain_quad(u32 number, const Quad &quad, Hashed &hashed)
    {
        const u32 tile = number * QUAD_TILES + lane_id() / TILE_BLOCKS;
        T *const out = output.quad(first_element(number));
        const u32 rate = __reduce_max_sync(WARP_ALL, quad.rate());
        StagedBlock block;
        block.products = 0;
        if (quad.plain)
        {
            if (quad.escapes)
            {
                hashed.rows = read_escapes(ChunkTask{view, chunk, to}, tile, stage, quad.block);
            }
            if (quad.chains && rate > Medium::PLANES)
            {
                block.products = integrate_staged_tall(quad, stage.payload, stage.rows);
            }
            else if (quad.chains)
            {
                block.load(quad, stage.payload, rate > Narrow::PLANES);
            }
        }
        __syncwarp();
        begin_next();
        if (!quad.plain)
        {
            return false;
        }
        hashed.block = block.products;
        const Rows held = !quad.chains || rate > Medium::PLANES ? Rows::CODES
                          : rate > Narrow::PLANES ? decode_plain<Medium>(block, quad, stage)
                                                  : decode_plain<Narrow>(block, quad, stage);
        if (held == Rows::NOTHING)
        {
            return false;
        }
        __syncwarp();
        if (quad.escapes)
        {
            write_escaped(ChunkTask{view, chunk, to}, tile, held, stage, out);
        }
        else
        {
            write_rows(held, stage, out);
        }
        __syncwarp();
        return true;
    }

    /// Any quad, of any rates and payload, read where it lies.
    FSZ_DEVICE Hashed decode_any(u32 number) const
    {
        const u32 wanted = output.wanted(first_element(number));
        const TileView t = tile_view(stage.index, number);
        const u32 *const payload = payload_of(view, stage.index), *const tile = payload + t.at;
        const u32 mu = t.centered() ? tile[0] : 0;
        Hashed hashed;
        __syncwarp();
        if (wanted && __any_sync(WARP_ALL, t.count > 0 && t.has_chain()))
        {
            hashed.block = integrate_any(tile + t.block_at, t.rate, t.order2(),
                                         static_cast<i32>(mu), stage.rows + lane_id() * ROW);
        }
        else
        {
            hashed.block = products_of_block(tile + t.block_at, t.rate);
        }
        hashed.block += product_of_mu(mu);
        __syncwarp();
        hashed.rows = output_quad(ChunkTask{view, chunk, to}, number, wanted, stage,
                                  payload + stage.index.at[number * QUAD_TILES], output);
        return hashed;
    }

    /// A staged quad whose tiles go to their places one by one.
    FSZ_DEVICE Hashed decode_staged(u32 number, const Quad &quad) const
    {
        const u32 wanted = output.wanted(first_element(number));
        const u32 *const payload = stage.payload;
        Hashed hashed;
        if (quad.chains && wanted)
        {
            hashed.block = integrate_staged(quad, payload, stage.rows);
        }
        else
        {
            hashed.block = products_of_block(payload + quad.block_at(), quad.rate()) +
                           product_of_mu(quad.centered() ? payload[quad.tile_at()] : 0);
        }
        __syncwarp();
        const u32 first = __shfl_sync(WARP_ALL, quad.tile_at(), 0);
        hashed.rows =
            output_quad(ChunkTask{view, chunk, to}, number, wanted, stage, payload + first, output);
        return hashed;
    }
};

} // namespace fsz
