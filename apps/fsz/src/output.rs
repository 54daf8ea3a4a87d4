//! Outputs, which are none of the inputs, and are what their names say.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use fsz::DType;
use fsz_field::Output;

use crate::closed;

/// Begins an output of a command that reads these inputs.
pub fn create<P: AsRef<Path>>(path: &Path, force: bool, inputs: &[P]) -> Result<Output> {
    Inputs::new(inputs).refuse(path)?;
    let output = Output::create(path, force)?;
    if output.is_standard_output() {
        closed::refuse()?;
    }
    Ok(output)
}

/// What a command reads: by the path without links, as it was named.
pub struct Inputs(HashMap<PathBuf, PathBuf>);

impl Inputs {
    pub fn new<P: AsRef<Path>>(inputs: &[P]) -> Self {
        let own = |input: &Path| Some((input.canonicalize().ok()?, input.to_owned()));
        let named = inputs.iter().map(AsRef::as_ref).filter(|input| *input != STANDARD);
        Inputs(named.filter_map(own).collect())
    }

    /// Errs when the output would replace an input, or lie in one that is a folder: nothing that is asked for needs
    /// that, and the original would be lost. Links and other paths to it are followed.
    pub fn refuse(&self, path: &Path) -> Result<()> {
        if path == STANDARD {
            return Ok(());
        }
        let Ok(output) = path.canonicalize() else { return Ok(()) };
        if let Some(input) = output.ancestors().find_map(|folder| self.0.get(folder)) {
            let (path, input) = (path.display(), input.display());
            bail!("{path} would overwrite the input {input}: choose another name");
        }
        Ok(())
    }
}

/// What stands for standard input or output, even where something has this name.
pub const STANDARD: &str = "-";

/// Whether two outputs are one file, or both are standard output. The file need not be there, but its folder is: paths to
/// that may be different ones.
pub fn is_one_file(a: &Output, b: &Output) -> bool {
    let place = |output: &Output| {
        let path = output.path();
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        Some((folder.unwrap_or(Path::new(".")).canonicalize().ok()?, path.file_name()?.to_owned()))
    };
    match (a.is_standard_output(), b.is_standard_output()) {
        (false, false) => place(a) == place(b),
        (of_a, of_b) => of_a && of_b,
    }
}

/// Whether the output is a folder: then all that is made goes there, each to a file of its own.
pub fn is_folder(output: &Path) -> bool {
    output != STANDARD && output.is_dir() || output.as_os_str().as_encoded_bytes().ends_with(b"/")
}

/// Errs where several files, such as those that `what` has, would go to standard output.
pub fn refuse_standard_output(folder: &Path, what: &str) -> Result<()> {
    if folder == STANDARD {
        bail!("{what} goes to a folder, not to standard output: name one");
    }
    Ok(())
}

/// Errs where a series would go to a folder that is named like a file of values or a stream, unless it is there or ends
/// with `/`.
pub fn refuse_file_name(folder: &Path, inputs: usize) -> Result<()> {
    let ending = ending(folder);
    if !is_folder(folder) && (ending == "fsz" || is_of(VALUES, &ending)) {
        let what = match inputs {
            // A single file would go to a file: it is one of a folder.
            1 => "what is in a folder goes to one".to_owned(),
            _ => format!("{inputs} inputs go to a folder"),
        };
        bail!("{} names one file, and {what}: name a folder, or end it with /", folder.display());
    }
    Ok(())
}

/// Endings of what values are written as.
const VALUES: &str = " npy f32 f64 d64 ";

/// Endings of what neither values nor streams are written as.
const FOREIGN: &str = " zfp bp npz h5 hdf5 nc png svg txt csv json xml gz bz2 xz zst zip ";

/// Errs where a name says that something else is in the file than these values: who reads it goes by the name.
pub fn refuse_values(path: &Path, dtype: DType) -> Result<()> {
    let ending = ending(path);
    let named = match ending.as_str() {
        "f32" => Some(DType::F32),
        "f64" | "d64" => Some(DType::F64),
        _ => None,
    };
    let why = match ending.as_str() {
        _ if named.is_some_and(|named| named != dtype) => {
            format!("the values are {dtype}, and their type is not changed")
        }
        _ if ending == "fsz" || is_of(FOREIGN, &ending) => {
            format!("values are written raw or as .npy, not as .{ending}")
        }
        _ => return Ok(()),
    };
    let [raw, npy] = [dtype.name(), "npy"].map(|ending| path.with_extension(ending));
    bail!("{}: {why}: name the output {} or {}", path.display(), raw.display(), npy.display())
}

/// Errs where a name says that a PNG picture is something else.
pub fn refuse_picture(path: &Path) -> Result<()> {
    // Thumbnailers give names with any ending, so what is not known is no mistake.
    const OTHERS: &str = " jpg jpeg gif bmp tif tiff webp avif svg pdf eps ps ppm fsz ";
    refuse(path, OTHERS, "picture", "png")
}

/// Errs where a name says that a stream is something else.
pub fn refuse_stream(path: &Path) -> Result<()> {
    refuse(path, FOREIGN, "stream", "fsz")
}

/// Errs where a name says that an SVG drawing is something else.
pub fn refuse_plot(path: &Path) -> Result<()> {
    const OTHERS: &str = " png jpg jpeg gif bmp tif tiff webp avif pdf eps ps csv json npz fsz ";
    refuse(path, OTHERS, "plot", "svg")
}

/// Errs where a name says that lines of values are something else.
pub fn refuse_csv(path: &Path) -> Result<()> {
    refuse(path, " png svg pdf json xlsx ods npz fsz ", "table", "csv")
}

/// Errs where a name says that JSON is something else.
pub fn refuse_json(path: &Path) -> Result<()> {
    refuse(path, " png svg pdf csv xlsx ods npz fsz ", "report", "json")
}

/// Errs where a name has one of the endings of values, or of other things than `what`, which has the ending `own`.
fn refuse(path: &Path, others: &str, what: &str, own: &str) -> Result<()> {
    let ending = ending(path);
    if is_of(others, &ending) || is_of(VALUES, &ending) {
        let (name, better) = (path.display(), path.with_extension(own));
        bail!(
            "{name}: a {what} is written as .{own}, not as .{ending}: name the output {}",
            better.display()
        );
    }
    Ok(())
}

/// Whether the endings, each between spaces, have this one.
fn is_of(endings: &str, ending: &str) -> bool {
    !ending.is_empty() && endings.contains(&format!(" {ending} "))
}

fn ending(path: &Path) -> String {
    path.extension().unwrap_or_default().to_string_lossy().to_ascii_lowercase()
}
