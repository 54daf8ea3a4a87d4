//! Memory for streams.

use std::{
    alloc::{self, Layout},
    io,
};

use crate::{Error, Result};

/// Zeros that take up memory only where they are written.
///
/// # Errors
/// [`Error::Io`] when there is no memory for them: a program that the allocator would abort may have other work.
pub(crate) fn zeros(len: u64) -> Result<Vec<u8>> {
    let none = || {
        let why = format!("out of memory for a stream of up to {len} bytes");
        Error::Io(io::Error::new(io::ErrorKind::OutOfMemory, why))
    };
    let layout = usize::try_from(len).ok().and_then(|len| Layout::array::<u8>(len).ok());
    let layout = layout.ok_or_else(none)?;
    if layout.size() == 0 {
        return Ok(Vec::new());
    }
    // SAFETY: the layout has a size.
    let memory = unsafe { alloc::alloc_zeroed(layout) };
    if memory.is_null() {
        return Err(none());
    }
    // SAFETY: allocated with this layout, and zeros are bytes.
    Ok(unsafe { Vec::from_raw_parts(memory, layout.size(), layout.size()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_memory_is_an_error() {
        assert_eq!(zeros(0).expect("none"), []);
        assert_eq!(zeros(1000).expect("a few"), [0; 1000]);
        for len in [1 << 62, u64::MAX] {
            let answer = zeros(len).expect_err("no machine has so much");
            assert!(matches!(&answer, Error::Io(why) if why.kind() == io::ErrorKind::OutOfMemory));
            assert!(answer.to_string().contains(&len.to_string()), "{answer}");
        }
    }
}
