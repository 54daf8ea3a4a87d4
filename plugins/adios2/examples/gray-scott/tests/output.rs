//! The program writes what it says, without any operator.

use std::{path::Path, process::Command};

use adios2::{Adios, Attribute, Mode, Selection, ShapeKind, Step};

fn run(folder: &Path, arguments: &[&str]) -> adios2::Engine {
    let output = Command::new(env!("CARGO_BIN_EXE_gray-scott"))
        .args(["--size", "8x10x12", "--steps", "3", "--plot-interval", "5", "-o", "out.bp"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("written in") || text.contains("\"write_seconds\""), "{text}");
    let io = Adios::new().unwrap().declare_io("in").unwrap();
    io.open(folder.join("out.bp"), Mode::ReadRandomAccess).unwrap()
}

#[test]
fn writes_every_step_in_both_types() {
    let folder = tempfile::tempdir().unwrap();
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("adios2-plain.xml");
    let config = config.to_str().unwrap();
    let file = run(folder.path(), &["--type", "f32", "--config", config, "--json"]);
    for name in ["U", "V"] {
        let variable = file.variable(name).unwrap();
        assert_eq!((variable.kind, variable.steps), (ShapeKind::GlobalArray, 3));
        assert_eq!(variable.shape, [8, 10, 12]);
    }
    let single: Vec<f32> = file.read("U", Step::At(2), &Selection::All).unwrap();
    assert!(single.iter().any(|&u| u < 0.9) && single.iter().all(|u| (0.0..=1.01).contains(u)));
    let time: Vec<f64> = file.read("time", Step::At(2), &Selection::All).unwrap();
    assert_eq!(time, [15.0]);
    let attributes = file.attributes().unwrap();
    assert!(attributes.contains(&("F".into(), Attribute::Float(vec![0.02]))));
    drop(file);

    let file = run(folder.path(), &["--type", "f64"]);
    let double: Vec<f64> = file.read("U", Step::At(2), &Selection::All).unwrap();
    let close = |(&a, &b): (&f32, &f64)| (f64::from(a) - b).abs() < 1e-5;
    assert!(single.iter().zip(&double).all(close));
}

#[test]
fn a_missing_configuration_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_gray-scott"))
        .args(["--config", "missing.xml"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("missing.xml"));
}
