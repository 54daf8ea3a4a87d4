//! The planes of a set at a place, decoded.

use std::time::Instant;

use anyhow::Result;
use fsz::{DType, Progress};

use crate::model::document::Document;
use crate::model::plane::{Place, Plane};
use crate::model::planes::Planes;
use crate::model::scale::suits_single;
use crate::model::set::Set;
use crate::work::decoder::Decoder;

/// The planes of a set at a place, as many as are sound there; `notes` tells of the others. What the processor decodes of
/// them is cancelled with `progress`.
///
/// # Errors
/// When no field is sound there, or it is cancelled.
pub fn planes_of(
    decoder: &mut Decoder,
    set: &Set,
    place: Place,
    progress: &Progress,
) -> Result<Planes> {
    let start = Instant::now();
    // Errors are to be those of the values, not of their rounding.
    let exact = set.original.is_some();
    let mut failures = Vec::new();
    let mut plane = |document: &Option<Document>| -> Result<Option<Plane>> {
        let Some(document) = document else { return Ok(None) };
        match decoder.plane(document, place, exact, progress) {
            Ok(plane) => Ok(Some(plane)),
            Err(reason) => {
                progress.check()?;
                failures.push(reason);
                Ok(None)
            }
        }
    };
    let (mut original, mut subject) = (plane(&set.original)?, plane(&set.subject)?);
    let mut other = plane(&set.other)?;
    let took = start.elapsed();
    let some = [&original, &subject, &other].into_iter().any(Option::is_some);
    if !some && !failures.is_empty() {
        return Err(failures.remove(0));
    }
    let mut error = difference(original.as_ref(), subject.as_ref());
    let mut other_error = difference(original.as_ref(), other.as_ref());
    let double = set.leader().is_some_and(|document| document.dtype == DType::F64);
    let missing = set.leader().map_or(&[][..], Document::missing);
    let suits =
        |plane: &Plane| plane.range(missing).is_none_or(|(low, high)| suits_single(low, high));
    let all = [&original, &subject, &other, &error, &other_error];
    // What is painted lies there in single precision. Errors are painted there by their originals, too: all or none.
    if decoder.paints() && (!double || all.into_iter().flatten().all(suits)) {
        for plane in [&mut original, &mut subject, &mut other].into_iter().flatten() {
            decoder.place(plane, None);
        }
        // Those of single precision are taken from the values where they are painted.
        for plane in [&mut error, &mut other_error].into_iter().flatten().filter(|_| double) {
            decoder.place(plane, set.bound());
        }
    }
    let name = decoder.name(set.leader(), exact);
    let told = failures.iter().map(ToString::to_string);
    let notes = decoder.note().into_iter().chain(told).collect();
    Ok(Planes { place, original, subject, other, error, other_error, took, decoder: name, notes })
}

/// Reconstruction − original. Values that are kept bit for bit have no error, NaN among them.
fn difference(original: Option<&Plane>, reconstructed: Option<&Plane>) -> Option<Plane> {
    let (a, b) = (original?, reconstructed?);
    let minus = |(a, b): (&f64, &f64)| if a.to_bits() == b.to_bits() { 0.0 } else { b - a };
    let values = a.values.iter().zip(&b.values).map(minus).collect();
    (a.size == b.size).then(|| Plane::new(a.size, values))
}
