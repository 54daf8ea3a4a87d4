// Where an encoder keeps the elements of a box in shared memory: those of even and of odd indices
// apart, so that the lanes of a step of the finest grid meet different banks.
#pragma once

#include "profile/dense/grid.cuh"
#include "profile/dense/parity_places.cuh"

namespace fsz
{

/// Bytes between the words of elements: of a layout, whatever the extents of the box.
template <u32 LAYOUT> struct StagePlaces;
template <> struct StagePlaces<LAYOUT_LINE> : ParityPlaces<0, 0, 0, 0, 4, 8192>
{
    /// The axis that the columns of a box go along; none of a line.
    static constexpr u32 ALONG = 3;
    /// From a step of a group of columns, or of the finest grid of a line, to the next.
    static constexpr u32 NEXT = 32 * TWO_X;
};
/// Rows of a plane are a word further apart than their words are, and planes of a brick four: the
/// points of a column meet different banks, too.
template <> struct StagePlaces<LAYOUT_PLANE> : ParityPlaces<0, 0, 132, 8448, 4, 4224>
{
    static constexpr u32 ALONG = 1;
    static constexpr u32 NEXT = TWO_Y;
};
template <> struct StagePlaces<LAYOUT_BRICK> : ParityPlaces<2064, 1024, 32, 512, 4, 256>
{
    static constexpr u32 ALONG = 0;
    static constexpr u32 NEXT = TWO_Z;
};

/// Words of a box in shared memory, with those between that are left out: one for each row of a
/// plane.
constexpr u32 STAGE_WORDS = DENSE_BOX + DENSE_BOX / 32;

} // namespace fsz
