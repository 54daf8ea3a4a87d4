//! The bar at the top: files and view.

use egui::Ui;

use crate::app::Viewer;
use crate::service::Role;

impl Viewer {
    pub(super) fn top(&mut self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            ui.menu_button("Open", |ui| {
                if ui.button("A compressed field, or any field …").clicked() {
                    self.dialogs.ask(Role::Subject, "Open a field");
                    ui.close();
                }
                ui.separator();
                ui.label("By its path:");
                let path = ui.text_edit_singleline(&mut self.typed_path);
                path.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "path"));
                let typed = std::path::PathBuf::from(self.typed_path.trim());
                for (name, role) in [
                    ("Open path", Role::Subject),
                    ("… as the original", Role::Original),
                    ("… as another reconstruction", Role::Other),
                ] {
                    if ui.button(name).clicked() && !self.typed_path.trim().is_empty() {
                        self.open(&typed, role);
                        ui.close();
                    }
                }
                if !self.settings.recent.is_empty() {
                    ui.separator();
                    ui.label("Opened before:");
                }
                for recent in self.settings.recent.clone() {
                    if ui.button(recent.display().to_string()).clicked() {
                        self.open(&recent, Role::Subject);
                        ui.close();
                    }
                }
            });
            if ui.button("Original …").on_hover_text("The field before compression").clicked() {
                self.dialogs.ask(Role::Original, "The original of the field");
            }
            if ui
                .button("Compare …")
                .on_hover_text("Another reconstruction of the same field")
                .clicked()
            {
                self.dialogs.ask(Role::Other, "Another reconstruction");
            }
            ui.separator();
            ui.add_enabled_ui(self.set.leader().is_some(), |ui| {
                ui.menu_button("Export", |ui| self.export_menu(ui));
            });
            ui.toggle_value(&mut self.settings.metrics, "Metrics");
            ui.separator();
            let dark = ui.visuals().dark_mode;
            if ui.button(if dark { "Light" } else { "Dark" }).clicked() {
                let other = if dark { egui::Theme::Light } else { egui::Theme::Dark };
                ui.ctx().set_theme(other);
            }
            ui.toggle_value(&mut self.help, "?").on_hover_text("Keys and pointer");
            if let Some(leader) = self.set.leader() {
                ui.separator();
                ui.strong(&leader.title);
            }
        });
        let alarming = ui.visuals().error_fg_color;
        lines(ui, &mut self.messages, Some(alarming));
        lines(ui, &mut self.notes, None);
    }

    pub(super) fn welcome(&mut self, ui: &mut Ui) {
        ui.vertical_centered(|ui| {
            ui.add_space(ui.available_height() * 0.3);
            ui.heading("Drop a field here");
            ui.label("A compressed field (.fsz), or an original (.npy, raw values) to try FSZ on.");
            ui.label("Then drop the original on a compressed field to see what was lost, and why.");
        });
    }

    pub(super) fn take_dropped(&mut self, ui: &Ui) {
        let dropped: Vec<std::path::PathBuf> =
            ui.input(|i| i.raw.dropped_files.iter().map(|f| f.path().to_path_buf()).collect());
        for path in dropped {
            let role = self.role_of(&path);
            self.open(&path, role);
        }
    }

    /// What a file that is dropped on the window is likely to be.
    fn role_of(&self, path: &std::path::Path) -> Role {
        let opened = self.set.subject.is_some();
        match fsz_field::Kind::of(path) {
            // A stream of another compressor, beside what is open.
            Ok(fsz_field::Kind::Zfp) if opened => Role::Other,
            Ok(fsz_field::Kind::Raw | fsz_field::Kind::Npy) if opened => {
                match self.set.original.is_some() {
                    true => Role::Other,
                    false => Role::Original,
                }
            }
            _ => Role::Subject,
        }
    }
}

/// Lines that stay until they are dismissed.
fn lines(ui: &mut Ui, lines: &mut Vec<String>, colour: Option<egui::Color32>) {
    let mut dismissed = None;
    for (i, line) in lines.iter().enumerate() {
        ui.horizontal_wrapped(|ui| {
            match colour {
                Some(colour) => ui.colored_label(colour, line),
                None => ui.label(line),
            };
            if ui.small_button("dismiss").clicked() {
                dismissed = Some(i);
            }
        });
    }
    if let Some(i) = dismissed {
        lines.remove(i);
    }
}
