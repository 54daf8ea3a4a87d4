//! Every fact that the Rust library tells of a stream, C tells too.

use std::ffi::CStr;

use fsz::{Stream, TileKind};
use fsz_c::*;
use fsz_tests::cases;

use crate::calls::*;

/// The golden streams' fields, compressed by the Rust codec: all element types, bounds, names, starts, time
/// steps, missing values, switches of research.
fn streams() -> Vec<(String, Vec<u8>)> {
    cases::all()
        .into_iter()
        .map(|case| {
            let bytes = fsz::with_element!(case.dtype, T => {
                let field: Vec<T> = case.field.iter().map(|&v| fsz::Scalar::from_f64(v)).collect();
                let most = fsz::max_compressed_len(&case.shape, case.dtype).expect("a shape");
                let mut out = vec![0; most as usize];
                let len = fsz::Codec::cpu().compress_into(&field, &case.shape, &case.options, &mut out);
                out.truncate(len.expect("it compresses"));
                out
            });
            (case.name.to_owned(), bytes)
        })
        .collect()
}

#[test]
fn a_usual_fill_value_that_was_not_named() {
    let field: Vec<f32> =
        (0..600).map(|i| if i % 7 == 0 { 9.96921e36 } else { i as f32 }).collect();
    let told = |options: &Owned<_>| {
        info_of(&compress(&cpu(), &field, &[20, 30], options)).usual_fill_value
    };
    let options = value_range(1e-3);
    assert_eq!(told(&options), f64::from(9.96921e36f32));
    // SAFETY: options that nothing else uses.
    ok(unsafe { fszc_compress_options_add_missing(options.0, 9.96921e36) });
    assert!(told(&options).is_nan());
    let low: Vec<f64> = field.iter().map(|&v| if v > 600.0 { -999.0 } else { v.into() }).collect();
    let stream = compress(&cpu(), &low, &[600], &absolute(0.1));
    assert_eq!(info_of(&stream).usual_fill_value, -999.0);
}

#[test]
fn header_and_certificate() {
    for (name, bytes) in streams() {
        let rust = Stream::open(&bytes).expect("a stream");
        let header = rust.header();
        let c = open(&bytes);
        let info = info_of(&c);
        let dims = header.shape.len();
        assert_eq!(info.format_version, u32::from(header.format_version), "{name}");
        assert_eq!(info.dtype, u32::from(header.dtype.code()));
        assert_eq!(info.profile, u32::from(header.profile.code()));
        assert_eq!(info.reference, u32::from(header.reference.code()));
        assert_eq!(info.ndim as usize, dims);
        assert_eq!(info.shape[..dims], header.shape);
        assert_eq!(info.elements, header.elements());
        assert_eq!(info.raw_bytes, rust.raw_bytes());
        assert_eq!(info.compressed_bytes, rust.compressed_bytes());
        assert_eq!(info.compression_ratio, rust.compression_ratio());
        assert_eq!((info.tiles, info.chunks), (rust.grid().tiles(), rust.chunks()));
        assert_eq!(info.bound, u32::from(header.fields().bound_kind));
        assert_eq!(info.requested_bound, header.bound.requested());
        assert_eq!(info.absolute_bound, header.absolute_bound);
        assert_eq!(info.quantization_step, header.quantization_step);
        let start = (info.has_start == 1).then(|| info.start[..dims].to_vec());
        assert_eq!(start, header.start);
        assert_eq!((info.has_time_step == 1).then_some(info.time_step), header.time_step);
        let missing = info.missing_count as usize;
        assert_eq!(bits(&info.missing[..missing]), bits(&header.missing));
        assert_eq!(info.missing_bits[..missing], *header.missing_bits());
        match header.profile {
            fsz::Profile::Dense(_) => {
                assert_eq!(info.layout, u32::from(header.fields().layout));
                assert_eq!(info.research.block_len, 0);
            }
            _ => {
                let research = header.profile.research().expect("the paper's");
                assert_eq!(info.layout, FSZC_LAYOUT_AUTO);
                assert_eq!(info.research.block_len as usize, research.block_len);
                assert_eq!(info.research.blocks_per_tile as usize, research.blocks_per_tile);
                assert_eq!(info.research.order2 == 1, research.order2);
            }
        }
        // SAFETY: the name lives as long as the handle.
        let recorded = unsafe {
            let name = fszc_stream_name(c.0);
            (!name.is_null()).then(|| CStr::from_ptr(name).to_str().expect("UTF-8"))
        };
        assert_eq!(recorded, header.name.as_deref());

        let (found, expected) = (certificate_of(&c), rust.certificate());
        assert_eq!(
            bits(&[found.max_abs_error, found.min, found.max]),
            bits(&[expected.max_abs_error, expected.min, expected.max])
        );
        assert_eq!(
            [found.nan, found.inf, found.missing, found.escaped],
            [expected.nan, expected.inf, expected.missing, expected.escaped]
        );
        assert_eq!(bytes_of(&c), bytes);
    }
}

fn tile_of(stream: &Owned<fszc_stream>, tile: u64) -> fszc_tile {
    let mut record = std::mem::MaybeUninit::uninit();
    // SAFETY: the whole struct is filled.
    unsafe {
        ok(fszc_stream_tiles(stream.0, tile, 1, record.as_mut_ptr(), size_of::<fszc_tile>()));
        record.assume_init()
    }
}

#[test]
fn tiles() {
    let kinds = [
        (TileKind::Lz1, FSZC_LZ1),
        (TileKind::Lz2, FSZC_LZ2),
        (TileKind::Lz1Centered, FSZC_LZ1_CENTERED),
        (TileKind::Lz2Centered, FSZC_LZ2_CENTERED),
        (TileKind::Interpolated, FSZC_INTERPOLATED),
        (TileKind::Constant, FSZC_CONSTANT),
        (TileKind::Exceptions, FSZC_EXCEPTIONS),
        (TileKind::Verbatim, FSZC_VERBATIM),
    ];
    let codings = [
        ("lz1", FSZC_CODING_LZ1),
        ("lz2", FSZC_CODING_LZ2),
        ("lz1_centered", FSZC_CODING_LZ1_CENTERED),
        ("lz2_centered", FSZC_CODING_LZ2_CENTERED),
        ("linear", FSZC_CODING_LINEAR),
        ("cubic", FSZC_CODING_CUBIC),
        ("smooth", FSZC_CODING_SMOOTH),
        ("exact", FSZC_CODING_EXACT),
        ("verbatim", FSZC_CODING_VERBATIM),
        ("blended", FSZC_CODING_BLENDED),
    ];
    let number = |kind| kinds.iter().find(|(known, _)| *known == kind).expect("a kind").1;
    let mut seen = std::collections::BTreeSet::new();
    for (_, bytes) in streams() {
        let rust = Stream::open(&bytes).expect("a stream");
        let c = open(&bytes);
        for record in rust.tiles() {
            let record = record.expect("an undamaged stream");
            let tile = tile_of(&c, record.index);
            assert_eq!((tile.index, tile.bytes), (record.index, record.bytes));
            assert_eq!((tile.escapes, tile.kind), (record.escapes, number(record.kind())));
            assert_eq!(tile.rates[..tile.blocks as usize], *record.rates());
            let predictor = record.predictor.map_or(FSZC_NO_PREDICTOR, |p| number(TileKind::of(p)));
            assert_eq!(tile.predictor, predictor);
            seen.insert(tile.kind);

            let costs = rust.tile_costs(record.index).expect("an undamaged stream");
            let (mut found, mut count) = ([fszc_tile_cost::default(); FSZC_MAX_COSTS], 0);
            // SAFETY: room for FSZC_MAX_COSTS.
            ok(unsafe {
                fszc_stream_tile_costs(c.0, record.index, found.as_mut_ptr(), &mut count)
            });
            assert_eq!(count, costs.len());
            for (found, expected) in found.iter().zip(&costs) {
                assert_eq!(found.bytes, expected.bytes);
                assert_eq!(found.chosen, u32::from(expected.chosen));
                let known = codings.iter().find(|(_, number)| *number == found.coding);
                assert_eq!(known.expect("a coding").0, expected.coding.name());
            }
        }
        let expected = rust.tile_counts();
        let mut counts = std::mem::MaybeUninit::uninit();
        // SAFETY: the whole struct is filled.
        let counts = unsafe {
            let size = size_of::<fszc_tile_counts>();
            ok(fszc_stream_tile_counts(c.0, counts.as_mut_ptr(), size));
            counts.assume_init()
        };
        assert_eq!(counts.count, expected.count);
        let by_kind = [
            counts.lz1,
            counts.lz2,
            counts.lz1_centered,
            counts.lz2_centered,
            counts.interpolated,
            counts.constant,
            counts.exceptions,
            counts.verbatim,
        ];
        for ((kind, _), found) in kinds.iter().zip(by_kind) {
            assert_eq!(found, expected.of(*kind));
        }
    }
    assert!(seen.len() >= 6, "only the kinds {seen:?} were seen");
}

#[test]
fn structs_of_older_and_newer_headers() {
    let field: Vec<f32> = (0..1000).map(|i| i as f32).collect();
    let stream = compress(&cpu(), &field, &[1000], &value_range(1e-3));
    let whole = info_of(&stream);
    // An older header's struct: nothing behind it is written.
    let mut short = [0xaau8; 40];
    // SAFETY: 28 bytes may be written.
    ok(unsafe { fszc_stream_info(stream.0, short.as_mut_ptr().cast(), 28) });
    assert_eq!(short[..4], whole.format_version.to_ne_bytes());
    assert_eq!(short[28..], [0xaa; 12]);
    // A newer one's: what this library does not know is 0.
    let mut long = [0xaau8; size_of::<fszc_info>() + 64];
    // SAFETY: so many bytes may be written.
    ok(unsafe { fszc_stream_info(stream.0, long.as_mut_ptr().cast(), long.len()) });
    assert_eq!(long[size_of::<fszc_info>()..], [0; 64]);
    for size in [0, usize::MAX] {
        // SAFETY: such sizes are refused.
        let status = unsafe { fszc_stream_info(stream.0, short.as_mut_ptr().cast(), size) };
        fails(status, fszc_status::FSZC_INVALID_ARGUMENT, "sizeof");
    }
}

#[test]
fn version() {
    // SAFETY: a constant.
    let version = unsafe { CStr::from_ptr(fszc_version()) };
    assert_eq!(version.to_str(), Ok(env!("CARGO_PKG_VERSION")));
    assert_eq!(fszc_abi_version(), FSZC_ABI);
}

#[test]
fn a_codec_says_what_it_is() {
    for (backend, word) in [(FSZC_CPU, "CPU ("), (FSZC_CPU_PORTABLE, "CPU (portable)")] {
        let codec = codec(backend, 0);
        // SAFETY: the words live as long as the codec.
        let words = unsafe { CStr::from_ptr(fszc_codec_description(codec.0)) };
        assert!(words.to_str().expect("UTF-8").starts_with(word));
        // SAFETY: a living handle.
        assert_eq!(unsafe { fszc_codec_backend(codec.0) }, FSZC_CPU);
    }
}
