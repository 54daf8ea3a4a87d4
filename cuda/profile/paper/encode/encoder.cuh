// The encoder of the paper's profile, as the compress kernels of encode/ use it. A second profile
// has one with the same names.
#pragma once

#include "device/hopper.cuh"
#include "encode/arguments.cuh"
#include "profile/paper/encode/masked.cuh"
#include "profile/paper/encode/range_watch.cuh"
#include "profile/paper/encode/relative/quantize_relative.cuh"
#include "profile/paper/encode/relative/so_far.cuh"
#include "profile/paper/hash_rates.cuh"

namespace fsz
{

/// What the encoders of a thread block share.
template <class Z> struct CommonOf
{
};

template <class T> struct CommonOf<RelativeQuantizer<T>>
{
    RelativeSoFar<T> so_far;
    OneSign<T> one_sign;
};

/// Encodes parts of chunks, a warp to a part: four tiles, a lane to a block. RANGES: the field's
/// range is found on the way; otherwise a survey has found it before. `Z` is the quantizer.
template <class Z, bool RANGES = false> struct PaperEncoder
{
    using T = typename Z::Value;
    using Value = T;
    using Args = typename ArgsOf<Z>::Args;
    using Error = typename Z::Error;
    using Bits = typename Element<T>::Bits;
    using Common = CommonOf<Z>;
    /// Elements of a part, and parts of a chunk.
    static constexpr u32 PART = QUAD_ELEMENTS;
    static constexpr u32 PARTS = CHUNK_QUADS;

    /// How many parts of its own a warp sends for beforehand. Where arithmetic takes the time, room
    /// for more warps or more payload does more than that for a second part.
    static constexpr u32 AHEAD = Z::RELATIVE ? 1 : 2;

    /// Whether what is known of whole parts beforehand is used: it makes the kernel of f32 faster,
    /// and that of f64 slower, as the compiler takes it.
    static constexpr bool FORESEES = sizeof(T) == 4;

    /// Whether the short way packs rates above PLAIN_RATE. Logarithmic codes are far from 0: where
    /// elements are 0, or change their signs, fine bounds need as much.
    static constexpr bool PACKS_TALL = Z::RELATIVE;

    /// Whether tiles on the short way may list elements. With a pointwise-relative bound those next
    /// to 0 have no codes.
    static constexpr bool LISTS = Z::RELATIVE;

    /// A part on the short way: the first differences of its codes, the variants of its tiles, and
    /// the largest error, of which the absolute one is NaN when an element is not finite.
    struct ShortWay
    {
        float l[BLOCK];
        /// What codes have added.
        float zero;
        PlainChoice choice;
        Error error;
        /// Where tiles may list elements.
        ListedChain chain;
        /// Where the range is found on the way, and not in `common`.
        typename RangeWatch<T>::Block range;
    };

    /// Where the bound is resolved.
    const Control &control;
    const Missing<T> &missing;
    /// The warp's own, and those of all thread blocks.
    Statistics *statistics;
    Statistics *everywhere;
    /// The bits that masked elements are expected to have.
    Bits *mask;
    Common *common;
    Z z;
    /// Whether elements are to be compared with the missing values before the short way. It is no
    /// use where a missing value is beyond the reach of the short way.
    bool compares;
    /// Whether elements need no short look before the short way.
    bool simple;
    /// Whether tiles may go through `plan_masked`.
    bool may_mask;
    /// The largest error of plain tiles so far, where `common` does not have it.
    Error max_error{};
    /// Where the range is found on the way, and not in `common`.
    RangeWatch<T> watch;
    /// Whether the warp's last tiles had masked elements: the next will, too.
    bool masked = false;

    FSZ_DEVICE PaperEncoder(const Args &args, const Control &control, const Missing<T> &missing,
                            Statistics *statistics, Bits *mask, Common *common)
        : control(control), missing(missing), statistics(statistics),
          everywhere(&args.control->statistics), mask(mask), common(common),
          z(make_quantizer(args, control)),
          compares(control.named && !(RANGES && names_are_beyond(missing, reach_of(z)))),
          simple((RANGES || control.near) && !compares),
          may_mask(!Z::RELATIVE && (RANGES || control.near) && one_name(missing))
    {
        if constexpr (Z::RELATIVE)
        {
            masked = !RelativeShortWay<T>::serves(z);
        }
    }

    /// What `mask` holds at first.
    static FSZ_DEVICE Bits first_mask(const Control &control, const Missing<T> &missing)
    {
        return control.named ? missing.bits[0] : Element<T>::QUIET_NAN;
    }

    /// What `Common` holds at first.
    static FSZ_DEVICE Common first_common(const Args &args, const Control &control)
    {
        Common common{};
        if constexpr (Z::RELATIVE)
        {
            common.one_sign = make_one_sign(make_quantizer(args, control));
        }
        return common;
    }

    /// Encodes a part from device memory. `place` takes all but its share of the checksum, and
    /// gives the sink for its payload.
    template <class Place> FSZ_DEVICE Encoded encode_any(const Part<T> &part, const Place &place)
    {
        const u32 lane = lane_id();
        const u32 exists = part.existing(lane);
        const DeviceRow<T> row{part.field + part.first + lane * BLOCK, exists};
        const TilePlan<T> plan =
            plan_any(row, part, exists, z, missing, statistics, control.range_known != 0);
        const u32 inclusive = warp_inclusive(plan.words, lane);
        const u32 length = __shfl_sync(WARP_ALL, inclusive, 31);
        const Encoded planned{plan.rate_byte, tile_sum(exists) > 0, length, 0};
        const auto sink = place(planned);
        Hashed hashed{0, 0};
        if (sink.has_room())
        {
            hashed = pack_any(sink, plan, inclusive - plan.words, part, exists);
        }
        return finished(planned, hashed, part.number);
    }

    // The short way, for tiles with small codes and nothing to escape: `may_be_short`, `quantize`,
    // `choose`, `is_short` and `pack_short`; else `encode_long`. They are apart because the
    // compiler needs fewer registers so.

    /// Whether a part whose elements are in shared memory, at `row`, may go the short way.
    FSZ_DEVICE bool may_be_short(const SharedRow<T> &row) const
    {
        if constexpr (RANGES)
        {
            return !masked && (simple || !compares || has_no_name(row, missing));
        }
        else
        {
            return !masked && (simple || ((!compares || has_no_name(row, missing)) &&
                                          (control.near || is_within_reach(row, z))));
        }
    }

    FSZ_DEVICE void quantize(const SharedRow<T> &row, ShortWay &way)
    {
        if constexpr (Z::RELATIVE)
        {
            Extremes<T> within;
            const Error so_far = common->so_far.errors();
            way.error = quantize_plain(row, z, common->one_sign, so_far, way.l, way.zero, way.chain,
                                       within);
            // That is right whichever way the tiles will go.
            common->so_far.take(within, row, reach_of(z));
        }
        else if constexpr (RANGES)
        {
            way.error = watch.quantize(row, z, way.l, way.range);
        }
        else
        {
            NoRange none;
            way.error = quantize_plain(row, z, way.l, none);
        }
    }

    static FSZ_DEVICE void choose(ShortWay &way)
    {
        const u32 block = lane_id() & 7;
        if constexpr (LISTS)
        {
            way.choice = choose_plain(way.l, block, way.zero, way.chain);
        }
        else
        {
            way.choice = choose_plain(way.l, block, ROUND);
        }
    }

    /// Whether all tiles go the short way.
    FSZ_DEVICE bool is_short(const ShortWay &way, const SharedRow<T> &row)
    {
        bool within;
        if constexpr (Z::RELATIVE)
        {
            within = way.error.absolute < value_of(Element<T>::INFINITE) &&
                     way.error.relative < z.bound.eps;
        }
        else
        {
            within = way.error <= z.limit;
        }
        within = within && (PACKS_TALL || way.choice.rate <= PLAIN_RATE);
        if constexpr (RANGES && !Z::RELATIVE)
        {
            return watch.takes(within, way.range, row, z, statistics);
        }
        return __all_sync(WARP_ALL, within);
    }

    /// What the rate bytes of a chunk add to checksums, once all of them are at `rates`. Called by
    /// a warp.
    static FSZ_DEVICE HeadSums hash_heads(const u8 *rates, const Sections &sections, u64 chunk,
                                          u32 lane)
    {
        return hash_rates<false>(rates, sections, chunk, lane);
    }

    /// Adds what is not in the statistics yet. Called once, after the warp's last part.
    FSZ_DEVICE void finish()
    {
        if constexpr (Z::RELATIVE)
        {
            common->so_far.add_to(statistics);
        }
        else
        {
            add_error(max_error, statistics);
            if constexpr (RANGES)
            {
                watch.finish(reach_of(z), statistics);
            }
        }
    }

    /// Goes the short way. `refill` is called when the elements in shared memory may be
    /// overwritten.
    template <class Place, class Refill>
    FSZ_DEVICE Encoded pack_short(ShortWay &way, const SharedRow<T> &row, u32 number,
                                  const Place &place, const Refill &refill)
    {
        const PlainChoice &choice = way.choice;
        const u32 lane = lane_id();
        const u32 block = lane & 7;
        const bool has_mu = choice.centered && block == 0;
        u32 own = choice.words + has_mu;
        bool lists = false;
        u32 listed = 0;
        if constexpr (LISTS)
        {
            lists = way.chain.lists();
            listed = lists ? way.chain.all() : 0;
            own += block == TILE_BLOCKS - 1 ? listed_words<T>(listed) : 0;
        }
        const u32 inclusive = warp_inclusive(own, lane);
        const u32 length = __shfl_sync(WARP_ALL, inclusive, 31);
        const auto sink = place(length);
        Hashed hashed{0, 0};
        u32 rate_byte = choice.rate;
        if constexpr (LISTS)
        {
            if (lists)
            {
                const u32 end = tile_broadcast(inclusive, TILE_BLOCKS - 1);
                hashed.rows = write_listed(sink, row, way.chain.listed, end, number);
                rate_byte |= listed > 0 ? escape_part(KIND_EXCEPTIONS | listed << 10, block) : 0;
                const u32 all = __reduce_add_sync(WARP_ALL, __popc(way.chain.listed));
                if (lane == 0)
                {
                    statistics->escaped += all;
                }
            }
        }
        refill();
        if constexpr (Z::RELATIVE)
        {
            common->so_far.take(way.error, everywhere);
        }
        else
        {
            max_error = larger(max_error, way.error);
        }
        if (block == 0)
        {
            rate_byte |= (choice.order2 ? RATE_ORDER2 : 0) | (choice.centered ? RATE_CENTERED : 0);
        }
        const u32 at = inclusive - own;
        if (has_mu)
        {
            const u32 mu = static_cast<u32>(static_cast<i32>(choice.mu));
            sink.put(at, mu);
            hashed.block = add_product(0, mu, CHECKSUM_MULTIPLIERS[MU_WORD]);
        }
        residuals_plain(way.l, choice, block);
        if (lists)
        {
            way.chain.end(way.l);
        }
        const bool wide = __any_sync(WARP_ALL, choice.rate > 7);
        u32 *const out = sink.block(at + has_mu);
        if (PACKS_TALL && __any_sync(WARP_ALL, choice.rate > PLAIN_RATE))
        {
            hashed.block += pack_tall(way.l, out, choice.rate);
        }
        else
        {
            hashed.block += pack_plain(way.l, out, choice.rate, wide);
        }
        return finished({rate_byte, true, length, 0}, hashed, number);
    }

    /// Encodes a part that is not on the short way.
    template <class Place, class Refill>
    FSZ_DEVICE Encoded encode_long(const Part<T> &part, const SharedRow<T> &row, bool whole,
                                   const ShortWay &way, const Place &place, const Refill &refill)
    {
        const u32 lane = lane_id();
        const u32 exists = FORESEES && whole ? BLOCK : part.existing(lane);
        const bool maskable = !Z::RELATIVE && whole &&
                              (FORESEES ? may_mask : (RANGES || control.near) && one_name(missing));
        // Votes let the compiler see that branches are the same for all lanes.
        TilePlan<T> plan;
        bool tried = false, short_way = false;
        if constexpr (!Z::RELATIVE)
        {
            tried =
                maskable && (masked || control.named || __any_sync(WARP_ALL, is_nan(way.error)));
            if (tried)
            {
                plan = plan_masked<RANGES>(row, part.codes, z, *mask, missing, statistics);
                short_way = plan.kind != NOT_MASKED;
            }
        }
        if (!__any_sync(WARP_ALL, short_way))
        {
            // What was tried may have overwritten the row.
            const bool range_known = !RANGES && control.range_known;
            const DeviceRow<T> again{part.field + part.first + lane * BLOCK, exists};
            plan = whole && !tried
                       ? plan_any(row, part, exists, z, missing, statistics, range_known)
                       : plan_any(again, part, exists, z, missing, statistics, range_known);
            // A missing value that the short way would take for an element must be the mask.
            if (RANGES ? !compares : !control.named)
            {
                expect_mask(plan, *mask);
            }
        }
        if constexpr (!Z::RELATIVE)
        {
            masked = maskable && __any_sync(WARP_ALL, plan.masked != 0);
        }
        const u32 inclusive = warp_inclusive(plan.words, lane);
        const u32 length = __shfl_sync(WARP_ALL, inclusive, 31);
        const auto sink = place(length);
        const u32 at = inclusive - plan.words;
        const Hashed hashed = __any_sync(WARP_ALL, short_way)
                                  ? pack_masked(sink, plan, at, part.codes, part.number)
                                  : pack_any(sink, plan, at, part, exists);
        fence_copy_engine();
        __syncwarp();
        refill();
        const bool there = (FORESEES && whole) || tile_sum(exists) > 0;
        return finished({plan.rate_byte, there, length, 0}, hashed, part.number);
    }

private:
    /// Makes the part's share of the lanes'.
    static FSZ_DEVICE Encoded finished(Encoded done, const Hashed &hashed, u32 number)
    {
        const u32 row = row_of(number * 32 + lane_id(), hashed.block);
        done.share = __reduce_add_sync(WARP_ALL, (done.exists ? row : 0) + hashed.rows);
        return done;
    }
};

} // namespace fsz
