//! What is open: a field that can be looked at plane by plane, whatever file it lies in.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use fsz::{Codec, DType, DecompressOptions, Progress, Stream, with_element};
use fsz_field::{Field, Fsz1File, Hints, Kind, Shape, StreamFile, with_values};
use fsz_metrics::Sample;
use rayon::prelude::*;

use crate::model::blocks::Blocks;
use crate::model::boxes::Box;
use crate::model::fsz1_facts::Fsz1Facts;
use crate::model::grid::Grid;
use crate::model::plane::{Place, Plane};
use crate::model::stream_facts::StreamFacts;
use crate::model::tile_costs::TileCosts;
use crate::model::tiles::{Tile, Tiles};

/// What a document without a stream of its own answers.
const NO_STREAM: &str = "there is no stream";

/// Where the values come from.
#[derive(Clone, Debug)]
enum Body {
    /// An FSZ file, mapped; planes are decoded from it when they are looked at.
    File(StreamFile),
    /// A stream in memory.
    Memory(Arc<Stream<'static>>),
    /// Several streams in memory.
    Blocks(Arc<Blocks>),
    /// Plain values.
    Values(Arc<Field>),
}

/// The range of the finite ones among values; none where there is none.
fn range<T: Sample>(values: &[T]) -> Option<(f64, f64)> {
    let wider = |a: (f64, f64), b: (f64, f64)| (a.0.min(b.0), a.1.max(b.1));
    let numbers = values.par_iter().map(|value| value.to_f64()).filter(|value| value.is_finite());
    numbers.map(|value| (value, value)).reduce_with(wider)
}

/// An open field.
#[derive(Clone, Debug)]
pub struct Document {
    /// File name, and the variable and step where there are such.
    pub title: String,
    /// The file, or the name of a simulation's stream.
    pub path: PathBuf,
    /// A running simulation sent it: there is no file to open again.
    pub is_live: bool,
    /// The planes it is shown as.
    pub grid: Grid,
    /// Element type.
    pub dtype: DType,
    /// Of a stream.
    pub facts: Option<Arc<StreamFacts>>,
    /// The largest absolute bound of values that were decoded from several streams.
    pub decoded_bound: Option<f64>,
    /// The range of values that were decoded as they were opened: there is no certificate that tells it.
    pub decoded_range: Option<(f64, f64)>,
    /// Of values that were decoded from zfp: bytes of the stream.
    pub zfp_bytes: Option<u64>,
    /// Of a file of the paper author's own release.
    pub fsz1: Option<Arc<Fsz1Facts>>,
    /// What the file was opened with because it does not tell it.
    pub hints: Hints,
    body: Body,
}

impl Document {
    /// Opens a file: `.fsz`, those of the paper author's own release, `.npy`, raw values, and with the features of those names `.zfp` and
    /// ADIOS2 files. Of a stream only the header and the index are read: [`Document::read_tiles`] reads how
    /// its tiles are stored.
    ///
    /// # Errors
    /// In the user's words: what is wrong with the file, or what is missing to read it.
    pub fn open(path: &Path, hints: &Hints) -> Result<Document> {
        let title = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let kind = Kind::of(path)?;
        if kind == Kind::Fsz {
            let file = StreamFile::open(path)?;
            let facts = StreamFacts::of(&file.stream()?);
            return Ok(Document::of_stream(title, path, facts, Body::File(file)));
        }
        if kind == Kind::Fsz1 {
            let file = Fsz1File::open(path)?.load()?;
            let facts = Fsz1Facts::of(&file);
            let mut document = Document::of_decoded(title, path, file.field);
            document.fsz1 = Some(Arc::new(facts));
            return Ok(document);
        }
        let field = fsz_field::open(path, hints, &Codec::cpu())?;
        let mut document = match kind {
            Kind::Zfp => Document::of_decoded(title, path, field),
            // A file that is mapped is not read for it.
            _ => Document::of_values(title, path, field),
        };
        document.hints = hints.clone();
        if kind == Kind::Zfp {
            document.zfp_bytes = std::fs::metadata(path).ok().map(|m| m.len());
        }
        Ok(document)
    }

    /// A stream in memory.
    ///
    /// # Errors
    /// When a tile's record is damaged.
    pub fn from_stream(title: String, path: &Path, stream: Stream<'static>) -> Result<Document> {
        let facts = StreamFacts::of(&stream);
        let document = Document::of_stream(title, path, facts, Body::Memory(Arc::new(stream)));
        document.read_tiles(&Progress::new())?;
        Ok(document)
    }

    /// Streams in memory that make up an array, each with the index of its first element; none when
    /// they do not.
    ///
    /// # Errors
    /// When a tile's record is damaged.
    pub fn from_blocks(
        title: String,
        path: &Path,
        shape: &[u64],
        parts: Vec<(Vec<u64>, Stream<'static>)>,
    ) -> Result<Option<Document>> {
        let Some((blocks, facts)) = Blocks::new(shape, parts) else { return Ok(None) };
        let document = Document::of_stream(title, path, facts, Body::Blocks(Arc::new(blocks)));
        document.read_tiles(&Progress::new())?;
        Ok(Some(document))
    }

    /// Plain values.
    pub fn of_values(title: String, path: &Path, field: Field) -> Document {
        Document {
            title,
            path: path.to_owned(),
            is_live: false,
            grid: Grid::new(field.shape().sides()),
            dtype: field.dtype(),
            facts: None,
            decoded_bound: None,
            decoded_range: None,
            zfp_bytes: None,
            fsz1: None,
            hints: Hints::default(),
            body: Body::Values(Arc::new(field)),
        }
    }

    /// Values that were decoded, and their range.
    pub fn of_decoded(title: String, path: &Path, field: Field) -> Document {
        let range = with_values!(field.values(), values => range(values));
        Document { decoded_range: range, ..Document::of_values(title, path, field) }
    }

    /// The same, which a running simulation sent.
    #[must_use]
    pub fn live(self) -> Document {
        Document { is_live: true, ..self }
    }

    fn of_stream(title: String, path: &Path, facts: StreamFacts, body: Body) -> Document {
        Document {
            title,
            path: path.to_owned(),
            is_live: false,
            grid: Grid::new(&facts.header.shape),
            dtype: facts.header.dtype,
            facts: Some(Arc::new(facts)),
            decoded_bound: None,
            decoded_range: None,
            zfp_bytes: None,
            fsz1: None,
            hints: Hints::default(),
            body,
        }
    }

    /// Sides, slowest axis first.
    pub fn shape(&self) -> &[u64] {
        self.grid.shape()
    }

    /// How its tiles are stored; what is not read yet says so.
    pub fn tiles(&self) -> Option<&Tiles> {
        let fsz1 = || self.fsz1.as_ref().map(|facts| &facts.tiles);
        self.facts.as_ref().map(|facts| &facts.tiles).or_else(fsz1)
    }

    /// Whether the values came out of a compressor.
    pub fn is_reconstruction(&self) -> bool {
        self.codec().is_some()
    }

    /// The compressor that the values came out of, where that is known.
    pub fn codec(&self) -> Option<&'static str> {
        if self.facts.is_some() || self.decoded_bound.is_some() {
            return Some("FSZ");
        }
        self.fsz1.as_ref().map(|_| "FSZ1").or(self.zfp_bytes.map(|_| "zfp"))
    }

    /// Bytes of the streams that the values come from, where that is known.
    pub fn compressed_bytes(&self) -> Option<u64> {
        let fsz1 = self.fsz1.as_ref().map(|f| f.compressed_bytes);
        self.facts.as_ref().map(|f| f.compressed_bytes).or(fsz1).or(self.zfp_bytes)
    }

    /// Raw bytes by compressed bytes.
    pub fn ratio(&self) -> Option<f64> {
        self.compressed_bytes().map(|bytes| self.raw_bytes() as f64 / bytes as f64)
    }

    /// Compressed bits per value.
    pub fn bits_per_value(&self) -> Option<f64> {
        let elements = self.grid.elements().max(1) as f64;
        self.compressed_bytes().map(|bytes| bytes as f64 * 8.0 / elements)
    }

    /// Bytes of the values.
    pub fn raw_bytes(&self) -> u64 {
        self.grid.elements() * self.dtype.size() as u64
    }

    /// Missing values that the stream names.
    pub fn missing(&self) -> &[f64] {
        self.facts.as_ref().map_or(&[], |facts| &facts.header.missing)
    }

    /// One plane, exact. Of a stream only the tiles that it touches are decoded, until that is cancelled with `progress`,
    /// which counts other work.
    ///
    /// # Errors
    /// When the stream is damaged there, or it is cancelled.
    pub fn plane(&self, codec: &Codec, place: Place, progress: &Progress) -> Result<Plane> {
        let field = self.plane_field(codec, place, progress)?;
        Ok(Plane::of(self.grid.plane(place.axis), &field))
    }

    /// The values of planes across the slowest axis, each with the rows and columns of a part, in fields that follow one
    /// another. `start` and `count` are of the three axes that are shown, slowest first.
    ///
    /// # Errors
    /// When the stream is damaged there.
    pub fn slab(&self, codec: &Codec, start: [u64; 3], count: [u64; 3]) -> Result<Vec<Field>> {
        let lead = self.grid.shape().len().saturating_sub(2);
        if lead == 1 {
            return Ok(vec![self.window(codec, &start, &count, &DecompressOptions::new())?]);
        }
        // Planes whose leading axes are taken together make up no box.
        let planes = start[0]..start[0] + count[0];
        let plane = |plane: u64| {
            let (mut first, mut sides) = self.grid.plane_box(0, plane);
            for k in 1..3 {
                (first[lead + k - 1], sides[lead + k - 1]) = (start[k], count[k]);
            }
            self.window(codec, &first, &sides, &DecompressOptions::new())
        };
        planes.map(plane).collect()
    }

    /// The values of one plane, in a shape with a side of 1 across it. Decoding is cancelled with `progress`, which counts
    /// other work.
    ///
    /// # Errors
    /// When the stream is damaged there, or it is cancelled.
    pub fn plane_field(&self, codec: &Codec, place: Place, progress: &Progress) -> Result<Field> {
        let (start, count) = self.grid.plane_box(place.axis, place.plane);
        self.window(codec, &start, &count, &beside(progress))
    }

    /// All values. Decoding is cancelled with `progress`, which counts other work. Where they lie in a file, [`Field::check`]
    /// tells behind their use whether they were there.
    ///
    /// # Errors
    /// When the stream is damaged, or it is cancelled.
    pub fn values(&self, codec: &Codec, progress: &Progress) -> Result<Arc<Field>> {
        match &self.body {
            Body::Values(field) => {
                field.check()?;
                Ok(field.clone())
            }
            _ => {
                let shape = self.grid.shape();
                let start = vec![0; shape.len()];
                Ok(Arc::new(self.window(codec, &start, shape, &beside(progress))?))
            }
        }
    }

    /// Reads how the tiles are stored, where that is not known yet. It takes long for a large stream, and of
    /// some profiles all of it is decoded.
    ///
    /// # Errors
    /// When a tile's record is damaged, or it is cancelled with `progress`, which counts other work.
    pub fn read_tiles(&self, progress: &Progress) -> Result<()> {
        let Some(facts) = self.facts.as_ref().filter(|facts| !facts.tiles.is_read()) else {
            return Ok(());
        };
        let mut tiles = Vec::new();
        self.named(self.each_stream(|stream, _| {
            tiles.extend(Tiles::records(stream, progress)?);
            Ok(())
        }))?;
        facts.tiles.set(tiles);
        Ok(())
    }

    /// The values of one tile of a stream.
    ///
    /// # Errors
    /// When there is no stream, no such tile, or it is damaged.
    pub fn tile(&self, codec: &Codec, number: u64) -> Result<Vec<f64>> {
        self.named(self.with_tile(number, |stream, number| Ok(tile(codec, stream, number)?)))
    }

    /// How a tile is stored, whether all of them were read or not; none where that is not known or damaged.
    pub fn tile_record(&self, number: u64) -> Option<Tile> {
        let known = self.tiles()?.get(number).copied();
        let read = || self.with_tile(number, |stream, own| Ok(Tiles::record(stream, own)?)).ok();
        known.or_else(read)
    }

    /// What each way of coding would cost a tile, counted from the original where that is plain values of one
    /// stream's shape and type; nothing where there is no stream or its chunk is damaged.
    pub fn tile_costs(&self, tile: u64, original: Option<&Document>) -> TileCosts {
        let original = original.filter(|original| self.can_be_counted_from(original));
        let field = original.and_then(|original| match &original.body {
            Body::Values(field) => Some(&**field).filter(|field| field.check().is_ok()),
            _ => None,
        });
        let costs = |stream: &Stream<'_>, number| {
            let costs = TileCosts::of(stream, number, field)?;
            field.map_or(Ok(()), Field::check)?;
            Ok(costs)
        };
        self.with_tile(tile, costs).unwrap_or_default()
    }

    fn can_be_counted_from(&self, original: &Document) -> bool {
        let one_stream = !matches!(self.body, Body::Blocks(_));
        one_stream && self.dtype == original.dtype && self.shape() == original.shape()
    }

    /// Calls `with` on the stream that a tile belongs to, and its number there.
    fn with_tile<R>(
        &self,
        tile: u64,
        with: impl FnOnce(&Stream<'_>, u64) -> Result<R>,
    ) -> Result<R> {
        let Body::Blocks(blocks) = &self.body else {
            return self.with_stream(|stream| with(stream, tile));
        };
        let part = self.facts.as_ref().and_then(|facts| facts.tiles.part(tile));
        let (part, number) = part.context(NO_STREAM)?;
        with(blocks.stream(part).context(NO_STREAM)?, number)
    }

    /// Calls `with` on each stream and the box of the array that it holds; nothing where there is none.
    ///
    /// # Errors
    /// Those of `with`, and when the file changed since it was opened.
    pub fn each_stream(&self, mut with: impl FnMut(&Stream<'_>, &Box) -> Result<()>) -> Result<()> {
        match &self.body {
            Body::Values(_) => Ok(()),
            Body::Blocks(blocks) => blocks.each().try_for_each(|(part, stream)| with(stream, part)),
            _ => {
                let shape = self.grid.shape();
                let whole = Box { start: vec![0; shape.len()], count: shape.to_vec() };
                self.with_stream(|stream| with(stream, &whole))
            }
        }
    }

    /// The exact value at a position in C order; none when there is no stream or it is damaged there.
    pub fn exact(&self, codec: &Codec, position: u64) -> Option<f64> {
        let (number, offset) = self.facts.as_ref()?.tiles.locate(position)?;
        self.tile(codec, number).ok()?.get(offset as usize).copied()
    }

    /// Calls `with` on the stream.
    ///
    /// # Errors
    /// When there is not just one, or the file changed since it was opened.
    pub fn with_stream<R>(&self, with: impl FnOnce(&Stream<'_>) -> Result<R>) -> Result<R> {
        match &self.body {
            Body::File(file) => {
                let found = with(&file.stream()?);
                // What was gone while it was read is no damage.
                file.check()?;
                found
            }
            Body::Memory(stream) => with(stream),
            Body::Blocks(_) | Body::Values(_) => bail!(NO_STREAM),
        }
    }

    /// The values of a box in C order.
    fn window(
        &self,
        codec: &Codec,
        start: &[u64],
        count: &[u64],
        options: &DecompressOptions,
    ) -> Result<Field> {
        let window = with_element!(self.dtype, T => match &self.body {
            Body::Values(field) => Ok(field.window(start, count)?),
            Body::Blocks(blocks) => blocks.window::<T>(codec, start, count, options),
            _ => self.with_stream(|stream| {
                let shape = Shape::new(count)?;
                let mut values = fsz_field::zeros::<T>(&shape)?;
                codec.decompress_box_with(stream, start, count, &mut values, options)?;
                Ok(Field::new(shape, values)?)
            }),
        });
        self.named(window)
    }

    /// With the file that it is about in the error of a damaged stream.
    fn named<R>(&self, result: Result<R>) -> Result<R> {
        result.map_err(|error| match error.downcast() {
            Ok(source) => {
                fsz_field::Error::Codec { path: self.title.clone().into(), source }.into()
            }
            Err(other) => other,
        })
    }
}

/// Of decoding that ends with other work.
fn beside(progress: &Progress) -> DecompressOptions {
    DecompressOptions::new().progress(progress.aside())
}

/// The values of a tile of a stream.
fn tile(codec: &Codec, stream: &Stream<'_>, number: u64) -> fsz::Result<Vec<f64>> {
    let count = if number < stream.grid().tiles() { stream.grid().tile_len(number) } else { 0 };
    with_element!(stream.header().dtype, T => {
        let mut out = vec![T::default(); count];
        codec.decompress_tiles_into(stream, number..number + 1, &mut out)?;
        Ok(out.into_iter().map(Sample::to_f64).collect())
    })
}

#[cfg(test)]
mod tests {
    use fsz::Bound;
    use ndarray::{ArrayD, IxDyn, SliceInfoElem};

    use super::*;

    const SHAPE: [usize; 3] = [6, 20, 31];

    fn field() -> ArrayD<f32> {
        let value = |i: usize| ((i * i / 97) as f32 * 0.1).sin() * 30.0 + (i % 5) as f32;
        let values: Vec<f32> = (0..SHAPE.iter().product()).map(value).collect();
        ArrayD::from_shape_vec(IxDyn(&SHAPE), values).unwrap()
    }

    /// A part of the field, compressed.
    fn part(start: [u64; 3], count: [u64; 3], bound: f64) -> (Vec<u64>, Stream<'static>) {
        let along = |axis: usize| SliceInfoElem::Slice {
            start: start[axis] as isize,
            end: Some((start[axis] + count[axis]) as isize),
            step: 1,
        };
        let field = field();
        let view = field.slice(&[along(0), along(1), along(2)][..]).to_owned();
        let stream = Codec::cpu().compress(view.view(), Bound::Absolute(bound)).unwrap();
        (start.to_vec(), stream)
    }

    #[test]
    fn planes_tiles_and_values_are_those_of_the_parts() {
        let shape = SHAPE.map(|n| n as u64);
        let parts = vec![
            part([0, 0, 0], [6, 20, 11], 0.5),
            part([0, 0, 11], [2, 20, 20], 0.01),
            part([2, 0, 11], [4, 20, 20], 0.1),
        ];
        let document =
            Document::from_blocks("three".into(), Path::new("three"), &shape, parts).unwrap();
        let document = document.expect("they make up the array");
        let (codec, facts) = (Codec::cpu(), document.facts.clone().unwrap());
        assert_eq!((facts.blocks, facts.least_bound, facts.header.absolute_bound), (3, 0.01, 0.5));
        let per_part = [6 * 20 * 11, 2 * 20 * 20, 4 * 20 * 20]
            .map(|n: u64| n.div_ceil(fsz::format::TILE as u64));
        assert_eq!(facts.tiles.len() as u64, per_part.iter().sum::<u64>());
        let whole = document.values(&codec, &Progress::new()).unwrap();
        let values = whole.as_slice::<f32>().unwrap();
        let field = field();
        let mut tiles = std::collections::BTreeSet::new();
        for (position, (&found, &original)) in values.iter().zip(field.iter()).enumerate() {
            let (z, x) = (position / 620, position % 31);
            let (bound, part) = match (x < 11, z < 2) {
                (true, _) => (0.5, 0),
                (false, true) => (0.01, 1),
                (false, false) => (0.1, 2),
            };
            assert!(f64::from((found - original).abs()) <= bound, "{position}");
            let (number, _) = facts.tiles.of(position as u64).unwrap();
            assert_eq!(facts.tiles.part(number).map(|(part, _)| part), Some(part));
            let costs = document.tile_costs(number, None).costs;
            let stored = facts.tiles.of(position as u64).unwrap().1.bytes;
            let least = costs.iter().map(|cost| cost.bytes).min();
            assert!(least.is_some_and(|bytes| bytes + 8 == u64::from(stored)), "{position}");
            if tiles.insert(number) || position % 101 == 0 {
                let exact = document.exact(&codec, position as u64);
                assert_eq!(exact, Some(f64::from(found)), "{position}");
            }
        }
        assert_eq!(tiles.len(), facts.tiles.len(), "every tile is seen");
        let plane = document.plane(&codec, Place { axis: 1, plane: 7 }, &Progress::new()).unwrap();
        for (i, value) in plane.values.iter().enumerate() {
            assert_eq!(*value, f64::from(values[(i / 31 * 20 + 7) * 31 + i % 31]));
        }
    }

    #[test]
    fn decoding_is_cancelled_with_other_work() {
        let compressed = Codec::cpu().compress(field().view(), Bound::Absolute(0.1)).unwrap();
        let one = Document::from_stream("one".into(), Path::new("one"), compressed).unwrap();
        let parts = vec![part([0, 0, 0], [6, 20, 11], 0.5), part([0, 0, 11], [6, 20, 20], 0.01)];
        let shape = SHAPE.map(|n| n as u64);
        let two = Document::from_blocks("two".into(), Path::new("two"), &shape, parts).unwrap();
        for document in [one, two.expect("they make up the array")] {
            let (codec, progress) = (Codec::cpu(), Progress::new());
            progress.begin(7);
            let place = Place { axis: 2, plane: 20 };
            document.values(&codec, &progress).unwrap();
            document.plane_field(&codec, place, &progress).unwrap();
            assert_eq!((progress.done(), progress.total()), (0, 7), "it counts other work");
            progress.cancel();
            let ended = |error: anyhow::Error| {
                let cause = error.chain().find_map(|cause| cause.downcast_ref::<fsz::Error>());
                assert!(matches!(cause, Some(fsz::Error::Cancelled)), "{error:?}");
            };
            ended(document.values(&codec, &progress).unwrap_err());
            ended(document.plane_field(&codec, place, &progress).unwrap_err());
        }
    }

    #[test]
    fn reading_tiles_is_cancelled() {
        let folder = tempfile::TempDir::new().unwrap();
        let path = folder.path().join("one.fsz");
        for profile in [fsz::Profile::default(), fsz::Profile::Dense(fsz::Dense::new())] {
            let options = fsz::CompressOptions::new(Bound::Absolute(0.1)).profile(profile);
            let stream = Codec::cpu().compress_with(field().view(), &options).unwrap();
            std::fs::write(&path, stream.as_bytes()).unwrap();
            let document = Document::open(&path, &Hints::default()).unwrap();
            let is_read = || document.tiles().is_some_and(Tiles::is_read);
            let progress = Progress::new();
            progress.cancel();
            assert!(document.read_tiles(&progress).is_err() && !is_read());
            document.read_tiles(&Progress::new()).unwrap();
            assert!(is_read());
        }
    }

    /// Their errors are no violations of the bound outside.
    #[test]
    fn several_streams_keep_the_bounds_of_their_regions() {
        let region = fsz::Region::in_box(&[0, 1, 2], &[2, 3, 4], Bound::Absolute(2.0));
        let options = fsz::CompressOptions::new(Bound::Absolute(0.5)).region(region);
        let left = ndarray::Array3::from_elem((6, 20, 11), 1f32);
        let left = Codec::cpu().compress_with(left.view(), &options).unwrap();
        let parts = vec![(vec![0, 0, 0], left), part([0, 0, 11], [6, 20, 20], 0.01)];
        let both = Document::from_blocks("two".into(), Path::new("two"), &[6, 20, 31], parts);
        let facts = both.unwrap().expect("they make up the array").facts.unwrap();
        assert_eq!((facts.least_bound, facts.header.absolute_bound), (0.01, 2.0));
    }

    #[test]
    fn damage_is_told_with_the_file() {
        let stream = Codec::cpu().compress(field().view(), Bound::Absolute(0.1)).unwrap();
        let mut bytes = stream.as_bytes().to_vec();
        *bytes.last_mut().unwrap() ^= 1;
        let damaged = Stream::from_vec(bytes).unwrap();
        let document = Document::from_stream("run.fsz".into(), Path::new("run.fsz"), damaged);
        let (document, codec) = (document.unwrap(), Codec::cpu());
        let tile = document.tile(&codec, document.tiles().unwrap().len() as u64 - 1);
        let values = document.values(&codec, &Progress::new());
        for error in [tile.unwrap_err(), values.unwrap_err()] {
            assert!(error.to_string().starts_with("run.fsz: corrupt"), "{error}");
        }
    }

    /// Another program cuts the file short when a part of it was decoded.
    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_is_shortened_while_it_is_decoded_is_told() {
        fsz_field::outlive_shortened_files();
        let stream = Codec::cpu().compress(field().view(), Bound::Absolute(1e-6)).unwrap();
        let file = tempfile::NamedTempFile::with_suffix(".fsz").unwrap();
        std::fs::write(&file, stream.as_bytes()).unwrap();
        let document = Document::open(file.path(), &Hints::default()).unwrap();
        let tiles = |document: &Document| {
            let decoded = document.with_stream(|stream| {
                tile(&Codec::cpu(), stream, 0)?;
                file.as_file().set_len(4096)?;
                Ok(tile(&Codec::cpu(), stream, stream.grid().tiles() - 1)?)
            });
            decoded.unwrap_err().to_string()
        };
        assert!(stream.as_bytes().len() > 8192);
        let told = tiles(&document);
        assert!(told.contains("became shorter while it was read"), "{told}");
    }

    #[test]
    fn what_makes_up_no_array_is_none() {
        let of = |parts| {
            let blocks = Document::from_blocks("no".into(), Path::new("no"), &[6, 20, 31], parts);
            blocks.unwrap().is_none()
        };
        let left = || part([0, 0, 0], [6, 20, 11], 0.5);
        assert!(of(vec![]) && of(vec![left(), left()]));
        let double = ArrayD::<f64>::zeros(IxDyn(&[6, 20, 20]));
        let double = Codec::cpu().compress(double.view(), Bound::Absolute(1.0)).unwrap();
        assert!(of(vec![left(), (vec![0, 0, 11], double)]));
    }
}
