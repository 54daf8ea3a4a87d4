//! Threads, decoding, and files: what the window never waits for.

pub mod apart;
pub mod background;
#[cfg(feature = "adios2")]
pub mod bp;
pub mod decoder;
pub mod dialog_failure;
pub mod event;
pub mod file_dialog;
pub mod gpu_streams;
#[cfg(unix)]
pub mod instance;
pub mod jobs;
pub mod kept_streams;
pub mod live;
pub mod open;
pub mod planes_of;
pub mod profile_made;
pub mod series;
pub mod service;
pub mod shaders;
pub mod steps_ahead;
pub mod sweep;
pub mod unless_cancelled;
pub mod volume;
pub mod zfp_made;
