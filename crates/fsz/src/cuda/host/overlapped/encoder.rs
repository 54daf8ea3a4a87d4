//! How the chunks that have arrived are encoded, once that is known: tiles from the beginning, boxes when their layout and
//! tables are chosen.

use std::ops::Range;

use crate::cuda::{
    boxes::encoding::BoxEncoding,
    compress::{FieldCompression, Places},
    device::Device,
    driver::workspace::Queue,
};
use crate::{error::Result, format::CHUNK};

pub(super) enum Encoder {
    Tiles,
    Boxes(Box<BoxEncoding>),
}

impl Encoder {
    /// Where the payload begins in the stream.
    pub fn payload(&self, compression: &FieldCompression) -> u64 {
        match self {
            Encoder::Tiles => compression.kind.sections.payload,
            Encoder::Boxes(encoding) => encoding.payload(),
        }
    }

    /// Bytes that follow the payload of a section but the last until the next one is encoded.
    pub fn behind_payload(&self) -> usize {
        match self {
            Encoder::Tiles => 0,
            Encoder::Boxes(encoding) => 4 * encoding.table_words() as usize,
        }
    }

    /// How many chunks are on the device when so many first elements of the field are; all of them with the last element.
    pub fn chunks_within(&self, compression: &FieldCompression, elements: u64) -> u64 {
        match self {
            Encoder::Tiles if elements == compression.kind.elements() => {
                compression.kind.sections.chunks
            }
            Encoder::Tiles => elements / CHUNK as u64,
            Encoder::Boxes(encoding) => encoding.chunks_within(elements),
        }
    }

    /// Enqueues what some chunks add to the stream, after all chunks before them; the last ones complete it.
    ///
    /// # Safety
    /// As [`FieldCompression::launch`]; of the field, these chunks are there.
    pub unsafe fn encode(
        &self,
        (device, compression): (&Device, &FieldCompression),
        chunks: Range<u64>,
        places: Places,
        queue: &Queue,
    ) -> Result<()> {
        let queue = queue.handle();
        // SAFETY: as the caller vouches.
        unsafe {
            match self {
                Encoder::Tiles => {
                    let Places { field, stream, scratch } = places;
                    compression.encode_chunks(device, field, chunks, stream, scratch, queue)
                }
                Encoder::Boxes(encoding) => {
                    compression.encode_boxes(device, encoding, chunks, places, queue)
                }
            }
        }
    }
}
