//! `fsz view`.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use anyhow::{Result, anyhow, bail};

/// Open a field in the viewer
///
/// All arguments are passed on to fsz-viewer, which is installed beside this program: FILE,
/// --original, --shape, --variable, --step and others. See fsz-viewer --help.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Arguments of fsz-viewer
    #[arg(value_name = "ARGS", trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

/// Starts the viewer and waits for its end; its exit code, for it says itself what is wrong.
pub fn run(args: &Args) -> Result<ExitCode> {
    let here = std::env::current_exe().map_err(|e| anyhow!("cannot locate this program: {e}"))?;
    let viewer = here.with_file_name(format!("fsz-viewer{}", std::env::consts::EXE_SUFFIX));
    if !viewer.is_file() {
        bail!(
            "{} not found; build it with cargo build --release -p fsz-viewer, or install it as fsz was, with \
             cargo install --locked --path apps/fsz-viewer or cargo xtask install",
            viewer.display()
        );
    }
    match Command::new(&viewer).args(&args.args).status() {
        Ok(status) => match status.code() {
            Some(code) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(2))),
            None => bail!("the viewer ended with {status}"),
        },
        Err(e) => bail!("cannot start {}: {e}", viewer.display()),
    }
}
