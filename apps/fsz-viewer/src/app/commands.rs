//! What the user wants is done.

use egui::{Context, ViewportCommand};

use crate::app::Viewer;
use crate::view::command::Command;

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
                    self.open_with(&dialog.path, hints, dialog.role, dialog.wanted);
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
            Command::Pin(pinned) => view.pinned = pinned,
            Command::Blink(blink) => view.blink = blink,
            Command::Wipe(wipe) => view.wipe = wipe,
            Command::Help(help) => view.help = help,
            Command::Bare(bare) => view.bare = bare,
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
            Command::Export(export, file) => self.export(&export, file.into()),
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
}
