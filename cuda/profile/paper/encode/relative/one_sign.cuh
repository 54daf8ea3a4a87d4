// The numbers that quantize blocks of one sign, folded into few for the whole field.
#pragma once

#include "profile/paper/encode/relative/way.cuh"

namespace fsz
{

/// What quantizing blocks of one sign needs, of a field. An element's distance from the lowest
/// pattern has `ahead` added, and the number of its code has that of linear codes. Distances are in
/// units (way.cuh).
template <class T> struct OneSign
{
    using Bits = typename Element<T>::Bits;
    /// Top words of the magnitudes that may go this way: from `least` on, and below `end`.
    u32 least;
    u32 end;
    /// Bits of the least magnitude with a logarithmic code.
    Bits regular;
    /// What a mantissa gets as exponent: an element, less that, plus the guess of its pattern, is
    /// the distance.
    u32 exponent;
    /// The mantissa's factor in the guess.
    float slope;
    /// What a code is multiplied by to tell what is left of a distance: the stride, negated (the
    /// device multiplies and adds in one instruction, but does not subtract). Of f64 the stride is
    /// no whole number of units: the fraction tells.
    u32 rest;
    /// A distance times the reciprocal, plus that, is the code, shifted.
    u64 before;
    /// Where the value of code 0 would be.
    Bits value;
    /// What is left of distances, from there on, may belong to the next code. Of f32.
    u32 last;
    /// ROUND_BITS, which the compiler must not know: it would add a constant where this way meets
    /// others, in an instruction of its own.
    u32 round;
    /// Units from where a code begins to where its value is, and from there to its end.
    float low;
    float high;
    /// What brings the fraction of the product to the top of a word.
    u32 unshift;
    /// ROUND_BITS above a word of 0, twice (`own_round`).
    u64 wide_round[2];

    /// ROUND_BITS above a word of 0, as wide products add it in their one instruction: from a
    /// register of the lane's. The compiler keeps constants, and what it knows to be the same for
    /// all lanes, where they do not take it from.
    FSZ_DEVICE u64 own_round() const { return wide_round[lane_id() & 1]; }
};

/// Makes it: one that serves no block where the field does not allow for it.
template <class T> FSZ_DEVICE OneSign<T> make_one_sign(const RelativeQuantizer<T> &z)
{
    using Way = RelativeShortWay<T>;
    using O = Octave<T>;
    using Bits = typename Element<T>::Bits;
    constexpr u32 UNIT = Way::UNIT, OCTAVE = Way::OCTAVE, TOP = Way::TOP;
    constexpr u32 EXPONENT = Element<float>::INFINITE;
    constexpr Bits INFINITE = Element<T>::INFINITE;
    const RelativeBound<T> &bound = z.bound;
    OneSign<T> own{};
    const u32 linear = bound.knee + 1;
    const u32 shift = Way::shift(bound), stride = static_cast<u32>(bound.stride >> UNIT);
    // The codes are a shifted word, and linear ones take few octaves; coarse strides leave no
    // pattern between them and infinity.
    const u64 linear_units = static_cast<u64>(linear) * (stride + (UNIT > 0));
    const Bits lacked = Bits{Way::LACKED} << UNIT;
    if (!Way::serves(z) || shift > 30 || linear >= 1u << (30 - shift) || linear_units >= 1u << 28 ||
        z.origin + lacked + bound.stride >= INFINITE)
    {
        return own;
    }
    const Bits reach = static_cast<Bits>(Way::reach_of_codes(z)) << UNIT;
    const Bits end = min(z.origin + reach, INFINITE - bound.stride);
    const Bits least = max(bound.edge, O::bits(z.origin + lacked, O::BEND));
    // The next top word; of f32, the bits are one.
    const auto top = [](Bits bits) {
        return static_cast<u32>((bits + ((Bits{1} << TOP) - 1)) >> TOP);
    };
    own.least = top(least);
    own.end = max(own.least, static_cast<u32>(O::bits(end, O::BEND) >> TOP));
    own.regular = max(bound.edge, O::bits(z.origin, O::BEND));
    // Of what is subtracted from elements, the exponent takes the multiple of an octave; `ahead`,
    // the rest, is no less than the units of linear codes.
    const u32 from = static_cast<u32>(z.origin >> UNIT) + Way::LOWERED + bits_of(0x1p23f);
    u32 ahead = from % OCTAVE + static_cast<u32>(linear_units + OCTAVE - 1) / OCTAVE * OCTAVE;
    // The factor must not be subnormal, nor the mantissa.
    const u32 octave = (from - ahead) / OCTAVE % 256;
    ahead += octave < 2 || octave > 252 ? 8 * OCTAVE : 0;
    own.exponent = from - ahead;
    // What turns the mantissa's exponent into that of 1, and its sign.
    own.slope =
        __fmul_rn(Parabola<float>::SLOPE, value_of((0x7F000000u - (own.exponent & EXPONENT)) |
                                                   (own.exponent & Element<float>::SIGN)));
    own.before = (static_cast<u64>(linear) << (32 + shift)) -
                 static_cast<u64>(ahead) * Way::reciprocal(bound);
    own.value = z.origin - linear * bound.stride + bound.low;
    own.unshift = 1u << (32 - shift);
    if constexpr (UNIT == 0)
    {
        own.rest = 0 - stride;
        own.last = ahead - static_cast<u32>(linear_units) + stride - Way::LACKED;
    }
    own.round = ROUND_BITS - 1 + bound.curved;
    own.wide_round[0] = own.wide_round[1] = static_cast<u64>(ROUND_BITS) << 32;
    own.low = static_cast<float>(static_cast<u32>(bound.low >> UNIT));
    own.high = static_cast<float>(static_cast<u32>((bound.stride - 1 - bound.low) >> UNIT));
    return own;
}

} // namespace fsz
