//! The documents show files as they are, and their links lead somewhere. The Rust examples of the READMEs
//! are doctests of this crate.

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|why| panic!("{}: {why}", file.display()))
}

#[test]
fn documents_show_files_as_they_are() {
    for (document, file) in [
        ("README.md", "plugins/adios2/examples/gray-scott/adios2.xml"),
        ("docs/benchmarks.md", "assets/peer.toml"),
    ] {
        let text = read(&root().join(file));
        let shown = read(&root().join(document));
        assert!(shown.contains(text.trim_end()), "{document} shows another {file}");
    }
}

#[test]
fn links_lead_somewhere() {
    let folder = fs::read_dir(root().join("docs")).expect("docs");
    let mut documents: Vec<PathBuf> = folder.map(|entry| entry.expect("an entry").path()).collect();
    for file in ["README.md", "crates/fsz/README.md", "cuda/README.md", "plugins/adios2/README.md"]
    {
        documents.push(root().join(file));
    }
    for document in documents {
        let text = read(&document);
        let folder = document.parent().expect("a folder");
        let mut links = 0;
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            if path.starts_with("http") {
                continue;
            }
            let target = if path.is_empty() { document.clone() } else { folder.join(path) };
            assert!(target.exists(), "{}: no {link}", document.display());
            assert!(
                heading.is_empty() || has_heading(&read(&target), heading),
                "{}: no heading {link}",
                document.display()
            );
            links += 1;
        }
        assert!(links > 0, "{} has no links", document.display());
    }
}

/// Whether a document has the heading that GitHub gives this anchor.
fn has_heading(text: &str, anchor: &str) -> bool {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let anchors = headings.map(|line| line.trim_start_matches('#').trim().to_lowercase());
    // Punctuation is left out.
    let kept = |c: char| (c.is_alphanumeric() || "-_".contains(c)).then_some(c);
    let mut anchors = anchors
        .map(|heading| heading.replace(' ', "-").chars().filter_map(kept).collect::<String>());
    anchors.any(|heading| heading == anchor)
}
