// Streams back to fields: a chunk, a thread block. No thread block waits for another: the index of the
// stream says where each chunk lies.
#pragma once

#include "tile_decode.cuh"

namespace fsz {

// Warps of a thread block; each takes every DECODE_WARPS-th group of four tiles of the chunk.
constexpr u32 DECODE_WARPS = 8;

// Where the elements `begin` to `end` of a field go: side by side. Both are at tile borders.
template <class T> struct Run {
    T *out;
    u64 begin, end;

    // Whether the four tiles from element `first` on may be written 16 bytes at a time.
    FSZ_DEVICE bool contiguous(u64 first) const {
        return first >= begin && first + WARP_ELEMENTS <= end && ((u64)(out + (first - begin)) & 15) == 0;
    }
    FSZ_DEVICE T *group(u64 first) const { return out + (first - begin); }
    // Which of these tiles are to be decoded: a bit each.
    FSZ_DEVICE u32 wanted(u64 first) const {
        const u32 lane = threadIdx.x & 31;
        const u64 tile = first + lane * TILE;
        return __ballot_sync(WARP_ALL, lane < WARP_TILES && tile >= begin && tile < end);
    }
    FSZ_DEVICE void store(u64 element, T value) const { __stcs(out + (element - begin), value); }
};

// Copies the payload of the warp's tiles from `from` to its stage and returns where the first word came
// to lie: at the same place within 16 bytes as in the stream, so that all but the ends are copied 16
// bytes at a time.
FSZ_DEVICE const u32 *stage_payload(u32 *stage, const u32 *from, u32 words) {
    const u32 lane = threadIdx.x & 31;
    const u32 skew = (u32)((u64)from & 15) / 4;
    const u32 *first = from - skew;
    const u32 stage_at = (u32)__cvta_generic_to_shared(stage);
    for (u32 k = 4 * lane; k < words + skew; k += 128) {
        const u32 bytes = min(4 * (words + skew - k), 16u); // Nothing behind the payload is read.
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(stage_at + 4 * k),
                     "l"(first + k), "r"(bytes)
                     : "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
    return stage + skew;
}

// Writes the stage's rows, of 128 bytes, to `out`: the thread's 16 bytes of every fourth row.
// `stride` is the distance of rows in bytes.
FSZ_DEVICE void store_rows(const u32 *stage, u8 *out, u32 stride) {
    const u32 lane = threadIdx.x & 31;
    const u32 *from = stage + (lane >> 3) * ROW + (lane & 7) * 4;
    u8 *to = out + (lane >> 3) * stride + (lane & 7) * 16;
#pragma unroll
    for (u32 j = 0; j < 8; j++)
        __stcs(reinterpret_cast<uint4 *>(to + j * 4 * stride),
               *reinterpret_cast<const uint4 *>(from + j * 4 * ROW));
}

// Elements of a block of full tiles, through the stage to `out`. False, and nothing done, when a code
// of the warp is beyond what this arithmetic is exact for.
//
// f32: differences and codes are whole numbers below 2^24, so float additions, which have a pipe of
// their own, are exact.
template <class Residuals>
FSZ_DEVICE bool emit(const Residuals &l, Start start, bool order2, double step, u32 *stage, float *out) {
    const bool far = (u32)(start.code + (1 << 22)) >= 1u << 23 ||
                     (u32)(start.difference + (1 << 17)) >= 1u << 18;
    if (__any_sync(WARP_ALL, far))
        return false;
    __syncwarp(); // All have read their payload.
    const u32 lane = threadIdx.x & 31;
    const float unit = (float)step, carry = order2 ? 1.f : 0.f;
    float code = (float)start.code, difference = (float)start.difference;
    float4 *row = reinterpret_cast<float4 *>(stage + lane * ROW);
#pragma unroll
    for (int j = 0; j < 8; j++) {
        float v[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            difference = __fmaf_rn(carry, difference, l.real(4 * j + k));
            code = __fadd_rn(code, difference);
            v[k] = __fmul_rn(unit, code);
        }
        row[j] = make_float4(v[0], v[1], v[2], v[3]);
    }
    __syncwarp();
    store_rows(stage, reinterpret_cast<u8 *>(out), 128);
    return true;
}

// f64: codes as wrapping integers, made numbers by a subtraction (2^52 + 2^31 + q less 2^52 + 2^31):
// exact for every code.
template <class Residuals>
FSZ_DEVICE bool emit(const Residuals &l, Start start, bool order2, double step, u32 *stage, double *out) {
    const u32 lane = threadIdx.x & 31, carry = order2 ? 1 : 0;
    u32 code = (u32)start.code ^ 0x80000000, difference = (u32)start.difference;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        __syncwarp(); // All have read their payload, or the rows of the first half.
        double2 *row = reinterpret_cast<double2 *>(stage + lane * ROW);
#pragma unroll
        for (int j = 0; j < 8; j++) {
            double v[2];
#pragma unroll
            for (int k = 0; k < 2; k++) {
                difference = carry * difference + (u32)l.at(16 * half + 2 * j + k);
                code += difference;
                const double number = __hiloint2double(0x43300000, (int)code);
                v[k] = __dmul_rn(step, __dadd_rn(number, -4503601774854144.0));
            }
            row[j] = make_double2(v[0], v[1]);
        }
        __syncwarp();
        store_rows(stage, reinterpret_cast<u8 *>(out + 16 * half), 256);
    }
    return true;
}

// Four full tiles without escapes, of the rates that `Residuals` holds.
template <class Residuals, class T>
FSZ_DEVICE bool plain_tiles(const Tiles &t, const u32 *words, u32 mu, double step, u32 *stage, T *out,
                            u32 &checksum) {
    u32 share = 0;
    const Residuals l = load_block<Residuals>(words + t.block_at, t.rate, 2 + t.block_at, share);
    const Start start = block_start(block_sums(l), t.order2(), (int)mu);
    if (!emit(l, start, t.order2(), step, stage, out))
        return false;
    checksum += share;
    return true;
}

// The elements of one tile, of which the stage holds the codes, wherever `place` puts them. The whole
// warp works on it; `first` is its first element in the field. Returns what its words behind the
// blocks add to its checksum.
template <class T, class Place>
FSZ_DEVICE u32 place_tile(const StreamView &s, const u32 *words, u32 lo, u32 hi, u32 count, u64 first,
                          double step, const u32 *codes, const Place &place, bool &sound) {
    constexpr u32 W = Element<T>::WORDS;
    const u32 lane = threadIdx.x & 31;
    const T unit = (T)step;
    if (!(lo & ESCAPES)) {
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
    if (field.kind == CONSTANT) {
        element_of(pattern_bits<T>(s, field.pattern, words, sound), value);
        for (u32 i = lane; i < count && sound; i += 32)
            place.store(first + i, value);
        return share;
    }
    if (field.kind == VERBATIM) {
        for (u32 i = lane; i < count; i += 32) {
            element_of(bits_at<W>(words + i * W), value);
            place.store(first + i, value);
        }
        return share;
    }
    const u32 *at = words + coded;
    u32 masked = 0;
    T pattern = 0;
    if (field.run_ends > 0) {
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
    for (u32 i = lane, j = 0; j < 8; i += 32, j++) {
        const u32 word = __shfl_sync(WARP_ALL, escaped, j);
        const u32 list = __shfl_sync(WARP_ALL, listed, j);
        const u32 others = __shfl_sync(WARP_ALL, escaped_before, j) + __popc(word & below);
        const u32 number = __shfl_sync(WARP_ALL, listed_before, j) + __popc(list & below);
        if (i >= count)
            continue;
        if (list >> lane & 1) {
            element_of(bits_at<W>(values + number * W), value);
        } else if (word >> lane & 1) {
            value = pattern;
        } else {
            const u32 k = i - others;
            value = dequantize((int)codes[(k >> 5) * ROW + (k & 31)], unit);
        }
        place.store(first + i, value);
    }
    return share;
}

// Any four tiles. Those that are not wanted are only summed.
template <class T, class Place>
__device__ __noinline__ u32 any_tiles(const StreamView &s, u64 chunk, u32 group, const Tiles &t,
                                      const u32 *words, u32 mu, double step, u32 *stage,
                                      const Place &place, u64 *status) {
    const u32 lane = threadIdx.x & 31;
    const u32 *block = words + t.block_at;
    const u32 wanted = place.wanted(chunk * CHUNK + group * WARP_ELEMENTS);
    u32 checksum;
    __syncwarp();
    if (wanted && __any_sync(WARP_ALL, t.count > 0 && t.has_chain())) {
        checksum = any_codes(block, t.rate, 2 + t.block_at, t.order2(), (int)mu,
                             reinterpret_cast<int *>(stage + lane * ROW));
    } else {
        checksum = block_checksum(block, t.rate, 2 + t.block_at);
    }
    __syncwarp();
    for (u32 k = 0; k < WARP_TILES; k++) {
        const u32 lo = __shfl_sync(WARP_ALL, t.lo, 8 * k), hi = __shfl_sync(WARP_ALL, t.hi, 8 * k);
        const u32 count = __shfl_sync(WARP_ALL, t.count, 8 * k);
        const u32 *tile = reinterpret_cast<const u32 *>(__shfl_sync(WARP_ALL, (u64)words, 8 * k));
        if (count == 0)
            break;
        u32 share;
        bool sound = true;
        if (wanted >> k & 1) {
            const u64 first = chunk * CHUNK + (group * WARP_TILES + k) * TILE;
            share = place_tile<T>(s, tile, lo, hi, count, first, step, stage + k * 8 * ROW, place, sound);
        } else if (lo & ESCAPES) {
            const u32 coded = coded_words(lo, hi);
            share = checksum_of_words(tile + coded, coded,
                                      escape_words(lo, hi, count, Element<T>::WORDS, sound));
        } else {
            share = 0;
        }
        if (!sound && lane == 0)
            report(status, chunk, FAULT_PLACES);
        checksum += lane == 8 * k ? share : 0;
    }
    __syncwarp();
    return checksum;
}

// Decodes a group of four tiles of a chunk. Returns the sum of its tiles' shares of the chunk's
// checksum, in every thread.
template <class T, class Place>
FSZ_DEVICE u32 decode_group(const StreamView &s, u64 chunk, const ChunkIndex &index, u32 group,
                            u32 *stage, const Place &place, u64 *status) {
    const u32 lane = threadIdx.x & 31;
    const Tiles t = tiles_of(s, chunk, index, group);
    const u32 *payload = reinterpret_cast<const u32 *>(s.bytes + s.layout.payload) + index.base;
    const u32 *words = payload + t.at;
    const u32 mu = t.centered() ? __ldg(words) : 0;
    // µ and the rate bytes are the first words of the tile's checksum.
    u32 checksum = (lane & 7) == 0 ? t.lo * weight(0) + t.hi * weight(1) + mu * weight(2) : 0;

    const u32 from = __shfl_sync(WARP_ALL, t.at, 0);
    const u32 next = __shfl_sync(WARP_ALL, index.before, 2 * group + 2); // Of no use in the last group.
    const u32 to = group == CHUNK_TILES / WARP_TILES - 1 ? index.words : next;
    const u32 most = t.order2() ? 14 : 15; // Beyond, sums of residuals leave the exact floats.
    const u64 first = chunk * CHUNK + group * WARP_ELEMENTS;
    const bool awkward = t.escapes() || t.count < TILE || t.rate > most;
    bool done = false;
    if (place.contiguous(first) && !__any_sync(WARP_ALL, awkward)) {
        const u32 *staged = stage_payload(stage, payload + from, to - from) + (t.at - from);
        T *out = place.group(first);
        if (__any_sync(WARP_ALL, t.rate > 7))
            done = plain_tiles<Medium>(t, staged, mu, index.step, stage, out, checksum);
        else
            done = plain_tiles<Narrow>(t, staged, mu, index.step, stage, out, checksum);
        __syncwarp();
    }
    if (!done)
        checksum += any_tiles<T>(s, chunk, group, t, words, mu, index.step, stage, place, status);
#pragma unroll
    for (u32 o = 1; o < 8; o <<= 1)
        checksum += __shfl_xor_sync(WARP_ALL, checksum, o);
    const u32 share = tile_share(checksum, group * WARP_TILES + (lane >> 3));
    return __reduce_add_sync(WARP_ALL, (lane & 7) == 0 && t.count > 0 ? share : 0);
}

// Decodes one chunk, a thread block of DECODE_WARPS warps.
template <class T, class Place>
FSZ_DEVICE void decode_chunk(const StreamView &s, u64 chunk, const Place &place, u64 *status) {
    __shared__ __align__(16) u32 stages[DECODE_WARPS][STAGE];
    __shared__ u32 sums[DECODE_WARPS];
    const u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    ChunkIndex index;
    if (!locate<Element<T>::WORDS>(s, chunk, status, index))
        return; // All warps of the thread block find the same.
    u32 sum = 0;
    const u64 left = s.layout.elements - chunk * CHUNK;
    for (u32 group = warp; group < CHUNK_TILES / WARP_TILES && group * WARP_ELEMENTS < left;
         group += DECODE_WARPS) {
        sum += decode_group<T>(s, chunk, index, group, stages[warp], place, status);
    }
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
