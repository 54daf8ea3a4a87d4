//! Variables: their layout when written, and their properties when read.

use std::marker::PhantomData;

use adios2_sys as sys;

use crate::{
    DataType, Element, Error, Result,
    call::{check, check_pointer, read_string},
    io::Io,
};

/// The place of a written variable in the global index space. Extents are in elements, slowest
/// dimension first (C order).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Layout {
    /// One value per step.
    Value,
    /// A part of a global array.
    Global {
        /// Extents of the global array.
        shape: Vec<u64>,
        /// First element of this part.
        start: Vec<u64>,
        /// Extents of this part.
        count: Vec<u64>,
    },
    /// A local array: it has no place in a global one.
    Local {
        /// Extents.
        count: Vec<u64>,
    },
}

impl Layout {
    /// A global array that is written whole, as one ADIOS2 block.
    pub fn whole(shape: &[u64]) -> Layout {
        Layout::global(shape, &vec![0; shape.len()], shape)
    }

    /// A part of a global array.
    pub fn global(shape: &[u64], start: &[u64], count: &[u64]) -> Layout {
        Layout::Global { shape: shape.to_vec(), start: start.to_vec(), count: count.to_vec() }
    }

    /// A local array.
    pub fn local(count: &[u64]) -> Layout {
        Layout::Local { count: count.to_vec() }
    }
}

/// A variable defined for writing; [`Io::define_variable`] makes it.
#[derive(Debug, Clone)]
pub struct Variable<T: Element> {
    pub(crate) name: String,
    pub(crate) element: PhantomData<T>,
}

impl<T: Element> Variable<T> {
    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// What kind of shape a variable has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ShapeKind {
    /// One value for all writers.
    GlobalValue,
    /// One array to which every ADIOS2 block contributes a part.
    GlobalArray,
    /// One array whose ADIOS2 blocks are joined along one dimension.
    JoinedArray,
    /// One value per writer; read as a one-dimensional array.
    LocalValue,
    /// Every ADIOS2 block is an array of its own.
    LocalArray,
}

/// A variable as a reader sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct VariableInfo {
    /// The name, with its group path if any.
    pub name: String,
    /// The element type.
    pub dtype: DataType,
    /// The kind of shape.
    pub kind: ShapeKind,
    /// Global extents of the current or first step; empty for values and local arrays. A shape may
    /// change from step to step: [`StepBlocks::shape`](crate::StepBlocks::shape) has each.
    pub shape: Vec<u64>,
    /// The number of steps in which it was written. [`Step::At`](crate::Step::At) counts these.
    pub steps: u64,
    /// The engine step of the first of them.
    pub first_step: u64,
}

/// Everything known of a variable. The caller holds the context's lock.
pub(crate) fn describe(io: &Io, raw: *mut sys::adios2_variable) -> Result<VariableInfo> {
    let api = io.context.api;
    let doing = || format!("describing a variable of {:?}", io.name);
    let name = read_string("reading the name of a variable", |buffer, size| {
        // SAFETY: `raw` was inquired under the lock that is still held, and a buffer that is not
        // null has room for the name.
        unsafe { api.adios2_variable_name(buffer, size, raw) }
    })?;
    let mut dtype = sys::adios2_type_unknown;
    // SAFETY: as above; the outputs of this and the next calls are locals.
    check(unsafe { api.adios2_variable_type(&mut dtype, raw) }, doing)?;
    let mut kind = sys::adios2_shapeid_unknown;
    // SAFETY: as above.
    check(unsafe { api.adios2_variable_shapeid(&mut kind, raw) }, doing)?;
    let (mut steps, mut first_step) = (0usize, 0usize);
    // SAFETY: as above.
    check(unsafe { api.adios2_variable_steps(&mut steps, raw) }, doing)?;
    // SAFETY: as above.
    check(unsafe { api.adios2_variable_steps_start(&mut first_step, raw) }, doing)?;
    let kind = match kind {
        sys::adios2_shapeid_global_value => ShapeKind::GlobalValue,
        sys::adios2_shapeid_global_array => ShapeKind::GlobalArray,
        sys::adios2_shapeid_joined_array => ShapeKind::JoinedArray,
        sys::adios2_shapeid_local_value => ShapeKind::LocalValue,
        sys::adios2_shapeid_local_array => ShapeKind::LocalArray,
        other => return Err(Error::Unsupported(format!("{name:?} has the shape kind {other}"))),
    };
    let shape = match kind {
        ShapeKind::GlobalArray | ShapeKind::JoinedArray => shape(io, raw)?,
        _ => Vec::new(),
    };
    let dtype = DataType::from_raw(dtype);
    Ok(VariableInfo {
        name,
        dtype,
        kind,
        shape,
        steps: steps as u64,
        first_step: first_step as u64,
    })
}

/// The number of dimensions, of a local array too. The caller holds the context's lock.
pub(crate) fn dimensions(io: &Io, raw: *mut sys::adios2_variable) -> Result<usize> {
    let mut dimensions = 0usize;
    // SAFETY: `raw` was inquired under the lock that is still held; the output is a local.
    let code = unsafe { io.context.api.adios2_variable_ndims(&mut dimensions, raw) };
    check(code, || format!("counting the dimensions of a variable of {:?}", io.name))?;
    Ok(dimensions)
}

/// The global extents at the selected step. The caller holds the context's lock.
pub(crate) fn shape(io: &Io, raw: *mut sys::adios2_variable) -> Result<Vec<u64>> {
    let mut extents = vec![0usize; dimensions(io, raw)?];
    // SAFETY: `raw` was inquired under the lock that is still held; a global array has as many
    // shape entries as dimensions.
    let code = unsafe { io.context.api.adios2_variable_shape(extents.as_mut_ptr(), raw) };
    check(code, || format!("reading the shape of a variable of {:?}", io.name))?;
    Ok(extents.into_iter().map(|extent| extent as u64).collect())
}

/// The raw variable of a name. ADIOS2 may replace it at every step of a streaming reader, so it is
/// looked up for every call. The caller holds the context's lock.
pub(crate) fn inquire(io: &Io, name: &str) -> Result<*mut sys::adios2_variable> {
    let c_name = crate::call::c_string(name)?;
    // SAFETY: the IO is alive, the name is a C string, and the lock is held.
    let raw = unsafe { io.context.api.adios2_inquire_variable(io.raw, c_name.as_ptr()) };
    check_pointer(raw, String::new).map_err(|_| Error::NoSuchVariable(name.to_owned()))
}

/// [`inquire`], and an error unless the variable holds `T`.
pub(crate) fn inquire_typed<T: Element>(io: &Io, name: &str) -> Result<*mut sys::adios2_variable> {
    let raw = inquire(io, name)?;
    let mut actual = sys::adios2_type_unknown;
    // SAFETY: `raw` was inquired under the lock that is still held.
    check(unsafe { io.context.api.adios2_variable_type(&mut actual, raw) }, || {
        format!("reading the type of {name:?}")
    })?;
    if actual != T::RAW {
        let actual = DataType::from_raw(actual);
        return Err(Error::WrongType { name: name.to_owned(), asked: T::TYPE, actual });
    }
    Ok(raw)
}
