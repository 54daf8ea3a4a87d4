//! The README shows the examples as they are.

use std::{fs, path::Path};

#[test]
fn shows_the_examples_as_they_are() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(folder.join("README.md")).expect("README.md");
    for file in [
        "../../assets/adios2.xml",
        "examples/python/writer.py",
        "examples/python/reader.py",
        "examples/python/device_writer.py",
        "examples/cpp/writer.cpp",
        "examples/cpp/reader.cpp",
    ] {
        let text = fs::read_to_string(folder.join(file)).expect(file);
        assert!(readme.contains(text.trim_end()), "README.md shows another {file}");
    }
}
