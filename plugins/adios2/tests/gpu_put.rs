//! The operator in an ADIOS2 that was built with CUDA and takes device memory by itself, for arrays
//! with an operator and without. `cargo xtask gpu-put` builds one; without it, or without a device,
//! the test says what it skipped.

mod common;

use std::{env, path::Path, process::Command};

use adios2::{Layout, Mode, Selection, Step};
use common::{config, largest_error, open, smooth, to_f32, writer};
use fsz::cuda::DeviceMemory;
use tempfile::TempDir;

const BOUND: f32 = 1e-3;
const SHAPES: [&[u64]; 3] = [&[60_000], &[200, 300], &[20, 30, 100]];

/// The memory of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Memory {
    Host,
    Device,
}

/// A process chooses its ADIOS2 once, so the arrays are written by another one.
#[test]
fn an_adios2_with_cuda_takes_arrays_of_the_host_and_of_a_device() {
    let test = "an_adios2_with_cuda_takes_arrays_of_the_host_and_of_a_device";
    let Some(adios2) = env::var_os("FSZ_CUDA_ADIOS2") else {
        eprintln!(
            "SKIPPED: {test}: there is no ADIOS2 with CUDA; `cargo xtask gpu-put` builds one"
        );
        return;
    };
    let mut inside = Command::new(env::current_exe().unwrap());
    inside.args(["--exact", "inside", "--ignored", "--nocapture", "--test-threads=1"]);
    let done = inside.env("ADIOS2_DIR", adios2).output().unwrap();
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}{}", String::from_utf8_lossy(&done.stdout));
    for skipped in said.lines().filter(|line| line.starts_with("SKIPPED: ")) {
        eprintln!("{skipped}");
    }
}

#[test]
#[ignore = "the other test runs it, with the ADIOS2 that it is about"]
fn inside() {
    write_and_read(Memory::Host);
    match DeviceMemory::new(0, 16, 0) {
        Ok(_) => write_and_read(Memory::Device),
        Err(reason) => {
            assert!(env::var_os("FSZ_REQUIRE_CUDA").is_none(), "{reason}");
            eprintln!("SKIPPED: device arrays through an ADIOS2 with CUDA: {reason}");
        }
    }
}

fn write_and_read(kind: Memory) {
    let folder = TempDir::new().unwrap();
    for shape in SHAPES {
        let values = to_f32(&smooth(shape.iter().product(), 3));
        let path = folder.path().join(format!("{kind:?}-{}.bp", shape.len()));
        write(folder.path(), &path, kind, shape, &values);

        let file = open(&path, "BP5");
        // ADIOS2 takes what lies on a device for column-major, and turns the extents round.
        let mut expected = shape.to_vec();
        if kind == Memory::Device {
            expected.reverse();
        }
        for name in ["U", "plain"] {
            assert_eq!(file.variable(name).unwrap().shape, expected, "{name} {kind:?}");
            let read: Vec<f32> = file.read(name, Step::At(0), &Selection::All).unwrap();
            let error = largest_error(&values, &read);
            let most = if name == "U" { f64::from(BOUND) } else { 0.0 };
            assert!(error <= most, "{name} {kind:?} {shape:?}: {error}");
            // The default StatsLevel: this ADIOS2 finds the range on the device.
            let (low, high) = file.blocks(name, Step::At(0)).unwrap().blocks[0].range.unwrap();
            let ends = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), &v| {
                (low.min(f64::from(v)), high.max(f64::from(v)))
            });
            assert_eq!((low, high), ends, "{name} {kind:?} {shape:?}");
        }
        let error =
            largest_error(&values, &file.read::<f32>("U", Step::At(0), &Selection::All).unwrap());
        assert!(error > 0.0, "the operator was at work");
    }
}

fn write(folder: &Path, path: &Path, kind: Memory, shape: &[u64], values: &[f32]) {
    let io = writer(&config(folder, "BP5", &[("accuracy", &BOUND.to_string())]));
    let layout = Layout::whole(shape);
    let u = io.define_variable::<f32>("U", &layout).unwrap();
    let plain = io.define_variable::<f32>("plain", &layout).unwrap();
    let memory = (kind == Memory::Device).then(|| {
        let mut memory = DeviceMemory::new(0, size_of_val(values), 0).unwrap();
        memory.write(0, values).unwrap();
        memory
    });
    let address = memory.as_ref().map_or(values.as_ptr(), |memory| {
        std::ptr::with_exposed_provenance(memory.address() as usize)
    });
    let mut out = io.open(path, Mode::Write).unwrap();
    out.begin_step(None).unwrap();
    out.put_batch(|batch| {
        for variable in [&u, &plain] {
            // SAFETY: the values are there until the batch is over; this ADIOS2 reads those of a device
            // with CUDA.
            unsafe { batch.put_address(variable, address, values.len())? };
        }
        Ok(())
    })
    .unwrap();
    out.end_step().unwrap();
    out.close().unwrap();
}
