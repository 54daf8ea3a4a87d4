// Elements near the ends of their codes, with a pointwise-relative bound: of them alone codes may
// be one more than was guessed, and errors larger than the largest so far.
#pragma once

#include "profile/paper/encode/relative/quantize_mixed.cuh"

namespace fsz
{

/// What is known of a block's elements that were looked at.
template <class T> struct LookedAt
{
    /// The largest error.
    T worst = 0;
    /// Above 0 if some relative error may be larger than the largest so far.
    T excess = 0;

    FSZ_DEVICE bool larger_share() const { return excess > 0; }
};

/// Adds to the codes whose bits are set. The compiler would take more instructions for a code.
FSZ_DEVICE void add_where(u32 set, float step, float (&code)[BLOCK])
{
    if (__any_sync(WARP_ALL, set != 0))
    {
#pragma unroll
        for (u32 i = 0; i < BLOCK; ++i)
        {
            asm("{\n.reg .pred is_set;\n.reg .b32 bit;\n"
                "and.b32 bit, %1, %2;\n"
                "setp.ne.u32 is_set, bit, 0;\n"
                "@is_set add.rn.f32 %0, %0, %3;\n}"
                : "+f"(code[i])
                : "r"(set), "r"(1u << i), "f"(step));
        }
    }
}

/// The excess of an error that is above what is allowed; the one so far where it is not, or less.
FSZ_DEVICE float larger_excess(float excess, float error, float allowed)
{
    return fmaxf(excess, __fsub_rn(error, allowed));
}

FSZ_DEVICE double larger_excess(double excess, double error, double allowed)
{
    return error > allowed ? 1 : excess;
}

/// Looks at elements with logarithmic codes: settles these, and takes their errors.
template <class T> struct NearElements
{
    const SignedBlock<T> &block;
    T share;
    T half;
    LookedAt<T> looked;

    FSZ_DEVICE NearElements(const SignedBlock<T> &block, T share)
        : block(block), share(share), half(half_unit(share))
    {
    }

    /// Looks at an element, if it is one. Returns 1 if the code is one more than was guessed.
    FSZ_DEVICE u32 look(T d, u64 before, bool is_one)
    {
        const T size = magnitude_of(d);
        u32 left;
        const u32 guess = block.guess(size, before, left);
        u32 magnitude = guess;
        block.settle(size, magnitude);
        const bool counts = is_one && bits_of(size) >= block.way.regular;
        const T error = counts ? block.error(size, magnitude) : T{0};
        looked.worst = worse(looked.worst, error);
        looked.excess = larger_excess(looked.excess, error, share_of(size, share, half));
        return counts ? magnitude - guess : 0;
    }
};

/// Looks at the elements near the ends of their codes, and settles these.
template <class T>
FSZ_DEVICE LookedAt<T> look_near(const SharedRow<T> &row, const RelativeQuantizer<T> &z,
                                 const OneSign<T> &way, T share, const NearEnds &near,
                                 float (&code)[BLOCK])
{
    const SignedBlock<T> block(z, way, 0);
    NearElements<T> elements(block, share);
    const u32 lane = lane_id();
    // Elements whose codes are one more, of either sign.
    u32 up = 0, down = 0;
    u32 rows = __ballot_sync(WARP_ALL, near.elements != 0);
    if (rows == 0)
    {
        return {};
    }
    if (static_cast<u32>(__popc(rows)) < __reduce_max_sync(WARP_ALL, __popc(near.elements)))
    {
        // Side by side in few blocks, as in smooth fields: a block at a time.
#pragma unroll 1
        for (; rows != 0; rows &= rows - 1)
        {
            const u32 owner = __ffs(rows) - 1;
            const u32 of_owner = __shfl_sync(WARP_ALL, near.elements, owner);
            const u64 before = __shfl_sync(WARP_ALL, near.before, owner);
            const T d = SharedRow<T>(row.at, owner)(lane);
            const T own = elements.looked.excess;
            elements.looked.excess = 0;
            const bool more = elements.look(d, before, of_owner >> lane & 1) != 0;
            // The owner of the block is to know of it.
            const bool larger = __any_sync(WARP_ALL, elements.looked.larger_share());
            elements.looked.excess = larger && lane == owner ? T{1} : own;
            const u32 all = __ballot_sync(WARP_ALL, more);
            const u32 negative = __ballot_sync(WARP_ALL, d < 0);
            up |= lane == owner ? all & ~negative : 0;
            down |= lane == owner ? all & negative : 0;
        }
    }
    else
    {
#pragma unroll 1
        for (u32 rest = near.elements; __any_sync(WARP_ALL, rest != 0); rest &= rest - 1)
        {
            const u32 i = (__ffs(rest) - 1) % BLOCK;
            const T d = row(i);
            const u32 more = elements.look(d, near.before, rest != 0) << i;
            up |= d < 0 ? 0 : more;
            down |= d < 0 ? more : 0;
        }
    }
    add_where(up, 1, code);
    add_where(down, -1, code);
    return elements.looked;
}

/// The largest relative error of the elements of the lane's block with logarithmic codes, all of
/// which this way serves, by one quotient: of the element where an approximate one is largest.
/// Negative where another is so near that it may be larger.
template <class T>
__device__ __noinline__ T largest_share(const SharedRow<T> row, const RelativeQuantizer<T> z,
                                        const OneSign<T> &way)
{
    constexpr u32 PIECE = SharedRow<T>::PIECE;
    // What approximate quotients are of normal numbers whose inverses are, too.
    constexpr T LARGE = sizeof(T) == 4 ? 0x1p100f : 0x1p1000;
    constexpr T BELOW = 1 - (sizeof(T) == 4 ? 0x1p-20 : 0x1p-17);
    const SignedBlock<T> block(z, way, 0);
    T first = 0, second = 0, first_error = 0, first_size = 0;
    bool normal = true;
#pragma unroll 1
    for (u32 piece = 0; piece < BLOCK / PIECE; ++piece)
    {
        T d[PIECE];
        row.load(piece, d);
#pragma unroll
        for (u32 k = 0; k < PIECE; ++k)
        {
            const T size = magnitude_of(d[k]);
            u32 left;
            u32 magnitude = block.guess(size, way.before, left);
            block.settle(size, magnitude);
            const bool counts = bits_of(size) >= way.regular;
            const T error = counts ? block.error(size, magnitude) : T{0};
            // The inverse is a normal number, and off by less than half of what is left below.
            normal = normal && (!counts || (size > 1 / LARGE && size < LARGE));
            const T about = counts ? approximate_quotient(error, size) : T{0};
            // The same element again is no other.
            const T other = size == first_size ? T{0} : smaller(about, first);
            second = larger(second, other);
            first_error = about > first ? error : first_error;
            first_size = about > first ? size : first_size;
            first = larger(first, about);
        }
    }
    const bool known = normal && second < first * BELOW;
    return known ? quotient(first_error, first_size) : T{-1};
}

} // namespace fsz
