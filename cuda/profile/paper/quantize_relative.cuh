// Quantize on the short way with a pointwise-relative bound: codes by an approximate root and no
// division, errors hardly ever.
//
// An element that is far enough from the edges of its code errs less than one that is counted
// already, by the rule that the bound itself follows: codes so much narrower keep a bound so much
// smaller. Elements nearer to an edge are looked at exactly, with the others of their piece. What
// is left, the largest absolute error, is only looked for among large elements.
#pragma once

#include "encode/relative_quantizer.cuh"
#include "profile/paper/encode_plain.cuh"

namespace fsz
{

/// What the warps of a thread block know of the errors of plain tiles that are counted already.
/// Each of the numbers grows on its own.
template <class T> struct CountedErrors
{
    using Bits = typename Element<T>::Bits;
    /// The bits of the largest ones.
    Bits absolute;
    Bits relative;
    /// Patterns of the two sides of a code that keep within the relative one.
    Bits low;
    Bits high;
};

/// Counts errors. Called by one lane.
template <class T> FSZ_DEVICE void count_error(const RelativeError<T> &error, CountedErrors<T> *all)
{
    using Bits = typename Element<T>::Bits;
    // More than what all roundings come to.
    constexpr double SLACK = sizeof(T) == 4 ? 3 : 64;
    const double share = error.relative, octave = Octave<T>::LEN / STEEPEST;
    const double low = octave * (2 * share / (2 + share)) - SLACK;
    const double high = octave * (2 * share / (2 - share)) - SLACK;
    atomicMax(&all->absolute, bits_of(error.absolute));
    atomicMax(&all->relative, bits_of(error.relative));
    atomicMax(&all->low, low > 0 ? static_cast<Bits>(low) : Bits{0});
    atomicMax(&all->high, high > 0 ? static_cast<Bits>(high) : Bits{0});
}

template <class T> FSZ_DEVICE CountedErrors<T> read_counted(const CountedErrors<T> *all)
{
    const volatile CountedErrors<T> *const from = all;
    return {from->absolute, from->relative, from->low, from->high};
}

/// A number that the compiler knows nothing of.
FSZ_DEVICE u32 opaque(u32 value)
{
    asm volatile("" : "+r"(value));
    return value;
}

FSZ_DEVICE u64 opaque(u64 value)
{
    asm volatile("" : "+l"(value));
    return value;
}

/// What quantizing on the short way needs, of a field and of what is counted.
template <class T> struct RelativeShortWay
{
    using Bits = typename Element<T>::Bits;
    /// A guess is in units of the 23 bits of a float's mantissa.
    static constexpr u32 DROPPED = Element<T>::MANTISSA - 23;
    /// How far guesses are lowered, so that they are below the pattern; and what they may lack
    /// then. The approximate root is off by 3.9 units at most, and bits that are dropped by 1.5.
    static constexpr Bits LOWERED = Bits{DROPPED == 0 ? 5 : 8} << DROPPED;
    static constexpr Bits LACKED = 2 * LOWERED;
    /// The distances are numbers of 32 bits, in units of so many bits.
    static constexpr u32 COARSE = sizeof(T) == 4 ? 0 : 31;

    const RelativeQuantizer<T> &z;
    /// The bits of 1, as a float.
    u32 one;
    Bits minus_stride;
    /// How far guesses are lowered so that elements near to the lower edge of a code seem to belong
    /// to the one before.
    Bits lowered;
    /// The pattern that distances are from.
    Bits from;
    /// Distances beyond this are not for the short way.
    u32 reach;
    /// What is left of distances from here on is not far enough from an edge.
    Bits last;
    /// The largest relative error that is counted.
    T share;

    FSZ_DEVICE RelativeShortWay(const RelativeQuantizer<T> &z, const CountedErrors<T> &counted)
        : z(z), one(opaque(0x3F800000u)), minus_stride(opaque(Bits{0} - z.bound.stride)),
          share(value_of(counted.relative))
    {
        const RelativeBound<T> &bound = z.bound;
        const Bits low = bound.low, high = bound.stride - 1 - low;
        const Bits narrow = low - min(counted.low, low), more = high - min(counted.high, high);
        const bool any = narrow + more + LACKED < bound.stride;
        lowered = LOWERED + (any ? narrow : 0);
        last = any ? bound.stride - LACKED - narrow - more : 0;
        from = z.origin + lowered;
        reach = reach_of_codes(z);
    }

    /// Whether any part may go the short way.
    static FSZ_DEVICE bool serves(const RelativeQuantizer<T> &z)
    {
        const RelativeBound<T> &bound = z.bound;
        return bound.curved != 0 && bound.knee < static_cast<u32>(FUSED_REACH) - 2 &&
               bound.stride > 4 * LACKED && bound.shift + 1 > COARSE &&
               z.origin + 2 * bound.stride < Element<T>::INFINITE;
    }

    /// No pattern below the origin is within, nor one whose code's value may be infinite.
    static FSZ_DEVICE u32 reach_of_codes(const RelativeQuantizer<T> &z)
    {
        const RelativeBound<T> &bound = z.bound;
        const u32 codes = static_cast<u32>(FUSED_REACH) - 2 - bound.knee;
        const u64 all = (static_cast<u64>(bound.stride) >> COARSE) * codes;
        const u64 end = (Element<T>::INFINITE - z.origin - 2 * bound.stride) >> COARSE;
        return static_cast<u32>(min(all, end));
    }
};

/// What is known of a block that is being quantized.
struct RelativeLook
{
    /// Whether an element is not for the short way.
    bool fails = false;
    /// Whether some have linear codes.
    bool linear = false;
    /// Whether some relative error is larger than the largest that is counted.
    bool larger_share = false;
};

/// The square root of a number that is neither 0 nor subnormal, to 2^-23 of it.
FSZ_DEVICE float approximate_root(float value)
{
    float root;
    asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(value));
    return root;
}

/// The pattern of a mantissa, of 23 bits beside those of 1: bits of a float, with those of 2^23.
FSZ_DEVICE u32 approximate_pattern(u32 mantissa)
{
    using P = Parabola<float>;
    constexpr float SHIFT = static_cast<float>(0x1p23 - P::LESS * (0x1p23 / (2 * P::C)));
    const float root =
        approximate_root(__fmaf_rn(P::SLOPE, value_of(mantissa), P::SQUARE - P::SLOPE));
    return bits_of(__fmaf_rn(root, P::UNITS, SHIFT));
}

/// An element's distance, the number of its code or the one before, and what is left of the
/// distance behind where that begins.
FSZ_DEVICE void place_element(float d, const RelativeShortWay<float> &way, u32 &distance, u32 &j,
                              u32 &left)
{
    const RelativeBound<float> &bound = way.z.bound;
    const u32 bits = bits_of(d);
    const u32 pattern = approximate_pattern((bits & 0x007FFFFFu) | way.one);
    distance = (bits & 0x7F800000u) + pattern - (way.from + 0x4B000000u);
    j = __umulhi(distance, bound.reciprocal) >> bound.shift;
    left = distance + j * way.minus_stride;
}

FSZ_DEVICE void place_element(double d, const RelativeShortWay<double> &way, u32 &distance, u32 &j,
                              u64 &left)
{
    using Way = RelativeShortWay<double>;
    const RelativeBound<double> &bound = way.z.bound;
    const u64 bits = bits_of(d);
    const u32 high = static_cast<u32>(bits >> 32);
    const u32 mantissa = __funnelshift_r(static_cast<u32>(bits), high, Way::DROPPED);
    const u32 pattern = approximate_pattern((mantissa & 0x007FFFFFu) | way.one);
    const i32 offset = static_cast<i32>(pattern - 0x4B000000u);
    const u64 y = (static_cast<u64>(high & 0x7FF00000u) << 32) +
                  (static_cast<u64>(static_cast<i64>(offset)) << Way::DROPPED);
    const u64 away = y - way.from;
    distance = static_cast<u32>(away >> Way::COARSE);
    j = __umulhi(distance, static_cast<u32>(bound.reciprocal >> 32)) >> (bound.shift - Way::COARSE);
    left = away + j * way.minus_stride;
}

FSZ_DEVICE u32 sign_of(float d) { return bits_of(d) & 0x80000000u; }

FSZ_DEVICE u32 sign_of(double d) { return static_cast<u32>(bits_of(d) >> 32) & 0x80000000u; }

/// A code of a magnitude below 2^22, with the sign of an element; `k` has the bits of ROUND added.
template <class T> FSZ_DEVICE float signed_code(T d, u32 k)
{
    return value_of(bits_of(__fsub_rn(value_of(k), ROUND)) | sign_of(d));
}

/// A rounded-down multiple of a magnitude, with its sign: `share` and a little less than half the
/// distance to the next number more.
FSZ_DEVICE float share_of(float d, float share)
{
    const float half = __fmul_rn(value_of(bits_of(share) & 0x7F800000u), 0x1p-24f * (1 - 0x1p-16f));
    return __fmaf_rz(share, d, __fmul_rn(half, d));
}

FSZ_DEVICE double share_of(double d, double share)
{
    const double octave = value_of(bits_of(share) & 0x7FF0000000000000ull);
    return __fma_rz(share, d, __dmul_rn(__dmul_rn(octave, 0x1p-53 * (1 - 0x1p-16)), d));
}

/// Codes of a piece of a row, and what is known of it.
template <u32 PIECE> struct SettledPiece
{
    float code[PIECE];
    RelativeLook look;
};

/// The code of an element, exactly.
template <class T>
FSZ_DEVICE float settle(T d, const RelativeQuantizer<T> &z, T share, RelativeLook &look)
{
    using Bits = typename Element<T>::Bits;
    const RelativeBound<T> &bound = z.bound;
    const Bits bits = bits_of(d) & ~Element<T>::SIGN;
    if (bits < bound.edge)
    {
        i32 k;
        RelativeError<T> error;
        const bool coded = linear_code(value_of(bits), bound, k, error);
        look.fails = look.fails || !coded;
        look.linear = true;
        return signed_code(d, static_cast<u32>(ROUND_BITS + k));
    }
    Bits number, begin;
    const bool coded = logarithmic(bits, z, number, begin);
    const T value = value_of(Octave<T>::bits(begin + bound.low, Octave<T>::BEND));
    const T error = difference_of(value_of(bits), value);
    look.fails = look.fails || !coded || number > static_cast<u32>(FUSED_REACH) - 2 - bound.knee ||
                 begin > Element<T>::INFINITE - bound.stride;
    look.larger_share = look.larger_share || !(error <= magnitude_of(share_of(d, share)));
    return signed_code(d, static_cast<u32>(number) + (bound.knee + 1 + ROUND_BITS));
}

/// A function of its own: the loop around must fit in the instruction cache.
__device__ __noinline__ SettledPiece<4> settle_piece(float4 d, const RelativeQuantizer<float> z,
                                                     float share)
{
    SettledPiece<4> done;
    done.code[0] = settle(d.x, z, share, done.look);
    done.code[1] = settle(d.y, z, share, done.look);
    done.code[2] = settle(d.z, z, share, done.look);
    done.code[3] = settle(d.w, z, share, done.look);
    return done;
}

__device__ __noinline__ SettledPiece<2> settle_piece(double2 d, const RelativeQuantizer<double> z,
                                                     double share)
{
    SettledPiece<2> done;
    done.code[0] = settle(d.x, z, share, done.look);
    done.code[1] = settle(d.y, z, share, done.look);
    return done;
}

FSZ_DEVICE float4 as_vector(const float (&d)[4]) { return make_float4(d[0], d[1], d[2], d[3]); }

FSZ_DEVICE double2 as_vector(const double (&d)[2]) { return make_double2(d[0], d[1]); }

/// Quantizes a piece of a row. False where an element is near an edge or beyond reach: then its
/// code is none yet.
template <class T, u32 PIECE>
FSZ_DEVICE bool quantize_piece(const T (&d)[PIECE], const RelativeShortWay<T> &way, float *code)
{
    const RelativeBound<T> &bound = way.z.bound;
    u32 furthest = 0;
    bool close = false;
#pragma unroll
    for (u32 k = 0; k < PIECE; ++k)
    {
        u32 distance, j;
        typename Element<T>::Bits left;
        place_element(d[k], way, distance, j, left);
        furthest = max(furthest, distance);
        close = close || left >= way.last;
        code[k] = signed_code(d[k], j + (bound.knee + 1 + ROUND_BITS));
    }
    return !close && furthest <= way.reach;
}

/// The largest absolute error of the lane's block, by its codes.
template <class T>
FSZ_DEVICE T absolute_error(const SharedRow<T> &row, const RelativeQuantizer<T> &z,
                            const float (&code)[BLOCK])
{
    using Bits = typename Element<T>::Bits;
    constexpr u32 PIECE = SharedRow<T>::PIECE;
    const RelativeBound<T> &bound = z.bound;
    const Bits zero = z.origin + bound.low - (static_cast<Bits>(bound.knee) + 1) * bound.stride;
    T worst = 0;
#pragma unroll
    for (u32 piece = 0; piece < BLOCK / PIECE; ++piece)
    {
        T d[PIECE];
        row.load(piece, d);
#pragma unroll
        for (u32 k = 0; k < PIECE; ++k)
        {
            const u32 q = static_cast<u32>(static_cast<i32>(fabsf(code[piece * PIECE + k])));
            const T far = value_of(Octave<T>::bits(zero + q * bound.stride, Octave<T>::BEND));
            const T value = q <= bound.knee ? multiple(q, bound.linear_step) : far;
            worst = larger(worst, difference_of(magnitude_of(d[k]), value));
        }
    }
    return worst;
}

/// The errors of the lane's block, all of whose elements have codes.
template <class T>
__device__ __noinline__ RelativeError<T> errors_of(const SharedRow<T> row,
                                                   const RelativeQuantizer<T> z)
{
    RelativeError<T> all{};
#pragma unroll 1
    for (u32 i = 0; i < BLOCK; ++i)
    {
        i32 q;
        RelativeError<T> own;
        bool far;
        const bool coded = try_code(row(i), z, q, own, far);
        all.absolute = worse(all.absolute, coded ? own.absolute : value_of(Element<T>::QUIET_NAN));
        all.relative = larger(all.relative, own.relative);
    }
    return all;
}

FSZ_DEVICE float product_up(float a, float b) { return __fmul_ru(a, b); }

FSZ_DEVICE double product_up(double a, double b) { return __dmul_ru(a, b); }

/// As the `quantize_plain` of the other quantizer, but that codes are not moved by ROUND. The
/// absolute error is NaN when an element is not for the short way; errors are 0 where none is
/// larger than what is counted.
template <class T>
FSZ_DEVICE RelativeError<T> quantize_plain(const SharedRow<T> &row, const RelativeQuantizer<T> &z,
                                           const CountedErrors<T> &counted, float (&code)[BLOCK],
                                           Extremes<T> &extremes)
{
    constexpr u32 PIECE = SharedRow<T>::PIECE;
    const RelativeShortWay<T> way(z, counted);
    RelativeLook look;
    // Pieces that are left open, piece i at bit i.
    u32 open = 0;
#pragma unroll
    for (u32 piece = 0; piece < BLOCK / PIECE; ++piece)
    {
        T d[PIECE];
        row.load(piece, d);
        open |= quantize_piece(d, way, code + piece * PIECE) ? 0 : 1u << piece;
#pragma unroll
        for (u32 k = 0; k < PIECE; ++k)
        {
            extremes.take(d[k]);
        }
    }
    // Apart, so that the pieces above overlap.
    open = __reduce_or_sync(WARP_ALL, open);
#pragma unroll
    for (u32 piece = 0; piece < BLOCK / PIECE; ++piece)
    {
        if (open & 1u << piece)
        {
            T d[PIECE];
            row.load(piece, d);
            const SettledPiece<PIECE> exact = settle_piece(as_vector(d), z, way.share);
#pragma unroll
            for (u32 k = 0; k < PIECE; ++k)
            {
                code[piece * PIECE + k] = exact.code[k];
            }
            look.fails = look.fails || exact.look.fails;
            look.linear = look.linear || exact.look.linear;
            look.larger_share = look.larger_share || exact.look.larger_share;
        }
    }
    if (__builtin_expect(__any_sync(WARP_ALL, look.fails), 0))
    {
        return {value_of(Element<T>::QUIET_NAN), 0};
    }
    if (__builtin_expect(__any_sync(WARP_ALL, look.larger_share), 0))
    {
        return errors_of(row, z);
    }
    const T largest = larger(extremes.high, -extremes.low);
    const T most = larger(product_up(z.bound.eps, largest), look.linear ? z.bound.floor : T{0});
    if (__builtin_expect(__any_sync(WARP_ALL, most > value_of(counted.absolute)), 0))
    {
        return {absolute_error(row, z, code), 0};
    }
    return {};
}

} // namespace fsz
