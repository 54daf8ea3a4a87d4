//! Standard input as an input: it holds one.

use std::path::Path;

use anyhow::{Result, bail};

/// Names of standard input.
const STANDARD_INPUT: [&str; 4] = ["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// Errs where two of the files that a command reads are standard input: each would be taken for the other.
pub fn refuse_twice<P: AsRef<Path>>(inputs: impl IntoIterator<Item = P>) -> Result<()> {
    let is_standard = |path: &P| STANDARD_INPUT.iter().any(|name| path.as_ref() == Path::new(name));
    if inputs.into_iter().filter(is_standard).nth(1).is_some() {
        bail!("standard input is named twice, and holds one input: name a file for the other");
    }
    Ok(())
}
