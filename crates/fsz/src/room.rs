//! Memory for streams and fields.

use std::{fmt, io};

use bytemuck::{Zeroable, allocation::try_zeroed_vec};

use crate::{Error, Result, pages::ask_for_huge_pages};

/// Zeros that take up memory only where they are written.
///
/// # Errors
/// [`Error::Io`] when there is no memory for them: a program that the allocator would abort may have other work.
pub(crate) fn zeros(len: u64) -> Result<Vec<u8>> {
    zeroed(len, || none_for(format_args!("a stream of up to {len} bytes")))
}

/// So many elements of `what`, all 0: whoever writes them first, by many threads maybe, makes the system find room.
///
/// # Errors
/// [`Error::Io`], likewise.
pub(crate) fn elements<T: Zeroable>(len: u64, what: &str) -> Result<Vec<T>> {
    zeroed(len, || none_for(format_args!("{what} of {len} elements")))
}

fn zeroed<T: Zeroable>(len: u64, none: impl Fn() -> Error) -> Result<Vec<T>> {
    let len = usize::try_from(len).map_err(|_| none())?;
    let mut zeros = try_zeroed_vec(len).map_err(|()| none())?;
    ask_for_huge_pages(&mut zeros);
    Ok(zeros)
}

fn none_for(what: fmt::Arguments<'_>) -> Error {
    Error::Io(io::Error::new(io::ErrorKind::OutOfMemory, format!("out of memory for {what}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_memory_is_an_error() {
        assert_eq!(zeros(0).expect("none"), []);
        assert_eq!(elements::<f64>(3, "a box").expect("a few"), [0.0; 3]);
        assert_eq!(zeros(1000).expect("a few"), [0; 1000]);
        for len in [1 << 62, u64::MAX] {
            let answer = zeros(len).expect_err("no machine has so much");
            assert!(matches!(&answer, Error::Io(why) if why.kind() == io::ErrorKind::OutOfMemory));
            assert!(answer.to_string().contains(&len.to_string()), "{answer}");
            let answer = elements::<f32>(len, "a box").expect_err("nor for so many elements");
            assert!(matches!(&answer, Error::Io(why) if why.kind() == io::ErrorKind::OutOfMemory));
            assert!(answer.to_string().contains(&format!("a box of {len} elements")), "{answer}");
        }
    }
}
