//! The inputs of a fuzz target in one file: sorted, each with its length before it in four bytes, lowest
//! first. The same inputs always give the same file.

use anyhow::{Context, Result};
use fs_err as fs;
use std::collections::BTreeSet;
use std::path::Path;

/// Writes the inputs of `archive` into the empty folder `folder`, a file each.
pub fn unpack(archive: &Path, folder: &Path) -> Result<()> {
    let bytes = fs::read(archive)?;
    let inputs = split(&bytes).with_context(|| format!("{} is cut short", archive.display()))?;
    for (number, input) in inputs.iter().enumerate() {
        let file = folder.join(number.to_string());
        fs::write(&file, input)?;
    }
    Ok(())
}

/// Makes `archive` of the files in `folder`; the number of inputs.
pub fn pack(folder: &Path, archive: &Path) -> Result<usize> {
    let mut inputs = BTreeSet::new();
    for entry in fs::read_dir(folder)? {
        inputs.insert(fs::read(entry?.path())?);
    }
    let bytes = join(inputs.iter().map(Vec::as_slice))?;
    fs::write(archive, bytes)?;
    Ok(inputs.len())
}

fn split(mut archive: &[u8]) -> Option<Vec<&[u8]>> {
    let mut inputs = Vec::new();
    while !archive.is_empty() {
        let (length, rest) = archive.split_first_chunk()?;
        let (input, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
        inputs.push(input);
        archive = rest;
    }
    Some(inputs)
}

fn join<'a>(inputs: impl Iterator<Item = &'a [u8]>) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    for input in inputs {
        let length = u32::try_from(input.len()).context("an input of more than 4 GiB")?;
        bytes.extend(length.to_le_bytes());
        bytes.extend(input);
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inputs_come_back_and_broken_archives_are_refused() {
        let inputs: [&[u8]; 3] = [b"", b"a", b"bcd"];
        let archive = join(inputs.into_iter()).unwrap();
        assert_eq!(split(&archive).unwrap(), inputs);
        assert_eq!(split(&archive[..archive.len() - 1]), None);
        assert_eq!(split(&archive[..2]), None);
    }
}
