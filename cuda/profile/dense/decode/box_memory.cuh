// Where a decoder's warps have what they work on in shared memory: slots, rings of half words, and
// a box each, of 16 bits a value.
#pragma once

#include "profile/dense/decode/code/half_words.cuh"
#include "profile/dense/decode/code/slots.cuh"
#include "profile/dense/grid.cuh"
#include "profile/dense/meeting.cuh"
#include "profile/dense/parity_places.cuh"

extern __shared__ __align__(1024) fsz::u32 fsz_boxes[];

namespace fsz
{

/// Slots of a stream that interpolates: those of residuals, and of bases. One by Lorenzo prediction
/// alone has those of all differences. Before them lies how many slots a flag of 0 has in each
/// context, how many chunks were taken, where warps meet, and a gap that lets a row of slots begin
/// at a multiple of its size.
constexpr u32 SLOTS_BYTES = DENSE_SLOTS * 4;
constexpr u32 INTERPOLATION_SLOTS = RESIDUAL_CONTEXTS + 1;
constexpr u32 LORENZO_SLOTS = DIFFERENCE_CONTEXTS;
constexpr u32 FLAGS_BYTES = 256;
constexpr u32 SHARED_ALIGNMENT = 1024;
constexpr u32 TAKEN_AT = 4 * DENSE_FLAG_CONTEXTS;
constexpr u32 MEETING_AT = TAKEN_AT + 4;
static_assert(MEETING_AT + sizeof(Meeting) <= FLAGS_BYTES, "room for flags and the meeting");

FSZ_DEVICE u32 shared_slots(bool lorenzo) { return lorenzo ? LORENZO_SLOTS : INTERPOLATION_SLOTS; }

/// Bytes beside those of the warps.
constexpr u32 SLOTS_GAP = SLOTS_BYTES;
static_assert(FLAGS_BYTES <= SHARED_ALIGNMENT, "flags fit in the gap");
constexpr u32 INTERPOLATION_SHARED = INTERPOLATION_SLOTS * SLOTS_BYTES + SLOTS_GAP;
constexpr u32 LORENZO_SHARED = LORENZO_SLOTS * SLOTS_BYTES + SLOTS_GAP;

/// Where the values of a box lie that is no line. A plane's rows have gaps for the lanes that go
/// along a column. Those of a brick come from a search over places in as many bytes: by the banks
/// that they meet, all steps of a brick of 16 by 16 by 16 take 1399 turns of shared memory by the
/// cubic predictor and 1852 by the blended one, where 882 and 1242 are least; 2206 and 3470 without
/// gaps.
template <u32 LAYOUT> struct ValuePlaces;
template <> struct ValuePlaces<LAYOUT_PLANE> : ParityPlaces<0, 0, 264, 132, 4, 2>
{
};
template <> struct ValuePlaces<LAYOUT_BRICK> : ParityPlaces<1040, 520, 16, 260, 2, 132>
{
};

/// Elements of a line between two gaps, so that lanes at power-of-two distances differ in their
/// banks.
constexpr u32 LINE_RUN = 64;
constexpr u32 LINE_GAP = 4;

/// Bytes of a box: a line has gaps.
constexpr u32 BOX_BYTES = 2 * DENSE_BOX + DENSE_BOX / LINE_RUN * LINE_GAP;
constexpr u32 WARP_BYTES = BOX_BYTES + RING_BYTES;
static_assert(BOX_BYTES % 16 == 0, "boxes are aligned");
static_assert(ValuePlaces<LAYOUT_PLANE>::place(0, 63, 63) < BOX_BYTES &&
                  ValuePlaces<LAYOUT_BRICK>::place(15, 15, 15) < BOX_BYTES,
              "room for any box");

/// Bytes before element i of a line.
FSZ_DEVICE u32 line_place(u32 i) { return 2 * i + i / LINE_RUN * LINE_GAP; }

/// The element of a line that lies behind so many bytes.
FSZ_DEVICE u32 line_index(u32 place)
{
    constexpr u32 RUN = 2 * LINE_RUN + LINE_GAP;
    return place / RUN * LINE_RUN + place % RUN / 2;
}

/// Bytes before an element of a box.
FSZ_DEVICE u32 place_in_box(u32 layout, u32 z, u32 y, u32 x)
{
    return layout == LAYOUT_LINE    ? line_place(x)
           : layout == LAYOUT_PLANE ? ValuePlaces<LAYOUT_PLANE>::place(0, y, x)
                                    : ValuePlaces<LAYOUT_BRICK>::place(z, y, x);
}

/// The value at an address of shared memory, OFFSET bytes further.
template <u32 OFFSET = 0> FSZ_DEVICE i32 value_at(u32 at)
{
    i32 value;
    asm volatile("ld.shared.s16 %0, [%1+%2];"
                 : "=r"(value)
                 : "r"(at), "n"(static_cast<i32>(OFFSET)));
    return value;
}

/// The value of a point of an entry, if it is one, else 0.
FSZ_DEVICE i32 value_of_point(u32 at, u32 entry)
{
    i32 value;
    asm volatile("{\n.reg .pred point;\nsetp.gt.s32 point, %2, -1;\nmov.b32 %0, 0;\n"
                 "@point ld.shared.s16 %0, [%1];\n}"
                 : "=&r"(value)
                 : "r"(at), "r"(entry));
    return value;
}

/// What lies at an address of shared memory.
template <class V> FSZ_DEVICE V &shared_at(u32 at)
{
    return *static_cast<V *>(__cvta_shared_to_generic(at));
}

/// Stores a value for a point of an entry, if it is one.
FSZ_DEVICE void put_value(u32 at, u32 value, u32 entry)
{
    if (static_cast<i32>(entry) >= 0)
    {
        shared_at<volatile u16>(at) = static_cast<u16>(value);
    }
}

/// The word at an address of shared memory, OFFSET bytes further.
template <u32 OFFSET = 0> FSZ_DEVICE u32 word_at(u32 at)
{
    u32 word;
    asm volatile("ld.shared.u32 %0, [%1+%2];"
                 : "=r"(word)
                 : "r"(at), "n"(static_cast<i32>(OFFSET)));
    return word;
}

/// Makes all values of a box 0. Called by a warp.
FSZ_DEVICE void clear_box(u32 box)
{
    for (u32 at = 16 * lane_id(); at < BOX_BYTES; at += 16 * 32)
    {
        shared_at<uint4>(box + at) = uint4{0, 0, 0, 0};
    }
    __syncwarp();
}

} // namespace fsz
