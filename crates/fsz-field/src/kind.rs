//! What kind of file something is: its first bytes decide, and its name only where they do not.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use crate::error::{Error, Result};
use crate::fsz1::FSZ1_MAGIC;
use crate::{npy, piped};

/// What kind of file something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Values and nothing else.
    Raw,
    /// NumPy's format.
    Npy,
    /// An FSZ stream.
    Fsz,
    /// A stream of the paper author's own FSZ release.
    Fsz1,
    /// A zfp stream, with zfp's full header or without one.
    Zfp,
    /// ADIOS2: a folder, or a file of an older format.
    Bp,
}

/// The first bytes of every FSZ stream.
const FSZ_MAGIC: &[u8] = b"\x89FSZ\r\n\x1a\n";
/// The first bytes of a zip archive, which a `.npz` file is.
const ZIP_MAGIC: &[u8] = b"PK";
/// The first bytes of an HDF5 file, which one of netCDF-4 is, too.
const HDF5_MAGIC: &[u8] = b"\x89HDF\r\n\x1a\n";
/// The first bytes of zfp's header.
const ZFP_MAGIC: &[u8] = b"zfp";

const NO_NPZ: &str =
    "an archive of arrays (.npz), which is not read: save one array with numpy.save";
const NO_HDF5: &str = "an HDF5 or netCDF-4 file, which is not read: save one variable with numpy.save, or use FSZ's HDF5 filter";

impl Kind {
    /// Tells the kind of a file. The magic of an FSZ stream or of a `.npy` file decides whatever the
    /// name; the shorter ones of the author's release and of zfp, which a value may well begin with, do
    /// not overrule `.f32`, `.f64`, `.d64` and `.raw`. What has none of them goes by its extension, and
    /// is raw without a known one.
    ///
    /// # Errors
    /// When the file cannot be read, is named `.fsz` or `.npy` and is neither, or is of a kind that is known but not
    /// read: `.npz` and HDF5.
    pub fn of(path: &Path) -> Result<Kind> {
        if !piped::is_piped(path) {
            let metadata = std::fs::metadata(path).map_err(Error::io(path))?;
            if metadata.is_dir() {
                return of_folder(path);
            }
            if !metadata.is_file() {
                return Err(Error::file(path, "neither a regular file nor a pipe: name one"));
            }
        }
        let start = start_of(path, FSZ_MAGIC.len())?;
        let extension = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        let extension = extension.to_ascii_lowercase();
        let is = |magic: &[u8]| start.starts_with(magic);
        match extension.as_str() {
            _ if is(FSZ_MAGIC) => Ok(Kind::Fsz),
            _ if is(npy::MAGIC) => Ok(Kind::Npy),
            "f32" | "f64" | "d64" | "raw" => Ok(Kind::Raw),
            _ if is(HDF5_MAGIC) => Err(Error::file(path, NO_HDF5)),
            "npz" => Err(Error::file(path, NO_NPZ)),
            "npy" if is(ZIP_MAGIC) => Err(Error::file(path, NO_NPZ)),
            _ if is(FSZ1_MAGIC) => Ok(Kind::Fsz1),
            _ if is(ZFP_MAGIC) => Ok(Kind::Zfp),
            "fsz" => Err(not_fsz(path, &start)),
            "npy" if start.is_empty() => Err(Error::file(path, "empty: no values to read")),
            "npy" => {
                Err(Error::file(path, "not a .npy file: it does not begin with NumPy's magic"))
            }
            "zfp" => Ok(Kind::Zfp),
            "bp" => Ok(Kind::Bp),
            _ => Ok(Kind::Raw),
        }
    }
}

/// That of a folder, which an ADIOS2 file is.
fn of_folder(path: &Path) -> Result<Kind> {
    let ends = |path: &Path, ending: &str| path.extension().is_some_and(|e| e == ending);
    let is_there = |file: &str| path.join(file).exists();
    if ends(path, "bp") || is_there("md.idx") || is_there("data.0") {
        return Ok(Kind::Bp);
    }
    let mut entries = std::fs::read_dir(path).map_err(Error::io(path))?.flatten();
    let reason = if ["zarr.json", ".zarray", ".zgroup"].into_iter().any(is_there) {
        "a Zarr store, which is not read: save one array with numpy.save, or use FSZ's Zarr codec"
    } else if entries.any(|entry| ends(&entry.path(), "fsz")) {
        "a folder of .fsz files: name one of them"
    } else {
        "a folder without .fsz files, and no ADIOS2 file: name its files, such as FOLDER/*"
    };
    Err(Error::file(path, reason))
}

/// Errs unless a file begins as an FSZ stream.
pub(crate) fn expect_fsz(path: &Path) -> Result<()> {
    if !piped::is_piped(path) && path.is_dir() {
        of_folder(path)?;
        return Err(Error::file(
            path,
            "an ADIOS2 file: extract an ADIOS2 block first with fsz extract",
        ));
    }
    match start_of(path, FSZ_MAGIC.len())? {
        start if start == FSZ_MAGIC => Ok(()),
        start => Err(not_fsz(path, &start)),
    }
}

/// Why a file that should be an FSZ stream is none.
fn not_fsz(path: &Path, start: &[u8]) -> Error {
    let reason = match start {
        [b'F', b'S', b'Z', b'1', ..] => {
            "written by the paper author's FSZ release (magic FSZ1), which is another format"
        }
        _ if FSZ_MAGIC.starts_with(start) => "truncated: shorter than an FSZ header",
        _ => "not an FSZ stream: it does not begin with FSZ's magic",
    };
    Error::file(path, reason)
}

/// Whether a `.zfp` file begins without zfp's header, as those of cuZFP do: what is in it must be told. An
/// empty file holds no stream at all.
///
/// # Errors
/// When the file cannot be read.
pub fn is_headerless_zfp(path: &Path) -> Result<bool> {
    let start = start_of(path, ZFP_MAGIC.len())?;
    Ok(!start.is_empty() && start != ZFP_MAGIC)
}

/// The first bytes of a file, at most so many.
fn start_of(path: &Path, len: usize) -> Result<Vec<u8>> {
    if let Some(start) = piped::start(path, len)? {
        return Ok(start);
    }
    let mut start = Vec::new();
    let file = File::open(path).map_err(Error::io(path))?;
    file.take(len as u64).read_to_end(&mut start).map_err(Error::io(path))?;
    Ok(start)
}
