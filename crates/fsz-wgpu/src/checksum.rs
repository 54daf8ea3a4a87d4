//! The checksum of a chunk (FORMAT.md, *Checksums*).

/// Σ wₖ · (2k + 1) of a tile's words, mod 2³²: its rate bytes, then its payload.
fn tile_sum(rates: &[u8], payload: &[u8]) -> u32 {
    let words = rates.as_chunks::<4>().0.iter().chain(payload.as_chunks::<4>().0);
    let mut weight = 1u32;
    let mut sum = 0u32;
    for word in words {
        sum = sum.wrapping_add(u32::from_le_bytes(*word).wrapping_mul(weight));
        weight = weight.wrapping_add(2);
    }
    sum
}

fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7FEB_352D);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846C_A68B);
    x ^ (x >> 16)
}

/// What the tile at `position` in its chunk adds to the chunk's checksum.
pub(crate) fn tile_share(rates: &[u8], payload: &[u8], position: usize) -> u32 {
    let place = (position as u32 + 1).wrapping_mul(0x9E37_79B9);
    mix(tile_sum(rates, payload).wrapping_add(place))
}
