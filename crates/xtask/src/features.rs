//! The optional parts of programs, as cargo's words.

use crate::cargo::cargo;
use crate::process;
use anyhow::Result;
use std::env;

/// Those of the command line.
pub const FEATURES: [&str; 2] = ["--features", "fsz-cli/adios2,fsz-cli/zfp,fsz-cli/zstd"];

/// Those of the viewer.
pub const VIEWER_FEATURES: [&str; 2] = ["--features", "fsz-viewer/adios2,fsz-viewer/zfp"];

/// Those of all programs, which the tests cover too.
pub const ALL_FEATURES: [&str; 2] =
    ["--features", "fsz-cli/adios2,fsz-cli/zfp,fsz-cli/zstd,fsz-viewer/adios2,fsz-viewer/zfp"];

/// A target to name beside others where not all are built. With the viewer's dependencies among them cargo builds what
/// they share as for all targets; without, bindgen, the codec and all above them are built once more.
pub const AS_FOR_ALL: [&str; 2] = ["--example", "live_picture"];

/// Builds programs, libraries and tests with one set of features: with another, cargo would build
/// much of it once more.
const BUILD: [&str; 4] = ["build", "--workspace", "--all-targets", "--locked"];

/// Has the codec not optimised, for tests that do not call it for long: optimised, it takes a minute and a half to build.
pub const CODEC_AS_IT_IS: [&str; 2] = ["--config", "profile.dev.package.fsz-codec.opt-level=0"];

/// What has `package` carry the CUDA kernels that `cargo xtask fatbin` has compiled, where `FSZ_FATBIN` names their
/// folder. Other packages of the same build carry them too.
pub fn compiled_kernels(package: &str) -> Vec<String> {
    match env::var_os("FSZ_FATBIN") {
        Some(folder) if !folder.is_empty() => {
            vec!["--features".into(), format!("{package}/fatbin")]
        }
        _ => vec![],
    }
}

/// Builds everything, with all features.
pub fn build_all() -> Result<()> {
    process::run(cargo()?.args(BUILD).args(ALL_FEATURES))
}
