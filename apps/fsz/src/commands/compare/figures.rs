//! The figures of a comparison.

use std::path::Path;

use anyhow::{Result, anyhow};
use fsz::{Codec, Element, Progress, Stream};
use fsz_field::Shape;
use fsz_figure::number::{by_range, short};
use fsz_metrics::{Comparison, Limit, Missing, Partwise, Sample, Ssim};
use serde::Serialize;

use crate::{chunked, limit};

/// The figures, by the names of the JSON output.
#[derive(Debug, Serialize)]
pub struct Figures {
    max_abs_error: f64,
    psnr: f64,
    nrmse: f64,
    ssim: f64,
    compression_ratio: Option<f64>,
    bits_per_value: Option<f64>,
    bound: Option<f64>,
    /// Of a pointwise-relative bound, its share of each value; `bound` is the floor.
    #[serde(skip_serializing_if = "Option::is_none")]
    relative_bound: Option<f64>,
    /// Finite values beyond the bound, those of regions beyond their own.
    bound_violations: Option<u64>,
    /// Those of the parts of the field that have bounds of their own.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    region_bounds: Vec<RegionBound>,
    elements: u64,
    compared: u64,
    mean_error: f64,
    nan: u64,
    inf: u64,
    missing: u64,
    /// NaN, ±Inf and missing values that lost their bits.
    altered: u64,
    /// Finite values of which the reconstruction has NaN or ±Inf.
    lost: u64,
}

/// The bound of a region, with the names of the field's own.
#[derive(Debug, Serialize)]
struct RegionBound {
    bound: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    relative_bound: Option<f64>,
}

impl From<&Limit> for RegionBound {
    fn from(limit: &Limit) -> Self {
        let relative = Some(limit.relative).filter(|&share| share > 0.0);
        RegionBound { bound: limit.absolute, relative_bound: relative }
    }
}

impl RegionBound {
    fn text(&self) -> String {
        let relative = self.relative_bound.unwrap_or(0.0);
        limit::text(Limit { absolute: self.bound, relative })
    }
}

/// The bounds by region of a stream: which region has each element, and the bounds, the first that outside.
pub struct Regions {
    pub owner: Vec<u8>,
    pub limits: Vec<Limit>,
}

impl Figures {
    /// Compares a field of this shape with its original, and reports to `progress`.
    ///
    /// # Errors
    /// When the fields do not go together, or it is cancelled.
    pub fn of<T: Element + Sample>(
        shape: &Shape,
        (a, b): (&[T], &[T]),
        missing: &[f64],
        (bound, regions): (Option<Limit>, Option<Regions>),
        stored: Option<u64>,
        progress: &Progress,
    ) -> Result<Self> {
        // Every value is looked at so many times: for errors, for SSIM, and for those of regions.
        let passes = if regions.is_some() { 3 } else { 2 };
        progress.begin(passes * size_of_val(a) as u64);
        let watch = |values: usize| progress.advance((values * size_of::<T>()) as u64).is_ok();
        // What was ended was cancelled.
        let ended = |error| progress.check().err().map_or_else(|| anyhow!("{error}"), Into::into);
        let missing = Missing::<T>::new(missing);
        let found = fsz_metrics::compare_watched((a, b), &missing, bound, &watch).map_err(ended)?;
        let violations = match &regions {
            None => found.beyond,
            Some(Regions { owner, limits }) => {
                let regions = (&owner[..], &limits[..]);
                let errors = fsz_metrics::by_region_watched((a, b), &missing, regions, &watch);
                let errors = errors.map_err(ended)?;
                Some(errors.iter().map(|errors| errors.beyond).sum())
            }
        };
        let shape = shape.indices()?;
        let similar = fsz_metrics::ssim_watched((a, b), &shape, &missing, &watch).map_err(ended)?;
        let limits = regions.map(|regions| regions.limits);
        let raw = size_of_val(a) as u64;
        Ok(Figures::new(&found, similar, (bound, violations), limits.as_deref(), (raw, stored)))
    }

    /// Compares the field of a stream in a file with its original, of its shape and type, as it is decoded; `regions` are
    /// the bounds of its regions, where those count, the first that outside. `None` where the whole field must be at hand.
    ///
    /// # Errors
    /// When the stream is damaged, or it is interrupted.
    pub fn by_parts<T: Element + Sample>(
        codec: &Codec,
        (path, stream): (&Path, &Stream<'_>),
        a: &[T],
        missing: &[f64],
        (bound, regions): (Option<Limit>, Option<&[Limit]>),
        stored: Option<u64>,
        quiet: bool,
    ) -> Result<Option<Self>> {
        let missing = Missing::<T>::new(missing);
        let shape = Shape::new(&stream.header().shape)?.indices()?;
        // What ends it is looked at between the parts.
        let watch = |_: usize| true;
        let mut partwise = Partwise::new(a, &shape, &missing, bound)?;
        let (mut beyond, mut owner) = (0, Vec::new());
        chunked::each::<T>(codec, (path, stream), "comparing", quiet, |start, part| {
            partwise.add(part, &watch)?;
            if let Some(limits) = regions {
                let start = start as usize;
                owner.resize(part.len(), 0);
                stream.regions_of_range(start as u64, &mut owner)?;
                let original = &a[start..start + part.len()];
                let errors = fsz_metrics::by_region(original, part, &missing, &owner, limits)?;
                beyond += errors.iter().map(|errors| errors.beyond).sum::<u64>();
            }
            Ok(())
        })?;
        Ok(partwise.finish(&watch)?.map(|(found, similar)| {
            let violations = regions.map_or(found.beyond, |_| Some(beyond));
            let raw = size_of_val(a) as u64;
            Figures::new(&found, similar, (bound, violations), regions, (raw, stored))
        }))
    }

    /// Of what was found; `regions` are the bounds of regions, the first that outside.
    fn new(
        found: &Comparison,
        similar: Ssim,
        (bound, violations): (Option<Limit>, Option<u64>),
        regions: Option<&[Limit]>,
        (raw, stored): (u64, Option<u64>),
    ) -> Self {
        let elements = found.elements.max(1) as f64;
        Figures {
            max_abs_error: found.max_abs_error,
            psnr: found.psnr(),
            nrmse: found.nrmse(),
            ssim: similar.mean,
            compression_ratio: stored.map(|n| raw as f64 / n as f64),
            bits_per_value: stored.map(|n| 8.0 * n as f64 / elements),
            bound: bound.map(|limit| limit.absolute),
            relative_bound: bound.map(|limit| limit.relative).filter(|&share| share > 0.0),
            bound_violations: violations,
            region_bounds: regions.map_or_else(Vec::new, |limits| {
                limits[1..].iter().map(RegionBound::from).collect()
            }),
            elements: found.elements,
            compared: found.compared,
            mean_error: found.mean_error,
            nan: found.nan,
            inf: found.inf,
            missing: found.missing,
            altered: found.changed_bits,
            lost: found.lost,
        }
    }

    /// For people, a line each.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut line = |subject: &str, content: String| {
            text.push_str(&format!("{subject:<18} {content}\n"));
        };
        line("max error", short(self.max_abs_error));
        line("mean error", short(self.mean_error));
        line("PSNR", by_range(self.psnr, self.compared, |psnr| format!("{} dB", short(psnr))));
        line("NRMSE", by_range(self.nrmse, self.compared, short));
        line("SSIM", short(self.ssim));
        if let (Some(ratio), Some(bits)) = (self.compression_ratio, self.bits_per_value) {
            line("compression ratio", format!("{ratio:.2}, {bits:.3} bits per value"));
        }
        if let (Some(bound), Some(violations)) = (self.bound, self.bound_violations) {
            let outside = RegionBound { bound, relative_bound: self.relative_bound };
            let mut bound = outside.text();
            if !self.region_bounds.is_empty() {
                let own: Vec<String> = self.region_bounds.iter().map(RegionBound::text).collect();
                bound.push_str(&format!("; in regions {}", own.join("; ")));
            }
            line("bound", format!("{bound}, {violations} violations"));
        }
        let lost = if self.lost > 0 { format!(", {} lost", self.lost) } else { String::new() };
        line(
            "excluded",
            format!(
                "{} NaN, {} Inf, {} missing; {} changed{lost}",
                self.nan, self.inf, self.missing, self.altered
            ),
        );
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_of_the_work_is_reported() {
        let (shape, values) = (Shape::new(&[3, 200, 100]).unwrap(), vec![1f32; 60_000]);
        let with_regions = || Regions { owner: vec![0; 60_000], limits: vec![0.1.into()] };
        for (regions, passes) in [(None, 2), (Some(with_regions()), 3)] {
            let progress = Progress::new();
            let bounds = (Some(0.1.into()), regions);
            Figures::of(&shape, (&values, &values), &[], bounds, None, &progress).unwrap();
            assert_eq!((progress.done(), progress.total()), (passes * 240_000, passes * 240_000));
        }
    }

    #[test]
    fn a_cancelled_comparison_ends() {
        let (shape, values) = (Shape::new(&[9]).unwrap(), [1f64; 9]);
        let progress = Progress::new();
        progress.cancel();
        let ended = Figures::of(&shape, (&values, &values), &[], (None, None), None, &progress);
        assert!(crate::failure::is_interrupt(&ended.unwrap_err()));
    }
}
