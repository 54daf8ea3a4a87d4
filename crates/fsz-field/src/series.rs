//! A folder of `.fsz` files, or of plain values, as a series: a step each.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::kind::Kind;
use crate::shape::shape_in_name;

/// The `.fsz` files of a folder, in the order of their names, in which numbers count as such; none of an ADIOS2 file, which
/// is a folder too.
///
/// # Errors
/// When the folder cannot be read.
pub fn streams_in(folder: &Path) -> Result<Vec<PathBuf>> {
    files_in(folder, |path| ends(path, &["fsz"]))
}

/// The files of plain values of a folder that tell their shape, in the same order: `.npy`, and raw ones with their shape in
/// their names; none of an ADIOS2 file.
///
/// # Errors
/// When the folder cannot be read.
pub fn values_in(folder: &Path) -> Result<Vec<PathBuf>> {
    let is_raw = |path: &Path| ends(path, &["f32", "f64", "d64"]) && shape_in_name(path).is_some();
    files_in(folder, |path| ends(path, &["npy"]) || is_raw(path))
}

/// The name that a field and its stream share: that of the file without its ending, or with one that is a number, as the step
/// in `u.0001`.
pub fn field_name(path: &Path) -> &OsStr {
    let is_number = |digits: &[u8]| !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let name = match path.extension() {
        Some(ending) if is_number(ending.as_encoded_bytes()) => path.file_name(),
        _ => path.file_stem(),
    };
    name.unwrap_or_default()
}

fn ends(path: &Path, endings: &[&str]) -> bool {
    path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known))
}

fn files_in(folder: &Path, is_wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    if matches!(Kind::of(folder), Ok(Kind::Bp)) {
        return Ok(found);
    }
    for entry in folder.read_dir().map_err(Error::io(folder))? {
        let path = entry.map_err(Error::io(folder))?.path();
        // A pipe that somebody keeps in a folder holds no stream, and to open it might wait for ever. A link that leads
        // nowhere is told with what cannot be read.
        let is_special = path.metadata().is_ok_and(|entry| !entry.is_file() && !entry.is_dir());
        if is_wanted(&path) && !is_special {
            found.push(path);
        }
    }
    found.sort_by_cached_key(|path| order(path.file_name().unwrap_or_default().to_owned()));
    Ok(found)
}

/// What a name is sorted by: its words, and its numbers by their size; and itself, as U-1 and U-01 are the same otherwise.
fn order(name: OsString) -> (Vec<(String, u64)>, OsString) {
    let (mut parts, mut word, mut number) = (Vec::new(), String::new(), None);
    for c in name.to_string_lossy().chars() {
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
    (parts, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        streams_in(folder).unwrap().iter().map(name).collect()
    }

    #[test]
    fn numbers_in_names_count_as_such() {
        let sorted =
            ["T.fsz", "U-1.fsz", "U-009.fsz", "U-9.fsz", "U-009b.fsz", "U-10.fsz", "U-100.fsz"];
        // The system lists them in any order.
        for order in [[0, 1, 2, 3, 4, 5, 6], [6, 5, 4, 3, 2, 1, 0], [3, 6, 2, 0, 4, 1, 5]] {
            let folder = tempfile::TempDir::new().unwrap();
            for at in order {
                std::fs::write(folder.path().join(sorted[at]), "").unwrap();
            }
            assert_eq!(names(folder.path()), sorted);
        }
        let (parts, _) = order("99999999999999999999999".into());
        assert_eq!(parts, [(String::new(), u64::MAX)]);
    }

    #[test]
    fn steps_in_endings_are_of_the_name() {
        let named = |path: &str| field_name(Path::new(path)).to_str().unwrap().to_owned();
        for (path, name) in [
            ("a/u.0001", "u.0001"),
            ("u.0001.fsz", "u.0001"),
            ("u.0001.npy", "u.0001"),
            ("T_3x4.f32", "T_3x4"),
            ("T", "T"),
            ("T.", "T"),
            ("u.t1", "u"),
            ("/", ""),
        ] {
            assert_eq!(named(path), name, "{path}");
        }
    }

    #[test]
    fn what_is_no_file_of_a_series_is_left_out() {
        let folder = tempfile::TempDir::new().unwrap();
        for name in ["0.fsz", "notes.txt"] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        #[cfg(unix)]
        {
            let pipe = folder.path().join("1.fsz");
            assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
        }
        assert_eq!(names(folder.path()), ["0.fsz"]);
        std::fs::write(folder.path().join("md.idx"), "").unwrap();
        assert_eq!(names(folder.path()), [""; 0]);
    }

    #[test]
    fn values_of_a_folder_are_those_that_tell_their_shape() {
        let folder = tempfile::TempDir::new().unwrap();
        let wanted = ["U-2.npy", "U-10.npy", "V_3x4.f32", "V_3x4.f64"];
        for name in ["0.fsz", "notes.txt", "W.f32", "W_3x4.raw"].iter().chain(&wanted) {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        let found = values_in(folder.path()).unwrap();
        let names: Vec<_> = found.iter().map(|path| path.file_name().unwrap()).collect();
        assert_eq!(names, wanted);
    }

    #[test]
    fn a_folder_that_cannot_be_read_is_told_of_with_the_reason() {
        let told = streams_in(Path::new("/nowhere at all")).unwrap_err().to_string();
        assert!(told.len() > "/nowhere at all: ".len(), "{told}");
    }
}
