//! The system's dialog for files, asked on a thread of its own.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use crate::model::set::Role;
use crate::work::dialog_failure;
use crate::work::event::Wake;

/// What was chosen and what it is to be, or why there was no dialog.
pub type Answer = Result<(Role, PathBuf), String>;

/// Dialogs that are open, and what they answered.
pub struct Dialogs {
    tell: Sender<Answer>,
    answers: Receiver<Answer>,
    wake: Wake,
}

impl std::fmt::Debug for Dialogs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dialogs").finish_non_exhaustive()
    }
}

impl Dialogs {
    /// None is open.
    pub fn new(wake: Wake) -> Dialogs {
        let (tell, answers) = channel();
        Dialogs { tell, answers, wake }
    }

    /// Asks for a file.
    pub fn ask(&self, role: Role, title: &str) {
        let dialog = rfd::FileDialog::new()
            .set_title(title)
            .add_filter("Fields", &["fsz", "npy", "f32", "f64", "d64", "raw", "zfp"])
            .add_filter("All files", &["*"]);
        self.open(role, || dialog.pick_file());
    }

    /// Asks for a folder likewise: ADIOS2's files are such, which a dialog for files does not give.
    pub fn ask_for_folder(&self) {
        let dialog = rfd::FileDialog::new().set_title("Open an ADIOS2 file or a series");
        self.open(Role::Subject, || dialog.pick_folder());
    }

    fn open(&self, role: Role, pick: impl FnOnce() -> Option<PathBuf> + Send + 'static) {
        let (tell, wake) = (self.tell.clone(), self.wake.clone());
        let asked = thread::Builder::new().name("dialog".to_owned()).spawn(move || {
            let answer = dialog_failure::answer(pick).map(|path| path.map(|path| (role, path)));
            if let Some(answer) = answer.transpose()
                && tell.send(answer).is_ok()
            {
                wake();
            }
        });
        if let Err(reason) = asked {
            // This end of the channel is there as long as the other.
            let _ = self.tell.send(Err(reason.to_string()));
        }
    }

    /// What came since the last call.
    pub fn answers(&self) -> Vec<Answer> {
        self.answers.try_iter().collect()
    }
}
