//! DLPack capsules of device memory (the structures of dlpack.h, in the version without a version field, which
//! every producer gives when it is asked for no other).

use std::{
    ffi::{CStr, c_void},
    ptr::NonNull,
};

use fsz::DType;
use pyo3::{exceptions::PyTypeError, ffi, prelude::*};

use crate::errors::invalid;

/// Device memory of CUDA, and memory that host and device may both access.
pub const CUDA: i32 = 2;
const CUDA_MANAGED: i32 = 13;
const FLOAT: u8 = 2;

const NAME: &CStr = c"dltensor";
const USED: &CStr = c"used_dltensor";

#[repr(C)]
struct Device {
    kind: i32,
    number: i32,
}

#[repr(C)]
struct DataType {
    code: u8,
    bits: u8,
    lanes: u16,
}

#[repr(C)]
struct RawTensor {
    data: *mut c_void,
    device: Device,
    dims: i32,
    dtype: DataType,
    shape: *mut i64,
    strides: *mut i64,
    byte_offset: u64,
}

#[repr(C)]
struct Managed {
    tensor: RawTensor,
    context: *mut c_void,
    deleter: Option<unsafe extern "C" fn(*mut Managed)>,
}

/// Another library's tensor, which is given back when dropped.
#[derive(Debug)]
pub struct Tensor(NonNull<Managed>);

// SAFETY: DLPack lets whoever took a tensor over use and delete it from any thread.
unsafe impl Send for Tensor {}
// SAFETY: shared references only read it.
unsafe impl Sync for Tensor {}

impl Tensor {
    /// Takes over what a capsule holds.
    pub fn take(capsule: &Bound<'_, PyAny>) -> PyResult<Self> {
        // SAFETY: each call takes any object; a capsule of this name holds a `Managed`, which is ours from the
        // renaming on.
        unsafe {
            if ffi::PyCapsule_IsValid(capsule.as_ptr(), NAME.as_ptr()) == 0 {
                return Err(PyTypeError::new_err("not a DLPack capsule that nobody has taken yet"));
            }
            let held = ffi::PyCapsule_GetPointer(capsule.as_ptr(), NAME.as_ptr()).cast::<Managed>();
            let held = NonNull::new(held).ok_or_else(|| PyErr::fetch(capsule.py()))?;
            if ffi::PyCapsule_SetName(capsule.as_ptr(), USED.as_ptr()) != 0 {
                return Err(PyErr::fetch(capsule.py()));
            }
            Ok(Tensor(held))
        }
    }

    /// Address, shape and element type of a field in C order; otherwise why it is none.
    pub fn field(&self, py: Python<'_>) -> PyResult<(u64, Vec<u64>, DType)> {
        // SAFETY: a tensor that was taken over is valid until it is deleted.
        let tensor = unsafe { &self.0.as_ref().tensor };
        if !matches!(tensor.device.kind, CUDA | CUDA_MANAGED) {
            let kind = tensor.device.kind;
            return Err(invalid(py, &format!("memory of DLPack device type {kind}: not CUDA's")));
        }
        let dtype = match (tensor.dtype.code, tensor.dtype.bits, tensor.dtype.lanes) {
            (FLOAT, 32, 1) => DType::F32,
            (FLOAT, 64, 1) => DType::F64,
            // Of the class that other arrays of another type raise.
            _ => return Err(PyTypeError::new_err("a device array must be float32 or float64")),
        };
        let dims = usize::try_from(tensor.dims)
            .map_err(|_| invalid(py, "a tensor of negative dimensions"))?;
        // SAFETY: both have an entry per dimension; strides may be null, which means C order.
        let (shape, strides) = unsafe {
            let list = |at: *mut i64| {
                (dims > 0 && !at.is_null()).then(|| std::slice::from_raw_parts(at, dims))
            };
            (list(tensor.shape).unwrap_or_default(), list(tensor.strides))
        };
        let shape: Option<Vec<u64>> = shape.iter().map(|&n| u64::try_from(n).ok()).collect();
        let shape = shape.ok_or_else(|| invalid(py, "a tensor of negative extent"))?;
        if let Some(strides) = strides
            && !shape.contains(&0)
        {
            let mut expected: u64 = 1;
            for (&n, &stride) in shape.iter().zip(strides).rev() {
                if n != 1 && u64::try_from(stride) != Ok(expected) {
                    let why = "a device array must be in C order: make it contiguous first";
                    return Err(invalid(py, why));
                }
                expected = expected.saturating_mul(n);
            }
        }
        Ok((tensor.data.addr() as u64 + tensor.byte_offset, shape, dtype))
    }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        // SAFETY: taken over, and deleted once.
        unsafe {
            if let Some(deleter) = self.0.as_ref().deleter {
                deleter(self.0.as_ptr());
            }
        }
    }
}

/// What a capsule of ours keeps.
struct Kept {
    managed: Managed,
    shape: Vec<i64>,
    _owner: Py<PyAny>,
}

/// A capsule of memory that `owner` keeps.
pub fn capsule<'py>(
    py: Python<'py>,
    owner: Py<PyAny>,
    address: u64,
    shape: &[u64],
    dtype: DType,
    device: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let tensor = RawTensor {
        data: std::ptr::without_provenance_mut(address as usize),
        device: Device { kind: CUDA, number: device as i32 },
        dims: shape.len() as i32,
        dtype: DataType { code: FLOAT, bits: 8 * dtype.size() as u8, lanes: 1 },
        shape: std::ptr::null_mut(),
        strides: std::ptr::null_mut(),
        byte_offset: 0,
    };
    let managed = Managed { tensor, context: std::ptr::null_mut(), deleter: Some(delete) };
    let shape = shape.iter().map(|&n| n as i64).collect();
    let kept = Box::into_raw(Box::new(Kept { managed, shape, _owner: owner }));
    // SAFETY: `kept` is ours until the capsule, or who takes its content over, deletes it; the shape's memory
    // does not move with the vector.
    unsafe {
        (*kept).managed.tensor.shape = (*kept).shape.as_mut_ptr();
        (*kept).managed.context = kept.cast();
        let managed = &raw mut (*kept).managed;
        let capsule = ffi::PyCapsule_New(managed.cast(), NAME.as_ptr(), Some(end_of_capsule));
        if capsule.is_null() {
            delete(managed);
            return Err(PyErr::fetch(py));
        }
        Ok(Bound::from_owned_ptr(py, capsule))
    }
}

/// Deletes what `capsule` made.
unsafe extern "C" fn delete(managed: *mut Managed) {
    // SAFETY: the context is the box that holds the structure itself, and this is called once.
    let kept = unsafe { Box::from_raw((*managed).context.cast::<Kept>()) };
    // Whoever deletes need not hold the interpreter's lock.
    Python::attach(|_| drop(kept));
}

/// A capsule that nobody took over deletes its content.
unsafe extern "C" fn end_of_capsule(capsule: *mut ffi::PyObject) {
    // SAFETY: called by the interpreter with a capsule of `capsule`'s.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, NAME.as_ptr()) != 0 {
            let managed = ffi::PyCapsule_GetPointer(capsule, NAME.as_ptr()).cast::<Managed>();
            delete(managed);
        }
    }
}
