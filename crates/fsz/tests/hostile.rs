//! Damaged and forged streams end in an error, never in a panic, a wrong value or an endless wait.

mod common;

use common::{
    compress, decompress,
    inputs::{Random, field},
    reference::Request,
};
use fsz::{Bound, Codec, Element, Error, Options, Stream};

/// Small streams that between them hold everything that the format has.
fn streams() -> Vec<Vec<u8>> {
    let codec = Codec::cpu().threads(1).expect("one thread");
    let mut streams = Vec::new();
    for kind in ["smooth, noise", "land", "ragged land", "nan in places", "outliers", "constant"] {
        for n in [1, 300, 777] {
            let mut request = Request::new(&[n as u64], Bound::ValueRange(1e-3));
            request.missing = vec![1e20];
            request.name = (n == 300).then(|| "density".into());
            let options = request.options();
            streams.push(compress(&codec, &field::<f32>(kind, n, 1), &request.shape, &options));
            streams.push(compress(&codec, &field::<f64>(kind, n, 1), &request.shape, &options));
        }
    }
    streams.push(compress::<f32>(&codec, &[], &[0, 7], &Options::new(Bound::Absolute(1.0))));
    streams
}

/// Does everything that can be done with a stream; returns its field's bits when all of it succeeds.
fn exercise(bytes: &[u8]) -> Result<Vec<u64>, Error> {
    let stream = Stream::open(bytes)?;
    let info = stream.info();
    info.tile_counts();
    info.tiles().try_for_each(|t| t.map(drop))?;
    match info.header().dtype {
        fsz::Dtype::F32 => exercise_as::<f32>(&stream),
        fsz::Dtype::F64 => exercise_as::<f64>(&stream),
    }
}

fn exercise_as<T: Element>(stream: &Stream<'_>) -> Result<Vec<u64>, Error> {
    let codec = Codec::cpu().threads(1).expect("one thread");
    let whole = codec.decompress::<T>(stream)?;
    if whole.ndim() > 0 && whole.len() > 1 {
        codec.decompress_slice::<T>(stream, ndarray::Axis(0), whole.shape()[0] as u64 - 1)?;
    }
    Ok(whole.iter().map(|d| d.to_bits64()).collect())
}

#[test]
fn every_truncation_is_an_error() {
    for stream in streams() {
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
    for stream in streams() {
        for at in 0..stream.len() {
            for bit in 0..8 {
                let mut flipped = stream.clone();
                flipped[at] ^= 1 << bit;
                assert!(exercise(&flipped).is_err(), "bit {bit} of byte {at} of {}", stream.len());
            }
        }
    }
}

/// Puts the right checksums on whatever the bytes are, as a forger would.
fn seal(bytes: &mut [u8]) {
    fn weighted(bytes: &[u8]) -> u32 {
        bytes.chunks_exact(4).enumerate().fold(0, |sum, (k, b)| {
            let w = u32::from_le_bytes([b[0], b[1], b[2], b[3]]);
            sum.wrapping_add(w.wrapping_mul(2 * k as u32 + 1))
        })
    }
    fn mix(mut x: u32) -> u32 {
        x ^= x >> 16;
        x = x.wrapping_mul(0x7FEB_352D);
        x ^= x >> 15;
        x = x.wrapping_mul(0x846C_A68B);
        x ^ x >> 16
    }
    let u64_at = |bytes: &[u8], at: usize| {
        u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i])) as usize
    };
    let header = u16::from_le_bytes([bytes[10], bytes[11]]) as usize;
    let payload = bytes.len().checked_sub(u64_at(bytes, 64));
    if let Some(metadata) = payload.and_then(|p| bytes.get(header..p)) {
        let sum = mix(weighted(metadata));
        bytes[60..64].copy_from_slice(&sum.to_le_bytes());
    }
    if let Some(h) = bytes.get(..header).filter(|h| h.len() >= 16) {
        let mut h = h.to_vec();
        h[12..16].fill(0);
        let sum = mix(weighted(&h));
        bytes[12..16].copy_from_slice(&sum.to_le_bytes());
    }
}

#[test]
fn forged_headers_and_rates_do_no_harm() {
    let mut random = Random::new(11);
    for stream in streams() {
        let rates_end = stream.len().min(400);
        for round in 0..3000 {
            let mut forged = stream.clone();
            for _ in 0..=round % 3 {
                let at = random.below(rates_end);
                forged[at] = match random.below(3) {
                    0 => 0xFF,
                    1 => forged[at] ^ (1 << random.below(8)),
                    _ => random.bits() as u8,
                };
            }
            seal(&mut forged);
            // Only that it comes back matters; a chunk's checksum may let a forged header through.
            let _ = exercise(&forged);
        }
    }
}

#[test]
fn forged_shapes_are_refused_before_memory_is_taken() {
    let codec = Codec::cpu();
    let data = field::<f32>("smooth", 300, 1);
    let stream = compress(&codec, &data, &[300], &Options::new(Bound::Absolute(0.1)));
    for n in [301u64, 512, 513, 1 << 32, 1 << 62, u64::MAX] {
        let mut forged = stream.clone();
        forged[72..80].copy_from_slice(&n.to_le_bytes());
        forged[144..152].copy_from_slice(&n.to_le_bytes());
        seal(&mut forged);
        let outcome = exercise(&forged);
        assert!(outcome.is_err() || n <= 512, "{n} elements");
    }
}

#[test]
fn what_is_not_a_stream_is_said_to_be_none() {
    for bytes in [&b""[..], b"\x89FS", b"PK\x03\x04 something else", &[0; 4096]] {
        let error = Stream::open(bytes).expect_err("not a stream");
        assert!(matches!(error, Error::Corrupt(_) | Error::Truncated { .. }), "{error}");
    }
    let newer = {
        let mut s = streams().swap_remove(0);
        s[8] = 2;
        s
    };
    assert!(matches!(Stream::open(&newer), Err(Error::Unsupported(_))));
}

#[test]
fn damage_in_one_chunk_leaves_the_others_readable() {
    let codec = Codec::cpu();
    let n = 5 * 16384;
    let data = field::<f32>("smooth, noise", n, 9);
    let shape = [5, 16384];
    let mut bytes = compress(&codec, &data, &shape, &Options::new(Bound::ValueRange(1e-3)));
    let whole = decompress::<f32>(&codec, &bytes);
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    let stream = Stream::open(&bytes).expect("header and index are whole");
    assert!(matches!(codec.decompress::<f32>(&stream), Err(Error::Corrupt(_))));
    for z in 0..5 {
        let slice = codec.decompress_slice::<f32>(&stream, ndarray::Axis(0), z);
        match z {
            4 => assert!(slice.is_err()),
            _ => {
                let begin = z as usize * 16384;
                let slice = slice.expect("an undamaged chunk");
                assert!(slice.iter().eq(&whole[begin..begin + 16384]));
            }
        }
    }
}
