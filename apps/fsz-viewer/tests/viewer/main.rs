//! The viewer without its window: what a person does, by labels and keys, and what is then shown.

mod arrange;
mod bad_files;
mod bench;
mod beside;
#[cfg(feature = "adios2")]
mod bp;
mod distortion;
mod figure;
mod looks;
mod measures;
mod on_gpu;
#[cfg(feature = "zfp")]
mod paper;
#[cfg(target_os = "linux")]
mod real_window;
mod session;
mod shop;
mod use_it;
#[cfg(feature = "zfp")]
mod zfp;
