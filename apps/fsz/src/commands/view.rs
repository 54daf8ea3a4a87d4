//! `fsz view`.

use std::ffi::OsString;
use std::process::Command;

use crate::failure::{Failure, Result, Verdict, fail};

/// Look at a field in the viewer: original, reconstruction, error, and why
///
/// The words are those of `fsz-viewer`, which lies beside this program: FILE and another, --original,
/// --shape, --variable, --step, --bench and others; fsz-viewer --help lists them.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// What the viewer is told
    #[arg(value_name = "WORDS", trailing_var_arg = true, allow_hyphen_values = true)]
    words: Vec<OsString>,
}

/// Starts the viewer and waits for its end.
pub fn run(args: &Args) -> Result {
    let here = std::env::current_exe()
        .map_err(|e| Failure::Message(format!("cannot tell where this program is: {e}")))?;
    let viewer = here.with_file_name(format!("fsz-viewer{}", std::env::consts::EXE_SUFFIX));
    if !viewer.is_file() {
        return fail(format!(
            "there is no viewer beside this program: cargo build --release -p fsz-viewer makes {}",
            viewer.display()
        ));
    }
    match Command::new(&viewer).args(&args.words).status() {
        Ok(status) if status.success() => Ok(Verdict::Fine),
        Ok(status) => fail(format!("the viewer ended with {status}")),
        Err(e) => fail(format!("cannot start {}: {e}", viewer.display())),
    }
}
