//! The bar at the bottom: what decodes, how long it took, and what is under way.

use egui::{ProgressBar, Ui};

use crate::app::Viewer;
use crate::pane_kind::PaneKind;

impl Viewer {
    pub(super) fn status(&mut self, ui: &mut Ui) {
        ui.horizontal(|ui| {
            if let Some(planes) = &self.planes {
                ui.label(format!("Decoded on {}", planes.decoder));
                if PaneKind::ALL.iter().any(|&kind| self.picture(kind).is_on_gpu()) {
                    ui.separator();
                    ui.label("Rendered on the GPU");
                }
                ui.separator();
                ui.label(format!("Planes decoded in {:.2} ms", planes.took.as_secs_f64() * 1e3));
            } else {
                ui.label("No file open");
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
                if ui.small_button("Cancel").clicked() {
                    work.progress.cancel();
                }
            }
        });
    }
}
