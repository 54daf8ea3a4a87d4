//! Fields in device memory: those of others, found by their address, and our own, which others take over.

use fsz::{
    DType,
    cuda::{CudaMemory, DeviceCodec, DeviceMemory},
};
use numpy::{PyArray1, PyArrayMethods};
use pyo3::{
    prelude::*,
    types::{PyDict, PyTuple},
};

use crate::{array::descr, dlpack, errors::raised, stream::Stream};

/// A field of another library's in device memory, in C order.
#[derive(Debug)]
#[pyclass(frozen, module = "fsz_codec._native")]
pub struct DeviceField {
    pub address: u64,
    pub shape: Vec<u64>,
    pub dtype: DType,
    /// What keeps the memory, where that is not the caller.
    _tensor: Option<dlpack::Tensor>,
}

#[pymethods]
impl DeviceField {
    /// A field at a device address; the caller vouches for its extent and keeps the memory.
    #[new]
    fn new(py: Python<'_>, address: u64, shape: Vec<u64>, dtype: &str) -> PyResult<Self> {
        let dtype = dtype.parse().map_err(|error| raised(py, error))?;
        Ok(DeviceField { address, shape, dtype, _tensor: None })
    }

    /// Takes over a DLPack capsule of device memory.
    #[staticmethod]
    fn from_dlpack(capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        let tensor = dlpack::Tensor::take(capsule)?;
        let (address, shape, dtype) = tensor.field(capsule.py())?;
        Ok(DeviceField { address, shape, dtype, _tensor: Some(tensor) })
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }
}

/// The memory at an address that must be CUDA's and reachable.
pub fn memory_at(address: u64) -> fsz::Result<CudaMemory> {
    let at = std::ptr::without_provenance(address as usize);
    let memory = CudaMemory::at(at)?.ok_or_else(|| {
        fsz::Error::InvalidArgument(format!(
            "{address:#x} is no address that the CUDA driver knows"
        ))
    })?;
    memory.check_context()?;
    Ok(memory)
}

/// A decoded field in device memory, for libraries that take DLPack or the CUDA array interface.
#[derive(Debug)]
#[pyclass(frozen, module = "fsz_codec._native")]
pub struct DeviceArray {
    memory: DeviceMemory,
    shape: Vec<u64>,
    dtype: DType,
    device: usize,
}

#[pymethods]
impl DeviceArray {
    /// Decodes a whole stream to new memory of a CUDA device.
    #[staticmethod]
    fn decode(py: Python<'_>, stream: &Stream, device: usize) -> PyResult<Self> {
        let stream = stream.inner();
        let memory = py.detach(|| -> fsz::Result<_> {
            let codec = DeviceCodec::open(device)?;
            let memory = DeviceMemory::new(device, stream.raw_bytes() as usize, 0)?;
            if !memory.is_empty() {
                // SAFETY: the memory was made for this field, on this device, and nobody else has it yet.
                unsafe { codec.decompress_from_host(stream, memory.address())? };
            }
            Ok(memory)
        });
        let header = stream.header();
        Ok(DeviceArray {
            memory: memory.map_err(|error| raised(py, error))?,
            shape: header.shape.clone(),
            dtype: header.dtype,
            device,
        })
    }

    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.shape)
    }

    #[getter]
    fn dtype<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        descr(py, self.dtype).into_any()
    }

    /// The number of the CUDA device.
    #[getter]
    fn device(&self) -> usize {
        self.device
    }

    /// The elements in host memory.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let bytes = PyArray1::<u8>::zeros(py, self.memory.len(), false);
        let mut bytes = bytes.readwrite();
        let slice = bytes.as_slice_mut()?;
        py.detach(|| self.memory.read(0, slice)).map_err(|error| raised(py, error))?;
        let elements = bytes.call_method1("view", (descr(py, self.dtype),))?;
        elements.call_method1("reshape", (PyTuple::new(py, &self.shape)?,))
    }

    /// The field is complete, so there is no stream to wait for.
    #[getter]
    fn __cuda_array_interface__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let facts = PyDict::new(py);
        facts.set_item("shape", PyTuple::new(py, &self.shape)?)?;
        facts.set_item("typestr", descr(py, self.dtype).getattr("str")?)?;
        facts.set_item("data", (self.memory.address(), false))?;
        facts.set_item("strides", py.None())?;
        facts.set_item("stream", py.None())?;
        facts.set_item("version", 3)?;
        Ok(facts)
    }

    fn __dlpack_device__(&self) -> (i32, usize) {
        (dlpack::CUDA, self.device)
    }

    /// A capsule that shares the memory. The field is complete, so no stream has to wait for another.
    #[pyo3(signature = (*, stream=None, max_version=None, dl_device=None, copy=None))]
    #[allow(unused_variables, reason = "names of the protocol")]
    fn __dlpack__<'py>(
        slf: Bound<'py, Self>,
        stream: Option<Bound<'py, PyAny>>,
        max_version: Option<Bound<'py, PyAny>>,
        dl_device: Option<(i32, usize)>,
        copy: Option<bool>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (py, array) = (slf.py(), slf.get());
        if copy == Some(true) || dl_device.is_some_and(|d| d != (dlpack::CUDA, array.device)) {
            let why = "it shares its memory, on its own device; to_numpy() copies";
            return Err(pyo3::exceptions::PyBufferError::new_err(why));
        }
        let (address, shape) = (array.memory.address(), array.shape.clone());
        let (dtype, device) = (array.dtype, array.device);
        dlpack::capsule(py, slf.into_any().unbind(), address, &shape, dtype, device)
    }
}

/// Name, number, memory in bytes and compute capability of a device.
type Facts = (String, usize, u64, (u32, u32));

/// The usable CUDA devices.
#[pyfunction]
pub fn devices(py: Python<'_>) -> PyResult<Vec<Facts>> {
    let found = py.detach(fsz::devices).map_err(|error| raised(py, error))?;
    Ok(found.into_iter().map(|d| (d.name, d.ordinal, d.memory, d.capability)).collect())
}
