//! Programs that the tests run.

use std::{
    fs,
    process::{Command, Stdio},
};

/// Runs a program to its end. It must succeed; else `what` tells of it, with all that it said.
pub fn run(command: &mut Command, what: &str) {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().expect("it starts");
    let process = child.id();
    let output = child.wait_with_output().expect("it ends");
    remove_profiles(process);
    assert!(
        output.status.success(),
        "{what}: {}\n{}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Removes the files of times that ADIOS2's readers of BP5 have left in a process.
fn remove_profiles(process: u32) {
    let ending = format!("_{process:x}_profiling.json");
    for entry in fs::read_dir("/tmp").into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().ends_with(&ending) {
            // Nothing asks for it.
            let _ = fs::remove_file(entry.path());
        }
    }
}
