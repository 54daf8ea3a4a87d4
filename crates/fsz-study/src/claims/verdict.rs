//! What became of a claim.

use std::fmt;

/// How far a figure may lie from the paper's and still agree.
pub const NEAR: f64 = 0.1;

/// What became of a claim; the texts say why.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    Agrees,
    DoesNotAgree(String),
    /// A largest figure that no field here comes to: another field may.
    NotReached,
    NotMeasured(String),
}

impl Verdict {
    /// Of a figure that should be near the paper's; NaN where nothing was measured, `why` not.
    pub fn near(paper: f64, here: f64, why: &str) -> Verdict {
        match here / paper {
            r if r.is_nan() => Verdict::NotMeasured(why.to_owned()),
            r if r < 1.0 - NEAR => Verdict::DoesNotAgree("lower here".to_owned()),
            r if r > 1.0 + NEAR => Verdict::DoesNotAgree("higher here".to_owned()),
            _ => Verdict::Agrees,
        }
    }

    /// Of a statement that holds or fails.
    pub fn holds(holds: bool, why_not: impl Into<String>) -> Verdict {
        if holds { Verdict::Agrees } else { Verdict::DoesNotAgree(why_not.into()) }
    }

    /// The same over so many cases; over none, `why` nothing was measured.
    pub fn over(self, cases: usize, why: &str) -> Verdict {
        if cases > 0 { self } else { Verdict::NotMeasured(why.to_owned()) }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::Agrees => f.write_str("agrees"),
            Verdict::DoesNotAgree(why) => write!(f, "does not agree: {why}"),
            Verdict::NotReached => f.write_str("not reached on these fields"),
            Verdict::NotMeasured(why) => write!(f, "not measured here: {why}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn within_ten_percent_agrees() {
        let of = |here: f64| Verdict::near(1.75, here, "no field").to_string();
        assert_eq!(of(1.6), "agrees");
        assert_eq!(of(1.5), "does not agree: lower here");
        assert_eq!(of(2.0), "does not agree: higher here");
        assert_eq!(of(f64::NAN), "not measured here: no field");
    }
}
