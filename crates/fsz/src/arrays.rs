//! Fields as `ndarray` views and arrays (feature `ndarray`).

use std::borrow::Cow;

use ndarray::{ArrayD, ArrayView, Axis, Dimension, IxDyn};

use crate::{
    bound::Bound,
    codec::{Codec, check_type},
    dtype::DType,
    element::Element,
    error::{Error, Result},
    options::CompressOptions,
    partial, room,
    stream::Stream,
};

/// A field whose element type is known when the program runs.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyArray {
    /// Of `f32`.
    F32(ArrayD<f32>),
    /// Of `f64`.
    F64(ArrayD<f64>),
}

impl AnyArray {
    /// The element type.
    pub fn dtype(&self) -> DType {
        match self {
            AnyArray::F32(_) => DType::F32,
            AnyArray::F64(_) => DType::F64,
        }
    }

    /// Elements per axis, slowest axis first.
    pub fn shape(&self) -> &[usize] {
        match self {
            AnyArray::F32(array) => array.shape(),
            AnyArray::F64(array) => array.shape(),
        }
    }
}

impl From<ArrayD<f32>> for AnyArray {
    fn from(array: ArrayD<f32>) -> Self {
        AnyArray::F32(array)
    }
}

impl From<ArrayD<f64>> for AnyArray {
    fn from(array: ArrayD<f64>) -> Self {
        AnyArray::F64(array)
    }
}

impl Codec {
    /// Compresses a field.
    ///
    /// # Errors
    /// As [`Codec::compress_with`].
    pub fn compress<T: Element, D: Dimension>(
        &self,
        field: ArrayView<'_, T, D>,
        bound: Bound,
    ) -> Result<Stream<'static>> {
        self.compress_with(field, &CompressOptions::new(bound))
    }

    /// Compresses a field (C order costs no copy).
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for options out of range or more than 8 dimensions; [`Error::Io`] where there is no
    /// memory for the stream; [`Error::Cancelled`].
    pub fn compress_with<T: Element, D: Dimension>(
        &self,
        field: ArrayView<'_, T, D>,
        options: &CompressOptions,
    ) -> Result<Stream<'static>> {
        let shape: Vec<u64> = field.shape().iter().map(|&n| n as u64).collect();
        let data = match field.as_slice() {
            Some(data) => Cow::Borrowed(data),
            None => Cow::Owned(field.iter().copied().collect()),
        };
        let mut bytes = room::zeros(options.max_compressed_len(&shape, T::DTYPE)?)?;
        let len = self.compress_into(&data, &shape, options, &mut bytes)?;
        bytes.truncate(len);
        bytes.shrink_to_fit();
        Stream::written(bytes)
    }

    /// Compresses a field whose element type is known when the program runs.
    ///
    /// # Errors
    /// As [`Codec::compress_with`].
    pub fn compress_any(
        &self,
        field: &AnyArray,
        options: &CompressOptions,
    ) -> Result<Stream<'static>> {
        match field {
            AnyArray::F32(array) => self.compress_with(array.view(), options),
            AnyArray::F64(array) => self.compress_with(array.view(), options),
        }
    }

    /// Decompresses a whole field.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when `T` is not the stream's element type; [`Error::Corrupt`]; [`Error::Io`] where there is
    /// no memory for the field.
    pub fn decompress<T: Element>(&self, stream: &Stream<'_>) -> Result<ArrayD<T>> {
        let shape = stream.header().shape.clone();
        self.decompress_box(stream, &vec![0; shape.len()], &shape)
    }

    /// Decompresses a whole field of either element type.
    ///
    /// # Errors
    /// [`Error::Corrupt`]; [`Error::Io`] where there is no memory for the field.
    pub fn decompress_any(&self, stream: &Stream<'_>) -> Result<AnyArray> {
        crate::with_element!(stream.header().dtype, T => self.decompress::<T>(stream).map(AnyArray::from))
    }

    /// Decompresses a slice of a field of either element type, as [`Codec::decompress_slice`].
    ///
    /// # Errors
    /// As [`Codec::decompress_slice`].
    pub fn decompress_slice_any(
        &self,
        stream: &Stream<'_>,
        axis: Axis,
        index: u64,
    ) -> Result<AnyArray> {
        crate::with_element!(stream.header().dtype, T => {
            self.decompress_slice::<T>(stream, axis, index).map(AnyArray::from)
        })
    }

    /// Decompresses the slice at `index` of `axis`; the result lacks that axis.
    ///
    /// # Errors
    /// As [`Codec::decompress`], and [`Error::InvalidArgument`] for a slice that the field does not have.
    pub fn decompress_slice<T: Element>(
        &self,
        stream: &Stream<'_>,
        axis: Axis,
        index: u64,
    ) -> Result<ArrayD<T>> {
        let (start, count) = partial::slice_box(&stream.header().shape, axis.index(), index)?;
        Ok(self.decompress_box(stream, &start, &count)?.index_axis_move(axis, 0))
    }

    /// Decompresses the box of `count` elements from `start` on (an entry per axis).
    ///
    /// # Errors
    /// As [`Codec::decompress`], and [`Error::InvalidArgument`] for a box that is not inside the field.
    pub fn decompress_box<T: Element>(
        &self,
        stream: &Stream<'_>,
        start: &[u64],
        count: &[u64],
    ) -> Result<ArrayD<T>> {
        let elements = partial::check_box(&stream.header().shape, start, count)?;
        check_type::<T>(stream.header())?;
        let mut out = room::elements(elements, "a box")?;
        self.decompress_box_into(stream, start, count, &mut out)?;
        let shape: Vec<usize> = count.iter().map(|&n| n as usize).collect();
        ArrayD::from_shape_vec(IxDyn(&shape), out)
            .map_err(|_| Error::invalid(format!("no array has the shape {shape:?}")))
    }
}
