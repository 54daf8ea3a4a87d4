//! Times that a program tells of itself.

use serde::Deserialize;

/// Where both are told.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Times {
    pub compress: Time,
    pub decompress: Time,
}

/// Where one is told.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Time {
    /// The words before the number.
    after: String,
    unit: Unit,
}

#[derive(Debug, Clone, Copy, Deserialize)]
enum Unit {
    #[serde(rename = "s")]
    Seconds,
    #[serde(rename = "ms")]
    Milliseconds,
    #[serde(rename = "us")]
    Microseconds,
    /// 10^9 uncompressed bytes a second.
    #[serde(rename = "GB/s")]
    Gigabytes,
    /// 2^20 uncompressed bytes a millisecond.
    #[serde(rename = "MiB/ms")]
    Mebibytes,
}

impl Time {
    /// Seconds, by what the program printed for a field of `raw` bytes.
    ///
    /// # Errors
    /// What is not found.
    pub fn seconds(&self, printed: &str, raw: u64) -> Result<f64, String> {
        let mut all: Vec<f64> = printed
            .match_indices(&self.after)
            .filter_map(|(at, words)| first_number(&printed[at + words.len()..]))
            .map(|number| match self.unit {
                Unit::Seconds => number,
                Unit::Milliseconds => number * 1e-3,
                Unit::Microseconds => number * 1e-6,
                Unit::Gigabytes => raw as f64 / (number * 1e9),
                Unit::Mebibytes => raw as f64 / (number * 1_048_576_000.0),
            })
            .filter(|seconds| seconds.is_finite() && *seconds > 0.0)
            .collect();
        all.sort_by(f64::total_cmp);
        let found = all.get(all.len() / 2).copied();
        found.ok_or_else(|| format!("the program printed no number above 0 after {:?}", self.after))
    }
}

/// The first number of the line's rest.
fn first_number(text: &str) -> Option<f64> {
    let line = text.lines().next()?;
    let from = line.find(|c: char| c.is_ascii_digit())?;
    let number = &line[from..];
    let end =
        number.find(|c: char| !c.is_ascii_digit() && !matches!(c, '.' | 'e' | 'E' | '-' | '+'));
    let number = &number[..end.unwrap_or(number.len())];
    // A full stop, or a unit that begins with e, may stand behind it.
    (1..=number.len()).rev().find_map(|len| number[..len].parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(after: &str, unit: &str, printed: &str) -> Result<f64, String> {
        let time: Time = toml::from_str(&format!("after = {after:?}\nunit = {unit:?}")).unwrap();
        time.seconds(printed, 2_000_000_000)
    }

    #[test]
    fn the_number_behind_the_words_counts() {
        assert_eq!(seconds("time,", "s", "comp time,  0.25\n"), Ok(0.25));
        assert_eq!(seconds("compress   =", "ms", "  compress   = 2.50 ms (1 GB/s)"), Ok(0.0025));
        assert_eq!(seconds("speed:", "GB/s", "speed: 4.e."), Ok(0.5));
        assert_eq!(seconds("took", "us", "took 1e3 us"), Ok(1e-3));
        assert_eq!(seconds("speed", "MiB/ms", "speed 1"), Ok(2e9 / 1_048_576_000.0));
    }

    #[test]
    fn the_median_of_several_counts_and_none_is_an_error() {
        assert_eq!(seconds("t", "s", "t 3\nt 1\nt\nt 2\n"), Ok(2.0));
        for printed in ["", "t", "t none\n1", "t 0", "other 1"] {
            let why = seconds("t ", "s", printed).expect_err(printed);
            assert!(why.contains("\"t \""), "{why}");
        }
    }
}
