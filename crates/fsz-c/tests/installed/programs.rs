//! The examples, compiled and run: plainly, under valgrind, and with AddressSanitizer.

use std::{path::Path, process::Command};

use tempfile::TempDir;

use crate::tools::{compile, member, prefix, program, run};

/// The numbers that `layout.c` compares with those of C.
fn sizes() -> Vec<String> {
    [
        ("INFO", size_of::<fsz_c::fszc_info>()),
        ("CERTIFICATE", size_of::<fsz_c::fszc_certificate>()),
        ("TILE", size_of::<fsz_c::fszc_tile>()),
        ("TILE_COUNTS", size_of::<fsz_c::fszc_tile_counts>()),
        ("REGION", size_of::<fsz_c::fszc_region>()),
        ("TILE_COST", size_of::<fsz_c::fszc_tile_cost>()),
        ("RESEARCH", size_of::<fsz_c::fszc_research>()),
        ("DEVICE_INFO", size_of::<fsz_c::fszc_device_info>()),
        ("RESEARCH_AT", std::mem::offset_of!(fsz_c::fszc_info, research)),
        ("RATES_AT", std::mem::offset_of!(fsz_c::fszc_tile, rates)),
        ("NAME_AT", std::mem::offset_of!(fsz_c::fszc_device_info, name)),
    ]
    .map(|(name, number)| format!("-D{name}={number}"))
    .to_vec()
}

/// Compiles programs of one folder and runs them in turn, each by `command`.
fn run_all(test: &str, sources: &[&str], flags: &[&str], command: &[&str]) {
    let prefix = prefix();
    let folder = TempDir::new().expect("a folder");
    let sizes = sizes();
    let mut flags = flags.to_vec();
    flags.extend(sizes.iter().map(String::as_str));
    for source in sources {
        let source = member().join(source);
        // gfortran knows no definitions.
        let is_fortran = source.extension().is_some_and(|extension| extension == "f90");
        let flags = if is_fortran { &[][..] } else { &flags };
        let Some(program) = compile(test, &prefix, &source, folder.path(), flags) else { return };
        let words = command.iter().copied().map(Path::new).chain([program.as_path()]);
        let mut words = words.map(Path::as_os_str);
        let mut command = Command::new(words.next().expect("a program"));
        let printed = run(command.args(words).current_dir(&folder));
        assert!(!printed.is_empty(), "{}", source.display());
    }
}

const IN_C: [&str; 4] =
    ["examples/compress.c", "examples/read.c", "examples/device.c", "tests/installed/calls.c"];

#[test]
#[ignore = "needs the library installed: cargo xtask test c"]
fn in_c() {
    run_all("programs in C", &IN_C, &["-O1"], &[]);
}

#[test]
#[ignore = "needs the library installed: cargo xtask test c"]
fn in_cpp() {
    let sources = ["examples/compress.cpp", "tests/installed/calls.cpp"];
    run_all("programs in C++", &sources, &["-O1"], &[]);
}

#[test]
#[ignore = "needs the library installed: cargo xtask test c"]
fn in_fortran() {
    run_all("programs in Fortran", &["examples/compress.f90"], &[], &[]);
}

#[test]
#[ignore = "needs the library installed: cargo xtask test c"]
fn under_valgrind() {
    let test = "programs in C under valgrind";
    if program(test, "VALGRIND", "valgrind", "valgrind").is_none() {
        return;
    }
    let command = ["valgrind", "--quiet", "--error-exitcode=9", "--leak-check=full"];
    let mut words = command.to_vec();
    words.push("--errors-for-leak-kinds=definite");
    run_all(test, &["tests/installed/calls.c"], &["-O1"], &words);
}

#[test]
#[ignore = "needs the library installed: cargo xtask test c"]
fn with_address_sanitizer() {
    let flags = ["-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"];
    let sources = ["tests/installed/calls.c", "tests/installed/calls.cpp"];
    run_all("programs with AddressSanitizer", &sources, &flags, &[]);
}
