//! The two names of the bound, and which of them counts where an operator has both.
//!
//! ADIOS2 adds the parameters that a program gives at a variable to those of the operator's definition,
//! and does not say which is which. It creates an operator from the definition alone before any other,
//! so a name that came alone with the same value is that of the definition, and the other name that of
//! the variable.

use std::{
    collections::BTreeSet,
    fmt,
    sync::{Mutex, PoisonError},
};

/// A name of the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum BoundName {
    Accuracy,
    Tolerance,
}

impl BoundName {
    pub const ALL: [&str; 2] = ["accuracy", "tolerance"];

    pub fn of(key: &str) -> Option<BoundName> {
        match key {
            "accuracy" => Some(BoundName::Accuracy),
            "tolerance" => Some(BoundName::Tolerance),
            _ => None,
        }
    }
}

impl fmt::Display for BoundName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(BoundName::ALL[*self as usize])
    }
}

/// The names that came alone, with their values.
static ALONE: Mutex<BTreeSet<(BoundName, String)>> = Mutex::new(BTreeSet::new());

/// The value that counts of those given, each a number; None when none was given. Of two that may both count
/// the stricter one does: the smaller one, or the larger one of a `floor` for quality.
///
/// # Errors
/// Both names at the definition.
pub(super) fn decide(given: &[(BoundName, String)], floor: bool) -> Result<Option<&str>, String> {
    let mut alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let [first, second] = match given {
        [] => return Ok(None),
        [only] => {
            alone.insert(only.clone());
            return Ok(Some(&only.1));
        }
        [first, second, ..] => [first, second],
    };
    let stricter = || {
        let number = |text: &str| text.parse::<f64>().unwrap_or(f64::INFINITY);
        let smaller = number(&first.1) <= number(&second.1);
        if smaller != floor { &first.1 } else { &second.1 }
    };
    match (alone.contains(first), alone.contains(second)) {
        (true, false) => Ok(Some(&second.1)),
        (false, true) => Ok(Some(&first.1)),
        // Two operators are defined with these values.
        (true, true) => Ok(Some(stricter())),
        (false, false) => {
            let [first, second] = [first, second].map(|(name, text)| format!("{name}={text}"));
            Err(format!("tolerance: both {first} and {second} are given, give one of them"))
        }
    }
}
