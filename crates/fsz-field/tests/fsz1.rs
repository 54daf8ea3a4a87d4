//! Files of the paper author's own release: those of a writer beside this test, real ones where they are
//! there, and damaged ones.

#[path = "common/fsz1.rs"]
mod writer;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use fsz::{Codec, DType, Element, Error, Predictor};
use fsz_field::{FSZ1_HEADER, Fsz1, Fsz1File, Hints, open};
use writer::{TILE, file};

/// What is kept of a value through a few roundings.
const SLACK: f64 = 1e-5;

fn value(i: usize) -> f64 {
    let x = i as f64;
    match i / 400 % 4 {
        // Blocks of rate 0, in each order.
        0 => 250.0,
        1 => 0.25 * (x % 700.0),
        _ => 3.0 * (x * 0.013).sin() - 40.0 + ((i * i) % 13) as f64 * 0.1,
    }
}

/// Each predictor in turn.
fn in_turn(tile: usize) -> Predictor {
    Predictor::ALL[tile % 4]
}

fn check<T: Element>(shape: &[u64], bound: f64, values: &[f64]) {
    let bytes = file(T::DTYPE, shape, bound, values, in_turn);
    let stream = Fsz1::open(&bytes).unwrap();
    let header = stream.header();
    assert_eq!((header.dtype, header.shape.as_slice()), (T::DTYPE, shape));
    assert_eq!(stream.compressed_bytes(), bytes.len() as u64);
    let mut decoded = vec![T::default(); values.len()];
    stream.decode(&mut decoded).unwrap();
    for (i, (found, value)) in decoded.iter().zip(values).enumerate() {
        let error = (found.to_f64() - value).abs();
        assert!(error <= header.bound + SLACK * value.abs(), "{i}: {found:?}, {value}");
    }
    let tiles: Vec<_> = stream.tiles().collect();
    assert_eq!(tiles.len(), values.len().div_ceil(TILE));
    for (i, tile) in tiles.iter().enumerate() {
        assert_eq!((tile.index, tile.predictor), (i as u64, in_turn(i)));
    }
    let bytes_of_tiles: u64 = tiles.iter().map(|tile| tile.bytes()).sum();
    assert_eq!(bytes_of_tiles + FSZ1_HEADER as u64, bytes.len() as u64);
    let counts = stream.tile_counts();
    let sum = counts.lz1 + counts.lz2 + counts.lz1_centered + counts.lz2_centered;
    assert_eq!((counts.count, sum), (tiles.len() as u64, tiles.len() as u64));
}

#[test]
fn fields_of_every_size_and_predictor_are_read() {
    for shape in [&[1][..], &[255], &[256], &[3000], &[20, 33], &[7, 40, 61], &[9, 1, 3001]] {
        let values: Vec<f64> = (0..shape.iter().product::<u64>() as usize).map(value).collect();
        check::<f32>(shape, 1e-2, &values);
        check::<f64>(shape, 1e-4, &values);
    }
}

#[test]
fn codes_are_exact_where_nothing_is_rounded() {
    // A step of 1/4: every product and sum is a float.
    let values: Vec<f64> = (0..5000).map(|i| 0.25 * ((i * 37) % 911) as f64).collect();
    let bytes = file(DType::F32, &[5000], 0.125, &values, in_turn);
    let mut decoded = vec![0f32; 5000];
    Fsz1::open(&bytes).unwrap().decode(&mut decoded).unwrap();
    assert!(decoded.iter().zip(&values).all(|(&found, &value)| f64::from(found) == value));
}

#[test]
fn large_fields_have_four_tiles_a_thread() {
    // Nearly all of it zeros, which take no payload.
    let mut values = vec![0.0; 20_000_001];
    for place in [0, 40_000, 19_990_000] {
        for i in 0..9000 {
            values[place + i] = value(i);
        }
    }
    let bytes = file(DType::F32, &[20_000_001], 1e-2, &values, in_turn);
    let stream = Fsz1::open(&bytes).unwrap();
    assert_eq!(stream.group_values(), 128 * TILE);
    let mut decoded = vec![0f32; values.len()];
    stream.decode(&mut decoded).unwrap();
    let wrong = decoded
        .iter()
        .zip(&values)
        .position(|(&found, value)| (f64::from(found) - value).abs() > 0.011);
    assert_eq!(wrong, None);
}

#[test]
fn files_open_as_fields_and_in_slices() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.fsz");
    let values: Vec<f64> = (0..12 * 50 * 41).map(value).collect();
    std::fs::write(&path, file(DType::F64, &[12, 50, 41], 1e-3, &values, in_turn)).unwrap();
    let field = open(&path, &Hints::default(), &Codec::cpu()).unwrap();
    assert_eq!(field.shape().sides(), [12, 50, 41]);
    let stream = Fsz1File::open(&path).unwrap();
    for (axis, index) in [(0, 11), (1, 0), (1, 49), (2, 7)] {
        let (slice, whole) = (stream.decode_slice(axis, index).unwrap(), field.slice(axis, index));
        let whole = whole.unwrap();
        assert_eq!(slice.shape(), whole.shape());
        assert_eq!(slice.as_slice::<f64>(), whole.as_slice::<f64>());
    }
    let loaded = stream.load().unwrap();
    assert_eq!(loaded.field.as_slice::<f64>(), field.as_slice::<f64>());
    assert_eq!((loaded.bound, loaded.tiles.len()), (1e-3, values.len().div_ceil(TILE)));
    assert_eq!(
        (loaded.grid.tiles(), loaded.grid.locate(1000)),
        (loaded.tiles.len() as u64, (3, 232))
    );
    assert_eq!(loaded.compressed_bytes, std::fs::metadata(&path).unwrap().len());
    for (axis, index) in [(0, 12), (3, 0)] {
        assert!(stream.decode_slice(axis, index).is_err());
    }
    let message = |hints: &Hints| open(&path, hints, &Codec::cpu()).unwrap_err().to_string();
    let hints = Hints { dtype: Some(DType::F32), ..Hints::default() };
    assert!(message(&hints).contains("omit --dtype"));
}

#[test]
fn other_types_and_lengths_are_refused() {
    let bytes = file(DType::F32, &[600], 0.1, &vec![1.0; 600], in_turn);
    let stream = Fsz1::open(&bytes).unwrap();
    let invalid = |result| matches!(result, Err(Error::InvalidArgument(_)));
    assert!(invalid(stream.decode(&mut [0f32; 599])));
    assert!(invalid(stream.decode(&mut [0f64; 600])));
    assert!(invalid(stream.decode_group(1, &mut [0f32; 88])));
    assert!(invalid(stream.decode_group(usize::MAX, &mut [0f32; 1])));
    stream.decode_group(0, &mut [0f32; 600]).unwrap();
}

/// What comes of bytes: the number of values, or the kind of error.
fn outcome(bytes: &[u8]) -> &'static str {
    let decoded = Fsz1::open(bytes).and_then(|stream| {
        let elements = stream.header().elements();
        assert!(stream.tiles().count() as u64 == elements.div_ceil(TILE as u64));
        match stream.header().dtype {
            DType::F32 => stream.decode(&mut vec![0f32; elements as usize]),
            DType::F64 => stream.decode(&mut vec![0f64; elements as usize]),
        }
    });
    match decoded {
        Ok(()) => "decoded",
        Err(Error::Corrupt(_)) => "corrupt",
        Err(Error::Truncated { .. }) => "truncated",
        Err(Error::Unsupported(_)) => "unsupported",
        Err(other) => panic!("{other}"),
    }
}

fn small(dtype: DType) -> Vec<u8> {
    let values: Vec<f64> = (0..1500).map(value).collect();
    file(dtype, &[1500], 1e-2, &values, in_turn)
}

#[test]
fn a_stream_cut_anywhere_is_truncated() {
    for dtype in [DType::F32, DType::F64] {
        let bytes = small(dtype);
        for len in 0..bytes.len() {
            assert_eq!(outcome(&bytes[..len]), "truncated", "{len}");
        }
        let longer = [&bytes[..], b"\0"].concat();
        assert_eq!(outcome(&longer), "corrupt");
    }
}

#[test]
fn a_flipped_bit_is_found_wherever_the_format_lets_it_be() {
    for dtype in [DType::F32, DType::F64] {
        let bytes = small(dtype);
        assert_eq!(outcome(&bytes), "decoded");
        let rates = FSZ1_HEADER..FSZ1_HEADER + 8 * 1500usize.div_ceil(TILE);
        let mut counted: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for bit in 0..8 * bytes.len() {
            let mut forged = bytes.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            let found = outcome(&forged);
            let part = match bit / 8 {
                at if at < FSZ1_HEADER => "header",
                at if rates.contains(&at) => "rates",
                _ => "payload",
            };
            *counted.entry((part, found)).or_default() += 1;
            // Another bound is as good as this one, and so are sides of 1 and a shape of as many tiles; the
            // order of prediction leaves no trace in the sizes.
            let silent = match bit / 8 {
                8 | 16..24 | 40..48 => true,
                at if rates.contains(&at) => (at - rates.start) % 8 == 0 && bit % 8 == 7,
                at => at >= rates.end,
            };
            assert!(silent || found != "decoded", "{dtype} bit {bit}: {found}");
        }
        println!("{dtype}: {counted:?}");
        // Flips of a mean are found, and those that clear the highest plane of a block.
        assert!(counted[&("payload", "corrupt")] > 30, "{counted:?}");
    }
}

#[test]
fn random_damage_ends_in_a_field_or_an_error() {
    let mut state = 1u64;
    let mut random = move |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let mut counted: BTreeMap<&str, usize> = BTreeMap::new();
    let good = [DType::F32, DType::F64].map(small);
    for round in 0..20_000 {
        let mut bytes = good[round % 2].clone();
        for _ in 0..1 + random(8) {
            // The header and the rates are a small part of a file, and decide most.
            let end = [FSZ1_HEADER, 200, bytes.len()][random(3)];
            let at = random(end);
            bytes[at] = [0, 1, 0x7F, 0x80, 0xFF, random(256) as u8][random(6)];
        }
        *counted.entry(outcome(&bytes)).or_default() += 1;
    }
    println!("{counted:?}");
    assert!(counted["corrupt"] > 1000 && counted["unsupported"] > 100, "{counted:?}");
}

#[test]
fn a_size_that_no_memory_holds_is_refused() {
    let mut bytes = small(DType::F32);
    for sides in [[u64::MAX, 1, 1], [1 << 40, 1 << 40, 1], [1 << 61, 1, 1], [0, 1, 1]] {
        for (i, side) in sides.into_iter().enumerate() {
            bytes[16 + 8 * i..24 + 8 * i].copy_from_slice(&side.to_le_bytes());
        }
        bytes[8] = 2;
        assert_eq!(outcome(&bytes), "corrupt", "{sides:?}");
    }
}

/// The folder of real streams and that of their originals, where they lie beside the repository.
fn reference() -> Option<(PathBuf, PathBuf)> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folders = (shared.join("reference"), shared.join("data"));
    if folders.0.is_dir() && folders.1.is_dir() {
        return Some(folders);
    }
    eprintln!("SKIPPED: streams of the author's release: ../shared/reference is not there");
    None
}

#[test]
fn real_streams_decode_to_their_originals() {
    let Some((streams, data)) = reference() else { return };
    let bytes = std::fs::read(data.join("hacc_x_32768.f32")).unwrap();
    let original: Vec<f64> =
        bytes.as_chunks().0.iter().map(|&b| f64::from(f32::from_le_bytes(b))).collect();
    for (name, dtype, centered) in
        [("ref_hacc_x.fsz", DType::F32, 106), ("ref_hacc_x_f64.fsz", DType::F64, 86)]
    {
        let file = Fsz1File::open(&streams.join(name)).unwrap();
        let stream = file.stream().unwrap();
        let (header, counts) = (stream.header(), stream.tile_counts());
        assert_eq!((header.dtype, header.elements()), (dtype, 32768));
        assert_eq!((counts.count, counts.lz1_centered), (128, centered));
        let field = file.decode().unwrap();
        let found: Vec<f64> = match field.values() {
            fsz_field::Values::F32(values) => values.iter().map(|&v| f64::from(v)).collect(),
            fsz_field::Values::F64(values) => values.to_vec(),
        };
        let error = found.iter().zip(&original).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(error > 0.99 * header.bound && error < 1.03 * header.bound, "{name}: {error}");
    }
}
