//! `cargo xtask bench`: the benchmark of the command line, built with all that it can measure.

use crate::cargo::{cargo, root};
use crate::features::FEATURES;
use crate::{process, setup};
use anyhow::Result;
use std::path::PathBuf;

/// The field of the CPU speeds in docs/benchmarks.md.
const FIELD: &str = "cesm_T_15x192x288.f32";

/// Runs `fsz bench` with these words, or on the usual field, or on a synthetic one without it.
pub fn run(words: &[String]) -> Result<()> {
    setup::run()?;
    let mut bench = cargo()?;
    bench.args(["run", "--release", "--package", "fsz-cli"]).args(FEATURES).args(["--", "bench"]);
    if words.is_empty() {
        bench.arg(usual_field());
    }
    process::run(bench.args(words))
}

fn usual_field() -> PathBuf {
    let field = root().join("../shared/data").join(FIELD);
    if field.is_file() { field } else { "smooth".into() }
}
