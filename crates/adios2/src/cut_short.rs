//! Files that ADIOS2 crashes at, as it reads on behind their end (seen in 2.12.1).

use std::{
    fs::File,
    io::{Read, Seek, SeekFrom},
    path::Path,
};

use crate::{Error, Result};

/// The file of a BP5 folder that says how its metadata is laid out: records, each of two lengths and as many bytes.
const LAYOUTS: &str = "mmd.0";

/// # Errors
/// [`Error::CutShort`] where the last record of a BP5 folder's layouts is not whole. What cannot be read, ADIOS2 tells of.
pub(crate) fn check(path: &Path) -> Result<()> {
    let file = path.join(LAYOUTS);
    match File::open(&file).and_then(are_whole) {
        Ok(false) => Err(Error::CutShort(file)),
        _ => Ok(()),
    }
}

fn are_whole(mut file: File) -> std::io::Result<bool> {
    let len = file.metadata()?.len();
    let mut end = 0u64;
    while end < len {
        let mut lengths = [0; 16];
        if len - end < lengths.len() as u64 {
            return Ok(false);
        }
        file.seek(SeekFrom::Start(end))?;
        file.read_exact(&mut lengths)?;
        let parts = lengths.as_chunks().0.iter().map(|part| u64::from_le_bytes(*part));
        end = parts.fold(end + lengths.len() as u64, u64::saturating_add);
    }
    Ok(end == len)
}
