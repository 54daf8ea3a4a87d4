//! Makes the checksums of a mutated stream right again, so that the fuzzer gets past them and into
//! the decoder. Written from FORMAT.md alone, apart from the codec's own code.

use std::ops::Range;

const HEADER_CHECKSUM: usize = 12;
const METADATA_CHECKSUM: usize = 60;
const TILES_PER_CHUNK_ELEMENTS: u64 = 16384;
const CHUNKS_PER_GROUP: u64 = 64;

/// Rewrites the header's checksum, if the bytes are long enough to have a header.
pub fn seal_header(bytes: &mut [u8]) {
    if let Some(length) = header_length(bytes) {
        bytes[HEADER_CHECKSUM..HEADER_CHECKSUM + 4].fill(0);
        let sum = mix(weighted(&[&bytes[..length]]));
        put(bytes, HEADER_CHECKSUM, sum);
    }
}

/// Rewrites all checksums: chunks, metadata, header. Bytes that hang together too little to have
/// them keep what they have.
pub fn seal(bytes: &mut [u8]) {
    if let Some(sections) = Sections::of(bytes) {
        seal_chunks(bytes, &sections);
        let metadata = sections.rates.start..sections.payload.start;
        let sum = mix(weighted(&[&bytes[metadata]]));
        put(bytes, METADATA_CHECKSUM, sum);
    }
    seal_header(bytes);
}

/// Where the sections lie, by the header alone.
struct Sections {
    rates: Range<usize>,
    sums: Range<usize>,
    payload: Range<usize>,
    blocks_per_tile: usize,
    tiles_per_chunk: usize,
    block_words: usize,
    element_words: usize,
    elements: u64,
    block_length: usize,
}

impl Sections {
    fn of(bytes: &[u8]) -> Option<Self> {
        let header = header_length(bytes)?;
        let byte = |at: usize| bytes[at];
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
        let elements = number(72);
        let (block_log, tile_log) = (u32::from(byte(28)), u32::from(byte(29)));
        if !(5..=6).contains(&block_log) || !(2..=4).contains(&tile_log) || elements > 1 << 32 {
            return None;
        }
        let (block_length, blocks_per_tile) = (1usize << block_log, 1usize << tile_log);
        let tile = (block_length * blocks_per_tile) as u64;
        let count = |n: u64, of: u64| usize::try_from(n.div_ceil(of)).unwrap();
        let chunks = count(elements, TILES_PER_CHUNK_ELEMENTS);
        let section = |start: usize, length: usize| {
            let start = start.next_multiple_of(16);
            start..start + length
        };
        let rates = section(header, count(elements, tile) * blocks_per_tile);
        let sizes = section(rates.end, 2 * chunks);
        let groups = count(elements, TILES_PER_CHUNK_ELEMENTS * CHUNKS_PER_GROUP);
        let offsets = section(sizes.end, 8 * groups);
        let sums = section(offsets.end, 4 * chunks);
        let payload = sums.end.next_multiple_of(16)..bytes.len();
        (payload.start <= payload.end).then_some(Self {
            rates,
            sums,
            payload,
            blocks_per_tile,
            tiles_per_chunk: (TILES_PER_CHUNK_ELEMENTS / tile) as usize,
            block_words: block_length / 32,
            element_words: if byte(24) == 2 { 2 } else { 1 },
            elements,
            block_length,
        })
    }

    /// The payload words of a tile, from its rate bytes and, for escapes, nothing else.
    fn tile_words(&self, tile: usize, rates: &[u8]) -> usize {
        let planes: usize =
            rates.iter().map(|r| usize::from(r & 31)).filter(|r| *r > 0).map(|r| r + 1).sum();
        let plain = usize::from(rates[0] >> 6 & 1) + planes * self.block_words;
        if rates[0] & 32 == 0 {
            return plain;
        }
        let field = (1..self.blocks_per_tile.min(8))
            .fold(0usize, |field, k| field | usize::from(rates[k] >> 5) << (3 * (k - 1)));
        let (kind, pattern, runs, listed) =
            (field & 3, field >> 2 & 3, field >> 4 & 63, field >> 10 & 255);
        let given = if pattern == 3 { self.element_words } else { 0 };
        let tile_length = self.block_length * self.blocks_per_tile;
        match kind {
            0 => {
                let mask = match runs {
                    0 => 0,
                    63 => given + 8,
                    n => given + n.div_ceil(4),
                };
                plain + mask + listed.div_ceil(4) + listed * self.element_words
            }
            1 => given,
            2 => {
                let left = self.elements.saturating_sub((tile * tile_length) as u64);
                left.min(tile_length as u64) as usize * self.element_words
            }
            _ => plain,
        }
    }
}

fn seal_chunks(bytes: &mut [u8], sections: &Sections) {
    let per_tile = sections.blocks_per_tile;
    let mut at = sections.payload.start;
    let mut sums = vec![0u32; sections.sums.len() / 4];
    let rates = bytes[sections.rates.clone()].to_vec();
    for (tile, rates) in rates.chunks_exact(per_tile).enumerate() {
        let end = at + 4 * sections.tile_words(tile, rates);
        if end > bytes.len() {
            break;
        }
        let (chunk, place) = (tile / sections.tiles_per_chunk, tile % sections.tiles_per_chunk);
        let sum = weighted(&[rates, &bytes[at..end]]);
        let share = mix(sum.wrapping_add((place as u32 + 1).wrapping_mul(0x9E37_79B9)));
        sums[chunk] = sums[chunk].wrapping_add(share);
        at = end;
    }
    for (chunk, sum) in sums.into_iter().enumerate() {
        put(bytes, sections.sums.start + 4 * chunk, sum);
    }
}

fn header_length(bytes: &[u8]) -> Option<usize> {
    let length = usize::from(u16::from_le_bytes(bytes.get(10..12)?.try_into().ok()?));
    (length >= 144 && length.is_multiple_of(16) && length <= bytes.len()).then_some(length)
}

fn put(bytes: &mut [u8], at: usize, word: u32) {
    bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
}

fn weighted(parts: &[&[u8]]) -> u32 {
    let words = parts.iter().flat_map(|p| p.as_chunks::<4>().0).map(|w| u32::from_le_bytes(*w));
    words.zip((1u32..).step_by(2)).fold(0, |sum, (w, k)| sum.wrapping_add(w.wrapping_mul(k)))
}

fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7FEB_352D);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846C_A68B);
    x ^ (x >> 16)
}
