//! What a caller asks of a call: the bound, what the header shall record, threads, progress.

use std::sync::Arc;

use crate::{
    bound::{Bound, Limit},
    dtype::DType,
    error::{Error, Result},
    format::{
        MAX_HEADER, MAX_MISSING, MAX_NAME, geometry::check_dims, header::header_len,
        sections::max_compressed_len,
    },
    model::Model,
    profile::Profile,
    progress::Progress,
    region::{self, Region},
    research::Research,
    scalar::Scalar,
    stream::Stream,
    target::Found,
};

/// What a decompression can be told beside the stream.
#[derive(Clone, Debug, Default)]
pub struct DecompressOptions {
    pub(crate) threads: Option<usize>,
    pub(crate) progress: Option<Arc<Progress>>,
}

impl DecompressOptions {
    /// All of the codec's threads, and no progress.
    pub fn new() -> Self {
        Self::default()
    }

    /// Works on `n` of the codec's threads at most; with 1 the calling thread works alone.
    pub fn threads(mut self, n: usize) -> Self {
        self.threads = Some(n.max(1));
        self
    }

    /// Reports to `progress`, and can be cancelled through it.
    pub fn progress(mut self, progress: Arc<Progress>) -> Self {
        self.progress = Some(progress);
        self
    }

    /// The same for work beside the call's own: it is not reported, and is cancelled with that.
    pub(crate) fn aside(&self) -> Self {
        DecompressOptions { progress: self.progress.as_deref().map(Progress::aside), ..*self }
    }
}

/// What a compression can be told beside the data.
#[derive(Clone, Debug)]
pub struct CompressOptions {
    pub(crate) bound: Bound,
    /// Of a target.
    pub(crate) found: Option<Found>,
    pub(crate) profile: Profile,
    /// The stream whose choice the profile has.
    pub(crate) model: Option<Arc<Model>>,
    pub(crate) missing: Vec<f64>,
    pub(crate) name: Option<String>,
    pub(crate) time_step: Option<u64>,
    pub(crate) start: Option<Vec<u64>>,
    pub(crate) regions: Vec<Region>,
    pub(crate) threads: Option<usize>,
    pub(crate) progress: Option<Arc<Progress>>,
}

impl CompressOptions {
    /// Compress within this bound.
    pub fn new(bound: Bound) -> Self {
        CompressOptions {
            bound,
            found: None,
            profile: Profile::default(),
            model: None,
            missing: Vec::new(),
            name: None,
            time_step: None,
            start: None,
            regions: Vec::new(),
            threads: None,
            progress: None,
        }
    }

    /// The bound, outside of regions.
    pub fn bound(&self) -> Bound {
        self.bound
    }

    /// The same within another bound, as for a step of a series that is coded [`like`](Self::like) an earlier one.
    pub fn with_bound(mut self, bound: Bound) -> Self {
        self.bound = bound;
        self.found = None;
        self
    }

    /// Codes elements by this profile.
    pub fn profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self.model = None;
        self
    }

    /// Codes elements as `stream` does: by its profile, with what was chosen for its field, of the profile `dense` layout,
    /// prediction, length of chunks and tables. Nothing is chosen then, so a call does not look at the field before it
    /// encodes, and a CUDA graph can hold it. For the steps of a series by that of an earlier one: the bound holds whatever
    /// the field, and the ratio is near to what a choice of its own would give as long as fields are alike. Keep the options
    /// from call to call: a device then has the tables. Takes the place of a [`profile`](Self::profile). Fields with regions
    /// choose for themselves.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a stream without elements, of which nothing was chosen; [`Error::Corrupt`] when its
    /// tables are damaged.
    pub fn like(mut self, stream: &Stream<'_>) -> Result<Self> {
        let header = stream.header();
        let tables = stream.index().tables()?;
        if tables.is_empty() && header.profile.has_tables() {
            return Err(Error::invalid(
                "a stream without elements tells nothing of how others are to be coded",
            ));
        }
        // Checked here, for an encoder takes them as sound.
        header.profile.check_tables(&tables)?;
        self.profile = header.profile;
        self.model = Some(Arc::new(Model::new(tables)));
        Ok(self)
    }

    /// Names a missing value (a fill value such as 9.96921e36): its elements keep their exact bits, cost
    /// next to nothing and do not enter a value range. At most 4 may be named. Elements are compared by
    /// bits with `value` rounded to the element type.
    pub fn missing(mut self, value: f64) -> Self {
        self.missing.push(value);
        self
    }

    /// Records a variable name of at most 1024 bytes; an empty one is none.
    pub fn name(mut self, name: &str) -> Self {
        self.name = (!name.is_empty()).then(|| name.to_owned());
        self
    }

    /// Records a time step.
    pub fn time_step(mut self, time_step: u64) -> Self {
        self.time_step = Some(time_step);
        self
    }

    /// Records where this field begins in a global array: one entry per dimension.
    pub fn start(mut self, start: &[u64]) -> Self {
        self.start = Some(start.to_vec());
        self
    }

    /// Keeps another bound in a part of the field: a smaller or a larger one. At most 16 regions may be given; where
    /// they overlap, the last one holds. Targets have no regions.
    pub fn region(mut self, region: Region) -> Self {
        self.regions.push(region);
        self
    }

    /// The most bytes that a stream of such a field with these options can take, whatever its values:
    /// [`max_compressed_len`], and what its regions take.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when the field's size overflows 64 bits, or a region is not in it.
    pub fn max_compressed_len(&self, shape: &[u64], dtype: DType) -> Result<u64> {
        let field = max_compressed_len(shape, dtype)?;
        region::max_len(&self.regions, shape, dtype)?
            .checked_add(field)
            .ok_or_else(|| Error::invalid(format!("a field of shape {shape:?} is too large")))
    }

    /// The paper's profile with parts of the algorithm switched, for studies.
    pub fn research(self, research: Research) -> Self {
        self.profile(Profile::Paper(research))
    }

    /// Works on `n` of the codec's threads at most; with 1 the calling thread works alone.
    pub fn threads(mut self, n: usize) -> Self {
        self.threads = Some(n.max(1));
        self
    }

    /// Reports to `progress`, and can be cancelled through it.
    pub fn progress(mut self, progress: Arc<Progress>) -> Self {
        self.progress = Some(progress);
        self
    }

    pub(crate) fn check(&self, shape: &[u64], dtype: DType) -> Result<()> {
        check_dims(shape)?;
        self.bound.check(dtype)?;
        if let Some(research) = self.profile.research() {
            research.geometry()?;
        }
        for &value in &self.missing {
            let rounded = dtype.value_of_bits(dtype.bits_of_value(value));
            if value.is_finite() && (rounded.is_infinite() || (rounded == 0.0) != (value == 0.0)) {
                return Err(Error::invalid(format!(
                    "missing value {value:?}: no {dtype} is near it, so no element can be equal to it"
                )));
            }
        }
        if self.missing.len() > MAX_MISSING {
            return Err(Error::invalid(format!(
                "{} missing values named: at most {MAX_MISSING} can be",
                self.missing.len()
            )));
        }
        if let Some(name) = &self.name
            && name.len() > MAX_NAME
        {
            return Err(Error::invalid(format!(
                "a name of {} bytes: at most {MAX_NAME} can be recorded",
                name.len()
            )));
        }
        if let Some(start) = &self.start
            && start.len() != shape.len()
        {
            return Err(Error::invalid(format!(
                "a start of {} entries for a field of {} dimensions",
                start.len(),
                shape.len()
            )));
        }
        let ends = self.start.iter().flatten().zip(shape);
        if ends.into_iter().any(|(start, n)| start.checked_add(*n).is_none()) {
            return Err(Error::invalid("the start in the global array overflows 64 bits"));
        }
        region::check(self, shape, dtype)?;
        if self.model.is_some() && !self.regions.is_empty() {
            return Err(Error::invalid(
                "bounds by region and coding like another stream: fields with regions choose for themselves",
            ));
        }
        let len = header_len(shape, self);
        if len > MAX_HEADER {
            return Err(Error::invalid(format!(
                "a header of {len} bytes: name, start, missing values and bound leave room for {MAX_HEADER}"
            )));
        }
        Ok(())
    }

    /// log2 of the lattice points of a step, where that is known before the field is looked at; else 0.
    pub(crate) fn fine(&self) -> u32 {
        if self.model.is_some() { self.profile.fine() } else { 0 }
    }

    /// What the absolute bound follows from.
    pub(crate) fn limit(&self) -> Result<Limit> {
        Limit::of(self.bound, self.found.map(|found| found.absolute))
    }

    pub(crate) fn missing_values<T: Scalar>(&self) -> Vec<T> {
        self.missing_bits(T::DTYPE).into_iter().map(T::from_bits64).collect()
    }

    pub(crate) fn missing_bits(&self, dtype: DType) -> Vec<u64> {
        self.missing.iter().map(|&v| dtype.bits_of_value(v)).collect()
    }
}
