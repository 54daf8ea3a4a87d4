// What stands in the place of elements that another stream holds: `fill` in
// crates/fsz/src/region/fill.rs, with the same arithmetic. The host says where they lie.
#pragma once

#include "device/warp.cuh"
#include "encode/control.cuh"

namespace fsz
{

/// Elements that another stream holds, from `begin` to before `end`, as many as lie side by side in
/// a row; and those of them, `len` from `at` on, that a warp does.
struct Gap
{
    u64 begin, end, at, len;
};

/// What kernels that fill a field tell each other; all bits are set before.
struct FillState
{
    /// The first element that counts and is not free.
    u64 first;
    /// 0 once a gap is open.
    u64 closed;
};

/// What an element is to those that are filled.
enum Mark : u8
{
    KEPT,
    /// Another stream holds it.
    FREE,
    /// The same, and it takes the value above it.
    OPEN,
};

/// The field to be filled, where it lies. Pointers are to device memory. The same struct is
/// `Filling` in crates/fsz/src/cuda/kernels/abi.rs.
template <class T> struct Filling
{
    T *field;
    u64 elements;
    /// Elements of a row.
    u64 width;
    /// A `Mark` an element; KEPT before.
    u8 *marks;
    const Gap *gaps;
    u64 gap_count;
    FillState *state;
    /// Rows of a segment, and of each column of each segment the row above it from which open
    /// elements take their value; no sources where there is one segment.
    u64 segment;
    u64 *sources;
    Missing<T> missing;

    FSZ_DEVICE bool counts(T d) const { return is_number(d) && !missing.is(bits_of(d)); }

    /// What stands where nothing else is known.
    FSZ_DEVICE T first() const { return state->first < elements ? field[state->first] : T(0); }

    FSZ_DEVICE u64 rows() const { return elements / width; }

    /// Columns of all segments.
    FSZ_DEVICE u64 columns() const { return (rows() + segment - 1) / segment * width; }
};

/// No row above.
constexpr u64 NO_ROW = ~0ull;

FSZ_DEVICE u64 grid_thread() { return static_cast<u64>(blockIdx.x) * blockDim.x + threadIdx.x; }

FSZ_DEVICE u64 grid_threads() { return static_cast<u64>(gridDim.x) * blockDim.x; }

/// Marks the elements of gaps, a warp to each.
template <class T> FSZ_DEVICE void mark_gaps(const Filling<T> &filling)
{
    const u64 number = grid_thread() / 32;
    if (number < filling.gap_count)
    {
        const Gap gap = filling.gaps[number];
        for (u64 k = lane_id(); k < gap.len; k += 32)
        {
            filling.marks[gap.at + k] = FREE;
        }
    }
}

/// Finds the first element that counts and is not free. Any grid.
template <class T> FSZ_DEVICE void find_first(const Filling<T> &filling)
{
    const volatile u64 *const first = &filling.state->first;
    for (u64 i = grid_thread(); i < filling.elements && i < *first; i += grid_threads())
    {
        if (filling.marks[i] == KEPT && filling.counts(filling.field[i]))
        {
            atomicMin(&filling.state->first, i);
            return;
        }
    }
}

/// The value that is `number` of `parts` on the way from one to another, not beyond them.
template <class T> FSZ_DEVICE T between(T from, T to, u64 number, u64 parts)
{
    const double a = from, b = to, low = fmin(a, b), high = fmax(a, b);
    const double share = __ddiv_rn(__ull2double_rn(number), __ull2double_rn(parts));
    const double there = __dadd_rn(__dmul_rn(a, __dsub_rn(1.0, share)), __dmul_rn(b, share));
    return static_cast<T>(there < low ? low : there > high ? high : there);
}

/// Puts the line between its neighbours into each gap that has some, and marks the others as open,
/// but those of the first row, which take the first element that counts. A warp to each.
template <class T> FSZ_DEVICE void fill_gaps(const Filling<T> &filling)
{
    const u64 number = grid_thread() / 32;
    if (number >= filling.gap_count)
    {
        return;
    }
    const Gap gap = filling.gaps[number];
    const u64 row = gap.begin / filling.width * filling.width;
    const T first = filling.first();
    T before = 0, behind = 0;
    bool has_before = false, has_behind = false;
    if (gap.begin > row)
    {
        before = filling.field[gap.begin - 1];
        has_before = filling.counts(before);
    }
    if (gap.end < row + filling.width)
    {
        behind = filling.field[gap.end];
        has_behind = filling.counts(behind);
    }
    const bool is_line = has_before || has_behind, is_open = !is_line && row > 0;
    before = has_before ? before : behind;
    behind = has_behind ? behind : before;
    for (u64 at = gap.at + lane_id(); at < gap.at + gap.len; at += 32)
    {
        if (is_open)
        {
            filling.marks[at] = OPEN;
            continue;
        }
        T value = first;
        if (is_line)
        {
            value = between(before, behind, at - gap.begin + 1, gap.end - gap.begin + 1);
            // It may be one that is named as missing.
            value = filling.counts(value) ? value : first;
        }
        filling.field[at] = value;
    }
    if (is_open && lane_id() == 0)
    {
        filling.state->closed = 0;
    }
}

/// The last row of each column of each segment that is not open. A thread to each.
template <class T> FSZ_DEVICE void find_sources(const Filling<T> &filling)
{
    const u64 column = grid_thread();
    if (column >= filling.columns() || filling.state->closed)
    {
        return;
    }
    const u64 begin = column / filling.width * filling.segment;
    u64 row = min(begin + filling.segment, filling.rows());
    u64 source = NO_ROW;
    while (source == NO_ROW && row > begin)
    {
        --row;
        source = filling.marks[row * filling.width + column % filling.width] == OPEN ? NO_ROW : row;
    }
    filling.sources[column] = source;
}

/// From the last row of a segment to the last one above it. A thread to each column.
template <class T> FSZ_DEVICE void carry_sources(const Filling<T> &filling)
{
    const u64 first = grid_thread();
    if (first >= filling.width || filling.state->closed)
    {
        return;
    }
    u64 above = NO_ROW;
    for (u64 column = first; column < filling.columns(); column += filling.width)
    {
        const u64 own = filling.sources[column];
        filling.sources[column] = above;
        above = own == NO_ROW ? above : own;
    }
}

/// Puts the value above them, where it counts, into open elements. A thread to each column of each
/// segment.
template <class T> FSZ_DEVICE void fill_open(const Filling<T> &filling)
{
    const u64 number = grid_thread();
    if (number >= filling.columns() || filling.state->closed)
    {
        return;
    }
    const u64 column = number % filling.width;
    const u64 begin = number / filling.width * filling.segment;
    const u64 end = min(begin + filling.segment, filling.rows());
    // The first row has nothing open.
    u64 source = begin == 0 ? 0 : filling.sources[number];
    for (u64 row = begin; row < end; ++row)
    {
        const u64 at = row * filling.width + column;
        if (filling.marks[at] != OPEN)
        {
            source = row;
            continue;
        }
        const T above = filling.field[source * filling.width + column];
        filling.field[at] = filling.counts(above) ? above : filling.first();
    }
}

} // namespace fsz
