//! The viewer without its window: what a person does, by labels and keys, and what is then shown.

mod arrange;
mod bad_files;
mod bench;
#[cfg(feature = "adios2")]
mod bp;
mod comparison;
mod damaged_planes;
mod figure;
#[cfg(target_os = "linux")]
mod file_dialog;
mod fixture;
mod fsz1;
#[cfg(unix)]
mod handed_over;
mod interaction;
mod large_streams;
mod layout_changes;
mod legible;
#[cfg(feature = "adios2")]
mod live;
#[cfg(all(feature = "adios2", target_os = "linux"))]
mod live_forged;
mod live_steps;
mod manual;
mod measures;
mod modules;
mod near_values;
mod on_gpu;
#[cfg(feature = "zfp")]
mod paper;
mod random;
mod rate_distortion;
#[cfg(target_os = "linux")]
mod real_window;
mod regions;
#[cfg(all(feature = "adios2", target_os = "linux"))]
#[path = "../../../../crates/fsz/tests/common/seal.rs"]
#[allow(dead_code)]
mod seal;
mod series;
mod session;
mod snapshots;
mod volume;
#[cfg(feature = "zfp")]
mod zfp;
