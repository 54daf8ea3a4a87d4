//! Damaged streams give errors and nothing else, in every call that reads a stream.

use std::ptr;

use fsz::Stream;
use fsz_c::*;
use fsz_tests::fields::{Random, noise, smooth};

use crate::calls::*;

/// Damaged streams that the test makes.
const DAMAGED: usize = 10_000;

/// Small streams of both profiles and element types, with escapes.
fn originals() -> Vec<Vec<u8>> {
    let mut originals = Vec::new();
    for dense in [false, true] {
        for kind in 0..3 {
            let shape = [7u64, 20, 30];
            let mut field = if kind == 1 { noise(4200, 5) } else { smooth(&shape) };
            if kind == 2 {
                for i in (0..field.len()).step_by(37) {
                    field[i] = if i % 2 == 0 { f64::NAN } else { 1e20 };
                }
            }
            let options = value_range(1e-3);
            // SAFETY: a living handle.
            unsafe {
                if dense {
                    let layout = FSZC_LAYOUT_AUTO;
                    ok(fszc_compress_options_set_profile(options.0, FSZC_DENSE, layout));
                }
                ok(fszc_compress_options_add_missing(options.0, 1e20));
                ok(fszc_compress_options_set_name(options.0, c"damaged".as_ptr()));
            }
            let single: Vec<f32> = field.iter().map(|&v| v as f32).collect();
            originals.push(bytes_of(&compress(&cpu(), &single, &shape, &options)).to_vec());
            originals.push(bytes_of(&compress(&cpu(), &field, &shape, &options)).to_vec());
        }
    }
    originals
}

fn damage(original: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = original.to_vec();
    let place = |random: &mut Random, len: usize| random.bits() as usize % len.max(1);
    match random.bits() % 6 {
        0 => bytes.truncate(place(random, original.len())),
        1 => {
            let more = 1 + place(random, 40);
            bytes.extend(std::iter::repeat_with(|| random.bits() as u8).take(more));
        }
        2 => {
            // The header and the index, where lengths and offsets are.
            let at = place(random, original.len().min(400));
            bytes[at] ^= 1 << (random.bits() % 8);
        }
        3 => {
            let (from, to) = (place(random, original.len()), place(random, original.len()));
            let len = 1 + place(random, original.len() - from.max(to));
            bytes.copy_within(from..from + len, to);
        }
        4 => {
            for _ in 0..1 + random.bits() % 20 {
                let at = place(random, original.len());
                bytes[at] = random.bits() as u8;
            }
        }
        _ => {
            let at = place(random, original.len());
            bytes[at] ^= 1 << (random.bits() % 8);
        }
    }
    bytes
}

/// Reads all that a stream tells and holds, as far as calls succeed; whether one failed.
fn read(codec: &Owned<fszc_codec>, bytes: &[u8]) -> bool {
    let errors =
        [fszc_status::FSZC_CORRUPT, fszc_status::FSZC_TRUNCATED, fszc_status::FSZC_UNSUPPORTED];
    let mut failed = false;
    let mut note = |status: fszc_status| {
        if status != fszc_status::FSZC_OK {
            assert!(errors.contains(&status), "{status:?}: {}", message());
            assert!(!message().is_empty());
            failed = true;
        }
    };
    let mut handle = ptr::without_provenance_mut(1);
    // SAFETY: the bytes live as long as the handle.
    note(unsafe { fszc_stream_open(bytes.as_ptr().cast(), bytes.len(), &mut handle) });
    if handle.is_null() {
        assert!(failed);
        return true;
    }
    let stream = Owned::new(
        |out| {
            // SAFETY: a place for a handle.
            unsafe { *out = handle };
            fszc_status::FSZC_OK
        },
        fszc_stream_free,
    );
    let info = info_of(&stream);
    certificate_of(&stream);
    // A forged header may describe a larger field, but never one that the bytes cannot stand for.
    assert!(info.elements <= bytes.len() as u64 * 4096, "{} elements", info.elements);
    let elements = info.elements;
    let size = size_of::<fszc_tile>();
    let mut tiles = vec![0u64; info.tiles as usize * size / 8];
    let mut out = vec![0f64; elements as usize];
    let data = out.as_mut_ptr().cast();
    // SAFETY: there is room for all that is asked for: 8 bytes for each element.
    unsafe {
        fszc_stream_name(stream.0);
        note(fszc_stream_tiles(stream.0, 0, info.tiles, tiles.as_mut_ptr().cast(), size));
        if info.tiles > 0 {
            let (mut costs, mut count) = ([fszc_tile_cost::default(); FSZC_MAX_COSTS], 0);
            note(fszc_stream_tile_costs(stream.0, 0, costs.as_mut_ptr(), &mut count));
        }
        note(fszc_decompress(codec.0, stream.0, NONE, info.dtype, data, elements));
        if info.ndim > 0 && info.shape[0] > 0 {
            let (part, dtype) = (elements / info.shape[0], info.dtype);
            note(fszc_decompress_slice(codec.0, stream.0, NONE, 0, 0, dtype, data, part));
        }
    }
    failed
}

#[test]
fn damaged_streams_give_errors() {
    let (codec, originals, mut random) = (codec(FSZC_CPU, 1), originals(), Random::new(11));
    for original in &originals {
        assert!(!read(&codec, original));
    }
    let mut made = 0;
    while made < DAMAGED {
        let original = &originals[made % originals.len()];
        let bytes = damage(original, &mut random);
        if bytes == *original {
            continue;
        }
        made += 1;
        // Every byte of a stream is under a checksum or has one value that is right.
        assert!(read(&codec, &bytes), "damage was not seen");
        assert!(Stream::open(&bytes).is_err() || bytes.len() == original.len());
    }
}

#[test]
fn tiles_of_sound_chunks_are_told_of_beside_a_damaged_one() {
    let (shape, options) = ([96u64, 64, 64], absolute(1e-3));
    let field: Vec<f32> = smooth(&shape).into_iter().map(|v| v as f32).collect();
    // SAFETY: a living handle.
    ok(unsafe { fszc_compress_options_set_profile(options.0, FSZC_DENSE, FSZC_LAYOUT_AUTO) });
    let mut bytes = bytes_of(&compress(&cpu(), &field, &shape, &options)).to_vec();
    let sound = Stream::open(&bytes).expect("opens");
    let (payload, of_chunk) = (sound.sections().payload as usize, sound.grid().tiles_per_chunk());
    assert!(sound.chunks() > 2);
    // The first chunk, of which nothing is read before it is decoded or told of.
    bytes[payload + 8] ^= 1;
    let stream: Owned<fszc_stream> = Owned::new(
        // SAFETY: a place for a handle.
        |out| unsafe { fszc_stream_copy(bytes.as_ptr().cast(), bytes.len(), out) },
        fszc_stream_free,
    );
    let size = size_of::<fszc_tile>();
    let mut told = vec![0u64; (of_chunk + 1) as usize * size / 8];
    let mut tiles = |first: u64, count: u64| {
        // SAFETY: there is room for the tiles of a chunk and one more.
        unsafe { fszc_stream_tiles(stream.0, first, count, told.as_mut_ptr().cast(), size) }
    };
    let corrupt = fszc_status::FSZC_CORRUPT;
    fails(tiles(0, 1), corrupt, "chunk");
    fails(tiles(of_chunk - 1, 2), corrupt, "chunk");
    ok(tiles(of_chunk, 0));
    ok(tiles(of_chunk + 1, of_chunk));
    // The number of a tile is the first that is told of it.
    let numbers = told.chunks(size / 8).take(of_chunk as usize).map(|tile| tile[0]);
    assert!(numbers.eq(of_chunk + 1..2 * of_chunk + 1));
}
