//! The bar at the bottom: what decodes, how long it took, and what is under way.

use egui::{ProgressBar, Ui};

use crate::view::command::Command;
use crate::view::input::PanelInput;

/// What decodes, how long it took, and what is under way.
pub fn status(ui: &mut Ui, input: &PanelInput<'_>) -> Vec<Command> {
    let mut commands = Vec::new();
    ui.horizontal_wrapped(|ui| {
        if let Some(planes) = &input.session.planes {
            ui.label(format!("Decoded on {}", planes.decoder));
            if input.view.pictures.any_on_gpu() {
                ui.separator();
                ui.label("Rendered on the GPU");
            }
            ui.separator();
            ui.label(format!("Planes decoded in {:.2} ms", planes.took.as_secs_f64() * 1e3));
        } else if input.session.set.leader().is_none() {
            ui.label("No file open");
        } else {
            ui.label("No plane decoded");
        }
        for work in input.works {
            ui.separator();
            ui.label(&work.name);
            let total = work.progress.total();
            if total > 0 {
                let part = work.progress.done() as f32 / total as f32;
                ui.add(ProgressBar::new(part).desired_width(120.0));
            } else {
                ui.spinner();
            }
            if work.is_cancelled() {
                ui.label("Cancelling …");
            } else if ui.small_button("Cancel").clicked() {
                commands.push(Command::Cancel(work.progress.clone()));
            }
        }
    });
    commands
}
