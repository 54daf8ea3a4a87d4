// Four tiles, a warp: unpack, integrate, dequantize. A thread holds a block, eight threads a tile.
#pragma once

#include "escape_decode.cuh"
#include "integrate.cuh"

namespace fsz {

// Words of a row of staged values: 32 and a pad, so that neither the threads that fill rows nor those
// that read across them meet in a bank.
constexpr u32 ROW = 36;
// Words that a warp stages at a time: payload first, values then.
constexpr u32 STAGE = 32 * ROW;

// The warp's four tiles as a thread sees them. Tile and block are this thread's.
struct Tiles {
    u32 lo, hi;   // rate bytes
    u32 rate;     // of the block
    u32 at;       // first word of the tile in the chunk
    u32 block_at; // first word of the block in the tile
    u32 count;    // elements of the tile; 0 behind the end of the field

    FSZ_DEVICE bool order2() const { return lo & ORDER2; }
    FSZ_DEVICE bool centered() const { return lo & CENTERED; }
    FSZ_DEVICE bool escapes() const { return lo & ESCAPES; }
    // Whether the tile has codes, of whatever rate: it is neither constant nor verbatim.
    FSZ_DEVICE bool has_chain() const { return !escapes() || (lo >> 13 & 3) == EXCEPTIONS; }
};

// The tiles 4 · group to 4 · group + 3 of a chunk.
FSZ_DEVICE Tiles tiles_of(const StreamView &s, u64 chunk, const ChunkIndex &index,
                                          u32 group) {
    const u32 lane = threadIdx.x & 31, block = lane & 7, tile = 4 * group + (lane >> 3);
    const u64 left = s.layout.elements - chunk * CHUNK;
    Tiles t;
    t.count = tile * 256 >= left ? 0 : (u32)min(left - tile * 256, (u64)256);
    t.lo = t.hi = 0;
    if (t.count > 0) {
        const u8 *rates = s.bytes + s.layout.rates + chunk * 512 + tile * 8;
        const uint2 both = __ldg(reinterpret_cast<const uint2 *>(rates));
        t.lo = both.x, t.hi = both.y;
    }
    const u32 first = __shfl_sync(~0u, index.first, tile >> 1);
    t.at = __shfl_sync(~0u, index.before, tile >> 1) + (tile & 1 ? first : 0);
    // The words before the block: those of the rates before its own.
    const u32 lo = block >= 4 ? t.lo : t.lo & ((1u << (8 * block)) - 1);
    const u32 hi = block >= 4 ? t.hi & ((1u << (8 * (block - 4))) - 1) : 0;
    t.block_at = coded_words((lo & 0x1F1F1F1F) | (t.lo & CENTERED), hi & 0x1F1F1F1F);
    t.rate = (block < 4 ? t.lo : t.hi) >> (8 * (block & 3)) & 31;
    return t;
}

// Reads a block's planes from `words` (its sign word) and makes residuals of them. Adds what its words
// mean to the tile's checksum, of which the sign word is number `number`.
template <class Residuals>
FSZ_DEVICE Residuals load_block(const u32 *words, u32 rate, u32 number, u32 &checksum) {
    Residuals l;
    const u32 sign = rate > 0 ? words[0] : 0;
    u32 plain = sign, weighted = 0;
#pragma unroll
    for (u32 k = 0; k < Residuals::PLANES; k++) {
        l.x[k] = k < rate ? words[1 + k] : 0;
        plain += l.x[k];
        weighted += l.x[k] * (2 * k + 2);
    }
    checksum += plain * (2 * number + 1) + weighted;
    l.ready(sign);
    return l;
}

// Codes of the block of any rate, wrapping as the CPU's do, to its row of the stage. Payload is read
// where it lies. Returns the block's share of its tile's checksum.
__device__ __noinline__ u32 any_codes(const u32 *words, u32 rate, u32 number, bool order2, int mu,
                                      int *row) {
    u32 checksum = 0;
    const Wide l = load_block<Wide>(words, rate, number, checksum);
    const Start start = block_start(block_sums(l), order2, mu);
    u32 code = (u32)start.code, difference = (u32)start.difference;
#pragma unroll
    for (int i = 0; i < 32; i++) {
        difference = (order2 ? difference : 0) + (u32)l.at(i);
        code += difference;
        row[i] = (int)code;
    }
    return checksum;
}

// A block's share of its tile's checksum, without decoding it.
__device__ inline u32 block_checksum(const u32 *words, u32 rate, u32 number) {
    u32 sum = 0;
    if (rate > 0)
        for (u32 k = 0; k <= rate; k++)
            sum += __ldg(words + k) * (2 * (number + k) + 1);
    return sum;
}

} // namespace fsz
