//! The symbols of a box, whoever takes them: for the coder, or to be counted.

#[cfg(target_arch = "x86_64")]
use super::avx2;
use super::{
    Choice, Predictor,
    escapes::{Escapes, Mask},
    lorenzo::{self, Lane},
    mask,
    order::{Order, Pass, Step},
    predict::{Interpolation, Lanes, Steps},
    symbols::residual,
};
use crate::{
    element::Element,
    format::dense::{LANES, LORENZO_CONTEXTS, MOST_VALUE, PART_BITS, PASS_FLAGS},
    missing::is_missing,
    profile::Plan,
    quantize,
    simd::{Level, ROUND_F64},
};

/// Takes symbols, step by step, lanes in rising order.
pub(super) trait Sink {
    fn residual(&mut self, lane: usize, context: u8, r: i32);
    fn difference(&mut self, lane: usize, context: u8, l: i32);
    fn flag(&mut self, lane: usize, context: u8, flag: bool);
    /// Ends a step.
    fn end_step(&mut self);
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
    /// The residuals of the box that was interpolated last.
    pub found: Found,
    level: Level,
}

/// A box may not be coded so: its values leave the lattice, or too many elements would be listed.
pub(super) struct Unfit;

impl<'a, T: Element> BoxCoder<'a, T> {
    pub fn new(plan: &'a Plan<T>, choice: Choice, level: Level) -> Self {
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
            level,
        }
    }

    /// The base of a chunk: its first code.
    pub fn base(&self, elements: &[T]) -> i32 {
        self.first_code(elements).unwrap_or(0)
    }

    fn first_code(&self, elements: &[T]) -> Option<i32> {
        elements.iter().find_map(|&d| self.code(d))
    }

    /// The distance from the first code of some elements to the farthest.
    pub fn reach(&self, elements: &[T]) -> i64 {
        let first = self.base(elements) as i64;
        let codes = elements.iter().filter_map(|&d| self.code(d));
        codes.map(|q| (q as i64 - first).abs()).max().unwrap_or(0)
    }

    /// The targets of a box's elements, in parts of lattice points from the base `own`; whether any is
    /// [`ANY`].
    fn targets(&self, elements: &[T], own: i32, targets: &mut Vec<i32>) -> bool {
        let zero = own as f64 * 2f64.powi((PART_BITS + self.choice.fine) as i32);
        targets.clear();
        targets.resize(elements.len(), 0);
        match self.level {
            Level::Portable => each_target(elements, self.parts, zero, targets),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                // SAFETY: `Level::detect` gives this level only where the instructions exist.
                unsafe { avx2::each_target(elements, self.parts, zero, targets) }
            }
        }
        if !self.plan.missing.is_empty() {
            for (target, &d) in targets.iter_mut().zip(elements) {
                *target = if is_missing(d, &self.plan.missing) { ANY } else { *target };
            }
        }
        targets.contains(&ANY)
    }

    /// The largest error of the box whose values were found.
    fn worst(&self, elements: &[T], zero: i32) -> T {
        match self.level {
            Level::Portable => worst(elements, &self.values, zero, self.lattice),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                // SAFETY: as above.
                unsafe { avx2::worst(elements, &self.values, zero, self.lattice) }
            }
        }
    }

    /// Lists the elements that are neither masked nor as near as they must be; the largest error of the
    /// others.
    fn list(&self, elements: &[T], zero: i32, targets: &[i32], escapes: &mut Escapes) -> T {
        let mut max_error = T::ZERO;
        for (at, &d) in elements.iter().enumerate() {
            let back = T::from_code(zero.wrapping_add(self.values[at])).mul(self.lattice);
            let error = d.sub(back).magnitude();
            if targets[at] != ANY && error < self.plan.quantizer.limit {
                max_error = if error > max_error { error } else { max_error };
            } else if self.masks[at] == 0 {
                escapes.listed.push((at as u16, d.to_bits64()));
            }
        }
        max_error
    }

    fn code(&self, d: T) -> Option<i32> {
        if is_missing(d, &self.plan.missing) {
            return None;
        }
        quantize::nearest(d, &self.plan.quantizer)
    }

    /// The mask: of the elements without a code those that have the bits of the first. Leaves it in
    /// `self.masks`, too.
    fn mask(&mut self, elements: &[T], codes: &[Option<i32>]) -> Escapes {
        self.masks.clear();
        self.masks.resize(elements.len(), 0);
        let Some(first) = codes.iter().position(Option::is_none) else { return Escapes::NONE };
        let pattern = elements[first].to_bits64();
        let mut masked = 0;
        for ((mask, d), code) in self.masks.iter_mut().zip(elements).zip(codes) {
            *mask = (code.is_none() && d.to_bits64() == pattern) as u8;
            masked += *mask as usize;
        }
        let mask = if masked == elements.len() { Mask::All } else { Mask::Coded };
        Escapes { mask, pattern, listed: Vec::new() }
    }

    /// Codes a box by interpolation: gives the symbols but for the residuals of the passes, which it leaves in
    /// `found`.
    pub fn interpolate(
        &mut self,
        order: &Order,
        elements: &[T],
        base: i32,
        sink: &mut impl Sink,
    ) -> Result<(Outcome<T>, Escapes), Unfit> {
        let Predictor::Interpolation(taps) = self.choice.predictor else { return Err(Unfit) };
        let fine = self.choice.fine;
        let own = self.first_code(elements).unwrap_or(base);
        let mut targets = std::mem::take(&mut self.codes);
        let any = self.targets(elements, own, &mut targets);
        let code = |(&d, &target): (&T, &i32)| match target {
            ANY => self.code(d),
            _ => Some(own),
        };
        let codes: Vec<_> = match any {
            true => elements.iter().zip(&targets).map(code).collect(),
            false => Vec::new(),
        };
        let mut escapes = self.mask(elements, &codes);
        self.values.clear();
        self.values.resize(elements.len(), 0);
        self.found.clear();
        let mut steps = Residuals {
            targets: &targets,
            masks: &self.masks,
            masked: escapes.mask != Mask::None,
            fine,
            level: self.level,
            found: &mut self.found,
            unfit: false,
        };
        let interpolation = Interpolation { taps, fine, level: self.level };
        interpolation.walk(order, &mut self.values, &mut steps);
        let unfit = steps.unfit;
        let mut max_error = T::ZERO;
        if !unfit {
            max_error = self.worst(elements, own << fine);
            if any || max_error >= self.plan.quantizer.limit {
                max_error = self.list(elements, own << fine, &targets, &mut escapes);
            }
        }
        self.codes = targets;
        if unfit || escapes.listed.len() > elements.len() / 32 {
            return Err(Unfit);
        }
        let flat = own == base && escapes.mask != Mask::Coded && !self.found.any();
        if !flat {
            self.give(order, &escapes, own.wrapping_sub(base), sink);
        }
        Ok((Outcome { max_error, flat }, escapes))
    }

    /// The symbols of an interpolated box before those of its passes.
    fn give(&self, order: &Order, escapes: &Escapes, base: i32, sink: &mut impl Sink) {
        if escapes.mask == Mask::Coded {
            code_mask(order, &self.masks, sink);
        }
        sink.difference(0, LORENZO_CONTEXTS, base);
        sink.end_step();
        if order.corners.is_some() {
            for corner in self.found.corners() {
                sink.residual(corner.lane as usize, corner.context, corner.r as i32);
            }
            sink.end_step();
        }
        for (lane, (pass, flag)) in order.passes.iter().zip(self.found.flags()).enumerate() {
            sink.flag(lane, pass_context(pass), flag);
        }
        sink.end_step();
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
        let codes: Vec<_> = elements.iter().map(|&d| strict(d)).collect();
        let mut escapes = self.mask(elements, &codes);
        for (at, (code, d)) in codes.iter().zip(elements).enumerate() {
            if code.is_none() && self.masks[at] == 0 {
                escapes.listed.push((at as u16, d.to_bits64()));
            }
        }
        if escapes.listed.len() > elements.len() / 4 {
            return Err(Unfit);
        }
        let own = codes.iter().flatten().next().copied().unwrap_or(base);
        let mut count = Lengths(0);
        let cost = [1, 2].map(|order| {
            differences(&codes, own, order, &mut count);
            std::mem::take(&mut count.0)
        });
        let chosen = if cost[0] <= cost[1] { 1 } else { 2 };
        let flat = own == base && cost[0] == 0 && escapes.mask != Mask::Coded;
        if !flat {
            if escapes.mask == Mask::Coded {
                code_mask(order, &self.masks, sink);
            }
            sink.difference(0, LORENZO_CONTEXTS, own.wrapping_sub(base));
            sink.end_step();
            differences(&codes, own, chosen, sink);
        }
        Ok((Outcome { max_error, flat }, escapes, chosen))
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

/// The target of each element.
#[inline(always)]
pub(super) fn each_target<T: Element>(elements: &[T], parts: f64, zero: f64, targets: &mut [i32]) {
    let reach = (MOST_VALUE << PART_BITS) as f64;
    for (target, d) in targets.iter_mut().zip(elements) {
        let part = d.to_f64() * parts - zero;
        let shifted = part + ROUND_F64;
        // False for NaN; what is rounded so is small enough.
        let near = part.abs() <= reach + 0.5 && (shifted - ROUND_F64).abs() <= reach;
        *target = if near { shifted.to_bits() as i32 } else { ANY };
    }
}

/// The largest error of elements that are decoded to these values.
#[inline(always)]
pub(super) fn worst<T: Element>(elements: &[T], values: &[i32], zero: i32, lattice: T) -> T {
    let mut worst = T::ZERO;
    for (d, &v) in elements.iter().zip(values) {
        let error = d.sub(T::from_code(zero.wrapping_add(v)).mul(lattice)).magnitude();
        worst = if error > worst { error } else { worst };
    }
    worst
}

/// The target of an element that may come out as anything.
const ANY: i32 = i32::MIN;

fn code_mask(order: &Order, masks: &[u8], sink: &mut impl Sink) {
    let mut known = vec![0; masks.len()];
    mask::walk(order, &mut known, |step, contexts, own| {
        for lane in 0..step.lanes {
            own[lane] = masks[step.at[lane] as usize];
            sink.flag(lane, contexts[lane], own[lane] == 1);
        }
        sink.end_step();
    });
}

/// Finds the residuals of a box to its targets.
struct Residuals<'a> {
    targets: &'a [i32],
    masks: &'a [u8],
    masked: bool,
    fine: u32,
    level: Level,
    found: &'a mut Found,
    unfit: bool,
}

/// Residuals of the passes of a box in the order of coding, and of the corners before them.
#[derive(Debug, Default)]
pub(super) struct Found {
    symbols: Vec<FoundSymbol>,
    /// Symbols of each step.
    steps: Vec<u8>,
    passes: Vec<FoundPass>,
}

/// A residual with its lane and context.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoundSymbol {
    pub r: i16,
    pub lane: u8,
    pub context: u8,
}

/// A pass, or the corners.
#[derive(Clone, Copy, Debug)]
struct FoundPass {
    /// Symbols and steps before it.
    symbols: usize,
    steps: usize,
    /// Whether any residual is not 0.
    any: bool,
}

impl Found {
    fn clear(&mut self) {
        self.symbols.clear();
        self.steps.clear();
        self.passes.clear();
        self.begin();
    }

    fn begin(&mut self) {
        let (symbols, steps) = (self.symbols.len(), self.steps.len());
        self.passes.push(FoundPass { symbols, steps, any: false });
    }

    /// Whether any residual is not 0.
    fn any(&self) -> bool {
        self.passes.iter().any(|p| p.any)
    }

    /// The corners.
    fn corners(&self) -> &[FoundSymbol] {
        &self.symbols[..self.passes.get(1).map_or(self.symbols.len(), |p| p.symbols)]
    }

    /// For each pass whether any residual is not 0.
    fn flags(&self) -> impl Iterator<Item = bool> {
        self.passes.iter().skip(1).map(|p| p.any)
    }

    /// The steps of the passes that have residuals, from the last to the first.
    pub fn steps_back(&self) -> impl Iterator<Item = &[FoundSymbol]> {
        let ends = self.passes.iter().skip(2).map(|p| (p.symbols, p.steps));
        let ends: Vec<_> = ends.chain([(self.symbols.len(), self.steps.len())]).collect();
        let passes = self.passes.iter().skip(1).zip(ends).rev();
        passes.filter(|(pass, _)| pass.any).flat_map(|(pass, (symbols, steps))| {
            let mut left = &self.symbols[..symbols];
            self.steps[pass.steps..steps].iter().rev().map(move |&n| {
                let (rest, own) = left.split_at(left.len() - n as usize);
                left = rest;
                own
            })
        })
    }
}

/// The context of a pass's flag.
pub(super) fn pass_context(pass: &Pass) -> u8 {
    PASS_FLAGS + !pass.fine as u8
}

impl Steps for Residuals<'_> {
    fn passes(&mut self, _: &Order) {}

    fn pass(&mut self, _: usize) -> bool {
        self.found.begin();
        true
    }

    #[inline(always)]
    fn step(&mut self, step: &Step, predictions: &Lanes, contexts: &Lanes, residuals: &mut Lanes) {
        let (unfit, any) = self.to_targets(step, predictions, residuals);
        self.unfit |= unfit;
        if let Some(pass) = self.found.passes.last_mut() {
            pass.any |= any;
        }
        let symbol = |lane: usize| FoundSymbol {
            r: residuals[lane] as i16,
            lane: lane as u8,
            context: contexts[lane] as u8,
        };
        let before = self.found.symbols.len();
        if self.masked {
            let coded = (0..step.lanes).filter(|&lane| self.masks[step.at[lane] as usize] == 0);
            self.found.symbols.extend(coded.map(symbol));
        } else {
            let all: [FoundSymbol; LANES] = std::array::from_fn(symbol);
            self.found.symbols.extend_from_slice(&all[..step.lanes]);
        }
        self.found.steps.push((self.found.symbols.len() - before) as u8);
    }
}

impl Residuals<'_> {
    /// Residuals of a step; whether one is beyond what a box can hold, and whether one is not 0.
    #[inline(always)]
    fn to_targets(&self, step: &Step, predictions: &Lanes, residuals: &mut Lanes) -> (bool, bool) {
        match self.level {
            Level::Portable => self.to_targets_portable(step, predictions, residuals),
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                let numbers = [PART_BITS as i32, self.fine as i32, ANY, residual::MOST, MOST_VALUE];
                // SAFETY: `Level::detect` gives this level only where the instructions exist; the step is
                // of the order of this box.
                let found = unsafe {
                    avx2::to_targets(step, self.targets, predictions, numbers, residuals)
                };
                (found.unfit, found.any)
            }
        }
    }

    fn to_targets_portable(
        &self,
        step: &Step,
        predictions: &Lanes,
        residuals: &mut Lanes,
    ) -> (bool, bool) {
        let half = 1 << (PART_BITS + self.fine - 1);
        let (mut unfit, mut any) = (false, false);
        for lane in 0..step.lanes {
            let (target, prediction) = (self.targets[step.at[lane] as usize], predictions[lane]);
            let r = match target {
                ANY => 0,
                target => {
                    let away = target.wrapping_sub(prediction << PART_BITS);
                    away.wrapping_add(half) >> (PART_BITS + self.fine)
                }
            };
            unfit |= r.abs() > residual::MOST
                || prediction.wrapping_add(r << self.fine).wrapping_abs() > MOST_VALUE;
            any |= r != 0;
            residuals[lane] = r;
        }
        (unfit, any)
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
