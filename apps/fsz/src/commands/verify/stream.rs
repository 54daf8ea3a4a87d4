//! A `.fsz` file: its bound, its certificate, and what is stored exactly.

use std::path::Path;

use anyhow::{Result, bail};
use fsz::{Codec, Element, Stream, format::RelativePart};
use fsz_field::Field;
use fsz_figure::number;
use fsz_metrics::{Class, Limit, Missing, RegionErrors, Sample};
use rayon::prelude::*;
use serde::Serialize;

use crate::{chunked, limit, region};

/// Values that a thread looks at together.
const PART: usize = 1 << 16;

/// What was found, by the names of the JSON output.
#[derive(Debug, Default, Serialize)]
pub struct Found {
    /// All of the below is as it must be.
    pub holds: bool,
    absolute_bound: f64,
    /// Of a pointwise-relative bound: its share of each value, and the floor.
    #[serde(skip_serializing_if = "Option::is_none")]
    relative_bound: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    floor: Option<f64>,
    pub max_abs_error: f64,
    certified_max_abs_error: f64,
    /// Of a pointwise-relative bound, of values above those that are near enough by the floor.
    #[serde(skip_serializing_if = "Option::is_none")]
    max_relative_error: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    certified_max_relative_error: Option<f64>,
    /// Finite values beyond the bound, those of regions beyond their own.
    bound_violations: u64,
    /// Parts of the field with bounds of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    regions: Vec<FoundRegion>,
    /// NaN, ±Inf and missing values that lost their bits.
    altered: u64,
}

/// What was found in a region, of the elements that no later region has.
#[derive(Debug, Serialize)]
struct FoundRegion {
    place: String,
    #[serde(skip)]
    limit: Limit,
    absolute_bound: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    relative_bound: Option<f64>,
    max_abs_error: f64,
    certified_max_abs_error: f64,
    bound_violations: u64,
}

impl Found {
    /// Takes in what was found outside of regions, and in each.
    fn add(&mut self, errors: &[RegionErrors]) {
        self.bound_violations += errors.iter().map(|errors| errors.beyond).sum::<u64>();
        for (region, errors) in self.regions.iter_mut().zip(&errors[1..]) {
            region.max_abs_error = region.max_abs_error.max(errors.max_abs_error);
            region.bound_violations += errors.beyond;
        }
    }

    /// In one line.
    pub fn text(&self) -> String {
        let error = number::short(self.max_abs_error);
        let absolute = self.floor.unwrap_or(self.absolute_bound);
        let relative = self.relative_bound.unwrap_or(0.0);
        let mut bound = limit::text(Limit { absolute, relative });
        for region in &self.regions {
            let (own, error) = (limit::text(region.limit), number::short(region.max_abs_error));
            bound.push_str(&format!("; {}: max error {error}, bound {own}", region.place));
        }
        if self.holds {
            return format!("bound holds: max error {error} (bound {bound})");
        }
        if self.bound_violations + self.altered > 0 {
            return format!(
                "bound VIOLATED: max error {error} (bound {bound}), violations: {}, changed NaN, Inf or \
                 missing values: {}; or this is not the original",
                self.bound_violations, self.altered
            );
        }
        let told = number::short(self.certified_max_abs_error);
        let shares = self.certified_max_relative_error.zip(self.max_relative_error);
        match shares.filter(|(told, found)| told != found) {
            Some((told, found)) => format!(
                "certificate WRONG: it states a max relative error of {}, found {}; or this is not the \
                 original",
                number::short(told),
                number::short(found)
            ),
            None => format!(
                "certificate WRONG: it states a max error of {told}, found {error}; or this is not the \
                 original"
            ),
        }
    }
}

/// Compares the stream with its original.
pub fn check<T: Element + Sample>(
    codec: &Codec,
    (path, stream): (&Path, &Stream<'_>),
    original: &Field,
    what: &str,
    quiet: bool,
) -> Result<Found> {
    let (header, certificate) = (stream.header(), stream.certificate());
    let missing = Missing::<T>::new(&header.missing);
    let Some(values) = original.as_slice::<T>() else {
        bail!("the original is {}, the stream {}", original.dtype(), header.dtype);
    };
    let limits = limit::by_region(stream);
    let limit = limits[0];
    // A field with regions has no single share that is certified.
    let relative = header.relative.filter(|_| !header.has_regions());
    let mut found = Found {
        absolute_bound: header.absolute_bound,
        relative_bound: header.relative.is_some().then_some(limit.relative),
        floor: header.relative.is_some().then_some(limit.absolute),
        max_relative_error: relative.is_some().then_some(0.0),
        regions: regions(stream, &limits),
        certified_max_relative_error: certificate.max_relative_error,
        certified_max_abs_error: certificate.max_abs_error,
        ..Found::default()
    };
    let mut owner = Vec::new();
    chunked::each::<T>(codec, (path, stream), what, quiet, |start, decoded| {
        let piece = &values[start as usize..start as usize + decoded.len()];
        let one_bound = found.regions.is_empty().then_some(limit);
        let seen = fsz_metrics::compare(piece, decoded, &missing, one_bound)?;
        found.max_abs_error = found.max_abs_error.max(seen.max_abs_error);
        if !found.regions.is_empty() {
            owner.resize(piece.len(), 0);
            stream.regions_of_range(start, &mut owner)?;
            let errors = fsz_metrics::by_region(piece, decoded, &missing, &owner, &limits)?;
            found.add(&errors);
        }
        if let (Some(part), Some(largest)) = (&relative, &mut found.max_relative_error) {
            *largest = largest.max(relative_error(piece, decoded, &missing, part));
        }
        found.bound_violations += seen.beyond.unwrap_or(0);
        found.altered += seen.changed_bits;
        Ok(())
    })?;
    // A certificate has its errors in the element type: one that this does not hold is rounded to it.
    let as_certified = |error: f64| Sample::to_f64(<T as Sample>::from_f64(error));
    let largest = as_certified(found.max_abs_error);
    // What stands in the place of regions has errors, too: then the certificate tells no more than a limit.
    let certified = match found.regions.is_empty() {
        true => largest == certificate.max_abs_error,
        false => largest <= certificate.max_abs_error,
    };
    let in_regions =
        |region: &FoundRegion| as_certified(region.max_abs_error) <= region.certified_max_abs_error;
    found.holds = found.bound_violations == 0
        && found.altered == 0
        && certified
        && found.regions.iter().all(in_regions)
        && found.max_relative_error == certificate.max_relative_error;
    Ok(found)
}

/// The regions, before anything is looked at; `limits` has the bound outside, then theirs.
fn regions(stream: &Stream<'_>, limits: &[Limit]) -> Vec<FoundRegion> {
    let all = stream.regions().iter().zip(&limits[1..]);
    let found = all.map(|(region, &limit)| FoundRegion {
        place: region::place(&region.place),
        limit,
        absolute_bound: region.absolute_bound,
        relative_bound: region.bound.is_relative().then_some(limit.relative),
        max_abs_error: 0.0,
        certified_max_abs_error: region.certificate.max_abs_error,
        bound_violations: 0,
    });
    found.collect()
}

/// The largest relative error of values whose codes are not linear, as the certificate has it.
fn relative_error<T: Element + Sample>(
    original: &[T],
    decoded: &[T],
    missing: &Missing<T>,
    part: &RelativePart,
) -> f64 {
    let edge = Sample::to_f64(part.edge::<T>());
    // In the element type, to which the quotient of wider numbers is rounded alike.
    let share = |(a, b): (f64, f64)| -> T { Sample::from_f64((a - b).abs() / a.abs()) };
    let of_part = |(original, decoded): (&[T], &[T])| {
        let pairs = original.iter().zip(decoded);
        let finite = pairs.filter(|(a, _)| missing.class(**a) == Class::Finite);
        let numbers = finite.map(|(a, b)| (Sample::to_f64(*a), Sample::to_f64(*b)));
        // Without linear codes zero stands for what is below the others.
        let above = numbers.filter(|(a, b)| *a != 0.0 && *b != 0.0 && a.abs() >= edge);
        above.map(|pair| Sample::to_f64(share(pair))).fold(0.0, f64::max)
    };
    let parts = original.par_chunks(PART).zip(decoded.par_chunks(PART));
    parts.map(of_part).reduce(|| 0.0, f64::max)
}
