//! Why no step comes, in the user's words.

use std::fmt::Display;
use std::io;
use std::path::Path;

/// The stream is open, and nothing has come of it yet.
pub const NO_STEP: &str = "No step has come yet.";

/// The stream is open, and nothing comes of it any more.
pub const SILENT: &str =
    "No step has come for some seconds: the simulation computes, or stands still.";

/// No simulation has opened the stream, as far as can be seen.
pub fn no_contact(contact: &Path, reason: &io::Error) -> String {
    let file = contact.display();
    let folder = contact.parent().filter(|folder| !folder.as_os_str().is_empty());
    match (reason.kind(), folder) {
        (io::ErrorKind::NotFound, Some(folder)) if !folder.exists() => {
            format!("There is no folder {}: a simulation writes {file}.", folder.display())
        }
        (io::ErrorKind::NotFound, _) => format!(
            "There is no {file}: a simulation writes it when it opens the stream through the engine SST."
        ),
        _ => format!("{file} cannot be looked at: {reason}."),
    }
}

/// There is a file of that name.
pub fn no_contact_file(contact: &Path) -> String {
    format!(
        "{} is no contact file of ADIOS2's engine SST: it is being written, or of something else.",
        contact.display()
    )
}

/// It is tried.
pub fn connecting(contact: &Path) -> String {
    format!("{} is there; connecting.", contact.display())
}

/// It was tried.
pub fn no_answer(contact: &Path, reason: &dyn Display) -> String {
    format!(
        "{} is there, but no simulation answers: {reason}. One that was killed leaves the file: remove it, or start the \
         simulation again. Trying again.",
        contact.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_is_told_of() {
        let folder = tempfile::TempDir::new().unwrap();
        let why = |name: &str| {
            let contact = folder.path().join(name);
            no_contact(&contact, &std::fs::metadata(&contact).unwrap_err())
        };
        assert!(
            why("run.sst").contains("run.sst: a simulation writes it when it opens the stream")
        );
        let told = why("nowhere/run.sst");
        assert!(told.starts_with("There is no folder ") && told.contains("nowhere: "), "{told}");
        std::fs::write(folder.path().join("file"), "").unwrap();
        let told = why("file/run.sst");
        assert!(told.contains("file/run.sst cannot be looked at: "), "{told}");
    }
}
