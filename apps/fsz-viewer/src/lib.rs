//! The FSZ viewer: original, reconstruction and error of a compressed field, plane by plane, and how
//! each tile is stored.
//!
//! [`Viewer`] is the program without its window; `main.rs` gives it one.
#![deny(missing_docs)]

mod app;
mod arrangement;
mod aside;
mod bench;
mod beside;
mod blocks;
mod boxes;
#[cfg(feature = "adios2")]
mod bp;
mod brush;
mod camera;
mod catalog;
mod colours;
mod decoder;
mod distortion;
mod document;
mod explain;
mod export;
mod figure;
mod file_dialog;
mod file_name;
mod gpu_paint;
mod grid;
mod measures;
mod missing;
mod paint;
mod pane;
mod panels;
mod plane;
mod plane_measures;
mod raw_dialog;
mod scene;
mod service;
mod session;
mod settings;
mod sweep;
mod tiles;
mod which;
mod words;
mod zfp;

pub use app::{Start, Viewer};
pub use bench::bench;
pub use beside::Match;
pub use catalog::Choice;
pub use decoder::Wanted;
pub use document::Document;
pub use export::write_png;
pub use measures::Measures;
pub use paint::{ErrorMode, Overlay};
pub use pane::Picture;
pub use plane::Place;
pub use service::{Role, Wake};
pub use session::Session;
pub use settings::{Layout, Settings};
pub use sweep::{Point, Scope, Way};
pub use which::Which;
