//! Which original belongs to which stream.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use anyhow::{Error, Result, anyhow, bail};
use fsz_field::{Kind, field_name};

use crate::commands::inspect::folder;

/// A stream and its original.
#[derive(Debug)]
pub struct Pair {
    pub stream: PathBuf,
    /// None where the stream is to be checked alone.
    pub original: Option<PathBuf>,
    /// Whether the stream is one of a folder.
    pub is_of_folder: bool,
}

/// What is to be checked.
#[derive(Debug)]
pub struct Pairs {
    pub whole: Vec<Pair>,
    /// What has no counterpart, and so cannot be checked.
    pub halves: Vec<Half>,
}

/// A stream without its original, or the other way round.
#[derive(Debug)]
pub struct Half {
    pub stream: Option<PathBuf>,
    pub original: Option<PathBuf>,
    /// What is missing, and what to do.
    pub why: Error,
}

/// The pairs of streams, or folders of them, and originals: one of each whatever their names, an ADIOS2 file and all
/// streams, else those of one name.
///
/// # Errors
/// When something that was named is not there, or no stream and original belong together.
pub fn of(inputs: &[PathBuf], originals: &[PathBuf]) -> Result<Pairs> {
    let streams = streams(inputs)?;
    originals.iter().try_for_each(|original| Kind::of(original).map(drop))?;
    let is_one = |original: &Path| -> Result<bool> {
        Ok(matches!(&streams[..], [(_, false)]) || Kind::of(original)? == Kind::Bp)
    };
    if let [original] = originals
        && is_one(original)?
    {
        let pair = |(stream, is_of_folder)| {
            let original = Some(original.clone());
            Pair { stream, original, is_of_folder }
        };
        return Ok(Pairs { whole: streams.into_iter().map(pair).collect(), halves: Vec::new() });
    }
    let mut by_name = HashMap::new();
    for original in originals {
        if let Some(other) = by_name.insert(field_name(original), original) {
            let (original, other) = (original.display(), other.display());
            bail!("{original} and {other} have one name: verify them one by one");
        }
    }
    let (mut whole, mut halves, mut named) = (Vec::new(), Vec::new(), HashSet::new());
    for (stream, is_of_folder) in streams {
        // Streams of one name are of one field, as by several bounds.
        if let Some(&original) = by_name.get(field_name(&stream)) {
            named.insert(original);
            whole.push(Pair { original: Some(original.clone()), stream, is_of_folder });
            continue;
        }
        let (path, name) = (stream.display(), field_name(&stream).display());
        let why = anyhow!(
            "{path}: no original is named {name}: give those of all streams, or verify one by one"
        );
        halves.push(Half { stream: Some(stream), original: None, why });
    }
    for original in originals.iter().filter(|original| !named.contains(original)) {
        let why = anyhow!("{}: there is no stream of this name", original.display());
        halves.push(Half { stream: None, original: Some(original.clone()), why });
    }
    // Then the names are others altogether.
    if whole.is_empty() && !halves.is_empty() {
        return Err(halves.swap_remove(0).why);
    }
    Ok(Pairs { whole, halves })
}

/// Streams, or folders of them, without originals.
///
/// # Errors
/// When one of them is not there.
pub fn alone(inputs: &[PathBuf]) -> Result<Pairs> {
    let pair = |(stream, is_of_folder)| Pair { stream, original: None, is_of_folder };
    Ok(Pairs { whole: streams(inputs)?.into_iter().map(pair).collect(), halves: Vec::new() })
}

/// All streams, and whether each is one of a folder.
fn streams(inputs: &[PathBuf]) -> Result<Vec<(PathBuf, bool)>> {
    let mut streams = Vec::new();
    for input in inputs {
        match folder::streams(input) {
            Some(files) => streams.extend(files.into_iter().map(|file| (file, true))),
            None => streams.push((input.clone(), false)),
        }
    }
    // What is wrong with a stream is told when its turn comes; what was named must be there.
    for (path, is_of_folder) in &streams {
        if !is_of_folder && (path.is_dir() || !path.exists()) {
            Kind::of(path)?;
        }
    }
    Ok(streams)
}
