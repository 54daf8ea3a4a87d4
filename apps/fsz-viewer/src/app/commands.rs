//! What the user wants is done.

use std::path::Path;

use anyhow::{Result, bail};
use egui::{Context, ViewportCommand};
use fsz_field::Output;

use crate::app::Viewer;
use crate::model::export;
use crate::view::command::{Command, Export};

impl Viewer {
    /// Does what the user wants.
    pub(crate) fn command_given(&mut self, context: &Context, command: Command) {
        let view = &mut self.view_state;
        match command {
            Command::Ask(role, title) => self.jobs.dialogs.ask(role, title),
            Command::AskFolder => self.jobs.dialogs.ask_for_folder(),
            Command::Open(path, role) => self.open(&path, role),
            Command::TypePath(path) => view.typed_path = path,
            Command::EditRaw(dialog) => {
                view.raw_dialogs.first_mut().into_iter().for_each(|asked| *asked = dialog.clone());
            }
            Command::AnswerRaw(answer) => {
                if view.raw_dialogs.is_empty() {
                    return;
                }
                let dialog = view.raw_dialogs.remove(0);
                if let Some(hints) = answer {
                    self.open_with(&dialog.path, hints, dialog.role);
                }
            }
            Command::Choose(choice) => self.choose(choice),
            Command::Play(plays) => self.play(plays),
            Command::Backwards(backwards) => view.backwards = backwards,
            Command::Face(axis) => self.face(axis),
            Command::Go(planes) => self.session.go(planes),
            Command::Plane(plane) => self.session.place.plane = plane,
            Command::Set(setting) => view.settings.set(setting),
            Command::ResetPanes => view.arrangement = None,
            Command::Arrange(tree) => view.arrangement = Some(*tree),
            Command::Look(camera, visible) => (view.camera, view.visible) = (camera, visible),
            Command::Fit => view.camera.reset(),
            Command::Cursor(point) => view.cursor = Some(point),
            Command::Pin(pinned) => {
                view.pinned = pinned;
                self.follow_series();
            }
            Command::Blink(blink) => view.blink = blink,
            Command::Wipe(wipe) => view.wipe = wipe,
            Command::Help(help) => view.help = help,
            Command::Theme(theme) => context.set_theme(theme),
            Command::TypeMissing(missing) => self.session.missing = missing,
            Command::Recompress => self.compress(),
            Command::Compare(matching) => self.compare_with(matching),
            Command::Sweep => self.sweep(self.view_state.settings.sweep_extent),
            Command::StopSweep => self.rate_distortion.stop(),
            Command::Measure => self.measure(),
            Command::Cancel(progress) => progress.cancel(),
            Command::DismissMessage(line) => _ = view.messages.remove(line),
            Command::DismissNote(line) => _ = view.notes.remove(line),
            Command::Export(Export::Steps { animated }, file) => {
                // The status bar shows how far it is, and stops it.
                self.export_series(animated, file.into());
            }
            Command::Export(export, file) => match self.export(&export, Path::new(&file)) {
                Ok(()) => {
                    // Whoever began the viewer from a menu does not know its folder.
                    let path = std::path::absolute(&file).unwrap_or(file.into());
                    self.view_state.note(format!("Wrote {}", path.display()));
                }
                Err(reason) => self.report(reason),
            },
            Command::TypeStream(name) => view.typed_stream = name,
            Command::Connect(name) => self.connect(&name),
            Command::ReadTiles => self.read_tiles(),
            Command::Disconnect => self.disconnect(),
            Command::Follow(following) => self.follow(following),
            Command::Step(number) => {
                if let Some(live) = &mut self.session.live {
                    live.following = false;
                }
                self.show_step(number);
            }
            Command::Volume(volume) => view.settings.volume = *volume,
            Command::VolumePane(size, moving) => {
                (view.volume.size, view.volume.moving) = (size, moving);
            }
            Command::Pick(at) => self.pick(at),
            Command::Quit => context.send_viewport_cmd(ViewportCommand::Close),
        }
    }

    fn tiles_are_unread(&self) -> bool {
        let tiles = self.session.set.subject.as_ref().and_then(|subject| subject.tiles());
        tiles.is_some_and(|tiles| !tiles.is_read())
    }

    fn export(&self, export: &Export, file: &Path) -> Result<()> {
        let bytes = match export {
            Export::Figure(panes) => self.figure(panes)?.png()?,
            Export::Metrics => export::metrics_csv(&self.session).into_bytes(),
            Export::Tiles if self.tiles_are_unread() => {
                bail!("the tiles are not read yet; see Tiles on the right")
            }
            Export::Tiles => export::tiles_csv(&self.session).into_bytes(),
            // On a thread of its own.
            Export::Steps { .. } => return Ok(()),
            Export::RateDistortion => {
                export::rate_distortion_csv(&self.rate_distortion).into_bytes()
            }
        };
        let mut output = Output::create(file, true)?;
        output.put(&bytes)?;
        Ok(output.commit()?)
    }
}
