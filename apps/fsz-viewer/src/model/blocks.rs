//! An array whose ADIOS2 blocks are FSZ streams of their own: they are kept compressed, and only those
//! that a plane touches are decoded.

use anyhow::Result;
use fsz::{Codec, DecompressOptions, Stream};
use fsz_field::{Field, Shape};

use crate::model::boxes::{Box, Boxes, place};
use crate::model::regions::Regions;
use crate::model::stream_facts::StreamFacts;
use crate::model::tiles::Tiles;

/// The streams of an array, and where they lie in it.
#[derive(Debug)]
pub struct Blocks {
    boxes: Vec<Box>,
    streams: Vec<Stream<'static>>,
}

impl Blocks {
    /// Puts streams together, each with the index of its first element, and what they tell together.
    /// None when they do not fit into one array without lying on each other.
    pub fn new(
        shape: &[u64],
        parts: Vec<(Vec<u64>, Stream<'static>)>,
    ) -> Option<(Blocks, StreamFacts)> {
        let count = |stream: &Stream<'_>| stream.header().shape.clone();
        let boxes = parts.iter().map(|(start, s)| Box { start: start.clone(), count: count(s) });
        let boxes = Boxes::new(shape, boxes.collect())?;
        let streams: Vec<_> = parts.into_iter().map(|(_, stream)| stream).collect();
        let told: Vec<StreamFacts> = streams.iter().map(StreamFacts::of).collect();
        let first = told.first().cloned()?;
        if told.iter().any(|facts| facts.header.dtype != first.header.dtype) {
            return None;
        }
        let held = boxes.all().to_vec();
        let tiles = Tiles::of_streams(shape, streams.iter(), boxes);
        let blocks = Blocks { boxes: held, streams };
        Some((blocks, together(shape, first, &told, tiles)))
    }

    /// The values of a box in C order; 0 where there is no stream.
    ///
    /// # Errors
    /// When a stream is damaged there, or it is cancelled.
    pub fn window<T: fsz::Element>(
        &self,
        codec: &Codec,
        start: &[u64],
        count: &[u64],
        options: &DecompressOptions,
    ) -> Result<Field> {
        let window = Box { start: start.to_vec(), count: count.to_vec() };
        let shape = Shape::new(count)?;
        let mut out = fsz_field::zeros(&shape)?;
        for (block, stream) in self.boxes.iter().zip(&self.streams) {
            let Some(part) = block.common(&window) else { continue };
            let inner: Vec<u64> = part.start.iter().zip(&block.start).map(|(a, b)| a - b).collect();
            let mut values = fsz_field::zeros::<T>(&Shape::new(&part.count)?)?;
            codec.decompress_box_with(stream, &inner, &part.count, &mut values, options)?;
            place(&values, &part, &mut out, &window);
        }
        Ok(Field::new(shape, out)?)
    }

    /// The streams, each with the box that it holds.
    pub fn each(&self) -> impl Iterator<Item = (&Box, &Stream<'static>)> {
        self.boxes.iter().zip(&self.streams)
    }

    /// One of the streams, by the number that [`Tiles::part`] has for it.
    pub fn stream(&self, part: usize) -> Option<&Stream<'static>> {
        self.streams.get(part)
    }
}

/// What several streams tell as one: sums of what is counted, and the largest bound and error.
fn together(shape: &[u64], first: StreamFacts, told: &[StreamFacts], tiles: Tiles) -> StreamFacts {
    let mut header = first.header;
    header.shape = shape.to_vec();
    header.start = None;
    // Which values are in a region is known of each stream alone.
    let bounds = || told.iter().flat_map(StreamFacts::bounds);
    header.absolute_bound = bounds().fold(0.0, f64::max);
    let mut certificate = first.certificate;
    told.iter().skip(1).for_each(|facts| certificate.merge(&facts.certificate));
    let compressed_bytes = told.iter().map(|facts| facts.compressed_bytes).sum();
    StreamFacts {
        least_bound: bounds().fold(f64::INFINITY, f64::min),
        blocks: told.len(),
        header,
        certificate,
        compressed_bytes,
        tiles,
        regions: Regions::default(),
    }
}
