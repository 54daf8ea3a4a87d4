//! Programs that the system must bring, and what to install where one is missing.

use crate::process;
use anyhow::{Result, bail};
use std::ffi::OsString;
use std::process::Command;

/// A Python 3.10 or newer that can make virtual environments: `$PYTHON`, else `python3`.
pub fn python() -> Result<OsString> {
    let python = std::env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let check = |code| process::succeeds(Command::new(&python).args(["-c", code]));
    let name = python.to_string_lossy();
    if !check("") {
        bail!("{name} not found: install Python 3.10 or newer (Debian: apt install python3-venv)");
    }
    if !check("import sys; sys.exit(sys.version_info < (3, 10))") {
        bail!("{name} is too old: install Python 3.10 or newer, or name one in PYTHON");
    }
    if !check("import venv, ensurepip") {
        bail!("{name} cannot make virtual environments: on Debian, apt install python3-venv");
    }
    Ok(python)
}

/// An error that says what to install when no C++ compiler answers.
pub fn require_cxx() -> Result<()> {
    let named = std::env::var_os("CXX").into_iter();
    let usual = ["c++", "g++", "clang++"].map(OsString::from);
    for compiler in named.chain(usual) {
        if process::succeeds(Command::new(compiler).arg("--version")) {
            return Ok(());
        }
    }
    bail!("no C++ compiler found: install g++ (Debian: apt install g++), or name one in CXX")
}

/// Whether a `cmake` answers on the PATH.
pub fn has_system_cmake() -> bool {
    process::succeeds(Command::new("cmake").arg("--version"))
}

/// The folder of the C compiler's own headers.
pub fn compiler_headers() -> Option<String> {
    let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
    let said = process::output(Command::new(compiler).arg("-print-file-name=include")).ok()?;
    let folder = String::from_utf8(said.stdout).ok()?.trim().to_string();
    std::path::Path::new(&folder).is_dir().then_some(folder)
}
