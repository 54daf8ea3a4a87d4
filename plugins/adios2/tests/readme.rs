//! The manual shows the examples as they are.

use std::{fs, path::Path};

#[test]
fn shows_the_examples_as_they_are() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (page, file) in [
        ("README.md", "../../assets/adios2.xml"),
        ("README.md", "examples/python/writer.py"),
        ("README.md", "examples/python/reader.py"),
        ("README.md", "examples/python/device_writer.py"),
        ("README.md", "examples/cpp/writer.cpp"),
        ("README.md", "examples/cpp/reader.cpp"),
        ("RECIPES.md", "examples/recipes/openpmd.json"),
        ("RECIPES.md", "examples/recipes/openpmd.py"),
        ("RECIPES.md", "examples/recipes/warpx.inputs"),
        ("RECIPES.md", "examples/recipes/amr.xml"),
        ("RECIPES.md", "examples/recipes/lammps.xml"),
    ] {
        let text = fs::read_to_string(folder.join(file)).expect(file);
        let shown = fs::read_to_string(folder.join(page)).expect(page);
        assert!(shown.contains(text.trim_end()), "{page} shows another {file}");
    }
}
