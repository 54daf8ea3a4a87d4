//! The folder of real fields, which lies beside the repository where there is one.

use std::path::{Path, PathBuf};

/// `../shared/data` as seen from the repository; `None`, said loudly, where there is no such folder.
#[must_use]
pub fn data_folder(test: &str) -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: {test}: the folder of real fields, ../shared/data, is not there");
    None
}

/// The shape that ends a file's name, as in `cesm_T_15x192x288.f32`.
#[must_use]
pub fn shape_of(path: &Path) -> Option<Vec<u64>> {
    let stem = path.file_stem()?.to_str()?;
    stem.rsplit('_').next()?.split('x').map(|side| side.parse().ok()).collect()
}

/// A raw little-endian file of `f32`.
///
/// # Errors
/// When the file cannot be read.
pub fn read_f32(path: &Path) -> std::io::Result<Vec<f32>> {
    let bytes = std::fs::read(path)?;
    Ok(bytes.as_chunks::<4>().0.iter().map(|b| f32::from_le_bytes(*b)).collect())
}
