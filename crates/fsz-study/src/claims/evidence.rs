//! The fields that claims are held against.

use crate::record::{BoundRecord, FieldRecord};
use crate::tables;

/// Fields like the paper's: files in single precision, as far as there are any.
#[derive(Debug)]
pub struct Evidence<'a> {
    pub fields: Vec<&'a FieldRecord>,
    /// What they are.
    kind: &'static str,
}

impl<'a> Evidence<'a> {
    /// Of the fields of a study.
    pub fn of(all: &'a [FieldRecord]) -> Evidence<'a> {
        let some = |is: fn(&FieldRecord) -> bool| -> Vec<&FieldRecord> {
            all.iter().filter(|field| field.has_numbers() && is(field)).collect()
        };
        let choices = [
            (some(|f| !f.synthetic && f.dtype == "f32"), " in single precision"),
            (some(|f| !f.synthetic), ""),
            (some(|_| true), ", synthetic"),
        ];
        let found = choices.into_iter().find(|(fields, _)| !fields.is_empty());
        let (fields, kind) = found.unwrap_or_default();
        Evidence { fields, kind }
    }

    /// Each field at each bound.
    pub fn cases(&self) -> impl Iterator<Item = (&'a FieldRecord, &'a BoundRecord)> + '_ {
        tables::cases(self.fields.iter().copied())
    }

    /// A factor of each case, with the words for the case.
    pub fn factors<'b>(
        &'b self,
        of: impl Fn(&BoundRecord) -> Option<f64> + 'b,
    ) -> impl Iterator<Item = (f64, String)> + 'b {
        self.cases().filter_map(move |(field, at)| Some((of(at)?, name(field, at))))
    }

    /// What all of them are.
    pub fn all(&self) -> String {
        let bounds = self.fields.first().map_or(0, |field| field.bounds.len());
        format!("{}{}, {}", count(self.fields.len(), "field"), self.kind, count(bounds, "bound"))
    }
}

/// `1 field`, `2 fields`.
pub fn count(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// The words for a case.
pub fn name(field: &FieldRecord, at: &BoundRecord) -> String {
    format!("{} at {:e}", field.name, at.bound)
}
