//! The FSZ viewer: original, reconstruction and error of a compressed field, plane by plane, and how
//! each tile is stored.
//!
//! [`Viewer`] is the program without its window; `main.rs` gives it one.
#![deny(missing_docs)]

mod app;
mod bench;
#[cfg(feature = "adios2")]
mod bp;
mod brush;
mod camera;
mod catalog;
mod colours;
mod decoder;
mod document;
mod explain;
mod export;
mod file_dialog;
mod gpu_paint;
mod grid;
mod measures;
mod paint;
mod pane;
mod panels;
mod plane;
mod raw_dialog;
mod scene;
mod service;
mod settings;
mod tiles;
mod words;

pub use app::{Start, Viewer};
pub use bench::bench;
pub use catalog::Choice;
pub use decoder::Wanted;
pub use paint::{ErrorMode, Overlay};
pub use pane::Picture;
pub use plane::Place;
pub use service::{Role, Wake};
pub use settings::Settings;
