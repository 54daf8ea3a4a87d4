//! Checksums for damaged streams, as a forger would write them.

use fsz::Stream;

fn weighted(sum: u32, from: u32, bytes: &[u8]) -> u32 {
    bytes.chunks_exact(4).enumerate().fold(sum, |sum, (k, b)| {
        let w = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
        sum.wrapping_add(w.wrapping_mul(2 * (from + k as u32) + 1))
    })
}

fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7FEB_352D);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846C_A68B);
    x ^ x >> 16
}

fn u64_at(bytes: &[u8], at: usize) -> usize {
    u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i])) as usize
}

/// Puts the right checksums on header and metadata, whatever they are.
pub fn seal(bytes: &mut [u8]) {
    let header = u16::from_le_bytes([bytes[10], bytes[11]]) as usize;
    let payload = bytes.len().checked_sub(u64_at(bytes, 64));
    if let Some(metadata) = payload.and_then(|p| bytes.get(header..p)) {
        let sum = mix(weighted(0, 0, metadata));
        bytes[60..64].copy_from_slice(&sum.to_le_bytes());
    }
    if let Some(h) = bytes.get(..header).filter(|h| h.len() >= 16) {
        let mut h = h.to_vec();
        h[12..16].fill(0);
        let sum = mix(weighted(0, 0, &h));
        bytes[12..16].copy_from_slice(&sum.to_le_bytes());
    }
}

/// Puts the right checksum on the only chunk of a stream too, as far as its tiles can be told apart.
pub fn seal_chunk(bytes: &mut [u8]) {
    seal(bytes);
    let Ok(stream) = Stream::open(bytes) else { return };
    let (mut sum, mut at) = (0u32, bytes.len() - u64_at(bytes, 64));
    let rates_at = u16::from_le_bytes([bytes[10], bytes[11]]) as usize;
    let tiles = stream.info().tile_counts().count as usize;
    for tile in stream.info().tiles() {
        let Ok(tile) = tile else { return };
        let t = tile.index as usize;
        let Some(words) = bytes.get(at..at + tile.bytes as usize - 8) else { return };
        at += tile.bytes as usize - 8;
        let own = weighted(0, 0, &bytes[rates_at + 8 * t..rates_at + 8 * t + 8]);
        let own = weighted(own, 2, words);
        sum = sum.wrapping_add(mix(own.wrapping_add((t as u32 + 1).wrapping_mul(0x9E37_79B9))));
    }
    let sizes = (rates_at + 8 * tiles).next_multiple_of(16);
    let sums = sizes + 16 + 16;
    bytes[sums..sums + 4].copy_from_slice(&sum.to_le_bytes());
    seal(bytes);
}
