//! PTX: from text to a program whose names are resolved.

mod instruction;
pub(crate) mod link;
pub(crate) mod parse;
mod rows;
mod token;
