//! Memory that is asked for in a way that a hostile header, or a field that is too large, cannot turn into an abort. As zeros
//! it is touched by the threads that write to it, not by the one that asks.

use std::fmt::Display;

use bytemuck::{Zeroable, allocation::try_zeroed_vec};
use fsz::{Codec, Element, ask_for_huge_pages};
use ndarray::ArrayViewD;
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::shape::Shape;

/// Memory for a field.
///
/// # Errors
/// When there is not so much.
pub fn zeros<T: Element>(shape: &Shape) -> Result<Vec<T>> {
    zeroed(shape.elements(), format_args!("a field of shape {shape}"))
}

/// The values of a part of a field, in C order.
///
/// # Errors
/// When there is not so much memory for them.
pub(crate) fn copied<T: Element>(part: &ArrayViewD<'_, T>) -> Result<Vec<T>> {
    let sides: Vec<u64> = part.shape().iter().map(|&side| side as u64).collect();
    let shape = Shape::new(&sides)?;
    let mut all = zeros(&shape)?;
    let copied = Codec::cpu().gather(part.view(), &mut all);
    copied.map_err(|error| Error::Argument(error.to_string()))?;
    Ok(all)
}

/// What all threads make of so many bytes each.
///
/// # Errors
/// When there is not so much memory for `what` they become.
pub(crate) fn converted<T: Zeroable + Send, const N: usize>(
    bytes: &[[u8; N]],
    value: impl Fn([u8; N]) -> T + Sync,
    what: impl Display,
) -> Result<Vec<T>> {
    /// Values that a thread takes at a time.
    const PART: usize = 1 << 16;
    let mut all = zeroed(bytes.len() as u64, what)?;
    let parts = all.par_chunks_mut(PART).zip(bytes.par_chunks(PART));
    parts.for_each(|(all, bytes)| {
        all.iter_mut().zip(bytes).for_each(|(own, bytes)| *own = value(*bytes));
    });
    Ok(all)
}

/// Memory for a stream of up to so many bytes. What is behind the stream is never touched, and costs nothing but address
/// space.
///
/// # Errors
/// When there is not so much.
pub fn zero_bytes(most: u64) -> Result<Vec<u8>> {
    zeroed(most, format_args!("a stream of up to {most} bytes"))
}

/// So many zeros.
///
/// # Errors
/// When there is not so much memory for `what` they are.
pub fn zeroed<T: Zeroable>(len: u64, what: impl Display) -> Result<Vec<T>> {
    match usize::try_from(len).map(try_zeroed_vec) {
        Ok(Ok(mut all)) => {
            ask_for_huge_pages(&mut all);
            Ok(all)
        }
        _ => Err(too_large(what)),
    }
}

fn too_large(what: impl Display) -> Error {
    Error::Memory(format!("out of memory for {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_memory_is_an_error() {
        assert_eq!(zero_bytes(1000).unwrap(), [0; 1000]);
        for len in [1 << 62, u64::MAX] {
            let told = zero_bytes(len).unwrap_err().to_string();
            assert!(told.contains(&len.to_string()), "{told}");
        }
        let shape = Shape::new(&[1 << 30, 1 << 29]).unwrap();
        let told = zeros::<f64>(&shape).unwrap_err().to_string();
        assert!(told.contains("1073741824x536870912"), "{told}");
        // A value that stands everywhere in a part takes no memory of its own.
        let one = ndarray::arr0(1.0f64).into_dyn();
        assert_eq!(copied(&one.broadcast(vec![2, 3]).unwrap()).unwrap(), [1.0; 6]);
        let part = one.broadcast(vec![1 << 30, 1 << 29]).unwrap();
        let told = copied(&part).unwrap_err();
        assert!(
            matches!(&told, Error::Memory(why) if why.contains("1073741824x536870912")),
            "{told}"
        );
    }
}
