//! What is shown is written into files.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use fsz::Progress;
use fsz_field::Output;

use crate::app::Viewer;
use crate::model::export;
use crate::view::command::Export;
use crate::work::event::Found;
use crate::work::unless_cancelled::unless_cancelled;

impl Viewer {
    /// Writes a file or a folder; what takes long on a thread of its own.
    pub(crate) fn export(&mut self, export: &Export, file: PathBuf) {
        let bytes = match export {
            Export::Steps { animated } => {
                self.export_series(*animated, file);
                return;
            }
            Export::Tiles => return self.export_tiles(file),
            Export::Figure(panes) => self.figure(panes).and_then(|figure| Ok(figure.png()?)),
            Export::Metrics => Ok(export::metrics_csv(&self.session).into_bytes()),
            Export::RateDistortion => {
                Ok(export::rate_distortion_csv(&self.rate_distortion).into_bytes())
            }
        };
        match bytes.and_then(|bytes| save(&file, &bytes)) {
            Ok(()) => self.note_written(&file),
            Err(reason) => self.report(reason),
        }
    }

    fn export_tiles(&mut self, file: PathBuf) {
        let subject = self.session.set.subject.clone();
        let unread = subject.as_ref().and_then(|s| s.tiles()).is_some_and(|tiles| !tiles.is_read());
        if unread {
            return self.report("the tiles are not read yet; see Tiles on the right");
        }
        self.write_aside("Exporting tiles", file, move |file, progress| {
            let tiles = subject.as_ref().and_then(|subject| subject.tiles());
            save(file, export::tiles_csv(tiles, progress)?.as_bytes())
        });
    }

    /// Writes a file or folder on a thread of its own; the status bar shows how far it is, and stops it.
    pub(crate) fn write_aside(
        &mut self,
        name: &str,
        to: PathBuf,
        write: impl FnOnce(&Path, &Progress) -> Result<()> + Send + 'static,
    ) -> Arc<Progress> {
        let progress =
            self.jobs.service.background.run(move |progress, tell| {
                match unless_cancelled(progress, write(&to, progress)) {
                    Ok(None) => {}
                    Ok(Some(())) => tell(Found::Written(to)),
                    Err(reason) => tell(Found::Failed(format!("{reason:#}"))),
                }
            });
        self.jobs.add_background(name.to_owned(), progress.clone());
        progress
    }

    /// Tells where something was written: whoever began the viewer from a menu does not know its folder.
    pub(crate) fn note_written(&mut self, to: &Path) {
        let path = std::path::absolute(to).unwrap_or(to.to_owned());
        self.view_state.note(format!("Wrote {}", path.display()));
    }
}

/// Writes a file, which replaces one of its name.
pub(super) fn save(file: &Path, bytes: &[u8]) -> Result<()> {
    let mut output = Output::create(file, true)?;
    output.put(bytes)?;
    Ok(output.commit()?)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use fsz::{Bound, Codec};

    use super::*;
    use crate::app::Start;
    use crate::model::document::Document;
    use crate::model::settings::Settings;

    /// Of a large stream they are many.
    #[test]
    fn the_window_does_not_wait_for_tiles_to_be_written() {
        let folder = tempfile::TempDir::new().unwrap();
        let mut viewer = Viewer::new(Start::default(), Settings::default(), Arc::new(|| ()));
        let viewer = viewer.as_mut().unwrap();
        let field = ndarray::Array3::from_elem((4, 8, 32), 1f32);
        let stream = Codec::cpu().compress(field.view(), Bound::Absolute(0.1)).unwrap();
        let subject = Document::from_stream("four".into(), Path::new("four.fsz"), stream).unwrap();
        viewer.session.set.subject = Some(subject);
        for cancelled in [true, false] {
            let file = folder.path().join(format!("{cancelled}.csv"));
            viewer.export(&Export::Tiles, file.clone());
            assert_eq!(viewer.jobs.works.len(), 1, "it is under way");
            if cancelled {
                // As by the button in the status bar, if it is not done by then.
                viewer.jobs.works[0].progress.cancel();
            }
            assert!(viewer.settle(Duration::from_secs(60)));
            if !cancelled {
                assert_eq!(std::fs::read_to_string(&file).unwrap().lines().count(), 1 + 4);
                let told = format!("Wrote {}", file.display());
                assert!(viewer.view_state.notes.contains(&told), "{:?}", viewer.view_state.notes);
            }
        }
        let progress = Progress::new();
        progress.cancel();
        let tiles = viewer.session.set.subject.as_ref().and_then(|subject| subject.tiles());
        assert!(export::tiles_csv(tiles, &progress).is_err());
        assert_eq!(viewer.view_state.messages, [""; 0]);
    }
}
