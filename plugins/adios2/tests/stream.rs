//! A stream through the operator by the real ADIOS2: SST, writer and reader on loopback.

mod common;

use std::{path::Path, thread, time::Duration};

use adios2::{Adios, Layout, Mode, Selection, Step, StepStatus};
use common::{config, largest_error, load_operator, smooth, to_f32, writer};
use fsz_field::bp::Payload;
use tempfile::TempDir;

const SHAPE: [u64; 2] = [60, 100];
const ELEMENTS: u64 = 6000;
/// Rows of the first of two ADIOS2 blocks.
const FIRST: u64 = 20;
const STEPS: u64 = 8;
const BOUND: f64 = 1e-4;
const PATIENCE: Duration = Duration::from_secs(60);

fn write(folder: &Path) {
    let io = writer(&config(folder, "SST", &[("accuracy", "1e-4")]));
    let u = io.define_variable::<f32>("U", &Layout::whole(&SHAPE)).unwrap();
    let v = io.define_variable::<f64>("V", &Layout::local(&[500])).unwrap();
    let plain = io.define_variable::<f64>("plain", &Layout::whole(&[50])).unwrap();
    let mut out = io.open(folder.join("stream"), Mode::Write).unwrap();
    for step in 0..STEPS {
        let values = to_f32(&smooth(ELEMENTS, step));
        let (head, tail) = values.split_at((FIRST * SHAPE[1]) as usize);
        let local = smooth(500, step);
        let whole = smooth(50, step);
        out.begin_step(None).unwrap();
        out.put_batch(|batch| {
            batch.put_block(&u, &[0, 0], &[FIRST, SHAPE[1]], head)?;
            batch.put_block(&u, &[FIRST, 0], &[SHAPE[0] - FIRST, SHAPE[1]], tail)?;
            batch.put_block(&u, &[0, 0], &[0, SHAPE[1]], &[])?;
            batch.put(&v, &local)?;
            batch.put(&plain, &whole)
        })
        .unwrap();
        out.end_step().unwrap();
    }
    out.close().unwrap();
}

fn read(folder: &Path) {
    load_operator();
    let io = Adios::new().unwrap().declare_io("in").unwrap();
    io.set_engine("SST").unwrap();
    let mut stream = io.open(folder.join("stream"), Mode::Read).unwrap();
    let mut step = 0;
    while stream.begin_step(Some(PATIENCE)).unwrap() == StepStatus::Ready {
        let now = Step::Current;
        let written = to_f32(&smooth(ELEMENTS, step));
        let read: Vec<f32> = stream.read("U", now, &Selection::All).unwrap();
        let error = largest_error(&written, &read);
        assert!(error <= BOUND && error > 0.0, "U step {step}: {error}");
        let read: Vec<f64> = stream.read("V", now, &Selection::Block(0)).unwrap();
        assert!(largest_error(&smooth(500, step), &read) <= BOUND);
        let read: Vec<f64> = stream.read("plain", now, &Selection::All).unwrap();
        assert_eq!(read, smooth(50, step));

        let Payload::Stream(bytes) = Payload::read(&stream, "U", now, 1).unwrap() else {
            panic!("U is compressed");
        };
        let payload = fsz::Stream::from_vec(bytes).unwrap();
        let decoded = fsz::Codec::cpu().decompress::<f32>(&payload).unwrap();
        let tail = &written[(FIRST * SHAPE[1]) as usize..];
        assert!(largest_error(tail, decoded.as_slice().unwrap()) <= BOUND);
        stream.end_step().unwrap();
        step += 1;
    }
    assert_eq!(step, STEPS);
    stream.close().unwrap();
}

#[test]
fn sst_on_loopback() {
    let folder = TempDir::new().unwrap();
    thread::scope(|scope| {
        scope.spawn(|| write(folder.path()));
        scope.spawn(|| read(folder.path()));
    });
}
