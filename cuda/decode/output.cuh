// Where decoded elements go: a range of a field, side by side, or a box of it. Of a box, only tiles
// that hold a part are decoded.
#pragma once

#include "device/warp.cuh"
#include "format/format.cuh"

namespace fsz
{

/// Four elements to 16 aligned bytes or twice as many.
FSZ_DEVICE void store_four(float *out, const float (&v)[4])
{
    __stcs(reinterpret_cast<float4 *>(out), make_float4(v[0], v[1], v[2], v[3]));
}

FSZ_DEVICE void store_four(double *out, const double (&v)[4])
{
    __stcs(reinterpret_cast<double2 *>(out), make_double2(v[0], v[1]));
    __stcs(reinterpret_cast<double2 *>(out) + 1, make_double2(v[2], v[3]));
}

/// Where the elements `begin` to `end` of a field go: side by side. Both are at tile borders.
template <class T> struct OutputRange
{
    T *out;
    u64 begin, end;

    /// Whether the four tiles from element `first` on may be written 16 bytes at a time.
    FSZ_DEVICE bool contiguous(u64 first) const
    {
        return first >= begin && first + QUAD_ELEMENTS <= end &&
               (reinterpret_cast<u64>(out + (first - begin)) & 15) == 0;
    }
    FSZ_DEVICE T *quad(u64 first) const { return out + (first - begin); }
    /// Which of these tiles are to be decoded: a bit each.
    FSZ_DEVICE u32 wanted(u64 first) const
    {
        const u32 lane = lane_id();
        const u64 tile = first + lane * TILE;
        return __ballot_sync(WARP_ALL, lane < QUAD_TILES && tile >= begin && tile < end);
    }
    FSZ_DEVICE void store(u64 element, T value) const { __stcs(out + (element - begin), value); }
};

/// A box in a field of `dims` axes, slowest first, and where its elements go in C order. The same
/// struct is `BoxPlace` in crates/fsz/src/cuda/view.rs.
struct BoxShape
{
    u32 dims; // 1 to 8
    u64 shape[8];
    u64 start[8];
    u64 count[8]; // none is 0
};

template <class T> struct OutputBox
{
    T *out;
    BoxShape box;

    FSZ_DEVICE bool contiguous(u64) const { return false; }
    FSZ_DEVICE T *quad(u64) const { return out; }

    FSZ_DEVICE u32 wanted(u64 first) const
    {
        const u32 lane = lane_id();
        const u64 tile = first + lane * TILE;
        return __ballot_sync(WARP_ALL, lane < QUAD_TILES && next(tile) < tile + TILE);
    }

    /// The first element of the box from element `from` of the field on; ~0 when there is none.
    __device__ inline u64 next(u64 from) const
    {
        u64 at[8];
        for (i32 a = static_cast<i32>(box.dims) - 1; a > 0; a--)
        {
            at[a] = from % box.shape[a];
            from /= box.shape[a];
        }
        at[0] = from;
        u32 a = 0; // The first axis on which `from` is not within the box.
        while (a < box.dims && at[a] >= box.start[a] && at[a] - box.start[a] < box.count[a])
        {
            ++a;
        }
        if (a < box.dims)
        {
            if (at[a] >= box.start[a])
            { // Behind it: on to the next row of a slower axis.
                do
                {
                    if (a == 0)
                    {
                        return ~0ull;
                    }
                    a--;
                } while (at[a] + 1 - box.start[a] == box.count[a]);
                at[a]++;
                ++a;
            }
            for (; a < box.dims; ++a)
            {
                at[a] = box.start[a];
            }
        }
        u64 element = at[0];
        for (a = 1; a < box.dims; ++a)
        {
            element = element * box.shape[a] + at[a];
        }
        return element;
    }

    FSZ_DEVICE void store(u64 element, T value) const
    {
        if (T *const to = place(element))
        {
            *to = value;
        }
    }

    /// Where an element of the field goes; null if it is outside.
    FSZ_DEVICE T *place(u64 element) const
    {
        u64 to = 0, stride = 1;
        for (i32 a = static_cast<i32>(box.dims) - 1; a >= 0; a--)
        {
            u64 at = element;
            if (a > 0)
            {
                // 64-bit division is slow, and seldom needed.
                if (((element | box.shape[a]) >> 32) == 0)
                {
                    at = static_cast<u32>(element) % static_cast<u32>(box.shape[a]);
                    element = static_cast<u32>(element) / static_cast<u32>(box.shape[a]);
                }
                else
                {
                    at = element % box.shape[a];
                    element /= box.shape[a];
                }
            }
            at -= box.start[a];
            if (at >= box.count[a])
            {
                return nullptr;
            }
            to += at * stride;
            stride *= box.count[a];
        }
        return out + to;
    }
};

} // namespace fsz
