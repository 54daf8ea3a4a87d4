//! The coder: 32 states that take turns (FORMAT.md, *Dense: coder*).

use super::{
    symbols::{difference, residual},
    tables::{Alphabet, CONTEXTS, SYMBOLS, Tables},
};
use crate::format::dense::{LANES, LOW, RAW_BITS, SLOT_BITS, SLOTS};

/// The symbol of a lane in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    /// First slot of the symbol, and its slots.
    start: u16,
    frequency: u16,
    raw: u32,
    raw_bits: u8,
    lane: u8,
}

/// First slot and frequency of each symbol of a context.
pub(crate) type SymbolSlots = [(u16, u16); SYMBOLS];

/// What the encoder knows of each context and symbol.
pub(super) struct EncodingTables {
    slots: Vec<SymbolSlots>,
}

impl EncodingTables {
    pub fn new(tables: &Tables) -> Self {
        let slots = tables
            .0
            .iter()
            .map(|frequencies| {
                let mut start = 0;
                frequencies.map(|f| {
                    let slot = (start, f);
                    start += f;
                    slot
                })
            })
            .collect();
        EncodingTables { slots }
    }

    #[cfg(feature = "cuda")]
    pub fn into_slots(self) -> Vec<SymbolSlots> {
        self.slots
    }

    pub fn residual(&self, lane: usize, context: u8, r: i32) -> Event {
        self.event(Alphabet::Residual, lane, context, residual::symbol(r), || residual::escape(r))
    }

    pub fn difference(&self, lane: usize, context: u8, l: i32) -> Event {
        let escape = || difference::escape(l);
        self.event(Alphabet::Difference, lane, context, difference::symbol(l), escape)
    }

    pub fn flag(&self, lane: usize, context: u8, flag: bool) -> Event {
        let symbol = (flag as u8, 0, 0);
        self.event(Alphabet::Flag, lane, context, symbol, || symbol)
    }

    #[inline(always)]
    fn event(
        &self,
        alphabet: Alphabet,
        lane: usize,
        context: u8,
        (symbol, raw_bits, raw): (u8, u8, u32),
        escape: impl FnOnce() -> (u8, u8, u32),
    ) -> Event {
        let slots = &self.slots[alphabet.first() + context as usize];
        let (start, frequency) = slots[symbol as usize];
        let lane = lane as u8;
        if frequency > 0 {
            return Event { start, frequency, raw, raw_bits, lane };
        }
        let (symbol, raw_bits, raw) = escape();
        let (start, frequency) = slots[symbol as usize];
        Event { start, frequency, raw, raw_bits, lane }
    }
}

/// The symbols of a box, step by step.
#[derive(Debug, Default)]
pub(super) struct Events {
    events: Vec<Event>,
    /// Symbols of each step.
    steps: Vec<u8>,
}

impl Events {
    pub fn clear(&mut self) {
        self.events.clear();
        self.steps.clear();
    }

    pub fn push(&mut self, event: Event) {
        self.events.push(event);
    }

    /// Ends a step of which so many symbols were pushed.
    pub fn end_step(&mut self, symbols: usize) {
        self.steps.push(symbols as u8);
    }
}

/// The states of an encoder, which writes backwards.
#[derive(Clone, Debug)]
pub(super) struct Encoder {
    pub states: [u32; LANES],
    /// In the order in which they were written: a decoder reads the last first.
    pub half_words: Vec<u16>,
}

impl Encoder {
    pub fn new() -> Self {
        Encoder { states: [LOW; LANES], half_words: Vec::new() }
    }

    /// Codes the symbols of a box, which come before all that have been coded.
    pub fn code(&mut self, events: &Events) {
        let mut left = &events.events[..];
        for &n in events.steps.iter().rev() {
            let (rest, step) = left.split_at(left.len() - n as usize);
            left = rest;
            if step.iter().any(|e| e.raw_bits > 0) {
                for round in (0..3).rev() {
                    step.iter().rev().for_each(|e| self.raw(e, round * RAW_BITS));
                }
            }
            for e in step.iter().rev() {
                let state = self.below(e.lane, (e.frequency as u32) << (31 - SLOT_BITS));
                let f = e.frequency as u32;
                self.states[e.lane as usize] =
                    ((state / f) << SLOT_BITS) + state % f + e.start as u32;
            }
        }
    }

    /// The raw bits of a symbol from bit `from` on, if it has so many.
    fn raw(&mut self, e: &Event, from: u32) {
        if e.raw_bits as u32 > from {
            let bits = (e.raw_bits as u32 - from).min(RAW_BITS);
            let state = self.below(e.lane, 1 << (31 - bits));
            self.states[e.lane as usize] = state << bits | e.raw >> from & ((1 << bits) - 1);
        }
    }

    /// A lane's state, of which half a word is written unless it is below `most`.
    #[inline(always)]
    fn below(&mut self, lane: u8, most: u32) -> u32 {
        let state = self.states[lane as usize];
        if state < most {
            return state;
        }
        self.half_words.push(state as u16);
        state >> 16
    }
}

/// What the decoder knows of each slot of each context: symbol, frequency, and place among the symbol's slots.
pub(super) struct DecodingTables {
    slots: Vec<u32>,
}

impl DecodingTables {
    /// Of no use; it stands in for tables that are lent.
    pub fn empty() -> Self {
        DecodingTables { slots: Vec::new() }
    }

    pub fn new(tables: &Tables) -> Self {
        let mut slots = Vec::with_capacity(CONTEXTS << SLOT_BITS);
        for frequencies in &tables.0 {
            for (symbol, &f) in frequencies.iter().enumerate() {
                slots.extend((0..f as u32).map(|i| i << 20 | (symbol as u32) << 12 | f as u32));
            }
        }
        assert_eq!(slots.len(), CONTEXTS << SLOT_BITS, "frequencies add up to the slots");
        DecodingTables { slots }
    }
}

/// The states of a decoder. Behind the end of what was written it reads zeros; [`Decoder::ended`] tells.
pub(super) struct Decoder<'a> {
    tables: &'a DecodingTables,
    states: [u32; LANES],
    half_words: &'a [[u8; 2]],
    at: usize,
}

impl<'a> Decoder<'a> {
    pub fn new(
        tables: &'a DecodingTables,
        states: [u32; LANES],
        half_words: &'a [[u8; 2]],
    ) -> Self {
        Decoder { tables, states, half_words, at: 0 }
    }

    /// Whether the states and half words are as an encoder began.
    pub fn ended(&self) -> bool {
        self.states == [LOW; LANES] && self.at == self.half_words.len()
    }

    #[inline(always)]
    fn refill(&mut self, lane: usize) {
        if self.states[lane] < LOW {
            let half = self.half_words.get(self.at).map_or(0, |b| u16::from_le_bytes(*b));
            self.states[lane] = self.states[lane] << 16 | half as u32;
            self.at += 1;
        }
    }

    /// The symbols of some lanes, each in its context of an alphabet.
    #[inline(always)]
    fn symbols(
        &mut self,
        alphabet: Alphabet,
        contexts: impl Iterator<Item = (usize, u8)>,
        symbols: &mut [u8; LANES],
    ) -> u32 {
        let mut most = 0;
        for (lane, context) in contexts {
            let state = self.states[lane];
            let slot = (state & (SLOTS - 1)) as usize;
            let entry =
                self.tables.slots[(alphabet.first() + context as usize) << SLOT_BITS | slot];
            let symbol = (entry >> 12) as u8;
            symbols[lane] = symbol;
            most = most.max(symbol as u32);
            self.states[lane] =
                (entry & 0xFFF).wrapping_mul(state >> SLOT_BITS).wrapping_add(entry >> 20);
            self.refill(lane);
        }
        most
    }

    /// `bits` raw bits of each lane, and what they make of its symbol.
    #[cold]
    #[inline(never)]
    fn raw(&mut self, lanes: &[usize], bits: impl Fn(usize) -> u8, raw: &mut [u32; LANES]) {
        for round in 0..3 {
            let from = round * RAW_BITS;
            for &lane in lanes {
                let all = bits(lane) as u32;
                if all > from {
                    let bits = (all - from).min(RAW_BITS);
                    raw[lane] |= (self.states[lane] & ((1 << bits) - 1)) << from;
                    self.states[lane] >>= bits;
                    self.refill(lane);
                }
            }
        }
    }

    /// The residuals of some lanes, in rising order, with their contexts.
    #[inline(always)]
    pub fn residuals(
        &mut self,
        lanes: impl Iterator<Item = (usize, u8)> + Clone,
        residuals: &mut [i32; LANES],
    ) {
        let mut symbols = [0; LANES];
        let most = self.symbols(Alphabet::Residual, lanes.clone(), &mut symbols);
        let mut raw = [0; LANES];
        if residual::raw_bits(most as u8) > 0 {
            let lanes: Vec<usize> = lanes.clone().map(|(lane, _)| lane).collect();
            self.raw(&lanes, |lane| residual::raw_bits(symbols[lane]), &mut raw);
        }
        for (lane, _) in lanes {
            residuals[lane] = residual::value(symbols[lane], raw[lane]);
        }
    }

    /// The differences of some lanes, in rising order, with their contexts.
    pub fn differences(
        &mut self,
        lanes: impl Iterator<Item = (usize, u8)> + Clone,
        differences: &mut [i32; LANES],
    ) {
        let mut symbols = [0; LANES];
        self.symbols(Alphabet::Difference, lanes.clone(), &mut symbols);
        let mut raw = [0; LANES];
        let own: Vec<usize> = lanes.clone().map(|(lane, _)| lane).collect();
        self.raw(&own, |lane| difference::raw_bits(symbols[lane]), &mut raw);
        for lane in own {
            differences[lane] = difference::value(symbols[lane], raw[lane]);
        }
    }

    /// The flags of some lanes, in rising order.
    pub fn flags(
        &mut self,
        lanes: impl Iterator<Item = (usize, u8)> + Clone,
        flags: &mut [u8; LANES],
    ) {
        self.symbols(Alphabet::Flag, lanes, flags);
    }
}
