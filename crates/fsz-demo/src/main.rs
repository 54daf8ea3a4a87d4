//! What `cargo xtask demo` shows of two runs of one simulation, one of them written through the FSZ
//! operator: the bound of every variable and step, verified through a plain ADIOS2 reader, and a
//! picture of one slice.

mod files;
mod slice;
mod variants;
mod verify;

use anyhow::{Context, Result, bail};
use files::Pair;
use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "Usage: fsz-demo PLAIN.bp FSZ.bp VARIABLE PICTURE.png";

fn main() -> ExitCode {
    match run() {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// Whether every element of every variable and step keeps its bound.
fn run() -> Result<bool> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [plain, compressed, variable, picture] = args.as_slice() else { bail!("{USAGE}") };
    // Lets ADIOS2 find the operator beside this program. Where it is elsewhere, ADIOS2 says so.
    let _ = fsz_field::bp::load_operator();
    let pair = Pair::open(plain.as_ref(), compressed.as_ref())?;
    let all = verify::print(&pair)?;
    let path = PathBuf::from(picture);
    let png = slice::draw(&pair, variable)?.png()?;
    std::fs::write(&path, png).with_context(|| format!("cannot write {}", path.display()))?;
    println!("picture: {}", path.display());
    Ok(all)
}
