//! A field of more than 2³² bytes: every size and offset is 64 bits wide.

use fsz::{Bound, Codec, CompressOptions, Dense, Profile, Stream, max_compressed_len};

#[test]
fn more_than_four_gibibytes() {
    let n: u64 = (1 << 30) + 12_345;
    let mut field = vec![0.5f32; n as usize];
    // Something to find again on both sides of the 32-bit boundary of bytes, and noise at the end.
    let marks = [0u64, (1 << 30) - 1, 1 << 30, (1 << 30) + 1, n - 1];
    for (k, &at) in marks.iter().enumerate() {
        field[at as usize] = 100.0 + k as f32;
    }
    for (i, d) in field[(1 << 30) + 300..].iter_mut().enumerate() {
        *d += (i * 7919 % 1009) as f32;
    }
    let shape = [n];
    // Untouched pages of the buffer take no memory.
    let mut out = vec![0u8; max_compressed_len(&shape, fsz::DType::F32).expect("64 bits") as usize];
    let codec = Codec::cpu();
    for profile in [Profile::default(), Profile::Dense(Dense::new())] {
        let options = CompressOptions::new(Bound::ValueRange(1e-4)).profile(profile);
        let len = codec.compress_into(&field, &shape, &options, &mut out).expect("compresses");
        check(&codec, &field, &marks, &out[..len]);
    }
}

/// Decodes what lies around the marks, and all behind the 32-bit boundary.
fn check(codec: &Codec, field: &[f32], marks: &[u64], bytes: &[u8]) {
    let n = field.len() as u64;
    let stream = Stream::open(bytes).expect("opens");
    assert_eq!(stream.raw_bytes(), 4 * n);
    let eb = stream.header().absolute_bound as f32;

    for &at in marks {
        let start = at.saturating_sub(2);
        let count = 5.min(n - start);
        let part = codec.decompress_box::<f32>(&stream, &[start], &[count]).expect("decodes");
        for (i, d) in part.iter().enumerate() {
            assert!((d - field[start as usize + i]).abs() <= eb);
        }
    }
    let (tiles, len) = (stream.grid().tiles(), stream.grid().full_tile_len() as u64);
    let begin = (1u64 << 30) / len - 3;
    let mut tail = vec![0f32; (n - begin * len) as usize];
    codec.decompress_tiles_into(&stream, begin..tiles, &mut tail).expect("decodes");
    assert!(tail.iter().zip(&field[(begin * len) as usize..]).all(|(a, b)| (a - b).abs() <= eb));
}
