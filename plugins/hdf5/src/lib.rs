//! FSZ as an HDF5 filter.
//!
//! HDF5 finds `libfsz_hdf5.so` in `HDF5_PLUGIN_PATH`, asks it for its class (`plugin`), lets it see each new
//! dataset (`local`) and passes it every chunk (`filter`). A filtered chunk is an FSZ stream and
//! nothing else. The library links no HDF5: it takes the functions that it needs from the HDF5 that has
//! called it (`caller`, `hdf5`). `docs/hdf5.md` is the user's manual.
#![deny(missing_docs)]

mod buffer;
mod caller;
mod cd_values;
mod chunk;
mod codec;
mod direct;
mod filter;
mod hdf5;
mod local;
mod options;
mod plugin;
mod remark;
mod report;

#[cfg(test)]
mod tests;

/// What goes wrong here, in words.
type Result<T> = std::result::Result<T, String>;

/// Runs what HDF5 or a C program has called: nothing unwinds into them, and how their thread computes with floats changes no number.
fn attempt<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let _mode = fsz::FloatMode::standard();
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work))
        .unwrap_or_else(|_| Err("FSZ panicked (please report this)".into()))
}

/// The codec's errors, in words.
fn text(error: fsz::Error) -> String {
    error.to_string()
}
