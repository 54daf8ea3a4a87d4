//! A `.fsz` file by itself: whether it is as it was written.

use std::path::Path;

use anyhow::Result;
use fsz::{Codec, Element, Stream};
use fsz_figure::number::short;
use serde::Serialize;

use crate::{chunked, limit};

/// What was found, by the names of the JSON output.
#[derive(Debug, Serialize)]
pub struct Found {
    /// Every checksum matches. A file of which one does not is an error.
    intact: bool,
    absolute_bound: f64,
    pub certified_max_abs_error: f64,
    #[serde(skip)]
    pub at_most: &'static str,
    #[serde(skip)]
    bound: String,
}

impl Found {
    /// In one line.
    pub fn text(&self) -> String {
        format!(
            "intact: every checksum matches; certified max error {}{} (bound {}), not compared with an original",
            self.at_most,
            short(self.certified_max_abs_error),
            self.bound
        )
    }
}

/// Decodes everything.
///
/// # Errors
/// When something is damaged.
pub fn check<T: Element>(
    codec: &Codec,
    (path, stream): (&Path, &Stream<'_>),
    what: &str,
    quiet: bool,
) -> Result<Found> {
    chunked::each::<T>(codec, (path, stream), what, quiet, |_, _| Ok(()))?;
    Ok(Found {
        intact: true,
        absolute_bound: stream.header().absolute_bound,
        certified_max_abs_error: stream.certificate().max_abs_error,
        at_most: limit::at_most(!stream.regions().is_empty()),
        bound: limit::of_all(stream),
    })
}
