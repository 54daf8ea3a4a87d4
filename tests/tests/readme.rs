//! The README shows the files that it speaks of as they are. Its Rust example is a doctest of this
//! crate.

use std::fs;
use std::path::Path;

#[test]
fn the_readme_shows_the_examples_as_they_are() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = fs::read_to_string(root.join("README.md")).expect("README.md");
    for file in [
        "assets/peer.toml",
        "plugins/adios2/examples/gray-scott/adios2.xml",
        "plugins/adios2/examples/python/writer.py",
        "plugins/adios2/examples/python/reader.py",
        "plugins/adios2/examples/cpp/writer.cpp",
        "plugins/adios2/examples/cpp/reader.cpp",
    ] {
        let text = fs::read_to_string(root.join(file)).expect(file);
        assert!(readme.contains(text.trim_end()), "README.md shows another {file}");
    }
}

#[test]
fn the_links_of_the_readme_lead_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = fs::read_to_string(root.join("README.md")).expect("README.md");
    let mut links = 0;
    for link in readme.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
        if !link.starts_with("http") && !link.starts_with('#') {
            assert!(root.join(link).exists(), "README.md links to {link}, which is not there");
            links += 1;
        }
    }
    assert!(links > 5);
}
