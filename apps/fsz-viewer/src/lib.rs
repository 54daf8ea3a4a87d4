//! The FSZ viewer: original, reconstruction and error of a compressed field, plane by plane, and how
//! each tile is stored.
//!
//! [`Viewer`] is the program without its window; `main.rs` gives it one.
#![deny(missing_docs)]

mod app;
mod args;
mod bench;
mod model;
mod view;
mod work;

pub use app::{Start, Viewer};
pub use args::Args;
#[cfg(unix)]
pub use args::handed_over;
pub use bench::{bench, bench_series, bench_volume};
pub use model::catalog::Choice;
pub use model::comparison::MatchMode;
pub use model::document::Document;
pub use model::live::{Connection, Live, LiveField, LivePoint, LiveSeries, LiveStep, LiveView};
pub use model::measures::Measures;
pub use model::pane_kind::PaneKind;
pub use model::plane::Place;
pub use model::saved_session::SavedSession;
pub use model::scene::{ErrorMode, Overlay};
pub use model::set::Role;
pub use model::settings::{Layout, Settings};
pub use model::sweep_point::{Extent, Method, Point};
pub use model::trial::Target;
pub use model::volume::clip_box::ClipBox;
pub use model::volume::orbit::Orbit;
pub use model::volume::transfer::{Preset, Transfer};
pub use model::volume::volume_view::{Rendering, VolumeSource, VolumeView};
pub use view::lost_gpu::LostGpu;
pub use view::pane::Picture;
pub use view::window_gpu::WindowGpu;
pub use work::decoder::DecoderChoice;
pub use work::event::Wake;
#[cfg(unix)]
pub use work::instance::{Call, Instance};
