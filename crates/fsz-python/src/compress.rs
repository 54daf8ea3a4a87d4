//! Compression of fields in host and device memory.

use bytemuck::allocation::try_zeroed_vec;
use fsz::{
    Bound as ErrorBound, CompressOptions, DType, Layout, Mask, Profile, Progress, Region,
    cuda::{Compression, DeviceCodec},
    with_element,
};
use numpy::{PyReadonlyArrayDyn, PyUntypedArray, ndarray::ArrayViewD};
use pyo3::{prelude::*, pybacked::PyBackedBytes};
use std::sync::Arc;

use crate::{
    array::{Element, dtype_of, to_read},
    codecs::{Asked, codec},
    device::{DeviceField, memory_at},
    errors::{invalid, no_memory, raised},
    stream::Stream,
    watch::watched,
};

/// Start and count of a box, or a byte an element of a mask; and a bound of the same kind as the array's.
type AskedRegion = (Vec<u64>, Vec<u64>, Option<PyBackedBytes>, f64);

/// What a compression is told beside the field.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Options {
    absolute: Option<f64>,
    range: Option<f64>,
    value_range: Option<(f64, f64)>,
    relative: Option<f64>,
    floor: Option<f64>,
    psnr: Option<f64>,
    ratio: Option<f64>,
    max_bytes: Option<u64>,
    missing: Vec<f64>,
    profile: String,
    layout: Option<String>,
    like: Option<Py<Stream>>,
    name: Option<String>,
    time_step: Option<u64>,
    start: Option<Vec<u64>>,
    regions: Vec<AskedRegion>,
}

impl Options {
    fn read(self) -> Result<CompressOptions, String> {
        let (bound, profile) = (self.bound()?, self.profile()?);
        let mut options = match &self.like {
            Some(stream) => stream.get().options_like(bound).map_err(|why| why.to_string())?,
            None => CompressOptions::new(bound).profile(profile),
        };
        for value in self.missing {
            options = options.missing(value);
        }
        if let Some(name) = &self.name {
            options = options.name(name);
        }
        if let Some(time_step) = self.time_step {
            options = options.time_step(time_step);
        }
        if let Some(start) = &self.start {
            options = options.start(start);
        }
        for (start, count, mask, number) in self.regions {
            let own = bound.with_requested(number);
            options = options.region(match mask {
                Some(mask) => Region::where_set(Mask::of(&mask, |&set| set != 0), own),
                None => Region::in_box(&start, &count, own),
            });
        }
        Ok(options)
    }

    fn bound(&self) -> Result<ErrorBound, String> {
        let of_range = |ratio| match self.value_range {
            Some((min, max)) => ErrorBound::ValueRangeOf { ratio, min, max },
            None => ErrorBound::ValueRange(ratio),
        };
        let given = [
            self.absolute.map(ErrorBound::Absolute),
            self.range.map(of_range),
            self.relative.map(|eps| ErrorBound::Relative { eps, floor: self.floor.unwrap_or(0.0) }),
            self.psnr.map(ErrorBound::Psnr),
            self.ratio.map(ErrorBound::Ratio),
            self.max_bytes.map(ErrorBound::MaxBytes),
        ];
        let given: Vec<_> = given.into_iter().flatten().collect();
        let [bound] = given[..] else {
            return Err(
                "give one bound: range=, absolute=, relative=, psnr=, ratio= or max_bytes=".into(),
            );
        };
        if self.value_range.is_some() && self.range.is_none() {
            return Err("value_range goes with range".into());
        }
        if self.floor.is_some() && self.relative.is_none() {
            return Err("floor goes with relative".into());
        }
        Ok(bound)
    }

    fn profile(&self) -> Result<Profile, String> {
        match (Profile::named(&self.profile), self.layout.as_deref()) {
            (Some(profile), None) => Ok(profile),
            (Some(Profile::Dense(dense)), Some(name)) => {
                let layout = Layout::ALL.into_iter().find(|layout| layout.name() == name);
                let names = Layout::ALL.map(Layout::name).join(", ");
                let unknown = || format!("unknown layout '{name}': use one of {names}");
                Ok(Profile::Dense(dense.with_layout(layout.ok_or_else(unknown)?)))
            }
            (Some(_), Some(_)) => Err("only the profile dense has layouts".into()),
            (None, _) => Err(format!("unknown profile '{}': use paper or dense", self.profile)),
        }
    }
}

/// Compresses an aligned array in native byte order, which is read where it lies, or copied to C order by all threads.
#[pyfunction]
pub fn compress(
    array: &Bound<'_, PyUntypedArray>,
    options: Options,
    backend: &str,
    threads: Option<usize>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Stream> {
    let py = array.py();
    let options = py.detach(|| options.read()).map_err(|why| invalid(py, &why))?;
    let asked = Asked::parse(backend).map_err(|error| raised(py, error))?;
    with_element!(dtype_of(array)?, T => {
        compress_elements(&to_read::<T>(array)?, options, (asked, threads), progress)
    })
}

fn compress_elements<T: Element>(
    array: &PyReadonlyArrayDyn<'_, T>,
    options: CompressOptions,
    (asked, threads): (Asked, Option<usize>),
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Stream> {
    let py = array.py();
    let field = array.as_array();
    let bytes = (field.len() * size_of::<T>()) as u64;
    let work = |progress: &Arc<Progress>| {
        codec(asked, threads)?.compress_with(field, &options.progress(Arc::clone(progress)))
    };
    watched(py, bytes, progress, work).map(Stream::owned)
}

/// Compresses a field in device memory where it lies; the stream is in host memory. Also gives the device's
/// number, unless the field has no elements and so lies nowhere.
#[pyfunction]
pub fn compress_device(
    py: Python<'_>,
    field: &DeviceField,
    options: Options,
) -> PyResult<(Stream, Option<usize>)> {
    let options = py.detach(|| options.read()).map_err(|why| invalid(py, &why))?;
    let (shape, dtype) = (&field.shape, field.dtype);
    if shape.contains(&0) {
        return with_element!(dtype, T => {
            let shape: Vec<usize> = shape.iter().map(|&n| n as usize).collect();
            let nothing = ArrayViewD::<T>::from_shape(shape, &[])
                .map_err(|why| invalid(py, &why.to_string()))?;
            let stream = fsz::Codec::cpu().compress_with(nothing, &options);
            stream.map(|made| (Stream::owned(made), None)).map_err(|error| raised(py, error))
        });
    }
    let compression =
        Compression::new(shape, dtype, &options).map_err(|error| raised(py, error))?;
    let mut bytes = zeros(compression.max_len())?;
    let made = py.detach(|| {
        let memory = memory_at(field.address)?;
        // Which stream of the program's fills the field is not known, so all of them are waited for.
        memory.synchronize()?;
        let codec = DeviceCodec::open(memory.device())?;
        // SAFETY: the caller holds the array that the field was taken from, and `DeviceField::new` has its
        // owner's word for its extent; everything enqueued on it has ended.
        let made = unsafe { codec.compress_to_host(&compression, field.address, &mut bytes)? };
        bytes.truncate(made.len);
        bytes.shrink_to_fit();
        Ok((fsz::Stream::from_vec(bytes)?, memory.device()))
    });
    let (stream, device) = made.map_err(|error| raised(py, error))?;
    Ok((Stream::owned(stream), Some(device)))
}

/// Bytes that a stream of a field of this shape takes at most.
#[pyfunction]
pub fn max_compressed_len(py: Python<'_>, shape: Vec<u64>, dtype: &str) -> PyResult<u64> {
    let dtype: DType = dtype.parse().map_err(|error| raised(py, error))?;
    fsz::max_compressed_len(&shape, dtype).map_err(|error| raised(py, error))
}

/// Zeros that take up memory only where they are written.
pub fn zeros(len: u64) -> PyResult<Vec<u8>> {
    let size = usize::try_from(len).map_err(|_| no_memory(len))?;
    let mut zeros = try_zeroed_vec(size).map_err(|()| no_memory(len))?;
    fsz::ask_for_huge_pages(&mut zeros);
    Ok(zeros)
}
