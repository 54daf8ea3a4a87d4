// The classes of symbols that have raw bits behind them (FORMAT.md, Dense: symbols).
#pragma once

#include "profile/dense/tables.cuh"

namespace fsz
{

/// The first symbol of a residual with raw bits, and the bits of the smallest such residual.
constexpr u32 RESIDUAL_FIRST_CLASS = 2 * DENSE_DIRECT + 1;
constexpr u32 RESIDUAL_CLASS_BITS = 5;
static_assert(DENSE_DIRECT + 1 == 1 << (RESIDUAL_CLASS_BITS - 1), "the first class");
constexpr u32 RESIDUAL_ESCAPE = DENSE_RESIDUAL_SYMBOLS - 1;
/// The largest residual of a box that is interpolated.
constexpr i32 RESIDUAL_MOST = (1 << (DENSE_RESIDUAL_ESCAPE_BITS - 1)) - 1;
/// The bits of the smallest difference with raw bits.
constexpr u32 DIFFERENCE_CLASS_BITS = 5;
static_assert(DENSE_LORENZO_DIRECT == 1 << (DIFFERENCE_CLASS_BITS - 1), "the first class");
constexpr u32 DIFFERENCE_ESCAPE = DENSE_DIFFERENCE_SYMBOLS - 1;

} // namespace fsz
