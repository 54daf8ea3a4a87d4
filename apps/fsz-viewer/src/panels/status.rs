//! The bar at the bottom: what decodes, how long it took, and what is under way.

use egui::{ProgressBar, Ui};

use crate::app::Viewer;
use crate::which::Which;

impl Viewer {
    pub(super) fn status(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            if let Some(planes) = &self.planes {
                ui.label(format!("decoded on {}", planes.decoder));
                if Which::ALL.iter().any(|&which| self.picture(which).is_on_gpu()) {
                    ui.separator();
                    ui.label("painted on the GPU");
                }
                ui.separator();
                ui.label(format!("planes in {:.2} ms", planes.took.as_secs_f64() * 1e3));
            } else {
                ui.label("nothing is open");
            }
            for work in &self.work {
                ui.separator();
                ui.label(&work.name);
                let total = work.progress.total();
                if total > 0 {
                    let part = work.progress.done() as f32 / total as f32;
                    ui.add(ProgressBar::new(part).desired_width(120.0));
                } else {
                    ui.spinner();
                }
                if ui.small_button("cancel").clicked() {
                    work.progress.cancel();
                }
            }
        });
    }
}
