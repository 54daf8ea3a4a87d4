// Streams back to fields: a chunk, a thread block. No thread block waits for another: the index of
// the stream says where each chunk lies.
#pragma once

#include "scatter.cuh"

namespace fsz
{

// Warps of a thread block; each takes every DECODE_WARPS-th group of four tiles of the chunk.
#ifndef FSZ_DECODE_WARPS
#define FSZ_DECODE_WARPS 4
#endif
constexpr u32 DECODE_WARPS = FSZ_DECODE_WARPS;

// Where the elements `begin` to `end` of a field go: side by side. Both are at tile borders.
template <class T> struct Run
{
    T *out;
    u64 begin, end;

    // Whether the four tiles from element `first` on may be written 16 bytes at a time.
    FSZ_DEVICE bool contiguous(u64 first) const
    {
        return first >= begin && first + WARP_ELEMENTS <= end &&
               ((u64)(out + (first - begin)) & 15) == 0;
    }
    FSZ_DEVICE T *group(u64 first) const { return out + (first - begin); }
    // Which of these tiles are to be decoded: a bit each.
    FSZ_DEVICE u32 wanted(u64 first) const
    {
        const u32 lane = threadIdx.x & 31;
        const u64 tile = first + lane * TILE;
        return __ballot_sync(WARP_ALL, lane < WARP_TILES && tile >= begin && tile < end);
    }
    FSZ_DEVICE void store(u64 element, T value) const { __stcs(out + (element - begin), value); }
};

// Payload words that a warp stages: four tiles of rate 15 and µ, and what 16-byte alignment adds.
constexpr u32 STAGED_PAYLOAD = 520;

// A group of four tiles as a thread sees it that decodes a block of it, in few registers.
struct Group
{
    // Bits 4-0 the block's rate; 7 and 6 the tile's order and centering, as in its first rate byte;
    // 19-8 where in the staged payload the block begins, 31-20 the tile.
    u32 block;
    u32 checksum; // what the rate bytes, the first words of a tile's checksum, add to it
    bool staged;  // all rates are 15 at most and the payload is on its way to the stage
    bool full;    // four full tiles, none verbatim, that go side by side
    bool plain;   // and without escapes, of sums that floats hold
    bool chains;  // some tile has codes

    FSZ_DEVICE u32 rate() const { return block & RATE_MASK; }
    FSZ_DEVICE bool order2() const { return block & ORDER2; }
    FSZ_DEVICE bool centered() const { return block & CENTERED; }
    FSZ_DEVICE u32 block_at() const { return block >> 8 & 0xFFF; }
    FSZ_DEVICE u32 tile_at() const { return block >> 20; }
};

// What a warp has in shared memory.
struct __align__(16) Stage
{
    u32 payload[STAGED_PAYLOAD];
    u32 rows[STAGE];
    ChunkIndex index;
};

// Begins to copy `words` words of payload from `from` on. They come to lie at the same place within
// 16 bytes as in the stream, so that all but the ends are copied 16 bytes at a time.
FSZ_DEVICE void begin_copy(u32 *payload, const u32 *from, u32 words)
{
    const u32 lane = threadIdx.x & 31;
    const u32 skew = (u32)((u64)from & 15) / 4;
    const u32 *first = from - skew;
    const u32 to = (u32)__cvta_generic_to_shared(payload);
    for (u32 k = 4 * lane; k < words + skew; k += 128)
    {
        const u32 bytes = min(4 * (words + skew - k), 16u); // Nothing behind the payload is read.
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to + 4 * k),
                     "l"(first + k), "r"(bytes)
                     : "memory");
    }
}

FSZ_DEVICE void end_copy()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
}

// Elements of a block of full tiles, through the stage to `out`. False, and nothing done, when a
// code of the warp is beyond what this arithmetic is exact for.
//
// f32: differences and codes are whole numbers below 2^24, so float additions, which have a pipe of
// their own, are exact.
template <class Residuals>
FSZ_DEVICE bool emit(const Residuals &l, Start start, bool order2, double step, u32 *stage,
                     float *out)
{
    const bool far = (u32)(start.code + (1 << 22)) >= 1u << 23 ||
                     (u32)(start.difference + (1 << 17)) >= 1u << 18;
    if (__any_sync(WARP_ALL, far))
        return false;
    const u32 lane = threadIdx.x & 31;
    const float unit = (float)step, carry = order2 ? 1.f : 0.f;
    float code = (float)start.code, difference = (float)start.difference;
    float4 *row = reinterpret_cast<float4 *>(stage + lane * ROW);
#pragma unroll
    for (int j = 0; j < 8; j++)
    {
        float v[4];
#pragma unroll
        for (int k = 0; k < 4; k++)
        {
            difference = __fmaf_rn(carry, difference, l.real(4 * j + k));
            code = __fadd_rn(code, difference);
            v[k] = __fmul_rn(unit, code);
        }
        row[j] = make_float4(v[0], v[1], v[2], v[3]);
    }
    __syncwarp();
    store_rows(stage, reinterpret_cast<u8 *>(out), 128);
    __syncwarp();
    return true;
}

// f64: codes as wrapping integers, made numbers by a subtraction (2^52 + 2^31 + q less 2^52 +
// 2^31): exact for every code.
template <class Residuals>
FSZ_DEVICE bool emit(const Residuals &l, Start start, bool order2, double step, u32 *stage,
                     double *out)
{
    const u32 lane = threadIdx.x & 31, carry = order2 ? 1 : 0;
    u32 code = (u32)start.code ^ 0x80000000, difference = (u32)start.difference;
#pragma unroll
    for (int half = 0; half < 2; half++)
    {
        double2 *row = reinterpret_cast<double2 *>(stage + lane * ROW);
#pragma unroll
        for (int j = 0; j < 8; j++)
        {
            double v[2];
#pragma unroll
            for (int k = 0; k < 2; k++)
            {
                difference = carry * difference + (u32)l.at(16 * half + 2 * j + k);
                code += difference;
                const double number = __hiloint2double(0x43300000, (int)code);
                v[k] = __dmul_rn(step, __dadd_rn(number, -4503601774854144.0));
            }
            row[j] = make_double2(v[0], v[1]);
        }
        __syncwarp();
        store_rows(stage, reinterpret_cast<u8 *>(out + 16 * half), 256);
        __syncwarp();
    }
    return true;
}

// The elements of one tile, of which the stage holds the codes, wherever `place` puts them. The
// whole warp works on it; `first` is its first element in the field. Returns what its words behind
// the blocks add to its checksum.
template <class T, class Place>
FSZ_DEVICE u32 place_tile(const StreamView &s, const u32 *words, u32 lo, u32 hi, u32 count,
                          u64 first, double step, const u32 *codes, const Place &place, bool &sound)
{
    constexpr u32 W = Element<T>::WORDS;
    const u32 lane = threadIdx.x & 31;
    const T unit = (T)step;
    if (!(lo & ESCAPES))
    {
        for (u32 i = lane, j = 0; j < 8; i += 32, j++)
            if (i < count)
                place.store(first + i, dequantize((int)codes[j * ROW + lane], unit));
        return 0;
    }
    const EscapeField field(escape_bits(lo, hi));
    const u32 coded = coded_words(lo, hi);
    const u32 behind = escape_words(lo, hi, count, W, sound);
    const u32 share = checksum_of_words(words + coded, coded, behind);
    T value;
    if (field.kind == CONSTANT)
    {
        element_of(pattern_bits<T>(s, field.pattern, words, sound), value);
        for (u32 i = lane; i < count && sound; i += 32)
            place.store(first + i, value);
        return share;
    }
    if (field.kind == VERBATIM)
    {
        for (u32 i = lane; i < count; i += 32)
        {
            element_of(bits_at<W>(words + i * W), value);
            place.store(first + i, value);
        }
        return share;
    }
    const u32 *at = words + coded;
    u32 masked = 0;
    T pattern = 0;
    if (field.run_ends > 0)
    {
        element_of(pattern_bits<T>(s, field.pattern, at, sound), pattern);
        at += field.pattern_words(W);
        masked = read_mask(at, field.run_ends, count, sound);
        at += field.mask_words();
    }
    const u32 listed = read_positions(at, field.listed, count, sound);
    const u32 *values = at + (field.listed + 3) / 4;
    sound = sound && __all_sync(WARP_ALL, (masked & listed) == 0);
    if (!sound)
        return share;
    // The chain's codes fill the places that are left over, in order.
    const u32 escaped = masked | listed;
    const u32 escaped_before = count_before(__popc(escaped));
    const u32 listed_before = count_before(__popc(listed));
    const u32 below = (1u << lane) - 1;
    for (u32 i = lane, j = 0; j < 8; i += 32, j++)
    {
        const u32 word = __shfl_sync(WARP_ALL, escaped, j);
        const u32 list = __shfl_sync(WARP_ALL, listed, j);
        const u32 others = __shfl_sync(WARP_ALL, escaped_before, j) + __popc(word & below);
        const u32 number = __shfl_sync(WARP_ALL, listed_before, j) + __popc(list & below);
        if (i >= count)
            continue;
        if (list >> lane & 1)
        {
            element_of(bits_at<W>(values + number * W), value);
        }
        else if (word >> lane & 1)
        {
            value = pattern;
        }
        else
        {
            const u32 k = i - others;
            value = dequantize((int)codes[(k >> 5) * ROW + (k & 31)], unit);
        }
        place.store(first + i, value);
    }
    return share;
}

// Places those of a group's tiles that are wanted; the stage holds their codes, and `payload` is the
// group's. Returns, in the first thread of each tile, what the words behind its blocks add to its
// checksum.
template <class T, class Place>
__device__ __noinline__ u32 place_group(const StreamView &s, u64 chunk, u32 group, u32 wanted,
                                        const Stage &stage, const u32 *payload, const Place &place,
                                        u64 *status) {
    const u32 lane = threadIdx.x & 31;
    const ChunkIndex &index = stage.index;
    const u32 from = index.at[group * WARP_TILES];
    u32 checksum = 0;
    for (u32 k = 0; k < WARP_TILES; k++) {
        const u32 tile = group * WARP_TILES + k;
        if (tile * TILE >= index.elements)
            break;
        const u32 lo = index.rates[tile].x, hi = index.rates[tile].y;
        const u32 count = min(index.elements - tile * TILE, TILE);
        const u32 *words = payload + (index.at[tile] - from);
        u32 share = 0;
        bool sound = true;
        if (wanted >> k & 1) {
            share = place_tile<T>(s, words, lo, hi, count, chunk * CHUNK + tile * TILE, index.step,
                                  stage.rows + k * 8 * ROW, place, sound);
        } else if (lo & ESCAPES) {
            const u32 coded = coded_words(lo, hi);
            share = checksum_of_words(words + coded, coded,
                                      escape_words(lo, hi, count, Element<T>::WORDS, sound));
        }
        if (!sound && lane == 0)
            report(status, chunk, FAULT_PLACES);
        checksum += lane == 8 * k ? share : 0;
    }
    __syncwarp();
    return checksum;
}

// Any four tiles, of any rates and payload, read where it lies. Returns this thread's share of its
// tile's checksum, without the rate bytes.
template <class T, class Place>
FSZ_DEVICE u32 any_tiles(const StreamView &s, u64 chunk, u32 group, u32 wanted, Stage &stage,
                                      const Place &place, u64 *status) {
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

// What `begin_group` looks for in a group's blocks.
constexpr u32 HAS_CHAIN = 1, HAS_HIGH_RATE = 2, HAS_GAP = 4, HAS_ESCAPES = 8;

// Begins the work on a group: finds its tiles, and sends for their payload; with PLAIN only for that of
// plain ones.
template <bool PLAIN, class Place>
FSZ_DEVICE Group begin_group(const StreamView &s, u64 chunk, u32 number, const Place &place, Stage &stage) {
    const ChunkIndex &index = stage.index;
    const Tiles t = tiles_of(index, number);
    const u32 from = index.at[number * WARP_TILES], to = index.at[(number + 1) * WARP_TILES];
    // What is true of any of the warp's blocks, in one go. Beyond rate 14, sums of residuals of order 2
    // leave the floats that are exact.
    const u32 found = __reduce_or_sync(
        WARP_ALL, (t.count > 0 && t.has_chain() ? HAS_CHAIN : 0) | (t.rate > 15 ? HAS_HIGH_RATE : 0) |
                      (t.count < TILE || t.is_verbatim() ? HAS_GAP : 0) |
                      (t.escapes() || t.rate > (t.order2() ? 14 : 15) ? HAS_ESCAPES : 0));
    Group g;
    g.chains = found & HAS_CHAIN;
    g.staged = !(found & HAS_HIGH_RATE) && to - from <= STAGED_PAYLOAD - 3;
    g.full = !(found & HAS_GAP) && place.contiguous(chunk * CHUNK + number * WARP_ELEMENTS);
    g.plain = g.full && g.staged && !(found & HAS_ESCAPES);
    g.checksum = (threadIdx.x & 7) == 0 ? t.lo * weight(0) + t.hi * weight(1) : 0;
    g.block = 0;
    if (PLAIN ? g.plain : g.staged) {
        const u32 *payload = payload_of(s, index) + from;
        begin_copy(stage.payload, payload, to - from);
        const u32 at = t.at - from + (u32)((u64)payload & 15) / 4;
        g.block = t.rate | (t.lo & (ORDER2 | CENTERED)) | (at + t.block_at) << 8 | at << 20;
    }
    return g;
}

// The residuals and the start of a thread's block, from the stage. Adds the block's share, and that of
// µ, to the tile's checksum. After the warp's next barrier the staged payload is no longer needed.
template <class Residuals>
FSZ_DEVICE Residuals load_staged(const Group &g, const u32 *payload, int &mu, u32 &checksum) {
    mu = g.centered() ? (int)payload[g.tile_at()] : 0;
    checksum += (threadIdx.x & 7) == 0 ? (u32)mu * weight(2) : 0;
    return load_block<Residuals>(payload + g.block_at(), g.rate(), 2 + g.block_at() - g.tile_at(),
                                 checksum);
}

// Finishes four plain tiles, and begins the next group as soon as their payload is in registers.
// Returns false, and has placed nothing, when the warp's codes are beyond what `emit` is exact for.
template <class Residuals, class T, class Begin>
FSZ_DEVICE bool plain_tiles(const Group &g, const u32 *payload, double step, u32 *rows, T *out,
                            u32 &checksum, const Begin &begin_next) {
    const bool order2 = g.order2();
    u32 share = 0;
    int mu;
    const Residuals l = load_staged<Residuals>(g, payload, mu, share);
    __syncwarp();
    begin_next();
    const Start start = block_start(block_sums(l), order2, mu);
    if (!emit(l, start, order2, step, rows, out))
        return false;
    checksum += share;
    return true;
}

// Brings the codes of a staged group to its rows. Returns this thread's share of its tile's checksum.
template <class Residuals>
__device__ __noinline__ u32 staged_codes(u32 block, Stage &stage) {
    Group g;
    g.block = block;
    u32 share = 0;
    int mu;
    const Residuals l = load_staged<Residuals>(g, stage.payload, mu, share);
    const Start start = block_start(block_sums(l), g.order2(), mu);
    stage_codes(l, start, g.order2(), stage.rows + (threadIdx.x & 31) * ROW);
    return share;
}

// The same for whatever rate of 15 at most.
FSZ_DEVICE u32 staged_codes(const Group &g, Stage &stage) {
    const u32 share = __any_sync(WARP_ALL, g.rate() > 7) ? staged_codes<Medium>(g.block, stage)
                                                         : staged_codes<Narrow>(g.block, stage);
    __syncwarp();
    return share;
}

// A staged group of full tiles, some with escapes. Returns this thread's share of its tile's checksum,
// without the rate bytes.
template <class T>
FSZ_DEVICE u32 escaped_tiles(const StreamView &s, u64 chunk, u32 number, const Group &g, Stage &stage,
                             T *out, u64 *status) {
    const u32 share = g.chains ? staged_codes(g, stage) : 0;
    const u32 tile = number * WARP_TILES + (threadIdx.x >> 3 & 3);
    const ChunkIndex &index = stage.index;
    return share + scatter_tiles<T>(s, index.rates[tile].x, index.rates[tile].y,
                                    stage.payload + g.tile_at(), index.at[tile + 1] - index.at[tile],
                                    index.step, stage.rows, out, chunk, status);
}

// A staged group whose tiles go to their places one by one. Returns this thread's share of its tile's
// checksum, without the rate bytes.
template <class T, class Place>
FSZ_DEVICE u32 staged_tiles(const StreamView &s, u64 chunk, u32 number, const Group &g, Stage &stage,
                            const Place &place, u64 *status) {
    const u32 wanted = place.wanted(chunk * CHUNK + number * WARP_ELEMENTS);
    u32 share;
    if (g.chains && wanted) {
        share = staged_codes(g, stage);
    } else {
        share = block_checksum(stage.payload + g.block_at(), g.rate(), 2 + g.block_at() - g.tile_at());
        if (g.centered() && (threadIdx.x & 7) == 0)
            share += stage.payload[g.tile_at()] * weight(2);
    }
    __syncwarp();
    const u32 *payload = stage.payload + __shfl_sync(WARP_ALL, g.tile_at(), 0);
    return share + place_group<T>(s, chunk, number, wanted, stage, payload, place, status);
}

// Any group that `plain_tiles` is not for, or has given up (then not staged). Returns this thread's share
// of its tile's checksum, without the rate bytes.
template <class T, class Place>
FSZ_DEVICE u32 other_tiles(const StreamView &s, u64 chunk, u32 number, const Group &g, Stage &stage,
                           const Place &place, u64 *status) {
    const u64 first = chunk * CHUNK + number * WARP_ELEMENTS;
    if (!g.staged)
        return any_tiles<T>(s, chunk, number, place.wanted(first), stage, place, status);
    if (g.full)
        return escaped_tiles(s, chunk, number, g, stage, place.group(first), status);
    return staged_tiles<T>(s, chunk, number, g, stage, place, status);
}

// A group's share of its chunk's checksum, in its tiles' first threads, from those of the tiles' threads.
FSZ_DEVICE u32 group_share(u32 checksum, u32 number, u32 tiles) {
#pragma unroll
    for (u32 o = 1; o < 8; o <<= 1)
        checksum += __shfl_xor_sync(WARP_ALL, checksum, o);
    const u32 lane = threadIdx.x & 31, tile = number * WARP_TILES + (lane >> 3);
    return (lane & 7) == 0 && tile < tiles ? tile_share(checksum, tile) : 0;
}

// Decodes one chunk, a thread block of DECODE_WARPS warps.
template <class T, class Place>
FSZ_DEVICE void decode_chunk(const StreamView &s, u64 chunk, const Place &place, u64 *status) {
    __shared__ Stage stages[DECODE_WARPS];
    __shared__ u32 sums[DECODE_WARPS];
    const u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    Stage &stage = stages[warp];
    if (!locate<Element<T>::WORDS>(s, chunk, status, stage.index))
        return; // All warps of the thread block find the same.
    const u32 tiles = (stage.index.elements + TILE - 1) / TILE;
    u32 sum = 0;
    u32 left = 0; // Groups for the second pass: a bit each.

    // First the plain groups, each sent for while the one before it is at work. What else there is would
    // cost this loop registers that it needs.
    Group next;
    if (warp * WARP_TILES < tiles)
        next = begin_group<true>(s, chunk, warp, place, stage);
    for (u32 number = warp; number * WARP_TILES < tiles; number += DECODE_WARPS) {
        const Group now = next;
        const auto begin_next = [&] {
            if ((number + DECODE_WARPS) * WARP_TILES < tiles)
                next = begin_group<true>(s, chunk, number + DECODE_WARPS, place, stage);
        };
        end_copy();
        u32 checksum = now.checksum;
        bool done = false;
        if (now.plain) {
            T *out = place.group(chunk * CHUNK + number * WARP_ELEMENTS);
            if (__any_sync(WARP_ALL, now.rate() > 7))
                done = plain_tiles<Medium>(now, stage.payload, stage.index.step, stage.rows, out, checksum,
                                           begin_next);
            else
                done = plain_tiles<Narrow>(now, stage.payload, stage.index.step, stage.rows, out, checksum,
                                           begin_next);
        } else {
            begin_next();
        }
        if (done)
            sum += group_share(checksum, number, tiles);
        else
            left |= 1u << number;
    }

    for (; left != 0; left &= left - 1) {
        const u32 number = __ffs(left) - 1;
        Group g = begin_group<false>(s, chunk, number, place, stage);
        end_copy();
        g.staged = g.staged && !g.plain; // Plain tiles that were given up need more than the stage.
        const u32 share = other_tiles<T>(s, chunk, number, g, stage, place, status);
        sum += group_share(g.checksum + share, number, tiles);
    }

    sum = __reduce_add_sync(WARP_ALL, sum);
    if (lane == 0)
        sums[warp] = sum;
    __syncthreads();
    if (warp == 0) {
        const u32 all = __reduce_add_sync(WARP_ALL, lane < DECODE_WARPS ? sums[lane] : 0);
        const u32 *stored = reinterpret_cast<const u32 *>(s.bytes + s.layout.sums) + chunk;
        if (lane == 0 && all != __ldg(stored))
            report(status, chunk, FAULT_CHECKSUM);
    }
}

} // namespace fsz
