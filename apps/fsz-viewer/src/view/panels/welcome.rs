//! What stands in the window while nothing is open.

use egui::Ui;

use crate::model::set::Role;
use crate::view::command::Command;
use crate::view::input::PanelInput;
use crate::view::panels::top::FOLDERS;
use crate::view::text::heading;

/// What can be dropped here.
pub fn welcome(ui: &mut Ui, _input: &PanelInput<'_>) -> Vec<Command> {
    let mut commands = Vec::new();
    ui.vertical_centered(|ui| {
        ui.add_space(ui.available_height() * 0.3);
        heading(ui, "Drop a field here");
        ui.label(
            "A compressed field (.fsz, .zfp, .bp), a folder of .fsz files, or an uncompressed field (.npy, raw).",
        );
        ui.label("With a compressed field open, drop its original to see the error. One alone is compressed here.");
        ui.add_space(8.0);
        if ui.button("Open file …").clicked() {
            commands.push(Command::Ask(Role::Subject, "Open a field"));
        }
        if ui.button("Open folder …").on_hover_text(FOLDERS).clicked() {
            commands.push(Command::AskFolder);
        }
    });
    commands
}
