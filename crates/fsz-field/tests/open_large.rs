//! Opening a `.fsz` file reads its header, heads and index: of the payload no page is touched.
#![cfg(target_os = "linux")]

use std::fs;

use fsz::{Bound, Codec, CompressOptions, Dense, Profile, max_compressed_len};
use fsz_field::StreamFile;
use tempfile::TempDir;

/// Elements that nothing makes shorter: the payload is as large as the field.
const ELEMENTS: usize = 12 << 20;

/// Bytes of a mapped file that this process has touched, by the kernel's books.
fn resident(name: &str) -> u64 {
    let maps = fs::read_to_string("/proc/self/smaps").expect("Linux tells");
    let mut own = false;
    for line in maps.lines() {
        if line.contains('-') && line.contains(" r") {
            own = line.ends_with(name);
        }
        if own && let Some(size) = line.strip_prefix("Rss:") {
            return size.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") << 10;
        }
    }
    panic!("{name} is not mapped");
}

#[test]
fn opening_touches_no_payload() {
    let folder = TempDir::new().expect("a folder");
    let noise = |i: usize| f32::from_bits((i as u32).wrapping_mul(0x9E37_79B1) & 0x3FFF_FFFF);
    let field: Vec<f32> = (0..ELEMENTS).map(noise).collect();
    for profile in [Profile::default(), Profile::Dense(Dense::new())] {
        let shape = [ELEMENTS as u64];
        let most = max_compressed_len(&shape, fsz::DType::F32).expect("64 bits");
        let mut bytes = vec![0; most as usize];
        let options = CompressOptions::new(Bound::Absolute(1e-30)).profile(profile);
        let len = Codec::cpu().compress_into(&field, &shape, &options, &mut bytes).expect("room");
        let name = format!("{}-noise.fsz", profile.name());
        let path = folder.path().join(&name);
        fs::write(&path, &bytes[..len]).expect("written");

        let file = StreamFile::open(&path).expect("a stream");
        let payload = file.stream().expect("a stream").payload().len() as u64;
        let before = len as u64 - payload;
        assert!(payload > 30 << 20 && before < payload / 16, "{before} bytes before {payload}");
        let touched = resident(&name);
        // A fault brings the pages around it too, up to 2 MiB of them.
        assert!(touched <= before + (4 << 20), "{name}: {touched} of {len} bytes; {before} needed");
        // The measure sees what is read.
        let plane = file.decode_slice(&Codec::cpu(), 0, ELEMENTS as u64 / 2).expect("an element");
        assert_eq!(plane.shape().elements(), 1);
        file.decode(&Codec::cpu()).expect("all of it");
        assert!(resident(&name) > payload / 2, "{name}");
    }
}
