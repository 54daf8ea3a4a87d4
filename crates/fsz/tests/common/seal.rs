//! Makes the checksums of a damaged stream right again, as a forger would, so that what is behind them is
//! reached. Written from FORMAT.md; the fuzz targets use it too.

use std::ops::Range;

use fsz::format::{
    CHECKSUM_MULTIPLIERS, FIXED_HEADER, FixedHeader, at,
    checksum::{byte_rows, products, row, rows},
};

/// Rewrites the header's checksum, if the bytes are long enough to have a header.
pub fn seal_header(bytes: &mut [u8]) {
    if let Some(header) = header(bytes) {
        put(bytes, at::header_checksum, 0);
        let sum = byte_rows(&bytes[..header.header_len as usize], 0);
        put(bytes, at::header_checksum, sum);
    }
}

/// Rewrites the checksums of metadata and header.
pub fn seal_metadata(bytes: &mut [u8]) {
    if let Some(header) = header(bytes)
        && let Some(payload) = bytes.len().checked_sub(header.payload_len as usize)
        && let Some(metadata) = bytes.get(header.header_len as usize..payload)
    {
        let sum = byte_rows(metadata, 0);
        put(bytes, at::metadata_checksum, sum);
    }
    seal_header(bytes);
}

/// Rewrites all checksums. Bytes that hang together too little to have them keep what they have.
pub fn seal(bytes: &mut [u8]) {
    match header(bytes) {
        Some(header) if header.profile == 1 => {
            if let Some(index) = DenseIndex::of(bytes, &header) {
                seal_dense(bytes, &index);
            }
        }
        _ => {
            if let Some(sections) = Sections::of(bytes) {
                seal_chunks(bytes, &sections);
            }
        }
    }
    seal_metadata(bytes);
}

/// Rewrites the checksums of chunks and tables of a stream of `dense`, of which `sections` tells as it was
/// before it was damaged.
pub fn seal_entries(bytes: &mut [u8], sections: &fsz::format::Sections) {
    let index = DenseIndex {
        entries: sections.entries as usize,
        sizes: sections.sizes.start as usize,
        sums: sections.sums.start as usize,
        payload: sections.payload as usize,
    };
    seal_dense(bytes, &index);
}

/// Where the sections lie, by the header alone.
struct Sections {
    rates: Range<usize>,
    sums: Range<usize>,
    payload: usize,
    blocks: usize,
    block_len: usize,
    element_words: usize,
    elements: u64,
}

impl Sections {
    fn of(bytes: &[u8]) -> Option<Self> {
        let header = header(bytes)?;
        let (block, blocks) = (header.parameter_0, header.parameter_1);
        if !(5..=6).contains(&block) || !(2..=4).contains(&blocks) || header.elements > 1 << 32 {
            return None;
        }
        let (block_len, blocks) = (1usize << block, 1usize << blocks);
        let count = |of: u64| header.elements.div_ceil(of) as usize;
        let section = |start: usize, length: usize| {
            let start = start.next_multiple_of(16);
            start..start + length
        };
        let tiles = count((block_len * blocks) as u64);
        let rates = section(header.header_len as usize, tiles * blocks);
        let sizes = section(rates.end, 2 * count(16384));
        let offsets = section(sizes.end, 8 * count(16384 * 64));
        let sums = section(offsets.end, 4 * count(16384));
        let payload = sums.end.next_multiple_of(16);
        (payload <= bytes.len()).then_some(Self {
            rates,
            sums,
            payload,
            blocks,
            block_len,
            element_words: if header.dtype == 2 { 2 } else { 1 },
            elements: header.elements,
        })
    }

    /// Words of a block of this rate byte.
    fn block_words(&self, rate: u8) -> usize {
        let rate = usize::from(rate & 31);
        (rate + usize::from(rate > 0)) * self.block_len / 32
    }

    /// The words of µ and blocks of a tile, and those behind them.
    fn tile_words(&self, tile: usize, rates: &[u8]) -> (usize, usize) {
        let planes: usize = rates.iter().map(|r| self.block_words(*r)).sum();
        let coded = usize::from(rates[0] >> 6 & 1) + planes;
        if rates[0] & 32 == 0 {
            return (coded, 0);
        }
        let field = (1..self.blocks.min(8))
            .fold(0usize, |field, k| field | usize::from(rates[k] >> 5) << (3 * (k - 1)));
        let (kind, pattern, runs, listed) =
            (field & 3, field >> 2 & 3, field >> 4 & 63, field >> 10 & 255);
        let given = if pattern == 3 { self.element_words } else { 0 };
        let len = self.block_len * self.blocks;
        let behind = match kind {
            0 => {
                let mask = match runs {
                    0 => 0,
                    63 => given + 8,
                    n => given + n.div_ceil(4),
                };
                mask + listed.div_ceil(4) + listed * self.element_words
            }
            1 => given,
            2 => {
                let left = self.elements.saturating_sub((tile * len) as u64);
                left.min(len as u64) as usize * self.element_words
            }
            _ => 0,
        };
        (coded, behind)
    }

    /// What a tile, of which the first element is number `first` of its chunk, adds to the checksum.
    fn share(&self, rates: &[u8], words: &[u32], coded: usize, first: usize) -> u32 {
        let (mut blocks, behind) = words.split_at(coded);
        let mut carried = 0;
        if rates[0] & 64 != 0 {
            carried = u64::from(blocks[0]) * u64::from(CHECKSUM_MULTIPLIERS[32]);
            blocks = &blocks[1..];
        }
        let mut sum = rows(behind, 1024 + first as u32 / 2);
        let halves = self.block_len / 32;
        for (b, &rate) in rates.iter().enumerate() {
            let (own, rest) = blocks.split_at(self.block_words(rate));
            blocks = rest;
            for half in 0..halves {
                let words = own.iter().skip(half).step_by(halves).copied();
                let id = (first / 32 + b * halves + half) as u32;
                sum = sum.wrapping_add(row(id, carried + products(words)));
                carried = 0;
            }
        }
        sum
    }
}

/// The chunks and tables of `dense`.
fn seal_dense(bytes: &mut [u8], dense: &DenseIndex) {
    let mut begin = dense.payload;
    for entry in 0..dense.entries {
        let Some(size) = bytes.get(dense.sizes + 4 * entry..).and_then(|b| b.first_chunk()) else {
            return;
        };
        let Some(end) = (u32::from_le_bytes(*size) as usize).checked_mul(4) else { return };
        let Some(end) = begin.checked_add(end) else { return };
        let Some(words) = bytes.get(begin..end) else { return };
        let sum = byte_rows(words, 0);
        put(bytes, dense.sums + 4 * entry, sum);
        begin = end;
    }
}

/// Where the index of a stream of `dense` lies, by the header alone.
pub struct DenseIndex {
    /// Chunks and tables.
    pub entries: usize,
    pub sizes: usize,
    pub sums: usize,
    pub payload: usize,
}

impl DenseIndex {
    /// `None` where the header hangs together too little to tell, and for an empty field.
    pub fn of(bytes: &[u8], header: &FixedHeader) -> Option<Self> {
        let shape: Vec<u64> = (0..usize::from(header.dims))
            .map(|a| bytes.get(FIXED_HEADER + 8 * a..)?.first_chunk().copied())
            .map(|n| n.map(u64::from_le_bytes))
            .collect::<Option<_>>()?;
        let elements = shape.iter().try_fold(1u64, |n, side| n.checked_mul(*side))?;
        let long: Vec<u64> = shape.into_iter().filter(|&n| n > 1).rev().collect();
        let extent = |axis: usize| match (header.layout, axis) {
            (2, ..2) => 64,
            (3, ..3) => 16,
            _ => 1,
        };
        let boxes = match header.layout {
            1 => elements.div_ceil(4096),
            _ => long.iter().enumerate().map(|(a, n)| n.div_ceil(extent(a))).product(),
        };
        if elements == 0 || elements > 1 << 32 || !(3..=5).contains(&header.parameter_2) {
            return None;
        }
        let entries = boxes.div_ceil(1 << header.parameter_2) as usize + 1;
        let sizes = header.header_len as usize;
        let offsets = (sizes + 4 * entries).next_multiple_of(16);
        let sums = (offsets + 8 * entries.div_ceil(64)).next_multiple_of(16);
        let payload = (sums + 4 * entries).next_multiple_of(16);
        (payload <= bytes.len()).then_some(Self { entries, sizes, sums, payload })
    }
}

fn seal_chunks(bytes: &mut [u8], sections: &Sections) {
    let rates = bytes[sections.rates.clone()].to_vec();
    let len = sections.block_len * sections.blocks;
    let mut at = sections.payload;
    let mut tile = 0;
    for (chunk, rates) in rates.chunks(16384 / sections.block_len).enumerate() {
        let mut sum = byte_rows(rates, 512);
        for (t, rates) in rates.chunks_exact(sections.blocks).enumerate() {
            let (coded, behind) = sections.tile_words(tile, rates);
            let Some(words) = bytes.get(at..at + 4 * (coded + behind)) else { return };
            let words: Vec<u32> =
                words.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect();
            sum = sum.wrapping_add(sections.share(rates, &words, coded, t * len));
            at += 4 * words.len();
            tile += 1;
        }
        put(bytes, sections.sums.start + 4 * chunk, sum);
    }
}

/// The header, if the bytes are long enough to have one.
pub fn header(bytes: &[u8]) -> Option<FixedHeader> {
    let header = FixedHeader::read(bytes.first_chunk()?);
    let length = header.header_len as usize;
    (length >= FIXED_HEADER && length.is_multiple_of(16) && length <= bytes.len()).then_some(header)
}

fn put(bytes: &mut [u8], at: usize, word: u32) {
    bytes[at..at + 4].copy_from_slice(&word.to_le_bytes());
}
