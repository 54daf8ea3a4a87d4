// Where a lane's block of elements is.
#pragma once

#include "device/warp.cuh"
#include "encode/control.cuh"

namespace fsz
{

/// A block's elements in device memory, in pieces of 16 bytes. Zeros from `exists` on.
template <class T> struct DeviceRow
{
    static constexpr u32 PIECE = 16 / sizeof(T);
    const T *elements;
    u32 exists;

    FSZ_DEVICE void load(u32 piece, T (&v)[PIECE]) const
    {
        if (exists == BLOCK && reinterpret_cast<u64>(elements) % 16 == 0)
        {
            load_vector(elements + PIECE * piece, v);
            return;
        }
#pragma unroll
        for (u32 k = 0; k < PIECE; ++k)
        {
            v[k] = (*this)(PIECE * piece + k);
        }
    }

    FSZ_DEVICE T operator()(u32 i) const { return i < exists ? elements[i] : static_cast<T>(0); }
};

/// A warp's elements in shared memory, as the tensor copy engine leaves them: planes of 32 rows of
/// 128 bytes, a row for each lane's block (a plane holds 32 floats or 16 doubles of it), with the
/// 16-byte pieces of a row swapped according to the row so that lanes do not meet in a bank.
template <class T> struct SharedRow
{
    static constexpr u32 PIECE = 16 / sizeof(T);
    static constexpr u32 PLANE_BYTES = 32 * 128;
    static constexpr u32 PLANES = 32 * sizeof(T) / 128;

    /// Shared address of the first plane.
    u32 at;
    /// The lane's part of every address.
    u32 lane_offset;

    FSZ_DEVICE SharedRow(u32 at, u32 lane) : at(at), lane_offset(lane * 128 + ((lane & 7) << 4)) {}

    FSZ_DEVICE u32 address(u32 piece) const
    {
        return at + (piece / 8) * PLANE_BYTES + (lane_offset ^ ((piece % 8) << 4));
    }

    /// Elements PIECE · piece and on.
    FSZ_DEVICE void load(u32 piece, float (&v)[4]) const
    {
        asm volatile("ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(v[0]), "=f"(v[1]), "=f"(v[2]), "=f"(v[3])
                     : "r"(address(piece))
                     : "memory");
    }

    FSZ_DEVICE void load(u32 piece, double (&v)[2]) const
    {
        asm volatile("ld.shared.v2.f64 {%0, %1}, [%2];"
                     : "=d"(v[0]), "=d"(v[1])
                     : "r"(address(piece))
                     : "memory");
    }

    /// Element i.
    FSZ_DEVICE T operator()(u32 i) const
    {
        T value;
        const u32 where = address(i / PIECE) + (i % PIECE) * sizeof(T);
        if constexpr (sizeof(T) == 4)
        {
            asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(where) : "memory");
        }
        else
        {
            asm volatile("ld.shared.f64 %0, [%1];" : "=d"(value) : "r"(where) : "memory");
        }
        return value;
    }
};

/// Bit i for i < count.
FSZ_DEVICE u32 low_bits(u32 count) { return count >= 32 ? ~0u : (1u << count) - 1; }

/// Four elements of a block, from i on.
template <class T, class Row> FSZ_DEVICE void load_four(const Row &row, u32 i, T (&d)[4])
{
    constexpr u32 PIECE = Row::PIECE;
#pragma unroll
    for (u32 piece = 0; piece < 4 / PIECE; ++piece)
    {
        T part[PIECE];
        row.load(i / PIECE + piece, part);
#pragma unroll
        for (u32 k = 0; k < PIECE; ++k)
        {
            d[PIECE * piece + k] = part[k];
        }
    }
}

} // namespace fsz
