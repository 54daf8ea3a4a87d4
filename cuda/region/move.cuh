// Elements of a region on their way: out of a field, or to their places over it.
#pragma once

#include "device/warp.cuh"

namespace fsz
{

/// Elements side by side, and where they go. The same struct is `Move` in
/// crates/fsz/src/cuda/kernels/abi.rs.
struct Move
{
    u64 from, to, len;
};

/// A warp to each move.
template <class T> FSZ_DEVICE void move_elements(const T *from, T *to, const Move *moves, u64 count)
{
    const u64 number = (static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
    if (number < count)
    {
        const Move move = moves[number];
        for (u64 k = lane_id(); k < move.len; k += 32)
        {
            to[move.to + k] = from[move.from + k];
        }
    }
}

} // namespace fsz
