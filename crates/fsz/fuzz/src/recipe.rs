//! An arbitrary field and arbitrary options, from the fuzzer's bytes.

use crate::roundtrip;
use arbitrary::{Arbitrary, Unstructured};
use fsz::{Bound, Centering, CompressOptions, Dense, Profile, Research};

/// The elements of a field, before they are given an element type.
#[derive(Arbitrary, Debug)]
pub enum Values {
    /// Any bit patterns.
    Bits(Vec<u64>),
    /// A walk with small steps, scaled: what fields look like.
    Walk { steps: Vec<i8>, scale: Scale, offset: i16 },
    /// Runs of equal values: masks and constant tiles.
    Runs { runs: Vec<(u16, u8)>, scale: Scale },
}

/// A power of two, so that both tiny and huge magnitudes occur.
#[derive(Arbitrary, Clone, Copy, Debug)]
pub struct Scale(i8);

/// A field with its shape, and how to compress it.
#[derive(Debug)]
pub struct Recipe {
    pub values: Values,
    pub shape_hint: [u8; 3],
    pub options: CompressOptions,
}

/// Values that stand for missing data, which `Values::Runs` places among the others.
const MARKERS: [f64; 6] = [1e20, 9.96921e36, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, -0.0];

impl Values {
    /// The elements, at most some thousands of them.
    pub fn elements(&self) -> Vec<f64> {
        match self {
            Self::Bits(bits) => bits.iter().map(|b| f64::from_bits(*b)).collect(),
            Self::Walk { steps, scale, offset } => {
                let walk = steps.iter().scan(i32::from(*offset), |at, step| {
                    *at += i32::from(*step);
                    Some(f64::from(*at) * scale.factor())
                });
                walk.collect()
            }
            Self::Runs { runs, scale } => {
                let value = |v: u8| match MARKERS.get(usize::from(v)) {
                    Some(marker) => *marker,
                    None => f64::from(v) * scale.factor(),
                };
                let run = |&(length, v): &(u16, u8)| {
                    std::iter::repeat_n(value(v), usize::from(length % 600))
                };
                runs.iter().flat_map(run).take(40_000).collect()
            }
        }
    }
}

impl Recipe {
    /// Makes the field in both types, and checks what the codec does with it, by both profiles.
    pub fn roundtrip(&self) {
        let elements = self.values.elements();
        let dense = self.options.clone().profile(Profile::Dense(Dense::new()));
        for options in [&self.options, &dense] {
            roundtrip::<f32>(&elements, self.shape_hint, options);
            roundtrip::<f64>(&elements, self.shape_hint, options);
        }
    }
}

impl Scale {
    fn factor(self) -> f64 {
        2f64.powi(i32::from(self.0))
    }
}

impl<'a> Arbitrary<'a> for Recipe {
    fn arbitrary(u: &mut Unstructured<'a>) -> arbitrary::Result<Self> {
        let size = |u: &mut Unstructured<'a>| -> arbitrary::Result<f64> {
            // Mostly sensible bounds, sometimes any number at all.
            Ok(if u.ratio(7, 8)? { 2f64.powi(u.int_in_range(-40..=20)?) } else { u.arbitrary()? })
        };
        let bound = match u.int_in_range(0..=2)? {
            0 => Bound::Absolute(size(u)?),
            1 => Bound::ValueRange(size(u)?),
            _ => {
                let (ratio, min, max): (f64, f64, f64) = (size(u)?, u.arbitrary()?, u.arbitrary()?);
                // What is no range makes a pointwise-relative bound: the stored inputs keep what they say.
                if min <= max {
                    Bound::ValueRangeOf { ratio, min, max }
                } else {
                    let floor = if min.is_finite() { min.abs() } else { 0.0 };
                    Bound::Relative { eps: ratio, floor }
                }
            }
        };
        let mut options = CompressOptions::new(bound);
        for _ in 0..u.int_in_range(0..=5)? {
            options = options.missing(*u.choose(&MARKERS)?);
        }
        if u.ratio(1, 3)? {
            options = options.name(u.arbitrary()?).time_step(u.arbitrary()?);
        }
        if u.ratio(1, 4)? {
            let centering = *u.choose(&[Centering::Off, Centering::FirstCode, Centering::Mean])?;
            options = options.research(Research {
                cross_block: u.arbitrary()?,
                centering,
                order2: u.arbitrary()?,
                block_len: *u.choose(&[32, 64])?,
                blocks_per_tile: *u.choose(&[4, 8, 16])?,
            });
        }
        Ok(Self { shape_hint: u.arbitrary()?, options, values: u.arbitrary()? })
    }
}
