//! A field under study, and how it is compressed.

use std::sync::Arc;

use anyhow::Result;
use fsz::{Bound, Codec, CompressOptions, Element, Profile, Research, max_compressed_len};
use fsz_field::Field;
#[cfg(feature = "zfp")]
use fsz_field::FixedRate;
use fsz_metrics::{Missing, Sample};

use crate::plan::Plan;

/// A field under study.
pub struct Subject<'a, T> {
    pub plan: &'a Plan<'a>,
    pub name: &'a str,
    pub field: &'a Field,
    pub values: &'a [T],
    pub missing: Missing<T>,
}

impl<'a, T: Element + Sample> Subject<'a, T> {
    pub fn new(plan: &'a Plan<'a>, name: &'a str, field: &'a Field, values: &'a [T]) -> Self {
        Subject { plan, name, field, values, missing: Missing::new(field.missing()) }
    }

    /// Compresses at a value-range bound.
    pub fn compress(&self, bound: f64, profile: Profile) -> Result<Vec<u8>> {
        self.compress_within(Bound::ValueRange(bound), profile)
    }

    /// Compresses within any bound.
    pub fn compress_within(&self, bound: Bound, profile: Profile) -> Result<Vec<u8>> {
        self.plan.progress.check()?;
        let shape = self.field.shape().sides();
        let mut options = CompressOptions::new(bound).profile(profile);
        options = options.progress(Arc::clone(self.plan.progress));
        for &value in self.field.missing() {
            options = options.missing(value);
        }
        let most = max_compressed_len(shape, self.field.dtype())?;
        let mut bytes = fsz_field::zero_bytes(most)?;
        // Switches other than the product's are for the CPU.
        let cpu = Codec::cpu();
        let switched = profile.research().is_some_and(|r| *r != Research::default());
        let codec = if !switched { self.plan.codec } else { &cpu };
        let len = codec.compress_into(self.values, shape, &options, &mut bytes)?;
        bytes.truncate(len);
        Ok(bytes)
    }

    /// Compression ratio of a stream of so many bytes.
    pub fn over(&self, bytes: u64) -> f64 {
        size_of_val(self.values) as f64 / bytes as f64
    }

    /// Whether zfp knows such values and such a bound.
    #[cfg(feature = "zfp")]
    pub fn zfp_takes(&self, bound: f64) -> bool {
        let number = |&v: &T| self.missing.class(v) == fsz_metrics::Class::Finite;
        let finite = || self.values.iter().all(number);
        bound > 0.0 && !self.values.is_empty() && finite()
    }

    /// The fixed rate of zfp whose stream has so many bytes. zfp fills its blocks up to 4 values a
    /// side, and stores these too.
    #[cfg(feature = "zfp")]
    pub fn rate_of(&self, bytes: usize) -> Result<f64> {
        let largest = FixedRate::new(self.field.shape(), self.field.dtype(), 64.0)?.bytes();
        Ok(64.0 * bytes as f64 / largest.max(1) as f64)
    }

    /// Bytes of the zfp stream; decodes it.
    #[cfg(feature = "zfp")]
    pub fn zfp(&self, mode: fsz_field::zfp::Mode, decoded: &mut [T]) -> Result<usize> {
        self.plan.progress.check()?;
        let mut zfp = fsz_field::zfp::Zfp::new();
        zfp.compress(self.field.values(), self.field.shape(), mode)?;
        zfp.decompress_into(decoded)?;
        Ok(zfp.bytes().len())
    }
}
