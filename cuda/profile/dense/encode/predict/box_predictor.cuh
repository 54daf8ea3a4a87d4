// Boxes to residuals, a warp to each box: predicted forward, as the decoder will. Plain boxes,
// which nearly all are, have a way of their own; the others go one that takes any box.
#pragma once

#include "profile/dense/encode/plain/far.cuh"
#include "profile/dense/encode/predict/escaped_box.cuh"

namespace fsz
{

/// Predicts boxes by a quantizer.
template <class Z> struct BoxPredictor : EscapedBoxes<Z>
{
    using Ways = EscapedBoxes<Z>;
    using typename Ways::Args;
    using typename Ways::Bits;
    using typename Ways::Error;
    using typename Ways::Predicted;
    using typename Ways::T;
    using Ways::args;
    using Ways::element;
    using Ways::grid;
    using Ways::lane;
    using Ways::plain;
    using Ways::programs;
    using Ways::record_of;
    using Ways::slot;
    using Ways::statistics;
    using Ways::take_alike;
    using Ways::WORDS;

    OtherBoxes &others;

    FSZ_DEVICE BoxPredictor(const Args &args, const BoxGrid &grid, const EncodeProgram *programs,
                            EncodeStage &stage, const PredictorSlot<T> &slot, OtherBoxes &others)
        : Ways(args, grid, programs, stage, slot), others(others)
    {
    }

    /// The distance from the first code of a box to the farthest.
    FSZ_DEVICE u32 reach(const Box &box, i32 first) const
    {
        // Few boxes are looked at: what takes time is to wait for each load, and for each code.
        constexpr u32 AT_ONCE = 8 / WORDS;
        u32 most = 0;
        const u32 len = same(box.len);
#pragma unroll 1
        for (u32 from = 0; from < len; from += 32 * AT_ONCE)
        {
            T values[AT_ONCE];
#pragma unroll
            for (u32 k = 0; k < AT_ONCE; ++k)
            {
                values[k] = element(box, min(from + 32 * k + lane, len - 1));
            }
#pragma unroll
            for (u32 k = 0; k < AT_ONCE; ++k)
            {
                i32 code;
                const bool has = plain.points.code_of(values[k], code);
                most = has ? max(most, static_cast<u32>(abs(code - first))) : most;
            }
        }
        return warp_max(most);
    }

    /// Lists the elements of a plain box that have no target or do not keep the bound, and takes
    /// the largest error of the others, and the range; whether they are few enough, and the walk
    /// took none of them for another.
    template <bool MASKED>
    FSZ_DEVICE bool list_of_plain(const Box &box, typename PlainBoxes<Z>::Outcome &out, u32 &listed)
    {
        listed = 0;
        if (!out.walked.far())
        {
            return true;
        }
        const bool guessed = plain.has_guessed_targets();
        if (guessed && out.listed == 0)
        {
            return false;
        }
        const Points<Z> &points = plain.points;
        const Decoded<Error, T> known{plain.points.known_error(), plain.low, plain.high};
        const auto far = Apart<MASKED, LAYOUT_LINE>::call(
            [span = plain.span_of(box), at = plain.stage, layout = layout_of(grid), points,
             own = plain.notes().own(), left = LeftOut<T, MASKED>{out.pattern, out.single},
             without = out.listed, known, range = !plain.range_known(), to = slot.listed()]() {
                return list_far(span, at, layout, points, own, left, without, known, range, to);
            });
        plain.low = far.found.low;
        plain.high = far.found.high;
        listed = far.count;
        out.max_error = far.found.error;
        return listed <= box.len / DENSE_LISTED_SHARE && !(guessed && listed != out.listed);
    }

    /// Predicts the box of the notes if it is plain; false for any other, which may be found a
    /// misfit if all of its elements have codes.
    FSZ_DEVICE bool plain_box(Predicted &made, bool &misfit)
    {
        const Notes notes = plain.notes();
        i32 first;
        if (!plain.points.code_of(__ldg(args.field + notes.box().first), first))
        {
            return false;
        }
        auto out = plain.template predict<false>(programs, first, slot.residuals());
        misfit = out.misfit.known;
        u32 record = 0, listed;
        const Box box = notes.box();
        if (!out.walked.fits() || !list_of_plain<false>(box, out, listed))
        {
            return false;
        }
        if (listed > 0)
        {
            record = record_of(box, MASK_NONE, 0, listed);
        }
        const i32 own = notes.own();
        const bool symbols = own != notes.base() || !out.walked.flat();
        made = {box.len,
                box.shape,
                Kept::PLAIN,
                symbols ? MODE_INTERPOLATED : MODE_FLAT,
                own,
                out.walked.flags(),
                0,
                out.walked.groups,
                record,
                listed,
                listed,
                symbols,
                out.max_error};
        return true;
    }

    /// Turns the elements of a box into codes at `stage`, and takes the range of those that have
    /// one. Unless it is CODED a box is one of few.
    template <bool CODED> FSZ_DEVICE LorenzoCodes<Error, T> codes_of(const Box &box)
    {
        __syncwarp();
        LorenzoCodes<Error, T> codes;
        if constexpr (CODED)
        {
            const bool line = box.n[2] == box.len;
            const bool wide = plain.wide(box) && lorenzo_lane_len(box.len) % LORENZO_QUAD == 0;
            codes = line ? (wide ? codes_by<LAYOUT_LINE, 4>(box) : codes_by<LAYOUT_LINE, 1>(box))
                         : (wide ? codes_by<LAYOUT_BRICK, 4>(box) : codes_by<LAYOUT_BRICK, 1>(box));
        }
        else
        {
            codes = codes_by<LAYOUT_BRICK, 1>(box);
        }
        plain.low = codes.found.low;
        plain.high = codes.found.high;
        __syncwarp();
        return codes;
    }

    template <u32 LAYOUT, u32 WIDTH>
    FSZ_DEVICE LorenzoCodes<Error, T> codes_by(const Box &box) const
    {
        const Decoded<Error, T> found{Error{}, plain.low, plain.high};
        const Points<Z> &points = plain.points;
        return Apart<false, LAYOUT>::call(
            [span = plain.span_of(box), at = plain.stage, points, range = !plain.range_known(),
             found]() { return lorenzo_codes<LAYOUT, WIDTH>(span, at, points, range, found); });
    }

    /// Predicts a plain box, whose codes are known, by Lorenzo prediction; false for any other.
    FSZ_DEVICE bool lorenzo_box(const Box &box, i32 base, const LorenzoCodes<Error, T> &codes,
                                Predicted &made)
    {
        if (codes.without > 0)
        {
            return false;
        }
        const LorenzoBox out = Apart<false, LAYOUT_BRICK>::call(
            [at = plain.stage, len = box.len, to = slot.lorenzo()]() {
                return predict_lorenzo(at, len, to);
            });
        __syncwarp();
        if (!out.plain)
        {
            return false;
        }
        const bool symbols = out.own != base || !out.flat;
        made = {box.len,
                box.shape,
                this->kept_in_words(),
                !symbols         ? MODE_FLAT
                : out.order == 1 ? MODE_LORENZO_1
                                 : MODE_LORENZO_2,
                out.own,
                0,
                0,
                lorenzo_lane_len(box.len),
                0,
                0,
                0,
                symbols,
                codes.found.error};
        return true;
    }

    /// Predicts the box, that of the notes, of which some elements are masked or have no targets,
    /// and that is plain but for them; false for any other. The first element with a code has
    /// `own`.
    FSZ_DEVICE bool masked_box(const Box &box, i32 base, i32 own, Predicted &made, Misfit &misfit)
    {
        auto out = plain.template predict<true>(programs, own, slot.residuals());
        misfit = out.misfit;
        u32 listed;
        if (!out.walked.fits() || !list_of_plain<true>(box, out, listed))
        {
            return false;
        }
        take_alike(out.pattern, out.masked);
        const bool coded = out.masked > 0 && !out.single;
        const u32 record = record_of(box, coded ? MASK_CODED : MASK_NONE, out.pattern, listed);
        const bool symbols = coded || own != base || !out.walked.flat();
        made = {box.len,
                box.shape,
                Kept::PLAIN,
                symbols ? MODE_INTERPOLATED : MODE_FLAT,
                own,
                out.walked.flags(),
                out.mask_steps,
                out.walked.groups,
                record,
                listed,
                coded ? out.masked + listed : listed,
                symbols,
                out.max_error};
        return true;
    }

    /// Predicts a box whose elements all have the same bits and no code; false for any other. No
    /// element has a code.
    FSZ_DEVICE bool uniform_box(const Box &box, i32 base, Predicted &made)
    {
        const T first = __ldg(args.field + box.first);
        const Bits pattern = bits_of(first);
        if (plain.points.between_codes(first, plain.points.targets(base)) ||
            Apart<true, LAYOUT_LINE>::call([span = plain.span_of(box), pattern]() {
                return any_element(span, [&](T d) { return bits_of(d) != pattern; });
            }))
        {
            return false;
        }
        take_alike(pattern, box.len);
        made = {box.len,   box.shape, Kept::RESIDUALS,
                MODE_FLAT, base,      0,
                0,         0,         record_of(box, MASK_ALL, pattern, 0),
                0,         box.len,   false,
                {}};
        return true;
    }

    /// Predicts a box of a chunk that begins with the code `base`; unless it is CODED it may lack
    /// the differences of an exact box.
    template <bool CODED> FSZ_DEVICE Predicted predict(const Box &box, i32 base)
    {
        plain.notes().keep_box(box, base);
        return predict_noted<CODED>();
    }

    /// The same of the box of the notes.
    template <bool CODED> FSZ_DEVICE Predicted predict_noted()
    {
        const Notes notes = plain.notes();
        Predicted made;
        // The same in all lanes, and the compiler is to know it: it would keep those that are
        // apart.
        if (same(grid.predictor) == DENSE_LORENZO)
        {
            const Box box = notes.box();
            const LorenzoCodes<Error, T> codes = codes_of<CODED>(box);
            if constexpr (CODED)
            {
                if (lorenzo_box(box, notes.base(), codes, made))
                {
                    return made;
                }
            }
            return beside([box, base = notes.base(), codes](BoxPredictor &own) {
                return own.template escaped_box<CODED>(box, base, codes.found.error, false);
            });
        }
        bool misfit = false;
        if (!others.any() && plain_box(made, misfit))
        {
            return made;
        }
        made = beside([box = notes.box(), base = notes.base(), misfit](BoxPredictor &own) {
            return own.template other_box<CODED>(box, base, misfit);
        });
        if (CODED && made.kept != Kept::DIFFERENCES)
        {
            others.take(made.escaped > made.listed, made.escaped > 0);
        }
        return made;
    }

    /// What is done apart leaves.
    struct Beside
    {
        Predicted made;
        Statistics statistics;
        T low;
        T high;
    };

    /// Does a part of the work by a copy of this: plain boxes are predicted by few registers, which
    /// others would take.
    template <class Work> FSZ_DEVICE Predicted beside(const Work &work)
    {
        const Beside after = Elsewhere::call([copy = *this, work]() {
            BoxPredictor own(copy);
            const Predicted made = work(own);
            return Beside{made, own.statistics, own.plain.low, own.plain.high};
        });
        statistics = after.statistics;
        plain.low = after.low;
        plain.high = after.high;
        return after.made;
    }

    /// Predicts a box that is not plain, and may be known to be a misfit if all of its elements
    /// have codes.
    template <bool CODED> FSZ_DEVICE Predicted other_box(const Box &box, i32 base, bool unfit)
    {
        Misfit misfit{unfit, plain.has_guessed_targets() ? 0 : Misfit::ANY};
        Predicted made;
        i32 own = base;
        const bool any = this->first_code(plain.points, box, own);
        if (!any && uniform_box(box, base, made))
        {
            return made;
        }
        // Few boxes are only counted; a driver compiles that kernel in half the time without what
        // is CODED alone.
        if constexpr (CODED)
        {
            if (any && !misfit.known && masked_box(box, base, own, made, misfit))
            {
                return made;
            }
        }
        bool looked_at = false;
        for (;;)
        {
            if (!misfit.known)
            {
                looked_at = true;
                made = beside([=](BoxPredictor &copy) { return copy.any_box(box, base, own); });
                if (made.len > 0)
                {
                    return made;
                }
            }
            const LorenzoCodes<Error, T> codes = codes_of<CODED>(box);
            if (looked_at || misfit.holds(codes.without))
            {
                if constexpr (CODED)
                {
                    if (lorenzo_box(box, base, codes, made))
                    {
                        return made;
                    }
                }
                return Ways::template escaped_box<CODED>(box, base, codes.found.error, looked_at);
            }
            misfit.known = false;
        }
    }
};

} // namespace fsz
