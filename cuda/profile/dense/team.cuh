// Warps of a thread block that encode chunks together: one codes boxes, and the others predict
// those that come next, each in shared memory of its own.
#pragma once

#include "device/hopper.cuh"
#include "profile/dense/box_coder.cuh"

namespace fsz
{

/// Warps of a thread block at most, and those of them that predict: as many as have their boxes in
/// shared memory, on a multiprocessor of compute capability 9.0.
constexpr u32 DENSE_ENCODE_WARPS = 18;
constexpr u32 DENSE_ENCODE_STAGES = 12;

/// The place of a warp in its team; that of the one that codes is 0. Warps of a team are numbered
/// one after another. Those that code are spread over the parts of a multiprocessor, which take
/// warps in turn.
FSZ_DEVICE u32 team_place(u32 warp, u32 team_warps)
{
    return (warp + warp / team_warps) % team_warps;
}

/// Nanoseconds between two looks of those that wait: a box takes a hundred thousand to predict, and
/// what the coder waits for all wait for.
constexpr u32 PREDICTOR_PAUSE = 4000;
constexpr u32 CODER_PAUSE = 300;

/// The tile that tells a predictor to end.
constexpr u32 NO_TILE = ~0u;

/// What goes between the coder of a team and one of its predictors, in shared memory. Each writes
/// its part, then all its lanes arrive at the barrier that those of the other wait at: none of them
/// reads any more what the other may write from then on.
template <class Error> struct Mail
{
    u64 asked;
    u64 told;
    /// What is asked: to predict a box of a chunk that begins with the code `base`.
    u32 tile;
    i32 base;
    /// The largest error of the boxes before.
    Error known;
    /// What is told.
    PredictedBox<Error> box;

    /// Called by one thread, before any other looks.
    FSZ_DEVICE void init()
    {
        barrier_init(&asked, 32);
        barrier_init(&told, 32);
    }
};

/// Waits for a phase, and looks again every so many nanoseconds: each look takes instructions from
/// the warps that work. Called by a warp.
template <u32 PAUSE> FSZ_DEVICE void wait_for(u64 *barrier, u32 parity)
{
    while (!__all_sync(WARP_ALL, barrier_over(barrier, parity)))
    {
        __nanosleep(PAUSE);
    }
}

/// Predicts boxes that are asked for, until there are no more; gives what became known of their
/// elements. Called by a warp.
template <class Z>
FSZ_DEVICE Statistics predict_boxes(const typename ArgsOf<Z>::Args &args, const BoxGrid &grid,
                                    const DenseWork &work, EncodeStage &stage,
                                    Mail<typename Z::Error> &mail, u32 slot)
{
    using T = typename Z::Value;
    BoxPredictor<Z> predictor(args, grid, work.programs, stage, PredictorSlot<T>(work, slot));
    for (u32 parity = 0;; parity ^= 1)
    {
        wait_for<PREDICTOR_PAUSE>(&mail.asked, parity);
        const u32 tile = mail.tile;
        if (tile == NO_TILE)
        {
            return predictor.gathered();
        }
        predictor.plain.points.keep_error(mail.known);
        auto made = predictor.template predict<true>(box_of(grid, tile), mail.base);
        made.max_error = warp_larger(made.max_error);
        if (lane_id() == 0)
        {
            mail.box = made;
        }
        barrier_arrive(&mail.told);
    }
}

/// The coder's side: asks for the boxes of chunks, from the last of each to the first, and takes
/// them in the same order.
template <class Z> struct BoxesAhead
{
    using T = typename Z::Value;
    using Error = typename Z::Error;
    using Args = typename ArgsOf<Z>::Args;

    /// A chunk, and the code that it begins with.
    struct Chunk
    {
        u32 number;
        i32 base;
    };

    const BoxElements<Z> elements;
    const BoxGrid &grid;
    const Points<Z> points;
    const u64 chunks;
    u32 *const begun;
    Mail<Error> *const mails;
    const u32 predictors;
    /// Boxes that are asked for and not taken yet, the place in the team of the warp that predicts
    /// the next one, and the phase that it tells the end of.
    u32 waiting;
    u32 place;
    u32 parity;
    /// The chunk that is asked for, and its boxes that are not yet.
    Chunk chunk;
    u32 left;
    /// Whether there are no more chunks.
    bool ended;

    FSZ_DEVICE BoxesAhead(const Args &args, const BoxGrid &grid, const DenseWork &work,
                          Mail<Error> *mails)
        : elements(args, grid), grid(grid), points(args, grid.fine), chunks(args.sections.chunks),
          begun(&args.control->begun), mails(mails), predictors(work.predictors), waiting(0),
          place(0), parity(0), chunk{0, 0}, left(0), ended(false)
    {
    }

    FSZ_DEVICE u32 first_tile(u32 number) const { return number * grid.chunk_tiles; }
    FSZ_DEVICE u32 count(u32 number) const
    {
        return min(grid.chunk_tiles, grid.tiles - first_tile(number));
    }

    /// Goes on to the next chunk.
    FSZ_DEVICE void next_chunk()
    {
        u32 number = 0;
        if (elements.lane == 0)
        {
            number = atomicAdd(begun, 1);
        }
        number = __shfl_sync(WARP_ALL, number, 0);
        ended = number >= chunks;
        if (ended)
        {
            return;
        }
        chunk = {number, 0};
        left = count(number);
        for (u32 i = 0; i < left; ++i)
        {
            if (elements.first_code(points, box_of(grid, first_tile(number) + i), chunk.base))
            {
                break;
            }
        }
    }

    /// Asks a predictor for one more box, if there is one; each in turn, as boxes are taken. All
    /// that was predicted in its place has been coded.
    FSZ_DEVICE void ask(u32 of, const Error &known)
    {
        if (left == 0 && !ended)
        {
            next_chunk();
        }
        if (ended)
        {
            return;
        }
        --left;
        ++waiting;
        send(of, first_tile(chunk.number) + left, known);
    }

    FSZ_DEVICE void send(u32 to, u32 tile, const Error &known)
    {
        Mail<Error> &mail = mails[to];
        // All lanes have read what the predictor told.
        __syncwarp();
        if (elements.lane == 0)
        {
            mail.tile = tile;
            mail.base = chunk.base;
            mail.known = known;
        }
        barrier_arrive(&mail.asked);
    }

    /// Waits for the next box; gives the place in the team of the warp that predicted it, from 0.
    FSZ_DEVICE u32 take()
    {
        const u32 from = place;
        wait_for<CODER_PAUSE>(&mails[from].told, parity);
        --waiting;
        place = from + 1 < predictors ? from + 1 : 0;
        parity ^= place == 0 ? 1 : 0;
        return from;
    }

    /// Tells the predictors to end.
    FSZ_DEVICE void end()
    {
        for (u32 to = 0; to < predictors; ++to)
        {
            send(to, NO_TILE, Error{});
        }
    }
};

} // namespace fsz
