//! The symbols of a box, whoever takes them: for the coder, or to be counted.

use super::{
    Choice, Predictor,
    escapes::{Escapes, Mask},
    lorenzo::{self, Lane},
    mask,
    order::{Order, Pass, Point},
    predict::{Interpolation, Steps},
    symbols::residual,
};
use crate::{
    element::Element,
    format::dense::{LANES, LORENZO_CONTEXTS, MOST_VALUE, PART_BITS, PASS_FLAGS},
    missing::is_missing,
    profile::Plan,
    quantize,
};

/// Takes symbols, step by step, lanes in rising order.
pub(super) trait Sink {
    fn residual(&mut self, lane: usize, context: u8, r: i32);
    fn difference(&mut self, lane: usize, context: u8, l: i32);
    fn flag(&mut self, lane: usize, context: u8, flag: bool);
    /// Ends a step.
    fn end_step(&mut self);
}

/// The elements of a box, looked at once.
pub(super) struct Looked {
    /// Their codes, as far as they have any: not missing, finite, and not too large.
    codes: Vec<Option<i32>>,
    /// The first code.
    pub first_code: Option<i32>,
    /// The bits of the first element without a code.
    pattern: Option<u64>,
}

impl Looked {
    /// The distance from the first code to the farthest.
    pub fn reach(&self) -> i64 {
        let first = self.first_code.unwrap_or(0) as i64;
        self.codes.iter().flatten().map(|&q| (q as i64 - first).abs()).max().unwrap_or(0)
    }
}

/// What the elements that have codes came to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome<T> {
    pub max_error: T,
    pub flat: bool,
}

/// How the boxes of a field are quantized and predicted.
pub(super) struct BoxCoder<'a, T> {
    plan: &'a Plan<T>,
    pub choice: Choice,
    /// Parts of lattice points in a unit.
    parts: f64,
    /// The lattice.
    lattice: T,
    values: Vec<i32>,
    codes: Vec<i32>,
    masks: Vec<u8>,
    found: Found,
}

/// A box may not be coded so: its values leave the lattice, or too many elements would be listed.
pub(super) struct Unfit;

impl<'a, T: Element> BoxCoder<'a, T> {
    pub fn new(plan: &'a Plan<T>, choice: Choice) -> Self {
        let fine = choice.fine as i32;
        let step = plan.quantizer.step;
        BoxCoder {
            plan,
            choice,
            parts: 2f64.powi(PART_BITS as i32 + fine) / step.to_f64(),
            lattice: step.mul(T::from_f64(2f64.powi(-fine))),
            values: Vec::new(),
            codes: Vec::new(),
            masks: Vec::new(),
            found: Found::default(),
        }
    }

    pub fn look(&self, elements: &[T]) -> Looked {
        Self::looked(elements, elements.iter().map(|&d| self.code(d)).collect())
    }

    fn looked(elements: &[T], codes: Vec<Option<i32>>) -> Looked {
        let without = codes.iter().position(Option::is_none);
        Looked {
            first_code: codes.iter().flatten().next().copied(),
            pattern: without.map(|at| elements[at].to_bits64()),
            codes,
        }
    }

    /// The base of a chunk: its first code.
    pub fn base(&self, elements: &[T]) -> i32 {
        elements.iter().find_map(|&d| self.code(d)).unwrap_or(0)
    }

    fn code(&self, d: T) -> Option<i32> {
        if is_missing(d, &self.plan.missing) {
            return None;
        }
        quantize::nearest(d, &self.plan.quantizer)
    }

    /// The mask, which no coding of the box changes: of the elements without a code those that have the bits
    /// of the first. Leaves it in `self.masks`, too.
    fn mask(&mut self, elements: &[T], looked: &Looked) -> Escapes {
        self.masks.clear();
        self.masks.resize(elements.len(), 0);
        let Some(pattern) = looked.pattern else { return Escapes::NONE };
        let mut masked = 0;
        for ((mask, d), code) in self.masks.iter_mut().zip(elements).zip(&looked.codes) {
            *mask = (code.is_none() && d.to_bits64() == pattern) as u8;
            masked += *mask as usize;
        }
        let mask = if masked == elements.len() { Mask::All } else { Mask::Coded };
        Escapes { mask, pattern, listed: Vec::new() }
    }

    /// Codes a box by interpolation.
    pub fn interpolate(
        &mut self,
        order: &Order,
        elements: &[T],
        looked: &Looked,
        base: i32,
        sink: &mut impl Sink,
    ) -> Result<(Outcome<T>, Escapes), Unfit> {
        let Predictor::Interpolation(taps) = self.choice.predictor else { return Err(Unfit) };
        let mut escapes = self.mask(elements, looked);
        let fine = self.choice.fine;
        let own = looked.first_code.unwrap_or(base);
        let zero = own as f64 * 2f64.powi((PART_BITS + fine) as i32);
        let reach = (MOST_VALUE << PART_BITS) as f64;
        let far = |at: usize| (at as u16, elements[at].to_bits64());
        let mut targets = std::mem::take(&mut self.codes);
        targets.clear();
        for (at, (&d, code)) in elements.iter().zip(&looked.codes).enumerate() {
            let part = code.map(|_| (d.to_f64() * self.parts - zero).round_ties_even());
            targets.push(match part {
                Some(part) if part.abs() <= reach => part as i32,
                _ => {
                    if self.masks[at] == 0 {
                        escapes.listed.push(far(at));
                    }
                    ANY
                }
            });
        }
        self.values.clear();
        self.values.resize(elements.len(), 0);
        self.found.clear();
        let (masks, found) = (&self.masks, &mut self.found);
        let mut steps = Residuals { targets: &targets, masks, fine, found, unfit: false };
        Interpolation { taps, fine }.walk(order, &mut self.values, &mut steps);
        let unfit = steps.unfit;
        let mut max_error = T::ZERO;
        if !unfit {
            let zero = own << fine;
            let listed = std::mem::take(&mut escapes.listed);
            let mut before = listed.into_iter().peekable();
            for (at, &d) in elements.iter().enumerate() {
                if targets[at] == ANY {
                    escapes.listed.extend(before.next_if(|l| l.0 as usize == at));
                    continue;
                }
                let back = T::from_code(zero.wrapping_add(self.values[at])).mul(self.lattice);
                let error = d.sub(back).magnitude();
                if error < self.plan.quantizer.limit {
                    max_error = if error > max_error { error } else { max_error };
                } else {
                    escapes.listed.push(far(at));
                }
            }
        }
        self.codes = targets;
        if unfit || escapes.listed.len() > elements.len() / 32 {
            return Err(Unfit);
        }
        if escapes.mask == Mask::Coded {
            code_mask(order, &self.masks, sink);
        }
        sink.difference(0, LORENZO_CONTEXTS, own.wrapping_sub(base));
        sink.end_step();
        let flags = self.found.flags();
        self.found.give(order, &flags, sink);
        let flat = own == base && escapes.mask != Mask::Coded && !flags.contains(&true);
        Ok((Outcome { max_error, flat }, escapes))
    }

    /// Codes a box by Lorenzo prediction; gives the order too.
    pub fn lorenzo(
        &mut self,
        order: &Order,
        elements: &[T],
        base: i32,
        sink: &mut impl Sink,
    ) -> Result<(Outcome<T>, Escapes, u8), Unfit> {
        let z = &self.plan.quantizer;
        let mut max_error = T::ZERO;
        let mut strict = |d: T| {
            let q = self.code(d)?;
            let error = d.sub(T::from_code(q).mul(z.step)).magnitude();
            let kept = error < z.limit;
            max_error = if kept && error > max_error { error } else { max_error };
            kept.then_some(q)
        };
        let codes = elements.iter().map(|&d| strict(d)).collect();
        let looked = Self::looked(elements, codes);
        let mut escapes = self.mask(elements, &looked);
        for (at, (code, d)) in looked.codes.iter().zip(elements).enumerate() {
            if code.is_none() && self.masks[at] == 0 {
                escapes.listed.push((at as u16, d.to_bits64()));
            }
        }
        if escapes.listed.len() > elements.len() / 4 {
            return Err(Unfit);
        }
        if escapes.mask == Mask::Coded {
            code_mask(order, &self.masks, sink);
        }
        let own = looked.first_code.unwrap_or(base);
        let mut count = Lengths(0);
        let cost = [1, 2].map(|order| {
            differences(&looked.codes, own, order, &mut count);
            std::mem::take(&mut count.0)
        });
        let order = if cost[0] <= cost[1] { 1 } else { 2 };
        sink.difference(0, LORENZO_CONTEXTS, own.wrapping_sub(base));
        sink.end_step();
        differences(&looked.codes, own, order, sink);
        let flat = own == base && cost[0] == 0 && escapes.mask != Mask::Coded;
        Ok((Outcome { max_error, flat }, escapes, order))
    }
}

/// Codes the words of a box's elements, those of all elements after another.
pub(super) fn exact<T: Element>(elements: &[T], sink: &mut impl Sink) {
    for word in 0..T::DTYPE.words() {
        let codes: Vec<_> =
            elements.iter().map(|d| Some((d.to_bits64() >> (32 * word)) as i32)).collect();
        differences(&codes, 0, 1, sink);
    }
}

/// The target of an element that may come out as anything.
const ANY: i32 = i32::MIN;

fn code_mask(order: &Order, masks: &[u8], sink: &mut impl Sink) {
    let mut known = vec![0; masks.len()];
    mask::walk(order, &mut known, |points, contexts, own| {
        for (lane, p) in points.iter().enumerate() {
            own[lane] = masks[p.at as usize];
            sink.flag(lane, contexts[lane], own[lane] == 1);
        }
        sink.end_step();
    });
}

/// The residuals of a box to its targets, in the order of coding.
struct Residuals<'a> {
    targets: &'a [i32],
    masks: &'a [u8],
    fine: u32,
    found: &'a mut Found,
    unfit: bool,
}

/// Residuals with their lanes and contexts, step by step, pass by pass; the first pass is the corners.
#[derive(Default)]
struct Found {
    symbols: Vec<(u8, u8, i32)>,
    steps: Vec<u8>,
    /// Symbols and steps before each pass.
    passes: Vec<(usize, usize)>,
}

impl Found {
    fn clear(&mut self) {
        self.symbols.clear();
        self.steps.clear();
        self.passes.clear();
        self.passes.push((0, 0));
    }

    /// Whether each pass has a residual that is not 0.
    fn flags(&self) -> Vec<bool> {
        let begins = self.passes.iter().map(|p| p.0);
        let ends = self.passes[1..].iter().map(|p| p.0).chain([self.symbols.len()]);
        begins.zip(ends).map(|(a, b)| self.symbols[a..b].iter().any(|s| s.2 != 0)).collect()
    }

    /// Gives the symbols: corners, the flags of the passes, then those of passes that have any.
    fn give(&self, order: &Order, flags: &[bool], sink: &mut impl Sink) {
        let corners = !order.corners.is_empty() as usize;
        let mut symbols = &self.symbols[..];
        for (step, &n) in self.steps.iter().enumerate() {
            let (own, rest) = symbols.split_at(n as usize);
            symbols = rest;
            let pass = self.passes.partition_point(|p| p.1 <= step) - 1;
            if step == corners {
                give_flags(order, &flags[1..], sink);
            }
            if pass == 0 || flags[pass] {
                own.iter().for_each(|&(lane, context, r)| sink.residual(lane as usize, context, r));
                sink.end_step();
            }
        }
    }
}

fn give_flags(order: &Order, flags: &[bool], sink: &mut impl Sink) {
    for (lane, (pass, &flag)) in order.passes.iter().zip(flags).enumerate() {
        sink.flag(lane, pass_context(pass), flag);
    }
    sink.end_step();
}

/// The context of a pass's flag.
pub(super) fn pass_context(pass: &Pass) -> u8 {
    PASS_FLAGS + !pass.fine as u8
}

impl Steps for Residuals<'_> {
    fn passes(&mut self, _: &Order) {}

    fn pass(&mut self, _: usize) -> bool {
        self.found.passes.push((self.found.symbols.len(), self.found.steps.len()));
        true
    }

    #[inline(always)]
    fn step(
        &mut self,
        points: &[Point],
        predictions: &[i32; LANES],
        contexts: &[u8; LANES],
        residuals: &mut [i32; LANES],
    ) {
        let before = self.found.symbols.len();
        for (lane, p) in points.iter().enumerate() {
            let at = p.at as usize;
            let (target, prediction) = (self.targets[at], predictions[lane]);
            let half = 1 << (PART_BITS + self.fine - 1);
            let r = if target == ANY {
                0
            } else {
                (target - (prediction << PART_BITS) + half) >> (PART_BITS + self.fine)
            };
            self.unfit |=
                r.abs() > residual::MOST || (prediction + (r << self.fine)).abs() > MOST_VALUE;
            residuals[lane] = r;
            if self.masks[at] == 0 {
                self.found.symbols.push((lane as u8, contexts[lane], r));
            }
        }
        self.found.steps.push((self.found.symbols.len() - before) as u8);
    }
}

/// The differences of a box's codes.
fn differences(codes: &[Option<i32>], own: i32, order: u8, sink: &mut impl Sink) {
    let len = lorenzo::lane_len(codes.len());
    let mut lanes = [Lane::default(); LANES];
    let mut before = own;
    for step in 0..len {
        for (lane, state) in lanes.iter_mut().enumerate().take(lorenzo::lanes(codes.len(), step)) {
            let code = codes[lane * len + step];
            if step == 0 {
                let code = code.unwrap_or(before);
                sink.difference(lane, LORENZO_CONTEXTS, code.wrapping_sub(before));
                *state = Lane::new(code);
                before = code;
                continue;
            }
            let prediction = state.prediction(order);
            let code = code.unwrap_or(prediction);
            let difference = code.wrapping_sub(prediction);
            sink.difference(lane, state.context(), difference);
            state.take(code, difference);
        }
        sink.end_step();
    }
}

/// Adds up the bit lengths of differences.
struct Lengths(u64);

impl Sink for Lengths {
    fn residual(&mut self, _: usize, _: u8, _: i32) {}

    fn difference(&mut self, _: usize, _: u8, l: i32) {
        self.0 += (32 - l.unsigned_abs().leading_zeros()) as u64;
    }

    fn flag(&mut self, _: usize, _: u8, _: bool) {}

    fn end_step(&mut self) {}
}
