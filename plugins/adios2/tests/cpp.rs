//! The C++ examples, compiled against the ADIOS2 in use and run.

use std::{
    env,
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

fn run(command: &mut Command) {
    let output = command.output().expect("it starts");
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

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

fn compile(example: &str, folder: &Path) -> PathBuf {
    let libraries =
        adios2::library_path().expect("ADIOS2 is installed").parent().expect("a folder");
    let include = adios2_sys::discovery::header().expect("ADIOS2's headers are installed");
    let program = folder.join(example);
    let source = format!("examples/cpp/{example}.cpp");
    let mut rpath = OsString::from("-Wl,-rpath,");
    rpath.push(libraries);
    run(Command::new(env::var_os("CXX").unwrap_or_else(|| "c++".into()))
        .args(["-std=c++17", "-O1", "-Wall", "-Werror", "-I"])
        .arg(include)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join(source))
        .args([library(libraries, "cxx"), library(libraries, "core")])
        .arg(rpath)
        .args(["-Wl,--allow-shlib-undefined", "-o"])
        .arg(&program));
    program
}

#[test]
fn writer_and_reader() {
    let folder = TempDir::new().expect("a scratch folder");
    let plugins =
        fsz_field::bp::load_operator().expect("cargo built it").parent().expect("it has one");
    let config = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../assets/adios2.xml");
    for (example, argument) in [("writer", Some(&config)), ("reader", None)] {
        run(Command::new(compile(example, folder.path()))
            .args(argument)
            .current_dir(&folder)
            .env("ADIOS2_PLUGIN_PATH", plugins));
    }
    // The configuration's operator was used: the field is far smaller than its 8 MB.
    let data = folder.path().join("cpp.bp/data.0");
    assert!(fs::metadata(data).expect("BP5 data").len() < 2_000_000);
}
