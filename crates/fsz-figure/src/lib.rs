//! Figures of fields and streams, as the study, the demo and the command line make them: a [`Canvas`]
//! with text, saved as PNG; [`plot`]s in SVG; the [`palette`]s; and [`number`]s for people.
#![deny(missing_docs)]

mod animation;
mod axis;
mod canvas;
pub mod number;
pub mod palette;
#[cfg(feature = "text")]
pub mod panels;
pub mod plot;
#[cfg(feature = "text")]
pub mod text;

pub use animation::Animation;
pub use canvas::{Canvas, Rect, Rgb};
