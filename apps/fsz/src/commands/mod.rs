//! The commands.

pub mod adios2;
pub mod bench;
pub mod compare;
pub mod completions;
pub mod compress;
pub mod decompress;
pub mod devices;
pub mod extract;
pub mod inspect;
pub mod man;
pub mod picture;
pub mod slice;
pub mod study;
pub mod verify;
pub mod view;
