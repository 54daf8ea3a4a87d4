//! Opening a field, whatever file it lies in.

use std::path::Path;
use std::sync::Arc;

use fsz::{Codec, Progress};

use crate::error::{Error, Result};
use crate::field::Field;
use crate::fsz1::Fsz1File;
use crate::hints::Hints;
use crate::kind::Kind;
use crate::{npy, raw, stream};

/// Opens a field of one file; a compressed one is decoded with `codec` into memory.
///
/// A `.bp` may hold many fields: open it with `bp::Bp` and choose one.
///
/// # Errors
/// When the file cannot be read, is damaged, or needs hints that were not given.
pub fn open(path: &Path, hints: &Hints, codec: &Codec) -> Result<Field> {
    open_watched(path, hints, codec, &Progress::new())
}

/// The same; decoding a `.fsz` file reports to `progress`, and can be cancelled by it.
///
/// # Errors
/// As [`open`], and when it is cancelled.
pub fn open_watched(
    path: &Path,
    hints: &Hints,
    codec: &Codec,
    progress: &Arc<Progress>,
) -> Result<Field> {
    let field = match Kind::of(path)? {
        Kind::Raw => return raw::open_raw(path, hints),
        Kind::Npy => npy::open_npy(path)?,
        Kind::Fsz => stream::StreamFile::open(path)?.decode_watched(codec, progress)?,
        Kind::Fsz1 => Fsz1File::open(path)?.decode()?,
        #[cfg(feature = "zfp")]
        Kind::Zfp => crate::zfp_file::open_zfp(path, hints)?,
        #[cfg(not(feature = "zfp"))]
        Kind::Zfp => {
            return Err(Error::file(path, "this build has no zfp: build with --features zfp"));
        }
        Kind::Bp => {
            let reason = "an ADIOS2 file may hold many fields: extract one with fsz extract";
            return Err(Error::file(path, reason));
        }
    };
    hints.agree(path, field.shape(), field.dtype())?;
    Ok(field)
}
