//! Memory-mapped files, and values in the byte order of another machine.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use fsz::{DType, with_element};
use memmap2::Mmap;

use crate::error::{Error, Result};
use crate::memory::collected;
use crate::piped;
use crate::storage::Storage;

/// The bytes of a file, read as they are touched; of standard input (`-`) and of a pipe, read at once.
///
/// A file that another program shortens while it is mapped ends this program with SIGBUS; that is
/// the price of opening any size at once. The command `fsz` answers that signal with a message.
pub(crate) fn map_file(path: &Path) -> Result<Arc<Mmap>> {
    if let Some(bytes) = piped::bytes(path)? {
        return Ok(bytes);
    }
    let file = File::open(path).map_err(Error::io(path))?;
    let kind = file.metadata().map_err(Error::io(path))?;
    if !kind.is_file() {
        return Err(Error::file(path, "not a regular file, so it cannot be mapped"));
    }
    // SAFETY: the map is read-only and private to this process; every bit pattern is a valid value
    // of the types it is read as. Writing to the file meanwhile changes values and no more.
    let map = unsafe { Mmap::map(&file) }.map_err(Error::io(path))?;
    Ok(Arc::new(map))
}

/// The byte order of stored values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Order {
    Little,
    Big,
}

impl Order {
    /// The order of this machine.
    pub(crate) const NATIVE: Order =
        if cfg!(target_endian = "big") { Order::Big } else { Order::Little };
}

/// Copies the values in `bytes`; a rest shorter than a value is left out.
///
/// # Errors
/// When there is not so much memory.
pub(crate) fn read(bytes: &[u8], dtype: DType, order: Order) -> Result<Storage> {
    with_element!(dtype, T => {
        let value = |b: &[u8; size_of::<T>()]| match order {
            Order::Little => T::from_le_bytes(*b),
            Order::Big => T::from_be_bytes(*b),
        };
        let all = bytes.as_chunks().0;
        let what = format_args!("{} values", all.len());
        Ok(Storage::of(collected(all.iter().map(value), what)?))
    })
}
