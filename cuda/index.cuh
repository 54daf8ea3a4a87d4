// Where tiles lie in a stream (FORMAT.md, Sections and Escapes), checked on the way: nothing that a
// stream says is believed before it is known to lie inside the stream.
#pragma once

#include "format.cuh"

namespace fsz
{

// A stream in device memory, as its caller describes it; what its header says must agree. The same
// struct is `StreamView` in crates/fsz/src/cuda/view.rs.
struct StreamView
{
    const u8 *bytes;  // at a multiple of 16
    u64 capacity;     // bytes that may be read, `layout.payload` at least
    u64 header_first; // what stands at byte 8: version and header length
    u64 header_kind;  // the 8 bytes at 24: element type, dimensions, profile, layout, geometry
    u64 missing_at;   // position of the first missing value in the header; 0: none is named
    Layout layout;
};

// Why a stream was refused, in the low byte of a status; the chunk is above it. The smallest status
// of a call wins, so that the report is the same on every run. The names are those of the Rust
// side.
enum Fault : u32
{
    FAULT_HEADER = 1,   // the header is not the one that the caller described
    FAULT_INDEX = 2,    // an index entry points behind the payload
    FAULT_ESCAPES = 3,  // a contradictory escape field
    FAULT_TILES = 4,    // the tiles of a chunk do not fill it
    FAULT_CHECKSUM = 5, // a chunk's checksum does not match
    FAULT_PLACES = 6,   // masks or positions of exceptions that do not rise
    FAULT_PATTERN = 7,  // a tile of missing values without a missing value
    FAULT_METADATA = 8, // the checksum of rates and index does not match
};

FSZ_DEVICE void report(u64 *status, u64 chunk, Fault fault)
{
    atomicMin(status, chunk << 8 | fault);
}

// The 21 bits of a tile's escape field, from its rate bytes.
FSZ_DEVICE u32 escape_bits(u32 lo, u32 hi)
{
    return (lo >> 13 & 7) | (lo >> 21 & 7) << 3 | (lo >> 29 & 7) << 6 | (hi >> 5 & 7) << 9 |
           (hi >> 13 & 7) << 12 | (hi >> 21 & 7) << 15 | (hi >> 29 & 7) << 18;
}

struct EscapeField
{
    u32 kind, pattern, run_ends, listed;
    FSZ_DEVICE explicit EscapeField(u32 bits)
        : kind(bits & 3), pattern(bits >> 2 & 3), run_ends(bits >> 4 & 63), listed(bits >> 10 & 255)
    {
    }
    // Words of the pattern, when the payload gives it; W words per element.
    FSZ_DEVICE u32 pattern_words(u32 W) const { return pattern == PATTERN_IN_PAYLOAD ? W : 0; }
    FSZ_DEVICE u32 mask_words() const
    {
        return run_ends == BITMAP ? BITMAP_WORDS : (run_ends + 3) / 4;
    }
};

// Words of µ and blocks of a tile with these rate bytes.
FSZ_DEVICE u32 coded_words(u32 lo, u32 hi)
{
    const u32 a = lo & 0x1F1F1F1F, b = hi & 0x1F1F1F1F;
    return __dp4a(a, 0x01010101u, __dp4a(b, 0x01010101u, 0u)) +
           __popc((a + 0x7F7F7F7F) & 0x80808080) + __popc((b + 0x7F7F7F7F) & 0x80808080) +
           (lo >> 6 & 1);
}

// Words behind them (or in place of them) of an escaped tile of `count` elements. `sound` turns
// false when the field contradicts itself.
FSZ_DEVICE u32 escape_words(u32 lo, u32 hi, u32 count, u32 W, bool &sound)
{
    const u32 bits = escape_bits(lo, hi);
    const EscapeField f(bits);
    const bool plain = f.kind == EXCEPTIONS;
    sound = sound && f.kind != 3 && bits >> 18 == 0 &&
            (plain || (f.run_ends == 0 && f.listed == 0 && (lo & 0x1F1F1FDF) == 0 &&
                       (hi & 0x1F1F1F1F) == 0)) &&
            (f.kind != VERBATIM || f.pattern == 0) && (!plain || f.run_ends > 0 || f.listed > 0) &&
            (!plain || f.run_ends > 0 || f.pattern == 0);
    if (f.kind == VERBATIM)
        return count * W;
    if (f.kind == CONSTANT)
        return f.pattern_words(W);
    return (f.run_ends > 0 ? f.pattern_words(W) : 0) + f.mask_words() + (f.listed + 3) / 4 +
           f.listed * W;
}

// Words of a tile of `count` elements.
FSZ_DEVICE u32 tile_words(u32 lo, u32 hi, u32 count, u32 W, bool &sound)
{
    u32 words = coded_words(lo, hi);
    if (lo & ESCAPES)
        words += escape_words(lo, hi, count, W, sound);
    else
        sound = sound && ((lo & 0xE0E0E000) | (hi & 0xE0E0E0E0)) == 0;
    return words;
}

// What a warp knows of its chunk, in shared memory: registers are scarce.
struct __align__(16) ChunkIndex
{
    uint2 rates[CHUNK_TILES]; // rate bytes; 0 behind the end of the field
    u64 base;                 // first payload word of the chunk in the payload
    double step;              // the header's quantization step
    u32 elements;             // of the chunk
    u32 escapes;              // bit 2g: group g of four tiles has some with escapes
    u16 at[CHUNK_TILES + 2];  // first word of each tile in the chunk, and the end of the last
};

// Reads the header and the index of a chunk; the whole warp takes part and gets the same answer,
// false when the stream is damaged. Every warp of a thread block may ask for itself, so that no
// warp waits for another.
template <u32 W>
FSZ_DEVICE bool locate(const StreamView &s, u64 chunk, u64 *status, ChunkIndex &index)
{
    const u32 lane = threadIdx.x & 31;
    const u32 elements = (u32)min(s.layout.elements - chunk * CHUNK, (u64)CHUNK);
    const u32 tiles = (elements + TILE - 1) / TILE;
    // All of this is independent: header, rate bytes, sizes, offset.
    const u64 head = lane < 10 ? __ldg(reinterpret_cast<const u64 *>(s.bytes) + lane) : 0;
    uint4 rates = make_uint4(0, 0, 0, 0);
    const u8 *rate = s.bytes + s.layout.rates + chunk * 512 + lane * 16;
    if (2 * lane + 1 < tiles)
    {
        rates = __ldg(reinterpret_cast<const uint4 *>(rate));
    }
    else if (2 * lane < tiles)
    {
        const uint2 one = __ldg(reinterpret_cast<const uint2 *>(rate));
        rates.x = one.x, rates.y = one.y;
    }
    const u64 group = chunk >> 6;
    const u32 within = (u32)(chunk & 63);
    u32 sizes = 0; // of the chunks 2l and 2l + 1 of the group, as far as they are needed
    if (2 * lane <= within)
        sizes = __ldg(reinterpret_cast<const u32 *>(s.bytes + s.layout.sizes + group * 128) + lane);
    const u64 offset = __ldg(reinterpret_cast<const u64 *>(s.bytes + s.layout.offsets) + group);

    const bool foreign = (lane == 0 && head != 0x0A1A0A0D5A534689ull) ||
                         (lane == 1 && (head & 0xFFFFFFFF) != s.header_first) ||
                         (lane == 3 && head != s.header_kind) ||
                         (lane == 9 && head != s.layout.elements);
    if (__any_sync(~0u, foreign))
    {
        if (lane == 0)
            report(status, 0, FAULT_HEADER);
        return false;
    }
    const u64 step = __shfl_sync(~0u, head, 6);
    const u64 payload_words = __shfl_sync(~0u, head, 8) / 4;
    const u32 words = __shfl_sync(~0u, sizes, within >> 1) >> (within & 1 ? 16 : 0) & 0xFFFF;
    const u32 share =
        (2 * lane < within ? sizes & 0xFFFF : 0) + (2 * lane + 1 < within ? sizes >> 16 : 0);
    const u64 base = offset + __reduce_add_sync(~0u, share);
    const u64 room = (s.capacity - s.layout.payload) / 4;
    // `offset` is any number: once it is known to be small, no sum can wrap.
    if (offset > payload_words || payload_words > room || base + words > payload_words)
    {
        if (lane == 0)
            report(status, chunk, FAULT_INDEX);
        return false;
    }
    bool sound = true;
    const u32 last = tiles - 1, last_count = elements - last * TILE;
    u32 first = 0, second = 0;
    if (2 * lane < tiles)
        first = tile_words(rates.x, rates.y, 2 * lane == last ? last_count : TILE, W, sound);
    if (2 * lane + 1 < tiles)
        second = tile_words(rates.z, rates.w, 2 * lane + 1 == last ? last_count : TILE, W, sound);
    if (!__all_sync(~0u, sound))
    {
        if (lane == 0)
            report(status, chunk, FAULT_ESCAPES);
        return false;
    }
    u32 through = first + second;
#pragma unroll
    for (u32 o = 1; o < 32; o <<= 1)
    {
        const u32 left = __shfl_up_sync(~0u, through, o);
        through += lane >= o ? left : 0;
    }
    if (__shfl_sync(~0u, through, 31) != words)
    {
        if (lane == 0)
            report(status, chunk, FAULT_TILES);
        return false;
    }
    reinterpret_cast<uint4 *>(index.rates)[lane] = rates;
    const u32 before = through - first - second; // Below 2^16, as all of the chunk is.
    reinterpret_cast<u32 *>(index.at)[lane] = before | (before + first) << 16;
    const u32 escapes = __ballot_sync(~0u, (rates.x | rates.z) & ESCAPES);
    if (lane == 0)
    {
        index.escapes = (escapes | escapes >> 1) & 0x55555555;
        index.at[CHUNK_TILES] = (u16)words;
        index.base = base;
        index.step = value_of(step);
        index.elements = elements;
    }
    __syncwarp();
    return true;
}

} // namespace fsz
