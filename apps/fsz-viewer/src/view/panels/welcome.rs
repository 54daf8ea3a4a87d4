//! What stands in the window while nothing is open.

use egui::Ui;

use crate::view::command::Command;
use crate::view::input::PanelInput;
use crate::view::text::heading;

/// What can be dropped here.
pub fn welcome(ui: &mut Ui, _input: &PanelInput<'_>) -> Vec<Command> {
    ui.vertical_centered(|ui| {
        ui.add_space(ui.available_height() * 0.3);
        heading(ui, "Drop a field here");
        ui.label(
            "A compressed field (.fsz), or an uncompressed one (.npy, raw) to compress with FSZ.",
        );
        ui.label("With a compressed field open, drop its original to see the error.");
    });
    Vec::new()
}
