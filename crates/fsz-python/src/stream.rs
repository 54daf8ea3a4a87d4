//! A stream: what it says of itself, and decoding.

use std::{
    fs::File,
    hash::{DefaultHasher, Hash, Hasher},
    path::PathBuf,
    sync::{Arc, OnceLock},
};

use fsz::{CompressOptions, DecompressOptions, Progress, with_element};
use memmap2::Mmap;
use numpy::{IntoPyArray, PyArray1, PyUntypedArray};
use pyo3::{
    prelude::*,
    pybacked::PyBackedBytes,
    types::{PyBytes, PyTuple},
};

use crate::{
    array::{Element, descr, dtype_of, elements_mut, shape_of, to_write},
    codecs::{Asked, codec},
    compress::zeros,
    errors::{raised, refused},
    save::save,
    tiles,
    watch::watched,
};

/// A stream whose header and index have been checked.
#[derive(Debug)]
#[pyclass(frozen, module = "fsz_codec._native")]
pub struct Stream {
    // Dropped first: its bytes may be the owner's.
    stream: fsz::Stream<'static>,
    _owner: Option<Owner>,
    /// By which others are coded like it; kept, as devices that do so keep its tables.
    like: OnceLock<CompressOptions>,
}

/// Largest error, minimum, maximum, how many NaN, Inf, missing and escaped elements, and the mean squared error and
/// the largest relative one where they were measured.
type CertificateFacts = (f64, f64, f64, u64, u64, u64, u64, Option<f64>, Option<f64>);

/// A box's start and count, elements, a bound's kind, number and absolute bound, bytes, and the certificate.
type RegionFacts =
    (Option<(Vec<u64>, Vec<u64>)>, u64, (&'static str, f64, f64), u64, CertificateFacts);

fn facts_of(c: &fsz::Certificate, squares: Option<f64>) -> CertificateFacts {
    let relative = c.max_relative_error;
    (c.max_abs_error, c.min, c.max, c.nan, c.inf, c.missing, c.escaped, squares, relative)
}

/// Who keeps a stream's bytes.
#[derive(Debug)]
enum Owner {
    Map(#[expect(dead_code, reason = "held, not read")] Mmap),
    Bytes(#[expect(dead_code, reason = "held, not read")] PyBackedBytes),
}

impl Stream {
    /// A stream that owns its bytes.
    pub fn owned(stream: fsz::Stream<'static>) -> Self {
        Stream { stream, _owner: None, like: OnceLock::new() }
    }

    /// A stream of the owner's bytes.
    ///
    /// # Safety
    /// `bytes` are the owner's, stay where they are when it is moved, and live as long as it does.
    unsafe fn borrowed(py: Python<'_>, bytes: &[u8], owner: Owner) -> PyResult<Self> {
        // SAFETY: the caller's promise; `Stream` drops the owner last.
        let bytes: &'static [u8] =
            unsafe { std::slice::from_raw_parts(bytes.as_ptr(), bytes.len()) };
        let stream = py.detach(|| fsz::Stream::open(bytes)).map_err(|error| raised(py, error))?;
        Ok(Stream { stream, _owner: Some(owner), like: OnceLock::new() })
    }

    pub fn inner(&self) -> &fsz::Stream<'static> {
        &self.stream
    }

    /// Options within a bound, by which others are coded like this stream.
    pub fn options_like(&self, bound: fsz::Bound) -> fsz::Result<CompressOptions> {
        let kept = match self.like.get() {
            Some(kept) => kept,
            None => {
                let made = CompressOptions::new(bound).like(&self.stream)?;
                self.like.get_or_init(|| made)
            }
        };
        Ok(kept.clone().with_bound(bound))
    }
}

#[pymethods]
impl Stream {
    /// Opens a stream in a `bytes` object, which is not copied.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: PyBackedBytes) -> PyResult<Self> {
        let (at, len) = (bytes.as_ptr(), bytes.len());
        // SAFETY: a `bytes` object never changes or moves, and its owner keeps it.
        unsafe { Stream::borrowed(py, std::slice::from_raw_parts(at, len), Owner::Bytes(bytes)) }
    }

    /// Maps a file.
    #[staticmethod]
    fn map(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let file = File::open(&path).map_err(|error| refused(&path, error))?;
        // SAFETY: as for every mapped file, whoever changes it while it is open changes the memory.
        let map = unsafe { Mmap::map(&file) }.map_err(|error| refused(&path, error))?;
        let (at, len) = (map.as_ptr(), map.len());
        // SAFETY: a map stays where it is until it is dropped.
        unsafe { Stream::borrowed(py, std::slice::from_raw_parts(at, len), Owner::Map(map)) }
    }

    /// Decodes the box of `out`'s shape from `start` on into `out`, which is in C order.
    #[pyo3(signature = (out, start, backend, threads, progress))]
    fn decode(
        &self,
        out: &Bound<'_, PyUntypedArray>,
        start: Vec<u64>,
        backend: &str,
        threads: Option<usize>,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let py = out.py();
        let asked = Asked::parse(backend).map_err(|error| raised(py, error))?;
        with_element!(dtype_of(out)?, T => {
            let count = shape_of(out);
            let mut out = to_write::<T>(out)?;
            self.decode_elements(py, elements_mut(&mut out)?, (&start, &count), (asked, threads), progress)
        })
    }

    /// The bytes, as a file holds them.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.stream.as_bytes())
    }

    /// Writes the bytes to a file, which replaces one of that name.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let written = py.detach(|| save(&path, self.stream.as_bytes()));
        written.map_err(|error| refused(&path, error))
    }

    /// Whether the bytes are the same ones.
    fn __eq__(&self, py: Python<'_>, other: &Self) -> bool {
        let (own, others) = (self.stream.as_bytes(), other.stream.as_bytes());
        std::ptr::eq(own, others) || py.detach(|| own == others)
    }

    /// Of the header, which tells most streams apart: no more of a mapped file is read.
    fn __hash__(&self) -> u64 {
        let bytes = self.stream.as_bytes();
        let mut hasher = DefaultHasher::new();
        (bytes.len(), &bytes[..bytes.len().min(4096)]).hash(&mut hasher);
        hasher.finish()
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.stream.header().shape)
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        descr(py, self.stream.header().dtype).into_any()
    }

    /// The kind of the bound, the number asked for, and the absolute bound.
    #[getter]
    fn bound(&self) -> (&'static str, f64, f64) {
        let header = self.stream.header();
        (header.bound.kind(), header.bound.requested(), header.absolute_bound)
    }

    /// The floor of a pointwise-relative bound.
    #[getter]
    fn floor(&self) -> Option<f64> {
        self.stream.header().relative.map(|part| part.floor)
    }

    /// What the encoder measured.
    #[getter]
    fn certificate(&self) -> CertificateFacts {
        facts_of(self.stream.certificate(), self.stream.header().mean_squared_error)
    }

    /// The ratio that was asked for, where it was missed.
    #[getter]
    fn missed_ratio(&self) -> Option<f64> {
        self.stream.missed_ratio()
    }

    /// Which end of the values' range usually marks missing elements, and the value as it is written.
    #[getter]
    fn usual_fill_value(&self) -> Option<(&'static str, String)> {
        let certificate = self.stream.certificate();
        fsz_field::usual_fill_value(self.stream.header().dtype, certificate.min, certificate.max)
    }

    /// Of each region the start and count of a box, or how many elements a mask has; its bound, and what it came to.
    #[getter]
    fn regions(&self) -> Vec<RegionFacts> {
        let facts = |region: &fsz::StoredRegion| {
            let place = match &region.place {
                fsz::Place::Box { start, count } => Some((start.clone(), count.clone())),
                _ => None,
            };
            let bound = (region.bound.kind(), region.bound.requested(), region.absolute_bound);
            let certificate = facts_of(&region.certificate, None);
            (place, region.place.elements(), bound, region.compressed_bytes(), certificate)
        };
        self.stream.regions().iter().map(facts).collect()
    }

    /// The region that holds each element of a box, in C order: its number and 1 more, or 0 for none.
    fn regions_of_box<'py>(
        &self,
        py: Python<'py>,
        start: Vec<u64>,
        count: Vec<u64>,
    ) -> PyResult<Bound<'py, PyArray1<u8>>> {
        let mut numbers = zeros(count.iter().product())?;
        py.detach(|| self.stream.regions_of_box(&start, &count, &mut numbers))
            .map_err(|error| raised(py, error))?;
        Ok(numbers.into_pyarray(py))
    }

    #[getter]
    fn profile(&self) -> &'static str {
        self.stream.header().profile.name()
    }

    #[getter]
    fn layout(&self) -> &'static str {
        self.stream.header().profile.layout_name()
    }

    #[getter]
    fn quantization_step(&self) -> f64 {
        self.stream.header().quantization_step
    }

    #[getter]
    fn missing(&self) -> Vec<f64> {
        self.stream.header().missing.clone()
    }

    #[getter]
    fn name(&self) -> Option<&str> {
        self.stream.header().name.as_deref()
    }

    #[getter]
    fn time_step(&self) -> Option<u64> {
        self.stream.header().time_step
    }

    #[getter]
    fn start<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.stream.header().start.as_ref().map(|start| PyTuple::new(py, start)).transpose()
    }

    #[getter]
    fn format_version(&self) -> u16 {
        self.stream.header().format_version
    }

    #[getter]
    fn compressed_bytes(&self) -> u64 {
        self.stream.compressed_bytes()
    }

    #[getter]
    fn ratio(&self) -> f64 {
        self.stream.compression_ratio()
    }

    /// A column each: number, kind, elements, bytes, escapes; and the rates of blocks, a row a tile.
    fn tiles<'py>(&self, py: Python<'py>) -> PyResult<tiles::Columns<'py>> {
        tiles::columns(py, &self.stream)
    }
}

impl Stream {
    fn decode_elements<T: Element>(
        &self,
        py: Python<'_>,
        out: &mut [T],
        (start, count): (&[u64], &[u64]),
        (asked, threads): (Asked, Option<usize>),
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let stream = &self.stream;
        let bytes = size_of_val(out) as u64;
        let work = |progress: &Arc<Progress>| {
            let codec = codec(asked, threads)?;
            let options = DecompressOptions::new().progress(Arc::clone(progress));
            codec.decompress_box_with(stream, start, count, out, &options)
        };
        watched(py, bytes, progress, work)
    }
}
