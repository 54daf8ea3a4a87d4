// What a warp keeps in shared memory, and the four tiles that it brings there at a time.
#pragma once

#include "decode/values.cuh"
#include "device/copies.cuh"
#include "device/shared.cuh"
#include "profile/paper/decode/block.cuh"

namespace fsz
{

/// Payload words that a warp stages: of rows of elements four tiles of rate 15 and µ, of rows of
/// codes of a rate of 22, and what 16-byte alignment adds.
template <class Values> constexpr u32 STAGED_PAYLOAD = 740;
template <> constexpr u32 STAGED_PAYLOAD<Multiples<float>> = 520;

/// A quad as a thread sees it that decodes a block of it, in few registers.
struct Quad
{
    /// Bits 4-0 the block's rate; 7 and 6 the tile's order and centering, as in its first rate
    /// byte; 19-8 where in the staged payload the block begins, 31-20 the tile.
    u32 block;
    bool staged;  // the payload is on its way to the stage
    bool plain;   // and it is four full tiles, none verbatim, of rates that rows hold, side by side
    bool escapes; // some tile has escapes
    bool chains;  // some tile has codes

    FSZ_DEVICE u32 rate() const { return block & RATE_MASK; }
    FSZ_DEVICE bool order2() const { return block & RATE_ORDER2; }
    FSZ_DEVICE bool centered() const { return block & RATE_CENTERED; }
    FSZ_DEVICE u32 block_at() const { return block >> 8 & 0xFFF; }
    FSZ_DEVICE u32 tile_at() const { return block >> 20; }
    /// Words of the block.
    FSZ_DEVICE u32 words() const { return rate() > 0 ? 1 + rate() : 0; }
};

/// What a block of a quad with escapes has of them.
struct __align__(16) BlockEscapes
{
    /// Bit i: element i has a code; it is neither masked nor listed.
    u32 coded;
    /// The number of its first code in the quad, of which a tile has TILE whether it needs them or
    /// not.
    u32 first;
    /// The bits of masked elements, the low word first.
    u32 pattern[2];
};

/// A listed element.
template <class T> struct Listed
{
    T value;
    /// Its place in the tile, NOT_LISTED for none.
    u32 at;
};

constexpr u32 NOT_LISTED = TILE;

/// What a warp has in shared memory.
template <class Values> struct __align__(16) Stage
{
    u32 payload[STAGED_PAYLOAD<Values>];
    u32 rows[STAGE];
    TileIndex index;
    Values values;
    /// Of the quad at work, if it has escapes: of each block, and the first TILE_BLOCKS listed
    /// elements of each tile.
    BlockEscapes escapes[32];
    Listed<typename Values::Value> listed[32];
};

/// What the rows of a stage hold.
enum class Rows
{
    NOTHING,
    CODES,
    /// Bits of elements, where they are as long as codes.
    ELEMENTS
};

/// Whether rows never hold codes.
template <class Values> constexpr bool ALWAYS_ELEMENTS = false;
template <> constexpr bool ALWAYS_ELEMENTS<Multiples<float>> = true;

/// The elements of four words of rows, by all lanes of a warp. Returns whether these are elements.
template <class Values>
FSZ_DEVICE bool elements_of_row(const u32 (&words)[4], Rows held, const Values &values,
                                typename Values::Value (&v)[4])
{
    if constexpr (sizeof(v[0]) == sizeof(u32))
    {
        if (ALWAYS_ELEMENTS<Values> || held == Rows::ELEMENTS)
        {
#pragma unroll
            for (u32 i = 0; i < 4; ++i)
            {
                v[i] = value_of(words[i]);
            }
            return true;
        }
    }
    values.of_four(words, v);
    return false;
}

/// The chunk that is decoded, as functions that are not inlined take it.
struct ChunkTask
{
    const StreamView &view;
    u64 chunk;
    Report *report;
};

/// Begins to copy `words` words of payload from `from` on. They come to lie at the same place
/// within 16 bytes as in the stream, so that all but the ends are copied 16 bytes at a time.
FSZ_DEVICE void begin_copy(u32 *payload, const u32 *from, u32 words)
{
    const u32 lane = lane_id();
    const u32 skew = static_cast<u32>(reinterpret_cast<u64>(from) & 15) / 4;
    const u32 *first = from - skew;
    const u32 to = shared_address(payload);
    // Unrolled, this would drive the decoding itself from the instruction cache.
#pragma unroll 1
    for (u32 k = 4 * lane; k < words + skew; k += 128)
    {
        const u32 bytes = min(4 * (words + skew - k), 16u); // Nothing behind the payload is read.
        begin_copy_16(to + 4 * k, first + k, bytes);
    }
}

/// Waits for the copies of all threads of the warp.
FSZ_DEVICE void end_copy()
{
    wait_for_copies();
    __syncwarp();
}

/// What `begin_quad` looks for in a quad's blocks.
constexpr u32 HAS_CHAIN = 1, HAS_HIGH_RATE = 2, HAS_GAP = 4, HAS_ESCAPES = 8;

/// Begins the work on a quad: finds its tiles, and sends for their payload, to come to the stage;
/// with PLAIN only for that of plain ones, of which rows of codes take any rates, else only for
/// that of rates of 15 at most.
template <bool PLAIN, class Values, class Output>
FSZ_DEVICE Quad begin_quad(const StreamView &s, u64 chunk, u32 number, const Output &output,
                           Stage<Values> &stage)
{
    constexpr bool ANY_RATE = PLAIN && !ALWAYS_ELEMENTS<Values>;
    const TileIndex &index = stage.index;
    const TileView t = tile_view(index, number);
    const u32 from = index.at[number * QUAD_TILES], to = index.at[(number + 1) * QUAD_TILES];
    // What is true of any of the warp's blocks, in one go. Beyond rate 14, sums of residuals of
    // order 2 leave the floats that are exact.
    const u32 most = ANY_RATE ? RATE_MASK : t.order2() ? 14 : 15;
    const u32 found = __reduce_or_sync(
        WARP_ALL, (t.count > 0 && t.has_chain() ? HAS_CHAIN : 0) |
                      (!ANY_RATE && t.rate > 15 ? HAS_HIGH_RATE : 0) |
                      (t.count < TILE || t.is_verbatim() || t.rate > most ? HAS_GAP : 0) |
                      (t.escapes() ? HAS_ESCAPES : 0));
    Quad g;
    g.chains = found & HAS_CHAIN;
    g.staged = !(found & HAS_HIGH_RATE) && to - from <= STAGED_PAYLOAD<Values> - 3;
    g.plain =
        g.staged && !(found & HAS_GAP) && output.contiguous(chunk * CHUNK + number * QUAD_ELEMENTS);
    g.escapes = found & HAS_ESCAPES;
    g.block = 0;
    if (PLAIN ? g.plain : g.staged)
    {
        const u32 *payload = payload_of(s, index) + from;
        begin_copy(stage.payload, payload, to - from);
        const u32 at = t.at - from + static_cast<u32>(reinterpret_cast<u64>(payload) & 15) / 4;
        g.block =
            t.rate | (t.lo & (RATE_ORDER2 | RATE_CENTERED)) | (at + t.block_at) << 8 | at << 20;
    }
    return g;
}

} // namespace fsz
