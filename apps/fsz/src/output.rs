//! Outputs, which are none of the inputs.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use fsz_field::Output;

/// Begins an output of a command that reads these inputs.
pub fn create<P: AsRef<Path>>(path: &Path, force: bool, inputs: &[P]) -> Result<Output> {
    Inputs::new(inputs).refuse(path)?;
    Ok(Output::create(path, force)?)
}

/// What a command reads: by the path without links, as it was named.
pub struct Inputs(HashMap<PathBuf, PathBuf>);

impl Inputs {
    pub fn new<P: AsRef<Path>>(inputs: &[P]) -> Self {
        let own = |input: &P| Some((input.as_ref().canonicalize().ok()?, input.as_ref().into()));
        Inputs(inputs.iter().filter_map(own).collect())
    }

    /// Errs when the output would replace an input, or lie in one that is a folder: nothing that is asked for needs
    /// that, and the original would be lost. Links and other paths to it are followed.
    pub fn refuse(&self, path: &Path) -> Result<()> {
        let Ok(output) = path.canonicalize() else { return Ok(()) };
        if let Some(input) = output.ancestors().find_map(|folder| self.0.get(folder)) {
            let (path, input) = (path.display(), input.display());
            bail!("{path} would overwrite the input {input}: choose another name");
        }
        Ok(())
    }
}
