// The paper's own compression kernel, to measure the product against: one thread per tile, four
// tiles a thread, one warp per thread block, float4 loads, a decoupled look-back, and two reads of
// the field: one to choose, one to encode. Beside it what the paper calls naive: a read for each of
// the four variants, and a fifth to encode.
//
// Neither looks for escapes or at the error, and neither makes checksums, an index or a
// certificate. Where there are no escapes, rates and payload are the product's, byte for byte. Only
// whole tiles are encoded.
#pragma once

#include "device/lookback.cuh"
#include "encode/control.cuh"
#include "profile/paper/encode/pack.cuh"

namespace fsz
{

/// Tiles of a thread, and of a thread block.
constexpr u32 PAPER_TILES = 4;
constexpr u32 PAPER_BLOCK_TILES = 32 * PAPER_TILES;

/// What a paper kernel is told. Pointers are to device memory.
struct PaperArgs
{
    /// At a multiple of 16.
    const float *field;
    u64 tiles;
    /// The quantizer, of the product's survey.
    const Control *control;
    /// 8 bytes a tile, at a multiple of 8.
    u8 *rates;
    u32 *payload;
    /// The number of thread blocks that have begun, the payload's length in words, and an entry of
    /// the scan for each thread block. All zero at first.
    u64 *scratch;
};

/// A tile's rate bytes, block 0 lowest, and the words of its payload.
struct PaperChoice
{
    u64 rates;
    u32 words;
};

/// The code of an element, found as it is in the product: in floats where all codes are NEAR.
template <bool NEAR> FSZ_DEVICE i32 paper_code(float d, const Quantizer<float> &z)
{
    if constexpr (NEAR)
    {
        return __float_as_int(__fmaf_rn(d, z.inverse, ROUND)) - ROUND_BITS;
    }
    return __double2int_rn(__dmul_rn(d, z.inverse));
}

/// The codes of block `block` of a tile.
template <bool NEAR>
FSZ_DEVICE void paper_block(const float *tile, u32 block, const Quantizer<float> &z,
                            i32 (&q)[BLOCK])
{
    const float4 *const pieces = reinterpret_cast<const float4 *>(tile + BLOCK * block);
#pragma unroll
    for (u32 i = 0; i < BLOCK / 4; ++i)
    {
        const float4 d = pieces[i];
        q[4 * i] = paper_code<NEAR>(d.x, z);
        q[4 * i + 1] = paper_code<NEAR>(d.y, z);
        q[4 * i + 2] = paper_code<NEAR>(d.z, z);
        q[4 * i + 3] = paper_code<NEAR>(d.w, z);
    }
}

/// All four variants from one read: what centering changes are the first two residuals of a tile.
template <bool NEAR> FSZ_DEVICE PaperChoice choose_at_once(const float *tile, Quantizer<float> z)
{
    u64 rates[2] = {0, 0};
    u32 cost[4] = {0, 0, 1, 1};
    u32 centered[2] = {0, 0};
    i32 last = 0, slope = 0;
#pragma unroll 1
    for (u32 block = 0; block < TILE_BLOCKS; ++block)
    {
        i32 q[BLOCK];
        paper_block<NEAR>(tile, block, z, q);
        u32 first = 0, second = 0, second_1 = 0, first_0 = 0, second_0 = 0, first_1 = 0;
#pragma unroll
        for (u32 i = 0; i < BLOCK; ++i)
        {
            const i32 l = q[i] - last;
            const u32 one = abs(l), two = abs(l - slope);
            if (i == 0)
            {
                first_0 = one;
                second_0 = two;
            }
            else if (i == 1)
            {
                first_1 = one;
                second_1 = two;
            }
            else
            {
                first |= one;
                second |= two;
            }
            last = q[i];
            slope = l;
        }
        const u32 rate1 = rate_of_bits(first | first_0 | first_1);
        const u32 rate2 = rate_of_bits(second | second_0 | second_1);
        u32 rate1c = rate1, rate2c = rate2;
        if (block == 0)
        {
            rate1c = centered[0] = rate_of_bits(first | first_1);
            rate2c = centered[1] = rate_of_bits(second | first_1);
        }
        cost[0] += block_words(rate1);
        cost[1] += block_words(rate2);
        cost[2] += block_words(rate1c);
        cost[3] += block_words(rate2c);
        rates[0] |= static_cast<u64>(rate1) << 8 * block;
        rates[1] |= static_cast<u64>(rate2) << 8 * block;
    }
    const u32 best = min(min(4 * cost[0], 4 * cost[1] + 1), min(4 * cost[2] + 2, 4 * cost[3] + 3));
    PaperChoice choice{best & 1 ? rates[1] | RATE_ORDER2 : rates[0], best / 4};
    if (best & 2)
    {
        choice.rates = (choice.rates & ~static_cast<u64>(RATE_MASK)) | RATE_CENTERED |
                       (best & 1 ? centered[1] : centered[0]);
    }
    return choice;
}

/// One variant from a read of its own.
template <bool NEAR, bool SECOND, bool CENTER>
FSZ_DEVICE PaperChoice weigh(const float *tile, Quantizer<float> z)
{
    PaperChoice found{(SECOND ? RATE_ORDER2 : 0) | (CENTER ? RATE_CENTERED : 0), CENTER ? 1u : 0u};
    i32 last = CENTER ? paper_code<NEAR>(tile[0], z) : 0, slope = 0;
#pragma unroll 1
    for (u32 block = 0; block < TILE_BLOCKS; ++block)
    {
        i32 q[BLOCK];
        paper_block<NEAR>(tile, block, z, q);
        u32 bits = 0;
#pragma unroll
        for (u32 i = 0; i < BLOCK; ++i)
        {
            const i32 l = q[i] - last;
            bits |= abs(SECOND ? l - slope : l);
            last = q[i];
            slope = l;
        }
        const u32 rate = rate_of_bits(bits);
        found.rates |= static_cast<u64>(rate) << 8 * block;
        found.words += block_words(rate);
    }
    return found;
}

FSZ_DEVICE PaperChoice cheaper(const PaperChoice &a, const PaperChoice &b)
{
    return b.words < a.words ? b : a;
}

/// All four variants, a read for each.
template <bool NEAR> FSZ_DEVICE PaperChoice choose_in_turn(const float *tile, Quantizer<float> z)
{
    PaperChoice best = weigh<NEAR, false, false>(tile, z);
    best = cheaper(best, weigh<NEAR, true, false>(tile, z));
    best = cheaper(best, weigh<NEAR, false, true>(tile, z));
    return cheaper(best, weigh<NEAR, true, true>(tile, z));
}

/// Encodes a tile from a read of its own.
template <bool NEAR>
FSZ_DEVICE void paper_encode(const float *tile, Quantizer<float> z, u64 rates, u32 *out)
{
    const bool order2 = rates & RATE_ORDER2;
    i32 last = 0, slope = 0;
    if (rates & RATE_CENTERED)
    {
        last = paper_code<NEAR>(tile[0], z);
        *out++ = static_cast<u32>(last);
    }
#pragma unroll 1
    for (u32 block = 0; block < TILE_BLOCKS; ++block)
    {
        const u32 rate = static_cast<u32>(rates >> 8 * block) & RATE_MASK;
        if (rate == 0)
        {
            // All residuals are 0: the codes go on as they did, and need not be read.
            last += order2 ? static_cast<i32>(BLOCK) * slope : 0;
            continue;
        }
        i32 q[BLOCK];
        paper_block<NEAR>(tile, block, z, q);
        u32 magnitude[BLOCK];
        u32 sign = 0;
#pragma unroll
        for (u32 i = 0; i < BLOCK; ++i)
        {
            const i32 l = q[i] - last;
            const i32 residual = order2 ? l - slope : l;
            sign |= (static_cast<u32>(residual) >> 31) << (31 - i);
            magnitude[i] = abs(residual);
            last = q[i];
            slope = l;
        }
        *out++ = sign;
#pragma unroll 1
        for (u32 k = 0; k < rate; ++k)
        {
            u32 plane = 0;
#pragma unroll
            for (u32 i = 0; i < BLOCK; ++i)
            {
                plane |= (magnitude[i] >> k & 1) << (31 - i);
            }
            *out++ = plane;
        }
    }
}

/// The whole kernel, of one warp per thread block. `AT_ONCE`: two reads, else five.
template <bool AT_ONCE, bool NEAR> FSZ_DEVICE void paper_warp(const PaperArgs &args)
{
    const u32 lane = lane_id();
    const Quantizer<float> z = quantizer_of<float>(*args.control);
    // Thread blocks take places as they begin, so that those waited for have begun.
    u32 place = 0;
    if (lane == 0)
    {
        place = atomicAdd(reinterpret_cast<u32 *>(args.scratch), 1);
    }
    place = __shfl_sync(WARP_ALL, place, 0);
    const u64 first = static_cast<u64>(place) * PAPER_BLOCK_TILES + lane * PAPER_TILES;
    u64 rates[PAPER_TILES];
    u32 words = 0;
#pragma unroll
    for (u32 t = 0; t < PAPER_TILES; ++t)
    {
        rates[t] = 0;
        if (first + t < args.tiles)
        {
            const float *const tile = args.field + TILE * (first + t);
            const PaperChoice choice =
                AT_ONCE ? choose_at_once<NEAR>(tile, z) : choose_in_turn<NEAR>(tile, z);
            reinterpret_cast<u64 *>(args.rates)[first + t] = choice.rates;
            rates[t] = choice.rates;
            words += choice.words;
        }
    }
    const u32 inclusive = warp_inclusive(words, lane);
    const u32 total = __shfl_sync(WARP_ALL, inclusive, 31);
    const u64 before = look_back(args.scratch + 2, place, total, lane);
    if (place == gridDim.x - 1 && lane == 0)
    {
        args.scratch[1] = before + total;
    }
    u32 *out = args.payload + before + (inclusive - words);
#pragma unroll
    for (u32 t = 0; t < PAPER_TILES; ++t)
    {
        if (first + t < args.tiles)
        {
            paper_encode<NEAR>(args.field + TILE * (first + t), z, rates[t], out);
            out += (rates[t] & RATE_CENTERED) != 0;
#pragma unroll
            for (u32 block = 0; block < TILE_BLOCKS; ++block)
            {
                out += block_words(static_cast<u32>(rates[t] >> 8 * block) & RATE_MASK);
            }
        }
    }
}

template <bool AT_ONCE> FSZ_DEVICE void paper(const PaperArgs &args)
{
    if (args.control->near)
    {
        paper_warp<AT_ONCE, true>(args);
    }
    else
    {
        paper_warp<AT_ONCE, false>(args);
    }
}

} // namespace fsz

extern "C" __global__ void __launch_bounds__(32)
    fsz_compress_two_reads_f32(const __grid_constant__ fsz::PaperArgs args)
{
    fsz::paper<true>(args);
}

extern "C" __global__ void __launch_bounds__(32)
    fsz_compress_five_reads_f32(const __grid_constant__ fsz::PaperArgs args)
{
    fsz::paper<false>(args);
}

/// How the arguments lie in memory, and the tiles of a thread block: `shapes` in
/// crates/fsz-bench/src/kernels.rs reads them.
extern "C" __device__ fsz::u32 fsz_bench_shapes[] = {
    sizeof(fsz::PaperArgs),          FSZ_AT(fsz::PaperArgs, field), FSZ_AT(fsz::PaperArgs, tiles),
    FSZ_AT(fsz::PaperArgs, control), FSZ_AT(fsz::PaperArgs, rates), FSZ_AT(fsz::PaperArgs, payload),
    FSZ_AT(fsz::PaperArgs, scratch), fsz::PAPER_BLOCK_TILES,
};
