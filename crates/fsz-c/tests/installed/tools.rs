//! Compilers and other programs, and the installed library.

use std::{
    env,
    ffi::OsString,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// This member's folder.
pub fn member() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Where the library is installed.
pub fn prefix() -> PathBuf {
    let prefix = env::var_os("FSZ_C_PREFIX");
    prefix.expect("`cargo xtask test c` installs the library and names it in FSZ_C_PREFIX").into()
}

/// A program by its variable or its usual name; `None`, said loudly, where it is not there.
pub fn program(test: &str, variable: &str, name: &str, package: &str) -> Option<OsString> {
    let program = env::var_os(variable).unwrap_or_else(|| name.into());
    let version = Command::new(&program)
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if version.is_ok_and(|status| status.success()) {
        return Some(program);
    }
    eprintln!("SKIPPED: {test}: no {name} (Debian: apt install {package})");
    None
}

/// Runs a command that must succeed; what it prints.
#[track_caller]
pub fn run(command: &mut Command) -> String {
    let done = command.output().unwrap_or_else(|why| panic!("{command:?}: {why}"));
    let printed = String::from_utf8_lossy(&done.stdout).into_owned();
    assert!(
        done.status.success(),
        "{command:?}: {}\n{printed}{}",
        done.status,
        String::from_utf8_lossy(&done.stderr)
    );
    printed
}

/// How programs in one language are compiled.
#[derive(Clone, Copy, Debug)]
pub enum Language {
    C,
    Cpp,
    Fortran,
}

impl Language {
    pub fn of(source: &Path) -> Self {
        match source.extension().and_then(|extension| extension.to_str()) {
            Some("c") => Language::C,
            Some("cpp") => Language::Cpp,
            _ => Language::Fortran,
        }
    }

    pub fn compiler(self, test: &str) -> Option<OsString> {
        match self {
            Language::C => program(test, "CC", "cc", "gcc"),
            Language::Cpp => program(test, "CXX", "c++", "g++"),
            Language::Fortran => program(test, "FC", "gfortran", "gfortran"),
        }
    }

    fn flags(self) -> &'static [&'static str] {
        const ALL: [&str; 4] = ["-Wall", "-Wextra", "-Werror", "-pedantic"];
        match self {
            Language::C => &["-std=c99", ALL[0], ALL[1], ALL[2], ALL[3]],
            Language::Cpp => &["-std=c++17", ALL[0], ALL[1], ALL[2], ALL[3]],
            Language::Fortran => &["-std=f2018", ALL[0], ALL[1], ALL[3]],
        }
    }
}

/// Compiles `source` against the installed library into `folder`; `None` where there is no compiler.
pub fn compile(
    test: &str,
    prefix: &Path,
    source: &Path,
    folder: &Path,
    more: &[&str],
) -> Option<PathBuf> {
    let language = Language::of(source);
    let mut compile = Command::new(language.compiler(test)?);
    let out = folder.join(source.file_name().expect("a file")).with_extension("program");
    compile.current_dir(folder).args(language.flags()).args(more);
    if matches!(language, Language::Fortran) {
        compile.arg(prefix.join("include/fsz_codec.f90"));
    } else {
        compile.arg("-I").arg(prefix.join("include"));
    }
    compile.arg(source).arg("-L").arg(prefix.join("lib")).arg("-lfsz_codec").arg("-o").arg(&out);
    run(compile.arg(format!("-Wl,-rpath,{}", prefix.join("lib").display())));
    Some(out)
}
