//! One library for every ADIOS2 from 2.8 to 2.12: imitations of each, and the real ones that
//! `cargo xtask test hosts` downloads. Without those the test says what it skipped.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hosts")
}

/// The library, as cargo built it.
fn library() -> &'static Path {
    fsz_field::bp::load_operator().expect("cargo built it beside this test")
}

fn run(command: &mut Command, what: &str) {
    let output = command.output().expect("it starts");
    assert!(
        output.status.success(),
        "{what}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Hosts that export nothing, told apart by the vtable alone.
#[test]
fn every_layout_without_symbols_and_a_refusal_of_others() {
    let scratch = TempDir::new().unwrap();
    for abi in ["0", "1"] {
        let program = scratch.path().join(format!("fake{abi}"));
        run(
            Command::new(env::var_os("CXX").unwrap_or_else(|| "c++".into()))
                .args(["-std=c++17", "-O1", "-Wall", "-Werror"])
                .arg(format!("-D_GLIBCXX_USE_CXX11_ABI={abi}"))
                .arg(folder().join("fake.cpp"))
                .arg("-o")
                .arg(&program)
                .arg("-ldl"),
            "compiling fake.cpp",
        );
        run(Command::new(&program).arg(library()), &format!("strings of ABI {abi}"));
    }
}

/// A Python environment with an ADIOS2, by the folder's name.
struct Host {
    name: String,
    python: PathBuf,
    script: PathBuf,
}

/// Those in the folder that `FSZ_ADIOS2_HOSTS` names.
fn hosts() -> Option<Vec<Host>> {
    let all = PathBuf::from(env::var_os("FSZ_ADIOS2_HOSTS")?);
    let mut hosts: Vec<Host> = fs::read_dir(&all)
        .unwrap_or_else(|error| panic!("{}: {error}", all.display()))
        .map(|entry| {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let script = if name.starts_with("openpmd") { "openpmd.py" } else { "adios.py" };
            Host { python: path.join("bin/python"), script: folder().join(script), name }
        })
        .collect();
    hosts.sort_by(|one, other| one.name.cmp(&other.name));
    Some(hosts)
}

impl Host {
    fn run(&self, arguments: &[&Path]) {
        let mut python = Command::new(&self.python);
        python.arg("-B").arg(&self.script).args(arguments);
        python.env("ADIOS2_PLUGIN_PATH", library().parent().unwrap());
        run(&mut python, &format!("{} {arguments:?}", self.name));
    }
}

#[test]
fn every_version_reads_what_every_version_wrote() {
    let Some(hosts) = hosts() else {
        eprintln!(
            "SKIPPED: every_version_reads_what_every_version_wrote: no other ADIOS2 is installed; \
             `cargo xtask test hosts` downloads them"
        );
        return;
    };
    assert!(hosts.len() > 1, "FSZ_ADIOS2_HOSTS holds too few");
    let scratch = TempDir::new().unwrap();
    let mut files = Vec::new();
    for host in &hosts {
        for engine in ["BP5", "BP4"] {
            let file = scratch.path().join(format!("{}-{engine}.bp", host.name));
            host.run(&[Path::new("write"), &file, Path::new(engine)]);
            files.push(file);
        }
    }
    for host in &hosts {
        let all: Vec<&Path> =
            [Path::new("read")].into_iter().chain(files.iter().map(PathBuf::as_path)).collect();
        host.run(&all);
    }
}
