//! docs/c.md: its programs are the examples, and its commands are run.

use std::{
    env,
    ffi::OsString,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use crate::tools::{Language, member, prefix, program, run};

/// A block of code: its language, the file that it is, if it is one, and its text.
struct Block<'a> {
    language: &'a str,
    file: Option<&'a str>,
    text: String,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        let Some(words) = line.strip_prefix("```") else { continue };
        let mut words = words.split(' ');
        let language = words.next().unwrap_or_default();
        let text: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let text = text.join("\n") + "\n";
        blocks.push(Block { language, file: words.next(), text });
    }
    blocks
}

fn page() -> String {
    fs::read_to_string(member().join("../../docs/c.md")).expect("docs/c.md")
}

#[test]
fn shows_the_examples_as_they_are() {
    let page = page();
    let mut shown = 0;
    for block in blocks(&page) {
        assert!(["c", "cpp", "fortran", "cmake", "sh"].contains(&block.language));
        let Some(file) = block.file else {
            assert_eq!(block.language, "sh", "a program without a name");
            continue;
        };
        let example = fs::read_to_string(member().join("examples").join(file)).expect(file);
        assert!(example == block.text, "docs/c.md shows another {file}");
        shown += 1;
    }
    assert!(shown >= 5, "{shown} programs");
}

/// Runs all commands in order, as a newcomer would, in one folder with the programs of the page.
#[test]
#[ignore = "needs the library installed: cargo xtask test c"]
fn its_commands_work() {
    let test = "commands of docs/c.md";
    let prefix = prefix();
    for (variable, name, package) in [
        ("CC", "cc", "gcc"),
        ("CXX", "c++", "g++"),
        ("CMAKE", "cmake", "cmake"),
        ("PKG_CONFIG", "pkg-config", "pkg-config"),
    ] {
        if program(test, variable, name, package).is_none() {
            return;
        }
    }
    let has_fortran = Language::Fortran.compiler("Fortran commands of docs/c.md").is_some();
    let folder = TempDir::new().expect("a folder");
    symlink(&prefix, folder.path().join("fsz")).expect("a link");
    let mut script = String::from("set -eu\n");
    let page = page();
    for block in blocks(&page) {
        if let Some(file) = block.file {
            fs::write(folder.path().join(file), &block.text).expect("written");
        } else if has_fortran || !block.text.contains("gfortran") {
            // The library is installed already.
            let lines = block.text.lines().filter(|line| !line.starts_with("cargo xtask"));
            lines.for_each(|line| script += &format!("{line}\n"));
        }
    }
    let mut shell = Command::new("sh");
    shell.env("PATH", named_as_on_the_page(folder.path()));
    shell.current_dir(&folder).env("HOME", folder.path()).args(["-c", &script]);
    let printed = run(&mut shell);
    assert!(printed.contains(" : 1"), "{printed}");
}

/// The search path with the page's names first for programs that this machine has elsewhere.
fn named_as_on_the_page(folder: &Path) -> OsString {
    let names = folder.join("bin");
    fs::create_dir(&names).expect("a folder");
    for (variable, name) in [("CC", "cc"), ("CXX", "c++"), ("FC", "gfortran"), ("CMAKE", "cmake")] {
        if let Some(program) = env::var_os(variable).map(PathBuf::from).filter(|p| p.is_absolute())
        {
            symlink(program, names.join(name)).expect("a link");
        }
    }
    let path = env::var_os("PATH").unwrap_or_default();
    env::join_paths([names].into_iter().chain(env::split_paths(&path))).expect("a search path")
}
