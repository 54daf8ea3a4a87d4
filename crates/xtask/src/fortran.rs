//! A Fortran compiler for the tests of the C library's Fortran module: the system's, else the gfortran of
//! Debian's packages, unpacked into the cache folder. Unpacking needs no rights and changes nothing else.

use crate::{cache, folder, process};
use anyhow::{Context, Result};
use fs_err as fs;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

/// The compiler for the tests: nothing where the system has one, or `FC` names one.
///
/// # Errors
/// Why there is none.
pub fn test_variables() -> Result<Option<(&'static str, OsString)>> {
    let answers = |program: &str| process::succeeds(Command::new(program).arg("--version"));
    if std::env::var_os("FC").is_some() || answers("gfortran") {
        return Ok(None);
    }
    let gcc = process::stdout(Command::new("gcc").arg("-dumpversion"))?;
    let gcc = gcc.trim();
    let _lock = cache::lock()?;
    let done = cache::folder()?.join(format!("gfortran-{gcc}"));
    let program = done.join("gfortran");
    if !process::succeeds(Command::new(&program).arg("--version")) {
        println!("unpacking gfortran {gcc} into {}", done.display());
        unpack(gcc, &done)?;
    }
    Ok(Some(("FC", program.into())))
}

/// Downloads the packages that belong to this version of gcc, which apt checks, and unpacks them.
fn unpack(gcc: &str, done: &Path) -> Result<()> {
    folder::empty(done)?;
    let packages =
        [format!("gfortran-{gcc}"), format!("libgfortran-{gcc}-dev"), "libgfortran5".to_owned()];
    let mut download = Command::new("apt-get");
    download.current_dir(done).args(["--quiet", "--quiet", "download"]).args(&packages);
    process::stdout(&mut download)?;
    for entry in fs::read_dir(done)? {
        let package = entry?.path();
        process::run(Command::new("dpkg-deb").arg("--extract").arg(&package).arg(done))?;
        fs::remove_file(package)?;
    }
    write_program(gcc, done)
}

/// The compiler as programs call it: it finds the parts that it shares with gcc, and what it compiles finds
/// the Fortran library.
fn write_program(gcc: &str, done: &Path) -> Result<()> {
    let shared = process::stdout(Command::new("gcc").arg("-print-libgcc-file-name"))?;
    let shared = Path::new(shared.trim()).parent().context("libgcc lies in a folder")?;
    let machine = process::stdout(Command::new("gcc").arg("-dumpmachine"))?;
    let library = done.join("usr/lib").join(machine.trim());
    let script = format!(
        "#!/bin/sh\nexec '{}/usr/bin/gfortran-{gcc}' -B'{}/' -Wl,-rpath,'{}' \"$@\"\n",
        done.display(),
        shared.display(),
        library.display()
    );
    let program = done.join("gfortran");
    fs::write(&program, script)?;
    Ok(fs::set_permissions(program, PermissionsExt::from_mode(0o755))?)
}
