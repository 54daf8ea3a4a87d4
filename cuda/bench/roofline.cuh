// What the memory can do, to hold the codec against: a copy and a read, as plain as can be.
// Measured in the same run as the codec, for a card's clock and neighbours change.
#pragma once

#include "format/format.cuh"

namespace fsz
{

/// Copies `n` times 16 bytes; a thread takes four of them, a thread block's width apart.
FSZ_DEVICE void copy_words(const uint4 *from, uint4 *to, u64 n)
{
    const u64 first = static_cast<u64>(blockIdx.x) * blockDim.x * 4 + threadIdx.x;
    uint4 held[4];
#pragma unroll
    for (u32 k = 0; k < 4; ++k)
    {
        if (first + k * blockDim.x < n)
        {
            held[k] = __ldcs(from + first + k * blockDim.x);
        }
    }
#pragma unroll
    for (u32 k = 0; k < 4; ++k)
    {
        if (first + k * blockDim.x < n)
        {
            __stcs(to + first + k * blockDim.x, held[k]);
        }
    }
}

/// Reads `n` times 16 bytes, and writes nothing unless the data is one in 2^32.
FSZ_DEVICE void read_words(const uint4 *from, u64 n, u32 *never)
{
    const u64 first = static_cast<u64>(blockIdx.x) * blockDim.x * 8 + threadIdx.x;
    u32 mixed = 0;
#pragma unroll
    for (u32 k = 0; k < 8; ++k)
    {
        if (first + k * blockDim.x < n)
        {
            const uint4 v = __ldcs(from + first + k * blockDim.x);
            mixed ^= v.x ^ v.y ^ v.z ^ v.w;
        }
    }
    if (mixed == 0x9E3779B9u)
    {
        *never = mixed;
    }
}

} // namespace fsz

extern "C" __global__ void __launch_bounds__(256) fsz_copy(const uint4 *from, uint4 *to, fsz::u64 n)
{
    fsz::copy_words(from, to, n);
}

extern "C" __global__ void __launch_bounds__(256)
    fsz_read(const uint4 *from, fsz::u64 n, fsz::u32 *never)
{
    fsz::read_words(from, n, never);
}
