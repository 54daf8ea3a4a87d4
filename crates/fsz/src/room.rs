//! Memory for streams.

use std::io;

use bytemuck::allocation::try_zeroed_vec;

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
    let len = usize::try_from(len).map_err(|_| none())?;
    try_zeroed_vec(len).map_err(|()| none())
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
