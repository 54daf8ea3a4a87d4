//! Streams of known bytes. What FSZ writes today must be these bytes (by `dense`, whose encoder may come to choose
//! better, others are as good), and what it wrote in any earlier format version must still decode to the same values.
//!
//! The files are frozen: `ADD_GOLDEN=1 cargo test -p fsz-tests` adds those of new cases, and never writes one that
//! is there.

use fsz::{Codec, DType, Element, Stream};
use fsz_tests::cases::{Case, all, dense};
use fsz_tests::hash::fnv1a;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of the format version that is written today.
const CURRENT: &str = "v1";

#[test]
fn streams_are_the_golden_bytes() {
    let folder = golden().join(CURRENT);
    let manifest = folder.join("decoded.txt");
    let mut known = fs::read_to_string(&manifest).unwrap();
    for case in all().into_iter().chain(dense()) {
        let path = folder.join(case.name).with_extension("fsz");
        let (stream, decoded) = match case.dtype {
            DType::F32 => compress(&case, |v| v as f32, |v| v.to_le_bytes().to_vec()),
            DType::F64 => compress(&case, |v| v, |v| v.to_le_bytes().to_vec()),
        };
        let line = format!("{} {decoded:016x}\n", case.name);
        if adding() && !path.exists() {
            fs::write(&path, &stream).unwrap();
            known.push_str(&line);
            fs::write(&manifest, &known).unwrap();
        }
        let golden = fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        if !case.name.starts_with("dense-") {
            assert!(stream == golden, "{}: the stream differs from its golden file", case.name);
            assert!(known.contains(&line), "{}: decoded values differ", case.name);
        }
    }
}

#[test]
fn streams_of_every_version_decode_to_the_same_values() {
    if adding() {
        // The other test is writing files.
        return;
    }
    let mut streams = 0;
    for version in fs::read_dir(golden()).unwrap() {
        let folder = version.unwrap().path();
        let manifest = fs::read_to_string(folder.join("decoded.txt")).unwrap();
        for line in manifest.lines() {
            let (name, expected) = line.split_once(' ').unwrap();
            let bytes = fs::read(folder.join(name).with_extension("fsz")).unwrap();
            let stream = Stream::open(&bytes).unwrap();
            let decoded = match stream.header().dtype {
                DType::F32 => decode(&stream, |v: f32| v.to_le_bytes().to_vec()),
                DType::F64 => decode(&stream, |v: f64| v.to_le_bytes().to_vec()),
            };
            assert_eq!(format!("{decoded:016x}"), expected, "{name}");
            streams += 1;
        }
    }
    assert!(streams >= all().len() + dense().len());
}

fn adding() -> bool {
    std::env::var_os("ADD_GOLDEN").is_some()
}

fn golden() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden")
}

/// The stream of a case, and the hash of what it decodes to.
fn compress<T: Element>(
    case: &Case,
    element: impl Fn(f64) -> T,
    bytes: impl Fn(T) -> Vec<u8>,
) -> (Vec<u8>, u64) {
    let field: Vec<T> = case.field.iter().map(|v| element(*v)).collect();
    let room = case.options.max_compressed_len(&case.shape, case.dtype).unwrap();
    let room = usize::try_from(room).unwrap();
    let mut out = vec![0; room];
    let length = Codec::cpu().compress_into(&field, &case.shape, &case.options, &mut out).unwrap();
    out.truncate(length);
    let decoded = decode(&Stream::open(&out).unwrap(), bytes);
    (out, decoded)
}

fn decode<T: Element>(stream: &Stream, bytes: impl Fn(T) -> Vec<u8>) -> u64 {
    let elements = usize::try_from(stream.header().elements()).unwrap();
    let mut decoded = vec![T::default(); elements];
    Codec::cpu().decompress_into(stream, &mut decoded).unwrap();
    fnv1a(decoded.into_iter().flat_map(bytes))
}
