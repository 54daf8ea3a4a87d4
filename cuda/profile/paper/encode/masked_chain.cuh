// Four tiles of a warp whose escaped elements all have the same bits: which they are, and the codes
// of what is left, brought together. The elements themselves move: they become codes where they lie
// in their chains, so that nothing has to be told apart any more.
#pragma once

#include "profile/paper/encode/pairs.cuh"
#include "profile/paper/encode/plain.cuh"

namespace fsz
{

/// Takes `bit` into `masked` where an element has the bits `mask`. The compiler would not make
/// these two instructions of it.
FSZ_DEVICE void mask_if(u32 bits, u32 mask, u32 bit, u32 &masked)
{
    asm("{\n.reg .pred is_masked;\n"
        "setp.eq.u32 is_masked, %1, %2;\n"
        "@is_masked or.b32 %0, %0, %3;\n}"
        : "+r"(masked)
        : "r"(bits), "r"(mask), "r"(bit));
}

FSZ_DEVICE void mask_if(u64 bits, u64 mask, u32 bit, u32 &masked)
{
    masked |= bits == mask ? bit : 0;
}

FSZ_DEVICE void store_shared(u32 at, float value)
{
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(value) : "memory");
}

FSZ_DEVICE void store_shared(u32 at, double value)
{
    asm volatile("st.shared.f64 [%0], %1;" ::"r"(at), "d"(value) : "memory");
}

/// 16 bytes of the value that the four lanes from `lane` on have. Each word is asked for by itself:
/// of one that is copied the compiler makes copies for each use.
FSZ_DEVICE uint4 sixteen_bytes(float value, u32 lane)
{
    const u32 bits = bits_of(value);
    return make_uint4(__shfl_sync(WARP_ALL, bits, lane), __shfl_sync(WARP_ALL, bits, lane + 1),
                      __shfl_sync(WARP_ALL, bits, lane + 2), __shfl_sync(WARP_ALL, bits, lane + 3));
}

FSZ_DEVICE uint4 sixteen_bytes(double value, u32 lane)
{
    const u64 bits = bits_of(value);
    const u32 low = static_cast<u32>(bits), high = static_cast<u32>(bits >> 32);
    return make_uint4(__shfl_sync(WARP_ALL, low, lane), __shfl_sync(WARP_ALL, high, lane),
                      __shfl_sync(WARP_ALL, low, lane + 1), __shfl_sync(WARP_ALL, high, lane + 1));
}

FSZ_DEVICE void load_shared(u32 at, float &value)
{
    asm volatile("ld.shared.f32 %0, [%1];" : "=f"(value) : "r"(at) : "memory");
}

FSZ_DEVICE void load_shared(u32 at, double &value)
{
    asm volatile("ld.shared.f64 %0, [%1];" : "=d"(value) : "r"(at) : "memory");
}

/// A warp's chains of elements in shared memory, where its tiles were: element i of the block of
/// lane n is number 32i + n there. So lanes that read their blocks do not meet in a bank, and each
/// element of a chain is STRIDE bytes behind the one before it, modulo ROUND_TRIP.
template <class T> struct Columns
{
    static constexpr u32 STRIDE = 32 * sizeof(T), ROUND_TRIP = 32 * STRIDE - sizeof(T);

    u32 *words;
    u32 at;

    FSZ_DEVICE explicit Columns(u32 *words) : words(words), at(shared_address(words)) {}

    /// Gives every place of a tile the `value` that its lanes have.
    FSZ_DEVICE void fill(T value, u32 lane) const
    {
        constexpr u32 PIECE = 16 / sizeof(T);
        // A lane fills the same columns of some rows.
        const uint4 of_columns = sixteen_bytes(value, lane * PIECE & 24);
#pragma unroll
        for (u32 k = 0; k < 32 / PIECE; ++k)
        {
            reinterpret_cast<uint4 *>(words)[32 * k + lane] = of_columns;
        }
    }

    /// Writes those elements of the lane's block that are `coded`; they come after `before` others
    /// of their tile.
    FSZ_DEVICE void write(const T (&d)[BLOCK], u32 coded, u32 before, u32 lane) const
    {
        // Each address by itself: that of the next element cannot be found in the same register
        // before the store has taken it from there.
        const u32 from = at + ((lane & 24) + before / BLOCK) * u32{sizeof(T)};
        u32 to = before % BLOCK * STRIDE;
#pragma unroll
        for (u32 i = 0; i < BLOCK; ++i)
        {
            if (coded & 1u << i)
            {
                store_shared(from + to, d[i]);
                to += STRIDE;
                to = min(to - ROUND_TRIP, to);
            }
        }
    }

    /// Element i of the lane's block.
    FSZ_DEVICE T read(u32 i, u32 lane) const
    {
        T d;
        load_shared(at + lane * u32{sizeof(T)} + i * STRIDE, d);
        return d;
    }
};

/// Codes near an even one, `base`, in the low 15 bits of words.
template <class T> struct Window;

template <> struct Window<float>
{
    /// What rounds, as ROUND does: the word of a code is that of a float below 2^24 if it is in the
    /// window, and all bits above the low 15 are then set that are set in `WITHIN`.
    float round;
    static constexpr u32 WITHIN = 0x4B7F8000;

    FSZ_DEVICE Window(float base, const Quantizer<float> &z)
    {
        const float even = __fsub_rn(__fmaf_rn(base, z.inverse, 2 * ROUND), 2 * ROUND);
        round = __fsub_rn(16777216.f - 16384.f, even);
    }

    /// What is known of no codes.
    static FSZ_DEVICE u32 none() { return ~0u; }

    /// The word of an element's code, which comes to `whole`, and its error.
    FSZ_DEVICE u32 code(float d, const Quantizer<float> &z, float &whole, float &error) const
    {
        const float code = __fmaf_rn(d, z.inverse, round);
        whole = __fsub_rn(code, round);
        error = fabsf(__fsub_rn(d, __fmul_rn(whole, z.step)));
        return bits_of(code);
    }

    /// What `none` becomes with two codes.
    static FSZ_DEVICE u32 with(u32 all, u32 one, u32 other) { return all & (one & other); }

    /// Whether all codes taken are in the window, if they are within reach.
    static FSZ_DEVICE bool holds(u32 all) { return (all & 0xFFFF8000) == WITHIN; }
};

template <> struct Window<double>
{
    double round;

    FSZ_DEVICE Window(double base, const Quantizer<double> &z)
    {
        const double even =
            __dsub_rn(__dadd_rn(__dmul_rn(base, z.inverse), 2 * ROUND_WIDE), 2 * ROUND_WIDE);
        round = __dsub_rn(ROUND_WIDE + 16384., even);
    }

    static FSZ_DEVICE u32 none() { return 0; }

    FSZ_DEVICE u32 code(double d, const Quantizer<double> &z, double &whole, double &error) const
    {
        const double code = __dadd_rn(__dmul_rn(d, z.inverse), round);
        whole = __dsub_rn(code, round);
        error = fabs(__dsub_rn(d, __dmul_rn(whole, z.step)));
        return static_cast<u32>(__double2loint(code));
    }

    static FSZ_DEVICE u32 with(u32 all, u32 one, u32 other) { return all | (one | other); }

    static FSZ_DEVICE bool holds(u32 all) { return (all & 0xFFFF8000) == 0; }
};

/// A lane's block of a chain.
template <class T> struct MaskedBlock
{
    /// Its codes less one that is the same for the tile, in order of pairs.cuh. Behind the end of
    /// the chain stands its last one.
    u32 codes[PAIRS];
    /// The first of them, whole.
    i32 first;
    T error;
    /// Whether the codes are so.
    bool fits;
};

/// Reads the lane's block of a chain in columns. `range` takes the elements in.
template <class T, class Range>
FSZ_DEVICE void quantize_columns(const Columns<T> &columns, const Quantizer<T> &z,
                                 const Window<T> &window, u32 lane, MaskedBlock<T> &block,
                                 Range &range)
{
    T error = 0, first = 0;
    u32 all = Window<T>::none();
#pragma unroll
    for (u32 k = 0; k < PAIRS; k += 2)
    {
        T pair_error[2];
#pragma unroll
        for (u32 j = 0; j < 2; ++j)
        {
            const T d[2] = {columns.read(k + j, lane), columns.read(k + j + PAIRS, lane)};
            T whole, other, own[2];
            const u32 high = window.code(d[0], z, whole, own[0]);
            const u32 low = window.code(d[1], z, other, own[1]);
            all = Window<T>::with(all, high, low);
            first = k + j == 0 ? whole : first;
            block.codes[k + j] = pair_of(high, low);
            pair_error[j] = worse(own[0], own[1]);
            range.take(d);
        }
        error = largest_of(pair_error[0], pair_error[1], error);
    }
    block.first = static_cast<i32>(first);
    block.error = error;
    block.fits = Window<T>::holds(all);
}

} // namespace fsz
