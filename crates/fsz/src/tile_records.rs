//! Reads the records of tiles, chunk after chunk.

use std::fmt;

use crate::{error::Result, profile::ChunkRecorder, stream::Stream, tile_record::TileRecord};

/// Reads the records of a stream's tiles, a chunk at a time. What all chunks have in common, the tables of
/// `dense`, is read once, for the first of them: keep one of these for many chunks, one a thread.
pub struct TileRecords<'s> {
    stream: &'s Stream<'s>,
    recorder: Option<Box<dyn ChunkRecorder + 's>>,
}

impl fmt::Debug for TileRecords<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TileRecords").finish_non_exhaustive()
    }
}

impl<'s> TileRecords<'s> {
    pub(crate) fn new(stream: &'s Stream<'s>) -> Self {
        TileRecords { stream, recorder: None }
    }

    /// The records of the tiles of a chunk, in order.
    ///
    /// # Errors
    /// [`Error::InvalidArgument`](crate::Error::InvalidArgument) when there is no such chunk,
    /// [`Error::Corrupt`](crate::Error::Corrupt) when its records, or the tables, contradict each other.
    pub fn chunk(&mut self, number: u64) -> Result<Vec<TileRecord>> {
        let mut records = Vec::new();
        self.visit(number, &mut |record| records.push(record))?;
        Ok(records)
    }

    /// Takes the records of a chunk one after another, those before a damaged one too.
    pub(crate) fn visit(&mut self, number: u64, take: &mut dyn FnMut(TileRecord)) -> Result<()> {
        let stream = self.stream;
        stream.check_chunk(number)?;
        let recorder = match &mut self.recorder {
            Some(recorder) => recorder,
            none => {
                let (header, tables) = (stream.header(), stream.index().tables()?);
                none.insert(header.profile.recorder(header.decoding(), &tables)?)
            }
        };
        let (mut shapes, first) = (Vec::new(), stream.grid().chunk_tiles(number).start);
        recorder.records(stream.index().chunk(number, &mut shapes)?, first, take)
    }
}
