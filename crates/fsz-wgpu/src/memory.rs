//! How much memory of the GPU a field takes.

use fsz::Stream;

use crate::error::Result;
use crate::{page, profile};

/// Bytes of GPU memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The compressed field, in all pages.
    pub stream: u64,
    /// Storage buffers that its chunks lie in, at most.
    pub pages: u64,
    /// One decoded slice, with the facts of its tiles.
    pub slice: u64,
    /// The picture of a slice, and the buffer that it is read back through.
    pub picture: u64,
}

impl Memory {
    /// All of it, with `slices` slices and pictures at a time.
    pub fn total(&self, slices: u64) -> u64 {
        self.stream + slices * (self.slice + self.picture)
    }
}

/// What a stream needs, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Needs {
    /// Besides the pages.
    pub besides: u64,
    pub chunks: u64,
    /// What pages have of all chunks.
    pub heads_and_payload: u64,
    /// What they have of a chunk, at most.
    pub most: u64,
}

impl Needs {
    pub fn memory(self, page_limit: u64, slice: u64) -> Memory {
        let (bytes, pages) =
            page::sizes(self.chunks, self.heads_and_payload, self.most, page_limit);
        Memory { stream: self.besides + bytes, pages, slice: 8 * slice, picture: 8 * slice }
    }
}

/// The memory that a stream takes at most, in pages of at most `page_limit` bytes, with slices of `slice`
/// elements.
///
/// # Errors
/// [`Error::Unsupported`](crate::Error::Unsupported) for a profile that is not decoded on the GPU,
/// [`Error::Stream`](crate::Error::Stream) when the stream is damaged.
pub fn memory(stream: &Stream<'_>, page_limit: u64, slice: u64) -> Result<Memory> {
    let mut all = profile::needs(stream)?.memory(page_limit, slice);
    for number in 0..stream.regions().len() {
        let own = memory(&stream.region_stream(number)?, page_limit, 0)?;
        all.stream += own.stream;
        all.pages += own.pages;
    }
    Ok(all)
}
