//! The codec's errors as the exceptions of `fsz_codec`.

use std::{io, path::Path};

use pyo3::{
    exceptions::{PyMemoryError, PyOSError},
    prelude::*,
};

/// The exception for an error.
pub fn raised(py: Python<'_>, error: fsz::Error) -> PyErr {
    let class = match error {
        fsz::Error::Io(error) if error.kind() == io::ErrorKind::OutOfMemory => {
            return PyMemoryError::new_err(error.to_string());
        }
        fsz::Error::Io(error) => return error.into(),
        fsz::Error::Corrupt(_) => "CorruptError",
        fsz::Error::Truncated { .. } => "TruncatedError",
        fsz::Error::InvalidArgument(_) => "InvalidArgumentError",
        fsz::Error::Unsupported(_) => "UnsupportedError",
        fsz::Error::Device(_) => "DeviceError",
        _ => "FszError",
    };
    exception(py, class, &error.to_string())
}

/// The exception for a file that the system refused, as Python's own `open` raises it: of the class that the error's
/// number says, with the file's name.
pub fn refused(path: &Path, error: io::Error) -> PyErr {
    let Some(number) = error.raw_os_error() else { return error.into() };
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default().to_owned();
    // The number again is that of Windows, which alone looks at it.
    PyOSError::new_err((number, text, path.as_os_str().to_owned(), number))
}

/// The exception for an argument that the call does not take.
pub fn invalid(py: Python<'_>, message: &str) -> PyErr {
    exception(py, "InvalidArgumentError", message)
}

/// The exception for memory that cannot be had.
pub fn no_memory(bytes: u64) -> PyErr {
    PyMemoryError::new_err(format!("{bytes} bytes cannot be allocated"))
}

/// An exception by its name in `fsz_codec`, where Python code defines them.
fn exception(py: Python<'_>, class: &str, message: &str) -> PyErr {
    let made = py
        .import("fsz_codec._errors")
        .and_then(|errors| errors.getattr(class))
        .and_then(|class| class.call1((message,)));
    made.map_or_else(|why| why, PyErr::from_value)
}
