//! Forged chunks and tables of `dense`, with all checksums right: an error or some values, and nothing worse.

use crate::common::{
    Exercised, compress, exercise, forge,
    inputs::{field, sprinkle, waves},
    seal::{DenseIndex, header, seal},
};
use fsz::{Bound, Codec, CompressOptions, Dense, Element, Error, Layout, Profile, Stream};

/// Streams that between them have boxes of all modes, coded and whole masks, and listed elements.
fn streams() -> Vec<Vec<u8>> {
    fn of<T: Element>(streams: &mut Vec<Vec<u8>>) {
        let codec = Codec::cpu().threads(1).expect("one thread");
        for kind in ["", "land", "ragged land", "outliers"] {
            for (shape, layout) in [
                (&[5000][..], Layout::Line),
                (&[40, 70], Layout::Plane),
                (&[17, 20, 18], Layout::Brick),
            ] {
                let mut data = waves::<T>(shape);
                if !kind.is_empty() {
                    sprinkle(kind, &mut data, 2);
                }
                // A part that is as good as verbatim, and one of a single value.
                let n = data.len();
                let noise = field::<T>("random bits", n / 4, 1);
                data[n - noise.len()..].copy_from_slice(&noise);
                data[n / 2..n * 3 / 4].fill(T::from_f64(0.25));
                let profile = Profile::Dense(Dense::new().with_layout(layout));
                for bound in [0.05, 1e-6] {
                    let bound = Bound::Absolute(bound);
                    let options = CompressOptions::new(bound).profile(profile).missing(1e20);
                    streams.push(compress(&codec, &data, shape, &options));
                }
            }
        }
    }
    let mut streams = vec![];
    of::<f32>(&mut streams);
    of::<f64>(&mut streams);
    streams
}

/// Whether a stream decodes, whole and in part. Panics where the outcome is neither a field nor a refusal.
fn decodes(bytes: &[u8]) -> bool {
    let outcome = exercise(bytes).and_then(|Exercised { records, whole }| {
        assert_eq!(records.is_ok(), whole.is_ok(), "{records:?} {whole:?}");
        let stream = Stream::open(bytes)?;
        let verified = (0..stream.chunks()).all(|chunk| stream.chunk(chunk).is_ok());
        assert_eq!(verified, whole.is_ok(), "chunks are verified, {whole:?}");
        // What a tile could cost is counted from values that no encoder may have seen.
        if stream.grid().tiles() > 0 {
            let last = stream.grid().tiles() - 1;
            assert!(stream.tile_costs(last).is_ok() || whole.is_err());
        }
        whole.map(drop)
    });
    match outcome {
        Ok(()) => true,
        Err(Error::Corrupt(_) | Error::Truncated { .. } | Error::Unsupported(_)) => false,
        Err(other) => panic!("{other}"),
    }
}

/// Overwrites a word of the payload, seals, and decodes.
fn with_word(stream: &[u8], at: usize, word: u32) -> bool {
    let mut forged = stream.to_vec();
    forged[at..at + 4].copy_from_slice(&word.to_le_bytes());
    seal(&mut forged);
    decodes(&forged)
}

fn index(stream: &[u8]) -> DenseIndex {
    DenseIndex::of(stream, &header(stream).expect("a header")).expect("an index")
}

/// The words at the front of the first chunk, and those of the tables, with bits flipped and at their ends.
#[test]
fn forged_heads_records_states_and_tables() {
    let (mut refused, mut decoded) = (0, 0);
    for stream in streams() {
        let index = index(&stream);
        assert!(decodes(&stream));
        let last = stream.len() - 4;
        let size = |entry: usize| {
            let at = index.sizes + 4 * entry;
            u32::from_le_bytes(stream[at..at + 4].try_into().expect("4 bytes")) as usize
        };
        let tables = stream.len() - 4 * size(index.entries - 1);
        let front = (index.payload..last).step_by(4).take(24);
        for at in front.chain((tables..=last).step_by(4).take(12)) {
            let word = u32::from_le_bytes(stream[at..at + 4].try_into().expect("4 bytes"));
            let flips = (0..32).step_by(7).map(|bit| word ^ 1 << bit);
            for word in flips.chain([0, u32::MAX, 1 << 31, 0x7FFF, 0x7FFF_FFFF]) {
                match with_word(&stream, at, word) {
                    true => decoded += 1,
                    false => refused += 1,
                }
            }
        }
    }
    // Bases, patterns and exact elements can be forged; most else does not end as an encoder begins.
    assert!(decoded > 0 && refused > decoded, "{refused} refused, {decoded} decoded");
}

/// A state that is too small.
#[test]
fn a_state_below_the_smallest() {
    for forged in forge::small_states() {
        assert!(!decodes(&forged));
    }
}

/// Every mode, with and without a record, for some of the first boxes: what stands behind is taken for another thing.
#[test]
fn forged_modes() {
    let mut refused = 0;
    for stream in streams() {
        let at = index(&stream).payload;
        let word = u32::from_le_bytes(stream[at..at + 4].try_into().expect("4 bytes"));
        for tile in 0..8 {
            for nibble in (0..16).skip(tile % 2).step_by(2) {
                let forged = word & !(15 << (4 * tile)) | nibble << (4 * tile);
                refused += usize::from(!with_word(&stream, at, forged));
            }
        }
    }
    assert!(refused > 0);
}

/// Predictor, lattice, boxes of a chunk, layout, element type: the same payload read in another way.
#[test]
fn forged_parameters() {
    let mut refused = 0;
    for stream in streams() {
        for (at, values) in [(28, 0..6), (29, 0..7), (30, 0..8), (27, 0..5), (24, 1..3)] {
            for value in values {
                let mut forged = stream.clone();
                forged[at] = value;
                seal(&mut forged);
                refused += usize::from(!decodes(&forged));
            }
        }
    }
    assert!(refused > 0);
}

/// Anything anywhere in index and payload, so often for each stream. Gives how many were refused, and decoded.
fn forge_bytes(rounds: usize) -> [usize; 2] {
    let begin = |stream: &[u8], round| {
        let index = index(stream);
        if round % 8 == 0 { index.sizes } else { index.payload }
    };
    forge::forge_bytes(&streams(), 5, rounds, begin, decodes)
}

#[test]
fn forged_bytes() {
    let [refused, _] = forge_bytes(100);
    assert!(refused > 0);
}

/// `cargo test --release -p fsz-codec --test codec hostile -- --ignored --nocapture`
#[test]
#[ignore = "a hundred thousand streams take minutes"]
fn a_hundred_thousand_forged_streams() {
    let [refused, decoded] = forge_bytes(2100);
    println!("dense: {refused} refused, {decoded} decoded");
    assert!(refused + decoded >= 100_000 && refused > 0);
}

/// A word of payload that is moved from one chunk to the tables, or lost.
#[test]
fn forged_sizes() {
    for stream in streams() {
        let index = index(&stream);
        let mut moved = stream.clone();
        for (entry, by) in [(0, 1u32), (index.entries - 1, u32::MAX)] {
            let at = index.sizes + 4 * entry;
            let size = u32::from_le_bytes(moved[at..at + 4].try_into().expect("4 bytes"));
            moved[at..at + 4].copy_from_slice(&size.wrapping_add(by).to_le_bytes());
        }
        seal(&mut moved);
        assert!(!decodes(&moved), "tables without their first word");
        let mut shorter = stream[..stream.len() - 4].to_vec();
        let at = index.sizes + 4 * (index.entries - 1);
        let size = u32::from_le_bytes(shorter[at..at + 4].try_into().expect("4 bytes"));
        shorter[at..at + 4].copy_from_slice(&(size - 1).to_le_bytes());
        for at in [16, 64] {
            let bytes = u64::from_le_bytes(shorter[at..at + 8].try_into().expect("8 bytes"));
            shorter[at..at + 8].copy_from_slice(&(bytes - 4).to_le_bytes());
        }
        seal(&mut shorter);
        assert!(!decodes(&shorter), "tables without their last word");
    }
}
