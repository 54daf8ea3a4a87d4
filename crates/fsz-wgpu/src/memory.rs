//! How much memory of the GPU a field takes.

use fsz::DType;
use fsz::format::{CHUNK_TILES, TILE, TILE_BLOCKS};

use crate::page::{chunk_bytes, index_bytes};

/// Bytes of GPU memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Memory {
    /// The compressed field, in all pages.
    pub stream: u64,
    /// Storage buffers that it lies in, at most.
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

/// The memory that a field of `elements` elements takes whose payload has `payload` bytes, in pages of
/// at most `page_limit` bytes, with slices of `slice` elements.
pub fn memory(elements: u64, dtype: DType, payload: u64, page_limit: u64, slice: u64) -> Memory {
    let tiles = elements.div_ceil(TILE as u64);
    let chunks = tiles.div_ceil(CHUNK_TILES as u64);
    let stream = 4 * chunks + TILE_BLOCKS as u64 * tiles + payload;
    // A page ends where the next chunk does not fit: it is full but for a chunk.
    let filled = page_limit.saturating_sub(index_bytes(1) + chunk_bytes(dtype)).max(1);
    Memory { stream, pages: stream.div_ceil(filled), slice: 8 * slice, picture: 8 * slice }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 2048³ `f32` at ratio 20 on a card of 8 GB with the usual bindings of 128 MiB: original,
    /// reconstruction and a comparison are looked at, each with a picture.
    #[test]
    fn a_field_of_34_gb_at_ratio_20_fits_in_8_gb() {
        let elements = 1u64 << 33;
        let stream = 4 * elements / 20;
        let tiles = elements / TILE as u64;
        // Rates, and of every chunk its size, its checksum and its share of the offsets.
        let payload = stream - TILE_BLOCKS as u64 * tiles - 10 * (tiles / CHUNK_TILES as u64);
        let memory = memory(elements, DType::F32, payload, 128 << 20, 1 << 22);
        assert!(memory.stream <= stream);
        assert!(memory.total(3) < 2_000_000_000, "{memory:?}");
        assert!(memory.total(3) < 8_000_000_000 / 4);
        assert_eq!(memory.pages, 13);
    }
}
