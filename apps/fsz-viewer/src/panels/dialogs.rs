//! Windows over the window: questions about files, and help.

use egui::{Grid, Ui, Window};
use fsz::DType;

use super::keys::KEYS;
use crate::app::Viewer;

impl Viewer {
    pub(super) fn dialogs(&mut self, ui: &mut Ui) {
        self.question(ui);
        let mut help = self.help;
        Window::new("Keyboard and mouse").open(&mut help).collapsible(false).show(ui.ctx(), |ui| {
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

    /// Asks about the first of the files that do not tell what is in them.
    fn question(&mut self, ui: &mut Ui) {
        let Some(dialog) = self.raw_dialogs.first_mut() else { return };
        let title = match dialog.rate {
            Some(_) => "zfp stream without a header",
            None => "Raw file",
        };
        let mut answered = None;
        Window::new(title).collapsible(false).show(ui.ctx(), |ui| {
            ui.label(dialog.path.display().to_string());
            ui.horizontal(|ui| {
                let label = ui.label("Shape, slowest axis first");
                ui.text_edit_singleline(&mut dialog.shape).labelled_by(label.id);
            });
            ui.horizontal(|ui| {
                ui.selectable_value(&mut dialog.dtype, DType::F32, "f32");
                ui.selectable_value(&mut dialog.dtype, DType::F64, "f64");
            });
            let fitting = dialog.rate_of_size();
            if let Some(rate) = &mut dialog.rate {
                ui.horizontal(|ui| {
                    let label = ui.label("Rate in bits per value");
                    ui.text_edit_singleline(rate).labelled_by(label.id);
                });
                if let Some(fitting) = fitting.map(|rate| rate.to_string())
                    && fitting != *rate
                    && ui.button(format!("Use {fitting}, which fits the file size")).clicked()
                {
                    *rate = fitting;
                }
            }
            let answer = dialog.hints();
            if let Err(reason) = &answer {
                ui.colored_label(ui.visuals().warn_fg_color, reason.to_string());
            }
            ui.horizontal(|ui| {
                let open = ui.add_enabled(answer.is_ok(), egui::Button::new("Open file"));
                if open.clicked() {
                    answered = Some(answer.ok());
                }
                if ui.button("Cancel").clicked() {
                    answered = Some(None);
                }
            });
        });
        if let Some(hints) = answered {
            let dialog = self.raw_dialogs.remove(0);
            if let Some(hints) = hints {
                self.open_with(&dialog.path, hints, dialog.role);
            }
        }
    }
}
