//! The payload of a tile as its rate bytes announce it.

use crate::{
    dtype::DType,
    error::{Error, Result},
    format::{EscapeField, EscapeKind, RateByte, geometry::Geometry},
    tile_record::{Predictor, Storage, TileKind},
};

/// What the rate bytes of a tile say of its payload.
#[derive(Clone, Copy, Debug)]
pub(super) struct TileLayout {
    /// Words of µ and blocks.
    pub coded: usize,
    /// Words behind them.
    pub escapes: usize,
    pub field: Option<EscapeField>,
}

impl TileLayout {
    /// Reads the rate bytes of a tile of `count` elements.
    #[inline(always)]
    pub fn read(rates: &[u8], count: usize, dtype: DType, geometry: Geometry) -> Result<Self> {
        let mut blocks = 0;
        let mut high = 0;
        for &rate in rates {
            blocks += RateByte(rate).words();
            high |= rate;
        }
        let first = RateByte(rates[0]);
        let coded = blocks * geometry.plane_words() + usize::from(first.centered());
        if !first.escapes() {
            // Without escapes only block 0 has bits above the rate.
            let variant = RateByte::ORDER2 | RateByte::CENTERED | RateByte::RATE;
            if high & !variant != 0 || rates[1..].iter().any(|&r| RateByte(r).high() != 0) {
                return Err(Error::corrupt("an escape field in a tile without escapes"));
            }
            return Ok(TileLayout { coded, escapes: 0, field: None });
        }
        let field = EscapeField::read(rates, geometry.is_standard())?;
        Ok(TileLayout { coded, escapes: field.words(count, dtype), field: Some(field) })
    }

    pub fn words(&self) -> usize {
        self.coded + self.escapes
    }

    pub fn storage(&self) -> Storage {
        match self.field.map(|field| field.kind) {
            None => Storage::Coded,
            Some(EscapeKind::Exceptions) => Storage::Exceptions,
            Some(EscapeKind::Constant) => Storage::Constant,
            Some(EscapeKind::Verbatim) => Storage::Verbatim,
        }
    }
}

/// The predictor that the first rate byte names.
pub(super) fn predictor(first: RateByte) -> Predictor {
    Predictor::new(first.order2(), first.centered())
}

/// How a tile is shown, from its rate bytes alone; a contradictory one counts as verbatim.
pub(super) fn kind(rates: &[u8], geometry: Geometry) -> TileKind {
    let first = RateByte(rates[0]);
    if !first.escapes() {
        return TileKind::of(predictor(first));
    }
    match EscapeField::read(rates, geometry.is_standard()).map(|field| field.kind) {
        Ok(EscapeKind::Exceptions) => TileKind::Exceptions,
        Ok(EscapeKind::Constant) => TileKind::Constant,
        Ok(EscapeKind::Verbatim) | Err(_) => TileKind::Verbatim,
    }
}
