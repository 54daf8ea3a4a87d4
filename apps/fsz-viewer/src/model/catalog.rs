//! What there is to choose in a file of several variables and steps.

use std::path::PathBuf;

/// The variables of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalog {
    /// The file.
    pub path: PathBuf,
    /// Its variables, by name; at least one.
    pub entries: Vec<Entry>,
}

/// One variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The steps that it was written in; at least one.
    pub steps: u64,
}

/// A step of a variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Choice {
    /// The variable.
    pub variable: String,
    /// Its step.
    pub step: u64,
}

impl Catalog {
    /// The steps of a variable; at least one.
    pub fn steps(&self, variable: &str) -> u64 {
        self.entries.iter().find(|e| e.name == variable).map_or(1, |e| e.steps)
    }

    /// What the originals of another file have for a choice in it: the variable of its name, or the only one that there is;
    /// none without it or its step.
    pub fn pair(&self, choice: &Choice) -> Option<Choice> {
        let named = self.entries.iter().find(|e| e.name == choice.variable);
        let entry = match &self.entries[..] {
            [only] => only,
            _ => named?,
        };
        (choice.step < entry.steps)
            .then(|| Choice { variable: entry.name.clone(), step: choice.step })
    }

    /// The nearest choice that the file has: its first variable where it has none of that name.
    pub fn nearest(&self, choice: &Choice) -> Choice {
        let entry = self.entries.iter().find(|e| e.name == choice.variable);
        let entry = entry.or(self.entries.first());
        entry.map_or_else(Choice::default, |e| Choice {
            variable: e.name.clone(),
            step: choice.step.min(e.steps - 1),
        })
    }
}
