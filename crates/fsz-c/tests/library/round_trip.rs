//! The bytes are those of the Rust codec, and every element keeps the bound.

use fsz::{Bound, Codec, CompressOptions, Dense, Element, Layout, Profile};
use fsz_c::*;
use fsz_tests::fields::{Random, noise, smooth};

use crate::calls::*;

/// What a missing element has here.
const LAND: f64 = 1e20;

/// One field with options, as both sides are told them.
struct Case {
    shape: Vec<u64>,
    field: Vec<f64>,
    rust: CompressOptions,
    c: Owned<fszc_compress_options>,
}

/// Fields of many kinds: shapes of 0 to 8 dimensions, smooth, noisy and constant, with and without special
/// values, each with a bound, a profile and records of its own.
fn cases() -> Vec<Case> {
    let mut random = Random::new(7);
    let mut cases = Vec::new();
    let shapes: [&[u64]; 10] = [
        &[],
        &[1],
        &[257],
        &[0, 5],
        &[40, 50],
        &[9, 33, 65],
        &[20, 24, 28],
        &[3, 4, 5, 6, 7],
        &[2, 2, 2, 2, 2, 2, 2, 3],
        &[70_000],
    ];
    for shape in shapes {
        let elements = shape.iter().product::<u64>() as usize;
        for kind in 0..4 {
            let mut field = match kind {
                0 => smooth(shape),
                1 => noise(elements, 3),
                2 => vec![273.15; elements],
                _ => smooth(shape).into_iter().map(|v| 1e5 + 40.0 * v).collect(),
            };
            if kind == 3 {
                for element in &mut field {
                    match random.bits() % 50 {
                        0 => *element = f64::NAN,
                        1 => *element = f64::NEG_INFINITY,
                        2..9 => *element = LAND,
                        _ => {}
                    }
                }
            }
            for choice in 0..5 {
                cases.push(case(shape, field.clone(), kind, choice));
            }
        }
    }
    cases
}

fn case(shape: &[u64], field: Vec<f64>, kind: u64, choice: u64) -> Case {
    let exponent = 1 + (kind + choice) % 4;
    let bound = 10f64.powi(-(exponent as i32));
    let (rust, c) = match choice % 3 {
        0 => (CompressOptions::new(Bound::ValueRange(bound)), value_range(bound)),
        1 => (CompressOptions::new(Bound::Absolute(bound)), absolute(bound)),
        _ => {
            let (min, max) = (-2.0, 2.0);
            let of = Bound::ValueRangeOf { ratio: bound, min, max };
            // SAFETY: a place for a handle.
            let c = Owned::new(
                |out| unsafe { fszc_compress_options_value_range_of(bound, min, max, out) },
                fszc_compress_options_free,
            );
            (CompressOptions::new(of), c)
        }
    };
    let mut rust = rust;
    // SAFETY: the arguments live.
    unsafe {
        if kind == 3 {
            rust = rust.missing(LAND);
            ok(fszc_compress_options_add_missing(c.0, LAND));
        }
        match choice {
            1 => {
                rust = rust.name("temperature/2 m").time_step(17);
                ok(fszc_compress_options_set_name(c.0, c"temperature/2 m".as_ptr()));
                ok(fszc_compress_options_set_time_step(c.0, 17));
            }
            2 => {
                rust = rust.profile(Profile::Dense(Dense::new()));
                ok(fszc_compress_options_set_profile(c.0, FSZC_DENSE, FSZC_LAYOUT_AUTO));
            }
            3 => {
                let start: Vec<u64> = (0..shape.len() as u64).map(|axis| 10 * axis).collect();
                let dense = Dense::new().with_layout(Layout::Line);
                rust = rust.profile(Profile::Dense(dense)).start(&start).threads(1);
                ok(fszc_compress_options_set_profile(c.0, FSZC_DENSE, FSZC_LAYOUT_LINE));
                ok(fszc_compress_options_set_start(c.0, start.as_ptr(), start.len()));
                ok(fszc_compress_options_set_threads(c.0, 1));
            }
            4 => {
                let model = model();
                let opened = fsz::Stream::open(bytes_of(&model)).expect("opens");
                rust = rust.like(&opened).expect("its tables are sound");
                ok(fszc_compress_options_set_like(c.0, model.0));
            }
            _ => {}
        }
    }
    Case { shape: shape.to_vec(), field, rust, c }
}

/// A stream that fields of any shape can be coded like.
fn model() -> Owned<fszc_stream> {
    let field: Vec<f64> = (0..9000).map(|i| (f64::from(i) * 0.01).sin()).collect();
    let options = absolute(1e-3);
    // SAFETY: the options live.
    ok(unsafe { fszc_compress_options_set_profile(options.0, FSZC_DENSE, FSZC_LAYOUT_LINE) });
    compress(&cpu(), &field, &[9000], &options)
}

fn check<T: Element>(case: &Case) {
    let field: Vec<T> = case.field.iter().map(|&v| T::from_f64(v)).collect();
    let mut expected =
        vec![0; fsz::max_compressed_len(&case.shape, T::DTYPE).expect("a shape") as usize];
    let codec = Codec::cpu().threads(2).expect("two threads");
    let len = codec.compress_into(&field, &case.shape, &case.rust, &mut expected);
    let expected = &expected[..len.expect("Rust compresses it")];

    // The same bytes, in memory of the library and in the caller's.
    let stream = compress(&cpu(), &field, &case.shape, &case.c);
    assert!(bytes_of(&stream) == expected, "other bytes for shape {:?}", case.shape);
    let mut most = 0;
    let (shape, ndim) = (case.shape.as_ptr(), case.shape.len());
    // SAFETY: the arguments live and are as long as said.
    unsafe { ok(fszc_max_compressed_len(shape, ndim, number::<T>(), &mut most)) };
    let (mut out, mut len) = (vec![0xaau8; most as usize], 0);
    // SAFETY: as above.
    ok(unsafe {
        let (codec, data) = (cpu(), field.as_ptr().cast());
        let room = out.as_mut_ptr().cast();
        fszc_compress_into(
            codec.0,
            data,
            number::<T>(),
            shape,
            ndim,
            case.c.0,
            room,
            out.len(),
            &mut len,
        )
    });
    assert!(out[..len] == *expected);

    // The bound in a wider type, and special values bit for bit.
    let decoded = decompress::<T>(&cpu(), &open(expected));
    let bound = info_of(&stream).absolute_bound;
    let mut largest = 0f64;
    for (&original, &decoded) in field.iter().zip(&decoded) {
        let (d, e) = (original.to_f64(), decoded.to_f64());
        if d.is_finite() {
            // Exact in f64 for f32; for f64 the bound is compared as the encoder does, in exact terms.
            largest = largest.max((d - e).abs());
            assert!(is_within(d, e, bound), "{d} became {e}, bound {bound}");
        } else {
            assert_eq!(original.to_bits64(), decoded.to_bits64());
        }
        if d == T::from_f64(LAND).to_f64() && case.rust_names_land() {
            assert_eq!(original.to_bits64(), decoded.to_bits64());
        }
    }
    // The encoder tells it in the element type.
    let told = certificate_of(&stream).max_abs_error;
    assert!(told >= largest * (1.0 - f64::from(f32::EPSILON)), "{told} told, {largest} found");
}

impl Case {
    fn rust_names_land(&self) -> bool {
        self.field.contains(&LAND)
    }
}

/// |d − e| ≤ bound without rounding: the difference of two numbers as a sum of two (Knuth's TwoSum).
fn is_within(d: f64, e: f64, bound: f64) -> bool {
    let difference = d - e;
    let part = difference - d;
    let rest = (d - (difference - part)) + (-e - part);
    let (difference, rest) =
        if difference < 0.0 { (-difference, -rest) } else { (difference, rest) };
    difference < bound || (difference == bound && rest <= 0.0)
}

#[test]
fn bytes_are_those_of_the_rust_codec_and_the_bound_is_strict() {
    for case in cases() {
        check::<f32>(&case);
        check::<f64>(&case);
    }
}

#[test]
fn all_backends_write_the_same_bytes() {
    let shape = [30, 40, 50];
    let field: Vec<f32> = smooth(&shape).into_iter().map(|v| v as f32).collect();
    for dense in [false, true] {
        let options = value_range(1e-3);
        if dense {
            // SAFETY: a living handle.
            ok(unsafe {
                fszc_compress_options_set_profile(options.0, FSZC_DENSE, FSZC_LAYOUT_AUTO)
            });
        }
        let first = compress(&codec(FSZC_CPU, 1), &field, &shape, &options);
        for backend in [FSZC_CPU, FSZC_CPU_PORTABLE, FSZC_AUTO] {
            for threads in [0, 1, 3, usize::MAX] {
                let stream = compress(&codec(backend, threads), &field, &shape, &options);
                assert!(bytes_of(&stream) == bytes_of(&first));
            }
        }
    }
}

#[test]
fn bytes_of_research_switches_are_those_of_the_rust_codec() {
    let shape = [5000];
    let field: Vec<f32> = smooth(&shape).into_iter().map(|v| v as f32).collect();
    let switches = [
        (fsz::Centering::Mean, FSZC_CENTERING_MEAN, true, true, 32, 8),
        (fsz::Centering::Off, FSZC_CENTERING_OFF, false, false, 64, 16),
        (fsz::Centering::FirstCode, FSZC_CENTERING_FIRST_CODE, true, false, 32, 4),
    ];
    for (centering, number, cross_block, order2, block_len, blocks_per_tile) in switches {
        let research = fsz::Research { cross_block, centering, order2, block_len, blocks_per_tile };
        let rust = CompressOptions::new(Bound::ValueRange(1e-3)).research(research);
        let mut expected = vec![0; 40_000];
        let len = Codec::cpu().compress_into(&field, &shape, &rust, &mut expected);
        let options = value_range(1e-3);
        let asked = fszc_research {
            block_len: block_len as u32,
            blocks_per_tile: blocks_per_tile as u32,
            centering: number,
            cross_block: cross_block.into(),
            order2: order2.into(),
        };
        // SAFETY: living arguments.
        ok(unsafe { fszc_compress_options_set_research(options.0, &asked) });
        let stream = compress(&cpu(), &field, &shape, &options);
        assert!(bytes_of(&stream) == &expected[..len.expect("it compresses")]);
        assert_eq!(info_of(&stream).research, asked);
    }
}
