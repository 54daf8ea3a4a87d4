//! Files that ADIOS2 2.8 cannot read, whose BP5 was an experiment: its C API has no mode to open them with all steps at
//! hand, and it crashes at those of any newer version (seen in 2.8.3).

use std::{fs::File, io::Read, path::Path};

use crate::{Error, Mode, Result};

/// The file of a BP4 or BP5 folder that begins with these bytes, the digits of the version after them ('<' for 12).
const INDEX: &str = "md.idx";
const BEGIN: &[u8] = b"ADIOS-BP v2.";
/// Where it tells which format it is of.
const FORMAT: usize = 37;
const BP5: u8 = 5;

/// # Errors
/// [`Error::Unsupported`] for a BP5 file that this mode cannot read. What cannot be read, ADIOS2 tells of.
pub(crate) fn check(path: &Path, mode: Mode) -> Result<()> {
    let mut head = [0; FORMAT + 1];
    let read = File::open(path.join(INDEX)).and_then(|mut file| file.read_exact(&mut head));
    if read.is_err() || head[FORMAT] != BP5 {
        return Ok(());
    }
    let is_newer = !head.starts_with(BEGIN) || head[BEGIN.len()] > b'8';
    if mode == Mode::ReadRandomAccess || is_newer {
        return Err(Error::Unsupported(
            "the ADIOS2 found is 2.8, which cannot read this BP5 file: set ADIOS2_DIR to a newer one".into(),
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(head: &[u8], mode: Mode) -> bool {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join(INDEX), head).unwrap();
        check(folder.path(), mode).is_ok()
    }

    #[test]
    fn bp5_is_read_step_by_step_if_it_is_no_newer() {
        let head = |minor: u8, format: u8| {
            let mut head = [0; 64];
            head[..BEGIN.len()].copy_from_slice(BEGIN);
            head[BEGIN.len()] = minor;
            head[FORMAT] = format;
            head
        };
        for (minor, format, by_step, at_hand) in [
            (b'8', 5, true, false),
            (b'9', 5, false, false),
            (b'<', 5, false, false),
            (b'8', 4, true, true),
            (b'<', 4, true, true),
        ] {
            let head = head(minor, format);
            assert_eq!(checked(&head, Mode::Read), by_step, "{minor} {format}");
            assert_eq!(checked(&head, Mode::ReadRandomAccess), at_hand, "{minor} {format}");
        }
        assert!(checked(b"short", Mode::ReadRandomAccess));
        assert!(check(Path::new("missing.bp"), Mode::Read).is_ok());
    }
}
