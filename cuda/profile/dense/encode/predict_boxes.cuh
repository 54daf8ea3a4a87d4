// A warp that predicts boxes, in shared memory of its own, for whichever coder asks.
#pragma once

#include "profile/dense/encode/code/box_coder.cuh"
#include "profile/dense/encode/mail.cuh"
#include "profile/dense/meeting.cuh"

namespace fsz
{

/// Predicts boxes that are asked for, until there are no more; gives what became known of their
/// elements. `slot` is the number of the first mail's slot. Called by a warp.
template <class Z>
FSZ_DEVICE Statistics predict_boxes(const typename ArgsOf<Z>::Args &args, const BoxGrid &grid,
                                    const DenseWork &work, EncodeStage &stage, Asked &asked,
                                    Mail<typename Z::Error> *mails, u32 slot, OtherBoxes &others,
                                    Meeting &meeting)
{
    using T = typename Z::Value;
    BoxPredictor<Z> predictor(args, grid, work.programs, stage, PredictorSlot<T>(work, slot),
                              others);
    const Notes notes = predictor.plain.notes();
    notes.keep(Note::ROUND, 0);
    for (;;)
    {
        const TakenMail taken = asked.take();
        const u32 number = same(taken.number);
        if (number == MAILS_MOST)
        {
            return predictor.gathered();
        }
        notes.keep(Note::MAIL, number);
        Mail<typename Z::Error> &mail = mails[number];
        predictor.slot = PredictorSlot<T>(work, slot + number);
        wait_for<PREDICTOR_PAUSE>(&mail.asked, taken.parity);
        notes.keep_box(mail.part.box(), mail.base);
        predictor.plain.points.keep_error(mail.known);
        const u32 round = meeting.join(notes.of(Note::ROUND) + 1);
        notes.keep(Note::ROUND, round);
        if (meeting.worth())
        {
            bring_box_near(predictor.plain.span_of(notes.box()));
            meeting.wait(round);
        }
        auto made = predictor.template predict_noted<true>();
        meeting.leave(others.any() || made.went_long_way());
        made.max_error = warp_larger(made.max_error);
        Mail<typename Z::Error> &own = mails[notes.of(Note::MAIL)];
        if (lane_id() == 0)
        {
            own.box = made;
        }
        barrier_arrive(&own.told);
    }
}

} // namespace fsz
