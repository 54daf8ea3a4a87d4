//! The head of a chunk (FORMAT.md, *Dense: chunks*).

use super::escapes::{Escapes, Mask};
use crate::{
    error::{Error, Result},
    format::{
        WORD,
        dense::{
            HEAD_BOX_BITS, HEAD_ESCAPES, HEAD_MODE, MODE_EXACT, MODE_FLAT, MODE_INTERPOLATED,
            MODE_LORENZO_1, MODE_LORENZO_2, MODE_VERBATIM,
        },
    },
    tile_record::{Predictor, Storage, TileKind},
};

/// How a box is coded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// All codes are the chunk's base.
    Flat,
    Interpolated,
    /// Lorenzo prediction of this order.
    Lorenzo(u8),
    /// Lorenzo prediction of the elements' bits: all are exact.
    Exact,
    /// All elements are stored as they are.
    Verbatim,
}

/// The modes and their numbers.
const MODES: [(Mode, u32); 6] = [
    (Mode::Flat, MODE_FLAT),
    (Mode::Interpolated, MODE_INTERPOLATED),
    (Mode::Lorenzo(1), MODE_LORENZO_1),
    (Mode::Lorenzo(2), MODE_LORENZO_2),
    (Mode::Exact, MODE_EXACT),
    (Mode::Verbatim, MODE_VERBATIM),
];
/// Bits of a box in the head.
const BOX_BITS: usize = HEAD_BOX_BITS as usize;
/// Boxes that a word tells of.
const WORD_BOXES: usize = 32 / BOX_BITS;

/// What the head says of a box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BoxHead {
    pub mode: Mode,
    pub escapes: bool,
}

impl BoxHead {
    /// Whether it has symbols, with these escapes: a chunk has states if any of its boxes has.
    pub fn has_symbols(self, escapes: &Escapes) -> bool {
        escapes.mask == Mask::Coded || !matches!(self.mode, Mode::Flat | Mode::Verbatim)
    }

    /// How its elements are stored, as far as the head tells.
    pub fn storage(self) -> Storage {
        match (self.mode, self.escapes) {
            (Mode::Exact | Mode::Verbatim, _) => Storage::Verbatim,
            (_, true) => Storage::Exceptions,
            _ => Storage::Coded,
        }
    }

    /// By what its codes are predicted; `None` for interpolation.
    pub fn predictor(self) -> Option<Predictor> {
        match self.mode {
            Mode::Lorenzo(order) => Some(if order == 1 { Predictor::Lz1 } else { Predictor::Lz2 }),
            _ => None,
        }
    }

    pub fn kind(self) -> TileKind {
        match self.storage() {
            Storage::Coded => self.predictor().map_or(TileKind::Interpolated, TileKind::of),
            Storage::Verbatim => TileKind::Verbatim,
            _ => TileKind::Exceptions,
        }
    }
}

/// The head of a chunk.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Head {
    pub boxes: Vec<BoxHead>,
    /// The code that those of its boxes are told relative to.
    pub base: i32,
    /// The half words are odd in number: a zero stands before them.
    pub odd: bool,
}

impl Head {
    /// Words of the head of a chunk of so many boxes.
    pub fn len(boxes: usize) -> usize {
        boxes.div_ceil(WORD_BOXES) + 1
    }

    pub fn words(&self) -> Vec<u32> {
        let mut words = vec![0; Self::len(self.boxes.len())];
        for (i, b) in self.boxes.iter().enumerate() {
            let (_, mode) = MODES.iter().find(|m| m.0 == b.mode).expect("one of them");
            let bits = mode | if b.escapes { HEAD_ESCAPES } else { 0 };
            words[i / WORD_BOXES] |= bits << (i % WORD_BOXES * BOX_BITS);
        }
        *words.last_mut().expect("a head has words") = (self.base as u32) << 1 | self.odd as u32;
        words
    }

    /// The head of a chunk of so many boxes.
    pub fn read(payload: &[u8], boxes: usize) -> Result<Self> {
        let wrong = || Error::corrupt("the head of a chunk contradicts itself");
        let len = Self::len(boxes);
        let words = payload.as_chunks::<WORD>().0.get(..len).ok_or_else(wrong)?;
        let words: Vec<u32> = words.iter().map(|b| u32::from_le_bytes(*b)).collect();
        let bits = |i: usize| words[i / WORD_BOXES] >> (i % WORD_BOXES * BOX_BITS) & 15;
        if (boxes..(len - 1) * WORD_BOXES).any(|i| bits(i) != 0) {
            return Err(wrong());
        }
        let boxes = (0..boxes)
            .map(|i| {
                let own = MODES.iter().find(|m| m.1 == bits(i) & HEAD_MODE);
                let (mode, _) = *own.ok_or_else(wrong)?;
                let escapes = bits(i) & HEAD_ESCAPES != 0;
                if matches!(mode, Mode::Exact | Mode::Verbatim) && escapes {
                    return Err(wrong());
                }
                Ok(BoxHead { mode, escapes })
            })
            .collect::<Result<_>>()?;
        let last = words[len - 1];
        Ok(Head { boxes, base: last as i32 >> 1, odd: last & 1 == 1 })
    }
}
