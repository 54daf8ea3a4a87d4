//! Masks in `.npy` files, of which no more is read than the part that is asked for.

use std::path::{Path, PathBuf};

use fsz::{DType, Mask};

use crate::error::{Error, Result};
use crate::field::window;
use crate::map::Order;
use crate::npy::{Item, Npy};
use crate::shape::Shape;

/// A mask in a mapped `.npy` file of bool, uint8, float32 or float64: 0 and NaN are not set.
#[derive(Debug, Clone)]
pub struct MaskFile {
    path: PathBuf,
    file: Npy,
    item: Item,
}

impl MaskFile {
    /// Opens the file.
    ///
    /// # Errors
    /// When it cannot be read, is no `.npy` file, or has values of another type.
    pub fn open(path: &Path) -> Result<MaskFile> {
        let file = Npy::map(path)?;
        let Some(item) = file.header.item else {
            let advice = "a mask is bool, uint8, float32 or float64; convert with .astype(bool)";
            return Err(file.header.wrong_type(path, advice));
        };
        Ok(MaskFile { path: path.to_owned(), file, item })
    }

    /// Its shape.
    pub fn shape(&self) -> &Shape {
        &self.file.header.shape
    }

    /// The part of `count` values from `start`, as the mask of a field of that shape.
    ///
    /// # Errors
    /// When the part does not lie in the mask, or the file was shortened.
    pub fn part(&self, start: &[u64], count: &[u64]) -> Result<Mask> {
        self.file.map.check()?;
        let big = self.file.header.order == Order::Big;
        let number = |value: f64| !(value.is_nan() || value == 0.0);
        match self.item {
            Item::Byte => self.part_where(start, count, |[byte]| byte != 0),
            Item::Float(DType::F32) => {
                let value = if big { f32::from_be_bytes } else { f32::from_le_bytes };
                self.part_where(start, count, |bytes| number(f64::from(value(bytes))))
            }
            Item::Float(DType::F64) => {
                let value = if big { f64::from_be_bytes } else { f64::from_le_bytes };
                self.part_where(start, count, |bytes| number(value(bytes)))
            }
        }
    }

    /// The part, of the values whose bytes are set. They need no alignment.
    fn part_where<const N: usize>(
        &self,
        start: &[u64],
        count: &[u64],
        is_set: impl Fn([u8; N]) -> bool + Sync,
    ) -> Result<Mask> {
        let values = self.file.map[self.file.start..].as_chunks::<N>().0;
        let order = (self.shape(), self.file.header.fortran);
        let part = window(values, order, (start, count))
            .map_err(|error| Error::file(&self.path, error.to_string()))?;
        if let Some(values) = part.as_slice() {
            return Ok(Mask::of(values, |&bytes| is_set(bytes)));
        }
        // By rows: one iterator of all axes takes several times as long.
        Ok(part.rows().into_iter().flatten().map(|&bytes| is_set(bytes)).collect())
    }
}
