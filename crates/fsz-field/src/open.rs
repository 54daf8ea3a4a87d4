//! Opening a field, whatever file it lies in.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use fsz::{Codec, DType};

use crate::error::{Error, Result};
use crate::field::Field;
use crate::shape::Shape;
use crate::{npy, raw, stream};

/// What the caller knows about a file that does not tell.
#[derive(Debug, Clone, Default)]
pub struct Hints {
    /// Shape of a raw file, or of a `.zfp` file without a header.
    pub shape: Option<Shape>,
    /// Element type of such a file.
    pub dtype: Option<DType>,
    /// Bits per value of a `.zfp` file without a header.
    pub zfp_rate: Option<f64>,
}

/// What kind of file something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Values and nothing else.
    Raw,
    /// NumPy's format.
    Npy,
    /// An FSZ stream.
    Fsz,
    /// A zfp stream, with zfp's full header or without one.
    Zfp,
    /// ADIOS2: a folder, or a file of an older format.
    Bp,
}

impl Kind {
    /// Tells by the first bytes and the ending; a raw file may hold any bytes, so `.f32`, `.f64`,
    /// `.d64` and `.raw` are raw whatever they begin with.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn of(path: &Path) -> Result<Kind> {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        match ending.to_ascii_lowercase().as_str() {
            "f32" | "f64" | "d64" | "raw" => return readable(path, Kind::Raw),
            "bp" => return readable(path, Kind::Bp),
            _ => {}
        }
        if path.is_dir() {
            return Ok(Kind::Bp);
        }
        let mut start = [0; 8];
        let mut file = File::open(path).map_err(Error::io(path))?;
        let read = file.read(&mut start).map_err(Error::io(path))?;
        let start = &start[..read];
        Ok(match ending {
            _ if start.starts_with(npy::MAGIC) => Kind::Npy,
            _ if start.starts_with(stream::MAGIC) => Kind::Fsz,
            _ if start.starts_with(ZFP_MAGIC) => Kind::Zfp,
            "npy" => Kind::Npy,
            "fsz" => Kind::Fsz,
            "zfp" => Kind::Zfp,
            _ => Kind::Raw,
        })
    }
}

/// The first bytes of zfp's header.
const ZFP_MAGIC: &[u8] = b"zfp";

/// Whether a `.zfp` file begins without zfp's header, as those of cuZFP do: what is in it must be told. An
/// empty file holds no stream at all.
///
/// # Errors
/// When the file cannot be read.
pub fn is_headerless_zfp(path: &Path) -> Result<bool> {
    let mut start = Vec::new();
    let file = File::open(path).map_err(Error::io(path))?;
    file.take(ZFP_MAGIC.len() as u64).read_to_end(&mut start).map_err(Error::io(path))?;
    Ok(!start.is_empty() && start != ZFP_MAGIC)
}

/// The kind, if there is such a file.
fn readable(path: &Path, kind: Kind) -> Result<Kind> {
    std::fs::metadata(path).map_err(Error::io(path)).map(|_| kind)
}

/// Opens a field of one file; a compressed one is decoded with `codec` into memory.
///
/// A `.bp` holds many fields: open it by itself and choose one.
///
/// # Errors
/// When the file cannot be read, is damaged, or needs hints that were not given.
pub fn open(path: &Path, hints: &Hints, codec: &Codec) -> Result<Field> {
    let field = match Kind::of(path)? {
        Kind::Raw => return raw::open_raw(path, hints),
        Kind::Npy => npy::open_npy(path)?,
        Kind::Fsz => stream::StreamFile::open(path)?.decode(codec)?,
        #[cfg(feature = "zfp")]
        Kind::Zfp => crate::zfp_file::open_zfp(path, hints)?,
        #[cfg(not(feature = "zfp"))]
        Kind::Zfp => {
            return Err(Error::file(path, "a zfp file, and this build has no zfp: see README"));
        }
        Kind::Bp => {
            let reason = "an ADIOS2 file holds many fields: extract one with fsz extract";
            return Err(Error::file(path, reason));
        }
    };
    agree(path, &field, hints)?;
    Ok(field)
}

/// Errs when the caller claims another shape or type than the file tells.
fn agree(path: &Path, field: &Field, hints: &Hints) -> Result<()> {
    if let Some(shape) = hints.shape.as_ref().filter(|shape| *shape != field.shape()) {
        let reason = format!("its shape is {}, not {shape}: leave --shape out", field.shape());
        return Err(Error::file(path, reason));
    }
    if let Some(dtype) = hints.dtype.filter(|dtype| *dtype != field.dtype()) {
        let reason = format!("its values are {}, not {dtype}: leave --dtype out", field.dtype());
        return Err(Error::file(path, reason));
    }
    Ok(())
}
