//! Files written and read through the operator by the real ADIOS2: BP5 and BP4.

mod common;
#[path = "common/noise.rs"]
mod noise;

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use adios2::{Adios, Error, Io, Layout, Mode, Selection, ShapeKind, Step};
use common::{config, largest_error, load_operator, open, smooth, to_f32, writer};
use fsz_field::bp::Payload;
use noise::noise;
use tempfile::TempDir;

const BOUND: f64 = 1e-3;
const SHAPE: [u64; 3] = [12, 30, 40];
const ELEMENTS: u64 = 12 * 30 * 40;
/// Rows of the first of the two ADIOS2 blocks of `U`.
const FIRST: u64 = 5;
const LAYER: u64 = 30 * 40;
const STEPS: u64 = 12;

/// The bytes of a payload that is a stream.
fn stream_of(payload: Payload) -> Vec<u8> {
    match payload {
        Payload::Stream(bytes) => bytes,
        other => panic!("no FSZ stream: {other:?}"),
    }
}

/// `U`: f32, global, two ADIOS2 blocks and an empty one; `V`: f64, local, two ADIOS2 blocks of
/// different size; `plain`: no operator; `count`: an integer.
fn write(folder: &Path, engine: &str, deferred: bool) -> std::path::PathBuf {
    let io = writer(&config(folder, engine, &[("accuracy", "1e-3")]));
    let u = io.define_variable::<f32>("U", &Layout::global(&SHAPE, &[0; 3], &SHAPE)).unwrap();
    let v = io.define_variable::<f64>("V", &Layout::local(&[1])).unwrap();
    let plain = io.define_variable::<f32>("plain", &Layout::whole(&[100])).unwrap();
    let count = io.define_variable::<i32>("count", &Layout::Value).unwrap();
    let path = folder.join("out.bp");
    let mut out = io.open(&path, Mode::Write).unwrap();
    for step in 0..STEPS {
        out.begin_step(None).unwrap();
        let values = to_f32(&smooth(ELEMENTS, step));
        let (head, tail) = values.split_at((FIRST * LAYER) as usize);
        let (small, large) = (smooth(700, step), smooth(3000, step + 1));
        let head_count = [FIRST, SHAPE[1], SHAPE[2]];
        let tail_count = [SHAPE[0] - FIRST, SHAPE[1], SHAPE[2]];
        if deferred {
            out.put_batch(|batch| {
                batch.put_block(&u, &[0, 0, 0], &head_count, head)?;
                batch.put_block(&u, &[FIRST, 0, 0], &tail_count, tail)?;
                batch.put_block(&u, &[0, 0, 0], &[0, 30, 40], &[])?;
                batch.put_block(&v, &[], &[700], &small)?;
                batch.put_block(&v, &[], &[3000], &large)
            })
            .unwrap();
        } else {
            out.put_block(&u, &[0, 0, 0], &head_count, head).unwrap();
            out.put_block(&u, &[FIRST, 0, 0], &tail_count, tail).unwrap();
            out.put_block(&u, &[0, 0, 0], &[0, 30, 40], &[]).unwrap();
            out.put_block(&v, &[], &[700], &small).unwrap();
            out.put_block(&v, &[], &[3000], &large).unwrap();
        }
        out.put(&plain, &to_f32(&smooth(100, step))).unwrap();
        out.put(&count, &[step as i32]).unwrap();
        out.end_step().unwrap();
    }
    out.close().unwrap();
    path
}

fn check(path: &Path, engine: &str) {
    let file = open(path, engine);
    assert_eq!(file.variable("U").unwrap().steps, STEPS);
    assert_eq!(file.variable("V").unwrap().kind, ShapeKind::LocalArray);
    // Backwards: nothing may depend on what was read before.
    for step in (0..STEPS).rev() {
        let at = Step::At(step);
        let written = to_f32(&smooth(ELEMENTS, step));
        let read: Vec<f32> = file.read("U", at, &Selection::All).unwrap();
        let error = largest_error(&written, &read);
        assert!(error <= BOUND && error > 0.0, "{engine} U step {step}: {error}");
        for (block, (elements, phase)) in [(700, step), (3000, step + 1)].into_iter().enumerate() {
            let block = Selection::Block(block as u64);
            let read: Vec<f64> = file.read("V", at, &block).unwrap();
            let error = largest_error(&smooth(elements, phase), &read);
            assert!(error <= BOUND && error > 0.0, "{engine} V step {step}: {error}");
        }
        let plain: Vec<f32> = file.read("plain", at, &Selection::All).unwrap();
        assert_eq!(plain, to_f32(&smooth(100, step)));
        let count: Vec<i32> = file.read("count", at, &Selection::All).unwrap();
        assert_eq!(count, [step as i32]);

        // A box that crosses both ADIOS2 blocks.
        let cube = Selection::Box { start: vec![FIRST - 1, 7, 9], count: vec![2, 1, 2] };
        let read: Vec<f32> = file.read("U", at, &cube).unwrap();
        let index = |z: u64, x: u64| (z * LAYER + 7 * SHAPE[2] + x) as usize;
        let indices = [(FIRST - 1, 9), (FIRST - 1, 10), (FIRST, 9), (FIRST, 10)];
        let cube: Vec<f32> = indices.iter().map(|&(z, x)| written[index(z, x)]).collect();
        assert!(largest_error(&cube, &read) <= BOUND);

        let blocks = file.blocks("U", at).unwrap().blocks;
        assert_eq!(blocks[1].count, [SHAPE[0] - FIRST, SHAPE[1], SHAPE[2]]);
        check_payloads(&file, at, &read_block(&file, at, 1));
    }
}

fn read_block(file: &adios2::Engine, at: Step, block: u64) -> Vec<f32> {
    file.read("U", at, &Selection::Block(block)).unwrap()
}

/// The payloads that the sink gives, decoded without ADIOS2, are what ADIOS2 reads.
fn check_payloads(file: &adios2::Engine, at: Step, expected: &[f32]) {
    let Payload::Stream(bytes) = Payload::read(file, "U", at, 1).unwrap() else {
        panic!("U is compressed");
    };
    let stream = fsz::Stream::from_vec(bytes).unwrap();
    let header = stream.header();
    assert_eq!(header.shape, [SHAPE[0] - FIRST, SHAPE[1], SHAPE[2]]);
    assert_eq!(header.start.as_deref(), Some(&[FIRST, 0, 0][..]));
    assert_eq!(header.bound, fsz::Bound::Absolute(BOUND));
    assert!(stream.certificate().max_abs_error <= BOUND);
    let decoded = fsz::Codec::cpu().decompress::<f32>(&stream).unwrap();
    assert_eq!(decoded.as_slice().unwrap(), expected);

    let Payload::Stream(bytes) = Payload::read(file, "V", at, 0).unwrap() else {
        panic!("V is compressed");
    };
    let stream = fsz::Stream::from_vec(bytes).unwrap();
    assert_eq!(stream.header().shape, [700]);
    assert_eq!(stream.header().start, None);
    assert_eq!(stream.header().dtype, fsz::DType::F64);

    assert_eq!(Payload::read(file, "plain", at, 0).unwrap(), Payload::NotFsz);
    assert_eq!(Payload::read(file, "count", at, 0).unwrap(), Payload::NotFsz);
    assert_eq!(Payload::read(file, "U", at, 2).unwrap(), Payload::NotFsz, "an empty ADIOS2 block");
    assert!(matches!(Payload::read(file, "U", at, 9), Err(Error::OutOfRange(_))));
}

#[test]
fn bp5() {
    for deferred in [false, true] {
        let folder = TempDir::new().unwrap();
        check(&write(folder.path(), "BP5", deferred), "BP5");
    }
}

#[test]
fn bp4() {
    for deferred in [false, true] {
        let folder = TempDir::new().unwrap();
        check(&write(folder.path(), "BP4", deferred), "BP4");
    }
}

#[test]
fn names_are_recorded_where_adios2_tells_them() {
    let folder = TempDir::new().unwrap();
    let file = open(&write(folder.path(), "BP5", true), "BP5");
    let stream = stream_of(Payload::read(&file, "U", Step::At(3), 0).unwrap());
    let stream = fsz::Stream::from_vec(stream).unwrap();
    assert_eq!(stream.header().name.as_deref(), Some("U"));
}

/// One ADIOS2 block at each place, or several.
#[test]
fn blocks_that_lie_on_each_other_keep_their_own_payloads() {
    const ELEMENTS: u64 = 2000;
    let folder = TempDir::new().unwrap();
    for places in [1, 3] {
        let io = writer(&config(folder.path(), "BP5", &[("accuracy", "0.25")]));
        let u = io.define_variable::<f32>("U", &Layout::whole(&[ELEMENTS * places])).unwrap();
        let path = folder.path().join(format!("{places}.bp"));
        let mut out = io.open(&path, Mode::Write).unwrap();
        out.begin_step(None).unwrap();
        for value in 0..3 {
            let values = [value as f32; ELEMENTS as usize];
            out.put_block(&u, &[value % places * ELEMENTS], &[ELEMENTS], &values).unwrap();
        }
        out.end_step().unwrap();
        out.close().unwrap();

        let file = open(&path, "BP5");
        for block in 0..3 {
            let stream = stream_of(Payload::read(&file, "U", Step::At(0), block).unwrap());
            let stream = fsz::Stream::from_vec(stream).unwrap();
            let decoded = fsz::Codec::cpu().decompress::<f32>(&stream).unwrap();
            assert_eq!(decoded.len() as u64, ELEMENTS);
            assert!(decoded.iter().all(|&value| (value - block as f32).abs() <= 0.25));
        }
    }
}

#[test]
fn the_payload_of_one_of_many_blocks_is_read_without_a_list_of_all() {
    const BLOCKS: u64 = 5000;
    let folder = TempDir::new().unwrap();
    let io = writer(&config(folder.path(), "BP5", &[("accuracy", "0.25")]));
    let layout = Layout::global(&[8 * BLOCKS], &[0], &[8]);
    let u = io.define_variable::<f32>("U", &layout).unwrap();
    let path = folder.path().join("out.bp");
    let mut out = io.open(&path, Mode::Write).unwrap();
    out.begin_step(None).unwrap();
    for block in 0..BLOCKS {
        out.put_block(&u, &[8 * block], &[8], &[1.0; 8]).unwrap();
    }
    out.end_step().unwrap();
    out.close().unwrap();

    let file = open(&path, "BP5");
    // The shortest of some rounds, since other tests run beside this one.
    let time_of = |work: &dyn Fn(u64)| {
        let round = |_| {
            let began = Instant::now();
            (0..20).for_each(work);
            began.elapsed()
        };
        (0..10).map(round).min().unwrap()
    };
    let lists = time_of(&|_| {
        assert_eq!(file.blocks("U", Step::At(0)).unwrap().blocks.len() as u64, BLOCKS);
    });
    let payloads = time_of(&|block| {
        stream_of(Payload::read(&file, "U", Step::At(0), block).unwrap());
    });
    assert!(payloads < lists, "{payloads:?} for 20 payloads, {lists:?} for 20 lists of all");
}

#[test]
fn value_range_bounds_and_missing_values() {
    const FILL: f32 = 1e20;
    let mut values = to_f32(&smooth(5000, 0));
    values.iter_mut().for_each(|value| *value *= 50.0);
    let range = |values: &[f32]| {
        let low = values.iter().fold(f32::INFINITY, |low, &value| low.min(value));
        let high = values.iter().fold(f32::NEG_INFINITY, |high, &value| high.max(value));
        f64::from(high) - f64::from(low)
    };
    let bound = 1e-4 * range(&values);
    values[10..400].fill(FILL);
    values[2000] = f32::NAN;
    values[2001] = f32::from_bits(0x7fc0_1234);
    values[3000] = f32::NEG_INFINITY;

    for engine in ["BP5", "BP4"] {
        let folder = TempDir::new().unwrap();
        let parameters = [("accuracy", "1e-4"), ("mode", "rel"), ("missing", "1e20,-999")];
        let io = writer(&config(folder.path(), engine, &parameters));
        let path = write_u(&io, folder.path(), &values);

        let file = open(&path, engine);
        let read: Vec<f32> = file.read("U", Step::At(0), &Selection::All).unwrap();
        for (written, read) in values.iter().zip(&read) {
            if written.is_finite() && *written != FILL {
                assert!((f64::from(*written) - f64::from(*read)).abs() <= bound);
            } else {
                assert_eq!(written.to_bits(), read.to_bits());
            }
        }
        let stream = stream_of(Payload::read(&file, "U", Step::At(0), 0).unwrap());
        let stream = fsz::Stream::from_vec(stream).unwrap();
        let certificate = stream.certificate();
        assert_eq!((certificate.nan, certificate.inf, certificate.missing), (2, 1, 390));
    }
}

#[test]
fn incompressible_values_are_never_lost() {
    for engine in ["BP5", "BP4"] {
        for deferred in [false, true] {
            let folder = TempDir::new().unwrap();
            let io = writer(&config(folder.path(), engine, &[("accuracy", "1e-30")]));
            let variable = io.define_variable::<f32>("noise", &Layout::local(&[1])).unwrap();
            let path = folder.path().join("out.bp");
            let mut out = io.open(&path, Mode::Write).unwrap();
            let sizes = [1u64, 31, 257, 5000, 100_000];
            out.begin_step(None).unwrap();
            let values = noise(100_000);
            if deferred {
                out.put_batch(|batch| {
                    sizes.iter().try_for_each(|&size| {
                        batch.put_block(&variable, &[], &[size], &values[..size as usize])
                    })
                })
                .unwrap();
            } else {
                for size in sizes {
                    out.put_block(&variable, &[], &[size], &values[..size as usize]).unwrap();
                }
            }
            out.end_step().unwrap();
            out.close().unwrap();

            let file = open(&path, engine);
            for (block, size) in sizes.into_iter().enumerate() {
                let block = block as u64;
                let read: Vec<f32> =
                    file.read("noise", Step::At(0), &Selection::Block(block)).unwrap();
                let error = largest_error(&values[..size as usize], &read);
                assert!(error <= 1e-30, "{engine} {size}: {error}");
                match Payload::read(&file, "noise", Step::At(0), block).unwrap() {
                    Payload::Stream(_) => {}
                    Payload::Raw(bytes) => {
                        let raw: Vec<u8> = read.iter().flat_map(|v| v.to_le_bytes()).collect();
                        assert_eq!(bytes, raw);
                    }
                    Payload::NotFsz => panic!("the operator wrote it"),
                }
            }
        }
    }
}

#[test]
fn more_than_eight_dimensions() {
    let folder = TempDir::new().unwrap();
    let io = writer(&config(folder.path(), "BP5", &[("accuracy", "1e-3")]));
    let shape = [2, 1, 3, 2, 1, 5, 1, 4, 2, 3];
    let elements = shape.iter().product();
    let u = io.define_variable::<f32>("U", &Layout::whole(&shape)).unwrap();
    let path = folder.path().join("out.bp");
    let mut out = io.open(&path, Mode::Write).unwrap();
    let values = to_f32(&smooth(elements, 0));
    out.begin_step(None).unwrap();
    out.put(&u, &values).unwrap();
    out.end_step().unwrap();
    out.close().unwrap();
    let read: Vec<f32> = open(&path, "BP5").read("U", Step::At(0), &Selection::All).unwrap();
    assert!(largest_error(&values, &read) <= BOUND);
}

/// Writes a file with one step of one block of a variable U.
fn write_u(io: &Io, folder: &Path, values: &[f32]) -> PathBuf {
    let u = io.define_variable::<f32>("U", &Layout::whole(&[values.len() as u64])).unwrap();
    let path = folder.join("out.bp");
    let mut out = io.open(&path, Mode::Write).unwrap();
    out.begin_step(None).unwrap();
    out.put(&u, values).unwrap();
    out.end_step().unwrap();
    out.close().unwrap();
    path
}

#[test]
fn statistics_off_is_fine() {
    let folder = TempDir::new().unwrap();
    let io = writer(&config(folder.path(), "BP5", &[("accuracy", "1e-3")]));
    io.set_parameter("StatsLevel", "0").unwrap();
    let path = write_u(&io, folder.path(), &to_f32(&smooth(1000, 0)));
    let file = open(&path, "BP5");
    assert_eq!(file.blocks("U", Step::At(0)).unwrap().blocks[0].range, None);
    // The stream's certificate has what ADIOS2 did not record.
    let stream = stream_of(Payload::read(&file, "U", Step::At(0), 0).unwrap());
    let stream = fsz::Stream::from_vec(stream).unwrap();
    let certificate = stream.certificate();
    assert!(certificate.min < certificate.max);
}

#[test]
fn targets_resolve_to_a_bound_of_the_block() {
    load_operator();
    let values = to_f32(&smooth(40_000, 0));
    for (mode, number, bound) in
        [("psnr", "70", fsz::Bound::Psnr(70.0)), ("ratio", "6", fsz::Bound::Ratio(6.0))]
    {
        let folder = TempDir::new().unwrap();
        let io = writer(&config(folder.path(), "BP5", &[("accuracy", number), ("mode", mode)]));
        let path = write_u(&io, folder.path(), &values);
        let stream = stream_of(Payload::read(&open(&path, "BP5"), "U", Step::At(0), 0).unwrap());
        let stream = fsz::Stream::from_vec(stream).unwrap();
        let header = stream.header();
        assert_eq!(header.bound, bound);
        assert!(stream.certificate().max_abs_error <= header.absolute_bound);
        match header.mean_squared_error {
            Some(error) => {
                let range = stream.certificate().max - stream.certificate().min;
                assert!(20.0 * (range / error.sqrt()).log10() >= 70.0);
            }
            None => assert!((stream.compression_ratio() / 6.0 - 1.0).abs() < 0.03),
        }
    }
}

/// Writes `U` in two ADIOS2 blocks, with a parameter beside a bound of 0.1. Each block has as many `regions`, each
/// element keeps the bound of its kind, as `own` tells them for its index, and each of the `KINDS` uses most of its bound.
fn keeps_bounds<const KINDS: usize>(
    folder: &Path,
    parameter: (&str, &str),
    regions: [usize; 2],
    own: impl Fn(u64) -> (usize, f64),
) {
    let io = writer(&config(folder, "BP5", &[("accuracy", "0.1"), parameter]));
    let u = io.define_variable::<f32>("U", &Layout::global(&SHAPE, &[0; 3], &SHAPE)).unwrap();
    let path = folder.join("out.bp");
    let mut out = io.open(&path, Mode::Write).unwrap();
    let values = to_f32(&smooth(ELEMENTS, 0));
    let (head, tail) = values.split_at((FIRST * LAYER) as usize);
    let [planes, rows, columns] = SHAPE;
    out.begin_step(None).unwrap();
    out.put_block(&u, &[0, 0, 0], &[FIRST, rows, columns], head).unwrap();
    out.put_block(&u, &[FIRST, 0, 0], &[planes - FIRST, rows, columns], tail).unwrap();
    out.end_step().unwrap();
    out.close().unwrap();
    let file = open(&path, "BP5");
    let mut worst = [0f64; KINDS];
    for (block, (first, values)) in [(0, head), (FIRST * LAYER, tail)].into_iter().enumerate() {
        let payload = Payload::read(&file, "U", Step::At(0), block as u64).unwrap();
        let stream = fsz::Stream::from_vec(stream_of(payload)).unwrap();
        assert_eq!(stream.regions().len(), regions[block]);
        let back = read_block(&file, Step::At(0), block as u64);
        for (i, (a, b)) in (first..).zip(values.iter().zip(back)) {
            let (kind, bound) = own(i);
            let error = (f64::from(*a) - f64::from(b)).abs();
            assert!(error <= bound, "element {i}: {a} became {b} within {bound}");
            worst[kind] = worst[kind].max(error / bound);
        }
    }
    assert!(worst.iter().all(|&worst| worst > 0.5), "{worst:?}");
}

#[test]
fn boxes_of_the_global_array_keep_bounds_of_their_own() {
    load_operator();
    let folder = TempDir::new().unwrap();
    let boxes = ("bound_in", "2:9,10:20,:=1e-5; 11,:,:=1");
    keeps_bounds::<3>(folder.path(), boxes, [1, 2], |i| match (i / LAYER, i / 40 % 30) {
        (11, _) => (2, 1.0),
        (2..9, 10..20) => (1, 1e-5),
        _ => (0, 0.1),
    });
}

/// A `.npy` file of values of this type and shape.
fn npy(path: &Path, descr: &str, shape: &str, values: &[u8]) {
    let text = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({shape}), }}\n");
    let head = [b"\x93NUMPY\x01\x00", &(text.len() as u16).to_le_bytes()[..]].concat();
    fs::write(path, [&head, text.as_bytes(), values].concat()).unwrap();
}

#[test]
fn masks_of_the_global_array_keep_bounds_of_their_own() {
    load_operator();
    let folder = TempDir::new().unwrap();
    let set = |i: u64| i % 7 < 3 && i / LAYER % 2 == 1;
    let file = folder.path().join("storm.npy");
    let mask: Vec<u8> = (0..ELEMENTS).map(|i| u8::from(set(i))).collect();
    let [planes, rows, columns] = SHAPE;
    npy(&file, "|u1", &format!("{planes}, {rows}, {columns}"), &mask);
    let masks = format!("{}=1e-5", file.display());
    keeps_bounds::<2>(folder.path(), ("bound_where", &masks), [1, 1], |i| match set(i) {
        true => (1, 1e-5),
        false => (0, 0.1),
    });
}

#[test]
fn files_that_are_no_masks_are_errors_while_the_configuration_is_read() {
    load_operator();
    let folder = TempDir::new().unwrap();
    let place = |name: &str| folder.path().join(name);
    npy(&place("good.npy"), "|b1", "2, 3", &[1; 6]);
    npy(&place("integers.npy"), "<i4", "2, 3", &[1; 24]);
    npy(&place("short.npy"), "|b1", "2, 3", &[1; 5]);
    fs::write(place("text.npy"), "no mask").unwrap();
    for (name, good) in [
        ("good.npy", true),
        ("integers.npy", false),
        ("short.npy", false),
        ("text.npy", false),
        ("none.npy", false),
    ] {
        let masks = format!("{}=1e-5", place(name).display());
        let parameters = [("accuracy", "0.1"), ("bound_where", masks.as_str())];
        let read = Adios::with_config(&config(folder.path(), "BP5", &parameters));
        assert_eq!(read.is_ok(), good, "{name}");
    }
}

#[test]
fn bad_parameters_are_errors_while_the_configuration_is_read() {
    load_operator();
    let folder = TempDir::new().unwrap();
    for parameters in [
        &[("accuracy", "-1")][..],
        &[("accuracy", "1e-3"), ("precision", "4")],
        &[("accuracy", "1e-3"), ("mode", "snr")],
        &[("accuracy", "1e-3"), ("bound_in", "4:2=1")],
        &[("accuracy", "1e-3"), ("backend", "gpu")],
    ] {
        let config = config(folder.path(), "BP5", parameters);
        let refused = Adios::with_config(&config);
        assert!(matches!(refused, Err(Error::Call { .. })), "{parameters:?}");
    }
}

#[test]
fn a_put_without_a_bound_is_an_error() {
    let folder = TempDir::new().unwrap();
    let io = writer(&config(folder.path(), "BP5", &[]));
    let layout = Layout::whole(&[1000]);
    let u = io.define_variable::<f32>("U", &layout).unwrap();
    let other = io.define_variable::<f32>("other", &layout).unwrap();
    let mut out = io.open(folder.path().join("out.bp"), Mode::Write).unwrap();
    out.begin_step(None).unwrap();
    let values = to_f32(&smooth(1000, 0));
    assert!(matches!(out.put(&u, &values), Err(Error::Call { .. })));
    // ADIOS2 cannot end the step now.
    assert!(matches!(out.put(&other, &values), Err(Error::Unsupported(_))));
    out.close().unwrap();
}

#[test]
fn damage_is_a_clean_error_and_other_variables_stay_readable() {
    for engine in ["BP5", "BP4"] {
        let folder = TempDir::new().unwrap();
        let path = write(folder.path(), engine, false);
        let data = path.join("data.0");
        let sound = fs::read(&data).unwrap();
        // Inside the first payload of U: its envelope, its extents, its stream's header and body.
        let magic = sound.windows(4).position(|window| window == b"FSZA").unwrap();
        let length = u64::from_le_bytes(sound[magic + 8..magic + 16].try_into().unwrap());
        for offset in [4, 9, 35, 150, length as usize / 2, length as usize - 1] {
            let mut damaged = sound.clone();
            damaged[magic + offset] ^= 0x10;
            fs::write(&data, damaged).unwrap();
            let file = open(&path, engine);
            let read = file.read::<f32>("U", Step::At(0), &Selection::Block(0));
            assert!(matches!(read, Err(Error::Call { .. })), "{engine} {offset}");
            assert!(file.read::<f64>("V", Step::At(0), &Selection::Block(0)).is_ok());
            assert!(file.read::<f32>("plain", Step::At(0), &Selection::All).is_ok());
            if engine == "BP4" {
                // BP4 would serve the failed request again, into a buffer that is gone.
                let again = file.read::<f32>("U", Step::At(1), &Selection::All);
                assert!(matches!(again, Err(Error::Unsupported(_))));
            }
            let file = if engine == "BP4" { open(&path, engine) } else { file };
            let after = file.read::<f32>("U", Step::At(1), &Selection::All).unwrap();
            assert!(largest_error(&to_f32(&smooth(ELEMENTS, 1)), &after) <= BOUND);
        }
    }
}

#[test]
fn two_engines_at_once() {
    load_operator();
    std::thread::scope(|scope| {
        for engine in ["BP5", "BP5", "BP4"] {
            scope.spawn(move || {
                let folder = TempDir::new().unwrap();
                check(&write(folder.path(), engine, false), engine);
            });
        }
    });
}
