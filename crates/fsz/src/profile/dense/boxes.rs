//! The items of a box, whoever takes them: to be coded, or to be counted.

use super::{
    Choice,
    alike::{keep_alike, least_unlike},
    escapes::{Escapes, Mask},
    items::{Items, MaskBits, Told, first_lanes},
    lorenzo::Columns,
    mask,
    order::{Order, Pass},
    points::{Aimed, Points},
    predict::{Contexts, Passes, Predicted, Rule, Walker},
    symbols::residual,
    tables::Alphabet,
    targets::ANY,
    vector::{Vector, WIDTH},
};
use crate::{
    element::Element,
    format::dense::{
        CORNERS, LANES, LISTED_SHARE, LORENZO_CONTEXTS, MOST_VALUE, PART_BITS, PASS_FLAGS, Taps,
    },
    profile::Plan,
    quantizer::{Errors, NONE},
    simd::Level,
};

/// What the elements that have codes came to.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outcome<T> {
    pub errors: Errors<T>,
    pub flat: bool,
}

/// How the boxes of a field are quantized and predicted.
pub(super) struct BoxCoder<'a, T> {
    plan: &'a Plan<T>,
    pub choice: Choice,
    kind: Points<T>,
    level: Level,
    /// The items of the box that was coded last; of a flat one they mean nothing.
    pub items: Items,
    walker: Walker,
    columns: Columns,
    /// Of the box's elements in C order.
    codes: Vec<i32>,
    masks: Vec<u8>,
    /// The elements as they are coded, and what is known of these points.
    points: Vec<T>,
    targets: Vec<i32>,
    point_codes: Vec<i32>,
    point_masks: Vec<u8>,
    /// A 1 for each that is listed.
    far: Vec<u8>,
    mask_bits: MaskBits,
}

/// What the points of a box aim at, however they are interpolated.
pub(super) struct Aim<T> {
    own: i32,
    base: i32,
    aimed: Aimed<T>,
    /// More would be listed than may be.
    lost: bool,
    /// The mask.
    escapes: Escapes,
    /// The items before the first residual.
    told: Told,
}

/// Elements of a box to be interpolated that may be listed.
fn most_listed(order: &Order) -> usize {
    order.len / LISTED_SHARE
}

/// The mask of a box of which so many elements can be masked. A single one is listed, where any may be: to code a mask
/// takes longer, and about as many bits.
fn mask_of(masked: usize, len: usize) -> Mask {
    match masked {
        1 if len >= LISTED_SHARE => Mask::None,
        all if all == len => Mask::All,
        _ => Mask::Coded,
    }
}

/// A box may not be coded so: its values leave the lattice, or too many elements would be listed.
pub(super) struct Unfit;

impl<'a, T: Element> BoxCoder<'a, T> {
    pub fn new(plan: &'a Plan<T>, choice: Choice, level: Level) -> Self {
        BoxCoder {
            plan,
            choice,
            kind: Points::new(&plan.quantizer, choice.fine),
            level,
            items: Items::default(),
            walker: Walker::default(),
            columns: Columns::default(),
            codes: Vec::new(),
            masks: Vec::new(),
            points: Vec::new(),
            targets: Vec::new(),
            point_codes: Vec::new(),
            point_masks: Vec::new(),
            far: Vec::new(),
            mask_bits: MaskBits::default(),
        }
    }

    /// The base of a chunk: its first code.
    pub fn base(&self, elements: &[T]) -> i32 {
        self.first_code(elements).unwrap_or(0)
    }

    fn first_code(&self, elements: &[T]) -> Option<i32> {
        self.kind.first_code(self.level, elements, &self.plan.missing)
    }

    /// The codes of a box, into `self.codes`; whether all have one, and the largest error of those.
    fn find_codes(&mut self, elements: &[T], strict: bool) -> (bool, Errors<T>) {
        self.codes.resize(elements.len(), 0);
        self.kind.codes(self.level, elements, &self.plan.missing, strict, &mut self.codes)
    }

    /// The first code of some elements, and the distance from there to the farthest.
    pub fn reach(&mut self, elements: &[T]) -> (i64, i64) {
        self.find_codes(elements, false);
        let Some(first) = self.codes.iter().copied().find(|&q| q != NONE) else {
            return (0, 0);
        };
        let (mut least, mut most) = (first, first);
        for &q in &self.codes {
            // No code is smaller than what stands for none.
            least = least.min(if q == NONE { first } else { q });
            most = most.max(q);
        }
        let [least, first, most] = [least, first, most].map(i64::from);
        (first, (most - first).max(first - least))
    }

    /// The targets of a box's points from the base `own`.
    fn find_targets(&mut self, own: i32) -> Aimed<T> {
        self.targets.resize(self.points.len() + WIDTH, 0);
        let (points, missing) = (&self.points, &self.plan.missing);
        let to = (&mut self.targets[..], &mut self.point_codes);
        self.kind.targets(self.level, points, missing, own, to)
    }

    /// Lists the elements that are far from what they came out as.
    fn list(&self, order: &Order, escapes: &mut Escapes) -> Result<(), Unfit> {
        let far: u32 = self.far.iter().map(|&far| far as u32).sum();
        if far as usize > most_listed(order) {
            return Err(Unfit);
        }
        // Most eights have none.
        for (eight, far) in self.far.chunks(8).enumerate().filter(|own| own.1.contains(&1)) {
            for number in (8 * eight..).zip(far).filter(|own| *own.1 == 1).map(|own| own.0) {
                escapes.listed.push((order.at[number], self.points[number].to_bits64()));
            }
        }
        escapes.listed.sort_unstable_by_key(|(at, _)| *at);
        Ok(())
    }

    /// The mask of a box to be interpolated: of the elements that have neither a code nor a target, those that
    /// have the bits of the first. `first` is the code that targets are counted from. Leaves the mask in
    /// `self.point_masks` and `self.mask_bits`, too.
    fn mask_points(&mut self, order: &Order, elements: &[T], first: i32) -> Escapes {
        let own = (&mut self.point_codes, &mut self.point_masks);
        let (points, missing) = (&self.points, &self.plan.missing);
        self.kind.without(self.level, points, missing, (&self.targets, first), own);
        let masks = &mut self.point_masks;
        let alike = keep_alike(self.level, elements, &self.points, &order.at, masks);
        let Some(pattern) = alike else { return Escapes::NONE };
        self.mask_bits.put(&self.point_masks);
        match mask_of(self.mask_bits.count(), order.len) {
            Mask::None => Escapes::NONE,
            mask => Escapes { mask, pattern, listed: Vec::new() },
        }
    }

    /// The mask: of the elements without a code, as `self.codes` tells, those that have the bits of the first. The
    /// others are listed, if these are not too many. Leaves the mask in `self.point_masks` and `self.mask_bits`, too.
    fn mask(&mut self, order: &Order, elements: &[T]) -> Result<Escapes, Unfit> {
        let Some(first) = self.codes.iter().position(|&q| q == NONE) else {
            return Ok(Escapes::NONE);
        };
        let pattern = elements[first].to_bits64();
        self.masks.clear();
        let own = elements.iter().zip(&self.codes);
        self.masks.extend(own.map(|(d, &q)| ((q == NONE) & (d.to_bits64() == pattern)) as u8));
        let masked = self.masks.iter().map(|&m| m as u32).sum::<u32>() as usize;
        let without = self.codes.iter().map(|&q| (q == NONE) as u32).sum::<u32>() as usize;
        let mask = mask_of(masked, elements.len());
        let masked = if mask == Mask::None {
            self.masks[first] = 0;
            0
        } else {
            masked
        };
        if without - masked > elements.len() / 4 {
            return Err(Unfit);
        }
        let mut listed = Vec::new();
        if without > masked {
            for (at, (&code, d)) in self.codes.iter().zip(elements).enumerate() {
                if code == NONE && self.masks[at] == 0 {
                    listed.push((at as u16, d.to_bits64()));
                }
            }
        }
        if mask == Mask::None {
            return Ok(Escapes { listed, ..Escapes::NONE });
        }
        self.point_masks.resize(order.len, 0);
        order.arrange(&self.masks, &mut self.point_masks);
        self.mask_bits.put(&self.point_masks);
        Ok(Escapes { mask, pattern, listed })
    }

    /// Finds what the points of a box aim at.
    pub fn aim(&mut self, order: &Order, elements: &[T], base: i32) -> Aim<T> {
        let own = self.first_code(elements).unwrap_or(base);
        self.points.resize(order.len, T::ZERO);
        order.arrange(elements, &mut self.points);
        let aimed = self.find_targets(own);
        let (mut escapes, mut lost) = (Escapes::NONE, false);
        if aimed.any {
            // Those that are masked are alike: which they are is not asked for where too many others are left.
            let unlike = least_unlike(self.level, &self.points, &self.targets[..order.len]);
            lost = unlike > most_listed(order);
        }
        if aimed.any && !lost {
            escapes = self.mask_points(order, elements, own);
            let masks = (escapes.mask != Mask::None).then_some(&self.point_masks[..]);
            lost = self.without_target(order.len, masks) > most_listed(order);
        }
        self.items.clear();
        if escapes.mask == Mask::Coded {
            self.tell_mask(order);
        }
        self.items.push(Alphabet::Difference, [(LORENZO_CONTEXTS, own.wrapping_sub(base))]);
        Aim { own, base, aimed, lost, escapes, told: self.items.told() }
    }

    /// Codes the box that [`BoxCoder::aim`] was told last by interpolation.
    pub fn interpolate(
        &mut self,
        order: &Order,
        taps: Taps,
        aim: &Aim<T>,
    ) -> Result<(Outcome<T>, Escapes), Unfit> {
        if aim.lost {
            return Err(Unfit);
        }
        let fine = self.choice.fine;
        let mut escapes = aim.escapes.clone();
        self.items.keep_told(aim.told);
        let mut residuals = Residuals {
            targets: &self.targets,
            masks: (escapes.mask != Mask::None).then_some(&self.mask_bits),
            fine,
            contexts: Contexts::new(fine),
            items: &mut self.items,
            flags: None,
            flat: aim.own == aim.base && escapes.mask != Mask::Coded,
            unfit: false,
        };
        self.walker.walk(self.level, Rule::Taps(taps), order, &mut residuals);
        let Residuals { unfit, flat, .. } = residuals;
        if unfit {
            return Err(Unfit);
        }
        let zero = aim.own << fine;
        let values = &self.walker.values[..order.len];
        let masks = (escapes.mask != Mask::None).then_some(&self.point_masks[..]);
        let aimed = (&aim.aimed, &self.targets[..order.len], masks);
        let values = (values, zero);
        let (errors, any) =
            self.kind.errors(self.level, &self.points, values, aimed, &mut self.far);
        if any {
            self.list(order, &mut escapes)?;
        }
        Ok((Outcome { errors, flat }, escapes))
    }

    /// How many of so many points have no target and are not masked.
    fn without_target(&self, len: usize, masks: Option<&[u8]>) -> usize {
        let targets = self.targets[..len].iter().map(|target| (*target == ANY) as usize);
        match masks {
            Some(masks) => targets.zip(masks).map(|(any, mask)| any & !(*mask as usize)).sum(),
            None => targets.sum(),
        }
    }

    fn tell_mask(&mut self, order: &Order) {
        let (masks, items) = (&self.point_masks[..], &mut self.items);
        let mut tell = mask::Tell { masks, items };
        mask::walk(&mut self.walker, self.level, order, &mut tell);
    }

    /// Codes a box by Lorenzo prediction of the order whose differences have fewer bits; gives it too. `aim` is
    /// what [`BoxCoder::aim`] found, if it was told this box last.
    pub fn lorenzo(
        &mut self,
        order: &Order,
        elements: &[T],
        base: i32,
        aim: Option<&Aim<T>>,
    ) -> Result<(Outcome<T>, Escapes, u8), Unfit> {
        self.lorenzo_of(None, order, elements, base, aim)
    }

    /// The same, where it is asked for by prediction of this order.
    pub fn lorenzo_of(
        &mut self,
        asked: Option<u8>,
        order: &Order,
        elements: &[T],
        base: i32,
        aim: Option<&Aim<T>>,
    ) -> Result<(Outcome<T>, Escapes, u8), Unfit> {
        let (complete, errors) = match aim.and_then(|aim| aim.aimed.known) {
            Some(known) => {
                self.codes.resize(elements.len(), 0);
                order.restore(&self.point_codes, &mut self.codes);
                (known.complete, known.errors)
            }
            None => self.find_codes(elements, true),
        };
        let escapes = if complete { Escapes::NONE } else { self.mask(order, elements)? };
        let own = self.codes.iter().find(|&&q| q != NONE).copied().unwrap_or(base);
        self.columns.take(&self.codes, complete);
        let (chosen, still) = self.columns.choose(own, self.level);
        let chosen = asked.unwrap_or(chosen);
        let flat = own == base && still && escapes.mask != Mask::Coded;
        if !flat {
            self.items.clear();
            if escapes.mask == Mask::Coded {
                self.tell_mask(order);
            }
            self.items.push(Alphabet::Difference, [(LORENZO_CONTEXTS, own.wrapping_sub(base))]);
            self.columns.tell(own, chosen, &mut self.items, self.level);
        }
        Ok((Outcome { errors, flat }, escapes, chosen))
    }

    /// Codes the words of a box's elements, those of all elements after another.
    pub fn exact(&mut self, elements: &[T]) {
        self.items.clear();
        exact(elements, &mut self.items, self.level);
    }
}

/// Tells the words of a box's elements, those of all elements after another.
pub(super) fn exact<T: Element>(elements: &[T], items: &mut Items, level: Level) {
    let mut columns = Columns::default();
    for word in 0..T::DTYPE.words() {
        let codes: Vec<i32> =
            elements.iter().map(|d| (d.to_bits64() >> (32 * word)) as i32).collect();
        columns.take(&codes, true);
        columns.tell(0, 1, items, level);
    }
}

/// Finds the residuals of a box to its targets.
struct Residuals<'a> {
    /// Of its points as they are coded.
    targets: &'a [i32],
    masks: Option<&'a MaskBits>,
    fine: u32,
    contexts: Contexts,
    items: &'a mut Items,
    /// The step of the flags of passes.
    flags: Option<usize>,
    /// No item tells anything.
    flat: bool,
    unfit: bool,
}

/// The context of a pass's flag.
pub(super) fn pass_context(fine: bool) -> u8 {
    PASS_FLAGS + !fine as u8
}

impl Residuals<'_> {
    /// Residuals and values of `len` points from number `first` on, by their predictions; whether any
    /// residual is not 0.
    #[inline(always)]
    fn find<V: Vector>(
        &mut self,
        first: usize,
        len: usize,
        predictions: &[i32],
        values: &mut [i32],
    ) -> bool {
        let (_, residuals, _) = self.items.room(len);
        let targets = &self.targets[first..][..len + WIDTH];
        let (predictions, values) = (&predictions[..len + WIDTH], &mut values[..len + WIDTH]);
        let (part, fine) = (PART_BITS, self.fine);
        let half = V::set(1 << (part + fine - 1));
        // Both are far from the smallest number, which has no magnitude.
        let (mut most_r, mut most_v) = (V::set(0), V::set(0));
        for k in (0..len).step_by(WIDTH) {
            // SAFETY: all of these arrays have room for a vector behind the points.
            let (target, prediction) = unsafe { (V::at(targets, k), V::at(predictions, k)) };
            let away = target.sub(prediction.shift_left(part)).add(half);
            let r = away.shift_right(part + fine);
            let r = r.replaced(target.equals(V::set(ANY)), V::set(0));
            let value = prediction.add(r.shift_left(fine));
            // SAFETY: as above.
            unsafe {
                r.put(residuals, k);
                value.put(values, k);
            }
            let (mut r, mut value) = (r.abs(), value.abs());
            if len < k + WIDTH {
                let there = V::set((len - k) as i32).exceeds(V::numbers());
                (r, value) = (r.and(there), value.and(there));
            }
            (most_r, most_v) = (most_r.max(r), most_v.max(value));
        }
        let unfit = most_r.exceeds(V::set(residual::MOST)).any();
        self.unfit |= unfit || most_v.exceeds(V::set(MOST_VALUE)).any();
        most_r.any()
    }

    /// The first lanes of a step that are coded.
    #[inline(always)]
    fn coded(&self, first: usize, count: usize) -> u32 {
        self.masks.map_or(first_lanes(count), |masks| masks.coded(first, count))
    }
}

impl Passes for Residuals<'_> {
    #[inline(always)]
    fn corners<V: Vector>(&mut self, order: &Order, values: &mut [i32]) {
        let corners = order.corners;
        if corners == 0 {
            return;
        }
        let any = self.find::<V>(1, corners, &[0; LANES], &mut values[1..]);
        self.flat &= !any;
        let (first, _, rows) = self.items.room(corners);
        rows[..corners].fill(Alphabet::Residual.row(CORNERS));
        self.items.keep(corners);
        let coded = self.coded(1, corners);
        self.items.step(Alphabet::Residual, first, coded);
        self.flags = Some(self.items.steps().len());
        let flags = order.passes().map(|(grid, _)| (pass_context(grid.fine), 0));
        self.items.push(Alphabet::Flag, flags);
    }

    fn ended(&self) -> bool {
        self.unfit
    }

    #[inline(always)]
    fn pass<V: Vector>(&mut self, points: Predicted<'_>, values: &mut [i32]) {
        let pass: &Pass = points.pass;
        if !self.find::<V>(pass.first, pass.len, points.predictions, values) {
            return self.contexts.skip(pass);
        }
        self.flat = false;
        if let Some(flags) = self.flags {
            self.items.values_mut(flags)[points.number] = 1;
        }
        let (begin, residuals, rows) = self.items.room(pass.len);
        let mut first = 0;
        for &lanes in &pass.steps {
            let own = rows[first..].first_chunk_mut().expect("room behind");
            self.contexts.of::<V>(points, first, own);
            self.contexts.take::<V>(&residuals[first..], lanes as usize);
            first += lanes as usize;
        }
        self.items.keep(pass.len);
        let mut first = 0;
        for &lanes in &pass.steps {
            let coded = self.coded(pass.first + first, lanes as usize);
            self.items.step(Alphabet::Residual, begin + first, coded);
            first += lanes as usize;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Bound, Codec, CompressOptions, Profile, Stream, profile::dense::Dense};

    /// The plan of a field that has no codes of these elements.
    fn plan(missing: f32) -> Plan<f32> {
        let profile = Profile::Dense(Dense::new());
        let options =
            CompressOptions::new(Bound::Absolute(0.01)).profile(profile).missing(missing.into());
        let mut bytes = vec![0; 10_000];
        let len = Codec::cpu().compress_into(&[0f32; 8], &[8], &options, &mut bytes).expect("room");
        let stream = Stream::open(&bytes[..len]).expect("a stream");
        Plan::of_header(stream.header()).expect("our own")
    }

    #[test]
    fn a_single_element_is_listed_where_any_may_be_and_several_are_masked() {
        const MISSING: f32 = -999.0;
        let plan = plan(MISSING);
        for len in [2usize, 31, 32, 33, 4096] {
            for count in [0, 1, 2, len] {
                let mut own: Vec<f32> = (0..len).map(|i| (i as f32 * 0.01).sin()).collect();
                (0..count).for_each(|k| own[(len / 2 + 7 * k) % len] = MISSING);
                let count = own.iter().filter(|&&d| d == MISSING).count();
                let order = Order::new([1, 1, len]);
                let mut coder = BoxCoder::new(&plan, Choice::default(), Level::detect());
                let (mask, listed) = match count {
                    0 => (Mask::None, 0),
                    1 if len >= 32 => (Mask::None, 1),
                    all if all == len => (Mask::All, 0),
                    _ => (Mask::Coded, 0),
                };
                let aim = coder.aim(&order, &own, 0);
                let Ok((_, escapes)) = coder.interpolate(&order, Taps::Linear, &aim) else {
                    panic!("{len}, {count}: does not fit");
                };
                let found = (escapes.mask, escapes.listed.len());
                assert_eq!(found, (mask, listed), "{len}, {count}: interpolated");
                let Ok((_, escapes, _)) = coder.lorenzo(&order, &own, 0, Some(&aim)) else {
                    panic!("{len}, {count}: too many are listed");
                };
                let found = (escapes.mask, escapes.listed.len());
                assert_eq!(found, (mask, listed), "{len}, {count}: by Lorenzo prediction");
            }
        }
    }
}
