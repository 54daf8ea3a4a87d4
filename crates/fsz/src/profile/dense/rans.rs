//! The coder: 32 states that take turns (FORMAT.md, *Dense: coder*).

#[cfg(target_arch = "x86_64")]
use super::avx2;
use super::{
    items::{ItemStep, Items, Lanes, each_lane, first_lanes},
    symbols::{self, Symbol},
    tables::{Alphabet, CONTEXTS, Frequencies, SYMBOLS, SymbolSlots, Tables},
};
use crate::{
    format::dense::{LANES, LOW, RAW_BITS, SLOT_BITS, SLOTS},
    simd::Level,
};

/// The slots of a symbol, and what divides by their number.
#[derive(Clone, Copy, Debug, Default)]
#[repr(transparent)]
pub(super) struct Slots(u64);

impl Slots {
    /// Where the fields are behind the reciprocal, which has the low half: what is added, the frequency, and
    /// how far the quotient is shifted.
    pub const ADD_BITS: u32 = 10;
    pub const FREQUENCY_BITS: u32 = 10;

    fn new(start: u32, f: u32) -> Self {
        let (reciprocal, add, shift) = if f <= 1 {
            // 2³² − 1 in the place of 2³²: what it lacks is added.
            (u32::MAX, start + SLOTS - 1, 0)
        } else {
            // 2^(31 + ⌈log2 f⌉) / f, rounded up.
            let log = f.next_power_of_two().ilog2();
            ((1u64 << (31 + log)).div_ceil(f as u64) as u32, start, log - 1)
        };
        let fields = add | f << Self::ADD_BITS | shift << (Self::ADD_BITS + Self::FREQUENCY_BITS);
        Slots(reciprocal as u64 | (fields as u64) << 32)
    }

    fn field(self, from: u32, bits: u32) -> u32 {
        (self.0 >> (32 + from)) as u32 & ((1 << bits) - 1)
    }

    /// So many slots; 0: the context lacks the symbol.
    fn frequency(self) -> u32 {
        self.field(Self::ADD_BITS, Self::FREQUENCY_BITS)
    }

    /// The state that a symbol makes of one that is below f · 2²²: ⌊x / f⌋ · 512 + x mod f + first slot.
    #[inline(always)]
    fn take(self, state: u32) -> u32 {
        let reciprocal = self.0 as u32;
        let shift = self.field(Self::ADD_BITS + Self::FREQUENCY_BITS, 32 - 20);
        let quotient = ((state as u64 * reciprocal as u64) >> 32) as u32 >> shift;
        state + self.field(0, Self::ADD_BITS) + quotient * (SLOTS - self.frequency())
    }
}

/// The symbol of a lane in a step.
#[derive(Clone, Copy, Debug, Default)]
struct Event {
    slots: Slots,
    raw: u32,
    raw_bits: u8,
}

/// What the encoder knows of each symbol of each context.
pub(super) struct EncodingTables {
    slots: Vec<Slots>,
}

impl EncodingTables {
    pub fn new(tables: &Tables) -> Self {
        let slots = |row: SymbolSlots| row.map(|(start, f)| Slots::new(start as u32, f as u32));
        EncodingTables { slots: tables.slots().flat_map(slots).collect() }
    }

    fn event(&self, alphabet: Alphabet, row: u8, value: i32) -> Event {
        let event = |(symbol, raw_bits, raw): Symbol| {
            let slots = self.slots[row as usize * SYMBOLS + symbol as usize];
            Event { slots, raw, raw_bits }
        };
        let own = event(symbols::symbol(alphabet, value));
        if own.slots.frequency() > 0 { own } else { event(symbols::escape(alphabet, value)) }
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

    /// Codes the items of a box, which come before all that have been coded.
    pub fn code(&mut self, items: &Items, tables: &EncodingTables, level: Level) {
        for &step in items.steps().iter().rev() {
            let (values, rows) = items.lanes(step);
            match level {
                Level::Portable => self.step(step, values, rows, tables),
                #[cfg(target_arch = "x86_64")]
                Level::Avx2 => {
                    self.half_words.reserve(avx2::WRITE_AHEAD);
                    // SAFETY: `Level::detect` gives this level only where the instructions exist; rows are those
                    // of contexts, of which the tables have all symbols; there is room for half words.
                    unsafe {
                        avx2::encode(
                            step,
                            values,
                            rows,
                            &tables.slots,
                            &mut self.states,
                            &mut self.half_words,
                        );
                    }
                }
            }
        }
    }

    fn step(
        &mut self,
        step: ItemStep,
        values: Lanes<'_, i32>,
        rows: Lanes<'_, u8>,
        tables: &EncodingTables,
    ) {
        let mut events = [Event::default(); LANES];
        let mut any_raw = false;
        for lane in each_lane(step.lanes) {
            events[lane] = tables.event(step.alphabet, rows[lane], values[lane]);
            any_raw |= events[lane].raw_bits > 0;
        }
        if any_raw {
            for round in (0..3).rev() {
                for lane in (0..LANES).rev() {
                    self.raw(lane, &events[lane], round * RAW_BITS);
                }
            }
        }
        for lane in (0..LANES).rev().filter(|lane| step.lanes >> lane & 1 == 1) {
            let slots = events[lane].slots;
            let state = self.below(lane, slots.frequency() << (31 - SLOT_BITS));
            self.states[lane] = slots.take(state);
        }
    }

    /// The raw bits of a symbol from bit `from` on, if it has so many.
    fn raw(&mut self, lane: usize, e: &Event, from: u32) {
        if e.raw_bits as u32 > from {
            let bits = (e.raw_bits as u32 - from).min(RAW_BITS);
            let state = self.below(lane, 1 << (31 - bits));
            self.states[lane] = state << bits | e.raw >> from & ((1 << bits) - 1);
        }
    }

    /// A lane's state, of which half a word is written unless it is below `most`.
    #[inline(always)]
    fn below(&mut self, lane: usize, most: u32) -> u32 {
        let state = self.states[lane];
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
    pub fn new(tables: &Tables) -> Self {
        let mut slots = Vec::with_capacity(CONTEXTS << SLOT_BITS);
        let mut before: Option<&Frequencies> = None;
        for frequencies in &tables.0 {
            if before == Some(frequencies) {
                slots.extend_from_within(slots.len() - SLOTS as usize..);
                continue;
            }
            for (symbol, &f) in frequencies.iter().enumerate() {
                let own = (symbol as u32) << SLOT_SYMBOL_SHIFT | f as u32;
                slots.extend((0..f as u32).map(|i| i << SLOT_PLACE_SHIFT | own));
            }
            before = Some(frequencies);
        }
        assert_eq!(slots.len(), CONTEXTS << SLOT_BITS, "frequencies add up to the slots");
        DecodingTables { slots }
    }
}

/// Half words that a decoder may look at in a step: of symbols, of three rounds of raw bits, and what a vector reads.
pub(super) const READ_AHEAD: usize = 4 * LANES + 8;

/// The states of a decoder. Behind the end of what was written it reads zeros; [`Decoder::ended`] tells.
pub(super) struct Decoder<'a> {
    tables: &'a DecodingTables,
    states: [u32; LANES],
    /// Half words, and zeros behind them.
    half_words: &'a [[u8; 2]],
    /// How many were written.
    written: usize,
    at: usize,
    level: Level,
}

impl<'a> Decoder<'a> {
    /// `written` half words, and zeros behind them.
    pub fn new(
        tables: &'a DecodingTables,
        states: [u32; LANES],
        half_words: &'a [[u8; 2]],
        written: usize,
        level: Level,
    ) -> Self {
        Decoder { tables, states, half_words, written, at: 0, level }
    }

    /// Whether the states and half words are as an encoder began.
    pub fn ended(&self) -> bool {
        self.states == [LOW; LANES] && self.at == self.written
    }

    /// The items of some lanes in a step, each with its context among all; of other lanes they mean nothing.
    #[inline(always)]
    pub fn step(
        &mut self,
        alphabet: Alphabet,
        lanes: u32,
        rows: Lanes<'_, u8>,
        items: &mut [i32; LANES],
    ) {
        match self.level {
            Level::Portable => {}
            #[cfg(target_arch = "x86_64")]
            Level::Avx2 => {
                if let Some(ahead) = self.half_words.get(self.at..self.at + READ_AHEAD) {
                    let slots = &self.tables.slots;
                    // SAFETY: `Level::detect` gives this level only where the instructions exist; rows are those of
                    // contexts, of which the tables have all slots; the half words are there.
                    let taken = unsafe {
                        avx2::decode(alphabet, lanes, rows, slots, &mut self.states, ahead, items)
                    };
                    self.at += taken;
                    return;
                }
            }
        }
        self.step_by_lanes(alphabet, lanes, rows, items);
    }

    /// The same lane by lane, with raw bits of any number.
    #[inline(never)]
    fn step_by_lanes(
        &mut self,
        alphabet: Alphabet,
        lanes: u32,
        rows: Lanes<'_, u8>,
        items: &mut [i32; LANES],
    ) {
        let mut symbols = [0; LANES];
        let mut any_raw = false;
        for lane in each_lane(lanes) {
            let state = self.states[lane];
            let slot = (state & (SLOTS - 1)) as usize;
            let entry = self.tables.slots[(rows[lane] as usize) << SLOT_BITS | slot];
            symbols[lane] = (entry >> 12) as u8;
            any_raw |= symbols::raw_bits(alphabet, symbols[lane]) > 0;
            self.states[lane] =
                (entry & 0xFFF).wrapping_mul(state >> SLOT_BITS).wrapping_add(entry >> 20);
            self.refill(lane);
        }
        let mut raw = [0; LANES];
        if any_raw {
            for from in [0, RAW_BITS, 2 * RAW_BITS] {
                for lane in each_lane(lanes) {
                    let all = symbols::raw_bits(alphabet, symbols[lane]) as u32;
                    if all > from {
                        let bits = (all - from).min(RAW_BITS);
                        raw[lane] |= (self.states[lane] & ((1 << bits) - 1)) << from;
                        self.states[lane] >>= bits;
                        self.refill(lane);
                    }
                }
            }
        }
        for lane in each_lane(lanes) {
            items[lane] = symbols::value(alphabet, symbols[lane], raw[lane]);
        }
    }

    #[inline(always)]
    fn refill(&mut self, lane: usize) {
        if self.states[lane] < LOW {
            let half = self.half_words.get(self.at).map_or(0, |b| u16::from_le_bytes(*b));
            self.states[lane] = self.states[lane] << 16 | half as u32;
            self.at += 1;
        }
    }

    /// One item of lane 0.
    pub fn one(&mut self, alphabet: Alphabet, context: u8) -> i32 {
        let mut items = [0; LANES];
        self.step(alphabet, first_lanes(1), &[alphabet.row(context); LANES], &mut items);
        items[0]
    }
}
