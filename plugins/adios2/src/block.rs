//! One ADIOS2 block, as ADIOS2 gives it to the operator.

use std::{borrow::Cow, slice};

use fsz::{Codec, DType, Element, format::MAX_DIMS, with_element};
use ndarray::{ArrayView, AxisDescription, IxDyn, Slice};

use crate::operator::text;

/// One ADIOS2 block to write.
#[derive(Debug)]
pub(crate) struct Block<'a> {
    /// The values in C order; any alignment; not read when there are none.
    pub data: *const u8,
    /// Extents, slowest first.
    pub count: Vec<u64>,
    /// Place in the global array, of as many entries; None for a local array.
    pub start: Option<Vec<u64>>,
    /// Where the values are in a larger array that begins at `data`; None when they are contiguous.
    pub memory: Option<MemorySelection>,
    /// The element type.
    pub dtype: DType,
    /// The variable's name, or empty where ADIOS2 does not give it.
    pub variable: Cow<'a, str>,
}

/// A part of an array in memory, such as one without its ghost cells.
#[derive(Debug)]
pub(crate) struct MemorySelection {
    /// The first element, slowest dimension first.
    pub start: Vec<u64>,
    /// Extents of the array in memory.
    pub count: Vec<u64>,
}

impl Block<'_> {
    /// The variable's name in messages.
    pub fn name(&self) -> &str {
        if self.variable.is_empty() { "a variable" } else { &self.variable }
    }

    /// The number of values. They are in memory, so it cannot overflow.
    pub fn elements(&self) -> usize {
        self.count.iter().product::<u64>() as usize
    }

    /// Their length in bytes.
    pub fn bytes(&self) -> usize {
        self.elements() * self.dtype.size()
    }

    /// Bytes from `data` on in which all values lie.
    pub fn span(&self) -> usize {
        let memory = self.memory.as_ref().map(|memory| self.span_of(memory));
        memory.unwrap_or_else(|| self.bytes())
    }

    /// Bytes of the array that a memory selection is a part of.
    pub fn span_of(&self, memory: &MemorySelection) -> usize {
        memory.count.iter().product::<u64>() as usize * self.dtype.size()
    }

    /// The values of a block with a memory selection, contiguous, out of the `array` in memory.
    ///
    /// # Errors
    /// A selection that is not inside its array, or no memory.
    pub fn gather(
        &self,
        codec: &Codec,
        memory: &MemorySelection,
        array: &[u8],
    ) -> Result<Vec<u8>, String> {
        let fits = self
            .count
            .iter()
            .zip(memory.start.iter().zip(&memory.count))
            .all(|(&count, (&start, &extent))| start <= extent && count <= extent - start);
        if !fits {
            return Err("the memory selection is not inside its array".into());
        }
        let mut values = fsz_field::zeroed(self.bytes() as u64, "a part of an array")
            .map_err(|error| error.to_string())?;
        if self.bytes() == 0 {
            return Ok(values);
        }
        let sides = Vec::from_iter(memory.count.iter().map(|&extent| extent as usize));
        let part = |axis: AxisDescription| {
            let (start, count) = (memory.start[axis.axis.0], self.count[axis.axis.0]);
            Slice::from(start as usize..(start + count) as usize)
        };
        with_element!(self.dtype, T => {
            const SIZE: usize = size_of::<T>();
            let array = ArrayView::from_shape(IxDyn(&sides), array.as_chunks::<SIZE>().0);
            let mut array = array.map_err(|error| error.to_string())?;
            array.slice_each_axis_inplace(part);
            codec.gather(array, values.as_chunks_mut::<SIZE>().0).map_err(text)?;
        });
        Ok(values)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inside_of_an_array_with_ghost_cells() {
        let array: Vec<u8> = (0..4 * 5 * 6u8).collect();
        let block = |start: [u64; 3]| Block {
            data: array.as_ptr(),
            count: vec![2, 3, 4],
            start: None,
            memory: Some(MemorySelection { start: start.to_vec(), count: vec![4, 5, 6] }),
            dtype: DType::F32,
            variable: "".into(),
        };
        // An element of one byte would do, but the type decides: 4 bytes each.
        let wide: Vec<u8> = array.iter().flat_map(|&byte| [byte; 4]).collect();
        let inside = block([1, 1, 1]);
        let memory = inside.memory.as_ref().unwrap();
        let mut expected = Vec::new();
        for z in 1..3u8 {
            for y in 1..4u8 {
                for x in 1..5u8 {
                    expected.extend([(z * 5 + y) * 6 + x; 4]);
                }
            }
        }
        let codec = Codec::cpu();
        assert_eq!(inside.gather(&codec, memory, &wide).unwrap(), expected);
        assert_eq!(inside.span(), wide.len());
        let outside = block([3, 0, 0]);
        assert!(outside.gather(&codec, outside.memory.as_ref().unwrap(), &wide).is_err());
    }
}
