//! Long work that can be watched and ended.

/// Hears, from any thread, of so many values more that are done; what it returns tells whether to go on.
pub type Watch<'a> = &'a (dyn Fn(usize) -> bool + Sync);

/// Nobody watches.
pub(crate) const UNWATCHED: Watch<'static> = &|_| true;
