//! The result of what can fail for a reason that the user is told.

/// The text of an error is for the user.
pub type Result<T> = std::result::Result<T, String>;
