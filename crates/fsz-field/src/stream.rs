//! `.fsz` files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fsz::{Codec, DecompressOptions, Element, Progress, Stream, with_element};
use memmap2::Mmap;
use ndarray::Axis;

use crate::error::{Error, Result};
use crate::field::Field;
use crate::kind::expect_fsz;
use crate::map::map_file;
use crate::memory::zeros;
use crate::shape::Shape;

/// A `.fsz` file, mapped: its header is read, nothing is decoded.
#[derive(Debug, Clone)]
pub struct StreamFile {
    path: PathBuf,
    map: Arc<Mmap>,
}

impl StreamFile {
    /// Opens a file and checks its header, sizes and metadata checksum.
    pub fn open(path: &Path) -> Result<StreamFile> {
        expect_fsz(path)?;
        let file = StreamFile { path: path.to_owned(), map: map_file(path)? };
        file.stream()?;
        Ok(file)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The stream in the file.
    pub fn stream(&self) -> Result<Stream<'_>> {
        Stream::open(&self.map).map_err(Error::codec(&self.path))
    }

    /// Decodes the whole field.
    pub fn decode(&self, codec: &Codec) -> Result<Field> {
        self.decode_watched(codec, &Progress::new())
    }

    /// The same; it reports to `progress`, and can be cancelled by it.
    pub fn decode_watched(&self, codec: &Codec, progress: &Arc<Progress>) -> Result<Field> {
        let stream = self.stream()?;
        let options = DecompressOptions::new().progress(progress.clone());
        with_element!(stream.header().dtype, T => self.decode_as::<T>(codec, &stream, &options))
    }

    /// Decodes the plane at `index` of `axis` and no more than it takes; the axis is removed.
    pub fn decode_slice(&self, codec: &Codec, axis: usize, index: u64) -> Result<Field> {
        let stream = self.stream()?;
        with_element!(stream.header().dtype, T => {
            self.decode_slice_as::<T>(codec, &stream, axis, index)
        })
    }

    fn decode_as<T: Element>(
        &self,
        codec: &Codec,
        stream: &Stream<'_>,
        options: &DecompressOptions,
    ) -> Result<Field> {
        let shape = Shape::new(&stream.header().shape)?;
        let mut values = zeros::<T>(&shape).map_err(|error| error.in_file(&self.path))?;
        codec.decompress_with(stream, &mut values, options).map_err(Error::codec(&self.path))?;
        Ok(named(Field::new(shape, values)?, stream))
    }

    fn decode_slice_as<T: Element>(
        &self,
        codec: &Codec,
        stream: &Stream<'_>,
        axis: usize,
        index: u64,
    ) -> Result<Field> {
        let plane = codec
            .decompress_slice::<T>(stream, Axis(axis), index)
            .map_err(Error::codec(&self.path))?;
        let sides: Vec<u64> = plane.shape().iter().map(|&n| n as u64).collect();
        // The plane of a slice across a fast axis may be a view with gaps.
        let values = plane.iter().copied().collect();
        Ok(named(Field::new(Shape::new(&sides)?, values)?, stream))
    }
}

/// The field with what the stream tells of it.
fn named(field: Field, stream: &Stream<'_>) -> Field {
    let header = stream.header();
    field.with_name(header.name.clone()).with_step(header.time_step)
}
