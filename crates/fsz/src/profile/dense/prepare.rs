//! What the encoder chooses for a field: layout, prediction, lattice, chunk length and tables, all by counting
//! the symbols of some boxes (FORMAT.md, *Dense: choose*).

use std::{
    ops::Range,
    sync::atomic::{AtomicUsize, Ordering},
};

use super::{
    CHUNKS, Choice, Dense, Predictor,
    boxes::{self, BoxCoder},
    count::Counter,
    encode::Orders,
    escapes::Escapes,
    items::Items,
    tables::{Alphabet, COST_BITS, Histogram, Tables, empty_histogram},
};
use crate::{
    element::Element,
    error::{Error, Result},
    exec::Execution,
    format::{
        SAMPLE_MULTIPLIER, TileGrid,
        dense::{BOX, LANES, LEAST_BOX, Layout, MOST_FINE, MOST_VALUE, Taps},
    },
    profile::{Plan, Profile},
    quantizer::{Quantizer, Relative},
    simd::Level,
};

/// Boxes that choose the layout, at least and at most, and of how many boxes' elements one does.
pub(crate) const CHOOSING: [u64; 2] = [32, 256];
const CHOOSING_SHARE: u64 = 64;
/// Of how many of these boxes one chooses a layout's prediction, and how many do at least.
const FIRST_SHARE: u64 = 4;
const FIRST: u64 = 16;
/// What part of its cost a layout may cost more by those boxes and still be chosen by all.
const CLOSE: u128 = 5;
/// The same of a layout's predictors.
const NEAR: u128 = 32;
/// Boxes that make the tables at least, and of how many boxes one does.
pub(crate) const FITTING: u64 = 768;
pub(crate) const FITTING_SHARE: u64 = 128;
/// What part of its cost a predictor that is slower must gain: Lorenzo prediction, ...
const LORENZO_GAIN: u128 = 50;
/// ... blended interpolation, ...
const BLENDED_GAIN: u128 = 100;
/// ... interpolation, of the part that is coded by Lorenzo prediction after all: boxes are tried both ways.
const MIXED_GAIN: u128 = 10;
/// Bits that a chunk takes beside its symbols: states less what they hold of the symbols, head, index.
const CHUNK_BITS: u64 = LANES as u64 * 24 + 5 * 32;

/// What some boxes came to.
pub(crate) struct Counted {
    histogram: Histogram,
    /// Bits that are stored as they are: raw bits, escapes, verbatim boxes.
    raw_bits: u64,
    elements: u64,
}

impl Counted {
    fn cost(&self, tables: &Tables) -> u64 {
        tables.cost(&self.histogram) + (self.raw_bits << COST_BITS)
    }
}

impl Counted {
    /// What no box comes to.
    pub(crate) fn empty() -> Self {
        Counted { histogram: empty_histogram(), raw_bits: 0, elements: 0 }
    }

    fn by(counter: &Counter) -> Self {
        Counted { histogram: counter.histogram(), raw_bits: counter.raw_bits, elements: 0 }
    }

    /// Adds what other boxes came to.
    pub(crate) fn add(&mut self, other: &Counted) {
        self.raw_bits += other.raw_bits;
        self.elements += other.elements;
        for (all, own) in self.histogram.iter_mut().zip(&other.histogram) {
            all.iter_mut().zip(own).for_each(|(a, o)| *a += o);
        }
    }

    /// Differences among its symbols: those of boxes by Lorenzo prediction, and few others.
    fn differences_of_all(&self) -> u64 {
        let contexts = Alphabet::Difference.first()..Alphabet::Flag.first();
        self.histogram[contexts].iter().flatten().sum()
    }

    /// The tables that are fitted to it.
    pub(crate) fn tables(&self) -> Vec<u32> {
        Tables::fit(&self.histogram).write()
    }

    /// What a device has counted.
    #[cfg(feature = "cuda")]
    pub(crate) fn of(
        histogram: &[[u64; super::tables::SYMBOLS]],
        raw_bits: u64,
        elements: u64,
    ) -> Self {
        Counted { histogram: histogram.to_vec(), raw_bits, elements }
    }

    /// A box of which all elements are exact: as words, or as differences of these where that is shorter. Its
    /// elements were counted before.
    pub(crate) fn exact<T: Element>(elements: &[T]) -> Self {
        let (own, verbatim) = (Self::differences(elements), Self::verbatim(elements));
        if own.cost_alone() < verbatim.cost_alone() { own } else { verbatim }
    }

    /// Elements as differences of their words.
    pub(super) fn differences<T: Element>(elements: &[T]) -> Self {
        let mut items = Items::default();
        boxes::exact(elements, &mut items, Level::detect());
        Self::of_items(&items, Level::detect())
    }

    /// Elements as they are.
    pub(super) fn verbatim<T: Element>(elements: &[T]) -> Self {
        let raw_bits = 32 * (T::DTYPE.words() * elements.len()) as u64;
        Counted { raw_bits, ..Counted::empty() }
    }

    /// What the items of a box come to.
    pub(super) fn of_items(items: &Items, level: Level) -> Self {
        let mut counter = Counter::new(level);
        counter.take(items);
        Counted::by(&counter)
    }

    /// Takes in that so many elements are listed.
    pub(super) fn list<T: Element>(&mut self, listed: usize) {
        self.raw_bits += listed_bits::<T>(listed);
    }

    /// The cost by tables fitted to nothing else, in 2⁻¹² bits.
    fn cost_alone(&self) -> u64 {
        self.cost(&Tables::fit(&self.histogram))
    }

    /// Bytes of a box in a field of boxes alike.
    pub(super) fn bytes_of_box(&self) -> u64 {
        self.cost(&Tables::fit_box(&self.histogram)).div_ceil(8 << COST_BITS)
    }
}

/// Bits of so many listed elements.
fn listed_bits<T: Element>(listed: usize) -> u64 {
    listed as u64 * (16 + 32 * T::DTYPE.words() as u64)
}

/// Some boxes of a field, evenly spread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spread {
    /// So many boxes that hold elements which are spread alike in every layout, so that layouts are compared in
    /// the same places: a coast is not met more often in one than in another.
    Places(u64),
    /// So many different boxes.
    Boxes(u64),
}

impl Spread {
    /// That of so many boxes of a field of which `choosing` choose. Where these are the fewest, they are a large part of
    /// all, and different ones tell more.
    fn of(choosing: u64, boxes: u64) -> Self {
        if choosing > CHOOSING[0] { Spread::Places(boxes) } else { Spread::Boxes(boxes) }
    }

    /// How many of the grid's boxes these are: no more than it has.
    pub fn count(self, grid: &TileGrid) -> u64 {
        let (Spread::Places(count) | Spread::Boxes(count)) = self;
        count.min(grid.tiles())
    }

    /// Number `i` of them: somewhere in its share, so that no pattern of the field or of the order of boxes is met
    /// again and again.
    pub fn tile(self, grid: &TileGrid, i: u64) -> u64 {
        let count = self.count(grid);
        let one_of = |all: u64| {
            // 128 bits take ten times as long.
            let begin = |i: u64| match i.checked_mul(all) {
                Some(product) => product / count,
                None => (i as u128 * all as u128 / count as u128) as u64,
            };
            let within = (i as u32).wrapping_mul(SAMPLE_MULTIPLIER) as u64;
            begin(i) + within % (begin(i + 1) - begin(i))
        };
        match self {
            Spread::Places(_) if count < grid.tiles() => grid.locate(one_of(grid.elements())).0,
            _ => one_of(grid.tiles()),
        }
    }
}

/// A field, wherever it is, of whose boxes some are looked at.
pub(crate) trait Sampler {
    /// Elements of the field.
    fn elements(&self) -> u64;

    /// How many of some boxes of each grid have all of their codes in reach of their first, by the logarithm of
    /// the lattice points of a step.
    fn in_reach(&self, grids: &[TileGrid], boxes: Spread) -> Result<Vec<InReach>>;

    /// Codes some boxes of each grid, and counts.
    fn count(&self, cases: &[(TileGrid, Choice)], boxes: Spread) -> Result<Vec<Counted>>;
}

pub(crate) type InReach = [u64; MOST_FINE as usize + 1];

/// A field in memory.
pub(super) struct InMemory<'a, T> {
    pub data: &'a [T],
    pub plan: &'a Plan<T>,
    pub run: Execution<'a>,
}

impl<T: Element> Sampler for InMemory<'_, T> {
    fn elements(&self) -> u64 {
        self.data.len() as u64
    }

    fn in_reach(&self, grids: &[TileGrid], boxes: Spread) -> Result<Vec<InReach>> {
        let mut all = vec![InReach::default(); grids.len()];
        let parts = parts(grids.iter().map(|grid| boxes.count(grid)));
        let own = |_: &mut Orders, i: usize, part| self.boxes_in_reach(&grids[i], boxes, part);
        for (i, own) in self.each(&parts, own)? {
            all[i].iter_mut().zip(own).for_each(|(all, own)| *all += own);
        }
        Ok(all)
    }

    fn count(&self, cases: &[(TileGrid, Choice)], boxes: Spread) -> Result<Vec<Counted>> {
        // Cases beside each other that gather and aim alike do so once.
        let alike: Vec<_> = cases.chunk_by(|a, b| a.1.fine == b.1.fine && a.0.same(&b.0)).collect();
        let mut all: Vec<Vec<Counted>> = alike.iter().map(|own| empty(own.len())).collect();
        let parts = parts(alike.iter().map(|own| boxes.count(&own[0].0)));
        let count = |orders: &mut Orders, own: usize, part| {
            self.count_boxes(orders, alike[own], boxes, part)
        };
        for (own, counted) in self.each(&parts, count)? {
            all[own].iter_mut().zip(&counted).for_each(|(all, counted)| all.add(counted));
        }
        Ok(all.into_iter().flatten().collect())
    }
}

/// Counts of so many cases, of nothing yet.
fn empty(cases: usize) -> Vec<Counted> {
    (0..cases).map(|_| Counted::empty()).collect()
}

/// Boxes that a thread looks at between two looks at the others.
const PART: u64 = 16;

/// Some of the boxes of a case: the case's number, and theirs.
type Part = (usize, Range<u64>);

/// The boxes of each case in parts.
fn parts(boxes: impl Iterator<Item = u64>) -> Vec<Part> {
    let of = |(case, boxes): (usize, u64)| {
        (0..boxes).step_by(PART as usize).map(move |i| (case, i..(i + PART).min(boxes)))
    };
    boxes.enumerate().flat_map(of).collect()
}

impl<T: Element> InMemory<'_, T> {
    /// What each part comes to, with its case. The parts are taken in turn by all threads.
    fn each<R: Send>(
        &self,
        parts: &[Part],
        work: impl Fn(&mut Orders, usize, Range<u64>) -> R + Sync,
    ) -> Result<Vec<(usize, R)>> {
        let next = AtomicUsize::new(0);
        let done = self.run.on_threads(parts.len(), || {
            let (mut orders, mut done) = (Orders::default(), Vec::new());
            while let Some((case, part)) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
                self.run.check()?;
                done.push((*case, work(&mut orders, *case, part.clone())));
            }
            Ok(done)
        })?;
        Ok(done.into_iter().flatten().collect())
    }

    /// Codes a part of some boxes of the field by each of some choices that differ in the predictor alone, and
    /// counts.
    fn count_boxes(
        &self,
        orders: &mut Orders,
        cases: &[(TileGrid, Choice)],
        boxes: Spread,
        part: Range<u64>,
    ) -> Vec<Counted> {
        let level = self.run.level;
        let (grid, choice) = &cases[0];
        let mut coder = BoxCoder::new(self.plan, *choice, level);
        let mut counted = empty(cases.len());
        let mut counters: Vec<_> = cases.iter().map(|_| Counter::new(level)).collect();
        let mut elements = Vec::new();
        let mut take = |case: usize, coder: &BoxCoder<'_, T>, flat: bool, escapes: &Escapes| {
            if !flat {
                counters[case].take(&coder.items);
            }
            counters[case].raw_bits += listed_bits::<T>(escapes.listed.len());
        };
        for i in part {
            let shape = grid.gather_tile(self.data, boxes.tile(grid, i), &mut elements);
            let order = orders.of(shape);
            let base = coder.base(&elements);
            counted.iter_mut().for_each(|own| own.elements += elements.len() as u64);
            let mut aim = None;
            let mut others = Vec::new();
            for (case, (_, choice)) in cases.iter().enumerate() {
                let Predictor::Interpolation(taps) = choice.predictor else {
                    others.push(case);
                    continue;
                };
                let aim = aim.get_or_insert_with(|| coder.aim(&order, &elements, base));
                match coder.interpolate(&order, taps, aim) {
                    Ok((outcome, escapes)) => take(case, &coder, outcome.flat, &escapes),
                    Err(_) => others.push(case),
                }
            }
            if others.is_empty() {
                continue;
            }
            match coder.lorenzo(&order, &elements, base, aim.as_ref()) {
                Ok((outcome, escapes, _)) => {
                    others.iter().for_each(|&case| take(case, &coder, outcome.flat, &escapes));
                }
                Err(_) => {
                    let own = Counted::exact(&elements);
                    others.iter().for_each(|&case| counted[case].add(&own));
                }
            }
        }
        for (counted, counter) in counted.iter_mut().zip(&counters) {
            counted.add(&Counted::by(counter));
        }
        counted
    }

    fn boxes_in_reach(&self, grid: &TileGrid, boxes: Spread, part: Range<u64>) -> InReach {
        let mut coder = BoxCoder::new(self.plan, Choice::default(), self.run.level);
        let mut elements = Vec::new();
        let mut fits = InReach::default();
        for i in part {
            grid.gather_tile(self.data, boxes.tile(grid, i), &mut elements);
            let (first, reach) = coder.reach(&elements);
            for (fine, count) in fits.iter_mut().enumerate() {
                // Lattice points have 32 bits.
                let points = (first.abs() << fine) + MOST_VALUE as i64;
                let fits = reach << fine < MOST_VALUE as i64 * 7 / 8 && points <= i32::MAX as i64;
                *count += fits as u64;
            }
        }
        fits
    }
}

/// log2 of the lattice points of a step: the most for which a lattice point is a normal number and nearly all
/// boxes fit.
fn fine<T: Element>(plan: &Plan<T>, fits: InReach, boxes: u64) -> u32 {
    let can_be = |fine: &u32| match &plan.quantizer {
        Quantizer::Linear(linear) => {
            linear.step.to_f64() / 2f64.powi(*fine as i32) >= T::MIN_POSITIVE.to_f64()
        }
        Quantizer::Relative(relative) => can_be_relative(relative, *fine),
    };
    let most = (0..=MOST_FINE).rev().find(can_be).unwrap_or(0);
    let enough = |fine: &u32| fits[*fine as usize] * 16 >= boxes * 15;
    (0..=most).rev().find(enough).unwrap_or(0)
}

/// Whether the lattice may have 2^`fine` points for each code of a pointwise-relative bound.
fn can_be_relative<T: Element>(relative: &Relative<T>, fine: u32) -> bool {
    // Without linear codes the edge of what a floor is for is not in the header.
    match relative.curve.knee == 0 && relative.floor > T::ZERO {
        true => fine == 0,
        false => relative.curve.finer(fine).is_some(),
    }
}

/// What was chosen for another field, for one of this shape and bound. (The step of an absolute bound is one that the
/// lattice can divide.)
pub(super) fn fitted<T: Element>(
    dense: Dense,
    shape: &[u64],
    relative: Option<&Relative<T>>,
) -> Result<Dense> {
    let layout = dense.own_layout();
    let grid = grid_of(layout, shape)?;
    if is_sparse(layout, &grid) {
        // The caller chose a stream, and no layout.
        return Err(Error::invalid(format!(
            "like a stream of layout {}: a field of shape {shape:?} does not fill such boxes; name a stream of its \
             own shape, or none",
            layout.name()
        )));
    }
    let mut choice = dense.choice;
    if relative.is_some_and(|relative| !can_be_relative(relative, choice.fine)) {
        choice.fine = 0;
    }
    Ok(Dense { choice, ..dense })
}

/// Whether a field does not fill the boxes of a layout.
fn is_sparse(layout: Layout, grid: &TileGrid) -> bool {
    let room = grid.elements().saturating_add(BOX as u64);
    layout != Layout::Line && grid.tiles().saturating_mul(LEAST_BOX) > room
}

/// Whether a field of this shape has boxes of a layout, and fills them.
pub(super) fn fills(layout: Layout, shape: &[u64]) -> bool {
    grid_of(layout, shape).is_ok_and(|grid| !is_sparse(layout, &grid))
}

fn unfilled(layout: Layout, shape: &[u64]) -> Error {
    let is_plane = layout != Layout::Plane && fills(Layout::Plane, shape);
    let other = if is_plane { Layout::Plane } else { Layout::Line };
    Error::invalid(format!(
        "layout {}: a field of shape {shape:?} does not fill its boxes; use {}",
        layout.name(),
        other.name()
    ))
}

/// The boxes of a field of this shape in a layout.
fn grid_of(layout: Layout, shape: &[u64]) -> Result<TileGrid> {
    let dense = Dense { layout: Some(layout), choice: Choice { chunk: 0, ..Choice::default() } };
    TileGrid::new(&Profile::Dense(dense), shape)
        .ok_or_else(|| Error::invalid(format!("a field of shape {shape:?} is too large")))
}

/// A layout with its grid and a choice for its boxes.
type Case = (Layout, TileGrid, Choice);

/// A layout with its grid and the lattice that suits it.
type Lattice = (Layout, TileGrid, u32);

/// What a field costs by some of its boxes.
#[derive(Clone)]
struct Cost {
    cost: u128,
    layout: Layout,
    /// With the length of chunks that the cost makes best.
    choice: Choice,
}

/// What lines can be predicted by, ...
const OF_LINES: [Predictor; 3] = [
    Predictor::Interpolation(Taps::Linear),
    Predictor::Interpolation(Taps::Smooth),
    Predictor::Lorenzo,
];
/// ... and boxes of several axes.
const OF_BOXES: [Predictor; 4] = [
    Predictor::Interpolation(Taps::Linear),
    Predictor::Interpolation(Taps::Cubic),
    Predictor::Interpolation(Taps::Blended),
    Predictor::Lorenzo,
];
/// Choices that are counted at once, at most: lines, planes, bricks.
#[cfg(feature = "cuda")]
pub(crate) const MOST_CASES: usize = OF_LINES.len() + 2 * OF_BOXES.len();

/// What the boxes of a layout can be predicted by.
pub(super) const fn predictors(layout: Layout) -> &'static [Predictor] {
    match layout {
        Layout::Line => &OF_LINES,
        Layout::Plane | Layout::Brick => &OF_BOXES,
    }
}

/// A field of which some boxes are looked at.
struct Sample<'a, T> {
    field: &'a dyn Sampler,
    plan: &'a Plan<T>,
    n: u64,
}

impl<T: Element> Sample<'_, T> {
    /// The lattices that suit the layouts by so many boxes of each.
    fn lattices(&self, layouts: Vec<(Layout, TileGrid)>, boxes: Spread) -> Result<Vec<Lattice>> {
        let grids: Vec<_> = layouts.iter().map(|(_, grid)| grid.clone()).collect();
        let fits = self.field.in_reach(&grids, boxes)?;
        let lattice = |((layout, grid), fits): ((Layout, TileGrid), InReach)| {
            let fine = fine(self.plan, fits, boxes.count(&grid));
            (layout, grid, fine)
        };
        Ok(layouts.into_iter().zip(fits).map(lattice).collect())
    }

    /// What the cases cost by so many boxes; none for an empty field.
    fn costs(&self, cases: Vec<Case>, boxes: Spread) -> Result<Vec<Cost>> {
        let n = self.n as u128;
        let asked: Vec<_> = cases.iter().map(|(_, grid, choice)| (grid.clone(), *choice)).collect();
        let counted = self.field.count(&asked, boxes)?;
        let costs = cases.into_iter().zip(counted).filter(|(_, counted)| counted.elements > 0);
        let cost = |((layout, grid, choice), counted): (Case, Counted)| {
            let tables = Tables::fit(&counted.histogram);
            let carried = (tables.words() as u128 * 32) << COST_BITS;
            let cost = counted.cost(&tables) as u128 * n / counted.elements as u128 + carried;
            let below = |bits: u128| cost < (n * bits) << COST_BITS >> 1;
            let long = below(4) as usize + below(2) as usize;
            let choice = Choice { chunk: CHUNKS[long], ..choice };
            let chunks = grid.tiles().div_ceil(1 << choice.chunk);
            let cost = cost + (((chunks * CHUNK_BITS) as u128) << COST_BITS);
            let slower = match choice.predictor {
                Predictor::Lorenzo => cost / LORENZO_GAIN,
                Predictor::Interpolation(taps) => {
                    let blended = if taps == Taps::Blended { cost / BLENDED_GAIN } else { 0 };
                    let mixed = cost * counted.differences_of_all() as u128;
                    blended + mixed / (MIXED_GAIN * counted.elements as u128)
                }
            };
            Cost { cost: cost + slower, layout, choice }
        };
        Ok(costs.map(cost).collect())
    }
}

/// Chooses for a field; `asked` is the layout where the caller wants one.
pub(super) fn prepare<T: Element>(
    asked: Option<Layout>,
    field: &dyn Sampler,
    shape: &[u64],
    plan: &Plan<T>,
) -> Result<(Dense, Vec<u32>)> {
    let n = field.elements();
    let mut layouts = Vec::new();
    let long = shape.iter().filter(|&&side| side > 1).count();
    let fits = |layout: &Layout| asked.map_or(layout.axes() <= long, |asked| asked == *layout);
    for layout in Layout::ALL.into_iter().filter(fits) {
        let grid = grid_of(layout, shape)?;
        if is_sparse(layout, &grid) {
            if asked.is_some() {
                return Err(unfilled(layout, shape));
            }
            continue;
        }
        layouts.push((layout, grid));
    }
    let choosing = (n / (CHOOSING_SHARE * BOX as u64)).clamp(CHOOSING[0], CHOOSING[1]);
    let sample = Sample { field, plan, n };
    let all = Spread::of(choosing, choosing);
    let lattices = sample.lattices(layouts, all)?;
    let first = lattices.iter().flat_map(|(layout, grid, fine)| {
        predictors(*layout).iter().map(move |&predictor| {
            let choice = Choice { predictor, fine: *fine, chunk: CHUNKS[0] };
            (*layout, grid.clone(), choice)
        })
    });
    let first: Vec<Case> = first.collect();
    let some = Spread::of(choosing, FIRST.max(choosing / FIRST_SHARE));
    let first_costs = sample.costs(first, some)?;
    let Some(least) = first_costs.iter().map(|c| c.cost).min() else {
        let layout = asked.unwrap_or(Layout::Line);
        let mut choice = Choice::default();
        if matches!(plan.quantizer, Quantizer::Relative(_)) {
            choice.fine = 0;
        }
        let dense = Dense { layout: Some(layout), choice };
        return Ok((dense, Tables::fit(&empty_histogram()).write()));
    };
    // Of the layouts that come close the best prediction, and those that come close to it.
    let close = first_costs.chunk_by(|a, b| a.layout == b.layout).flat_map(|own| {
        let best = own.iter().map(|c| c.cost).min().unwrap_or(least);
        let most = if best <= least + least / CLOSE { best + best / NEAR } else { 0 };
        own.iter().filter(move |c| c.cost <= most)
    });
    let mut costs: Vec<Cost> = close.cloned().collect();
    if costs.len() > 1 {
        let cases = costs.iter().filter_map(|cost| {
            let (layout, grid, _) = lattices.iter().find(|own| own.0 == cost.layout)?;
            Some((*layout, grid.clone(), Choice { chunk: CHUNKS[0], ..cost.choice }))
        });
        costs = sample.costs(cases.collect(), all)?;
    }
    let best = costs.into_iter().min_by_key(|c| c.cost).expect("one of the first is close");
    let (layout, choice) = (best.layout, best.choice);
    let grid = grid_of(layout, shape)?;
    let boxes = FITTING.max(grid.tiles() / FITTING_SHARE);
    let counted = field.count(&[(grid, choice)], Spread::Boxes(boxes))?;
    Ok((Dense { layout: Some(layout), choice }, counted[0].tables()))
}
