//! `cargo xtask study`: the paper's evaluation on all fields that are there, and synthetic ones.

use crate::cargo::{cargo, root, target};
use crate::features::FEATURES;
use crate::{process, setup};
use anyhow::Result;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// The synthetic kinds of `fsz bench`.
const KINDS: [&str; 6] = ["smooth", "smooth-noise", "offset", "sparse", "particles", "white-noise"];
/// The missing value of the ocean fields in the test data; others do not hold it.
const MISSING: &str = "9.96921e36";

/// Runs `fsz study` on the test data, with these words added.
pub fn run(words: &[String]) -> Result<()> {
    setup::run()?;
    let fields = test_data()?;
    let out = target().join("study");
    let start = Instant::now();
    let mut study = cargo()?;
    study.args(["run", "--release", "--package", "fsz-cli"]).args(FEATURES).args(["--", "study"]);
    study.args(&fields).args(KINDS).arg("--out").arg(&out);
    study.args(["--missing", MISSING, "--resume"]).args(words);
    process::run(&mut study)?;
    let seconds = start.elapsed().as_secs_f64();
    println!("{}: {seconds:.0} s with the build", out.join("report.html").display());
    Ok(())
}

/// The raw fields of FSZ_TEST_DATA, else of ../shared/data; none, with a note, without such a folder.
fn test_data() -> Result<Vec<PathBuf>> {
    let named = std::env::var_os("FSZ_TEST_DATA").filter(|v| !v.is_empty());
    let folder = named.map_or_else(|| root().join("../shared/data"), PathBuf::from);
    if !folder.is_dir() {
        eprintln!(
            "SKIPPED: the test data: no folder {}; FSZ_TEST_DATA selects another. Only synthetic \
             fields are studied.",
            folder.display()
        );
        return Ok(Vec::new());
    }
    raw_fields(&folder)
}

fn raw_fields(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries = fs_err::read_dir(folder)?.collect::<std::io::Result<Vec<_>>>()?;
    let raw = |path: &PathBuf| {
        let extension = path.extension().and_then(OsStr::to_str);
        matches!(extension, Some("f32" | "f64"))
    };
    let mut fields: Vec<PathBuf> = entries.iter().map(|e| e.path()).filter(raw).collect();
    fields.sort();
    Ok(fields)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn raw_fields_are_found_in_order() {
        let folder = target().join("xtask-study-test");
        std::fs::create_dir_all(&folder).unwrap();
        for name in ["b_2.f64", "a_2.f32", "README.md"] {
            std::fs::write(folder.join(name), [0; 8]).unwrap();
        }
        let found = raw_fields(&folder).unwrap();
        assert_eq!(found, [folder.join("a_2.f32"), folder.join("b_2.f64")]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
