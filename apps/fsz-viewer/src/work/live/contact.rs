//! The file through which a simulation is reached, which ADIOS2 reads.

use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// The contact file of a stream.
pub fn contact(stream: &Path) -> PathBuf {
    let mut name = stream.to_owned().into_os_string();
    name.push(".sst");
    name.into()
}

/// The most bytes of a contact file.
const LONGEST: u64 = 1 << 16;

/// When a contact file was written; none of a file that is no such one.
///
/// # Errors
/// When there is no file, or it cannot be read.
pub fn written(file: &Path) -> io::Result<Option<SystemTime>> {
    let found = std::fs::metadata(file)?;
    if !found.is_file() || found.len() > LONGEST {
        return Ok(None);
    }
    let text = std::fs::read(file)?;
    let written = found.modified()?;
    Ok(is_contact(&String::from_utf8_lossy(&text)).then_some(written))
}

/// Whether the text is that of a contact file. ADIOS2 2.12 ends the program where it is not, and waits without end where
/// there is none: the number of the stream, a colon, and a list in base 64 of numbered attributes, such as its address.
fn is_contact(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let Some((number, list)) = lines.next().and_then(|line| line.split_once(':')) else {
        return false;
    };
    let Ok(list) = BASE64_STANDARD.decode(list.trim()) else { return false };
    // Byte order, how many attributes are whole numbers, how many are others, and nothing. The former take 8 bytes.
    let [order @ (0 | 1), numbers, others, 0, attributes @ ..] = &list[..] else { return false };
    let numbers = 8 * usize::from(*numbers);
    let fits = match others {
        0 => attributes.len() == numbers,
        others => attributes.len() >= numbers + 8 * usize::from(*others),
    };
    let native = *order == u8::from(cfg!(target_endian = "big"));
    number.starts_with("0x") && numbers > 0 && native && fits
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is read every half second is a small file.
    #[test]
    fn other_files_of_the_name_are_not_read() {
        let folder = tempfile::TempDir::new().unwrap();
        let file = contact(&folder.path().join("run"));
        assert_eq!(file, folder.path().join("run.sst"));
        assert_eq!(written(&file).unwrap_err().kind(), io::ErrorKind::NotFound);
        std::fs::create_dir(&file).unwrap();
        assert_eq!(written(&file).unwrap(), None);
        std::fs::remove_dir(&file).unwrap();
        let mut text = "0x7:AAEAAJTJ8o0huwAA".to_owned();
        std::fs::write(&file, &text).unwrap();
        assert!(written(&file).unwrap().is_some());
        text.push_str(&"\n#".repeat(LONGEST as usize));
        std::fs::write(&file, &text).unwrap();
        assert_eq!(written(&file).unwrap(), None);
        #[cfg(unix)]
        {
            std::fs::remove_file(&file).unwrap();
            assert!(std::process::Command::new("mkfifo").arg(&file).status().unwrap().success());
            assert_eq!(written(&file).unwrap(), None, "it does not wait");
        }
    }

    #[test]
    fn what_adios2_cannot_read_is_no_contact_file() {
        // As ADIOS2 2.12 writes it.
        let whole = "#ADIOS2-SST v0\n0x7fcbd4036780:AAMAAJTJ8o0huwAAATkCmAEAAH/e55DE2xkHNw==";
        assert!(is_contact(whole) && is_contact(&whole[15..]) && is_contact(&format!("{whole}\n")));
        for end in 0..whole.len() {
            assert!(!is_contact(&whole[..end]), "{end} bytes of it");
        }
        for other in ["#ADIOS2-SST v0\nnobody", "0x7:nobody", "0x7:AAAAAA==", "7:AAMAAA==", "\0\0"]
        {
            assert!(!is_contact(other), "{other}");
        }
    }
}
