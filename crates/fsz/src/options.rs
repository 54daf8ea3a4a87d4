//! What a caller asks of a compression: the bound, and what the header shall record.

use std::sync::Arc;

use crate::{
    element::Dtype,
    error::{Error, Result},
    geometry::Geometry,
    progress::Progress,
};

/// Most missing values that can be named.
pub(crate) const MAX_MISSING: usize = 4;
/// Longest name in bytes.
pub(crate) const MAX_NAME: usize = 1024;

/// The error bound: every finite element keeps |original − decoded| ≤ the bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// This much, in the field's unit.
    Absolute(f64),
    /// This share of max − min over the finite, not missing values (the paper's REL).
    ValueRange(f64),
    /// The share `ratio` of a range that the caller knows, such as that of all ranks together.
    ValueRangeOf {
        /// Share of the range.
        ratio: f64,
        /// Lower end of the range.
        min: f64,
        /// Upper end of the range.
        max: f64,
    },
}

impl Bound {
    /// The number asked for: the absolute bound or the share of the range.
    pub fn requested(self) -> f64 {
        match self {
            Bound::Absolute(e) => e,
            Bound::ValueRange(ratio) | Bound::ValueRangeOf { ratio, .. } => ratio,
        }
    }

    /// `"absolute"` or `"value-range"`.
    pub fn kind(self) -> &'static str {
        match self {
            Bound::Absolute(_) => "absolute",
            Bound::ValueRange(_) | Bound::ValueRangeOf { .. } => "value-range",
        }
    }

    fn check(self) -> Result<()> {
        let asked = self.requested();
        if !(asked.is_finite() && asked > 0.0) {
            return Err(Error::invalid(format!(
                "{} bound {asked}: it must be a positive, finite number",
                self.kind()
            )));
        }
        if let Bound::ValueRangeOf { min, max, .. } = self
            && !(min.is_finite() && max.is_finite() && min <= max)
        {
            return Err(Error::invalid(format!(
                "value range {min} to {max}: both ends must be finite, the lower one first"
            )));
        }
        Ok(())
    }
}

/// What the centering value µ of a tile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Centering {
    /// No centering.
    Off,
    /// The tile's first code: the default.
    FirstCode,
    /// The mean of the tile's codes, as in the paper.
    Mean,
}

/// Switches for studies of the algorithm. The default is the product; everything else is for the CPU only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Research {
    /// Carry the prediction across the blocks of a tile (paper, section on cross-block state).
    pub cross_block: bool,
    /// Offer centered variants.
    pub centering: Centering,
    /// Offer second-order variants.
    pub order2: bool,
    /// Codes per block: 32 or 64.
    pub block_len: usize,
    /// Blocks per tile: 4, 8 or 16.
    pub blocks_per_tile: usize,
}

impl Default for Research {
    fn default() -> Self {
        Research {
            cross_block: true,
            centering: Centering::FirstCode,
            order2: true,
            block_len: Geometry::STANDARD.block_len,
            blocks_per_tile: Geometry::STANDARD.blocks,
        }
    }
}

impl Research {
    pub(crate) fn geometry(&self) -> Result<Geometry> {
        Geometry::new(self.block_len, self.blocks_per_tile)
    }
}

/// Everything that a compression can be told beside the data.
#[derive(Clone, Debug)]
pub struct Options {
    pub(crate) bound: Bound,
    pub(crate) missing: Vec<f64>,
    pub(crate) name: Option<String>,
    pub(crate) step: Option<u64>,
    pub(crate) start: Option<Vec<u64>>,
    pub(crate) research: Research,
    pub(crate) progress: Option<Arc<Progress>>,
}

impl Options {
    /// Compress within this bound.
    pub fn new(bound: Bound) -> Self {
        Options {
            bound,
            missing: Vec::new(),
            name: None,
            step: None,
            start: None,
            research: Research::default(),
            progress: None,
        }
    }

    /// Names a missing value (a fill value such as 9.96921e36): its elements keep their exact bits, cost
    /// next to nothing and do not enter a value range. At most 4 may be named. Elements are compared by
    /// bits with `value` rounded to the element type.
    pub fn missing(mut self, value: f64) -> Self {
        self.missing.push(value);
        self
    }

    /// Records a variable name of at most 1024 bytes.
    pub fn name(mut self, name: &str) -> Self {
        self.name = Some(name.to_owned());
        self
    }

    /// Records a time step.
    pub fn step(mut self, step: u64) -> Self {
        self.step = Some(step);
        self
    }

    /// Records where this field begins in a global array: one entry per dimension.
    pub fn start(mut self, start: &[u64]) -> Self {
        self.start = Some(start.to_vec());
        self
    }

    /// Switches parts of the algorithm, for studies.
    pub fn research(mut self, research: Research) -> Self {
        self.research = research;
        self
    }

    /// Reports to `progress`, and can be cancelled through it.
    pub fn progress(mut self, progress: Arc<Progress>) -> Self {
        self.progress = Some(progress);
        self
    }

    pub(crate) fn check(&self, shape: &[u64]) -> Result<()> {
        self.bound.check()?;
        self.research.geometry()?;
        if self.missing.len() > MAX_MISSING {
            return Err(Error::invalid(format!(
                "{} missing values named: at most {MAX_MISSING} can be",
                self.missing.len()
            )));
        }
        if let Some(name) = &self.name
            && name.len() > MAX_NAME
        {
            return Err(Error::invalid(format!(
                "a name of {} bytes: at most {MAX_NAME} can be recorded",
                name.len()
            )));
        }
        if let Some(start) = &self.start
            && start.len() != shape.len()
        {
            return Err(Error::invalid(format!(
                "a start of {} entries for a field of {} dimensions",
                start.len(),
                shape.len()
            )));
        }
        Ok(())
    }

    pub(crate) fn missing_bits(&self, dtype: Dtype) -> Vec<u64> {
        self.missing.iter().map(|&v| dtype.bits_of_value(v)).collect()
    }
}
