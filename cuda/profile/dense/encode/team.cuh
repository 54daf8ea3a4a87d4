// Warps of a thread block that encode chunks together: one codes boxes, and the others predict
// those that come next, each in shared memory of its own, while those before are coded.
#pragma once

#include "device/hopper.cuh"
#include "profile/dense/encode/code/box_coder.cuh"
#include "profile/dense/meeting.cuh"

namespace fsz
{

/// Warps of a thread block at most, and those of them that predict: as many as have their boxes in
/// shared memory, on a multiprocessor of compute capability 9.0.
constexpr u32 DENSE_ENCODE_WARPS = 18;
constexpr u32 DENSE_ENCODE_STAGES = 12;

/// The team of a warp, and its place in it; that of the one that codes is 0. The last warps of a
/// thread block code: teams wait for them, and a multiprocessor seems to prefer its last warps
/// where several may go on.
struct TeamPlace
{
    u32 team;
    u32 place;

    FSZ_DEVICE TeamPlace(u32 warp, u32 warps, u32 predictors)
    {
        const u32 teams = warps / (predictors + 1), from_last = warps - 1 - warp;
        const bool codes = from_last < teams;
        team = codes ? from_last : (from_last - teams) / predictors;
        place = codes ? 0 : (from_last - teams) % predictors + 1;
    }
};

/// Nanoseconds between two looks of those that wait: a box takes a hundred thousand to predict, and
/// what the coder waits for all wait for.
constexpr u32 PREDICTOR_PAUSE = 4000;
constexpr u32 CODER_PAUSE = 1000;

/// What of a box its predictor has to know.
struct BoxPart
{
    u64 first;
    u32 n[3];
    u32 shape;

    BoxPart() = default;
    FSZ_DEVICE explicit BoxPart(const Box &box)
        : first(box.first), n{box.n[0], box.n[1], box.n[2]}, shape(box.shape)
    {
    }

    FSZ_DEVICE Box box() const
    {
        return {{}, {n[0], n[1], n[2]}, n[0] * n[1] * n[2], shape, first};
    }

    /// That of another lane.
    FSZ_DEVICE BoxPart of_lane(u32 lane) const
    {
        BoxPart other;
        other.first = __shfl_sync(WARP_ALL, first, lane);
        other.shape = __shfl_sync(WARP_ALL, shape, lane);
#pragma unroll
        for (u32 a = 0; a < 3; ++a)
        {
            other.n[a] = __shfl_sync(WARP_ALL, n[a], lane);
        }
        return other;
    }
};

/// What goes between the coder of a team and one of its predictors about a box, in shared memory.
/// A predictor has a few of them, which it takes in turn. Each side writes its part, then all its
/// lanes arrive at the barrier that those of the other wait at: none of them reads any more what
/// the other may write from then on.
template <class Error> struct Mail
{
    u64 asked;
    u64 told;
    /// What is asked: to predict a box of a chunk that begins with the code `base`, or without
    /// elements to end.
    BoxPart part;
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
/// elements. The first of its mails is `mails`, that of the first of its slots `slot`. Called by a
/// warp.
template <class Z>
FSZ_DEVICE Statistics predict_boxes(const typename ArgsOf<Z>::Args &args, const BoxGrid &grid,
                                    const DenseWork &work, EncodeStage &stage,
                                    Mail<typename Z::Error> *mails, u32 slot, OtherBoxes &others,
                                    Meeting &meeting)
{
    using T = typename Z::Value;
    BoxPredictor<Z> predictor(args, grid, work.programs, stage, PredictorSlot<T>(work, slot),
                              others);
    u32 number = 0, parity = 0, round = 0;
    for (;;)
    {
        const u32 turn = number * work.predictors;
        Mail<typename Z::Error> &mail = mails[turn];
        predictor.slot = PredictorSlot<T>(work, slot + turn);
        wait_for<PREDICTOR_PAUSE>(&mail.asked, parity);
        const Box box = mail.part.box();
        if (same(box.len) == 0)
        {
            return predictor.gathered();
        }
        number = number + 1 < BOXES_READY ? number + 1 : 0;
        parity ^= number == 0 ? 1 : 0;
        predictor.plain.points.keep_error(mail.known);
        round = meeting.join(round + 1);
        if (meeting.worth())
        {
            bring_box_near(predictor.plain.span_of(box));
            meeting.wait(round);
        }
        auto made = predictor.template predict<true>(box, mail.base);
        meeting.leave(others.any() || made.went_long_way());
        made.max_error = warp_larger(made.max_error);
        if (lane_id() == 0)
        {
            mail.box = made;
        }
        // What is in the slot is copied past the first cache.
        __threadfence();
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
    /// Mails of all predictors of the team, of each the first before the second of any.
    const u32 mail_count;
    const u32 predictors;
    /// Boxes that are asked for and not taken yet, the mail that tells of the next one, and the
    /// phase that it tells the end of.
    u32 waiting;
    u32 place;
    u32 parity;
    /// The chunk that is asked for, its boxes that are not yet, and the one of the lane's number.
    Chunk chunk;
    u32 left;
    BoxPart own;
    /// Chunks that have been asked for, at least in part: lane i keeps those that are i modulo 32.
    u32 begun_chunks;
    Chunk kept;
    /// Whether there are no more chunks.
    bool ended;

    FSZ_DEVICE BoxesAhead(const Args &args, const BoxGrid &grid, const DenseWork &work,
                          Mail<Error> *mails)
        : elements(args, grid), grid(grid), points(args, grid.fine), chunks(args.sections.chunks),
          begun(&args.control->begun), mails(mails), mail_count(BOXES_READY * work.predictors),
          predictors(work.predictors), waiting(0), place(0), parity(0), chunk{0, 0}, left(0), own{},
          begun_chunks(0), kept{0, 0}, ended(false)
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
        // Where boxes are takes many instructions: each lane reckons for one.
        own = BoxPart(box_of(grid, first_tile(number) + min(elements.lane, left - 1)));
        for (u32 i = 0; i < left; ++i)
        {
            if (elements.first_code(points, own.of_lane(i).box(), chunk.base))
            {
                break;
            }
        }
        if (elements.lane == begun_chunks % 32)
        {
            kept = chunk;
        }
        ++begun_chunks;
    }

    /// One of the last 32 chunks that have been asked for.
    FSZ_DEVICE Chunk chunk_of(u32 k) const
    {
        return {__shfl_sync(WARP_ALL, kept.number, k % 32),
                __shfl_sync(WARP_ALL, kept.base, k % 32)};
    }

    /// Asks a predictor by a mail for one more box, if there is one; by each mail in turn, as boxes
    /// are taken. The box that it told of before has been coded.
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
        send(of, own, known);
    }

    /// Sends what the lane `left` has.
    FSZ_DEVICE void send(u32 to, const BoxPart &part, const Error &known)
    {
        Mail<Error> &mail = mails[to];
        // All lanes have read what the predictor told.
        __syncwarp();
        if (elements.lane == left)
        {
            mail.part = part;
            mail.base = chunk.base;
            mail.known = known;
        }
        barrier_arrive(&mail.asked);
    }

    /// Waits for the next box; gives the mail that tells of it.
    FSZ_DEVICE u32 take()
    {
        const u32 from = place;
        wait_for<CODER_PAUSE>(&mails[from].told, parity);
        --waiting;
        place = next(from);
        parity ^= place == 0 ? 1 : 0;
        return from;
    }

    FSZ_DEVICE u32 next(u32 mail) const { return mail + 1 < mail_count ? mail + 1 : 0; }

    /// Tells the predictors to end, by the mail that each waits for: all boxes have been taken.
    FSZ_DEVICE void end()
    {
        for (u32 k = 0, to = place; k < predictors; ++k, to = next(to))
        {
            send(to, BoxPart{}, Error{});
        }
    }
};

} // namespace fsz
