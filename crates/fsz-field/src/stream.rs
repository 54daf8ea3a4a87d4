//! `.fsz` files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use fsz::{Codec, DecompressOptions, Element, Progress, Stream, with_element};

use crate::error::{Error, Result};
use crate::field::Field;
use crate::kind::expect_fsz;
use crate::map::{CHANGED, Mapped, map_file};
use crate::memory::zeros;
use crate::shape::Shape;

/// A `.fsz` file, mapped: its header is read, nothing is decoded.
#[derive(Debug, Clone)]
pub struct StreamFile {
    path: PathBuf,
    map: Arc<Mapped>,
    /// As it was when the file was opened.
    header: Arc<[u8]>,
}

impl StreamFile {
    /// Opens a file and checks its header, sizes and metadata checksum.
    pub fn open(path: &Path) -> Result<StreamFile> {
        expect_fsz(path)?;
        let map = map_file(path)?;
        let stream = Stream::open(&map).map_err(Error::codec(path))?;
        let end = stream.sections().heads.start as usize;
        let header = Arc::from(map.get(..end).unwrap_or(&map));
        Ok(StreamFile { path: path.to_owned(), map, header })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The stream in the file.
    ///
    /// # Errors
    /// When the file changed since it was opened.
    pub fn stream(&self) -> Result<Stream<'_>> {
        self.map.check()?;
        // What is known of the file is not true of other bytes: they may be of another shape.
        if !self.map.starts_with(&self.header) {
            return Err(Error::file(&self.path, CHANGED));
        }
        Stream::open(&self.map).map_err(Error::codec(&self.path))
    }

    /// Whether what was read of the stream was there: where another program shortens the file meanwhile, see
    /// [`outlive_shortened_files`](crate::outlive_shortened_files).
    ///
    /// # Errors
    /// When the file was shortened.
    pub fn check(&self) -> Result<()> {
        self.map.check()
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

    /// Decodes the plane at `index` of `axis` and no more than it takes; the axis is removed. It reports to `progress`, and can
    /// be cancelled by it.
    pub fn decode_slice_watched(
        &self,
        codec: &Codec,
        (axis, index): (usize, u64),
        progress: &Arc<Progress>,
    ) -> Result<Field> {
        let stream = self.stream()?;
        let options = DecompressOptions::new().progress(progress.clone());
        with_element!(stream.header().dtype, T => {
            self.decode_slice_as::<T>(codec, &stream, (axis, index), &options)
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
        (axis, index): (usize, u64),
        options: &DecompressOptions,
    ) -> Result<Field> {
        let codec_error = |error| Error::codec(&self.path)(error);
        let (start, count) =
            fsz::slice_box(&stream.header().shape, axis, index).map_err(codec_error)?;
        let mut sides = count.clone();
        sides.remove(axis);
        let shape = Shape::new(&sides)?;
        let mut plane = zeros::<T>(&shape).map_err(|error| error.in_file(&self.path))?;
        codec
            .decompress_box_with(stream, &start, &count, &mut plane, options)
            .map_err(codec_error)?;
        Ok(named(Field::new(shape, plane)?, stream))
    }
}

/// The field with what the stream tells of it.
fn named(field: Field, stream: &Stream<'_>) -> Field {
    let header = stream.header();
    field
        .with_name(header.name.clone())
        .with_step(header.time_step)
        .with_missing(header.missing.clone())
}
