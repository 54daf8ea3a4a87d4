//! Compression and decompression by `dense` take little memory beside their input and output. A process of
//! its own: the peak of one profile would hide that of the other.
#![cfg(target_os = "linux")]

#[path = "common/peak.rs"]
mod peak;

#[test]
fn peak_memory_is_input_and_output_and_a_tenth() {
    peak::is_input_and_output_and_a_tenth(fsz::Profile::Dense(fsz::Dense::new()));
}
