//! A folder of `.fsz` files as a series: a step each, in the order of their names.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use fsz_field::Hints;

use crate::model::catalog::{Catalog, Choice, Entry};
use crate::model::document::Document;

/// The `.fsz` files of a folder, in the order of their names, in which numbers count as such.
///
/// # Errors
/// When the folder cannot be read.
pub fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let unread = |reason: std::io::Error| anyhow!("{}: {reason}", folder.display());
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unread)? {
        let path = entry.map_err(unread)?.path();
        if path.extension().is_some_and(|extension| extension == "fsz") {
            found.push(path);
        }
    }
    found.sort_by_cached_key(|path| {
        let name = path.file_name().unwrap_or_default().to_owned();
        // Of names that are one in this order, the system lists any first.
        (order(&name.to_string_lossy()), name)
    });
    Ok(found)
}

/// What a name is sorted by: its words, and its numbers by their size.
fn order(name: &str) -> Vec<(String, u64)> {
    let (mut parts, mut word, mut number) = (Vec::new(), String::new(), None);
    for c in name.chars() {
        match (c.to_digit(10), number) {
            (Some(digit), before) => {
                let before: u64 = before.unwrap_or(0);
                number = Some(before.saturating_mul(10).saturating_add(u64::from(digit)));
            }
            (None, before) => {
                if let Some(before) = before {
                    parts.push((std::mem::take(&mut word), before));
                    number = None;
                }
                word.push(c);
            }
        }
    }
    parts.push((word, number.unwrap_or(0)));
    parts
}

/// One step of a series.
///
/// # Errors
/// When the file is no field.
pub fn open(
    folder: &Path,
    files: &[PathBuf],
    choice: &Choice,
) -> Result<(Document, (Catalog, Choice))> {
    let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
    let names = files.iter().filter_map(|file| Some(file.file_name()?.to_owned())).collect();
    let entries = vec![Entry { name, steps: files.len() as u64, marks: names }];
    let catalog = Catalog { path: folder.to_owned(), entries };
    let choice = catalog.nearest(choice);
    let file = files.get(choice.step as usize).context("the folder has no .fsz file")?;
    Ok((Document::open(file, &Hints::default())?, (catalog, choice)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_read_is_told_of_with_the_reason() {
        let told = files(Path::new("/nowhere at all")).unwrap_err().to_string();
        assert!(told.len() > "/nowhere at all: ".len(), "{told}");
    }

    #[test]
    fn names_of_one_order_have_one() {
        let names = ["U-001.fsz", "U-01.fsz", "U-1.fsz"];
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            let folder = tempfile::TempDir::new().unwrap();
            for name in order.map(|at| names[at]) {
                std::fs::write(folder.path().join(name), "").unwrap();
            }
            assert_eq!(files(folder.path()).unwrap(), names.map(|name| folder.path().join(name)));
        }
    }

    #[test]
    fn numbers_in_names_count_as_such() {
        let mut names = ["U-10.fsz", "U-9.fsz", "U-009b.fsz", "T.fsz", "U-100.fsz", "U-1.fsz"];
        names.sort_by_cached_key(|name| order(name));
        assert_eq!(names, ["T.fsz", "U-1.fsz", "U-9.fsz", "U-009b.fsz", "U-10.fsz", "U-100.fsz"]);
        assert_eq!(order("99999999999999999999999"), [(String::new(), u64::MAX)]);
    }
}
