//! What a raw file, or a zfp stream without a header, does not tell, asked of the user.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, ensure};
use fsz::DType;
use fsz_field::{FixedRate, Hints, Shape, shape_in_name};

use crate::model::file_name::told;
use crate::model::set::Role;
use crate::model::wanted::Wanted;

/// The question for shape and type, and of a zfp stream for its rate.
#[derive(Clone, Debug, PartialEq)]
pub struct RawDialog {
    /// The file.
    pub path: PathBuf,
    /// What it is opened as.
    pub role: Role,
    /// Sides with an `x` between them, slowest first.
    pub shape: String,
    /// The element type.
    pub dtype: DType,
    /// Bits per value of a zfp stream; none for a raw file.
    pub rate: Option<String>,
    /// What of it is shown first.
    pub wanted: Wanted,
    bytes: u64,
}

impl RawDialog {
    /// A question about a raw file, whose answer is guessed from its name and from what is open.
    pub fn raw(path: &Path, role: Role, open: Option<&[u64]>) -> RawDialog {
        let double = path.extension().is_some_and(|e| e == "f64" || e == "d64");
        let dtype = if double { DType::F64 } else { DType::F32 };
        let bytes = size(path);
        let named = shape_in_name(path).map(|shape| shape.sides().to_vec());
        let sides = named
            .or_else(|| open.map(<[u64]>::to_vec))
            .unwrap_or_else(|| vec![bytes / dtype.size() as u64]);
        let (path, shape, wanted) = (path.to_owned(), written(&sides), Wanted::default());
        RawDialog { path, role, shape, dtype, rate: None, wanted, bytes }
    }

    /// A question about a zfp stream without a header, guessed in the same way; its rate also from its
    /// size.
    pub fn zfp(path: &Path, role: Role, open: Option<(&[u64], DType)>) -> RawDialog {
        let told = told(path);
        let named = told.shape.map(|shape| shape.sides().to_vec());
        let sides = named.or_else(|| open.map(|(sides, _)| sides.to_vec())).unwrap_or_default();
        let mut dialog = RawDialog {
            path: path.to_owned(),
            role,
            shape: written(&sides),
            dtype: told.dtype.or(open.map(|(_, dtype)| dtype)).unwrap_or(DType::F32),
            rate: None,
            wanted: Wanted::default(),
            bytes: size(path),
        };
        let rate = told.rate.or_else(|| dialog.rate_of_size());
        dialog.rate = Some(rate.map_or(String::new(), |rate| rate.to_string()));
        dialog
    }

    /// The same, of which this is shown first.
    #[must_use]
    pub fn of(self, wanted: Wanted) -> RawDialog {
        RawDialog { wanted, ..self }
    }

    /// The rate at which the shape fills the file.
    pub fn rate_of_size(&self) -> Option<f64> {
        let found = FixedRate::of_stream(&self.sides().ok()?, self.dtype, self.bytes)?;
        Some(found.bits_per_value())
    }

    fn sides(&self) -> Result<Shape> {
        let sides: Vec<u64> = self
            .shape
            .split(['x', '×', ',', ' '])
            .filter(|part| !part.is_empty())
            .map(|part| part.parse().map_err(|_| anyhow!("“{part}” is not a number")))
            .collect::<Result<_>>()?;
        ensure!(self.rate.is_none() || !sides.is_empty(), "enter the shape, as 30x192x288");
        Ok(Shape::new(&sides)?)
    }

    /// The answer.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn hints(&self) -> Result<Hints> {
        let shape = self.sides()?;
        let zfp_rate = match &self.rate {
            None => {
                self.fills(&shape)?;
                None
            }
            Some(text) => {
                let rate = text.trim();
                let rate: f64 = rate.parse().map_err(|_| anyhow!("“{rate}” is not a rate"))?;
                ensure!(shape.elements() > 0, "{shape} is an empty field, which zfp cannot store");
                FixedRate::within(&shape, self.dtype, rate, self.bytes)?;
                Some(rate)
            }
        };
        Ok(Hints { shape: Some(shape), dtype: Some(self.dtype), zfp_rate, like: None })
    }

    /// Errs unless a raw file has just the bytes of the shape.
    fn fills(&self, shape: &Shape) -> Result<()> {
        let wanted = u128::from(shape.elements()) * self.dtype.size() as u128;
        let (dtype, there) = (self.dtype, self.bytes);
        ensure!(
            wanted == u128::from(there),
            "{shape} of {dtype} takes {wanted} bytes; the file has {there}"
        );
        Ok(())
    }
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |m| m.len())
}

fn written(sides: &[u64]) -> String {
    sides.iter().map(u64::to_string).collect::<Vec<_>>().join("x")
}
