//! Chunks of boxes to payload.

use std::{cell::RefCell, rc::Rc};

use super::{
    Choice, Predictor,
    boxes::{BoxCoder, Outcome, Unfit},
    chunk::{BoxHead, Head, Mode},
    escapes::{Escapes, Mask},
    order::Order,
    rans::{self, EncodingTables},
    tables::Tables,
};
use crate::{
    element::Element,
    format::{checksum::rows, tile_grid::TileShape},
    profile::{ChunkEncoder, Plan},
    quantizer::Errors,
    simd::Level,
    statistics::Statistics,
    value_range,
};

/// The orders of boxes that have been met.
#[derive(Default)]
pub(super) struct Orders(Vec<(TileShape, Rc<Order>)>);

/// How many orders a thread keeps for calls to come: to make one takes several times as long as to decode a box.
const KEPT: usize = 8;

thread_local! {
    /// The latest ones, the newest last.
    static LATEST: RefCell<Orders> = RefCell::default();
}

impl Orders {
    pub fn of(&mut self, shape: TileShape) -> Rc<Order> {
        if let Some(order) = self.find(shape) {
            return order;
        }
        let order = LATEST.with_borrow_mut(|latest| latest.or_new(shape));
        self.0.push((shape, order.clone()));
        order
    }

    fn find(&self, shape: TileShape) -> Option<Rc<Order>> {
        self.0.iter().find(|(s, _)| *s == shape).map(|(_, order)| order.clone())
    }

    /// The order of a shape, which is made if it is none of those; the oldest one makes room for it.
    fn or_new(&mut self, shape: TileShape) -> Rc<Order> {
        self.find(shape).unwrap_or_else(|| {
            let order = Rc::new(Order::new(shape.0.map(|n| n as usize)));
            if self.0.len() == KEPT {
                self.0.remove(0);
            }
            self.0.push((shape, order.clone()));
            order
        })
    }
}

pub(super) struct Encoder<'a, T> {
    plan: &'a Plan<T>,
    coder: BoxCoder<'a, T>,
    tables: EncodingTables,
    orders: Orders,
    level: Level,
}

/// What a box came to.
struct Coded<T> {
    head: BoxHead,
    escapes: Escapes,
    /// The record of its escapes.
    record: Vec<u32>,
    errors: Errors<T>,
    escaped: usize,
}

impl<'a, T: Element> Encoder<'a, T> {
    pub fn new(choice: Choice, plan: &'a Plan<T>, tables: &[u32], level: Level) -> Self {
        let tables = Tables::read(tables).expect("tables that were just written");
        Encoder {
            plan,
            coder: BoxCoder::new(plan, choice, level),
            tables: EncodingTables::new(&tables),
            orders: Orders::default(),
            level,
        }
    }

    /// Codes a box before those that `rans` holds.
    fn code(
        &mut self,
        elements: &[T],
        shape: TileShape,
        base: i32,
        rans: &mut rans::Encoder,
    ) -> Coded<T> {
        let verbatim = Coded {
            head: BoxHead { mode: Mode::Verbatim, escapes: false },
            escapes: Escapes::NONE,
            record: Vec::new(),
            errors: Errors::NONE,
            escaped: elements.len(),
        };
        let order = self.orders.of(shape);
        let coder = &mut self.coder;
        let mut aim = None;
        let interpolated = match coder.choice.predictor {
            Predictor::Interpolation(taps) => {
                let aim = aim.insert(coder.aim(&order, elements, base));
                coder.interpolate(&order, taps, aim)
            }
            Predictor::Lorenzo => Err(Unfit),
        };
        let coded = match interpolated {
            Ok((outcome, escapes)) => (outcome, escapes, Mode::Interpolated),
            Err(_) => match coder.lorenzo(&order, elements, base, aim.as_ref()) {
                Ok((outcome, escapes, order)) => (outcome, escapes, Mode::Lorenzo(order)),
                Err(_) => {
                    coder.exact(elements);
                    let outcome = Outcome { errors: Errors::NONE, flat: false };
                    (outcome, Escapes::NONE, Mode::Exact)
                }
            },
        };
        let (outcome, escapes, mut mode) = coded;
        let mut record = Vec::new();
        if !escapes.is_none() {
            escapes.write(T::DTYPE, &self.plan.missing_bits, &mut record);
        }
        if outcome.flat {
            mode = Mode::Flat;
        }
        let before = (rans.states, rans.half_words.len());
        if !outcome.flat {
            rans.code(&self.coder.items, &self.tables, self.level);
        }
        let half_words = rans.half_words.len() - before.1 + 2 * record.len();
        if half_words >= 2 * T::DTYPE.words() * elements.len() {
            rans.states = before.0;
            rans.half_words.truncate(before.1);
            return verbatim;
        }
        let escaped = match escapes.mask {
            _ if mode == Mode::Exact => elements.len(),
            Mask::All => elements.len(),
            Mask::Coded => {
                let pattern = |d: &&T| d.to_bits64() == escapes.pattern;
                elements.iter().filter(pattern).count() + escapes.listed.len()
            }
            Mask::None => escapes.listed.len(),
        };
        let head = BoxHead { mode, escapes: !escapes.is_none() };
        Coded { head, escapes, record, errors: outcome.errors, escaped }
    }
}

impl<T: Element> ChunkEncoder<T> for Encoder<'_, T> {
    fn encode(
        &mut self,
        elements: &[T],
        tiles: &[TileShape],
        _: &mut [u8],
        payload: &mut Vec<u32>,
        statistics: &mut Statistics<T>,
    ) -> u32 {
        if !self.plan.ranged {
            let range = value_range::of_part(self.level, elements, &self.plan.missing);
            statistics.range.merge(&range);
        }
        let base = self.coder.base(elements);
        let mut rans = rans::Encoder::new();
        let mut boxes = Vec::with_capacity(tiles.len());
        let mut left = elements;
        for shape in tiles.iter().rev() {
            let (rest, own) = left.split_at(left.len() - shape.len());
            left = rest;
            let coded = self.code(own, *shape, base, &mut rans);
            statistics.errors.merge(coded.errors);
            statistics.escaped += coded.escaped as u64;
            boxes.push((coded, own));
        }
        boxes.reverse();

        let begin = payload.len();
        let heads = boxes.iter().map(|(coded, _)| coded.head).collect();
        let odd = !rans.half_words.len().is_multiple_of(2);
        payload.extend(Head { boxes: heads, base, odd }.words());
        boxes.iter().for_each(|(coded, _)| payload.extend_from_slice(&coded.record));
        for (_, own) in boxes.iter().filter(|b| b.0.head.mode == Mode::Verbatim) {
            match T::DTYPE.words() {
                1 => payload.extend(own.iter().map(|d| d.to_bits64() as u32)),
                _ => payload.extend(own.iter().flat_map(|d| {
                    let bits = d.to_bits64();
                    [bits as u32, (bits >> 32) as u32]
                })),
            }
        }
        if boxes.iter().any(|(coded, _)| coded.head.has_symbols(&coded.escapes)) {
            payload.extend(rans.states);
        }
        if odd {
            rans.half_words.push(0);
        }
        let pairs = rans.half_words.as_chunks::<2>().0.iter().rev();
        payload.extend(pairs.map(|[high, low]| *low as u32 | (*high as u32) << 16));
        rows(&payload[begin..], 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_keeps_the_latest_orders() {
        let shape = |n: u32| TileShape([1, 1, n]);
        let of = |n| Orders::default().of(shape(n));
        let first = of(1);
        assert_eq!(first.len, 1);
        assert!(Rc::ptr_eq(&first, &of(1)));
        (2..=KEPT as u32).for_each(|n| assert_eq!(of(n).len, n as usize));
        assert!(Rc::ptr_eq(&first, &of(1)));
        of(KEPT as u32 + 1);
        assert!(!Rc::ptr_eq(&first, &of(1)));
    }
}
