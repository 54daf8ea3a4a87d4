//! Bounds by region, as told on the command line and shown to people.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, Result, anyhow, ensure};
use clap::Args;
use clap::builder::{OsStringValueParser, TypedValueParser};
use fsz::{Bound, BoxRanges, Codec, Mask, Place, Region, StoredRegion};
use fsz_field::{Field, Hints, Kind, Like, MaskFile, Shape, with_values};

use crate::terminal::count;

/// Parts of the field with bounds of their own.
#[derive(Debug, Clone, Default, Args)]
pub struct RegionArgs {
    /// Another bound in a box, of the same kind as the bound outside, smaller or larger. A box is a range
    /// START:END for each axis, slowest first, END not included; : is a whole axis, a number one plane. For
    /// example 0:10,:,64:128=1e-4. Up to 16 boxes and masks; where they overlap, the last one holds
    #[arg(long, value_name = "BOX=E")]
    bound_in: Vec<InBox>,
    /// Another bound where a mask is set: a field of the same shape, or a .npy file of bool or uint8; 0 and
    /// NaN are not set. Masks come after boxes
    // A mask may be standard input: -=E.
    #[arg(long, value_name = "MASK.npy=E", allow_hyphen_values = true, value_parser = OsStringValueParser::new().try_map(InMask::parse))]
    bound_where: Vec<InMask>,
}

/// A box and its bound.
#[derive(Debug, Clone, PartialEq)]
struct InBox {
    ranges: BoxRanges,
    bound: f64,
}

/// The file of a mask, and its bound.
#[derive(Debug, Clone, PartialEq)]
struct InMask {
    path: PathBuf,
    bound: f64,
}

impl FromStr for InBox {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (ranges, bound) = parted(text)?;
        let ranges = ranges.parse().map_err(|error: fsz::Error| error.to_string())?;
        Ok(InBox { ranges, bound })
    }
}

impl InMask {
    /// Names of files need not be UTF-8.
    fn parse(text: OsString) -> Result<Self, String> {
        let bytes = text.as_encoded_bytes();
        let end = bytes.iter().rposition(|&byte| byte == b'=').ok_or(NO_BOUND)?;
        // SAFETY: it was encoded so, and is parted before a character of ASCII.
        let path = unsafe { OsStr::from_encoded_bytes_unchecked(&bytes[..end]) };
        let bound = number(&String::from_utf8_lossy(&bytes[end + 1..]))?;
        if path.is_empty() {
            return Err("a mask is missing: name its file before =".to_owned());
        }
        Ok(InMask { path: path.into(), bound })
    }
}

const NO_BOUND: &str = "a bound is missing: add =E";

/// What stands before the last `=`, and the bound behind it.
fn parted(text: &str) -> Result<(&str, f64), String> {
    let (place, bound) = text.rsplit_once('=').ok_or(NO_BOUND)?;
    Ok((place, number(bound)?))
}

fn number(bound: &str) -> Result<f64, String> {
    // As between the ranges of a box, spaces say nothing.
    bound.trim().parse().map_err(|_| format!("{bound:?} is not a number"))
}

impl RegionArgs {
    /// Whether the whole field has one bound.
    pub fn is_empty(&self) -> bool {
        self.bound_in.is_empty() && self.bound_where.is_empty()
    }

    /// The files of the masks.
    pub fn masks(&self) -> impl Iterator<Item = &Path> {
        self.bound_where.iter().map(|mask| mask.path.as_path())
    }

    /// The regions of a field with this bound outside.
    pub fn regions(&self, outside: Bound, field: &Field, codec: &Codec) -> Result<Vec<Region>> {
        let mut regions = Vec::new();
        for InBox { ranges, bound } in &self.bound_in {
            let inside = ranges.inside(field.shape().sides());
            let (start, count) = inside.map_err(|error| anyhow!("--bound-in: {error}"))?;
            regions.push(Region::in_box(&start, &count, outside.with_requested(*bound)));
        }
        for InMask { path, bound } in &self.bound_where {
            let mask = mask(path, field, codec).context("--bound-where")?;
            regions.push(Region::where_set(mask, outside.with_requested(*bound)));
        }
        Ok(regions)
    }
}

/// The mask in a file, for a field: a `.npy` file, or a field of another kind, of which 0 and NaN are not set.
fn mask(path: &Path, field: &Field, codec: &Codec) -> Result<Mask> {
    let kind = Kind::of(path)?;
    let fits = |shape: &Shape| {
        let (path, wanted) = (path.display(), field.shape());
        ensure!(shape == wanted, "{path}: a mask of shape {shape} for a field of {wanted}");
        Ok(())
    };
    if kind == Kind::Npy {
        let file = MaskFile::open(path)?;
        fits(file.shape())?;
        let sides = file.shape().sides();
        return Ok(file.part(&vec![0; sides.len()], sides)?);
    }
    let (shape, dtype) = (field.shape().clone(), field.dtype());
    let like = Some(Like { name: "the field".to_owned(), shape, dtype });
    let mask = fsz_field::open(path, &Hints { like, ..Hints::default() }, codec)?;
    fits(mask.shape())?;
    Ok(with_values!(mask.values(), values => {
        Mask::of(values, |&d| !(d.is_nan() || d == 0.0))
    }))
}

/// Whether a stream has these regions.
pub fn same(asked: &[Region], stored: &[StoredRegion]) -> bool {
    let key = |place: &Place, bound: Bound| (place.clone(), bound.kind(), bound.requested());
    let asked = asked.iter().map(|region| key(&region.place, region.bound));
    asked.eq(stored.iter().map(|region| key(&region.place, region.bound)))
}

/// Where a region is, for people.
pub fn place(place: &Place) -> String {
    match place {
        Place::Box { start, count } => {
            let sides = start.iter().zip(count).map(|(s, c)| format!("{s}:{}", s + c));
            format!("box {}", sides.collect::<Vec<_>>().join(","))
        }
        Place::Mask(mask) => format!("mask of {}", count(mask.runs().len(), "run")),
        _ => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_and_masks_have_a_bound() {
        let told: InBox = "2:10, :,7=1e-4".parse().unwrap();
        assert_eq!(told, InBox { ranges: "2:10,:,7".parse().unwrap(), bound: 1e-4 });
        assert_eq!("2:10, :, 7 = 1e-4".parse::<InBox>().unwrap(), told);
        for wrong in ["2:10", "2:10=", "a:3=1", "=1", "1,,2=1", "-1:2=1", "1:2=x"] {
            assert!(wrong.parse::<InBox>().is_err(), "{wrong}");
        }
        let mask = InMask::parse("a=b/m.npy=0.5".into()).unwrap();
        assert_eq!(mask, InMask { path: "a=b/m.npy".into(), bound: 0.5 });
        assert_eq!(InMask::parse("a=b/m.npy= 0.5".into()).unwrap(), mask);
        for wrong in ["m.npy", "m.npy=", "m.npy=x"] {
            assert!(InMask::parse(wrong.into()).is_err(), "{wrong}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_mask_may_have_any_name() {
        use std::os::unix::ffi::OsStringExt;

        let named = |name: &[u8]| OsString::from_vec(name.to_vec());
        let mask = InMask::parse(named(b"m\xff=.npy=0.5")).unwrap();
        assert_eq!(mask, InMask { path: named(b"m\xff=.npy").into(), bound: 0.5 });
        assert!(InMask::parse(named(b"m.npy=\xff")).is_err());
    }
}
