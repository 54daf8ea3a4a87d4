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
template <> struct StagePlaces<LAYOUT_PLANE> : ParityPlaces<0, 0, 128, 8192, 4, 4096>
{
    static constexpr u32 ALONG = 1;
    static constexpr u32 NEXT = TWO_Y;
};
template <> struct StagePlaces<LAYOUT_BRICK> : ParityPlaces<2048, 1024, 32, 512, 4, 256>
{
    static constexpr u32 ALONG = 0;
    static constexpr u32 NEXT = TWO_Z;
};

} // namespace fsz
