//! Streams with anything in them, under checksums that are right.

use super::{
    compress,
    inputs::{Random, damage},
    seal::{DenseIndex, header, seal},
};
use fsz::{Bound, Codec, CompressOptions, Dense, Layout, Profile};

/// Forges bytes of each stream so often, from where `begin` says of a stream and a round; how many were refused,
/// and decoded.
pub fn forge_bytes(
    streams: &[Vec<u8>],
    seed: u64,
    rounds: usize,
    begin: impl Fn(&[u8], usize) -> usize,
    decodes: impl Fn(&[u8]) -> bool,
) -> [usize; 2] {
    let mut random = Random::new(seed);
    let mut count = [0; 2];
    for stream in streams {
        for round in 0..rounds {
            let mut forged = stream.clone();
            damage(&mut random, &mut forged[begin(stream, round)..], 1 + round % 4);
            seal(&mut forged);
            count[usize::from(decodes(&forged))] += 1;
        }
    }
    count
}

/// Streams with a state that is too small, one of which else ends as an encoder begins: *Squares* of FORMAT.md, where
/// lane 1 has the first flag of frequency 256 alone, from a state of 0 that then takes a half word of 2¹⁵.
pub fn small_states() -> [Vec<u8>; 2] {
    let profile = Profile::Dense(Dense::new().with_layout(Layout::Line));
    let options = CompressOptions::new(Bound::Absolute(0.25)).profile(profile);
    let stream = compress(&Codec::cpu(), &[0f32, 1.0, 4.0, 9.0, 16.0], &[5], &options);
    let index = DenseIndex::of(&stream, &header(&stream).expect("a header")).expect("an index");
    let (base, lane, halves) = (index.payload + 4, index.payload + 12, index.payload + 8 + 128);
    let word = |at: usize| u32::from_le_bytes(stream[at..at + 4].try_into().expect("4 bytes"));
    assert_eq!([word(base), word(lane), word(halves) & 0xFFFF], [1, 1 << 16, 0]);
    [1 << 31 | word(halves) >> 16, word(halves) | 1 << 15].map(|pair| {
        let mut forged = stream.clone();
        for (at, word) in [(base, 0), (lane, 0), (halves, pair)] {
            forged[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        seal(&mut forged);
        forged
    })
}
