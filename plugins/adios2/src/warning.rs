//! Warnings: on standard error, once for each variable.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

static WARNED: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// Says once, for this variable and process, that its values are stored uncompressed.
pub(crate) fn stored_raw(variable: &str, reason: &str) {
    let mut warned = WARNED.lock().unwrap_or_else(PoisonError::into_inner);
    if !warned.get_or_insert_default().insert(variable.to_owned()) {
        return;
    }
    let variable = if variable.is_empty() { "a variable" } else { variable };
    eprintln!("FSZ warning: {variable} is stored uncompressed: {reason}. (Said once.)");
}
