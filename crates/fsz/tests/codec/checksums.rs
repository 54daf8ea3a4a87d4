//! What the checksums find (FORMAT.md, *Checksums*): any two flipped bits of small streams, and structured
//! and random damage of large ones. Damage is looked for as a reader does it: by opening and decoding.

use crate::common::{
    compress,
    inputs::{Random, field},
};
use fsz::{
    Bound, Codec, CompressOptions, Dense, Error, Profile, Progress, Stream,
    format::{CHECKSUM_MULTIPLIERS, checksum::row},
};
use rayon::prelude::*;

/// Whether a damaged stream is taken for a whole one.
fn is_missed(bytes: &[u8], out: &mut [f32]) -> bool {
    let codec = Codec::cpu().threads(1).expect("one thread");
    Stream::open(bytes).is_ok_and(|stream| codec.decompress_into(&stream, out).is_ok())
}

fn stream(kind: &str, n: usize) -> Vec<u8> {
    let options = CompressOptions::new(Bound::ValueRange(1e-3));
    compress(&Codec::cpu(), &field::<f32>(kind, n, 3), &[n as u64], &options)
}

/// 2³² + 1: sums of products are taken modulo this.
const MODULUS: u64 = (1 << 32) + 1;

/// A change of one word is below the modulus, and no multiplier shares a factor with it: the residue changes.
/// The products of a row do not overflow.
#[test]
fn multipliers_share_no_factor_with_the_modulus() {
    let most: u128 =
        CHECKSUM_MULTIPLIERS.iter().map(|&m| u128::from(m) * u128::from(u32::MAX)).sum();
    assert!(u64::try_from(most).is_ok());
    for multiplier in CHECKSUM_MULTIPLIERS {
        let (mut a, mut b) = (u64::from(multiplier), MODULUS);
        while b > 0 {
            (a, b) = (b, a % b);
        }
        assert_eq!(a, 1, "{multiplier:08X}");
    }
}

/// Rows that differ by their residue alone have different shares, but for the two residues that are one word.
#[test]
fn a_row_is_its_residue() {
    let mut random = Random::new(1);
    for _ in 0..100_000 {
        let products = random.bits();
        let residue = products % MODULUS;
        assert_eq!(row(7, products), row(7, residue));
        assert_ne!(row(7, products), row(7, residue ^ 1 << random.below(32)));
    }
    assert_eq!(row(7, 1 << 32), row(7, 0));
}

/// What a flipped bit adds to the residue of a row does not depend on the other bits: no two such numbers
/// cancel.
#[test]
fn no_two_flipped_bits_of_a_row_cancel() {
    let mut changes: Vec<(u64, usize)> = Vec::new();
    for (j, &multiplier) in CHECKSUM_MULTIPLIERS.iter().enumerate() {
        for bit in 0..32 {
            let change = (u64::from(multiplier) << bit) % MODULUS;
            changes.extend([(change, 32 * j + bit), (MODULUS - change, 32 * j + bit)]);
        }
    }
    changes.sort_unstable();
    for pair in changes.windows(2) {
        assert!(pair[0].0 != pair[1].0, "{pair:?}");
    }
}

#[test]
fn every_pair_of_flipped_bits_of_small_streams_is_found() {
    for (kind, n) in [("smooth, noise", 40), ("ragged land", 70), ("constant", 9)] {
        let whole = stream(kind, n);
        let bits = 8 * whole.len();
        let missed: usize = (0..bits)
            .into_par_iter()
            .map(|a| {
                let (mut damaged, mut out) = (whole.clone(), vec![0.0; n]);
                damaged[a / 8] ^= 1 << (a % 8);
                (0..a)
                    .filter(|b| {
                        damaged[b / 8] ^= 1 << (b % 8);
                        let missed = is_missed(&damaged, &mut out);
                        damaged[b / 8] ^= 1 << (b % 8);
                        missed
                    })
                    .count()
            })
            .sum();
        assert_eq!(missed, 0, "{kind}: of {} pairs", bits * (bits - 1) / 2);
    }
}

#[test]
fn the_payload_is_checked_without_decoding_it() {
    let values = field::<f32>("smooth, noise", 200_000, 3);
    for profile in [Profile::default(), Profile::Dense(Dense::new())] {
        let options = CompressOptions::new(Bound::ValueRange(1e-3)).profile(profile);
        let whole = compress(&Codec::cpu(), &values, &[200_000], &options);
        let stream = Stream::open(&whole).expect("is whole");
        assert!(stream.chunks() > 1, "{profile:?}");
        let progress = Progress::new();
        stream.check_payload(&progress).expect("is whole");
        assert!(progress.done() <= progress.total());
        progress.cancel();
        assert!(matches!(stream.check_payload(&progress), Err(Error::Cancelled)));
        let mut bytes = whole.clone();
        for at in (whole.len() - stream.payload().len()..whole.len()).step_by(59) {
            bytes[at] ^= 1 << (at % 8);
            let stream = Stream::open(&bytes).expect("it does not read the payload");
            let found = stream.check_payload(&Progress::new());
            assert!(matches!(found, Err(Error::Corrupt(_))), "{profile:?}, byte {at}: {found:?}");
            bytes[at] = whole[at];
        }
    }
}

/// Damages of one kind: high bits alike, words exchanged, bits stuck, bytes and runs overwritten.
fn damage(bytes: &mut [u8], random: &mut Random) {
    let words = bytes.len() / 4;
    let mut flip = |word: usize, bit: usize| bytes[4 * word + bit / 8] ^= 1 << (bit % 8);
    match random.below(8) {
        0 => {
            let bit = 24 + random.below(8);
            (0..2).for_each(|_| flip(random.below(words), bit));
        }
        1 => (0..4).for_each(|_| flip(random.below(words), 31)),
        2 => {
            let (at, bit) = (random.below(words - 4), random.below(32));
            (at..at + 4).for_each(|word| flip(word, bit));
        }
        3 => (0..2 + random.below(6)).for_each(|_| flip(random.below(words), random.below(32))),
        4 => {
            let (a, b) = (4 * random.below(words), 4 * random.below(words));
            (0..4).for_each(|k| bytes.swap(a + k, b + k));
        }
        5 => {
            let (at, n) = (random.below(words - 64), 2 + random.below(62));
            let (bit, set) = (random.below(32), random.below(2) == 0);
            for word in at..at + n {
                let byte = &mut bytes[4 * word + bit / 8];
                *byte = if set { *byte | 1 << (bit % 8) } else { *byte & !(1 << (bit % 8)) };
            }
        }
        6 => {
            let (at, n) = (random.below(bytes.len() - 40), 1 + random.below(40));
            bytes[at..at + n].fill(random.bits() as u8);
        }
        _ => {
            let (at, n) = (random.below(words - 16), 1 + random.below(15));
            bytes[4 * at..4 * (at + n)].rotate_left(4);
        }
    }
}

/// Ten thousand damages here; ten million are run by hand.
fn damages(rounds: u64) {
    let whole: Vec<(usize, Vec<u8>)> = ["smooth, noise", "ragged land", "outliers"]
        .iter()
        .map(|kind| (20_000, stream(kind, 20_000)))
        .collect();
    let missed: usize = (0..rounds)
        .into_par_iter()
        .map_init(
            || vec![0.0; 20_000],
            |out, round| {
                let mut random = Random::new(0x5EED + round);
                let (n, whole) = &whole[round as usize % whole.len()];
                let mut damaged = whole.clone();
                damage(&mut damaged, &mut random);
                usize::from(damaged != *whole && is_missed(&damaged, &mut out[..*n]))
            },
        )
        .sum();
    assert_eq!(missed, 0, "of {rounds} damages");
}

#[test]
fn no_damage_is_missed() {
    damages(10_000);
}

/// `cargo test --release -p fsz-codec --test codec checksums:: -- --ignored`: minutes on two cores.
#[test]
#[ignore = "ten million damages take minutes"]
fn ten_million_damages_and_none_is_missed() {
    damages(10_000_000);
}
