//! The codec's configuration in the metadata of arrays.

use fsz::{Bound, CompressOptions, DType, Dense, format::MOST_RELATIVE};
use serde::{Deserialize, Serialize};
use zarrs_metadata::ConfigurationSerialize;

/// How a writer codes chunks; readers find it in the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Fast.
    #[default]
    Paper,
    /// About half as long, slower.
    Dense,
}

/// Bound, missing values and profile. Exactly one of the three bounds is there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Configuration {
    /// The bound as a share of max - min of each chunk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<f64>,
    /// The bound in the array's own unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub absolute: Option<f64>,
    /// The bound as a share of each element, at most ½.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relative: Option<f64>,
    /// With `relative`, an error that is small enough for any element, in the array's own unit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub floor: Option<f64>,
    /// Values that are kept exactly and do not count for the range.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<f64>,
    /// The coding.
    #[serde(default, skip_serializing_if = "is_paper")]
    pub profile: Profile,
}

impl ConfigurationSerialize for Configuration {}

fn is_paper(profile: &Profile) -> bool {
    *profile == Profile::Paper
}

impl Configuration {
    /// A bound in the array's own unit.
    pub fn absolute(bound: f64) -> Self {
        Configuration { absolute: Some(bound), ..Self::unbounded() }
    }

    /// A bound as a share of max - min of each chunk.
    pub fn range(ratio: f64) -> Self {
        Configuration { range: Some(ratio), ..Self::unbounded() }
    }

    /// A bound as a share of each element, or a floor where that is more; 0 for none.
    pub fn relative(eps: f64, floor: f64) -> Self {
        let floor = (floor != 0.0).then_some(floor);
        Configuration { relative: Some(eps), floor, ..Self::unbounded() }
    }

    fn unbounded() -> Self {
        Configuration {
            range: None,
            absolute: None,
            relative: None,
            floor: None,
            missing: Vec::new(),
            profile: Profile::Paper,
        }
    }

    pub(crate) fn bound(&self) -> Result<Bound, String> {
        let bound = match (self.range, self.absolute, self.relative) {
            (Some(ratio), None, None) => Bound::ValueRange(ratio),
            (None, Some(absolute), None) => Bound::Absolute(absolute),
            (None, None, Some(eps)) => Bound::Relative { eps, floor: self.floor.unwrap_or(0.0) },
            _ => return Err("the bound is one of `range`, `absolute` and `relative`".into()),
        };
        let asked = bound.requested();
        if !(asked.is_finite() && asked > 0.0) {
            return Err(format!("bound {asked}: it must be a positive, finite number"));
        }
        if asked > MOST_RELATIVE && bound.is_relative() {
            return Err(format!("relative bound {asked}: it must be at most {MOST_RELATIVE}"));
        }
        match self.floor {
            Some(_) if !bound.is_relative() => Err("`floor` is for `relative` only".into()),
            Some(floor) if !(floor.is_finite() && floor >= 0.0) => {
                Err(format!("floor {floor}: it must be finite, and not negative"))
            }
            _ => Ok(bound),
        }
    }

    /// How chunks of an array of `dtype` with this fill value are compressed.
    pub(crate) fn options(&self, bound: Bound, fill_value: f64, dtype: DType) -> CompressOptions {
        let mut options = CompressOptions::new(bound);
        if self.profile == Profile::Dense {
            options = options.profile(fsz::Profile::Dense(Dense::new()));
        }
        // As elements are compared: a fill value of `f32` may be named by a number that rounds to it.
        let bits = |value: f64| match dtype {
            DType::F32 => u64::from((value as f32).to_bits()),
            _ => value.to_bits(),
        };
        let mut missing: Vec<f64> = Vec::new();
        // The profile paper decodes a zero as a zero, so there it need only be named where it would widen a range.
        let zero_is_kept = self.range.is_none() && self.profile == Profile::Paper;
        let fill = (bits(fill_value) != 0 || !zero_is_kept).then_some(fill_value);
        for value in self.missing.iter().copied().chain(fill) {
            // NaN and infinities are kept exactly anyway.
            if value.is_finite() && missing.iter().all(|&named| bits(named) != bits(value)) {
                missing.push(value);
            }
        }
        missing.into_iter().fold(options, CompressOptions::missing)
    }
}
