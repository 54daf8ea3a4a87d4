//! Handles: what a program holds of the library's objects.
//!
//! A handle is the address of a box that begins with a tag of its kind. Fortran has one type for all
//! pointers, so a codec is easily passed as a stream: the tag turns that into an error.

use crate::status::{Failure, Result};

/// An object that programs hold by a handle.
pub(crate) trait Object: Sized {
    /// Its kind, as messages name it; also what its tag is made of.
    const NAME: &'static str;
}

#[repr(C)]
struct Tagged<T> {
    tag: u64,
    object: T,
}

/// No two kinds have the same name, and FNV-1a tells theirs apart (a test looks).
const fn tag<T: Object>() -> u64 {
    let (mut hash, mut i) = (0xcbf2_9ce4_8422_2325_u64, 0);
    let name = T::NAME.as_bytes();
    while i < name.len() {
        hash = (hash ^ name[i] as u64).wrapping_mul(0x0100_0000_01b3);
        i += 1;
    }
    hash
}

/// The tag of a handle that was freed.
const FREED: u64 = 0;

/// Makes an object and stores its handle in `slot`, or null when it cannot be made.
///
/// # Safety
/// `slot` is null or may be written.
pub(crate) unsafe fn make<T: Object>(
    slot: *mut *mut T,
    object: impl FnOnce() -> Result<T>,
) -> Result<()> {
    if slot.is_null() {
        return Err(Failure::invalid(format!("no place for the handle of a {}", T::NAME)));
    }
    // SAFETY: promised by the caller; it need not be aligned.
    unsafe { slot.write_unaligned(std::ptr::null_mut()) };
    let object = Box::new(Tagged { tag: tag::<T>(), object: object()? });
    // SAFETY: as above.
    unsafe { slot.write_unaligned(Box::into_raw(object).cast()) };
    Ok(())
}

/// # Safety
/// As [`get`].
unsafe fn check<T: Object>(handle: *const T) -> Result<*mut Tagged<T>> {
    let tagged = handle.cast::<Tagged<T>>();
    if tagged.is_null() {
        return Err(Failure::invalid(format!("null where the handle of a {} is needed", T::NAME)));
    }
    if !tagged.is_aligned() {
        return Err(Failure::invalid(format!(
            "{handle:p} where the handle of a {} is needed",
            T::NAME
        )));
    }
    // SAFETY: the caller promises a handle, and those of every kind begin with a tag.
    let found = unsafe { handle.cast::<u64>().read() };
    if found != tag::<T>() {
        let what = if found == FREED { "a handle that was freed" } else { "another handle" };
        return Err(Failure::invalid(format!("{what} where that of a {} is needed", T::NAME)));
    }
    Ok(tagged.cast_mut())
}

/// The object of a handle.
///
/// # Safety
/// `handle` is null or a handle that this library gave and that lives during `'a`.
pub(crate) unsafe fn get<'a, T: Object>(handle: *const T) -> Result<&'a T> {
    // SAFETY: promised by the caller; when the tag is right it is an object of this kind.
    unsafe { check(handle).map(|tagged| &(*tagged).object) }
}

/// The object of a handle, or `None` where null means that there is none.
///
/// # Safety
/// As [`get`].
pub(crate) unsafe fn get_optional<'a, T: Object>(handle: *const T) -> Result<Option<&'a T>> {
    // SAFETY: promised by the caller.
    if handle.is_null() { Ok(None) } else { unsafe { get(handle) }.map(Some) }
}

/// The object of a handle, to be changed.
///
/// # Safety
/// As [`get`], and nothing else uses the handle during `'a`.
pub(crate) unsafe fn get_mut<'a, T: Object>(handle: *mut T) -> Result<&'a mut T> {
    // SAFETY: as in `get`.
    unsafe { check(handle).map(|tagged| &mut (*tagged).object) }
}

/// Frees an object; null is nothing.
///
/// # Safety
/// As [`get_mut`], and nothing uses the handle any more.
pub(crate) unsafe fn free<T: Object>(handle: *mut T) -> Result<()> {
    if handle.is_null() {
        return Ok(());
    }
    // SAFETY: promised by the caller.
    let tagged = unsafe { check(handle) }?;
    // SAFETY: the box was made by `make`. The tag is changed for a program that frees twice, which the
    // compiler must not leave out.
    unsafe {
        (&raw mut (*tagged).tag).write_volatile(FREED);
        drop(Box::from_raw(tagged));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::*;

    #[test]
    fn every_kind_has_a_tag_of_its_own() {
        let tags = [
            tag::<fszc_codec>(),
            tag::<fszc_compress_options>(),
            tag::<fszc_decompress_options>(),
            tag::<fszc_progress>(),
            tag::<fszc_stream>(),
            tag::<fszc_compression>(),
            tag::<fszc_device_codec>(),
            tag::<fszc_device_memory>(),
            tag::<fszc_stream_kind>(),
            FREED,
        ];
        let mut different = tags.to_vec();
        different.sort_unstable();
        different.dedup();
        assert_eq!(different.len(), tags.len());
    }
}
