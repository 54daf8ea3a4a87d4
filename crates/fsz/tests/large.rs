//! A field of more than 2³² bytes: every size and offset is 64 bits wide.

use fsz::{Bound, Codec, CompressOptions, Dense, Profile, Stream, max_compressed_len};
use memmap2::MmapMut;

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

/// `cargo test --release -p fsz-codec --test large -- --ignored`: writes a file of up to 5 GB in the target folder.
#[test]
#[ignore = "needs 5 GB of memory and as much disk"]
fn a_stream_of_more_than_four_gibibytes() {
    // Noise far beyond the bound: nothing gets much shorter, by `dense` a twentieth.
    let n = (1usize << 30) + (1 << 27) + 12_345;
    let noise =
        |i: usize| f32::from_bits((i as u32).wrapping_mul(0x9E37_79B1) & 0xBFFF_FFFF | 0x2000_0000);
    let field: Vec<f32> = (0..n).map(noise).collect();
    let shape = [n as u64];
    let len = max_compressed_len(&shape, fsz::DType::F32).expect("64 bits");
    let file = tempfile_in(env!("CARGO_TARGET_TMPDIR"), len);
    // SAFETY: nobody else knows the file.
    let mut out = unsafe { MmapMut::map_mut(&file) }.expect("maps");
    let codec = Codec::cpu();
    for profile in [Profile::default(), Profile::Dense(Dense::new())] {
        let options = CompressOptions::new(Bound::Absolute(1e-30)).profile(profile);
        let len = codec.compress_into(&field, &shape, &options, &mut out).expect("compresses");
        assert!(len > 1 << 32, "{len} bytes");
        let stream = Stream::open(&out[..len]).expect("opens");
        let (tiles, tile) = (stream.grid().tiles(), stream.grid().full_tile_len());
        const TOGETHER: u64 = 1 << 12;
        let mut back = vec![0f32; TOGETHER as usize * tile];
        for first in (0..tiles).step_by(TOGETHER as usize) {
            let begin = first as usize * tile;
            let own = &field[begin..n.min(begin + back.len())];
            let end = tiles.min(first + TOGETHER);
            let back = &mut back[..own.len()];
            codec.decompress_tiles_into(&stream, first..end, back).expect("decodes");
            assert!(own.iter().zip(back).all(|(d, b)| (*d - *b).abs() <= 1e-30), "tile {first}");
        }
    }
}

/// A file of this length without a name.
fn tempfile_in(folder: &str, len: u64) -> std::fs::File {
    let path = std::path::Path::new(folder).join(format!("large-{}", std::process::id()));
    let file = std::fs::File::options().read(true).write(true).create_new(true).open(&path);
    let file = file.expect("creates a file");
    std::fs::remove_file(&path).expect("removes its name");
    file.set_len(len).expect("is sparse");
    file
}
