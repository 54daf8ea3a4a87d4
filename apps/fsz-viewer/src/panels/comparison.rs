//! Comparison with another codec.

use egui::Ui;

use super::heading;
use crate::app::Viewer;
use crate::comparison::MatchMode;

impl Viewer {
    /// Which zfp to compare with; any other reconstruction is opened by *Compare*.
    pub(super) fn comparison(&mut self, ui: &mut Ui) {
        let Some(facts) = self.set.subject.as_ref().and_then(|s| s.facts.clone()) else { return };
        if self.set.original.is_none() {
            return;
        }
        ui.separator();
        heading(ui, "Compare with");
        let mut chosen = None;
        for option in MatchMode::ALL {
            let shown = self.comparison.matching == Some(option);
            if ui.selectable_label(shown, option.name()).clicked() {
                chosen = Some(Some(option));
            }
        }
        if self.set.other.is_some() && ui.button("Close comparison").clicked() {
            chosen = Some(None);
        }
        if self.comparison.making() {
            ui.horizontal(|ui| {
                ui.label("Compressing with zfp …");
                if ui.small_button("Cancel").clicked() {
                    chosen = Some(None);
                }
            });
        }
        let certificate = &facts.certificate;
        let unknown = certificate.nan + certificate.inf + certificate.missing;
        if self.comparison.matching.is_some() && unknown > 0 {
            ui.label(
                "zfp does not support NaN, ±Inf or missing values: zfp blocks with one of them \
                 decode to arbitrary values.",
            );
        }
        if let Some(chosen) = chosen {
            self.compare_with(chosen);
        }
    }
}
