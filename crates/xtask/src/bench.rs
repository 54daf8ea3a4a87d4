//! `cargo xtask bench`: the benchmark of the command line, built with all that it can measure.

use crate::cargo::{cargo, root};
use crate::{process, setup};
use anyhow::Result;
use std::path::PathBuf;

/// The field that the speed figures of the README are about.
const FIELD: &str = "cesm_T_15x192x288.f32";

/// Runs `fsz bench` on the given fields, else on the usual one, else on a synthetic one.
pub fn run(fields: &[String]) -> Result<()> {
    setup::run()?;
    let mut bench = cargo()?;
    bench.args(["run", "--release", "--package", "fsz-cli", "--features", "zfp", "--", "bench"]);
    if fields.is_empty() {
        bench.args(usual_field());
    }
    process::run(bench.args(fields))
}

fn usual_field() -> Option<PathBuf> {
    let folder =
        std::env::var_os("FSZ_DATA").map_or_else(|| root().join("../shared/data"), PathBuf::from);
    Some(folder.join(FIELD)).filter(|field| field.is_file())
}
