//! The native module of the Python package `fsz_codec`: bytes, decoding, and the interpreter's lock. It takes
//! what the Python side has already brought into shape (C order, native byte order, boxes), so Python's own
//! conventions are written in Python, in `python/fsz_codec`.

mod array;
mod codecs;
mod compress;
mod device;
mod dlpack;
mod errors;
mod partial;
mod save;
mod stream;
mod tiles;
mod watch;

use pyo3::prelude::*;

/// Nothing here relies on the interpreter's lock, so a free-threaded interpreter stays free.
#[pymodule(gil_used = false)]
mod _native {
    #[pymodule_export]
    use super::compress::{compress, compress_device, max_compressed_len};
    #[pymodule_export]
    use super::device::{DeviceArray, DeviceField, devices};
    #[pymodule_export]
    use super::partial::PartialStream;
    #[pymodule_export]
    use super::stream::Stream;

    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "Python's name")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
