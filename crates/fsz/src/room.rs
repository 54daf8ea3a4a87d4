//! Memory for streams and fields.

use std::{fmt, io, mem::MaybeUninit};

use bytemuck::{Zeroable, allocation::try_zeroed_vec};
use rayon::prelude::*;

use crate::{Error, Result, exec::Execution, pages::ask_for_huge_pages};

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

/// The same, of which several threads are going to write every one. Memory that was used before, of which smaller vectors are
/// made, would be set to zero by the thread that asks, which may take longer than all that the threads do then.
///
/// # Errors
/// [`Error::Io`], likewise.
pub(crate) fn elements_for<T: Zeroable + Copy + Send>(
    len: u64,
    what: &str,
    run: Execution<'_>,
) -> Result<Vec<T>> {
    match run.threads > 1 && is_shared(len.saturating_mul(size_of::<T>() as u64)) {
        true => zeroed_by_all(len as usize, || none_for(format_args!("{what} of {len} elements"))),
        false => elements(len, what),
    }
}

/// Whether threads share in setting so many bytes to zero: for fewer that gains nothing, and for more the allocator of glibc asks
/// the system for memory, which is zero.
pub(crate) fn is_shared(bytes: u64) -> bool {
    (SHARED..FRESH).contains(&bytes)
}

const SHARED: u64 = 1 << 20;
const FRESH: u64 = 32 << 20;
/// Bytes that a thread sets to zero at a time.
const PART: usize = 1 << 18;

fn zeroed_by_all<T: Zeroable + Copy + Send>(
    len: usize,
    none: impl Fn() -> Error,
) -> Result<Vec<T>> {
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(len).map_err(|_| none())?;
    let parts = zeros.spare_capacity_mut()[..len].par_chunks_mut(PART / size_of::<T>());
    parts.for_each(|part| part.fill(MaybeUninit::new(T::zeroed())));
    // SAFETY: there is room for so many, and all of them were written.
    unsafe { zeros.set_len(len) };
    Ok(zeros)
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
    fn zeros_by_all_threads_are_zeros() {
        let run = |threads| Execution { threads, ..Execution::alone() };
        for threads in [1, 3] {
            for len in [0, 5, SHARED / 4, SHARED / 4 + 77_777, FRESH / 4 - 1, FRESH / 4] {
                // Memory that was used.
                drop(vec![1f32; len as usize]);
                let zeros = elements_for::<f32>(len, "a box", run(threads)).expect("some");
                let all = zeros.iter().all(|&zero| zero == 0.0);
                assert!(all && zeros.len() as u64 == len, "{len}");
            }
            let none = elements_for::<f64>(u64::MAX, "a box", run(threads));
            assert!(none.expect_err("no machine has so much").to_string().contains("a box"));
        }
    }

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
