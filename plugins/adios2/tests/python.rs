//! Python programs that use the operator, run by the Python of the ADIOS2 in use.

mod programs;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

/// The interpreter of the environment that the ADIOS2 library lies in:
/// `<environment>/lib/python3.x/site-packages/adios2/libadios2_c.so`.
fn python() -> PathBuf {
    let library = adios2::library_path().expect("ADIOS2 is installed");
    let environment = library
        .ancestors()
        .find(|folder| folder.ends_with("site-packages"))
        .and_then(|packages| packages.ancestors().nth(3));
    let own = environment.map(|environment| environment.join("bin/python"));
    own.filter(|python| python.is_file()).unwrap_or_else(|| PathBuf::from("python3"))
}

fn run(script: &str, folder: &TempDir) {
    let plugins =
        fsz_field::bp::load_operator().expect("cargo built it").parent().expect("it has one");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(script);
    let mut program = Command::new(python());
    program.arg("-B").arg(&script).arg(folder.path()).current_dir(folder);
    programs::run(program.env("ADIOS2_PLUGIN_PATH", plugins), &script.display().to_string());
}

fn run_test(script: &str) {
    run(&format!("tests/python/{script}"), &TempDir::new().expect("a scratch folder"));
}

#[test]
fn files() {
    run_test("files.py");
}

#[test]
fn config() {
    run_test("config.py");
}

#[test]
fn choose() {
    run_test("choose.py");
}

#[test]
fn idiom() {
    run_test("idiom.py");
}

#[test]
fn messages() {
    run_test("messages.py");
}

#[test]
fn damage() {
    run_test("damage.py");
}

#[test]
fn special() {
    run_test("special.py");
}

#[test]
fn threads() {
    run_test("threads.py");
}

#[test]
fn stream() {
    run_test("stream.py");
}

#[test]
fn fork() {
    run_test("fork.py");
}

#[test]
fn device() {
    run_test("device.py");
}

#[test]
fn live() {
    run_test("live.py");
}

#[test]
fn examples() {
    let folder = TempDir::new().expect("a scratch folder");
    run("examples/python/writer.py", &folder);
    run("examples/python/reader.py", &folder);
}
