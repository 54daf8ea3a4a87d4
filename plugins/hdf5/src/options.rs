//! What a dataset asks of the filter: bound, profile and missing values, and their text form.

use fsz::{Bound, Codec, CompressOptions, DType, Profile, max_compressed_len, with_element};

use crate::{Result, text};

/// What the writer of a dataset chooses.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Options {
    pub bound: Bound,
    pub profile: Profile,
    pub missing: Vec<f64>,
}

impl Options {
    /// Reads `absolute=E`, `range=E` or `relative=E`, and where wanted `value_range=MIN,MAX`, `floor=A`,
    /// `missing=V,V` and `profile=paper` or `dense`, in any order with spaces between them.
    ///
    /// # Errors
    /// A message that names the option.
    pub fn parse(text: &str) -> Result<Options> {
        let (mut absolute, mut range, mut relative) = (None, None, None);
        let (mut value_range, mut floor) = (None, None);
        let (mut profile, mut missing) = (Profile::default(), Vec::new());
        let mut named = Vec::new();
        for word in text.split_whitespace() {
            let (name, value) = word.split_once('=').unwrap_or((word, ""));
            // The last one would hold: of several missing values, that one alone.
            if named.contains(&name) {
                return Err(format!("{name}: given twice"));
            }
            named.push(name);
            let wrong = |wanted: &str| format!("{name}: {value:?} is not {wanted}");
            match name {
                "absolute" => absolute = Some(number(value).ok_or(wrong("a number"))?),
                "range" => range = Some(number(value).ok_or(wrong("a number"))?),
                "relative" => relative = Some(number(value).ok_or(wrong("a number"))?),
                "floor" => floor = Some(number(value).ok_or(wrong("a number"))?),
                "value_range" => {
                    let ends = value.split_once(',');
                    let ends = ends.and_then(|(min, max)| Some((number(min)?, number(max)?)));
                    value_range = Some(ends.ok_or(wrong("MIN,MAX"))?);
                }
                "missing" => {
                    let values = value.split(',').map(number).collect::<Option<_>>();
                    missing = values.ok_or(wrong("numbers with commas between them"))?;
                }
                "profile" => {
                    profile = Profile::named(value).ok_or(wrong("paper or dense"))?;
                }
                _ => {
                    return Err(format!(
                        "{name}: unknown; there are absolute, range, relative, value_range, floor, missing, profile"
                    ));
                }
            }
        }
        if value_range.is_some() && range.is_none() {
            return Err("value_range: only beside range".into());
        }
        if floor.is_some() && relative.is_none() {
            return Err("floor: only beside relative".into());
        }
        let bound = match (absolute, range, relative) {
            (Some(e), None, None) => Bound::Absolute(e),
            (None, Some(ratio), None) => match value_range {
                Some((min, max)) => Bound::ValueRangeOf { ratio, min, max },
                None => Bound::ValueRange(ratio),
            },
            (None, None, Some(eps)) => Bound::Relative { eps, floor: floor.unwrap_or(0.0) },
            _ => return Err("a bound is needed: absolute, range or relative, one of them".into()),
        };
        // The type is that of a dataset to come: bounds of f32 may be smaller, missing values of f64 larger.
        bound.check(DType::F32).map_err(crate::text)?;
        let missing = Options { bound: Bound::Absolute(1.0), profile, missing };
        check(&missing.compression(&[]), DType::F64)?;
        Ok(Options { bound, ..missing })
    }

    /// For the codec, with the fill values that a dataset adds to the missing ones.
    pub fn compression(&self, fill: &[f64]) -> CompressOptions {
        let options = CompressOptions::new(self.bound).profile(self.profile);
        self.missing.iter().chain(fill).fold(options, |options, &value| options.missing(value))
    }
}

/// Lets the codec look at the options, with a field of no elements.
///
/// # Errors
/// What is out of range.
pub(crate) fn check(options: &CompressOptions, dtype: DType) -> Result<()> {
    let shape = [0];
    let room = max_compressed_len(&shape, dtype).map_err(text)? as usize;
    with_element!(dtype, T => {
        Codec::cpu().compress_into::<T>(&[], &shape, &options.clone().threads(1), &mut vec![0; room])
    })
    .map_err(text)?;
    Ok(())
}

fn number(text: &str) -> Option<f64> {
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn good_ones() {
        let bound = |text| Options::parse(text).unwrap().bound;
        assert_eq!(bound("absolute=1e-3"), Bound::Absolute(1e-3));
        assert_eq!(bound(" range=0.01  profile=dense "), Bound::ValueRange(0.01));
        let ranged = Bound::ValueRangeOf { ratio: 0.5, min: -1.0, max: 3.0 };
        assert_eq!(bound("value_range=-1,3 range=0.5"), ranged);
        assert_eq!(bound("relative=0.1"), Bound::Relative { eps: 0.1, floor: 0.0 });
        assert_eq!(bound("floor=2 relative=0.1"), Bound::Relative { eps: 0.1, floor: 2.0 });
        // That of the dataset tells whether they fit.
        assert_eq!(bound("relative=1e-9"), Bound::Relative { eps: 1e-9, floor: 0.0 });
        assert_eq!(bound("relative=1e-9 missing=1e300"), bound("relative=1e-9"));
        let all = Options::parse("absolute=1 missing=1e20,-999 profile=dense").unwrap();
        assert_eq!((all.missing, all.profile.name()), (vec![1e20, -999.0], "dense"));
    }

    #[test]
    fn bad_ones_name_the_option() {
        for text in [
            "absolute=x",
            "range=",
            "value_range=1",
            "relative=",
            "floor=x",
            "missing=",
            "missing=1,,2",
            "missing=1e20 missing=-999",
            "absolute=1 profile=dense absolute=1",
            "profile=lossless",
            "bound=1",
        ] {
            let (name, _) = text.split_once('=').unwrap();
            let message = Options::parse(text).unwrap_err();
            assert!(message.starts_with(&format!("{name}: ")), "{text}: {message}");
        }
        for text in [
            "",
            "absolute=1 range=1",
            "absolute=1 value_range=0,1",
            "absolute=1 relative=0.1",
            "absolute=1 floor=1",
            "relative=0.6",
            "relative=0.1 floor=-1",
            "relative=0.1 floor=inf",
            "absolute=0",
            "absolute=-1",
            "range=nan",
            "range=inf",
            "range=1 value_range=2,1",
            "range=1 value_range=0,inf",
            "absolute=1 missing=1,2,3,4,5",
        ] {
            assert!(Options::parse(text).is_err(), "{text}");
        }
    }
}
