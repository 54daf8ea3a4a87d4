//! A series: all inputs, or all streams of a folder, into a folder, as `.npy` files of the same names.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Error, Result, bail, ensure};
use fsz::Codec;
use fsz_field::{Folder, field_name};
use fsz_figure::number;

use super::{Args, decompress, expect_compressed};
use crate::commands::inspect::folder;
use crate::output::{Inputs, is_folder, refuse_file_name, refuse_standard_output};
use crate::terminal;

/// The files of a series; None where a single file goes to a file.
pub fn files(args: &Args) -> Option<Vec<PathBuf>> {
    let of = |input: &PathBuf| folder::streams(input).unwrap_or_else(|| vec![input.clone()]);
    let files: Vec<PathBuf> = args.input.iter().flat_map(of).collect();
    let alone = files == args.input && files.len() == 1;
    (!alone || is_folder(&args.output)).then_some(files)
}

/// Decompresses all files into the folder.
///
/// A damaged one is told, and the others are decompressed; the exit code is then 1.
pub fn run(args: &Args, files: &[PathBuf], codec: &Codec, quiet: bool) -> Result<ExitCode> {
    let folder = &args.output;
    refuse_standard_output(folder, "a series")?;
    if folder.exists() && !folder.is_dir() {
        bail!("{} is a file: several inputs go to a folder, name one", folder.display());
    }
    refuse_file_name(folder, files.len())?;
    let inputs = Inputs::new(files);
    let mut outputs = Vec::new();
    let mut names = HashSet::new();
    for file in files {
        match expect_compressed(file) {
            // Told when its turn comes, so that the others are decompressed. What is not there may be a misspelt name.
            Err(error) if is_damage(file, &error) && fs::symlink_metadata(file).is_ok() => {}
            kind => drop(kind?),
        }
        let mut name = field_name(file).to_owned();
        name.push(".npy");
        let output = folder.join(name);
        let once = names.insert(output.clone());
        let remedy = "inputs of one name go to different folders, by calls of their own";
        ensure!(once, "{}: two inputs would have this output: {remedy}", output.display());
        inputs.refuse(&output)?;
        if output.exists() && !args.force {
            let output = output.display();
            bail!("{output} already exists: choose another folder, or overwrite it with --force");
        }
        outputs.push(output);
    }
    let filled = Folder::create(folder)?;
    let (mut bytes, mut damaged) = (0, 0);
    for (i, (file, output)) in files.iter().zip(&outputs).enumerate() {
        let what = format!("decompressing {} of {}", i + 1, files.len());
        let commit = |output| filled.commit(output);
        match decompress((file, output), args.force, codec, (&what, quiet), commit) {
            Ok((of_field, _)) => bytes += of_field,
            Err(error) if is_damage(file, &error) => {
                terminal::problem(&error);
                damaged += 1;
            }
            Err(error) => return Err(error),
        }
    }
    let (folder, bytes) = (folder.display(), number::bytes(bytes));
    let fields = terminal::count(files.len() - damaged, "field");
    let failed = match damaged {
        0 => String::new(),
        _ => format!(", {damaged} of {} streams FAILED", files.len()),
    };
    terminal::summary(quiet, false, &format!("{folder}: {fields}, {bytes}{failed}"))?;
    Ok(if damaged == 0 { ExitCode::SUCCESS } else { ExitCode::from(1) })
}

/// Whether an error is one of this input, and of no other: it cannot be read, or not decoded.
fn is_damage(file: &Path, error: &Error) -> bool {
    use fsz_field::Error::{Codec, File, Io};
    let path = match error.downcast_ref() {
        Some(Codec { source: fsz::Error::Cancelled, .. }) => None,
        Some(Io { path, .. } | File { path, .. } | Codec { path, .. }) => Some(path),
        _ => None,
    };
    path.is_some_and(|path| path == file)
}
