//! Values of a field at run time: which of the two element types they have, and where they lie.

use std::any::{Any, TypeId};
use std::ops::Range;
use std::sync::Arc;

use fsz::{DType, Element, with_element};

use crate::error::Result;
use crate::map::Mapped;

/// Where the values of a field lie.
#[derive(Debug, Clone)]
pub(crate) enum Storage {
    F32(Vec<f32>),
    F64(Vec<f64>),
    /// Aligned for the element type; `Field::mapped` sees to it.
    Mapped(Arc<Mapped>, Range<usize>, DType),
}

impl Storage {
    /// Values in memory.
    pub(crate) fn of<T: Element>(values: Vec<T>) -> Storage {
        let values: Box<dyn Any> = Box::new(values);
        match values.downcast::<Vec<f32>>() {
            Ok(singles) => Storage::F32(*singles),
            Err(other) => {
                Storage::F64(other.downcast().map(|doubles| *doubles).unwrap_or_default())
            }
        }
    }

    /// Whether the values can be read.
    ///
    /// # Errors
    /// When they lie in a file that was shortened.
    pub(crate) fn check(&self) -> Result<()> {
        match self {
            Storage::Mapped(map, ..) => map.check(),
            Storage::F32(_) | Storage::F64(_) => Ok(()),
        }
    }

    pub(crate) fn values(&self) -> Values<'_> {
        match self {
            Storage::F32(values) => Values::F32(values),
            Storage::F64(values) => Values::F64(values),
            Storage::Mapped(map, bytes, dtype) => with_element!(*dtype, T => {
                Values::of::<T>(bytemuck::cast_slice(&map[bytes.clone()]))
            }),
        }
    }
}

/// The values of a field.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// Single precision.
    F32(&'a [f32]),
    /// Double precision.
    F64(&'a [f64]),
}

/// Evaluates an expression with a name for the slice that [`Values`] hold, of either type.
///
/// ```
/// let count = |values| fsz_field::with_values!(values, v => v.iter().count());
/// assert_eq!(count(fsz_field::Values::F64(&[1.0, 2.0])), 2);
/// ```
#[macro_export]
macro_rules! with_values {
    ($values:expr, $slice:ident => $body:expr) => {
        match $values {
            $crate::Values::F32($slice) => $body,
            $crate::Values::F64($slice) => $body,
        }
    };
}

impl<'a> Values<'a> {
    /// Values whose type is known.
    pub fn of<T: Element>(values: &'a [T]) -> Values<'a> {
        match same_type(values) {
            Some(singles) => Values::F32(singles),
            None => Values::F64(same_type(values).unwrap_or_default()),
        }
    }

    /// The values, when they are of type `T`.
    pub fn as_slice<T: Element>(self) -> Option<&'a [T]> {
        with_values!(self, values => same_type(values))
    }

    /// The element type.
    pub fn dtype(self) -> DType {
        with_values!(self, values => dtype_of(values))
    }

    /// Number of values.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(self) -> usize {
        with_values!(self, values => values.len())
    }

    /// The bytes in native order.
    pub fn bytes(self) -> &'a [u8] {
        with_values!(self, values => bytemuck::cast_slice(values))
    }
}

fn dtype_of<T: Element>(_: &[T]) -> DType {
    T::DTYPE
}

/// The values, when `T` and `U` are one type.
fn same_type<T: Element, U: Element>(values: &[T]) -> Option<&[U]> {
    (TypeId::of::<T>() == TypeId::of::<U>()).then(|| {
        // SAFETY: T is U.
        unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_type() {
        let (singles, doubles) = ([1.0f32, 2.0], [3.0f64]);
        assert_eq!(Values::of(&singles).as_slice(), Some(&singles[..]));
        assert_eq!(Values::of(&singles).as_slice::<f64>(), None);
        assert_eq!(Values::of(&doubles).as_slice(), Some(&doubles[..]));
        assert_eq!(Values::of(&doubles).as_slice::<f32>(), None);
        assert!(matches!(Storage::of(singles.to_vec()), Storage::F32(v) if v == singles));
        assert!(matches!(Storage::of(doubles.to_vec()), Storage::F64(v) if v == doubles));
    }
}
