//! What the operators of this process did, on standard error when it ends; for `verbose`. A variable
//! that is misspelt in the configuration is written without the operator and without a word from
//! ADIOS2: it is missing here.

use std::{
    collections::BTreeMap,
    ffi::c_int,
    process,
    sync::{Mutex, PoisonError},
};

/// ADIOS2 blocks of a variable, their bytes and those of their payloads.
#[derive(Debug, Default)]
struct Variable {
    blocks: u64,
    bytes: u64,
    written: u64,
    /// Blocks that were coded like those of an earlier step.
    like_earlier: u64,
}

#[derive(Debug, Default)]
struct Summary {
    /// The process that it is about: a forked one begins anew.
    process: u32,
    /// Variables with the operator, under any name.
    attached: u64,
    variables: BTreeMap<String, Variable>,
}

static SUMMARY: Mutex<Option<Summary>> = Mutex::new(None);

unsafe extern "C" {
    fn atexit(function: extern "C" fn()) -> c_int;
}

/// An operator was created.
pub(crate) fn defined() {
    with(|_| ());
}

/// A variable was given an operator.
pub(crate) fn attached() {
    with(|summary| summary.attached += 1);
}

/// An ADIOS2 block of `bytes` bytes became a payload of `written`, perhaps like one of an earlier step.
pub(crate) fn wrote(variable: &str, bytes: usize, written: usize, like_earlier: bool) {
    with(|summary| {
        let variable = summary.variables.entry(variable.to_owned()).or_default();
        variable.blocks += 1;
        variable.bytes += bytes as u64;
        variable.written += written as u64;
        variable.like_earlier += u64::from(like_earlier);
    });
}

fn with(change: impl FnOnce(&mut Summary)) {
    let mut summary = SUMMARY.lock().unwrap_or_else(PoisonError::into_inner);
    if summary.is_none() {
        // SAFETY: the library stays loaded until the process ends. Without room in the list nothing is
        // printed.
        unsafe { atexit(print) };
    }
    let summary = summary.get_or_insert_default();
    if summary.process != process::id() {
        *summary = Summary { process: process::id(), ..Summary::default() };
    }
    change(summary);
}

extern "C" fn print() {
    let Ok(summary) = SUMMARY.try_lock() else { return };
    let Some(summary) = summary.as_ref().filter(|s| s.process == process::id()) else { return };
    for line in lines(summary) {
        eprintln!("FSZ: {line}");
    }
}

fn lines(summary: &Summary) -> Vec<String> {
    if summary.attached == 0 {
        return vec![
            "the operator is defined and no variable has it: are the names in the configuration \
             those of the program's variables, and are these of type float or double?"
                .into(),
        ];
    }
    let line = |(name, variable): (&String, &Variable)| {
        let Variable { blocks, bytes, written, like_earlier } = variable;
        let ratio = *bytes as f64 / *written as f64;
        let like = match like_earlier {
            0 => String::new(),
            blocks => format!(", {blocks} of them coded like an earlier step"),
        };
        format!(
            "{name}: {blocks} ADIOS2 blocks, {bytes} to {written} bytes, ratio {ratio:.2}{like}"
        )
    };
    let mut lines = vec![format!("variables written: {}", summary.variables.len())];
    lines.extend(summary.variables.iter().map(line));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_what_was_written_and_what_was_not() {
        let mut summary = Summary::default();
        assert!(lines(&summary)[0].contains("no variable has it"));
        summary.attached = 1;
        let own = |like_earlier| Variable { blocks: 2, bytes: 80, written: 10, like_earlier };
        summary.variables.insert("U".into(), own(0));
        summary.variables.insert("V".into(), own(1));
        let told = lines(&summary).join("\n");
        let expected = "variables written: 2\nU: 2 ADIOS2 blocks, 80 to 10 bytes, ratio 8.00";
        assert!(told.starts_with(expected), "{told}");
        assert!(told.ends_with("ratio 8.00, 1 of them coded like an earlier step"), "{told}");
    }
}
