//! Warnings on standard error, once for each variable and kind.

use std::{
    collections::HashSet,
    sync::{Mutex, PoisonError},
};

static WARNED: Mutex<Option<HashSet<String>>> = Mutex::new(None);

/// Warns once per variable, process and `given` parameters that its values are stored uncompressed: a notebook may change
/// them and go on in the same process. The reason may be another one for each ADIOS2 block.
pub(crate) fn stored_raw(given: &str, variable: &str, reason: &str) {
    once(given, variable, "is stored uncompressed", reason);
}

/// Warns that a variable's values are stored uncompressed, once for each way in which its parameters are wrong.
pub(crate) fn refused(variable: &str, reason: &str) {
    once(reason, variable, "is stored uncompressed", reason);
}

/// Warns once per variable and process that the CPU does the work of a device.
pub(crate) fn on_cpu(variable: &str, reason: &str) {
    once("", variable, "is compressed on the CPU", reason);
}

/// Warns once per variable, process and ratio that no bound gives its values the ratio that was asked for.
pub(crate) fn missed_ratio(variable: &str, ratio: f64, asked: f64) {
    let why = "the nearest that was found, for it jumps from one bound to the next";
    let reason = format!("it is {ratio:.4}, not {asked}: {why}");
    once(&asked.to_string(), variable, "has another ratio than the parameters say", &reason);
}

/// Warns once per variable and process that a bound is as large as the range of an ADIOS2 block.
pub(crate) fn coarse_bound(variable: &str, bound: f64, span: f64) {
    let reason =
        format!("{bound:.4e} is not smaller than max - min of the ADIOS2 block, {span:.4e}");
    once("", variable, "has a bound so large that its values may all become one", &reason);
}

/// Warns once per variable and process that a bound is a share of a range which may be that of missing elements.
pub(crate) fn fill_value(variable: &str, end: &str, value: &str) {
    let reason = format!("its {end} is {value}: if it marks missing elements, set missing to it");
    once("", variable, "has a bound by a range that may not be that of its values", &reason);
}

/// `kind` tells warnings of a variable apart that say the same of it.
fn once(kind: &str, variable: &str, what: &str, reason: &str) {
    let mut warned = WARNED.lock().unwrap_or_else(PoisonError::into_inner);
    if !warned.get_or_insert_default().insert(format!("{kind}: {what} {variable}")) {
        return;
    }
    let variable = if variable.is_empty() { "a variable" } else { variable };
    eprintln!("FSZ warning: {variable} {what}: {reason} (shown once)");
}
