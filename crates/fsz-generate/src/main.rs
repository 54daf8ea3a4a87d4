//! `cargo xtask generate [--check]`: the constants of the format, from `fsz::format`, as the CUDA kernels and
//! the shaders read them.

mod cuda;
mod table;
mod wgsl;

use anyhow::{Context, Result, bail};
use std::{fs, path::Path};

fn main() -> Result<()> {
    let check = match std::env::args().skip(1).collect::<Vec<_>>().as_slice() {
        [] => false,
        [word] if word == "--check" => true,
        _ => bail!("usage: fsz-generate [--check]"),
    };
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for (path, text) in [
        ("cuda/format/format_constants.cuh", cuda::header()),
        ("crates/fsz-wgpu/src/format_prelude.wgsl", wgsl::prelude()),
    ] {
        let file = root.join(path);
        if check {
            let found = fs::read_to_string(&file).with_context(|| format!("cannot read {path}"))?;
            if found != text {
                bail!("{path} is not what `cargo xtask generate` makes of fsz::format: run it");
            }
        } else {
            fs::create_dir_all(file.parent().context("a folder")?)?;
            fs::write(&file, text).with_context(|| format!("cannot write {path}"))?;
        }
    }
    Ok(())
}
