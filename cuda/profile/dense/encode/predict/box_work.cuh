// What all ways of predicting a box work with, and what they learn of the field's elements.
#pragma once

#include "profile/dense/encode/box/elements.cuh"
#include "profile/dense/encode/plain/box.cuh"
#include "profile/dense/encode/predict/predicted_box.cuh"
#include "profile/dense/encode/predict/walk.cuh"
#include "profile/dense/encode/record.cuh"

namespace fsz
{

/// A predictor's memory, and its ways that any of the others take.
template <class Z> struct BoxWork : BoxElements<Z>
{
    using T = typename Z::Value;
    using Error = typename Z::Error;
    using Args = typename ArgsOf<Z>::Args;
    using Bits = typename Element<T>::Bits;
    using BoxElements<Z>::args;
    using BoxElements<Z>::grid;
    using BoxElements<Z>::lane;

    const EncodeProgram *const programs;
    EncodeStage &stage;
    PredictorSlot<T> slot;
    const Interpolation how;
    PlainBoxes<Z> plain;
    /// What is known of the field's elements.
    Statistics statistics;

    FSZ_DEVICE BoxWork(const Args &args, const BoxGrid &grid, const EncodeProgram *programs,
                       EncodeStage &stage, const PredictorSlot<T> &slot)
        : BoxElements<Z>(args, grid), programs(programs), stage(stage), slot(slot), how(grid),
          plain(args, grid, shared_address(stage.words)), statistics{}
    {
    }

    FSZ_DEVICE bool bit(const u32 *bits, u32 at) const { return bits[at / 32] >> at % 32 & 1; }

    /// Marks nothing behind the last element of a box as masked or listed.
    FSZ_DEVICE void clear_behind(u32 len)
    {
        for (u32 word = (len + 31) / 32 + lane; word < DENSE_BOX / 32; word += 32)
        {
            stage.mask()[word] = 0;
            slot.listed()[word] = 0;
        }
        __syncwarp();
    }

    /// Lists what is masked of a box if it is a single element and any may be listed; gives how
    /// many are still masked.
    FSZ_DEVICE u32 list_single(const Box &box, u32 masked)
    {
        if (masked != 1 || box.len < DENSE_LISTED_SHARE)
        {
            return masked;
        }
        for (u32 word = lane; word < DENSE_BOX / 32; word += 32)
        {
            slot.listed()[word] |= stage.mask()[word];
            stage.mask()[word] = 0;
        }
        __syncwarp();
        return 0;
    }

    /// Writes the record of a box; gives its words, 0 where there is nothing to tell.
    FSZ_DEVICE u32 record_of(const Box &box, u32 mask, Bits pattern, u32 listed) const
    {
        return write_record(plain.span_of(box), &args.missing, slot.record(),
                            Escaped<Bits>{mask, pattern, listed}, slot.listed());
    }

    FSZ_DEVICE static u32 mask_kind(const Box &box, u32 masked)
    {
        return masked == 0 ? MASK_NONE : masked == box.len ? MASK_ALL : MASK_CODED;
    }

    /// Takes in so many elements of the same bits, if the range is not known.
    FSZ_DEVICE void take_alike(Bits pattern, u32 count)
    {
        if (lane == 0 && !args.control->range_known && count > 0)
        {
            const T d = value_of(pattern);
            is_number(d) && !args.missing.is(pattern) ? take_range(d) : take_masked(pattern, count);
        }
    }

    /// Takes in so many elements of the same bits that are no numbers or missing.
    FSZ_DEVICE void take_masked(Bits pattern, u32 count)
    {
        const T d = value_of(pattern);
        const bool named = args.missing.is(pattern);
        statistics.missing += named ? count : 0;
        statistics.nan += !named && is_nan(d) ? count : 0;
        statistics.inf += !named && !is_number(d) && !is_nan(d) ? count : 0;
    }

    /// What is known of a field's elements while they are predicted.
    FSZ_DEVICE void take_range(T d)
    {
        if (is_number(d) && !args.missing.is(bits_of(d)))
        {
            const Bits key = order_key(d);
            statistics.max_key = max(statistics.max_key, static_cast<u64>(key));
            statistics.min_key = max(statistics.min_key, static_cast<u64>(static_cast<Bits>(~key)));
            return;
        }
        take_masked(bits_of(d), 1);
    }

    /// All that is known.
    FSZ_DEVICE Statistics gathered() const
    {
        Statistics all = statistics;
        if (plain.low <= plain.high)
        {
            all.max_key = max(all.max_key, static_cast<u64>(order_key(plain.high)));
            all.min_key =
                max(all.min_key, static_cast<u64>(static_cast<Bits>(~order_key(plain.low))));
        }
        return all;
    }
};

} // namespace fsz
