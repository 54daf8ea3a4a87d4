// The boxes of chunks that a coder asks for ahead, while those before are coded.
#pragma once

#include "profile/dense/encode/box/elements.cuh"
#include "profile/dense/encode/mail.cuh"
#include "profile/dense/encode/memory.cuh"

namespace fsz
{

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
    /// The mails of all coders of the thread block, of these the first of this one's, and how many
    /// it has.
    Asked &asked;
    Mail<Error> *const mails;
    const u32 first_mail;
    const u32 mail_count;
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

    /// `coder`: the number of this one in the thread block.
    FSZ_DEVICE BoxesAhead(const Args &args, const BoxGrid &grid, const DenseWork &work,
                          Asked &asked, Mail<Error> *mails, u32 coder)
        : elements(args, grid), grid(grid), points(args, grid.fine), chunks(args.sections.chunks),
          begun(&args.control->begun), asked(asked), mails(mails), first_mail(coder * work.ahead),
          mail_count(work.ahead), waiting(0), place(0), parity(0), chunk{0, 0}, left(0), own{},
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

    /// Asks for as many boxes as there are mails.
    FSZ_DEVICE void begin(const Error &known)
    {
        for (u32 k = 0; k < mail_count; ++k)
        {
            ask(first_mail + k, 0, known);
        }
    }

    /// Asks for one more box, if there is one, by a mail that is free, and whose barrier is in a
    /// phase of this parity.
    FSZ_DEVICE void ask(u32 by, u32 phase, const Error &known)
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
        Mail<Error> &mail = mails[by];
        // All lanes have read what was told by it.
        __syncwarp();
        if (elements.lane == left)
        {
            mail.part = own;
            mail.base = chunk.base;
            mail.known = known;
        }
        barrier_arrive(&mail.asked);
        if (elements.lane == 0)
        {
            asked.tell(by, phase);
        }
    }

    /// Asks for one more box by the mail of the last one taken, which has been coded.
    FSZ_DEVICE void ask_again(const Error &known)
    {
        ask(first_mail + (place > 0 ? place : mail_count) - 1, place > 0 ? parity ^ 1 : parity,
            known);
    }

    /// Waits for the next box; gives the mail that tells of it.
    FSZ_DEVICE u32 take()
    {
        const u32 from = first_mail + place;
        wait_for<CODER_PAUSE>(&mails[from].told, parity);
        --waiting;
        place = place + 1 < mail_count ? place + 1 : 0;
        parity ^= place == 0 ? 1 : 0;
        return from;
    }
};

} // namespace fsz
