//! Outputs, which are none of the inputs.

use std::path::Path;

use anyhow::{Result, bail};
use fsz_field::Output;

/// Begins an output of a command that reads these inputs.
pub fn create<P: AsRef<Path>>(path: &Path, force: bool, inputs: &[P]) -> Result<Output> {
    refuse_input(path, inputs)?;
    Ok(Output::create(path, force)?)
}

/// Errs when the output would replace an input, or lie in one that is a folder: nothing that is asked for needs
/// that, and the original would be lost. Links and other paths to it are followed.
pub fn refuse_input<P: AsRef<Path>>(path: &Path, inputs: &[P]) -> Result<()> {
    let Ok(output) = path.canonicalize() else { return Ok(()) };
    for input in inputs.iter().map(AsRef::as_ref) {
        if input.canonicalize().is_ok_and(|input| output.starts_with(input)) {
            let (path, input) = (path.display(), input.display());
            bail!("{path} would overwrite the input {input}: choose another name");
        }
    }
    Ok(())
}
