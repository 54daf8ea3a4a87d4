//! Fields as `ndarray` views and arrays (feature `ndarray`).

use std::borrow::Cow;

use ndarray::{ArrayD, ArrayView, ArrayViewD, ArrayViewMutD, Axis, Dimension, IxDyn};

use crate::{
    bound::Bound,
    codec::{Codec, check_type},
    dtype::DType,
    element::Element,
    error::{Error, Result},
    exec::Execution,
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

    /// Compresses a field (C order costs no copy; another is copied to it by all threads).
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
            None => {
                let progress = options.progress.as_deref();
                Cow::Owned(self.run(options.threads, progress, |run| ordered(&field, run))?)
            }
        };
        let mut bytes = room::zeros(options.max_compressed_len(&shape, T::DTYPE)?)?;
        let len = self.compress_into(&data, &shape, options, &mut bytes)?;
        bytes.truncate(len);
        bytes.shrink_to_fit();
        Stream::written(bytes)
    }

    /// Copies an array, wherever its elements lie, to `out` in C order, by all threads of this codec.
    ///
    /// ```
    /// let field = ndarray::array![[1.0f32, 2.0], [3.0, 4.0]];
    /// let mut out = [0.0; 4];
    /// fsz::Codec::cpu().gather(field.t(), &mut out)?;
    /// assert_eq!(out, [1.0, 3.0, 2.0, 4.0]);
    /// # Ok::<(), fsz::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when `out` has another length.
    pub fn gather<T: Copy + Send + Sync, D: Dimension>(
        &self,
        field: ArrayView<'_, T, D>,
        out: &mut [T],
    ) -> Result<()> {
        self.run(None, None, |run| gather(&field, out, run))
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
        // Decoding a small box takes less than threads take to begin.
        let mut out = match room::is_shared(elements.saturating_mul(size_of::<T>() as u64)) {
            true => self.run(None, None, |run| room::elements_for(elements, "a box", run))?,
            false => room::elements(elements, "a box")?,
        };
        self.decompress_box_into(stream, start, count, &mut out)?;
        let shape: Vec<usize> = count.iter().map(|&n| n as usize).collect();
        ArrayD::from_shape_vec(IxDyn(&shape), out)
            .map_err(|_| Error::invalid(format!("no array has the shape {shape:?}")))
    }
}

/// Bytes that a thread copies together: both of their places fit its cache.
const BLOCK: usize = 1 << 16;

/// The elements of a field in C order, wherever they lie.
fn ordered<T: Element, D: Dimension>(
    field: &ArrayView<'_, T, D>,
    run: Execution<'_>,
) -> Result<Vec<T>> {
    let mut elements = room::elements_for(field.len() as u64, "a field in C order", run)?;
    gather(field, &mut elements, run)?;
    Ok(elements)
}

/// Puts them into `out`.
fn gather<T: Copy + Send + Sync, D: Dimension>(
    field: &ArrayView<'_, T, D>,
    out: &mut [T],
    run: Execution<'_>,
) -> Result<()> {
    if out.len() != field.len() {
        let (len, shape) = (out.len(), field.shape());
        return Err(Error::invalid(format!("{len} elements for an array of shape {shape:?}")));
    }
    let place = ArrayViewMutD::from_shape(IxDyn(field.shape()), out)
        .map_err(|why| Error::invalid(why.to_string()))?;
    let mut blocks = Vec::new();
    cut(field.view().into_dyn(), place, &mut blocks);
    run.each(
        (blocks.len(), blocks.into_iter()),
        || Ok(()),
        |(), (from, to)| {
            copy(&from, to);
            run.check()
        },
    )
}

fn copy<T: Copy>(from: &ArrayViewD<'_, T>, mut to: ArrayViewMutD<'_, T>) {
    if !has_rows(from) {
        return to.assign(from);
    }
    for (from, mut to) in from.rows().into_iter().zip(to.rows_mut()) {
        match (from.as_slice(), to.as_slice_mut()) {
            (Some(from), Some(to)) => to.copy_from_slice(from),
            _ => to.assign(&from),
        }
    }
}

/// Whether its rows are rows in memory that are worth a call each.
fn has_rows<T>(field: &ArrayViewD<'_, T>) -> bool {
    matches!((field.strides().last(), field.shape().last()), (Some(1), Some(16..)))
}

/// Cuts a field and its place into blocks. Where the field's rows are not rows in memory, blocks are about as long along
/// each axis, so that what is near in one of the two orders is of few blocks; others are rows that follow each other.
fn cut<'a, T>(
    from: ArrayViewD<'a, T>,
    to: ArrayViewMutD<'a, T>,
    blocks: &mut Vec<(ArrayViewD<'a, T>, ArrayViewMutD<'a, T>)>,
) {
    let long = |&axis: &usize| from.len_of(Axis(axis)) > 1;
    let mut axes = (0..from.ndim()).filter(long);
    let axis = match has_rows(&from) {
        true => axes.next(),
        false => axes.max_by_key(|&axis| from.len_of(Axis(axis))),
    };
    match axis {
        Some(axis) if from.len() * size_of::<T>() > BLOCK => {
            let half = from.len_of(Axis(axis)) / 2;
            let (from, from_behind) = from.split_at(Axis(axis), half);
            let (to, to_behind) = to.split_at(Axis(axis), half);
            cut(from, to, blocks);
            cut(from_behind, to_behind, blocks);
        }
        _ => blocks.push((from, to)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Progress;
    use ndarray::s;

    #[test]
    fn elements_are_put_in_c_order_by_any_number_of_threads() {
        let whole = ArrayD::from_shape_fn(IxDyn(&[70, 60, 50]), |at| {
            (at[0] * 3000 + at[1] * 50 + at[2]) as f32
        });
        let plane = whole.slice(s![0..1, .., ..]).into_dyn();
        let views = [
            whole.t(),
            whole.view().permuted_axes(IxDyn(&[1, 2, 0])),
            whole.slice(s![1..69, 1..59, 1..49]).into_dyn(),
            whole.slice(s![.., ..;-1, ..;2]).into_dyn(),
            whole.slice(s![.., 3..4, ..]).into_dyn(),
            whole.slice(s![.., 3..3, ..]).into_dyn(),
            plane.broadcast(IxDyn(&[9, 60, 50])).expect("as often as wanted"),
        ];
        for view in views {
            let expected: Vec<f32> = view.iter().copied().collect();
            for threads in [1, 3] {
                let run =
                    Execution { level: crate::simd::Level::detect(), threads, progress: None };
                assert_eq!(ordered(&view, run).unwrap(), expected, "{:?}", view.strides());
            }
        }
        let codec = Codec::cpu();
        assert!(codec.gather(whole.t(), &mut vec![0.0; whole.len() - 1]).is_err());
        assert!(codec.gather(whole.t(), &mut vec![0.0; whole.len() + 1]).is_err());
        let progress = Progress::new();
        progress.cancel();
        let run = Execution {
            level: crate::simd::Level::detect(),
            threads: 2,
            progress: Some(&progress),
        };
        assert!(matches!(ordered(&whole.t(), run), Err(Error::Cancelled)));
    }
}
