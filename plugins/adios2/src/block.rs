//! One ADIOS2 block, as ADIOS2 gives it to the operator.

use std::{borrow::Cow, slice};

use fsz::{DType, Element, format::MAX_DIMS};

/// One ADIOS2 block to write.
#[derive(Debug)]
pub(crate) struct Block<'a> {
    /// The values in C order; any alignment; not read when there are none.
    pub data: *const u8,
    /// Extents, slowest first.
    pub count: Vec<u64>,
    /// Place in the global array, of as many entries; None for a local array.
    pub start: Option<Vec<u64>>,
    /// The element type.
    pub dtype: DType,
    /// The variable's name, or empty where ADIOS2 does not give it.
    pub variable: Cow<'a, str>,
}

impl Block<'_> {
    /// The number of values. They are in memory, so it cannot overflow.
    pub fn elements(&self) -> usize {
        self.count.iter().product::<u64>() as usize
    }

    /// Their length in bytes.
    pub fn bytes(&self) -> usize {
        self.elements() * self.dtype.size()
    }

    /// Shape and start as a stream can record them: more than 8 dimensions count as one.
    pub fn stream_shape(&self) -> (Vec<u64>, Option<&[u64]>) {
        if self.count.len() <= MAX_DIMS {
            (self.count.clone(), self.start.as_deref())
        } else {
            (vec![self.elements() as u64], None)
        }
    }

    /// The values.
    ///
    /// # Safety
    /// `data` is readable for [`Block::bytes`] bytes of `T`.
    pub unsafe fn values<T: Element>(&self) -> Cow<'_, [T]> {
        let elements = self.elements();
        if elements == 0 {
            return Cow::Borrowed(&[]);
        }
        if self.data.cast::<T>().is_aligned() {
            // SAFETY: readable and aligned, and any bytes are a float.
            return Cow::Borrowed(unsafe { slice::from_raw_parts(self.data.cast(), elements) });
        }
        let mut values = vec![T::default(); elements];
        // SAFETY: readable for this many bytes, and the vector has room for them.
        unsafe { self.data.copy_to_nonoverlapping(values.as_mut_ptr().cast(), self.bytes()) };
        Cow::Owned(values)
    }
}
