//! `.fsz` files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fsz::{Codec, Dtype, Stream};
use memmap2::Mmap;

use crate::error::{Error, Result};
use crate::field::Field;
use crate::map::map_file;
use crate::scalar::Scalar;
use crate::shape::Shape;

/// The first bytes of every stream.
pub(crate) const MAGIC: &[u8] = b"\x89FSZ\r\n\x1a\n";

/// A `.fsz` file, mapped: its header is read, nothing is decoded.
#[derive(Debug, Clone)]
pub struct StreamFile {
    path: PathBuf,
    map: Arc<Mmap>,
}

impl StreamFile {
    /// Opens a file and checks its header, sizes and metadata checksum.
    pub fn open(path: &Path) -> Result<StreamFile> {
        let file = StreamFile { path: path.to_owned(), map: map_file(path)? };
        file.stream()?;
        Ok(file)
    }

    /// The stream in the file.
    pub fn stream(&self) -> Result<Stream<'_>> {
        Stream::open(&self.map).map_err(Error::codec(&self.path))
    }

    /// Decodes the whole field.
    pub fn decode(&self, codec: &Codec) -> Result<Field> {
        let stream = self.stream()?;
        let whole = |e| Error::codec(&self.path)(e);
        match stream.info().header().dtype {
            Dtype::F32 => decode::<f32>(codec, &stream, whole),
            Dtype::F64 => decode::<f64>(codec, &stream, whole),
        }
    }

    /// Decodes the plane at `index` of `axis` and no more than it takes; the axis is removed.
    pub fn decode_slice(&self, codec: &Codec, axis: usize, index: u64) -> Result<Field> {
        let stream = self.stream()?;
        let whole = |e| Error::codec(&self.path)(e);
        match stream.info().header().dtype {
            Dtype::F32 => decode_slice::<f32>(codec, &stream, axis, index, whole),
            Dtype::F64 => decode_slice::<f64>(codec, &stream, axis, index, whole),
        }
    }
}

fn decode<T: Scalar>(
    codec: &Codec,
    stream: &Stream<'_>,
    whole: impl FnOnce(fsz::Error) -> Error,
) -> Result<Field> {
    let info = stream.info();
    let header = info.header();
    let shape = Shape::new(&header.shape)?;
    let mut values = zeros::<T>(&shape)?;
    codec.decompress_into(stream, &mut values).map_err(whole)?;
    Ok(Field::new(shape, values)?.with_name(header.name.clone()).with_step(header.step))
}

fn decode_slice<T: Scalar>(
    codec: &Codec,
    stream: &Stream<'_>,
    axis: usize,
    index: u64,
    whole: impl FnOnce(fsz::Error) -> Error,
) -> Result<Field> {
    let info = stream.info();
    let header = info.header();
    let plane = codec.decompress_slice::<T>(stream, ndarray::Axis(axis), index).map_err(whole)?;
    let sides: Vec<u64> = plane.shape().iter().map(|&n| n as u64).collect();
    let values = plane.into_raw_vec_and_offset().0;
    let field = Field::new(Shape::new(&sides)?, values)?;
    Ok(field.with_name(header.name.clone()).with_step(header.step))
}

/// Memory for a field, asked for in a way that a hostile header cannot turn into an abort.
pub(crate) fn zeros<T: Scalar>(shape: &Shape) -> Result<Vec<T>> {
    let too_large = |_| Error::Argument(format!("there is no memory for a field of shape {shape}"));
    let len = usize::try_from(shape.elements()).map_err(|_| too_large(()))?;
    let mut values = Vec::new();
    values.try_reserve_exact(len).map_err(|_| too_large(()))?;
    values.resize(len, T::zeroed());
    Ok(values)
}
