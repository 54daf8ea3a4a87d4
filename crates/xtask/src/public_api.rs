//! `cargo xtask public-api`: what the codec's library exports, stored in `crates/fsz/public-api.txt` so
//! that every change of it is seen in review.

use crate::cargo::{cargo, root, target};
use crate::features::build_all;
use crate::process;
use anyhow::{Context, Result, bail};
use fs_err as fs;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

const STORED: &str = "crates/fsz/public-api.txt";

/// The version of rustdoc's JSON that the program which reads it knows: that of Rust 1.95.
const FORMAT: &str = "57";

/// Stores the interface as it is now.
pub fn write() -> Result<()> {
    let mut list = cargo()?;
    list.args(["run", "--quiet", "--locked", "-p", "fsz-tests", "--example", "public_api", "--"]);
    let Some(surface) = surface(list)? else {
        bail!("this toolchain's rustdoc writes another version of JSON: use Rust 1.95")
    };
    fs::write(root().join(STORED), &surface)?;
    println!("{} items in {STORED}", surface.lines().count());
    Ok(())
}

/// Fails where the interface is not the stored one; `false` where this toolchain cannot tell. Lists it by the
/// program of the whole build.
pub fn check() -> Result<bool> {
    build_all()?;
    let list = Command::new(target().join("debug/examples/public_api"));
    let Some(now) = surface(list)? else { return Ok(false) };
    let stored = fs::read_to_string(root().join(STORED))?;
    let (old, new) = (lines(&stored), lines(&now));
    for item in old.difference(&new) {
        println!("- {item}");
    }
    for item in new.difference(&old) {
        println!("+ {item}");
    }
    if stored != now {
        bail!("{STORED} is out of date: run `cargo xtask public-api` and commit it");
    }
    Ok(true)
}

fn lines(text: &str) -> BTreeSet<&str> {
    text.lines().collect()
}

/// The items that the library exports, one a line, by the program `list`; `None` where this toolchain's rustdoc
/// writes a JSON that is not known.
fn surface(mut list: Command) -> Result<Option<String>> {
    let json = rustdoc_json()?;
    if !is_known(&json)? {
        return Ok(None);
    }
    process::stdout(list.arg(&json)).map(Some)
}

/// What rustdoc knows of the library. The JSON is unstable, which stable toolchains write as well when they
/// are told so; apart from other builds, because some dependencies look at what tells them.
fn rustdoc_json() -> Result<PathBuf> {
    let folder = target().join("public-api");
    let mut rustdoc = cargo()?;
    rustdoc.args(["rustdoc", "--quiet", "--locked", "--package", "fsz-codec", "--lib", "--"]);
    rustdoc.args(["-Zunstable-options", "--output-format", "json"]);
    process::run(rustdoc.env("RUSTC_BOOTSTRAP", "1").env("CARGO_TARGET_DIR", &folder))?;
    Ok(folder.join("doc/fsz.json"))
}

fn is_known(json: &Path) -> Result<bool> {
    let text = fs::read_to_string(json).with_context(|| format!("no {}", json.display()))?;
    let (_, version) =
        text.rsplit_once("\"format_version\":").context("rustdoc JSON without a version")?;
    Ok(version.trim_end_matches('}').trim() == FORMAT)
}
