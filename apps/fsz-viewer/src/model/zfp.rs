//! zfp, in builds that have it.

use anyhow::Result;
use fsz_field::Field;

/// Whether this build has zfp.
pub const BUILT_IN: bool = cfg!(feature = "zfp");

/// What to do where it has not.
pub const NOT_BUILT_IN: &str = "this build has no zfp; build the viewer with --features zfp";

/// How much zfp is to keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// Fixed rate: so many bits per value, as cuZFP.
    Rate(f64),
    /// Fixed accuracy: errors of at most this.
    Accuracy(f64),
}

/// Compresses a field and decodes it again: its values, and the bytes of the stream. `proceed` hears
/// how many values are done so far, and ends it by false: then there is no result.
///
/// # Errors
/// When the field is none for zfp, or the build has none.
#[cfg(feature = "zfp")]
pub fn round_trip(
    field: &Field,
    mode: Mode,
    proceed: impl FnMut(u64) -> bool,
) -> Result<Option<(Field, u64)>> {
    let mode = match mode {
        Mode::Rate(rate) => fsz_field::zfp::Mode::Rate(rate),
        Mode::Accuracy(tolerance) => fsz_field::zfp::Mode::Accuracy(tolerance),
    };
    let made = fsz_field::round_trip(field, mode, proceed)?;
    Ok(made.map(|made| (made.field, made.bytes)))
}

/// As in builds that have it, without a result.
#[cfg(not(feature = "zfp"))]
pub fn round_trip(
    _field: &Field,
    _mode: Mode,
    _proceed: impl FnMut(u64) -> bool,
) -> Result<Option<(Field, u64)>> {
    anyhow::bail!(NOT_BUILT_IN)
}
