//! The coder: 32 states that take turns (FORMAT.md, *Dense: coder*).

#[cfg(target_arch = "x86_64")]
use super::avx2;
use super::{
    boxes::FoundSymbol,
    predict::Lanes,
    symbols::{difference, residual},
    tables::{Alphabet, CONTEXTS, SYMBOLS, SymbolSlots, Tables},
};
use crate::{
    format::dense::{DIRECT, LANES, LOW, RAW_BITS, SLOT_BITS, SLOTS},
    simd::Level,
};

/// The slots of a symbol, and what divides by their number.
#[derive(Clone, Copy, Debug, Default)]
struct Slots {
    /// 2^(31 + ⌈log2 f⌉) / f, rounded up; 2³² − 1 for f = 1.
    reciprocal: u32,
    /// What is added: the first slot; for f = 1 what the reciprocal lacks, too.
    add: u32,
    /// f slots; 0: the context lacks the symbol.
    frequency: u16,
    shift: u8,
}

impl Slots {
    fn new(start: u32, f: u32) -> Self {
        if f <= 1 {
            let add = start + SLOTS - 1;
            return Slots { reciprocal: u32::MAX, add, frequency: f as u16, shift: 0 };
        }
        let log = f.next_power_of_two().ilog2();
        let reciprocal = ((1u64 << (31 + log)).div_ceil(f as u64)) as u32;
        Slots { reciprocal, add: start, frequency: f as u16, shift: log as u8 - 1 }
    }

    /// The state that a symbol makes of one that is below f · 2²²: ⌊x / f⌋ · 512 + x mod f + first slot.
    #[inline(always)]
    fn take(self, state: u32) -> u32 {
        let quotient = ((state as u64 * self.reciprocal as u64) >> 32) as u32 >> self.shift;
        state + self.add + quotient * (SLOTS - self.frequency as u32)
    }
}

/// The symbol of a lane in a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Event {
    slots: Slots,
    raw: u32,
    raw_bits: u8,
    lane: u8,
}

/// What the encoder knows of each context and symbol.
pub(super) struct EncodingTables {
    slots: Vec<[Slots; SYMBOLS]>,
}

impl EncodingTables {
    pub fn new(tables: &Tables) -> Self {
        let slots = |row: SymbolSlots| row.map(|(start, f)| Slots::new(start as u32, f as u32));
        let slots = tables.slots().map(slots).collect();
        EncodingTables { slots }
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
        let lane = lane as u8;
        let own = slots[symbol as usize];
        if own.frequency > 0 {
            return Event { slots: own, raw, raw_bits, lane };
        }
        let (symbol, raw_bits, raw) = escape();
        Event { slots: slots[symbol as usize], raw, raw_bits, lane }
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
            self.step(step);
        }
    }

    /// Codes the residuals of a step.
    pub fn residuals(&mut self, step: &[FoundSymbol], tables: &EncodingTables) {
        let slots = |s: &FoundSymbol| {
            let place = (s.r as i32 + DIRECT) as u32;
            let own = &tables.slots[s.context as usize];
            if place <= 2 * DIRECT as u32 { own[place as usize] } else { Slots::default() }
        };
        if step.iter().all(|s| slots(s).frequency > 0) {
            for s in step.iter().rev() {
                self.symbol(s.lane, slots(s));
            }
        } else {
            let event = |s: &FoundSymbol| tables.residual(s.lane as usize, s.context, s.r as i32);
            let events: Vec<Event> = step.iter().map(event).collect();
            self.step(&events);
        }
    }

    fn step(&mut self, step: &[Event]) {
        if step.iter().any(|e| e.raw_bits > 0) {
            for round in (0..3).rev() {
                step.iter().rev().for_each(|e| self.raw(e, round * RAW_BITS));
            }
        }
        for e in step.iter().rev() {
            self.symbol(e.lane, e.slots);
        }
    }

    #[inline(always)]
    fn symbol(&mut self, lane: u8, slots: Slots) {
        let state = self.below(lane, (slots.frequency as u32) << (31 - SLOT_BITS));
        self.states[lane as usize] = slots.take(state);
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
    pub slots: Vec<u32>,
}

/// The bits of a slot that are the frequency; where the symbol and the place begin.
pub(super) const SLOT_FREQUENCY: u32 = 0xFFF;
pub(super) const SLOT_SYMBOL_SHIFT: u32 = 12;
pub(super) const SLOT_PLACE_SHIFT: u32 = 20;

impl DecodingTables {
    /// Of no use; it stands in for tables that are lent.
    pub fn empty() -> Self {
        DecodingTables { slots: Vec::new() }
    }

    pub fn new(tables: &Tables) -> Self {
        let mut slots = Vec::with_capacity(CONTEXTS << SLOT_BITS);
        for frequencies in &tables.0 {
            for (symbol, &f) in frequencies.iter().enumerate() {
                let own = (symbol as u32) << SLOT_SYMBOL_SHIFT | f as u32;
                slots.extend((0..f as u32).map(|i| i << SLOT_PLACE_SHIFT | own));
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
    level: Level,
}

impl<'a> Decoder<'a> {
    pub fn new(
        tables: &'a DecodingTables,
        states: [u32; LANES],
        half_words: &'a [[u8; 2]],
        level: Level,
    ) -> Self {
        Decoder { tables, states, half_words, at: 0, level }
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
            let symbol = (entry >> SLOT_SYMBOL_SHIFT) as u8;
            symbols[lane] = symbol;
            most = most.max(symbol as u32);
            let (frequency, place) = (entry & SLOT_FREQUENCY, entry >> SLOT_PLACE_SHIFT);
            self.states[lane] = frequency.wrapping_mul(state >> SLOT_BITS).wrapping_add(place);
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

    /// The residuals of the first lanes, with their contexts.
    #[inline(always)]
    pub fn first_residuals(&mut self, lanes: usize, contexts: &Lanes, residuals: &mut Lanes) {
        #[cfg(target_arch = "x86_64")]
        if self.level == Level::Avx2
            && let Some(ahead) = self.half_words.get(self.at..self.at + avx2::READ_AHEAD)
        {
            let slots = &self.tables.slots;
            // SAFETY: `Level::detect` gives this level only where the instructions exist; contexts are those
            // of a walk, all of them residuals', of which the tables have all; the half words are there.
            let taken = unsafe {
                avx2::residuals(slots, lanes, contexts, &mut self.states, ahead, residuals)
            };
            if let Some(taken) = taken {
                self.at += taken;
                return;
            }
        }
        let contexts = contexts.iter().map(|&c| c as u8).enumerate();
        self.residuals(contexts.take(lanes), residuals);
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
