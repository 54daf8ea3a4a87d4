//! The window: panels, panes and pictures. A panel is a function from an input to a list of commands;
//! nothing here changes what is open.

pub mod arrangement;
pub mod bars;
pub mod camera;
pub mod colour;
pub mod colour_bar;
pub mod command;
pub mod figure;
pub mod gpu_paint;
pub mod input;
pub mod lost_gpu;
pub mod paint;
pub mod painter;
pub mod pane;
pub mod panels;
pub mod pictures;
pub mod state;
pub mod text;
pub mod theme;
pub mod volume_pane;
pub mod volume_state;
pub mod window_gpu;
