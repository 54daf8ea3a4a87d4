// Four tiles with escapes at once, eight threads to a tile: the codes of the chain spread over the
// places that are not escaped. Oceans, clouds and masked simulations are made of such tiles.
#pragma once

#include "tile_decode.cuh"

namespace fsz
{

// Bits of the elements from element `from` of the tile on, in the block that begins at element
// `first`.
FSZ_DEVICE u32 bits_from(u32 from, u32 first)
{
    const i32 shift = static_cast<i32>(from - first);
    return shift >= 32 ? 0 : ~0u << max(shift, 0);
}

// The masked elements of a block, from the mask at `words`.
FSZ_DEVICE u32 block_mask(const u32 *words, u32 run_ends, u32 block, bool &sound)
{
    if (run_ends == BITMAP)
    {
        return __brev(words[block]);
    }
    u32 mask = 0, previous = 0;
    for (u32 k = 0; k < run_ends; k += 4)
    {
        const u32 four = words[k / 4];
#pragma unroll
        for (u32 j = 0; j < 4; ++j)
        {
            // Every end changes all that follows it.
            const u32 end = four >> (8 * j) & 0xFF;
            const bool there = k + j < run_ends;
            sound = sound && (!there || k + j == 0 || end > previous);
            mask ^= there ? bits_from(end, BLOCK * block) : 0;
            previous = end;
        }
    }
    return mask;
}

// The listed elements of a block.
FSZ_DEVICE u32 block_list(const u32 *positions, u32 listed, u32 block, bool &sound)
{
    u32 mine = 0, previous = 0;
    for (u32 k = 0; k < listed; ++k)
    {
        const u32 at = byte_at(positions, k);
        sound = sound && (k == 0 || at > previous);
        mine |= at / BLOCK == block ? 1u << (at & 31) : 0;
        previous = at;
    }
    return mine;
}

// A row of a stage, as elements. f64 rows hold 16, one half of a block.
FSZ_DEVICE float *row_of(u32 *rows, u32 row, float)
{
    return reinterpret_cast<float *>(rows + row * ROW);
}
FSZ_DEVICE double *row_of(u32 *rows, u32 row, double)
{
    return reinterpret_cast<double *>(rows + row * ROW);
}

// Full tiles, none of them verbatim, that go side by side to `out`: `rows` holds their codes,
// `tile` the staged payload of this thread's tile, of `n` words. Returns what this thread's share
// of the words behind the blocks adds to the tile's checksum.
template <class T>
__device__ __noinline__ u32 scatter_tiles(const StreamView &s, u32 lo, u32 hi, const u32 *tile,
                                          u32 n, double step, u32 *rows, T *out, u64 chunk,
                                          u64 *status)
{
    constexpr u32 W = Element<T>::WORDS;
    constexpr u32 HALF = BLOCK / W; // Elements that go through the rows at a time.
    const u32 lane = threadIdx.x & 31, block = lane & 7;
    bool sound = true;
    u32 share = 0, masked = 0, listed = 0, list_len = 0;
    const u32 *positions = tile, *values = tile;
    T pattern = 0;
    if (lo & ESCAPES)
    {
        const EscapeField field(escape_bits(lo, hi));
        const u32 coded = coded_words(lo, hi);
        const u32 *at = tile + coded;
        for (u32 k = block; k < n - coded; k += 8)
        {
            share += at[k] * weight(2 + coded + k);
        }
        if (field.kind == CONSTANT)
        {
            element_of(pattern_bits<T>(s, field.pattern, at, sound), pattern);
            masked = ~0u;
        }
        else
        {
            if (field.run_ends > 0)
            {
                element_of(pattern_bits<T>(s, field.pattern, at, sound), pattern);
                at += field.pattern_words(W);
                masked = block_mask(at, field.run_ends, block, sound);
                at += field.mask_words();
            }
            list_len = field.listed;
            positions = at;
            values = at + (list_len + 3) / 4;
            listed = block_list(positions, list_len, block, sound);
            sound = sound && (masked & listed) == 0;
        }
    }
    const u32 escaped = masked | listed;
    u32 before = __popc(escaped); // Escaped elements of the tile before this block.
#pragma unroll
    for (u32 o = 1; o < 8; o <<= 1)
    {
        const u32 left = __shfl_up_sync(WARP_ALL, before, o, 8);
        before += block >= o ? left : 0;
    }
    before -= __popc(escaped);

    const u32 *codes = rows + (lane - block) * ROW;
    u32 k = BLOCK * block - before;
    i32 code[BLOCK];
#pragma unroll
    for (u32 i = 0; i < BLOCK; ++i)
    {
        code[i] = 0;
        if (!(escaped >> i & 1))
        {
            code[i] = static_cast<i32>(codes[k + k / BLOCK * (ROW - BLOCK)]);
            ++k;
        }
    }
    __syncwarp();
    const T unit = static_cast<T>(step);
#pragma unroll
    for (u32 half = 0; half < W; ++half)
    {
        T *row = row_of(rows, lane, T(0));
#pragma unroll
        for (u32 i = 0; i < HALF; i += 4 / W)
        {
            alignas(16) T v[4 / W];
#pragma unroll
            for (u32 j = 0; j < 4 / W; ++j)
            {
                const u32 e = half * HALF + i + j;
                v[j] = escaped >> e & 1 ? pattern : dequantize(code[e], unit);
            }
            *reinterpret_cast<uint4 *>(row + i) = *reinterpret_cast<const uint4 *>(v);
        }
        __syncwarp();
        for (u32 m = block; m < list_len; m += 8)
        {
            const u32 at = byte_at(positions, m);
            if (at % BLOCK / HALF == half)
            {
                T value;
                element_of(bits_at<W>(values + m * W), value);
                row_of(rows, lane - block + at / BLOCK, T(0))[at % HALF] = value;
            }
        }
        __syncwarp();
        store_rows(rows, reinterpret_cast<u8 *>(out + half * HALF), BLOCK * sizeof(T));
        __syncwarp();
    }
    if (!sound)
    {
        report(status, chunk, FAULT_PLACES);
    }
    return share;
}

} // namespace fsz
