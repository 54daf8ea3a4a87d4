//! One field: its values, wherever they lie, with shape and name.

use std::ops::Range;
use std::sync::Arc;

use fsz::{DType, Element};
use ndarray::{ArrayView1, ArrayViewD, IxDyn, ShapeBuilder, Slice};

use crate::error::{Error, Result};
use crate::map::{Mapped, Order, read};
use crate::memory::copied;
use crate::shape::Shape;
use crate::storage::{Storage, Values};
use crate::with_values;

/// A field: values of one element type in C order (last axis fastest), in memory or in a mapped
/// file.
#[derive(Debug, Clone)]
pub struct Field {
    name: Option<String>,
    step: Option<u64>,
    missing: Vec<f64>,
    shape: Shape,
    storage: Storage,
}

impl Field {
    /// A field of values in memory.
    ///
    /// # Errors
    /// When the shape does not hold the values.
    pub fn new<T: Element>(shape: Shape, values: Vec<T>) -> Result<Field> {
        Field::stored(shape, Storage::of(values))
    }

    /// A field of values that were read into memory.
    pub(crate) fn stored(shape: Shape, storage: Storage) -> Result<Field> {
        let field = Field { name: None, step: None, missing: Vec::new(), shape, storage };
        let (elements, there) = (field.shape.elements(), field.values().len() as u64);
        if elements == there {
            return Ok(field);
        }
        let shape = &field.shape;
        Err(Error::Argument(format!("shape {shape} holds {elements} values, not {there}")))
    }

    /// A field of the values in `bytes` of a mapped file, native byte order. Copies them only if
    /// they are not aligned.
    ///
    /// # Errors
    /// When the shape does not hold the values.
    pub(crate) fn mapped(
        shape: Shape,
        dtype: DType,
        map: Arc<Mapped>,
        bytes: Range<usize>,
    ) -> Result<Field> {
        let size = dtype.size();
        let within = map.get(bytes.clone()).filter(|b| b.len().is_multiple_of(size));
        let Some(raw) = within else {
            return Err(Error::Argument("the values do not lie in the file".into()));
        };
        let storage = if raw.as_ptr().addr().is_multiple_of(size) {
            Storage::Mapped(map, bytes, dtype)
        } else {
            read(raw, dtype, Order::NATIVE)?
        };
        Field::stored(shape, storage)
    }

    /// The same field with this name.
    pub fn with_name(mut self, name: Option<String>) -> Field {
        self.name = name;
        self
    }

    /// The same field with this time step.
    pub fn with_step(mut self, step: Option<u64>) -> Field {
        self.step = step;
        self
    }

    /// The same field with these missing values.
    pub fn with_missing(mut self, missing: Vec<f64>) -> Field {
        self.missing = missing;
        self
    }

    /// The same field with these missing values; with those that the file tells where none are named.
    pub fn with_named_missing(self, named: &[f64]) -> Field {
        if named.is_empty() { self } else { self.with_missing(named.to_vec()) }
    }

    /// The variable's name, when the file tells it.
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// The time step, when the file tells it.
    pub fn step(&self) -> Option<u64> {
        self.step
    }

    /// The missing values that the file tells, which a stream does, or that were named.
    pub fn missing(&self) -> &[f64] {
        &self.missing
    }

    /// The element type.
    pub fn dtype(&self) -> DType {
        self.values().dtype()
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The values in C order.
    pub fn values(&self) -> Values<'_> {
        self.storage.values()
    }

    /// The values in C order, when they are of type `T`.
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        self.values().as_slice()
    }

    /// The plane at `index` of `axis`, with that axis removed; a copy.
    ///
    /// # Errors
    /// When there is no such axis or index.
    pub fn slice(&self, axis: usize, index: u64) -> Result<Field> {
        let (start, mut count) = fsz::slice_box(self.shape.sides(), axis, index)
            .map_err(|error| Error::Argument(error.to_string()))?;
        let mut plane = self.window(&start, &count)?;
        count.remove(axis);
        plane.shape = Shape::new(&count)?;
        Ok(plane)
    }

    /// Whether the values can be read: another program may have shortened the file that they lie in, and reading them
    /// then ends this one. With [`outlive_shortened_files`](crate::outlive_shortened_files) also whether those that were
    /// read were there.
    ///
    /// # Errors
    /// When the file was shortened.
    pub fn check(&self) -> Result<()> {
        self.storage.check()
    }

    /// The box of `count` values from `start`; a copy.
    ///
    /// # Errors
    /// When the box does not lie in the field, or those of [`check`](Field::check).
    pub fn window(&self, start: &[u64], count: &[u64]) -> Result<Field> {
        self.check()?;
        let storage = with_values!(self.values(), v => {
            let window = window(v, (&self.shape, false), (start, count))?;
            Storage::of(copied(&window)?)
        });
        self.check()?;
        let (name, step, shape) = (self.name.clone(), self.step, Shape::new(count)?);
        Ok(Field { name, step, missing: self.missing.clone(), shape, storage })
    }
}

/// The box of `count` values from `start` in values of this shape, in Fortran order or in C order; of no values an
/// empty line.
///
/// # Errors
/// When the box does not lie in the shape.
pub(crate) fn window<'a, T>(
    values: &'a [T],
    (shape, fortran): (&Shape, bool),
    (start, count): (&[u64], &[u64]),
) -> Result<ArrayViewD<'a, T>> {
    let sides = shape.sides();
    let inside = start.len() == sides.len()
        && count.len() == sides.len()
        && (0..sides.len())
            .all(|a| start[a].checked_add(count[a]).is_some_and(|end| end <= sides[a]));
    if !inside {
        return Err(Error::Argument(format!(
            "the box from {start:?} of {count:?} does not lie in shape {shape}"
        )));
    }
    if values.is_empty() {
        // Beside a side of 0 others may be longer than any memory, of which there is no array.
        return Ok(ArrayView1::from(values).into_dyn());
    }
    let mut window = ArrayViewD::from_shape(IxDyn(&shape.indices()?).set_f(fortran), values)
        .map_err(|e| Error::Argument(e.to_string()))?;
    window.slice_each_axis_inplace(|axis| {
        let (from, n) = (start[axis.axis.0] as usize, count[axis.axis.0] as usize);
        Slice::from(from..from + n)
    });
    Ok(window)
}

/// Values in Fortran order (first axis fastest) rearranged to C order.
pub(crate) fn from_fortran(shape: &Shape, values: Values<'_>) -> Result<Storage> {
    with_values!(values, v => transpose(shape, v).map(Storage::of))
}

fn transpose<T: Element>(shape: &Shape, values: &[T]) -> Result<Vec<T>> {
    let whole = window(values, (shape, true), (&vec![0; shape.sides().len()], shape.sides()))?;
    copied(&whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> Field {
        let values = (0..24u8).map(f32::from).collect();
        Field::new(Shape::new(&[2, 3, 4]).unwrap(), values).unwrap().with_step(Some(5))
    }

    #[test]
    fn slices_and_windows_are_copied_out() {
        let slice = |axis, index| cube().slice(axis, index).unwrap();
        assert_eq!(slice(0, 1).shape().sides(), [3, 4]);
        assert_eq!(slice(0, 1).as_slice::<f32>().unwrap()[..3], [12.0, 13.0, 14.0]);
        assert_eq!(slice(2, 3).as_slice::<f32>().unwrap(), [3.0, 7.0, 11.0, 15.0, 19.0, 23.0]);
        assert_eq!(slice(1, 0).step(), Some(5));
        let window = cube().window(&[1, 1, 2], &[1, 2, 2]).unwrap();
        assert_eq!(window.shape().sides(), [1, 2, 2]);
        assert_eq!(window.as_slice::<f32>().unwrap(), [18.0, 19.0, 22.0, 23.0]);
        assert!(window.as_slice::<f64>().is_none());
    }

    #[test]
    fn what_lies_outside_is_refused() {
        let refused = |field: Field, axis, index| field.slice(axis, index).unwrap_err().to_string();
        assert!(refused(cube(), 3, 0).starts_with("axis 3 of a field of 3 dimensions"));
        assert!(refused(cube(), 1, 3).starts_with("slice 3 of an axis of 3 elements"));
        let value = Field::new(Shape::new(&[]).unwrap(), vec![1.0f32]).unwrap();
        assert!(refused(value, 0, 0).contains("has no slices"), "not that it has an axis 0");
        assert!(cube().window(&[0, 0], &[1, 1]).is_err());
        assert!(cube().window(&[0, 0, 3], &[1, 1, 2]).is_err());
        assert!(cube().window(&[0, 0, u64::MAX], &[1, 1, 2]).is_err());
        let shape = Shape::new(&[2, 2]).unwrap();
        assert!(Field::new(shape, vec![1.0f64; 3]).is_err());
    }

    #[test]
    fn a_scalar_and_an_empty_field_are_fields() {
        let scalar = Field::new(Shape::new(&[]).unwrap(), vec![1.0f64]).unwrap();
        assert_eq!(scalar.window(&[], &[]).unwrap().as_slice::<f64>().unwrap(), [1.0]);
        assert!(scalar.slice(0, 0).is_err());
        let empty = Field::new(Shape::new(&[0, 5]).unwrap(), Vec::<f32>::new()).unwrap();
        assert_eq!(empty.slice(1, 2).unwrap().shape().sides(), [0]);
        let long = Shape::new(&[0, 1 << 40, 1 << 40]).unwrap();
        assert!(from_fortran(&long, Values::F32(&[])).unwrap().values().bytes().is_empty());
        let empty = Field::new(long, Vec::<f32>::new()).unwrap();
        assert_eq!(empty.slice(1, 5).unwrap().shape().sides(), [0, 1 << 40]);
    }

    #[test]
    fn fortran_order_becomes_c_order() {
        let shape = Shape::new(&[2, 3]).unwrap();
        let values = [1.0f32, 4.0, 2.0, 5.0, 3.0, 6.0];
        let storage = from_fortran(&shape, Values::F32(&values)).unwrap();
        let field = Field::stored(shape, storage).unwrap();
        assert_eq!(field.as_slice::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    }
}
