//! Compression and decompression by `paper` take little memory beside their input and output.
#![cfg(target_os = "linux")]

#[path = "common/peak.rs"]
mod peak;

#[test]
fn peak_memory_is_input_and_output_and_a_tenth() {
    peak::is_input_and_output_and_a_tenth(fsz::Profile::default());
}
