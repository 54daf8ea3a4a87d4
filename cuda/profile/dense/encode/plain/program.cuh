// The order of a box as plain boxes are encoded by it: an entry for each step, or for as many steps
// as lie at equal distances.
#pragma once

#include "profile/dense/encode/box/stage.cuh"
#include "profile/dense/encode/predict/any_program.cuh"

namespace fsz
{

/// A pass. Its steps are `head` ones, then `groups` of `even` ones each, then `flat` ones; of a
/// group only the first step has an entry.
struct PlainPass
{
    /// Most of what follows in a word, as a `PassWord`.
    u32 word;
    /// Its first entry.
    u32 first;
    u32 head;
    u32 groups;
    u32 even;
    u32 flat;
    /// The set of odd axes.
    u32 odd;
    u32 axes;
    u32 fine;
    /// Bytes to the neighbour along each odd axis, and to that of points whose right neighbour is
    /// the box's last element; not of the finest grid.
    i32 distance[3];
    /// The latter, two in a word.
    u32 lasts[2];
    u32 reserved[2];

    FSZ_DEVICE static u32 last_of(const u32 (&lasts)[2], u32 k)
    {
        return static_cast<u32>(static_cast<short>(lasts[k / 2] >> (k % 2 * 16) & 0xFFFF));
    }

    /// That along the odd axis `k`.
    FSZ_DEVICE u32 last(u32 k) const { return last_of(lasts, k); }
};

/// What tells the steps of a pass. A warp reads it once for all passes of a box.
struct PassWord
{
    u32 bits;

    static constexpr u32 ODD = 1, AXES = 4, GROUPS = 6, EVEN = 14, FLAT = 22;

    /// `level`: the logarithm of the distance of points, which a coarse grid has in place of
    /// `even`.
    FSZ_DEVICE static PassWord of(const PlainPass &pass, u32 level)
    {
        return {pass.fine | pass.odd << ODD | pass.axes << AXES | pass.groups << GROUPS |
                (pass.fine ? pass.even : level) << EVEN | pass.flat << FLAT};
    }

    FSZ_DEVICE bool fine() const { return bits & 1; }
    FSZ_DEVICE u32 odd() const { return bits >> ODD & 7; }
    FSZ_DEVICE u32 axes() const { return bits >> AXES & 3; }
    FSZ_DEVICE u32 groups() const { return bits >> GROUPS & 0xFF; }
    FSZ_DEVICE u32 even() const { return bits >> EVEN & 0xFF; }
    FSZ_DEVICE u32 level() const { return even(); }
    FSZ_DEVICE u32 flat() const { return bits >> FLAT; }
    /// Steps before the groups: in a line as many, otherwise none.
    template <u32 LAYOUT> FSZ_DEVICE u32 head() const
    {
        return LAYOUT == LAYOUT_LINE ? groups() : 0;
    }
};
static_assert(STEPS_MOST < 1 << (32 - PassWord::FLAT), "room for steps that have entries");
static_assert(DENSE_BOX / (2 * 32) < 0x100, "room for steps of a group, and for groups");

/// Entries that are read ahead.
constexpr u32 ENTRIES_AHEAD = 2;
static_assert(DENSE_BOX / DENSE_MIN_COLUMNS + 2 * PASSES_MOST + 1 + ENTRIES_AHEAD <= STEPS_MOST,
              "room for those that are read ahead");

/// An entry: the place in bytes, edges, and whether the lane has no point, as in a `Program`.
struct PlainProgram
{
    u32 around;
    u32 corners;
    u32 passes;
    /// 0.
    u32 nothing;
    PlainPass pass[PASSES_MOST];
    /// The first is that of the corners. Behind the last one stand those that are read ahead of it.
    u32 entries[STEPS_MOST][32];
};

/// What a warp knows of a box's passes: lane i has the word of pass i, and `PlainPass::lasts`.
struct PassWords
{
    u32 word;
    u32 lasts[2];

    FSZ_DEVICE PassWords(const PlainProgram *program, u32 passes) : word(0), lasts{0, 0}
    {
        static_assert(PASSES_MOST <= 32, "a lane for each pass");
        if (lane_id() < passes)
        {
            const PlainPass &pass = program->pass[lane_id()];
            word = __ldg(&pass.word);
            lasts[0] = __ldg(&pass.lasts[0]);
            lasts[1] = __ldg(&pass.lasts[1]);
        }
        // What a load gives is waited for wherever it is used, and later loads with it: here once.
        word = __shfl_sync(WARP_ALL, word, lane_id());
        lasts[0] = __shfl_sync(WARP_ALL, lasts[0], lane_id());
        lasts[1] = __shfl_sync(WARP_ALL, lasts[1], lane_id());
    }

    FSZ_DEVICE PassWord of(u32 pass) const { return {number_of(pass, word)}; }

    /// `PlainPass::last` along all axes of a pass that has so many.
    template <u32 AXES> FSZ_DEVICE void lasts_of(u32 pass, u32 (&to)[AXES]) const
    {
        const u32 own[2] = {number_of(pass, lasts[0]), AXES > 2 ? number_of(pass, lasts[1]) : 0};
#pragma unroll
        for (u32 k = 0; k < AXES; ++k)
        {
            to[k] = PlainPass::last_of(own, k);
        }
    }
};

/// The programs of a shape: of any box, and of a plain one.
struct EncodeProgram
{
    Program any;
    PlainProgram plain;
};

/// How the steps of a pass have entries.
template <u32 LAYOUT> struct PlainCut
{
    u32 head;
    u32 groups;
    u32 even;
    u32 flat;

    FSZ_DEVICE explicit PlainCut(const PassCut &cut)
    {
        const u32 steps = cut.steps();
        if (LAYOUT == LAYOUT_LINE && cut.s == 1 && steps >= 3)
        {
            // No point between the first and the last step is at an edge.
            head = 1;
            groups = 1;
            even = steps - 2;
            flat = 1;
            return;
        }
        const bool along = cut.columns && cut.along == StagePlaces<LAYOUT>::ALONG && cut.even > 0;
        head = 0;
        even = along ? cut.even : 1;
        groups = along ? (cut.grouped + 31) / 32 : 0;
        flat = steps - groups * even;
    }

    FSZ_DEVICE u32 entries() const { return head + groups + flat; }

    /// The step of an entry.
    FSZ_DEVICE u32 step(u32 entry) const
    {
        return entry < head            ? entry
               : entry < head + groups ? head + (entry - head) * even
                                       : entry + groups * even - groups;
    }
};

template <u32 LAYOUT> FSZ_DEVICE u32 place_of(const PassCut &cut, const u32 (&k)[3])
{
    u32 place = 0;
#pragma unroll
    for (u32 a = 0; a < 3; ++a)
    {
        place += StagePlaces<LAYOUT>::place(a, cut.axis[a].index(k[a]));
    }
    return place;
}

/// Makes a share of the program of a shape. Called by a thread block of PROGRAM_THREADS.
template <u32 LAYOUT>
__device__ void make_plain_program(const BoxGrid &grid, u32 number, u32 share,
                                   PlainProgram *program)
{
    using Places = StagePlaces<LAYOUT>;
    __shared__ PassStarts starts;
    const Shape shape(grid, number);
    if (!shape.exists())
    {
        return;
    }
    const u32(&n)[3] = shape.n;
    const u32 thread = threadIdx.x, lane = lane_id();
    starts.find(shape, [](const PassCut &cut) { return PlainCut<LAYOUT>(cut).entries(); });
    if (share == 0 && thread == PASS_CANDIDATES)
    {
        program->passes = starts.passes();
        program->nothing = 0;
        program->around = shape.around();
        program->corners = shape.corners();
    }
    if (share == 0 && thread < PASS_CANDIDATES && starts.has(thread))
    {
        const PassCut cut = shape.cut(thread);
        const PlainCut<LAYOUT> plain(cut);
        PlainPass pass{};
        pass.first = starts.first[thread];
        pass.head = plain.head;
        pass.groups = plain.groups;
        pass.even = plain.even;
        pass.flat = plain.flat;
        pass.odd = odd_set(thread % ODD_SETS);
        pass.fine = cut.s == 1;
        for (u32 a = 0; a < 3; ++a)
        {
            if (cut.axis[a].odd && cut.s > 1)
            {
                const u32 end = cut.axis[a].index(cut.count[a] - 1);
                pass.distance[pass.axes] = static_cast<i32>(cut.s / 2 * Places::two(a));
                const u32 last = Places::place(a, n[a] - 1) - Places::place(a, end);
                pass.lasts[pass.axes / 2] |= (last & 0xFFFF) << (pass.axes % 2 * 16);
            }
            pass.axes += cut.axis[a].odd;
        }
        pass.word = PassWord::of(pass, 31 - __clz(cut.s)).bits;
        program->pass[starts.before[thread]] = pass;
    }
    for (u32 row = first_row(share); row < starts.rows() + ENTRIES_AHEAD; row += ROWS_APART)
    {
        // Behind the last one stand some without points.
        u32 entry = ENTRY_IDLE;
        if (row == 0)
        {
            // Corner `lane + 1` in C order.
            u32 corner = lane + 1;
            entry = 0;
            for (u32 a = 3; a-- > 0;)
            {
                if (n[a] > 1)
                {
                    entry += Places::place(a, (corner & 1) * (n[a] - 1));
                    corner /= 2;
                }
            }
            // None behind the last corner.
            entry = corner == 0 ? entry : ENTRY_IDLE;
        }
        else if (row < starts.rows())
        {
            const u32 c = starts.candidate(row);
            const PassCut cut = shape.cut(c);
            const u32 step = PlainCut<LAYOUT>(cut).step(row - starts.first[c]);
            u32 k[3] = {};
            const bool own = cut.point_or_first(step, lane, k);
            entry = place_of<LAYOUT>(cut, k) | (cut.entry(k) & ~ENTRY_POSITION) |
                    (own ? 0 : ENTRY_IDLE);
        }
        program->entries[row][lane] = entry;
    }
}

/// Grids whose programs are made at once: those of the layouts. The same struct is `BoxGrids` in
/// crates/fsz/src/cuda/kernels/abi.rs.
struct BoxGrids
{
    BoxGrid grid[3];
};

/// Makes a share of the programs of a shape. Called by a thread block of PROGRAM_THREADS.
__device__ inline void make_encode_program(const BoxGrid &grid, u32 shape, u32 share,
                                           EncodeProgram *program)
{
    make_program(grid, shape, share, &program->any);
    const u32 layout = layout_of(grid);
    if (layout == LAYOUT_LINE)
    {
        make_plain_program<LAYOUT_LINE>(grid, shape, share, &program->plain);
    }
    else if (layout == LAYOUT_PLANE)
    {
        make_plain_program<LAYOUT_PLANE>(grid, shape, share, &program->plain);
    }
    else
    {
        make_plain_program<LAYOUT_BRICK>(grid, shape, share, &program->plain);
    }
}

} // namespace fsz
