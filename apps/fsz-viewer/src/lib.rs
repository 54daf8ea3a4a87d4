//! The FSZ viewer: original, reconstruction and error of a compressed field, plane by plane, and how
//! each tile is stored.
//!
//! [`Viewer`] is the program without its window; `main.rs` gives it one.
#![deny(missing_docs)]

mod app;
mod arrangement;
mod background;
mod bench;
mod blocks;
mod boxes;
#[cfg(feature = "adios2")]
mod bp;
mod camera;
mod catalog;
mod comparison;
mod decoder;
mod document;
mod export;
mod figure;
mod file_dialog;
mod file_name;
mod gpu_paint;
mod grid;
mod measures;
mod missing_values;
mod number_format;
mod paint;
mod painter;
mod palette;
mod pane;
mod pane_kind;
mod panels;
mod plane;
mod plane_measures;
mod rate_distortion;
mod raw_dialog;
mod scale;
mod scene;
mod service;
mod session;
mod settings;
mod stream_facts;
mod tiles;
mod window_gpu;
mod zfp;

pub use app::{Start, Viewer};
pub use bench::bench;
pub use catalog::Choice;
pub use comparison::MatchMode;
pub use decoder::DecoderChoice;
pub use document::Document;
pub use measures::Measures;
pub use pane::Picture;
pub use pane_kind::PaneKind;
pub use plane::Place;
pub use rate_distortion::{Extent, Method, Point};
pub use scene::{ErrorMode, Overlay};
pub use service::{Role, Wake};
pub use session::Session;
pub use settings::{Layout, Settings};
pub use window_gpu::WindowGpu;
