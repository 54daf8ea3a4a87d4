//! Streams with anything in them, under checksums that are right.

use super::{
    inputs::{Random, damage},
    seal::seal,
};

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
