//! Damaged and forged streams end in an error, never in a panic, a wrong value or an endless wait.

use crate::common::{
    self, compress, decompress, forge,
    inputs::{Random, field},
    profiles,
    reference::Request,
    seal::{seal, seal_metadata},
};
use fsz::format::{FIXED_HEADER, at, dense::LEAST_STRIDE};
use fsz::{Bound, Codec, CompressOptions, Dense, Error, Layout, Profile, Stream};

/// Small streams that between them hold everything that a profile has.
fn streams(profile: &Profile) -> Vec<Vec<u8>> {
    let codec = Codec::cpu().threads(1).expect("one thread");
    let mut streams = Vec::new();
    for kind in ["smooth, noise", "land", "ragged land", "nan in places", "outliers", "constant"] {
        for n in [1, 300, 777] {
            let mut request = Request::new(&[n as u64], Bound::ValueRange(1e-3));
            request.missing = vec![1e20];
            request.name = (n == 300).then(|| "density".into());
            let options = request.options().profile(*profile);
            streams.push(compress(&codec, &field::<f32>(kind, n, 1), &request.shape, &options));
            streams.push(compress(&codec, &field::<f64>(kind, n, 1), &request.shape, &options));
        }
    }
    streams.push(compress::<f32>(
        &codec,
        &[],
        &[0, 7],
        &CompressOptions::new(Bound::Absolute(1.0)).profile(*profile),
    ));
    streams
}

/// The streams of both profiles.
fn all_streams() -> impl Iterator<Item = Vec<u8>> {
    [Profile::default(), Profile::Dense(Dense::new())].into_iter().flat_map(|p| streams(&p))
}

/// The bits of a stream's field when everything that can be done with it succeeds.
fn exercise(bytes: &[u8]) -> Result<Vec<u64>, Error> {
    let exercised = common::exercise(bytes)?;
    exercised.records?;
    exercised.whole
}

/// Whether a forged stream decodes. Panics where the outcome is neither a field nor a refusal.
fn decodes(forged: &[u8]) -> bool {
    match exercise(forged) {
        Ok(_) => true,
        Err(Error::Corrupt(_) | Error::Truncated { .. } | Error::Unsupported(_)) => false,
        // An empty field of a shape that no array has.
        Err(Error::InvalidArgument(_)) if forged[at::elements..][..8] == [0; 8] => false,
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn every_truncation_is_an_error() {
    for stream in all_streams() {
        for len in 0..stream.len() {
            assert!(exercise(&stream[..len]).is_err(), "{len} of {} bytes", stream.len());
        }
        let mut longer = stream.clone();
        longer.push(0);
        assert!(matches!(exercise(&longer), Err(Error::Corrupt(_))));
    }
}

#[test]
fn every_single_bit_flip_is_an_error() {
    for stream in all_streams() {
        for at in 0..stream.len() {
            for bit in 0..8 {
                let mut flipped = stream.clone();
                flipped[at] ^= 1 << bit;
                assert!(exercise(&flipped).is_err(), "bit {bit} of byte {at} of {}", stream.len());
            }
        }
    }
}

/// What a forger writes decodes, whole and in part, to the same values, or is refused.
#[test]
fn forged_headers_and_rates_do_no_harm() {
    let mut random = Random::new(11);
    let (mut refused, mut decoded) = (0, 0);
    for stream in all_streams() {
        let metadata = stream.len().min(400);
        for round in 0..3000 {
            let mut forged = stream.clone();
            for _ in 0..=round % 3 {
                let at = random.below(metadata);
                forged[at] = match random.below(3) {
                    0 => 0xFF,
                    1 => forged[at] ^ (1 << random.below(8)),
                    _ => random.bits() as u8,
                };
            }
            match round % 2 {
                0 => seal(&mut forged),
                _ => seal_metadata(&mut forged),
            }
            match decodes(&forged) {
                true => decoded += 1,
                false => refused += 1,
            }
        }
    }
    // Names, time steps and missing values can be forged; most else contradicts itself.
    assert!(refused > 5 * decoded && decoded > 0, "{refused} refused, {decoded} decoded");
}

/// Anything anywhere behind the fixed header, so often for each stream of `paper`; `hostile_dense` does the
/// same to larger streams. Gives how many were refused, and decoded.
fn forge_bytes(rounds: usize) -> [usize; 2] {
    forge::forge_bytes(&streams(&Profile::default()), 12, rounds, |_, _| FIXED_HEADER, decodes)
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
    let [refused, decoded] = forge_bytes(2750);
    println!("paper: {refused} refused, {decoded} decoded");
    assert!(refused + decoded >= 100_000 && refused > 0);
}

#[test]
fn forged_shapes_are_refused_before_memory_is_taken() {
    let codec = Codec::cpu();
    let data = field::<f32>("smooth", 300, 1);
    let stream = compress(&codec, &data, &[300], &CompressOptions::new(Bound::Absolute(0.1)));
    for n in [0, 1, 299, 301u64, 511, 512, 513, 1 << 32, 1 << 62, u64::MAX] {
        let mut forged = stream.clone();
        forged[72..80].copy_from_slice(&n.to_le_bytes());
        forged[144..152].copy_from_slice(&n.to_le_bytes());
        seal(&mut forged);
        let outcome = exercise(&forged);
        // From 257 to 512 elements the sections are as long: only the values tell.
        let plausible = (257..=512).contains(&n);
        assert_eq!(outcome.is_ok(), plausible, "{n} elements: {outcome:?}");
    }
}

#[test]
fn forged_shapes_of_dense_are_refused_before_memory_is_taken() {
    // No grid of it is told by a flag alone.
    let data = field::<f32>("noise", 300, 1);
    let profile = Profile::Dense(Dense::new().with_layout(Layout::Line));
    let options = CompressOptions::new(Bound::Absolute(0.001)).profile(profile);
    let stream = compress(&Codec::cpu(), &data, &[300], &options);
    assert!(exercise(&stream).is_ok());
    for n in [0, 1, 299, 301u64, 4096, 4097, 8 * 4096 + 1, 1 << 32, 1 << 62, u64::MAX] {
        let mut forged = stream.clone();
        forged[at::elements..][..8].copy_from_slice(&n.to_le_bytes());
        forged[144..152].copy_from_slice(&n.to_le_bytes());
        seal(&mut forged);
        // More boxes in the same index: only the symbols tell.
        assert!(exercise(&forged).is_err(), "{n} elements");
    }
}

/// Every rule of FORMAT.md, *Contradictions*: a header that breaks it alone is corrupt.
#[test]
fn contradictory_headers_are_corrupt() {
    let codec = Codec::cpu();
    let data = field::<f32>("smooth, noise", 1000, 3);
    let requests = profiles().into_iter().flat_map(|(_, profile)| {
        [Bound::Absolute(0.01), Bound::ValueRange(1e-3)]
            .map(|bound| CompressOptions::new(bound).profile(profile))
    });
    let f64s = |value: f64| value.to_le_bytes().to_vec();
    let u64s = |value: u64| value.to_le_bytes().to_vec();
    let (inf, nan) = (f64::INFINITY, f64::NAN);
    let forgeries: Vec<(usize, Vec<u8>)> = [
        (at::requested_bound, vec![f64s(nan), f64s(-1.0), f64s(inf), f64s(0.0), f64s(0.02)]),
        (at::absolute_bound, vec![f64s(nan), f64s(-1.0), f64s(inf), f64s(0.0), f64s(0.02)]),
        (
            at::quantization_step,
            vec![f64s(nan), f64s(-1.0), f64s(inf), f64s(0.0), f64s(0.1), f64s(1e-3 + 1e-12)],
        ),
        (at::max_abs_error, vec![f64s(nan), f64s(-1e-9), f64s(inf), f64s(0.02)]),
        (at::min, vec![f64s(nan), f64s(inf), f64s(1e30)]),
        (at::max, vec![f64s(nan), f64s(inf), f64s(-1e30)]),
        (at::nan, vec![u64s(1), u64s(1001), u64s(u64::MAX)]),
        (at::inf, vec![u64s(1), u64s(u64::MAX)]),
        (at::missing, vec![u64s(1), u64s(u64::MAX)]),
        (at::escaped, vec![u64s(1001), u64s(u64::MAX)]),
        (at::time_step, vec![u64s(1)]),
        (at::elements, vec![u64s(999)]),
        (at::payload_len, vec![u64s(0), u64s(u64::MAX - 3)]),
        (at::reserved, vec![vec![1]]),
    ]
    .into_iter()
    .flat_map(|(at, values)| values.into_iter().map(move |value| (at, value)))
    .collect();
    for options in requests {
        let stream = compress(&codec, &data, &[1000], &options);
        for (at, value) in &forgeries {
            let mut forged = stream.clone();
            if forged[*at..at + value.len()] == value[..] {
                continue;
            }
            forged[*at..at + value.len()].copy_from_slice(value);
            seal(&mut forged);
            let outcome = Stream::open(&forged);
            assert!(
                matches!(outcome, Err(Error::Corrupt(_) | Error::Unsupported(_))),
                "byte {at}: {value:?}: {outcome:?}"
            );
        }
    }
}

/// Numbers that a later release may use.
#[test]
fn what_a_newer_release_writes_is_unsupported() {
    let stream = compress(
        &Codec::cpu(),
        &field::<f32>("smooth", 300, 1),
        &[300],
        &CompressOptions::new(Bound::Absolute(0.1)),
    );
    for (at, value) in [
        (at::profile, 200),
        (at::layout, 2),
        (at::layout, 99),
        (at::reference, 1),
        (at::bound_kind, 77),
        (at::dtype, 9),
        (at::flags, 0x80),
    ] {
        let mut newer = stream.clone();
        newer[at] = value;
        seal_metadata(&mut newer);
        match Stream::open(&newer) {
            Err(Error::Unsupported(_)) => {}
            other => panic!("byte {at} = {value}: {other:?}"),
        }
    }
}

/// What the relative part of a header may not say.
#[test]
fn contradictory_relative_parts_are_corrupt() {
    let codec = Codec::cpu();
    let data = field::<f32>("smooth, noise", 1000, 3);
    let doubles: Vec<f64> = data.iter().map(|&d| f64::from(d)).collect();
    let (inf, nan) = (f64::INFINITY.to_bits(), f64::NAN.to_bits());
    let f64s = |value: f64| value.to_bits();
    // Where in the part, behind the fixed header and the shape, and what is there.
    let part = 144 + 8;
    let forgeries: Vec<(usize, u64)> = [
        (part, vec![nan, inf, f64s(-1.0), f64s(1e-9), f64s(1e30)]),
        (part + 8, vec![nan, inf, f64s(-1e-3), f64s(1e30), f64s(0.0), f64s(1e-3 + 1e-12)]),
        (part + 16, vec![nan, inf, f64s(-1e-9), f64s(0.2)]),
        (part + 32, vec![0]),
        (part + 40, vec![1 << 29, u64::from(u32::MAX), 0, 7 << 32, 2 << 32 | 1]),
        (at::requested_bound, vec![nan, inf, f64s(-0.1), f64s(0.0), f64s(0.6), f64s(0.2)]),
        (at::absolute_bound, vec![nan, inf, f64s(-1.0), f64s(0.0), f64s(1e30)]),
        (at::quantization_step, vec![nan, f64s(1e-3), f64s(-1.0)]),
        (at::max, vec![nan, inf, f64s(1e30)]),
    ]
    .into_iter()
    .flat_map(|(at, values)| values.into_iter().map(move |value| (at, value)))
    .collect();
    for (_, profile) in profiles() {
        let bound = Bound::Relative { eps: 0.1, floor: 1e-2 };
        let options = CompressOptions::new(bound).profile(profile);
        let singles = compress(&codec, &data, &[1000], &options);
        let wide = compress(&codec, &doubles, &[1000], &options);
        for (stream, is_f32) in [(singles, true), (wide, false)] {
            assert!(exercise(&stream).is_ok());
            for &(at, value) in &forgeries {
                let mut forged = stream.clone();
                forged[at..at + 8].copy_from_slice(&value.to_le_bytes());
                // Any f64 is a number of its type.
                let sound = !is_f32 && at == part + 8 && value == f64s(1e-3 + 1e-12);
                if forged == stream || sound {
                    continue;
                }
                seal(&mut forged);
                let outcome = Stream::open(&forged);
                assert!(
                    matches!(outcome, Err(Error::Corrupt(_) | Error::Unsupported(_))),
                    "byte {at}: {value:x}: {outcome:?}"
                );
            }
            // Patterns of any size give some values.
            for at in [part + 24, part + 32] {
                for value in [1, 0x7F7F_FFFF, 0x7F80_0000, u64::from(u32::MAX), u64::MAX] {
                    let mut forged = stream.clone();
                    forged[at..at + 8].copy_from_slice(&value.to_le_bytes());
                    seal(&mut forged);
                    // Points between codes divide the distance of these.
                    let fine = match profile {
                        Profile::Dense(_) => u32::from(stream[at::parameter_1]),
                        _ => 0,
                    };
                    let divided = value % (1 << fine) == 0 && value >> fine >= LEAST_STRIDE;
                    let sound = fine == 0 || at == part + 24 || divided;
                    let number = !is_f32 || value != u64::MAX;
                    assert_eq!(exercise(&forged).is_ok(), sound && number, "{at}: {value:x}");
                }
            }
            // The part belongs to this kind of bound alone.
            for kind in [0, 2] {
                let mut forged = stream.clone();
                forged[at::bound_kind] = kind;
                seal(&mut forged);
                assert!(Stream::open(&forged).is_err(), "kind {kind}");
            }
            // There are points between codes that are far enough apart alone.
            if profile != Profile::default() {
                for stride in [64 << 3, (64 << 4) + 1] {
                    let mut forged = stream.clone();
                    forged[at::parameter_1] = 4;
                    forged[part + 32..part + 40].copy_from_slice(&u64::to_le_bytes(stride));
                    seal(&mut forged);
                    assert!(matches!(Stream::open(&forged), Err(Error::Corrupt(_))), "{stride}");
                }
            }
        }
    }
    let mut absolute =
        compress(&codec, &data, &[1000], &CompressOptions::new(Bound::Absolute(0.1)));
    absolute[at::bound_kind] = 3;
    seal(&mut absolute);
    assert!(matches!(Stream::open(&absolute), Err(Error::Corrupt(_))));
}

#[test]
fn parameters_of_dense_that_are_not_given_away_are_unsupported() {
    let options = CompressOptions::new(Bound::Absolute(0.1)).profile(Profile::Dense(Dense::new()));
    let stream = compress(&Codec::cpu(), &field::<f32>("smooth", 300, 1), &[300], &options);
    for (at, values) in [
        (at::layout, vec![0, 4, 255]),
        (at::parameter_0, vec![5, 255]),
        (at::parameter_1, vec![5, 31, 32, 255]),
        (at::parameter_2, vec![0, 2, 6, 64, 255]),
    ] {
        for value in values {
            let mut newer = stream.clone();
            newer[at] = value;
            seal_metadata(&mut newer);
            let outcome = Stream::open(&newer);
            assert!(matches!(outcome, Err(Error::Unsupported(_))), "byte {at}: {value}");
        }
    }
}

#[test]
fn what_is_not_a_stream_is_said_to_be_none() {
    for bytes in [&b"PK\x03\x04 something else"[..], b"P", &[0; 4096]] {
        let error = Stream::open(bytes).expect_err("not a stream");
        assert!(matches!(&error, Error::Corrupt(m) if m.contains("magic")), "{error}");
    }
    let other = Stream::open(b"FSZ1\x01\0\0\0").expect_err("another format");
    assert!(matches!(&other, Error::Corrupt(m) if m.contains("author's release")), "{other}");
    for bytes in [&b""[..], b"\x89FS", b"\x89FSZ\r\n\x1a\n"] {
        let error = Stream::open(bytes).expect_err("too short");
        assert!(matches!(error, Error::Truncated { .. }), "{error}");
    }
    let newer = {
        let mut s = all_streams().next().expect("a stream");
        s[8] = 2;
        s
    };
    assert!(matches!(Stream::open(&newer), Err(Error::Unsupported(_))));
}

#[test]
fn damage_in_one_chunk_leaves_the_others_readable() {
    let codec = Codec::cpu();
    // 131072 elements are whole chunks of either profile.
    const ROW: usize = 131_072;
    let data = field::<f32>("smooth, noise", 3 * ROW, 9);
    let shape = [3, ROW as u64];
    for (name, profile) in profiles().into_iter().filter(|(name, _)| *name != "dense") {
        let options = CompressOptions::new(Bound::ValueRange(1e-3)).profile(profile);
        let mut bytes = compress(&codec, &data, &shape, &options);
        let whole = decompress::<f32>(&codec, &bytes);
        let damaged = {
            let stream = Stream::open(&bytes).expect("opens");
            let last = stream.chunk(stream.chunks() - 1).expect("a chunk");
            last.payload.as_ptr_range().end.addr() - stream.as_bytes().as_ptr().addr() - 1
        };
        bytes[damaged] ^= 1;
        let stream = Stream::open(&bytes).expect("header and index are whole");
        let outcome = codec.decompress::<f32>(&stream);
        assert!(matches!(outcome, Err(Error::Corrupt(_))), "{name}");
        for z in 0..3 {
            let slice = codec.decompress_slice::<f32>(&stream, ndarray::Axis(0), z);
            match z {
                2 => assert!(slice.is_err()),
                _ => {
                    let begin = z as usize * ROW;
                    let slice = slice.expect("undamaged chunks");
                    assert!(slice.iter().eq(&whole[begin..begin + ROW]), "{name}");
                }
            }
        }
    }
}
