//! Warnings on standard error, once for each variable and kind.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

static WARNED: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// Warns once per variable and process that its values are stored uncompressed.
pub(crate) fn stored_raw(variable: &str, reason: &str) {
    once(variable, "is stored uncompressed", reason);
}

/// Warns once per variable and process that the CPU does the work of a device.
pub(crate) fn on_cpu(variable: &str, reason: &str) {
    once(variable, "is compressed on the CPU", reason);
}

fn once(variable: &str, what: &str, reason: &str) {
    let mut warned = WARNED.lock().unwrap_or_else(PoisonError::into_inner);
    if !warned.get_or_insert_default().insert(format!("{what} {variable}")) {
        return;
    }
    let variable = if variable.is_empty() { "a variable" } else { variable };
    eprintln!("FSZ warning: {variable} {what}: {reason} (shown once)");
}
