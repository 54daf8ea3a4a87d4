//! Work that may be cancelled on the way.

use anyhow::Result;
use fsz::Progress;

/// What some work came to; nothing where it was cancelled, however it ended.
///
/// # Errors
/// Those of the work.
pub fn unless_cancelled<T>(
    progress: &Progress,
    outcome: Result<T, impl Into<anyhow::Error>>,
) -> Result<Option<T>> {
    if progress.check().is_err() {
        return Ok(None);
    }
    outcome.map(Some).map_err(Into::into)
}
