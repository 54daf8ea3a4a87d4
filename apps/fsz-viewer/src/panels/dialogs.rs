//! Windows over the window: the shape of a raw file, and help.

use egui::{Grid, Ui, Window};
use fsz::Dtype;

use super::keys::KEYS;
use crate::app::Viewer;

impl Viewer {
    pub(super) fn dialogs(&mut self, ui: &mut Ui) {
        if let Some(mut dialog) = self.raw_dialog.take() {
            let mut keep = true;
            Window::new("Shape of a raw file").collapsible(false).show(ui.ctx(), |ui| {
                ui.label(dialog.path.display().to_string());
                ui.horizontal(|ui| {
                    let label = ui.label("shape, slowest axis first");
                    ui.text_edit_singleline(&mut dialog.shape).labelled_by(label.id);
                });
                ui.horizontal(|ui| {
                    ui.selectable_value(&mut dialog.dtype, Dtype::F32, "f32");
                    ui.selectable_value(&mut dialog.dtype, Dtype::F64, "f64");
                });
                let answer = dialog.hints();
                if let Err(reason) = &answer {
                    ui.colored_label(ui.visuals().warn_fg_color, reason);
                }
                ui.horizontal(|ui| {
                    let open = ui.add_enabled(answer.is_ok(), egui::Button::new("Open it"));
                    if open.clicked()
                        && let Ok(hints) = answer
                    {
                        self.open_with(&dialog.path.clone(), hints, dialog.role);
                        keep = false;
                    }
                    if ui.button("Cancel").clicked() {
                        keep = false;
                    }
                });
            });
            if keep {
                self.raw_dialog = Some(dialog);
            }
        }
        let mut help = self.help;
        Window::new("Keys and pointer").open(&mut help).collapsible(false).show(ui.ctx(), |ui| {
            Grid::new("keys").num_columns(2).spacing([20.0, 4.0]).show(ui, |ui| {
                for (key, what) in KEYS {
                    ui.strong(key);
                    ui.label(what);
                    ui.end_row();
                }
            });
        });
        self.help = help;
    }
}
