//! The files of the installation, and what the shared library exports.

use std::{collections::BTreeSet, fs, process::Command};

use tempfile::TempDir;

use crate::tools::{Language, member, prefix, program, run};

/// The functions that the header declares.
pub fn declared() -> BTreeSet<String> {
    let header = fs::read_to_string(member().join("include/fsz_codec.h")).expect("the header");
    let code: String = header.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
    let names = code.split("fszc_").skip(1).filter_map(|rest| {
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_')?;
        rest[end..].starts_with('(').then(|| format!("fszc_{}", &rest[..end]))
    });
    names.collect()
}

#[test]
#[ignore = "needs the library installed: cargo xtask test c"]
fn everything_is_there() {
    let prefix = prefix();
    let version = env!("CARGO_PKG_VERSION");
    for file in [
        "include/fsz_codec.h",
        "include/fsz_codec.hpp",
        "include/fsz_codec.f90",
        "lib/libfsz_codec.a",
        "lib/libfsz_codec.so",
        &format!("lib/libfsz_codec.so.{version}"),
        "lib/pkgconfig/fsz-codec.pc",
        "share/fsz_codec/cmake/fsz_codec-config.cmake",
        "share/fsz_codec/cmake/fsz_codec-config-version.cmake",
    ] {
        assert!(prefix.join(file).is_file(), "no {file}");
    }
}

#[test]
#[ignore = "needs the library installed: cargo xtask test c"]
fn an_older_standard_is_told_at_once() {
    let Some(compiler) = Language::Cpp.compiler("older C++") else { return };
    let folder = TempDir::new().expect("a folder");
    let compile = |header: &str, standard: &str| {
        let source = folder.path().join("program.cpp");
        fs::write(&source, format!("#include <{header}>\nint main() {{}}\n")).expect("writes");
        let mut compile = Command::new(&compiler);
        compile.arg(format!("-std={standard}")).args(["-pedantic-errors", "-fsyntax-only", "-I"]);
        let done = compile.arg(prefix().join("include")).arg(source).output().expect("it starts");
        let told = String::from_utf8_lossy(&done.stderr).into_owned();
        (done.status.success(), told.lines().find(|line| line.contains("error")).map(str::to_owned))
    };
    for standard in ["c++11", "c++14"] {
        assert_eq!(compile("fsz_codec.h", standard), (true, None), "{standard}");
        let (compiles, told) = compile("fsz_codec.hpp", standard);
        let told = told.expect("an error");
        assert!(!compiles && told.contains("fsz_codec.hpp needs C++17"), "{standard}: {told}");
    }
    assert_eq!(compile("fsz_codec.hpp", "c++17"), (true, None));
}

#[test]
#[ignore = "needs the library installed: cargo xtask test c"]
fn only_the_header_is_exported() {
    let test = "symbols of the C library";
    let prefix = prefix();
    let Some(nm) = program(test, "NM", "nm", "binutils") else { return };
    let library = prefix.join("lib/libfsz_codec.so");
    let symbols = run(Command::new(nm).args(["-D", "--defined-only"]).arg(library));
    let exported: BTreeSet<String> =
        symbols.lines().filter_map(|line| Some(line.split(' ').nth(2)?.to_owned())).collect();
    let declared = declared();
    assert!(declared.len() > 70, "{declared:?}");
    assert_eq!(exported, declared);
}

#[test]
#[ignore = "needs the library installed: cargo xtask test c"]
fn the_shared_library_has_a_version_and_stays_loaded() {
    let test = "soname of the C library";
    let prefix = prefix();
    let Some(readelf) = program(test, "READELF", "readelf", "binutils") else { return };
    let read = run(Command::new(readelf).arg("-d").arg(prefix.join("lib/libfsz_codec.so")));
    let mut parts = env!("CARGO_PKG_VERSION").split('.');
    let major = parts.next().expect("a major number");
    // Before 1.0 a minor release may change the interface.
    let number = if major == "0" {
        format!("0.{}", parts.next().expect("a minor number"))
    } else {
        major.to_owned()
    };
    assert!(read.contains(&format!("[libfsz_codec.so.{number}]")), "{read}");
    assert!(read.contains("NODELETE"), "{read}");
}

#[test]
#[ignore = "needs the library installed: cargo xtask test c"]
fn pkg_config_finds_the_shared_and_the_static_library() {
    let test = "pkg-config of the C library";
    let prefix = prefix();
    let Some(pkg_config) = program(test, "PKG_CONFIG", "pkg-config", "pkg-config") else { return };
    let Some(cc) = program(test, "CC", "cc", "gcc") else { return };
    let folder = TempDir::new().expect("a folder");
    let ask = |words: &[&str]| {
        let mut ask = Command::new(&pkg_config);
        ask.env("PKG_CONFIG_PATH", prefix.join("lib/pkgconfig")).args(words);
        run(&mut ask).trim().to_owned()
    };
    assert_eq!(ask(&["--modversion", "fsz-codec"]), env!("CARGO_PKG_VERSION"));
    for (words, remains) in [(["--cflags", "--libs"], true), (["--static", "--libs"], false)] {
        let out = folder.path().join("program");
        let cflags = ask(&["--cflags", "fsz-codec"]);
        let mut libs = ask(&[words[0], words[1], "fsz-codec"]);
        if !remains {
            let archive = prefix.join("lib/libfsz_codec.a").display().to_string();
            libs = libs.replace("-lfsz_codec", &archive);
        }
        let mut compile = Command::new(&cc);
        compile.arg(member().join("examples/compress.c")).args(cflags.split_whitespace());
        run(compile.args(libs.split_whitespace()).arg("-o").arg(&out));
        let mut program = Command::new(&out);
        run(program.current_dir(&folder).env("LD_LIBRARY_PATH", prefix.join("lib")));
        if let Some(readelf) = self::program(test, "READELF", "readelf", "binutils") {
            let needed = run(Command::new(readelf).arg("-d").arg(&out));
            assert_eq!(needed.contains("libfsz_codec.so"), remains, "{needed}");
        }
    }
}

const PROJECT: &str = "\
cmake_minimum_required(VERSION 3.16)
project(app LANGUAGES C CXX)
find_package(fsz_codec 0.2 REQUIRED)
set(CMAKE_CXX_STANDARD 17)
add_executable(in_c EXAMPLES/compress.c)
target_link_libraries(in_c PRIVATE fsz_codec::fsz_codec)
add_executable(in_cpp EXAMPLES/compress.cpp)
target_link_libraries(in_cpp PRIVATE fsz_codec::fsz_codec)
add_executable(in_one EXAMPLES/compress.cpp)
target_link_libraries(in_one PRIVATE fsz_codec::fsz_codec_static)
";

const FORTRAN_PROJECT: &str = "\
cmake_minimum_required(VERSION 3.16)
project(app LANGUAGES Fortran)
find_package(fsz_codec 0.2 REQUIRED)
add_executable(in_fortran EXAMPLES/compress.f90 ${FSZ_CODEC_FORTRAN_MODULE})
target_link_libraries(in_fortran PRIVATE fsz_codec::fsz_codec)
";

#[test]
#[ignore = "needs the library installed: cargo xtask test c"]
fn cmake_finds_the_package() {
    let test = "CMake package of the C library";
    let prefix = prefix();
    let Some(cmake) = program(test, "CMAKE", "cmake", "cmake") else { return };
    let folder = TempDir::new().expect("a folder");
    let examples = member().join("examples").display().to_string();
    let build = |project: &str, version: &str| {
        let text = project.replace("EXAMPLES", &examples).replace("0.2", version);
        fs::write(folder.path().join("CMakeLists.txt"), text).expect("written");
        let mut configure = Command::new(&cmake);
        configure.current_dir(&folder).args(["-B", "build", "-S", "."]);
        configure.env("CMAKE_PREFIX_PATH", &prefix);
        configure
    };
    let mut projects = vec![(PROJECT, vec!["in_c", "in_cpp", "in_one"])];
    if Language::Fortran.compiler("CMake package in Fortran").is_some() {
        projects.push((FORTRAN_PROJECT, vec!["in_fortran"]));
    }
    for (project, programs) in projects {
        let built = folder.path().join("build");
        if built.exists() {
            fs::remove_dir_all(&built).expect("removed");
        }
        run(&mut build(project, env!("CARGO_PKG_VERSION")));
        run(Command::new(&cmake).current_dir(&folder).args(["--build", "build"]));
        for name in programs {
            run(Command::new(built.join(name)).current_dir(&folder));
        }
    }
    let own = env!("CARGO_PKG_VERSION");
    run(&mut build(PROJECT, &format!("0.1...{own}")));
    for other in ["0.1", "99.0", &format!("0.1...<{own}"), "99.0...99.1"] {
        let refused = build(PROJECT, other).output().expect("cmake starts");
        let words = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && words.contains("fsz_codec"), "{words}");
    }
}
