//! numpy arrays as slices, and element types by their numpy names.

use fsz::{DType, with_element};
use numpy::{
    PyArrayDescr, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyReadonlyArrayDyn,
    PyReadwriteArrayDyn, PyUntypedArray, PyUntypedArrayMethods,
};
use pyo3::prelude::*;

use crate::errors::invalid;

/// An element type of both numpy and the codec.
pub trait Element: fsz::Element + numpy::Element {}

impl Element for f32 {}
impl Element for f64 {}

/// The element type of an array in native byte order.
pub fn dtype_of(array: &Bound<'_, PyUntypedArray>) -> PyResult<DType> {
    let (py, own) = (array.py(), array.dtype());
    [DType::F32, DType::F64]
        .into_iter()
        .find(|&dtype| own.is_equiv_to(&descr(py, dtype)))
        .ok_or_else(|| invalid(py, &format!("an array of {own}: it must be float32 or float64")))
}

/// numpy's object for an element type.
pub fn descr(py: Python<'_>, dtype: DType) -> Bound<'_, PyArrayDescr> {
    with_element!(dtype, T => numpy::dtype::<T>(py))
}

/// An axis' length or a place on it, as the codec counts.
pub fn shape_of(array: &Bound<'_, PyUntypedArray>) -> Vec<u64> {
    array.shape().iter().map(|&n| n as u64).collect()
}

/// An array that no other call writes to meanwhile.
pub fn to_read<'py, T: Element>(
    array: &Bound<'py, PyUntypedArray>,
) -> PyResult<PyReadonlyArrayDyn<'py, T>> {
    let read = array.cast::<PyArrayDyn<T>>()?.try_readonly();
    read.map_err(|_| invalid(array.py(), "another call decodes to the array meanwhile"))
}

/// An array that no other call reads or writes to meanwhile.
pub fn to_write<'py, T: Element>(
    array: &Bound<'py, PyUntypedArray>,
) -> PyResult<PyReadwriteArrayDyn<'py, T>> {
    let write = array.cast::<PyArrayDyn<T>>()?.try_readwrite();
    write.map_err(|_| invalid(array.py(), "another call uses the array out meanwhile"))
}

/// The elements of an array in C order, to be written.
pub fn elements_mut<'a, T: Element>(
    array: &'a mut PyReadwriteArrayDyn<'_, T>,
) -> PyResult<&'a mut [T]> {
    check_order(array.as_untyped())?;
    Ok(array.as_slice_mut()?)
}

fn check_order(array: &Bound<'_, PyUntypedArray>) -> PyResult<()> {
    // numpy calls an empty array contiguous or not by its strides, which mean nothing there.
    if array.is_c_contiguous() || array.is_empty() {
        return Ok(());
    }
    Err(invalid(array.py(), "the array must be in C order"))
}
