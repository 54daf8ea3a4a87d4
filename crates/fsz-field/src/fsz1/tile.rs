//! What the rate bytes tell of a tile.

use fsz::format::{RateByte, TILE_BLOCKS, WORD};
use fsz::{DType, Error, Predictor, Result, TileKind};

/// A tile of 256 consecutive values in C order, the last one filled up with zeros.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fsz1Tile {
    /// Its number in the field.
    pub index: u64,
    /// How its codes are predicted.
    pub predictor: Predictor,
    /// Bits per element of each block.
    pub rates: [u8; TILE_BLOCKS],
    /// Bytes of its payload.
    pub payload_bytes: usize,
}

impl Fsz1Tile {
    /// The tile of eight rate bytes.
    pub(super) fn new(index: u64, rates: &[u8; TILE_BLOCKS], dtype: DType) -> Result<Fsz1Tile> {
        let unused = RateByte::ESCAPES;
        let flags = RateByte::ORDER2 | RateByte::CENTERED | unused;
        let wrong = rates[0] & unused != 0 || rates[1..].iter().any(|byte| byte & flags != 0);
        if wrong {
            let reason = format!("tile {index}: rate bytes {rates:02x?} have bits that none has");
            return Err(Error::Corrupt(reason));
        }
        Ok(Fsz1Tile::of_checked(index, rates, dtype))
    }

    /// The same of rate bytes that were checked before.
    pub(super) fn of_checked(index: u64, rates: &[u8; TILE_BLOCKS], dtype: DType) -> Fsz1Tile {
        let first = RateByte(rates[0]);
        let words: usize = rates.iter().map(|&byte| block_words(RateByte(byte))).sum();
        Fsz1Tile {
            index,
            predictor: match (first.order2(), first.centered()) {
                (false, false) => Predictor::Lz1,
                (true, false) => Predictor::Lz2,
                (false, true) => Predictor::Lz1Centered,
                (true, true) => Predictor::Lz2Centered,
            },
            rates: rates.map(|byte| RateByte(byte).rate()),
            payload_bytes: WORD * words + mean_bytes(first, dtype),
        }
    }

    /// Compressed bytes: payload and rate bytes.
    pub fn bytes(&self) -> u64 {
        (TILE_BLOCKS + self.payload_bytes) as u64
    }

    /// How it is shown.
    pub fn kind(&self) -> TileKind {
        TileKind::of(self.predictor)
    }
}

/// Words of a block: its sign word and planes; none where all residuals are 0.
pub(super) fn block_words(byte: RateByte) -> usize {
    let rate = usize::from(byte.rate());
    if rate == 0 { 0 } else { 1 + rate }
}

/// Bytes of the mean of a tile whose block 0 has this rate byte.
pub(super) fn mean_bytes(first: RateByte, dtype: DType) -> usize {
    if first.centered() { dtype.size() } else { 0 }
}
