//! Blocks in CUDA memory. The driver is found at run time; without one every block is host memory.
//!
//! CUDA is never initialised to look at a pointer: where the program has not done so, no pointer of
//! its can be the device's, and a program that forks stays able to.

mod clock;
mod compress;
mod decompress;
mod driver;
mod place;
mod workspace;

pub(crate) use clock::Times;
pub(crate) use compress::{compress, copy_to_host};
pub(crate) use decompress::to_device;
pub(crate) use place::{Kind, Memory, is_readable};
