//! Fields to measure on: of files, repeated to a size, or synthetic.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use fsz::{Bound, Codec, CompressOptions, Element, Profile};
use fsz_field::{Field, Shape, field_name, with_values};

use crate::source::{SourceArgs, synthetic};

/// A named field.
#[derive(Debug)]
pub struct Case {
    pub name: String,
    pub field: Field,
}

impl Case {
    /// The file at `path`, else the synthetic field of that name, of about `bytes`; with the missing values that are
    /// named, or else those that the file tells.
    pub fn open(path: &Path, source: &SourceArgs, bytes: u64, missing: &[f64]) -> Result<Case> {
        let name = field_name(path).to_string_lossy().into_owned();
        let mut field =
            source.open_or_make(path, bytes, &Codec::cpu())?.with_named_missing(missing);
        ensure!(!field.values().bytes().is_empty(), "{}: no values to measure", path.display());
        if synthetic(path).is_none() {
            field = with_values!(field.values(), values => repeated(&field, values, bytes)?);
        }
        Ok(Case { name, field })
    }

    /// What it is compressed by.
    pub fn options(&self, profile: Profile, bound: Bound) -> CompressOptions {
        let options = CompressOptions::new(bound).profile(profile);
        self.field.missing().iter().fold(options, |options, &value| options.missing(value))
    }
}

/// The field repeated along its slowest axis to at least `bytes`, every second time backwards, so
/// that no jump lies between.
fn repeated<T: Element>(field: &Field, values: &[T], bytes: u64) -> Result<Field> {
    let mut sides = field.shape().sides().to_vec();
    let (Some(planes), false) = (sides.first().copied(), values.is_empty()) else {
        return Ok(field.clone());
    };
    let plane = values.len() / planes as usize;
    let wanted = bytes.div_ceil((plane * size_of::<T>()) as u64);
    if wanted <= planes {
        return Ok(field.clone());
    }
    sides[0] = wanted;
    let shape = Shape::new(&sides)?;
    let mut all = Vec::new();
    all.try_reserve_exact(wanted as usize * plane)
        .ok()
        .with_context(|| format!("out of memory for a field of shape {shape}"))?;
    let mut backwards = false;
    while all.len() < wanted as usize * plane {
        let left = wanted as usize - all.len() / plane;
        if backwards {
            values.rchunks_exact(plane).take(left).for_each(|p| all.extend_from_slice(p));
        } else {
            all.extend_from_slice(&values[..left.min(planes as usize) * plane]);
        }
        backwards = !backwards;
    }
    Ok(Field::new(shape, all)?.with_missing(field.missing().to_vec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_field_is_repeated_with_every_second_copy_backwards() {
        let field = Field::new(Shape::new(&[2, 2]).unwrap(), vec![1f32, 2.0, 3.0, 4.0]).unwrap();
        let longer = repeated(&field, field.as_slice::<f32>().unwrap(), 8 * 5).unwrap();
        assert_eq!(longer.shape().sides(), [5, 2]);
        let expected = [1.0, 2.0, 3.0, 4.0, 3.0, 4.0, 1.0, 2.0, 1.0, 2.0];
        assert_eq!(longer.as_slice::<f32>().unwrap(), expected);
        let same = repeated(&field, field.as_slice::<f32>().unwrap(), 10).unwrap();
        assert_eq!(same.shape().sides(), [2, 2]);
        let refused = repeated(&field, field.as_slice::<f32>().unwrap(), 1 << 60).unwrap_err();
        assert!(refused.to_string().contains("out of memory"), "{refused}");
    }
}
