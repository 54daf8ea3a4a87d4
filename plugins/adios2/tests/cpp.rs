//! The C++ examples, compiled against the ADIOS2 in use and run.

mod programs;

use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use fsz_field::bp::Bp;
use tempfile::TempDir;

use programs::run;

/// The C++ libraries beside the C one, by their file names: a distribution may add to the name.
fn library(folder: &Path, part: &str) -> PathBuf {
    let files = fs::read_dir(folder).expect("a library folder").filter_map(Result::ok);
    let mut names: Vec<_> = files.filter_map(|file| file.file_name().into_string().ok()).collect();
    names.sort();
    let wanted = |name: &&String| {
        name.starts_with("libadios2")
            && name.contains(&format!("_{part}.so"))
            && !name.contains("mpi")
    };
    folder.join(names.iter().find(wanted).unwrap_or_else(|| panic!("no C++ library for {part}")))
}

fn compile(source: &str, folder: &Path) -> PathBuf {
    let libraries =
        adios2::library_path().expect("ADIOS2 is installed").parent().expect("a folder");
    let include = adios2_sys::discovery::header().expect("ADIOS2's headers are installed");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    let program = folder.join(source.file_stem().expect("a name"));
    let mut rpath = OsString::from("-Wl,-rpath,");
    rpath.push(libraries);
    let mut compile = Command::new(env::var_os("CXX").unwrap_or_else(|| "c++".into()));
    compile
        .args(["-std=c++17", "-O1", "-Wall", "-Werror", "-I"])
        .arg(include)
        .arg(&source)
        .args([library(libraries, "cxx"), library(libraries, "core")])
        .arg(rpath)
        .args(["-Wl,--allow-shlib-undefined", "-o"])
        .arg(&program);
    run(&mut compile, &format!("compiling {}", source.display()));
    program
}

/// Runs a program with the operator in reach.
fn run_in(folder: &Path, source: &str, arguments: &[&OsStr]) {
    let plugins =
        fsz_field::bp::load_operator().expect("cargo built it").parent().expect("it has one");
    let mut program = Command::new(compile(source, folder));
    program.args(arguments).current_dir(folder).env("ADIOS2_PLUGIN_PATH", plugins);
    run(&mut program, source);
}

#[test]
fn writer_and_reader() {
    let folder = TempDir::new().expect("a scratch folder");
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/adios2.xml");
    run_in(folder.path(), "examples/cpp/writer.cpp", &[config.as_os_str()]);
    run_in(folder.path(), "examples/cpp/reader.cpp", &[]);
    // The configuration's operator was used: the field is far smaller than its 8 MB.
    let data = folder.path().join("cpp.bp/data.0");
    assert!(fs::metadata(data).expect("BP5 data").len() < 2_000_000);
}

#[test]
fn arrays_of_every_kind() {
    let folder = TempDir::new().expect("a scratch folder");
    run_in(folder.path(), "tests/cpp/cases.cpp", &[]);
}

#[test]
fn a_variable_without_a_bound_is_refused_by_name() {
    let folder = TempDir::new().expect("a scratch folder");
    run_in(folder.path(), "tests/cpp/refused.cpp", &[]);
}

/// BP5 tells a reader that has all steps at hand the shape of the last one.
#[test]
fn a_joined_array_has_the_shape_of_each_step() {
    for engine in ["BP5", "BP4"] {
        let folder = TempDir::new().expect("a scratch folder");
        let file = folder.path().join("joined.bp");
        run_in(folder.path(), "tests/cpp/joined.cpp", &[file.as_os_str(), engine.as_ref()]);
        let bp = Bp::open(&file).expect("it can be read");
        for (step, rows) in [10, 25, 20, 35, 30].into_iter().enumerate() {
            let shape = bp.blocks("u", step as u64).expect("it is there").shape;
            assert_eq!(shape, [rows, 30], "{engine}, step {step}");
            let read = bp.read("u", step as u64, None).expect("it is compressed");
            let values = read.as_slice::<f64>().expect("it is of double");
            for (index, value) in values.iter().enumerate() {
                let written = (100 * step + index / 30) as f64;
                assert!((value - written).abs() <= 0.25, "{engine}, step {step}, value {index}");
            }
        }
    }
}
