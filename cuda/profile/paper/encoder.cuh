// The encoder of the paper's profile, as the compress kernels of encode/ use it. A second profile
// has one with the same names.
#pragma once

#include "device/hopper.cuh"
#include "encode/arguments.cuh"
#include "profile/paper/encode_masked.cuh"

namespace fsz
{

/// Encodes parts of chunks, a warp to a part: four tiles, a lane to a block.
template <class T> struct PaperEncoder
{
    using Value = T;
    using Bits = typename Element<T>::Bits;
    /// Elements of a part, and parts of a chunk.
    static constexpr u32 PART = QUAD_ELEMENTS;
    static constexpr u32 PARTS = CHUNK_QUADS;

    const Control &control;
    const Missing<T> &missing;
    /// The warp's own.
    Statistics *statistics;
    /// The bits that masked elements are expected to have.
    Bits *mask;
    Quantizer<T> z;
    /// Whether elements need no short look before the short way.
    bool simple;
    /// The largest error of plain tiles so far.
    T max_error = 0;
    /// Whether the warp's last tiles had masked elements: the next will, too.
    bool masked = false;

    FSZ_DEVICE PaperEncoder(const Control &control, const Missing<T> &missing,
                            Statistics *statistics, Bits *mask)
        : control(control), missing(missing), statistics(statistics), mask(mask),
          z(quantizer_of<T>(control)), simple(control.near && !control.named)
    {
    }

    /// What `mask` holds at first.
    static FSZ_DEVICE Bits first_mask(const Control &control, const Missing<T> &missing)
    {
        return control.named ? missing.bits[0] : Element<T>::QUIET_NAN;
    }

    /// Encodes a part from device memory. `place` takes the payload's length and gives the sink for
    /// it.
    template <class Place> FSZ_DEVICE Encoded encode_any(const Part<T> &part, const Place &place)
    {
        const u32 lane = lane_id();
        const u32 exists = part.existing(lane);
        const T *const elements = part.field + part.first;
        const DeviceRow<T> row{elements + lane * BLOCK, exists};
        const TilePlan<T> plan = plan_any(row, elements, exists, part.codes, z, missing, statistics,
                                          control.range_known != 0);
        const u32 inclusive = warp_inclusive(plan.words, lane);
        const u32 length = __shfl_sync(WARP_ALL, inclusive, 31);
        const auto sink = place(length);
        u32 sum = 0;
        if (sink.has_room())
        {
            sum = pack_any(sink, plan, inclusive - plan.words, part.codes, elements, exists);
        }
        return finished({plan.rate_byte, tile_sum(exists) > 0, length, sum}, part.number);
    }

    /// The same for a part of which all elements exist, if it is `whole`, and are then in shared
    /// memory, at `row`. `refill` is called when that may be overwritten.
    template <class Place, class Refill>
    FSZ_DEVICE Encoded encode(const Part<T> &part, const SharedRow<T> &row, bool whole,
                              const Place &place, const Refill &refill)
    {
        float l[BLOCK];
        PlainChoice choice;
        T error = 0;
        bool plain = whole && !masked && (simple || check_plain(row, missing, control, statistics));
        if (plain)
        {
            error = quantize_plain(row, z, l);
            choice = choose_plain(l, lane_id() & 7);
            plain = __all_sync(WARP_ALL, error <= z.limit && choice.rate <= PLAIN_RATE);
        }
        Encoded done;
        if (plain)
        {
            max_error = error > max_error ? error : max_error;
            done = pack_quad(l, choice, place, refill);
        }
        else
        {
            done = encode_other(part, row, whole, is_nan(error), place, refill);
        }
        return finished(done, part.number);
    }

    /// Adds what is not in the statistics yet. Called once, after the warp's last part.
    FSZ_DEVICE void finish()
    {
        const Bits worst = warp_max(bits_of(max_error));
        if (lane_id() == 0)
        {
            statistics->max_error = max(statistics->max_error, static_cast<u64>(worst));
        }
    }

private:
    /// Writes the payload of plain tiles from their first differences.
    template <class Place, class Refill>
    static FSZ_DEVICE Encoded pack_quad(float (&l)[BLOCK], const PlainChoice &choice,
                                        const Place &place, const Refill &refill)
    {
        const u32 lane = lane_id();
        const u32 block = lane & 7;
        const bool has_mu = choice.centered && block == 0;
        const u32 own = block_words(choice.rate) + has_mu;
        const u32 inclusive = warp_inclusive(own, lane);
        const u32 length = __shfl_sync(WARP_ALL, inclusive, 31);
        const auto sink = place(length);
        refill();
        u32 rate_byte = choice.rate;
        if (block == 0)
        {
            rate_byte |= (choice.order2 ? ORDER2 : 0) | (choice.centered ? CENTERED : 0);
        }
        const u32 at = inclusive - own;
        // Word k of a tile's payload has the weight of word k + 2: two rate words come first.
        u32 first_weight = weight(at - tile_broadcast(at) + 2);
        u32 sum = 0;
        if (has_mu)
        {
            const u32 mu = static_cast<u32>(static_cast<i32>(choice.mu));
            sink.put(at, mu);
            sum = mu * first_weight;
            first_weight += 2;
        }
        residuals_plain(l, choice, block);
        const bool wide = __any_sync(WARP_ALL, choice.rate > 7);
        sum += pack_plain(l, sink.block(at + has_mu), choice.rate, wide, first_weight);
        return {rate_byte, true, length, sum};
    }

    /// Encodes a part that is not of plain tiles.
    template <class Place, class Refill>
    FSZ_DEVICE Encoded encode_other(const Part<T> &part, const SharedRow<T> &row, bool whole,
                                    bool has_nan, const Place &place, const Refill &refill)
    {
        const u32 lane = lane_id();
        const u32 exists = part.existing(lane);
        const T *const elements = part.field + part.first;
        const bool range_known = control.range_known;
        const bool maskable = whole && control.near && one_name(missing);
        // Votes let the compiler see that branches are the same for all lanes.
        const bool tried = maskable && (masked || control.named || __any_sync(WARP_ALL, has_nan));
        TilePlan<T> plan;
        bool short_way = false;
        if (tried)
        {
            plan = plan_masked(row, part.codes, z, *mask, missing, statistics);
            short_way = plan.kind != NOT_MASKED;
        }
        if (!__any_sync(WARP_ALL, short_way))
        {
            // What was tried may have overwritten the row.
            plan = whole && !tried
                       ? plan_any(row, elements, exists, part.codes, z, missing, statistics,
                                  range_known)
                       : plan_any(DeviceRow<T>{elements + lane * BLOCK, exists}, elements, exists,
                                  part.codes, z, missing, statistics, range_known);
            expect_mask(plan, *mask, control);
        }
        masked = maskable && __any_sync(WARP_ALL, plan.masked != 0);
        const u32 inclusive = warp_inclusive(plan.words, lane);
        const u32 length = __shfl_sync(WARP_ALL, inclusive, 31);
        const auto sink = place(length);
        const u32 at = inclusive - plan.words;
        const u32 sum = __any_sync(WARP_ALL, short_way)
                            ? pack_masked(sink, plan, at, part.codes)
                            : pack_any(sink, plan, at, part.codes, elements, exists);
        fence_copy_engine();
        __syncwarp();
        refill();
        return {plan.rate_byte, tile_sum(exists) > 0, length, sum};
    }

    /// Makes the part's share of the lanes' shares of their tiles' checksums.
    static FSZ_DEVICE Encoded finished(Encoded done, u32 number)
    {
        done.share = warp_share(done.share, done.rate_byte, done.exists, number * QUAD_TILES);
        return done;
    }
};

} // namespace fsz
