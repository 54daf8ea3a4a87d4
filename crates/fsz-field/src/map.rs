//! Memory-mapped files, and values in the byte order of another machine.

use std::fs::{File, Metadata};
use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fsz::{DType, with_element};
use memmap2::Mmap;

use crate::cut::Watch;
use crate::error::{Error, Result};
use crate::memory::converted;
use crate::piped;
use crate::storage::Storage;

/// The bytes of a file, read as they are touched; of standard input (`-`) and of a pipe, read at once.
///
/// A file that another program shortens while its bytes are read ends this program with SIGBUS; that is
/// the price of opening any size at once. The command `fsz` answers that signal with a message. Who keeps a file open asks
/// [`Mapped::check`] each time before its bytes are read, and behind it where
/// [`outlive_shortened_files`](crate::outlive_shortened_files) keeps the program from ending.
pub(crate) fn map_file(path: &Path) -> Result<Arc<Mapped>> {
    if let Some(read) = piped::bytes(path)? {
        return Ok(Arc::new(Mapped { watch: None, bytes: Bytes::Read(read), origin: None }));
    }
    let file = File::open(path).map_err(Error::io(path))?;
    let kind = file.metadata().map_err(Error::io(path))?;
    if !kind.is_file() {
        return Err(Error::file(path, "not a regular file, so it cannot be mapped"));
    }
    // SAFETY: the map is read-only and private to this process; every bit pattern is a valid value
    // of the types it is read as. Writing to the file meanwhile changes values and no more.
    let map = unsafe { Mmap::map(&file) }.map_err(Error::io(path))?;
    let watch = Watch::new(&map);
    let origin = Some((path.to_owned(), kind));
    Ok(Arc::new(Mapped { watch, bytes: Bytes::Mapped(map), origin }))
}

/// What to say of a file that is another one by now.
pub(crate) const CHANGED: &str = "the file changed since it was opened: open it again";

const GONE: &str =
    "the file became shorter while it was read, or what it lies on fails: open it again";

/// The bytes of a file.
#[derive(Debug)]
pub(crate) struct Mapped {
    /// Dropped before the map, in whose place another one may be at once.
    watch: Option<Watch>,
    bytes: Bytes,
    /// Where they lie, and what the file was when it was mapped; none of what was read at once. The file itself is not kept
    /// open: a system allows few, and a series has many.
    origin: Option<(PathBuf, Metadata)>,
}

#[derive(Debug)]
enum Bytes {
    Mapped(Mmap),
    /// What can be read only once.
    Read(Arc<Vec<u8>>),
}

impl Mapped {
    /// Whether all of the bytes can still be read.
    ///
    /// # Errors
    /// When the file was shortened, or something that was read of it was gone.
    pub(crate) fn check(&self) -> Result<()> {
        let Some((path, mapped)) = &self.origin else { return Ok(()) };
        if self.watch.as_ref().is_some_and(Watch::is_cut) {
            return Err(Error::file(path, GONE));
        }
        // One that took its place, or its removal, leaves the mapped one as it is.
        match path.metadata() {
            Ok(now) if is_same(mapped, &now) && now.len() < self.len() as u64 => {
                Err(Error::file(path, CHANGED))
            }
            _ => Ok(()),
        }
    }
}

impl Deref for Mapped {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Mapped(map) => map,
            Bytes::Read(read) => read,
        }
    }
}

#[cfg(unix)]
fn is_same(a: &Metadata, b: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (a.dev(), a.ino()) == (b.dev(), b.ino())
}

/// Others shorten no file that is mapped.
#[cfg(not(unix))]
fn is_same(_: &Metadata, _: &Metadata) -> bool {
    false
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
        let value = |bytes: [u8; size_of::<T>()]| match order {
            Order::Little => T::from_le_bytes(bytes),
            Order::Big => T::from_be_bytes(bytes),
        };
        let all = bytes.as_chunks().0;
        Ok(Storage::of(converted(all, value, format_args!("{} values", all.len()))?))
    })
}
