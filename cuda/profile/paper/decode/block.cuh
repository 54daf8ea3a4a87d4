// Four tiles, a warp: unpack, integrate, dequantize. A thread holds a block, eight threads a tile.
#pragma once

#include "format/checksum.cuh"
#include "profile/paper/decode/escapes.cuh"
#include "profile/paper/decode/integrate.cuh"

namespace fsz
{

/// Words of a row of staged values: 32 and a pad, so that neither the threads that fill rows nor
/// those that read across them meet in a bank.
constexpr u32 ROW = 36;
/// Words that a warp stages at a time: payload first, values then.
constexpr u32 STAGE = 32 * ROW;

/// The warp's four tiles as a thread sees them. Tile and block are this thread's.
struct TileView
{
    u32 lo, hi;   // rate bytes
    u32 rate;     // of the block
    u32 at;       // first word of the tile in the chunk
    u32 block_at; // first word of the block in the tile
    u32 count;    // elements of the tile; 0 behind the end of the field

    FSZ_DEVICE bool order2() const { return lo & RATE_ORDER2; }
    FSZ_DEVICE bool centered() const { return lo & RATE_CENTERED; }
    FSZ_DEVICE bool escapes() const { return lo & RATE_ESCAPES; }
    FSZ_DEVICE bool is_verbatim() const { return escapes() && escape_kind(lo) == KIND_VERBATIM; }
    /// Whether the tile has codes, of whatever rate: it is neither constant nor verbatim.
    FSZ_DEVICE bool has_chain() const { return !escapes() || escape_kind(lo) == KIND_EXCEPTIONS; }
};

/// The tiles 4 · quad to 4 · quad + 3 of a chunk.
FSZ_DEVICE TileView tile_view(const TileIndex &index, u32 quad)
{
    const u32 lane = lane_id(), block = lane & 7, tile = QUAD_TILES * quad + (lane >> 3);
    TileView t;
    const u32 left = index.elements - min(index.elements, tile * TILE);
    t.count = min(left, TILE);
    t.lo = index.rates[tile].x;
    t.hi = index.rates[tile].y;
    t.at = index.at[tile];
    // The words before the block: those of the rates before its own.
    const u32 lo = block >= 4 ? t.lo : t.lo & ((1u << (8 * block)) - 1);
    const u32 hi = block >= 4 ? t.hi & ((1u << (8 * (block - 4))) - 1) : 0;
    t.block_at = coded_words((lo & 0x1F1F1F1F) | (t.lo & RATE_CENTERED), hi);
    t.rate = (block < 4 ? t.lo : t.hi) >> (8 * (block & 3)) & RATE_MASK;
    return t;
}

/// The payload of a chunk.
FSZ_DEVICE const u32 *payload_of(const StreamView &s, const TileIndex &index)
{
    return reinterpret_cast<const u32 *>(s.bytes + s.sections.payload) + index.base;
}

/// Reads a block's planes from `words` (its sign word) and makes residuals of them. `products`
/// becomes that of its words.
template <class Residuals> FSZ_DEVICE Residuals unpack(const u32 *words, u32 rate, u64 &products)
{
    Residuals l;
    const u32 sign = rate > 0 ? words[0] : 0;
    products = add_product(0, sign, CHECKSUM_MULTIPLIERS[0]);
#pragma unroll
    for (u32 k = 0; k < Residuals::PLANES; ++k)
    {
        l.x[k] = k < rate ? words[1 + k] : 0;
        products = add_product(products, l.x[k], CHECKSUM_MULTIPLIERS[k + 1]);
    }
    l.ready(sign);
    return l;
}

/// Codes of a block, wrapping as the CPU's do, to its row of the stage.
template <class Residuals>
FSZ_DEVICE void integrate(const Residuals &l, Start start, bool order2, u32 *row)
{
    u32 code = static_cast<u32>(start.code), difference = static_cast<u32>(start.difference);
    const u32 carry = order2 ? 1 : 0;
#pragma unroll
    for (i32 j = 0; j < 8; ++j)
    {
        u32 v[4];
#pragma unroll
        for (i32 k = 0; k < 4; ++k)
        {
            difference = carry * difference + static_cast<u32>(l.at(4 * j + k));
            code += difference;
            v[k] = code;
        }
        reinterpret_cast<uint4 *>(row)[j] = make_uint4(v[0], v[1], v[2], v[3]);
    }
}

/// The same for a block of any rate, its payload read where it lies. Returns the products of its
/// words.
__device__ __noinline__ u64 integrate_any(const u32 *words, u32 rate, bool order2, i32 mu, u32 *row)
{
    u64 products;
    const Wide l = unpack<Wide>(words, rate, products);
    integrate(l, block_start(block_sums(l), order2, mu), order2, row);
    return products;
}

/// Writes the stage's rows, of 128 bytes, to `out`: the thread's 16 bytes of every fourth row.
/// `stride` is the distance of rows in bytes.
FSZ_DEVICE void store_rows(const u32 *stage, u8 *out, u32 stride)
{
    const u32 lane = lane_id();
    const u32 *from = stage + (lane >> 3) * ROW + (lane & 7) * 4;
    u8 *to = out + (lane >> 3) * stride + (lane & 7) * 16;
#pragma unroll
    for (u32 j = 0; j < 8; ++j)
    {
        __stcs(reinterpret_cast<uint4 *>(to + j * 4 * stride),
               *reinterpret_cast<const uint4 *>(from + j * 4 * ROW));
    }
}

/// The products of a block's words, without decoding it.
__device__ inline u64 products_of_block(const u32 *words, u32 rate)
{
    u64 products = 0;
#pragma unroll
    for (u32 k = 0; k < MU_WORD; ++k)
    {
        const u32 word = rate > 0 && k <= rate ? words[k] : 0;
        products = add_product(products, word, CHECKSUM_MULTIPLIERS[k]);
    }
    return products;
}

/// The product of a tile's µ, in the lane of its block 0.
FSZ_DEVICE u64 product_of_mu(u32 mu)
{
    return add_product(0, (lane_id() & 7) == 0 ? mu : 0, CHECKSUM_MULTIPLIERS[MU_WORD]);
}

} // namespace fsz
