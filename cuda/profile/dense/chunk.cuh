// What stands in a chunk before its symbols: modes of boxes, records of escapes (FORMAT.md, Dense:
// chunks and Dense: escapes).
#pragma once

#include "device/bits.cuh"
#include "profile/dense/grid.cuh"

namespace fsz
{

FSZ_DEVICE float from_code(i32 code, float) { return __int2float_rn(code); }
FSZ_DEVICE double from_code(i32 code, double) { return __int2double_rn(code); }
FSZ_DEVICE float product(float a, float b) { return __fmul_rn(a, b); }
FSZ_DEVICE double product(double a, double b) { return __dmul_rn(a, b); }

/// n by a divisor whose logarithm is given where it has one.
FSZ_DEVICE u32 quotient(u32 n, u32 divisor, u32 log) { return log < 32 ? n >> log : n / divisor; }
FSZ_DEVICE u32 log_of(u32 n) { return (n & (n - 1)) == 0 ? 31 - __clz(n) : 32; }

/// How a box is coded.
constexpr u32 MODE_FLAT = 0;
constexpr u32 MODE_INTERPOLATED = 1;
constexpr u32 MODE_LORENZO_1 = 2;
constexpr u32 MODE_LORENZO_2 = 3;
constexpr u32 MODE_EXACT = 4;
constexpr u32 MODE_VERBATIM = 5;
/// The bit of a box that says that a record is there, bits of a box and boxes of a word.
constexpr u32 HEAD_ESCAPES = 8;
constexpr u32 HEAD_BOX_BITS = 4;
constexpr u32 HEAD_WORD_BOXES = 32 / HEAD_BOX_BITS;

/// Which elements of a box are masked.
constexpr u32 MASK_NONE = 0;
constexpr u32 MASK_ALL = 1;
constexpr u32 MASK_CODED = 2;

FSZ_DEVICE u32 head_words(u32 boxes) { return (boxes + HEAD_WORD_BOXES - 1) / HEAD_WORD_BOXES + 1; }

/// A record of escapes, of elements of WORDS words.
template <u32 WORDS> struct EscapeRecord
{
    u32 pattern;
    u32 mask;
    u32 listed;

    FSZ_DEVICE EscapeRecord(u32 head) : pattern(head & 3), mask(head >> 2 & 3), listed(head >> 16)
    {
    }

    /// Words of the pattern, and where in the record positions and bits are.
    FSZ_DEVICE u32 pattern_words() const
    {
        return mask != MASK_NONE && pattern == PATTERN_IN_PAYLOAD ? WORDS : 0;
    }
    FSZ_DEVICE u32 positions() const { return 1 + pattern_words(); }
    FSZ_DEVICE u32 bits() const { return positions() + (listed + 1) / 2; }
    FSZ_DEVICE u32 words() const { return bits() + listed * WORDS; }
};

/// The position of a listed element.
FSZ_DEVICE u32 listed_position(const u32 *positions, u32 k)
{
    return positions[k / 2] >> (k % 2 * 16) & 0xFFFF;
}

/// Elements of a lane in Lorenzo prediction.
FSZ_DEVICE u32 lorenzo_lane_len(u32 len) { return (len + 31) / 32; }

/// The steps that a lane has of a box of `len` elements.
FSZ_DEVICE u32 lorenzo_own(u32 len)
{
    const u32 steps = lorenzo_lane_len(len), begin = lane_id() * steps;
    return begin < len ? min(steps, len - begin) : 0;
}

/// What a lane remembers of the codes before.
struct LorenzoLane
{
    /// All bits are set for order 2.
    u32 second;
    u32 last;
    /// The next code as it is expected.
    u32 expected;
    /// The sizes of the last differences: the latest; twice that and the one before; thrice the
    /// latest, twice the one before and the one before that.
    u32 latest;
    u32 two;
    u32 three;

    FSZ_DEVICE explicit LorenzoLane(u32 order) : second(order == 2 ? ~0u : 0) { begin(0); }

    /// Behind the lane's first code.
    FSZ_DEVICE void begin(u32 code)
    {
        last = expected = code;
        latest = two = three = 0;
    }

    FSZ_DEVICE u32 context() const
    {
        static_assert(6 * DENSE_LORENZO_SIZE_MOST < 1 << 24, "a float has all bits");
        // Exponent and top bit of the mantissa.
        const i32 far = static_cast<i32>(__float_as_uint(__int2float_rn(three)) >> 22) - 2 * 127;
        const i32 near = min(three, 5u);
        return min(max(far, near), static_cast<i32>(DENSE_LORENZO_CONTEXTS - 1));
    }

    FSZ_DEVICE void take(u32 code, i32 difference)
    {
        const u32 size = min(magnitude(difference), DENSE_LORENZO_SIZE_MOST);
        expected = code + (code - last & second);
        last = code;
        three = 3 * size + two;
        two = 2 * size + latest;
        latest = size;
    }
};

} // namespace fsz
