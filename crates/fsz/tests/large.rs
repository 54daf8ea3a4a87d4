//! A field of more than 2³² bytes: every size and offset is 64 bits wide.

use fsz::{Bound, Codec, CompressOptions, Stream, max_compressed_len};

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
    let options = CompressOptions::new(Bound::ValueRange(1e-4));
    let len = codec.compress_into(&field, &shape, &options, &mut out).expect("compresses");
    let stream = Stream::open(&out[..len]).expect("opens");
    let info = &stream;
    assert_eq!(info.raw_bytes(), 4 * n);
    let eb = info.header().absolute_bound as f32;

    for at in marks {
        let start = at.saturating_sub(2);
        let count = 5.min(n - start);
        let part = codec.decompress_box::<f32>(&stream, &[start], &[count]).expect("decodes");
        for (i, d) in part.iter().enumerate() {
            assert!((d - field[start as usize + i]).abs() <= eb);
        }
    }
    let tiles = n.div_ceil(256);
    let begin = (1u64 << 30) / 256 - 3;
    let mut tail = vec![0f32; (n - begin * 256) as usize];
    codec.decompress_tiles_into(&stream, begin..tiles, &mut tail).expect("decodes");
    assert!(tail.iter().zip(&field[begin as usize * 256..]).all(|(a, b)| (a - b).abs() <= eb));
}
