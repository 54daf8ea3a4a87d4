//! The bar at the top: files and view.

use egui::Ui;

use super::heading;
use crate::app::Viewer;
use crate::service::Role;

impl Viewer {
    pub(super) fn top(&mut self, ui: &mut Ui) {
        ui.horizontal_wrapped(|ui| {
            ui.menu_button("Open", |ui| {
                if ui.button("Open file …").clicked() {
                    self.dialogs.ask(Role::Subject, "Open a field");
                    ui.close();
                }
                ui.separator();
                ui.label("Path");
                let path = ui.text_edit_singleline(&mut self.typed_path);
                path.widget_info(|| egui::WidgetInfo::labeled(egui::Role::TextInput, true, "path"));
                let typed = std::path::PathBuf::from(self.typed_path.trim());
                for (name, role) in [
                    ("Open path", Role::Subject),
                    ("Open path as original", Role::Original),
                    ("Open path as comparison", Role::Other),
                ] {
                    if ui.button(name).clicked() && !self.typed_path.trim().is_empty() {
                        self.open(&typed, role);
                        ui.close();
                    }
                }
                if !self.settings.recent.is_empty() {
                    ui.separator();
                    ui.label("Recent files");
                }
                for recent in self.settings.recent.clone() {
                    if ui.button(recent.display().to_string()).clicked() {
                        self.open(&recent, Role::Subject);
                        ui.close();
                    }
                }
            });
            if ui.button("Original …").on_hover_text("Open the uncompressed field").clicked() {
                self.dialogs.ask(Role::Original, "Open the original");
            }
            if ui
                .button("Compare …")
                .on_hover_text("Open another reconstruction of the same field")
                .clicked()
            {
                self.dialogs.ask(Role::Other, "Open a reconstruction to compare with");
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
            ui.toggle_value(&mut self.help, "?").on_hover_text("Keyboard and mouse");
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
            heading(ui, "Drop a field here");
            ui.label("A compressed field (.fsz), or an uncompressed one (.npy, raw) to compress with FSZ.");
            ui.label("With a compressed field open, drop its original to see the error.");
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
            // A stream of another compressor, to compare with what is open.
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
            if ui.small_button("Dismiss").clicked() {
                dismissed = Some(i);
            }
        });
    }
    if let Some(i) = dismissed {
        lines.remove(i);
    }
}
