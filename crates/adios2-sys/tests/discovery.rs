//! Where ADIOS2 is looked for. Each case runs in a child process with an environment of its own.

use std::{
    env, fs,
    path::Path,
    process::{Command, Stdio},
};

use adios2_sys::discovery;

/// The child: prints what it finds.
#[test]
fn print_findings() {
    for found in [discovery::header(), discovery::library()] {
        match found {
            Ok(path) => println!("found {}", path.display()),
            Err(not_found) => println!("{not_found}"),
        }
    }
}

/// What a child prints in an environment of `variables` only.
fn findings(variables: &[(&str, &Path)]) -> String {
    let output = Command::new(env::current_exe().unwrap())
        .args(["--exact", "print_findings", "--nocapture"])
        .env_clear()
        // No python3 of this machine.
        .env("PATH", "/nonexistent")
        .envs(variables.iter().copied())
        .stderr(Stdio::inherit())
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

/// An installation with nothing in its files.
fn install(prefix: &Path, include: &str, library: &str) {
    for file in [include, library] {
        let file = prefix.join(file);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, "").unwrap();
    }
}

#[test]
fn one_message_lists_every_place() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path();
    let text = findings(&[("ADIOS2_DIR", empty), ("CMAKE_PREFIX_PATH", empty), ("HOME", empty)]);
    for place in [
        format!("ADIOS2_DIR: {}", empty.display()),
        format!("CMAKE_PREFIX_PATH: {}", empty.display()),
        "Python package of python3 (python3 has no adios2)".into(),
        format!("FSZ cache folder: {}/.cache/fsz/adios2-2.12.1", empty.display()),
    ] {
        assert_eq!(text.matches(&place).count(), 2, "{place}\n{text}");
    }
    let nothing = findings(&[]);
    assert!(nothing.contains("ADIOS2_DIR (not set)"), "{nothing}");
    assert!(nothing.contains("set ADIOS2_DIR"), "{nothing}");
}

#[test]
fn places_are_tried_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let [chosen, prefix, cache] =
        ["chosen", "prefix", "cache"].map(|name| folder.path().join(name));
    install(&chosen, "include/adios2_c.h", "lib/libadios2_c.so.2.12");
    install(&prefix, "include/adios2_c.h", "lib64/libadios2_serial_c.so.2.12");
    let package = "adios2-2.12.1/lib/python3.11/site-packages/adios2";
    let file = |name: &str| format!("{package}/{name}");
    install(&cache, &file("include/adios2_c.h"), &file("libadios2_c.so"));

    let places =
        [("ADIOS2_DIR", chosen.as_path()), ("CMAKE_PREFIX_PATH", &prefix), ("FSZ_CACHE", &cache)];
    for (first, (_, expected)) in places.iter().enumerate() {
        let text = findings(&places[first..]);
        let found: Vec<_> = text.lines().filter_map(|line| line.strip_prefix("found ")).collect();
        assert_eq!(found.len(), 2, "{text}");
        assert!(found.iter().all(|path| Path::new(path).starts_with(expected)), "{text}");
    }
}

#[test]
fn adios2_dir_may_be_the_cmake_folder_or_an_environment() {
    let folder = tempfile::tempdir().unwrap();
    let prefix = folder.path().join("prefix");
    install(&prefix, "include/adios2_c.h", "lib/libadios2_c.so");
    let cmake = prefix.join("lib/cmake/adios2");
    fs::create_dir_all(&cmake).unwrap();
    let environment = folder.path().join("environment");
    let package = environment.join("lib/python3.12/site-packages/adios2");
    install(&package, "include/adios2_c.h", "libadios2_c.so");
    for given in [&cmake, &environment, &package] {
        let text = findings(&[("ADIOS2_DIR", given)]);
        assert_eq!(text.matches("found ").count(), 2, "{text}");
    }
}

#[test]
fn the_mpi_library_is_not_taken() {
    let folder = tempfile::tempdir().unwrap();
    install(folder.path(), "include/adios2_c.h", "lib/libadios2_c_mpi.so");
    assert!(findings(&[("ADIOS2_DIR", folder.path())]).contains("ADIOS2 not found"));
}
