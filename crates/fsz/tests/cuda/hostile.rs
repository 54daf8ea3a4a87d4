//! Damaged and forged streams.

use crate::check::{check_profile, device, profiles, relative};
use crate::common::{
    compress, every, forge,
    inputs::{Random, field},
    seal::{seal, seal_entries, seal_metadata},
    some,
};
use fsz::{Bound, Codec, CompressOptions, Dense, Element, Layout, Profile, Stream};

/// Both decoders refuse, or both give the same field.
fn agree(what: &str, codec: &Codec, bytes: &[u8]) -> bool {
    fn outcome<T: Element>(codec: &Codec, stream: &Stream<'_>) -> Option<Vec<u64>> {
        codec.decompress::<T>(stream).ok().map(|f| f.iter().map(|d| d.to_bits64()).collect())
    }
    let Ok(stream) = Stream::open(bytes) else { return false };
    let (cpu, cuda) = match stream.header().dtype {
        fsz::DType::F32 => (outcome::<f32>(&Codec::cpu(), &stream), outcome::<f32>(codec, &stream)),
        fsz::DType::F64 => (outcome::<f64>(&Codec::cpu(), &stream), outcome::<f64>(codec, &stream)),
    };
    assert_eq!(cpu.is_some(), cuda.is_some(), "{what}: only one of the decoders refuses");
    assert!(cpu == cuda, "{what}: the decoders differ");
    cpu.is_some()
}

/// Makes a byte all ones, changes a bit of it, takes its last five bits, or replaces it.
fn forge_byte(random: &mut Random, byte: &mut u8) {
    *byte = match random.below(4) {
        0 => 0xFF,
        1 => *byte ^ (1 << random.below(8)),
        2 => *byte & 0xE0,
        _ => random.bits() as u8,
    };
}

/// Forges each stream of the paper's profile so often. Gives how many opened, and how many of them decoded.
fn forge_tiles(codec: &Codec, rounds: usize) -> [usize; 2] {
    let mut random = Random::new(11);
    let (mut opened, mut decoded) = (0, 0);
    for kind in ["smooth, noise", "land", "ragged land", "nan in places", "outliers", "noise"] {
        let bounds = [Bound::ValueRange(1e-3), relative(1e-3, 0.0), relative(1e-2, 1e-2)];
        for (n, bound) in [300usize, 777, 2100].into_iter().zip(bounds) {
            let options = CompressOptions::new(bound).missing(1e20);
            let shape = [n as u64];
            for stream in [
                compress(&Codec::cpu(), &field::<f32>(kind, n, 1), &shape, &options),
                compress(&Codec::cpu(), &field::<f64>(kind, n, 1), &shape, &options),
            ] {
                let header = u16::from_le_bytes([stream[10], stream[11]]) as usize;
                for round in 0..rounds {
                    let mut forged = stream.clone();
                    // Rate bytes and payload, the payload's ends above all.
                    for _ in 0..=round % 3 {
                        let at = match random.below(3) {
                            0 => header + random.below(8 * n.div_ceil(256)),
                            1 => header + random.below(forged.len() - header),
                            _ => forged.len() - 1 - random.below(40.min(forged.len() - header)),
                        };
                        forge_byte(&mut random, &mut forged[at]);
                    }
                    match round % 4 {
                        0 => seal_metadata(&mut forged),
                        _ => seal(&mut forged),
                    }
                    let what = format!("{kind}, {n}, round {round}");
                    opened += usize::from(Stream::open(&forged).is_ok());
                    decoded += usize::from(agree(&what, codec, &forged));
                }
            }
        }
    }
    println!("{opened} forged streams opened, {decoded} of them decoded");
    [opened, decoded]
}

#[test]
fn damaged_and_forged_streams() {
    let Some(codec) = device("damaged and forged streams") else { return };
    let [opened, decoded] = forge_tiles(&codec, 400_usize.div_ceil(every()));
    assert!(decoded > 0 && opened > decoded, "{opened} opened, {decoded} decoded");
}

/// The same for streams of boxes.
fn forge_boxes(codec: &Codec, rounds: usize) -> [usize; 2] {
    let mut random = Random::new(12);
    let (mut opened, mut decoded) = (0, 0);
    let shapes: [(&[u64], Layout); 3] =
        [(&[5000], Layout::Line), (&[70, 66], Layout::Plane), (&[17, 18, 19], Layout::Brick)];
    for kind in ["smooth, noise", "ragged land", "nan in places", "outliers", "noise"] {
        for (shape, layout) in shapes {
            let bounds = [Bound::ValueRange(1e-3), relative(1e-2, 0.0), relative(1e-3, 1e-2)];
            let options = bounds.map(|bound| {
                let profile = Profile::Dense(Dense::new().with_layout(layout));
                CompressOptions::new(bound).missing(1e20).profile(profile)
            });
            let n = shape.iter().product::<u64>() as usize;
            let (single, double) = (field::<f32>(kind, n, 1), field::<f64>(kind, n, 1));
            for bytes in options.iter().flat_map(|options| {
                [
                    compress(&Codec::cpu(), &single, shape, options),
                    compress(&Codec::cpu(), &double, shape, options),
                ]
            }) {
                let sections = Stream::open(&bytes).expect("opens").sections().clone();
                let header = u16::from_le_bytes([bytes[10], bytes[11]]) as usize;
                let payload = sections.payload as usize;
                for round in 0..rounds {
                    let mut forged = bytes.clone();
                    for _ in 0..=round % 3 {
                        // The beginning of the payload, with modes and records, above all.
                        let at = match random.below(8) {
                            0 => header + random.below(forged.len() - header),
                            1 => 28 + random.below(3),
                            2 | 3 => forged.len() - 1 - random.below(200),
                            4 | 5 => payload + random.below(forged.len() - payload),
                            _ => payload + random.below(40.min(forged.len() - payload)),
                        };
                        forge_byte(&mut random, &mut forged[at]);
                    }
                    seal_entries(&mut forged, &sections);
                    seal_metadata(&mut forged);
                    let what = format!("{kind}, {shape:?}, round {round}");
                    opened += usize::from(Stream::open(&forged).is_ok());
                    decoded += usize::from(agree(&what, codec, &forged));
                }
            }
        }
    }
    println!("{opened} forged streams opened, {decoded} of them decoded");
    [opened, decoded]
}

#[test]
fn forged_streams_of_boxes() {
    let Some(codec) = device("forged streams of boxes") else { return };
    for forged in forge::small_states() {
        assert!(!agree("a state that is too small", &codec, &forged));
    }
    let [opened, decoded] = forge_boxes(&codec, 200_usize.div_ceil(every()));
    assert!(decoded > 0 && opened > decoded, "{opened} opened, {decoded} decoded");
}

/// `cargo test --release -p fsz-codec --test cuda hundred_thousand -- --ignored --nocapture`
#[test]
#[ignore = "a hundred thousand streams take minutes"]
fn a_hundred_thousand_forged_streams() {
    let Some(codec) = device("a hundred thousand forged streams") else { return };
    let [_, decoded] = forge_tiles(&codec, 2_800);
    assert!(decoded > 0);
}

/// As above.
#[test]
#[ignore = "a hundred thousand streams take minutes"]
fn a_hundred_thousand_forged_streams_of_boxes() {
    let Some(codec) = device("a hundred thousand forged streams of boxes") else { return };
    let [_, decoded] = forge_boxes(&codec, 3_400);
    assert!(decoded > 0);
}

#[test]
fn every_flipped_bit_of_a_payload_is_an_error() {
    let Some(codec) = device("flipped bits") else { return };
    let kinds = ["smooth, noise", "ragged land", "outliers"];
    let range = Bound::ValueRange(1e-3);
    let [paper, dense] = profiles();
    let floor = relative(1e-3, 0.01);
    let cases = [(paper, range), (dense, range), (paper, floor), (dense, floor)];
    for (kind, (profile, bound)) in kinds.into_iter().flat_map(|kind| cases.map(|c| (kind, c))) {
        let options = CompressOptions::new(bound).profile(profile);
        let stream = compress(&Codec::cpu(), &field::<f32>(kind, 700, 1), &[700], &options);
        let payload = u64::from_le_bytes(std::array::from_fn(|i| stream[64 + i])) as usize;
        let first = stream.len() - payload;
        for at in some(first..stream.len()) {
            let mut flipped = stream.clone();
            flipped[at] ^= 1 << (at % 8);
            let flipped = Stream::open(&flipped).expect("the payload is not looked at");
            assert!(codec.decompress::<f32>(&flipped).is_err(), "{kind}: byte {at}");
        }
    }
}

/// Blocks of order 2 whose last code is beyond 2^24, where a float no longer holds every whole number: second
/// differences of 14 bits, from the largest code and difference on with which such a block goes the short way.
#[test]
fn codes_that_floats_cannot_hold() {
    let Some(codec) = device("codes beyond 2^24") else { return };
    let (mut data, mut largest) = (Vec::new(), 0);
    for tile in 0..512i32 {
        let (mut code, mut difference) = (0, 0);
        // The last block of the tile begins at the largest code, give or take a few.
        let first = (1 << 22) - 1 - 16_383 * 36 - tile % 64;
        for i in 0..256 {
            if i >= 216 {
                // The last element is rounded to what a float holds.
                difference += if i < 255 { 16_383 } else { 16_382 };
            }
            code = if i == 0 { first } else { code + difference };
            data.push(if tile % 2 == 0 { code } else { -code } as f32);
        }
        largest = largest.max(code);
    }
    assert!(largest > 1 << 24, "{largest}");
    let shape = [data.len() as u64];
    let options = CompressOptions::new(Bound::Absolute(1.0));
    let bytes = compress(&Codec::cpu(), &data, &shape, &options);
    let step = Stream::open(&bytes).expect("opens").header().quantization_step;
    assert_eq!(step, 1.0, "the elements are the codes");
    check_profile("parabolas", &codec, &data, &shape, &options, Profile::default());
    // Whole numbers that no float holds are in forged streams alone.
    let payload = Stream::open(&bytes).expect("opens").sections().payload as usize;
    let mut random = Random::new(3);
    for round in some(0..100) {
        let mut forged = bytes.clone();
        for _ in 0..20 {
            let at = payload + random.below(forged.len() - payload);
            forged[at] ^= 1 << random.below(8);
        }
        seal(&mut forged);
        assert!(agree(&format!("forged parabolas, round {round}"), &codec, &forged), "no chains");
    }
}
