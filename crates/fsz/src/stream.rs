//! A stream as bytes whose header and index have been checked.

use std::{borrow::Cow, iter, ops::Range};

use rayon::prelude::*;

use crate::{
    bound::Bound,
    element::Element,
    error::{Error, Result},
    exec::Execution,
    float_mode::FloatMode,
    format::{
        Run, Sections, TileGrid, WORD,
        box_runs::rows_of_box,
        header::{self, Header},
        regions,
    },
    index::Index,
    partial,
    profile::{ChunkDecoder, Plan},
    progress::Progress,
    region::{self, StoredRegion},
    simd::Level,
    statistics::Certificate,
    target, threads,
    tile_cost::TileCost,
    tile_record::{TileCounts, TileRecord},
    tile_records::TileRecords,
    with_element,
};

/// A compressed field: its bytes, with the header, the index and their checksums already verified. The
/// payload's checksums are verified when it is decoded.
#[derive(Clone, Debug)]
pub struct Stream<'a> {
    bytes: Cow<'a, [u8]>,
    header: Header,
    certificate: Certificate,
    grid: TileGrid,
    sections: Sections,
    regions: Vec<StoredRegion>,
}

/// A chunk of a stream.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Chunk<'a> {
    /// What the profile tells of its tiles outside of the payload: rate bytes.
    pub heads: &'a [u8],
    /// Their payloads, in order.
    pub payload: &'a [u8],
}

impl<'a> Stream<'a> {
    /// Opens a stream in borrowed memory, such as a mapped file. Reads the header and the index, not the
    /// payload.
    ///
    /// # Errors
    /// [`Error::Truncated`] when bytes are missing, [`Error::Corrupt`] when they are not a stream or are
    /// damaged, [`Error::Unsupported`] when they come from a newer release.
    pub fn open(bytes: &'a [u8]) -> Result<Self> {
        Self::check(Cow::Borrowed(bytes))
    }

    /// Opens a stream in memory of its own.
    ///
    /// # Errors
    /// As [`Stream::open`].
    pub fn from_vec(bytes: Vec<u8>) -> Result<Stream<'static>> {
        Stream::check(Cow::Owned(bytes))
    }

    fn check(bytes: Cow<'a, [u8]>) -> Result<Self> {
        // Numbers of a header follow from others, as the encoder computed them.
        let _mode = FloatMode::standard();
        let header = header::read(&bytes)?;
        let fields = header.fields();
        let (got, needed) = (bytes.len() as u64, fields.stream_len);
        if got < needed {
            return Err(Error::Truncated { needed, got });
        }
        if got > needed {
            return Err(Error::corrupt(format!(
                "{} bytes follow the end of the stream",
                got - needed
            )));
        }
        let grid = header.grid()?;
        let sections = header.sections(&grid)?;
        let end = sections.payload.checked_add(fields.payload_len);
        if end != Some(got) || !fields.payload_len.is_multiple_of(WORD as u64) {
            return Err(Error::corrupt("the header's lengths contradict each other"));
        }
        let metadata = &bytes[fields.header_len as usize..sections.payload as usize];
        if Level::detect().byte_rows(metadata, 0) != fields.metadata_checksum {
            return Err(Error::corrupt("the checksum of heads and index does not match"));
        }
        let mut stream = Self::new(bytes, header, grid, sections);
        stream.index().check()?;
        stream.read_regions()?;
        Ok(stream)
    }

    /// The stream of a codec that has just written it: nothing is checked again.
    #[cfg(feature = "ndarray")]
    pub(crate) fn written(bytes: Vec<u8>) -> Result<Stream<'static>> {
        let header = header::read_written(&bytes)?;
        let grid = header.grid()?;
        let sections = header.sections(&grid)?;
        let mut stream = Stream::new(Cow::Owned(bytes), header, grid, sections);
        stream.read_regions()?;
        Ok(stream)
    }

    fn read_regions(&mut self) -> Result<()> {
        if self.header.has_regions() {
            let part = regions::read(&self.bytes, &self.sections.regions, &self.header)?;
            part.complete(&mut self.certificate);
            self.regions = part.regions;
        }
        Ok(())
    }

    fn new(bytes: Cow<'a, [u8]>, header: Header, grid: TileGrid, sections: Sections) -> Self {
        let certificate = Certificate::of(header.fields(), header.relative.as_ref());
        Stream { bytes, header, certificate, grid, sections, regions: Vec::new() }
    }

    /// The stream's bytes, as a file holds them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The stream's bytes, owned.
    pub fn into_vec(self) -> Vec<u8> {
        self.bytes.into_owned()
    }

    /// What the stream says of itself.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// What the encoder vouches for.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// The regions with bounds of their own, in order: where they overlap, the last one holds.
    pub fn regions(&self) -> &[StoredRegion] {
        &self.regions
    }

    /// The region that holds each element of a box of `count` elements from `start` on, in C order: its number in
    /// [`regions`](Self::regions) and 1 more, or 0 for none.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a box that is not inside the field, or an output of another length.
    pub fn regions_of_box(&self, start: &[u64], count: &[u64], out: &mut [u8]) -> Result<()> {
        let elements = partial::check_box(&self.header.shape, start, count)?;
        if out.len() as u64 != elements {
            return Err(Error::invalid(format!(
                "an output of {} elements where {elements} are needed",
                out.len()
            )));
        }
        self.regions_of_runs(rows_of_box(&self.header.shape, start, count), out)
    }

    /// The same of the elements from number `first` on, in C order.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for elements that the field does not have.
    pub fn regions_of_range(&self, first: u64, out: &mut [u8]) -> Result<()> {
        let end = first.checked_add(out.len() as u64);
        if end.is_none_or(|end| end > self.header.elements()) {
            return Err(Error::invalid(format!("{} elements from {first} on", out.len())));
        }
        self.regions_of_runs(iter::once((first, out.len())), out)
    }

    fn regions_of_runs(
        &self,
        runs: impl Iterator<Item = Run> + Send,
        out: &mut [u8],
    ) -> Result<()> {
        /// Of fewer elements no threads are started.
        const FEW: usize = 1 << 18;
        let threads = if out.len() > FEW { threads::current() } else { 1 };
        let run = Execution { level: Level::detect(), threads, progress: None };
        region::each_run(runs, out, run, |part, own| {
            own.fill(0);
            let places = self.regions.iter().map(|region| &region.place);
            region::owners(places, &self.header.shape, iter::once(part), own);
        })
    }

    /// The stream of a region.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when there is no such region.
    pub fn region_stream(&self, number: usize) -> Result<Stream<'_>> {
        match self.regions.get(number) {
            Some(region) => Stream::open(&self.bytes[region.at.clone()]),
            None => Err(Error::invalid(format!("there is no region {number}"))),
        }
    }

    /// Where the tiles of the field lie.
    pub fn grid(&self) -> &TileGrid {
        &self.grid
    }

    /// Where the sections of the stream lie.
    pub fn sections(&self) -> &Sections {
        &self.sections
    }

    /// Bytes of the uncompressed field.
    pub fn raw_bytes(&self) -> u64 {
        self.header.elements() * self.header.dtype.size() as u64
    }

    /// Bytes of the stream.
    pub fn compressed_bytes(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// Uncompressed bytes over stream bytes; 0 for an empty field.
    pub fn compression_ratio(&self) -> f64 {
        self.raw_bytes() as f64 / self.compressed_bytes() as f64
    }

    /// The ratio that was asked for, where the stream misses it by more than 3 %: the ratio jumps from one bound to the
    /// next, and no nearer one was found.
    pub fn missed_ratio(&self) -> Option<f64> {
        let Bound::Ratio(asked) = self.header.bound else { return None };
        let is_met = (self.compression_ratio() / asked - 1.0).abs() <= target::RATIO_MARGIN;
        (!is_met).then_some(asked)
    }

    /// Whether the field is coded as [`CompressOptions::like`](crate::CompressOptions::like) has it for `model`: by its
    /// profile, with its layout, prediction and tables. A stream without elements has no tables that could differ.
    ///
    /// # Errors
    /// [`Error::Corrupt`] when the tables of one of them are damaged.
    pub fn is_like(&self, model: &Stream<'_>) -> Result<bool> {
        let _mode = FloatMode::standard();
        with_element!(self.header.dtype, T => {
            let Some(plan) = Plan::<T>::of_header(&self.header) else { return Ok(false) };
            let fitted = model.header.profile.fitted(&self.header.shape, plan.quantizer.relative());
            // One that does not fit this shape is none that this was coded like.
            if !fitted.is_ok_and(|fitted| fitted == self.header.profile) {
                return Ok(false);
            }
        });
        Ok(self.header.elements() == 0 || self.index().tables()? == model.index().tables()?)
    }

    /// The tiles by kind, where the profile tells them outside of the payload.
    pub fn tile_counts(&self) -> TileCounts {
        let mut counts = TileCounts::default();
        let (index, mut shapes) = (self.index(), Vec::new());
        for chunk in 0..self.sections.chunks {
            if let Ok(chunk) = index.chunk(chunk, &mut shapes) {
                self.header.profile.kinds(chunk, &mut |kind| counts.take(kind));
            }
        }
        counts
    }

    /// A record per tile. Of `paper` nothing is decoded; the payload is read only where a mask must be counted.
    ///
    /// The last item is an error when the records of a chunk contradict each other; [`Stream::tile_records`] reads those
    /// of the chunks behind it.
    pub fn tiles(&self) -> impl Iterator<Item = Result<TileRecord>> + use<'_> {
        /// Chunks that are read together, in the end: of a few first tiles no more than they need.
        const TOGETHER: u64 = 4096;
        let of_chunk = |reader: &mut TileRecords<'_>, chunk| {
            let mut records = Vec::new();
            let read = reader.visit(chunk, &mut |record| records.push(Ok(record)));
            records.extend(read.err().map(Err));
            records
        };
        let (all, mut read, mut ended) = (self.sections.chunks, 0, false);
        let some_chunks = iter::from_fn(move || {
            let chunks = read..all.min(2 * read + 1).min(read + TOGETHER);
            read = chunks.end;
            let records: Vec<Vec<Result<TileRecord>>> = match chunks.end - chunks.start {
                0 => return None,
                1 => chunks.map(|chunk| of_chunk(&mut self.tile_records(), chunk)).collect(),
                _ if threads::current() == 1 => {
                    let mut reader = self.tile_records();
                    chunks.map(|chunk| of_chunk(&mut reader, chunk)).collect()
                }
                _ => {
                    let chunks = chunks.into_par_iter();
                    chunks.map_init(|| self.tile_records(), of_chunk).collect()
                }
            };
            Some(records)
        });
        some_chunks.flatten().flatten().take_while(move |record| {
            let is_behind = ended;
            ended |= record.is_err();
            !is_behind
        })
    }

    /// Reads the records of chunk after chunk, in any order.
    pub fn tile_records(&self) -> TileRecords<'_> {
        TileRecords::new(self)
    }

    /// What the section of regions adds to the metadata checksum.
    #[cfg(feature = "cuda")]
    pub(crate) fn checksum_of_regions(&self) -> u32 {
        if !self.header.has_regions() {
            return 0;
        }
        // The sum of all rows is known, and those before the section are few.
        let fields = self.header.fields();
        let before = fields.header_len as usize..self.sections.regions.start as usize;
        let sum = Level::detect().byte_rows(&self.bytes[before], 0);
        fields.metadata_checksum.wrapping_sub(sum)
    }

    pub(crate) fn check_chunk(&self, number: u64) -> Result<()> {
        if number < self.chunks() {
            return Ok(());
        }
        Err(Error::invalid(format!("there is no chunk {number}")))
    }

    /// What each way of coding that an encoder considers costs a tile, by what the tile is decoded to. Of
    /// `paper` that is what the encoder has seen: its codes. Of `dense` the way that was chosen fits its own
    /// outcome better than others would; [`Stream::tile_costs_of`] tells what the encoder has seen. Empty where
    /// the stream's bound has a curve that this encoder would not have chosen.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when there is no such tile, [`Error::Corrupt`] when its chunk is damaged.
    pub fn tile_costs(&self, tile: u64) -> Result<Vec<TileCost>> {
        with_element!(self.header.dtype, T => self.costs::<T>(tile, None))
    }

    /// What each way of coding that an encoder considers costs a tile, by the tile's elements before they
    /// were compressed, in the order of [`TileGrid::runs`].
    ///
    /// # Errors
    /// Those of [`Stream::tile_costs`], and [`Error::InvalidArgument`] when the elements are of another type or
    /// number than the tile's.
    pub fn tile_costs_of<T: Element>(&self, tile: u64, original: &[T]) -> Result<Vec<TileCost>> {
        if T::DTYPE != self.header.dtype {
            return Err(Error::invalid("the elements are of another type than the stream's"));
        }
        self.costs(tile, Some(original))
    }

    fn decoder<T: Element>(&self) -> Result<Box<dyn ChunkDecoder<T> + '_>> {
        let tables = self.index().tables()?;
        self.header.profile.decoder(self.header.decoding(), &tables, Level::detect())
    }

    fn costs<T: Element>(&self, tile: u64, original: Option<&[T]>) -> Result<Vec<TileCost>> {
        if tile >= self.sections.tiles {
            return Err(Error::invalid(format!("there is no tile {tile}")));
        }
        let len = self.grid.tile_len(tile);
        if original.is_some_and(|original| original.len() != len) {
            return Err(Error::invalid(format!("tile {tile} has {len} elements")));
        }
        let _mode = FloatMode::standard();
        let Some(plan) = Plan::of_header(&self.header) else { return Ok(Vec::new()) };
        let chunk = tile / self.grid.tiles_per_chunk();
        let mut shapes = Vec::new();
        let mut decoder = self.decoder::<T>()?;
        decoder.load(self.index().chunk(chunk, &mut shapes)?)?;
        let number = (tile - self.grid.chunk_tiles(chunk).start) as usize;
        decoder.costs(number, &plan, original)
    }

    /// The payload of all tiles, and the profile's tables, not verified.
    pub fn payload(&self) -> &[u8] {
        &self.bytes[self.sections.payload as usize..]
    }

    /// The payload of a chunk, not verified.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when there is no such chunk.
    pub fn chunk_payload(&self, number: u64) -> Result<&[u8]> {
        self.check_chunk(number)?;
        let payload = self.index().payload(number)?;
        Ok(&self.payload()[payload.start as usize..payload.end as usize])
    }

    /// How many chunks there are.
    pub fn chunks(&self) -> u64 {
        self.sections.chunks
    }

    /// A chunk as the stream holds it, verified (FORMAT.md, *Sections of a stream* and *Checksums*): all of
    /// its tiles can be decoded.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] when there is no such chunk, [`Error::Corrupt`] when it is damaged.
    pub fn chunk(&self, number: u64) -> Result<Chunk<'_>> {
        self.check_chunk(number)?;
        with_element!(self.header.dtype, T => self.verified::<T>(number))
    }

    fn verified<T: Element>(&self, number: u64) -> Result<Chunk<'_>> {
        let (index, mut shapes) = (self.index(), Vec::new());
        let mut decoder = self.decoder::<T>()?;
        decoder.load(index.chunk(number, &mut shapes)?)?;
        decoder.verify()?;
        Ok(Chunk { heads: index.heads(number), payload: self.chunk_payload(number)? })
    }

    /// Compares the checksums of the payload, and decodes nothing: much sooner done than [`Stream::chunk`] for all chunks.
    /// Those of everything else were compared when the stream was opened. Progress counts bytes of the payload. All threads of
    /// the current rayon pool do it.
    ///
    /// # Errors
    /// [`Error::Corrupt`] when the payload is damaged, [`Error::Cancelled`].
    pub fn check_payload(&self, progress: &Progress) -> Result<()> {
        progress.begin(self.payload().len() as u64);
        let run = Execution {
            level: Level::detect(),
            threads: threads::current(),
            progress: Some(progress),
        };
        with_element!(self.header.dtype, T => {
            run.each(
                (self.chunks() as usize, 0..self.chunks()),
                || Ok((self.decoder::<T>()?, Vec::new())),
                |(decoder, shapes), number| {
                    let chunk = self.index().chunk(number, shapes)?;
                    let len = chunk.payload.len() as u64;
                    decoder.load(chunk)?;
                    run.advance(len)
                },
            )
        })
    }

    /// Where the bytes lie that decoding a box of `count` elements from `start` on reads from the payload, rising,
    /// as ranges of the stream's bytes. Everything before the payload is read too. A stream whose other payload
    /// bytes were never fetched, and are zeros, decodes this box and nothing else.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a box that is not inside the field, [`Error::Corrupt`].
    pub fn ranges_of_box(&self, start: &[u64], count: &[u64]) -> Result<Vec<Range<u64>>> {
        let mut ranges: Vec<Range<u64>> = Vec::new();
        let touched = self.chunks_of_box(start, count)?;
        if touched.is_empty() {
            return Ok(ranges);
        }
        let Sections { chunks, entries, payload, .. } = self.sections;
        // The entries behind the chunks are the profile's tables.
        for entry in touched.into_iter().chain(chunks..entries) {
            let own = self.index().payload(entry)?;
            match ranges.last_mut() {
                Some(last) if last.end == payload + own.start => last.end = payload + own.end,
                _ => ranges.push(payload + own.start..payload + own.end),
            }
        }
        Ok(ranges)
    }

    /// The chunks that hold a part of the box of `count` elements from `start` on, rising.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`] for a box that is not inside the field.
    pub fn chunks_of_box(&self, start: &[u64], count: &[u64]) -> Result<Vec<u64>> {
        if partial::check_box(&self.header.shape, start, count)? == 0 {
            return Ok(Vec::new());
        }
        Ok(self.grid.touched(start, count).map(|part| part.chunk).collect())
    }

    pub(crate) fn index(&self) -> Index<'_> {
        Index {
            bytes: &self.bytes,
            header: &self.header,
            grid: &self.grid,
            sections: &self.sections,
        }
    }
}
