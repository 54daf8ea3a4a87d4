//! What is told where steps do not all have one shape and type.

use crate::model::document::Document;
use crate::model::number_format::shape;

/// What is to be told of a step whose shape or type is another than before; nothing where both are the same.
/// `name` is what the field is called, `from` the step.
pub fn change(before: &Document, now: &Document, name: &str, from: &str) -> Option<String> {
    let same = before.shape() == now.shape() && before.dtype == now.dtype;
    let told = |d: &Document| format!("{} of {}", shape(d.shape()), d.dtype.name());
    (!same).then(|| format!("{name} is {} from {from} on; it was {}", told(now), told(before)))
}
