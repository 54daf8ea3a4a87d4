//! What there is to choose in a file of several variables and steps.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;

/// The variables of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalog {
    /// The file.
    pub path: PathBuf,
    /// Its variables, by name, those of local arrays behind the others; at least one.
    pub entries: Vec<Entry>,
}

/// One variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its name.
    pub name: String,
    /// The steps that it was written in; at least one.
    pub steps: u64,
    /// What tells each step from the others in another file, too: of a folder the name of its file without the
    /// ending, of an ADIOS2 file the step or time that the simulation wrote with it. Empty where there is no such thing.
    pub marks: Arc<[OsString]>,
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

    /// What the originals in this file have for a choice in another one: the variable of its name, or the only one that there
    /// is; none without it or its step. Where steps of both have the same marks, these tell which belong together: one of them
    /// may lack a step.
    pub fn pair(&self, of: &Catalog, choice: &Choice) -> Option<Choice> {
        let entry = match &self.entries[..] {
            [only] => only,
            several => several.iter().find(|e| e.name == choice.variable)?,
        };
        let other = of.entries.iter().find(|e| e.name == choice.variable);
        let marks = other.map_or(&[][..], |other| &other.marks);
        let places: HashMap<_, u64> = entry.marks.iter().zip(0..).collect();
        let step = match marks.iter().any(|mark| places.contains_key(mark)) {
            true => *places.get(marks.get(choice.step as usize)?)?,
            false => choice.step,
        };
        (step < entry.steps).then(|| Choice { variable: entry.name.clone(), step })
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
